"""The site started for real, as its users start it: processes of their own, a data folder of their own.

`Embedded` is `python -m deploy.serve`. `Hosted` is what deploy/README.md tells a host to run: pages and API under
WSGI, sockets under ASGI, worker and beat on PostgreSQL and Redis, behind one address.
"""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from deploy.processes import Child, die_with_parent
from tests.services.feeding import Elsewhere
from tests.services.network import free_port, status, until
from tests.services.proxy import Proxy

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90.0


def clean_environment(**more: str) -> dict[str, str]:
    """This process's environment without anything that would steer a site, plus `more`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TIDEBOOK_", "GRANIAN_"))}
    kept.pop("DATABASE_URL", None)
    return kept | {"TIDEBOOK_TICK_SECONDS": "1", "PYTHONUNBUFFERED": "1"} | more


def children_of(pid: int) -> list[int]:
    """Process ids of the direct children of `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def descendants_of(pid: int) -> list[int]:
    direct = children_of(pid)
    return direct + [below for child in direct for below in descendants_of(child)]


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not waited for does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Site:
    """What both set-ups have in common: an address, an environment, and `manage.py` run against it."""

    url: str

    def __init__(self, data_dir: Path, environment: dict[str, str]) -> None:
        self.data_dir = data_dir
        self.environment = environment | {"TIDEBOOK_DATA_DIR": str(data_dir)}
        self.log = data_dir / "site.log"
        self._beside: Elsewhere | None = None

    @property
    def beside(self) -> Elsewhere:
        """A process of its own on this site's data; kept, because starting one takes seconds."""
        if self._beside is None:
            self._beside = Elsewhere(self.environment)
        return self._beside

    def run(self, code: str) -> str:
        """Runs Python text in that process, as `manage.py shell` does; what it printed."""
        printed: str = self.beside.ask("run", code=code)["printed"]
        return printed

    def leave(self) -> None:
        """Ends the process beside the site, if there is one."""
        if self._beside is not None:
            self._beside.close()
            self._beside = None

    def manage(self, *arguments: str, stdin: str = "") -> str:
        """Run `manage.py ARGUMENTS` on this site's data and answer what it prints; RuntimeError if it fails."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        done = subprocess.run(
            command, env=self.environment, input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=120
        )
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def output(self) -> str:
        """Everything the site's processes have written so far."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Embedded(Site):
    """`python -m deploy.serve` on a free port. `kill` ends it as a power cut would; `start` starts it again."""

    def __init__(self, data_dir: Path, environment: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        more = {"TIDEBOOK_PORT": str(self.port)} | (environment or {})
        super().__init__(data_dir, clean_environment(**more))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        """Start and wait until the site is healthy."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "deploy.serve", *arguments],
                env=self.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
            )
        try:
            until(lambda: status(self.port) == 200 or not self.running(), START_SECONDS, "the site")
        except TimeoutError as error:
            raise TimeoutError(f"{error}; it said:\n{self.output()}") from None
        if not self.running():
            raise RuntimeError(f"The site ended at once; it said:\n{self.output()}")

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def part(self, name: str) -> int:
        """The process id of web, worker or beat, 0 while it does not run."""
        assert self.process is not None
        words = {"web": b"granian", "worker": b"worker", "beat": b"beat"}[name]
        for pid in children_of(self.process.pid):
            if words in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                return pid
        return 0

    def kill(self) -> None:
        """SIGKILL the supervisor, and wait until everything it had started is gone as well."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Stop as Ctrl-C does; the exit code."""
        return self._end(signal.SIGINT)

    def destroy(self) -> None:
        """End everything at once, in no order: for the end of a test."""
        self.leave()
        if self.process is not None:
            for pid in [self.process.pid, *descendants_of(self.process.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(20)
            self.process = None

    def _end(self, number: int) -> int:
        if self.process is None:
            return 0
        everything = descendants_of(self.process.pid)
        if self.running():
            self.process.send_signal(number)
        code = self.process.wait(40)
        until(lambda: not any(alive(pid) for pid in everything), 30, "the end of all children")
        self.process = None
        return code


class Hosted(Site):
    """WSGI, ASGI, worker and beat on PostgreSQL and Redis, behind a proxy that gives /ws/ to ASGI."""

    def __init__(self, data_dir: Path, database_url: str, redis_url: str) -> None:
        self.pages, self.sockets = free_port(), free_port()
        super().__init__(
            data_dir,
            clean_environment(
                DATABASE_URL=database_url, TIDEBOOK_REDIS_URL=redis_url, TIDEBOOK_SECRET_KEY="for tests only " * 3
            ),
        )
        self.proxy = Proxy({"/ws/": self.sockets}, otherwise=self.pages)
        self.url = f"http://localhost:{self.proxy.port}"
        self.parts: dict[str, Child] = {}

    def _commands(self) -> dict[str, list[str]]:
        granian = [sys.executable, "-m", "granian", "--log-level", "warning", "--workers-kill-timeout", "3"]
        celery = [sys.executable, "-m", "celery", "--quiet", "-A", "deploy"]
        pages = ["--interface", "wsgi", "--port", str(self.pages), "--blocking-threads", "4", "deploy.wsgi:application"]
        return {
            "pages": [*granian, *pages],
            "sockets": [*granian, "--interface", "asginl", "--port", str(self.sockets), "deploy.asgi:application"],
            "worker": [*celery, "worker", "--concurrency", "1", "--without-gossip", "--without-mingle"],
            "beat": [*celery, "beat", "--pidfile="],
        }

    def start(self) -> None:
        """Start what does not run and wait until both web servers are healthy."""
        for name, command in self._commands().items():
            child = self.parts.get(name)
            if child is None or not child.running():
                self.parts[name] = Child(name, command, self.environment, log=self.log)
                self.parts[name].start()
        until(lambda: status(self.pages) == 200 and status(self.sockets) == 200, START_SECONDS, "the hosted site")

    def kill(self, *names: str) -> None:
        """SIGKILL the named parts (pages, sockets, worker, beat), all without a name."""
        for name in names or tuple(self.parts):
            child = self.parts[name]
            child.signal(signal.SIGKILL)
            if child.process is not None:
                child.process.wait(20)

    def stop(self) -> None:
        """Stop as a service manager does."""
        for child in self.parts.values():
            child.signal(signal.SIGTERM)
        until(lambda: not any(child.running() for child in self.parts.values()), 30, "the end of the hosted site")

    def destroy(self) -> None:
        """End everything at once, in no order: for the end of a test."""
        self.leave()
        self.kill()
        self.proxy.close()
