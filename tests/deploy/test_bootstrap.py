"""Making the environment with a bare Python: done once, and said clearly where it cannot be."""

import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from deploy import bootstrap


@pytest.fixture
def lock(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("package==1 --hash=sha256:0\n")
    return path


def test_a_second_call_does_nothing_and_a_changed_lock_is_installed_again(lock, tmp_path, monkeypatch):
    ran = []
    folder = tmp_path / "env"
    folder.mkdir()
    monkeypatch.setattr(bootstrap, "make", lambda where: where / "bin" / "python")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command) or SimpleNamespace(returncode=0))
    bootstrap.install(folder, lock)
    bootstrap.install(folder, lock)
    assert len(ran) == 1
    assert "--require-hashes" in ran[0]
    lock.write_text("package==2 --hash=sha256:0\n")
    bootstrap.install(folder, lock)
    assert len(ran) == 2


def test_a_failed_installation_is_not_remembered(lock, tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "make", lambda where: where)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: SimpleNamespace(returncode=1))
    with pytest.raises(SystemExit, match="some.txt failed"):
        bootstrap.install(tmp_path, lock)
    assert not bootstrap.stamp(tmp_path, lock).exists()


def test_without_the_means_to_make_environments_it_says_which_package_to_install(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match=r"Install python3\.\d+-venv, then try again"):
        bootstrap.bring_venv()


def test_root_with_apt_installs_that_package(monkeypatch):
    ran = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(bootstrap, "has_venv", lambda: True)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    bootstrap.bring_venv()
    assert ran[0][:3] == ["apt-get", "-qq", "update"]
    assert ran[1][-1].endswith("-venv")


def test_locks_carry_hashes_and_no_addresses():
    for lock in sorted((bootstrap.ROOT / "requirements").glob("*.txt")):
        text = lock.read_text()
        pinned = [line for line in text.splitlines() if line[:1].isalnum()]
        assert pinned
        assert all("==" in line for line in pinned)
        assert text.count("--hash=sha256:") >= len(pinned)
        assert "://" not in text
