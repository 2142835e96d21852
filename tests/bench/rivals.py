"""Environments for rivals, locked like our own: one for most, one for d20, which installs over files of lark."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.services.site import ROOT

LOCKS = {"rivals": "requirements/bench.txt", "dice": "requirements/bench-dice.txt"}


def python(name: str = "rivals") -> Path:
    """The Python of the environment `name`, which is made and filled first if need be."""
    folder = f"tests/bench/.venv-{name}"
    subprocess.run([sys.executable, ROOT / "deploy/bootstrap.py", LOCKS[name], folder], check=True)
    return ROOT / folder / "bin" / "python"


def ask(script: Path, *arguments: str, name: str = "rivals") -> Any:
    """Run `script` there; it prints its answer as JSON on its last line."""
    done = subprocess.run([python(name), script, *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{script.name} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])
