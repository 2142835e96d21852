"""The embedded supervisor: starts all, starts again what dies, leaves nothing behind, continues."""

import os
import signal
import socket
import time
from http.client import HTTPConnection

import pytest

from deploy.processes import AlreadyRunningError, Lock
from tests.services import site
from tests.services.network import status, until


def jobs(running):
    import json

    connection = HTTPConnection("127.0.0.1", running.port, timeout=5)
    connection.request("GET", "/healthz", headers={"Host": "localhost"})
    return json.loads(connection.getresponse().read())["parts"]["jobs"]


@pytest.mark.embedded
def test_pages_jobs_and_static_files_are_served(standing):
    running = standing
    assert status(running.port, "/accounts/login/") == 200
    assert status(running.port, "/static/admin/css/base.css") == 200
    assert status(running.port, "/static/../secret-key") in (400, 404)
    until(lambda: jobs(running) == "ok", 30, "the first tick")
    assert f"Tidebook runs at {running.url}/" in running.output()


def test_each_part_that_dies_is_started_again(live_server_embedded):
    running = live_server_embedded
    until(lambda: jobs(running) == "ok", 30, "the first tick")
    for part in ("web", "worker", "beat"):
        before = running.part(part)
        os.kill(before, signal.SIGKILL)
        until(lambda: f"{part} ended with code -9" in running.output(), 10, "the word of its death")  # noqa: B023
        until(lambda: running.part(part) not in (0, before), 10, "another process")  # noqa: B023
        until(lambda: status(running.port) == 200, 30, "the site")
        restarted = time.time()
        tick = running.data_dir / "last-tick"
        until(lambda: tick.stat().st_mtime > restarted, 30, "a tick after that")  # noqa: B023


def test_stopping_is_in_good_order_and_starting_again_continues(live_server_embedded):
    running = live_server_embedded
    key = (running.data_dir / "secret-key").read_text()
    running.manage("shell", "-c", "from django.contrib.auth.models import User; User.objects.create(username='kept')")
    assert running.stop() == 0
    assert status(running.port) == 0
    running.start()
    assert running.manage(
        "shell", "-v0", "-c", "from django.contrib.auth.models import User; print(User.objects.get(username='kept'))"
    ).endswith("kept\n")
    assert (running.data_dir / "secret-key").read_text() == key


def test_a_killed_supervisor_leaves_nothing_behind_and_blocks_nothing(live_server_embedded):
    running = live_server_embedded
    running.kill()  # waits until every process below the supervisor is gone
    assert status(running.port) == 0
    (running.data_dir / "broker" / "control" / "celery.exchange").write_text("half a")
    (running.data_dir / "broker" / "queue" / "1_x.celery.msg").touch()
    running.start()
    until(lambda: jobs(running) == "ok", 30, "ticks as before")


@pytest.mark.process
@pytest.mark.embedded
def test_a_busy_port_names_a_free_one(data_dir):
    blocked = site.Embedded(data_dir)
    with socket.create_server(("127.0.0.1", blocked.port)), pytest.raises(RuntimeError) as caught:
        blocked.start()
    assert f"Cannot listen on 127.0.0.1 port {blocked.port}: Address already in use" in str(caught.value)
    assert "TIDEBOOK_PORT=" in str(caught.value)


@pytest.mark.embedded
def test_a_second_server_on_the_same_folder_is_refused(standing):
    second = site.Embedded(standing.data_dir)
    with pytest.raises(RuntimeError, match="already runs on"):
        second.start()
    assert status(standing.port) == 200


def test_a_stale_lock_file_blocks_nobody(tmp_path):
    path = tmp_path / "serve.lock"
    path.write_text("999999999")
    lock = Lock(path)
    lock.acquire(patience=0)
    assert lock.unclean
    assert path.read_text() == str(os.getpid())
    with pytest.raises(AlreadyRunningError):
        Lock(path).acquire(patience=0)
    lock.release()
    after = Lock(path)
    after.acquire(patience=0)
    assert not after.unclean
    after.release()


@pytest.mark.process
@pytest.mark.embedded
def test_a_site_that_cannot_start_gives_up_and_says_which_part(data_dir, tmp_path):
    """A worker that ends at once is not started for ever before the site has ever answered."""
    hopeless = site.Embedded(data_dir)
    broken = tmp_path / "broken"
    (broken / "granian").mkdir(parents=True)
    (broken / "granian" / "__init__.py").write_text("raise SystemExit('no web today')")
    hopeless.environment["PYTHONPATH"] = str(broken)
    with pytest.raises(RuntimeError, match="web ended 4 times before the site answered"):
        hopeless.start()
