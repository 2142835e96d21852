"""Headers of every response, health and metrics, and sockets to nowhere."""

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.utils import timezone

from deploy import health, heartbeat, tasks
from deploy.middleware import ADMIN_POLICY, SITE_POLICY


def directives(policy):
    return dict(part.split(" ", 1) for part in policy.split("; "))


def test_nothing_from_elsewhere_and_nothing_inline():
    policy = directives(SITE_POLICY)
    assert policy["default-src"] == "'self'"
    assert "unsafe" not in SITE_POLICY
    assert "http" not in SITE_POLICY
    assert policy["object-src"] == policy["frame-ancestors"] == "'none'"


@pytest.mark.django_db
def test_pages_carry_the_strict_policy_and_the_admin_its_own(client):
    assert client.get("/accounts/login/").headers["Content-Security-Policy"] == SITE_POLICY
    assert client.get("/admin/login/").headers["Content-Security-Policy"] == ADMIN_POLICY
    assert client.get("/nowhere/").headers["Content-Security-Policy"] == SITE_POLICY


@pytest.mark.django_db
def test_other_headers_of_safety(client):
    headers = client.get("/accounts/login/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_a_harmless_request_id_is_kept_and_another_replaced(client):
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["X-Request-ID"] == "abc-1"
    made = client.get("/healthz", headers={"X-Request-ID": "a b\tc"}).headers["X-Request-ID"]
    assert len(made) == 32


@pytest.mark.django_db
def test_health_names_its_parts(client, broker):
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "parts": {"database": "ok", "broker": "ok", "layer": "ok", "jobs": "none yet"},
    }


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["database", "broker", "layer"])
def test_a_part_that_is_down_makes_the_site_unhealthy_without_saying_why(client, broker, monkeypatch, part):
    def fail():
        raise OSError("secret address refused")

    monkeypatch.setitem(health.CHECKS, part, fail)
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["parts"][part] == "down"
    assert b"secret" not in answer.content


@pytest.mark.django_db
def test_late_jobs_are_said_but_do_not_make_the_web_unhealthy(client, broker, settings):
    heartbeat.record(timezone.now() - timedelta(seconds=7 * settings.TICK_SECONDS))
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["parts"]["jobs"] == "late"
    heartbeat.record(timezone.now())
    assert client.get("/healthz").json()["parts"]["jobs"] == "ok"


@pytest.mark.django_db
def test_a_tick_is_remembered_and_one_failing_app_does_not_stop_the_next(monkeypatch):
    called = []

    class Failing:
        @staticmethod
        def on_tick(now):
            raise RuntimeError("broken")

    class Working:
        @staticmethod
        def on_tick(now):
            called.append(now)

    modules = {"campaigns.tasks": Failing, "identity.tasks": Working, "encounters.tasks": object}
    monkeypatch.setattr(tasks, "find_spec", lambda name: name)
    monkeypatch.setattr(tasks, "import_module", modules.__getitem__)
    tasks.tick()
    assert called == [heartbeat.last()]


def test_metrics_are_for_this_machine_alone_when_embedded(client, settings):
    settings.HOSTED = False
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 403


def test_metrics_open_by_token_alone_when_hosted(client, settings):
    settings.HOSTED = True
    assert client.get("/metrics").status_code == 403
    settings.METRICS_TOKEN = "a token"
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 403
    answer = client.get("/metrics", headers={"Authorization": "Bearer a token"})
    assert b"django_http_requests_total" in answer.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("origin", "code"),
    [(b"http://localhost", 4404), (b"http://elsewhere.example", None)],
    ids=["our own", "foreign"],
)
def test_a_socket_to_nowhere_or_from_elsewhere_is_closed(origin, code):
    from deploy.asgi import application

    headers = [(b"origin", origin), (b"host", b"localhost")]
    scope = {"type": "websocket", "path": "/ws/nowhere/", "headers": headers, "query_string": b"", "subprotocols": []}

    async def connect():
        socket = ApplicationCommunicator(application, scope)
        await socket.send_input({"type": "websocket.connect"})
        return await socket.receive_output(5)

    answer = async_to_sync(connect)()
    assert answer["type"] == "websocket.close"
    assert answer.get("code") == code


@pytest.fixture
def broker(settings, tmp_path):
    """An embedded broker's folders, and no tick yet."""
    settings.DATA_DIR = tmp_path
    if not settings.HOSTED:
        (tmp_path / "queue").mkdir()
        settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "queue")}
