"""Packs: reading, checking and holding rules as data."""

from rules.packs.folder import SHELF, find_folder, load_files, load_pack, pack_ids
from rules.packs.needs import unmet
from rules.packs.overlay import load_overlay
from rules.packs.pack import Pack
from rules.packs.upload import read_upload

__all__ = [
    "SHELF",
    "Pack",
    "find_folder",
    "load_files",
    "load_overlay",
    "load_pack",
    "pack_ids",
    "read_upload",
    "unmet",
]
