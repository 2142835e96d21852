"""Make a virtual environment and install locked packages into it, with nothing but a bare Python.

    python3 deploy/bootstrap.py base|dev|LOCKFILE [FOLDER]

`base` is what the site needs, `dev` also what its tests need. Every package is checked against the hash in the lock
file. A stamp named after the lock file's content is left behind, so that a second call does nothing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {"base": ROOT / "requirements" / "base.txt", "dev": ROOT / "requirements" / "dev.txt"}


def stamp(folder: Path, lock: Path) -> Path:
    return folder / f".installed-{lock.stem}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"


def has_venv() -> bool:
    """Debian's Python comes without the parts that a virtual environment is made with, until a package brings them."""
    return subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0


def bring_venv() -> None:
    """Install what has_venv misses where that is possible; else say what to install."""
    package = f"python3.{sys.version_info.minor}-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"This Python ({sys.executable}) cannot make virtual environments. Install {package}, then try again.")
    print(f"Installing {package} ...", flush=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", "update"], env=quiet, check=True)
    subprocess.run(["apt-get", "-qq", "install", "-y", package], env=quiet, check=True, stdout=subprocess.DEVNULL)
    if not has_venv():
        sys.exit(f"{package} was installed, but {sys.executable} still cannot make virtual environments.")


def make(folder: Path) -> Path:
    """The environment's Python; the environment is made if it is absent or its Python has gone."""
    python = folder / "bin" / "python"
    works = python.exists() and not subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode
    if not works:
        if not has_venv():
            bring_venv()
        print(f"Making {folder.name} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    return python


def install(folder: Path, lock: Path) -> None:
    """Install `lock` into `folder`, unless that was done already."""
    if stamp(folder, lock).exists():
        return
    python = make(folder)
    print(f"Installing {lock.name} (checked against its hashes) ...", flush=True)
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes"]
    if subprocess.run([python, "-m", "pip", "install", *options, "-r", lock]).returncode:
        sys.exit(f"Installing {lock.relative_to(ROOT)} failed; what pip said is above.")
    stamp(folder, lock).touch()


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    lock = LOCKS.get(sys.argv[1]) or ROOT / sys.argv[1]
    folder = ROOT / (sys.argv[2] if len(sys.argv) == 3 else ".venv")
    if sys.argv[1] == "base" and stamp(folder, LOCKS["dev"]).exists():
        return  # the larger set is there and holds the same versions
    install(folder, lock)


if __name__ == "__main__":
    main()
