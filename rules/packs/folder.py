"""Finding and loading packs by folder or id."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from rules.packs.build import build
from rules.packs.pack import Pack
from rules.packs.source import MANIFEST, Files, read_folder, read_source
from rules.problems import RulesError, nearest

SHELF = Path(__file__).resolve().parent.parent / "shelf"
"""The packs that come with the server, a folder each, named by pack id."""


def pack_ids() -> list[str]:
    return sorted(path.name for path in SHELF.iterdir() if (path / MANIFEST).is_file())


def find_folder(name: str | Path) -> Path:
    """A folder, or the folder of a pack id on the shelf."""
    path = Path(name)
    if path.is_dir() and (path / MANIFEST).is_file():
        return path
    if isinstance(name, str) and "/" not in name and (SHELF / name / MANIFEST).is_file():
        return SHELF / name
    raise RulesError(f"no pack {str(name)!r}", code="unknown_pack", right=nearest(str(name), pack_ids()) or None)


def load_pack(name: str | Path) -> Pack:
    """A checked pack from a folder or by id. Raises PackError with every problem. Unchanged packs are loaded once."""
    return load_cached(find_folder(name), fingerprint(find_folder(name)))


def fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of the pack's files: when they are as before, so is the pack."""
    stats = ((path, path.stat()) for path in sorted(folder.rglob("*.yaml")))
    return tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)


@lru_cache(maxsize=32)
def load_cached(folder: Path, marks: tuple[tuple[str, int, int], ...]) -> Pack:
    return load_files(read_folder(folder))


def load_files(files: Files) -> Pack:
    """A checked pack from file names and contents, as uploaded or written in a test."""
    with no_collecting():
        return build(read_source(files))


@contextmanager
def no_collecting() -> Iterator[None]:
    """Loading makes very many small things and drops hardly any: looking for garbage would take a third of it.

    What was made is put among the old things at once (which is what freezing and unfreezing come to), or the first look
    for garbage afterwards would go through it all. A process that has frozen things of its own keeps them so.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()
