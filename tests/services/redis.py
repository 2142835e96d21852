"""A private Redis that keeps nothing, gone with the process that started it."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from deploy.processes import die_with_parent
from tests.services.network import free_port, listens, until
from tests.services.packages import program, require


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Start a server, answer its URL (database 0), stop it at the end."""
    server = require("redis-server", program("redis-server"), "set TIDEBOOK_REDIS_URL")
    folder, port = tempfile.mkdtemp(prefix="tidebook-redis-"), free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent, start_new_session=True)
    try:
        until(lambda: listens(port), 20, "Redis")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)
