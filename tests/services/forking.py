"""Processes of their own that need not load the program first: forked from one that has, and that did nothing since.

Run as `python -m tests.services.forking FD`, it forks for each message on that socket, which brings the text to run,
its arguments, and the ends of the pipes. A keeper between the two waits for the child and tells how it ended.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import TextIO

from deploy.processes import die_with_parent

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 1 << 18  # bytes of a message


class Forked:
    """A process as `subprocess.Popen` shows one, with text in its three pipes."""

    def __init__(self, stdin: TextIO, stdout: TextIO, stderr: TextIO, ended: TextIO) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._ended = ended

    def poll(self) -> int | None:
        """The exit code, a signal's number below nothing, None while it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self.returncode = int(self._ended.read())
        return self.returncode

    def wait(self, timeout: float) -> int:
        """The exit code once there is one."""
        if self.returncode is None and not select.select([self._ended], [], [], timeout)[0]:
            raise TimeoutError(f"the process runs on after {timeout:g} s")
        code = self.poll()
        assert code is not None
        return code

    def communicate(self, says: str = "", timeout: float = 120) -> tuple[str, str]:
        """Says this to it, and hears all that it says; it must say little in errors."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.write(says)
            self.stdin.close()
        said = self.stdout.read(), self.stderr.read()
        self.wait(timeout)
        return said


class Loaded:
    """A process that has loaded the program under an environment, to fork from."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.services.forking", str(theirs.fileno())],
                cwd=ROOT,
                env=environment,
                pass_fds=[theirs.fileno()],
                preexec_fn=die_with_parent,
            )

    def fork(self, code: str, *arguments: str) -> Forked:
        """Runs Python text in a process of its own, with these arguments in `sys.argv[1:]`."""
        pipes = [os.pipe() for _ in range(4)]
        (in_read, in_write), (out_read, out_write), (err_read, err_write), (end_read, end_write) = pipes
        given = [in_read, out_write, err_write, end_write]
        socket.send_fds(self._socket, [json.dumps([code, *arguments]).encode()], given)
        for fd in given:
            os.close(fd)
        return Forked(os.fdopen(in_write, "w"), os.fdopen(out_read), os.fdopen(err_read), os.fdopen(end_read))


@functools.cache
def _loaded(environment: frozenset[tuple[str, str]]) -> Loaded:
    return Loaded(dict(environment))


def forked(environment: dict[str, str], code: str, *arguments: str) -> Forked:
    """Runs Python text in a process of its own under an environment, in which the program is loaded once."""
    of_the_test = {"PYTEST_CURRENT_TEST"}  # which would make each test's another environment
    kept = frozenset((name, value) for name, value in environment.items() if name not in of_the_test)
    return _loaded(kept).fork(code, *arguments)


def main() -> None:
    """Forks until whoever asks is gone."""
    import django

    django.setup()
    asked = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    while True:
        message, fds, _flags, _address = socket.recv_fds(asked, LARGEST, 4)
        if not message:
            return
        if os.fork() == 0:
            asked.close()
            _keep(json.loads(message), fds)
        for fd in fds:
            os.close(fd)


def _keep(message: list[str], fds: list[int]) -> None:
    """Forks, waits, tells how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *pipes, ended = fds
    child = os.fork()
    if child == 0:
        os.close(ended)
        os._exit(_run(message, pipes))
    for fd in pipes:
        os.close(fd)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(ended, str(code).encode())
    os._exit(0)


def _run(message: list[str], pipes: list[int]) -> int:
    """Runs the text as `python -c` does; the exit code."""
    for fd, standard in zip(pipes, (0, 1, 2), strict=True):
        os.dup2(fd, standard)
        os.close(fd)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: PTH123, SIM115
    code, *arguments = message
    sys.argv = ["-c", *arguments]
    random.seed()
    left = 0
    try:
        exec(compile(code, "<forked>", "exec"), {"__name__": "__main__"})
    except SystemExit as leaving:
        left = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        left = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return left


if __name__ == "__main__":
    main()
