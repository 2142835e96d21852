"""What an exported campaign takes along of its packs: the content that it is pinned to."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec

from campaigns.packs import Packs, keep_files
from campaigns.parts.packs import PacksState
from campaigns.registry import Enclosure, encloses
from campaigns.state import State
from rules.packs import load_files
from rules.problems import PackError
from rules.refusal import Refused


class Enclosed(msgspec.Struct):
    """A pack in a file."""

    pack: str
    version: str
    digest: str
    files: dict[str, bytes]


def write(_campaign_id: UUID, state: State) -> Iterable[Any]:
    """One item a pack: id, version, digest, and its files in base 64. What the table brought lies in its events."""
    packs = Packs(state)
    own = {digest for brought in state.part(PacksState).own.values() for digest in brought.digests}
    for pack_id in packs.ids():
        pack = packs.plain(pack_id)
        if pack.digest in own:
            continue
        files = {name: base64.b64encode(data).decode() for name, data in pack.source.files.items()}
        yield {"pack": pack.id, "version": pack.version, "digest": pack.digest, "files": files}


def read(_campaign_id: UUID, items: Iterable[Any]) -> None:
    """Keeps the packs of an imported campaign; refused where a content does not load or is not what it says."""
    for item in items:
        try:
            found = msgspec.convert(item, Enclosed)
        except msgspec.ValidationError as error:
            raise Refused("pack_problems", f"This is no pack: {error}.", field="packs") from None
        try:
            pack = load_files(found.files)
        except PackError as error:
            raise Refused("pack_problems", str(error), field=f"packs.{found.pack}") from None
        if pack.digest != found.digest:
            raise Refused("pack_changed", "The pack's content is not what was exported.", field=f"packs.{found.pack}")
        keep_files(pack.id, pack.version, pack.digest, found.files)


encloses(Enclosure("packs", write, read))
