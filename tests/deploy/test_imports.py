"""The import rules catch what they are there to catch."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.site import ROOT

APPS = ("rules", "campaigns", "identity", "encounters", "frontend", "deploy")


def lint(folder):
    lint_imports = Path(sys.executable).with_name("lint-imports")
    return subprocess.run([lint_imports, "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture
def copy(tmp_path):
    for app in APPS:
        ignore = shutil.ignore_patterns("__pycache__", "static", "templates", "packs")
        shutil.copytree(ROOT / app, tmp_path / app, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_project_keeps_its_rules(copy):
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("rules/bad.py", "import django.db"),
        ("rules/bad.py", "import celery"),
        ("rules/bad.py", "import campaigns.apps"),
        ("campaigns/bad.py", "import frontend.apps"),
        ("identity/bad.py", "import encounters.apps"),
        ("encounters/bad.py", "import identity.apps"),
        ("frontend/bad.py", "import deploy.urls"),
    ],
)
def test_a_forbidden_import_is_caught(copy, file, line):
    (copy / file).write_text(f"{line}\n")
    done = lint(copy)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout
    assert file.replace("/", ".").removesuffix(".py") in done.stdout
