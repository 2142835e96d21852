"""Programs that tests need from the system, installed on Debian by root and asked for elsewhere."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class MissingProgramError(RuntimeError):
    """A program is absent and cannot be installed from here; the text says what to do."""


def require(package: str, find: Callable[[], T | None], otherwise: str = "") -> T:
    """What `find` finds, after installing the Debian `package` if need be. `otherwise` is advice beside installing."""
    found = find()
    if found is not None:
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        advice = f", or {otherwise}" if otherwise else ""
        raise MissingProgramError(f"The tests need {package}: install it (apt-get install {package}){advice}.")
    _install(package)
    found = find()
    if found is None:
        raise MissingProgramError(f"{package} was installed, but what the tests need of it is still not found.")
    return found


def _install(package: str) -> None:
    print(f"Installing {package} for the tests ...", flush=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    # One test process at a time; and no server of the package starts by itself while it is installed.
    policy = Path("/usr/sbin/policy-rc.d")
    with Path("/tmp/tidebook-tests-packages.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ours = not policy.exists()
        if ours:
            policy.write_text("#!/bin/sh\nexit 101\n")
            policy.chmod(0o755)
        try:
            subprocess.run(["apt-get", "-qq", "update"], env=quiet, check=True)
            command = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", package]
            subprocess.run(command, env=quiet, check=True, stdout=subprocess.DEVNULL)
        finally:
            if ours:
                policy.unlink()


def program(*names: str, folders: str = "") -> Callable[[], Path | None]:
    """A finder of the first of `names` on PATH or in the newest folder that matches the glob `folders`."""

    def find() -> Path | None:
        for name in names:
            inside = sorted(Path("/").glob(f"{folders.lstrip('/')}/{name}")) if folders else []
            if inside:
                return inside[-1]
            on_path = shutil.which(name)
            if on_path:
                return Path(on_path)
        return None

    return find
