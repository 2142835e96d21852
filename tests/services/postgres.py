"""A private PostgreSQL cluster in a temporary folder, gone with the process that started it."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from deploy.processes import die_with_parent
from tests.services.network import free_port, until
from tests.services.packages import program, require


@dataclass(frozen=True)
class PostgreSQL:
    port: int
    folder: Path

    def url(self, database: str = "postgres") -> str:
        return f"postgres://tidebook@127.0.0.1:{self.port}/{database}"

    def create(self, database: str, template: str = "template1") -> str:
        """Make a database and answer its URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def drop(self, database: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')


def _unprivileged() -> int | None:
    """The user that the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    return 65534


def _tie() -> None:
    die_with_parent(signal.SIGQUIT)


@contextlib.contextmanager
def running(durable: bool = False) -> Iterator[PostgreSQL]:
    """Start a cluster and stop it at the end. `durable` keeps fsync on, as benchmarks need and tests do not."""
    initdb = require("postgresql", program("initdb", folders="/usr/lib/postgresql/*/bin"), "set DATABASE_URL")
    user = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="tidebook-pg-"))
    if user is not None:
        os.chown(folder, user, -1)
    data, port = folder / "data", free_port()
    command = [initdb, "-D", data, "-U", "tidebook", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
    subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder}
    settings |= {"max_connections": 200, "shared_buffers": "128MB"}
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [initdb.with_name("postgres"), "-D", data, *options],
            user=user,
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=_tie,
            start_new_session=True,
        )
    cluster = PostgreSQL(port, folder)
    try:
        until(lambda: _answers(cluster) or server.poll() is not None, 30, "PostgreSQL")
        if server.poll() is not None:
            raise RuntimeError(f"PostgreSQL ended at once:\n{(folder / 'log').read_text()}")
        yield cluster
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(cluster: PostgreSQL) -> bool:
    try:
        psycopg.connect(cluster.url(), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
