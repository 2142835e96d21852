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


FORBIDDEN = [
    ("rules", "django.db"),
    ("rules", "celery"),
    ("rules", "campaigns.apps"),
    ("campaigns", "frontend.apps"),
    ("identity", "encounters.apps"),
    ("encounters", "identity.apps"),
    ("frontend", "deploy.urls"),
]


def test_every_forbidden_import_is_caught(copy):
    """Each in a module of its own, which is named with what it imports."""
    bad = [(f"{app}.bad_{number}", what) for number, (app, what) in enumerate(FORBIDDEN)]
    for module, what in bad:
        (copy / (module.replace(".", "/") + ".py")).write_text(f"import {what}\n")
    done = lint(copy)
    assert done.returncode == 1
    assert done.stdout.count("BROKEN") == 2
    for module, what in bad:
        shown = what.split(".")[0] if what.split(".")[0] not in APPS else what
        assert f"{module} -> {shown} (l.1)" in done.stdout, done.stdout
