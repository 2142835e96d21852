"""The embedded server: `python -m deploy.serve` runs web, worker and beat beside each other until Ctrl-C.

It prepares the data folder, starts the three as children, starts a child again when it dies (waiting longer each time),
and ends them all when it ends, in whatever way. With hosted settings it does the same on PostgreSQL and Redis.
"""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from types import FrameType

from django.core.exceptions import ImproperlyConfigured

from deploy.processes import AlreadyRunningError, Child, Lock

# Seconds: how long a child must live for its failures to be forgotten, the longest wait before a new start, how long
# children get to end in good order, how long the web may take to answer for the first time.
SETTLED, LONGEST_WAIT, GRACE, PATIENCE = 30.0, 30.0, 10.0, 60.0
# A child that fails this often before the site has answered once will not mend by being started again.
HOPELESS = 4


def say(text: str) -> None:
    print(text, flush=True)


def commands(host: str, port: int, static: str) -> dict[str, list[str]]:
    """The programs, by name. The web server hands out static files itself, before Django is asked."""
    python = sys.executable
    web = [python, "-m", "granian", "--interface", "asginl", "--host", host, "--port", str(port), "--workers", "1"]
    web += ["--static-path-route", "/static", "--static-path-mount", static, "--static-path-expires", "86400"]
    web += ["--workers-kill-timeout", "3", "--log-level", "warning", "deploy.asgi:application"]
    celery = [python, "-m", "celery", "--quiet", "-A", "deploy"]
    return {
        "web": web,
        "worker": [*celery, "worker", "--pool", "solo", "--without-gossip", "--without-mingle"],
        "beat": [*celery, "beat", "--pidfile="],
    }


class Supervisor:
    """Keeps `children` running until `stop` is asked for by a signal, or one of them proves hopeless."""

    def __init__(self, children: Sequence[Child]) -> None:
        self.children = children
        self.stopping = False
        self.ready = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.stopping:  # a second Ctrl-C does not wait
            self._signal_all(signal.SIGKILL)
        self.stopping = True

    def run(self, host: str, port: int, greeting: str) -> int:
        """Start all, greet once the web answers, keep them up. The exit code: 0 when stopped, 1 when hopeless."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        deadline = time.monotonic() + PATIENCE
        hopeless = ""
        while not self.stopping and not hopeless:
            hopeless = self.keep_up()
            if not self.ready and answers(host, port):
                self.ready = True
                say(greeting)
            elif not self.ready and time.monotonic() > deadline:
                hopeless = f"The site did not answer within {PATIENCE:.0f} seconds."
            time.sleep(0.1)
        self.end()
        if hopeless:
            print(hopeless, file=sys.stderr, flush=True)
        return 1 if hopeless else 0

    def keep_up(self) -> str:
        """Start what is not running and due. Answers why to give up, '' while there is hope."""
        now = time.monotonic()
        for child in self.children:
            if child.running():
                if now - child.started > SETTLED:
                    child.failures = 0
            elif child.process is not None:
                self._note_death(child, now)
                if child.failures >= HOPELESS and not self.ready:
                    return f"{child.name} ended {child.failures} times before the site answered; what it said is above."
            elif now >= child.due:
                child.start()
        return ""

    def _note_death(self, child: Child, now: float) -> None:
        assert child.process is not None
        child.signal(signal.SIGKILL)  # what it may have left behind in its group
        child.failures += 1
        wait = min(0.25 * 2**child.failures, LONGEST_WAIT)
        say(f"{child.name} ended with code {child.process.returncode}; starting it again in {wait:g} s.")
        child.process, child.due = None, now + wait

    def end(self) -> None:
        """End all: kindly first, then not."""
        self.stopping = True
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while any(child.running() for child in self.children) and time.monotonic() < deadline:
            time.sleep(0.05)
        self._signal_all(signal.SIGKILL)
        for child in self.children:
            if child.process is not None:
                child.process.wait()

    def _signal_all(self, number: int) -> None:
        for child in self.children:
            child.signal(number)


def answers(host: str, port: int) -> bool:
    """Whether a web server answers there, whatever it says."""
    connection = HTTPConnection(host.strip("[]"), port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def port_problem(host: str, port: int, patience: float) -> str:
    """Why `port` cannot be listened on and which one could be; '' if it can, at the latest after `patience` seconds."""
    deadline = time.monotonic() + patience
    while (error := _try_bind(host, port)) is not None:
        if time.monotonic() > deadline:
            break
        time.sleep(0.2)
    if error is None:
        return ""
    free = next((other for other in range(port + 1, min(port + 100, 65_536)) if _try_bind(host, other) is None), None)
    advice = f"Set TIDEBOOK_PORT to a free one, for example TIDEBOOK_PORT={free} make run." if free else ""
    return f"Cannot listen on {host} port {port}: {error.strerror}. {advice}".strip()


def _try_bind(host: str, port: int) -> OSError | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
            probe.listen(1)
        except OSError as error:
            return error
    return None


def greeting(host: str, port: int, demo: str) -> str:
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::1", "[::1]") else host
    address = f"http://{shown}:{port}/"
    sign_in = demo or f"Make an account at {address}accounts/signup/"
    return f"\nTidebook runs at {address}\n\n{sign_in}\n\nCtrl-C stops it; started again it continues where it was."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.serve", description="Run Tidebook on this machine.")
    parser.add_argument("--no-demo", action="store_true", help="do not build the demo campaign")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    import django
    from django.conf import settings

    try:
        django.setup()
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr)
        return 2
    lock = Lock(settings.DATA_DIR / "serve.lock")
    try:
        lock.acquire()
    except AlreadyRunningError as error:
        print(f"A server (process {error}) already runs on {settings.DATA_DIR}: stop it first,", file=sys.stderr)
        print("or give this one another folder with TIDEBOOK_DATA_DIR.", file=sys.stderr)
        return 3
    try:
        return _run(settings, lock, demo=settings.SERVE_DEMO and not options.no_demo)
    finally:
        lock.release()


def _run(settings, lock: Lock, demo: bool) -> int:  # type: ignore[no-untyped-def]
    from deploy import prepare

    host, port = settings.SERVE_HOST, settings.SERVE_PORT
    problem = port_problem(host, port, patience=10 if lock.unclean else 0)
    if problem:
        print(problem, file=sys.stderr)
        return 4
    said = prepare.everything(demo)
    environment = os.environ | {"TIDEBOOK_SUPERVISED": "1", "PYTHONUNBUFFERED": "1"}
    programs = commands(host, port, str(settings.STATIC_ROOT))
    children = [Child(name, command, environment, (lock.file.fileno(),)) for name, command in programs.items()]
    return Supervisor(children).run(host, port, greeting(host, port, said))


if __name__ == "__main__":
    sys.exit(main())
