"""Packs: reading, checking and holding rules as data."""

from rules.packs.folder import SHELF, find_folder, load_files, load_pack, pack_ids
from rules.packs.pack import Pack

__all__ = ["SHELF", "Pack", "find_folder", "load_files", "load_pack", "pack_ids"]
