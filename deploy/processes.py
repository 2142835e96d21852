"""Child processes that cannot outlive their parent, and a lock that cannot outlive its holders."""

import contextlib
import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(deadly: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process `deadly` when its parent ends, however that happens (Linux only)."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, deadly, 0, 0, 0)


@dataclass
class Child:
    """One supervised program. It has a process group of its own: Ctrl-C reaches it only through the supervisor.

    Its output goes to `log`, or to where the supervisor's goes.
    """

    name: str
    command: list[str]
    environment: dict[str, str]
    keep_open: tuple[int, ...] = ()
    log: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    due: float = field(default=0.0)

    def start(self) -> None:
        parent = os.getpid()

        def tie() -> None:
            die_with_parent()
            if os.getppid() != parent:  # the parent ended before the line above
                os._exit(1)

        self.started = time.monotonic()
        with contextlib.ExitStack() as stack:
            output = stack.enter_context(self.log.open("ab")) if self.log else None
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=self.keep_open,
                preexec_fn=tie,
            )

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        """Signal the whole group, so that what a dead child left behind is reached too."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class AlreadyRunningError(Exception):
    """Another supervisor holds the data folder; its process id is the argument."""


class Lock:
    """One supervisor a data folder. The kernel drops the lock with its last holder, so a stale file blocks nobody.

    Children inherit the lock: after a supervisor was killed, the next one waits until the last of them is gone.
    """

    def __init__(self, path: Path) -> None:
        self.file = path.open("a+")
        self.unclean = False

    def acquire(self, patience: float = 15.0) -> None:
        """Take the lock or raise AlreadyRunningError: at once if its holder lives, else after `patience` seconds."""
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                holder = self._holder()
                if _alive(holder) or time.monotonic() > deadline:
                    raise AlreadyRunningError(holder) from None
                time.sleep(0.1)
        self.unclean = self._holder() != 0
        self._write(str(os.getpid()))

    def release(self) -> None:
        self._write("")
        self.file.close()

    def _holder(self) -> int:
        """The process id in the file, 0 when its last holder stopped in good order."""
        self.file.seek(0)
        text = self.file.read().strip()
        return int(text) if text.isdigit() else 0

    def _write(self, text: str) -> None:
        self.file.truncate(0)
        self.file.write(text)
        self.file.flush()


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # A killed process that nobody has waited for yet still has its number.
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
