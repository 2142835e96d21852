"""The rule packs of a campaign: pinned by version and content, with its house rules and its own settings.

The content of every version that was ever on this server's shelf is kept by its digest, so that a campaign goes on
playing the version it is pinned to when the shelf moves on. What a table brought of its own lies in its events, and
beside them by digest; no other campaign is offered it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import msgspec

from campaigns.parts.packs import PacksState
from campaigns.parts.table import Table
from campaigns.state import State
from rules.packs import Pack, find_folder, load_files, load_pack, pack_ids
from rules.packs.overlay import load_overlay
from rules.packs.source import digest_of, read_folder
from rules.problems import nearest
from rules.refusal import Refused

Settings = tuple[tuple[str, bool | int | str], ...]
Layers = tuple[tuple[str, str], ...]


class Packs:
    """The packs a campaign plays by, as deciders are given them."""

    def __init__(self, state: State) -> None:
        self._table, self._packs = state.part(Table), state.part(PacksState)

    def ids(self) -> list[str]:
        """Ids of the campaign's packs, in their order."""
        return list(self._table.packs)

    def check(self, pack_id: str) -> None:
        """Refuses a pack that the campaign does not play."""
        if pack_id not in self._table.packs:
            right = "one of " + ", ".join(self._table.packs) if self._table.packs else "none: the campaign has no packs"
            message = "The campaign does not play this pack."
            raise Refused("unknown_pack", message, field="pack", value=pack_id, right=right)

    def get(self, pack_id: str) -> Pack:
        """One of the campaign's packs, house rules and settings in force; refused where the campaign has it not."""
        return self.played(pack_id, settings_of(self._table, pack_id))

    def played(self, pack_id: str, settings: Settings = ()) -> Pack:
        """The pack with its house rules, under these settings."""
        self.check(pack_id)
        overlay = self._packs.overlays.get(pack_id)
        layers = tuple(sorted(overlay.files.items())) if overlay else ()
        return _compiled(pack_id, self._packs.digests.get(pack_id, ""), layers, settings)

    def laying(self, pack_id: str, files: Mapping[str, str]) -> Callable[[], Pack]:
        """What compiles the pinned pack with other house rules on it, settings as written; it raises PackError. It
        needs no state any more, and what it compiled once is kept by content."""
        self.check(pack_id)
        if not files:
            # No layers at all would be the pack as written; house rules without a file are wrong.
            return partial(load_overlay, self.plain(pack_id), {})
        digest = self._packs.digests.get(pack_id, "")
        return partial(_compiled, pack_id, digest, tuple(sorted(files.items())), ())

    def plain(self, pack_id: str) -> Pack:
        """The pinned pack as written, without house rules."""
        self.check(pack_id)
        return _compiled(pack_id, self._packs.digests.get(pack_id, ""), (), ())

    def newest(self, pack_id: str) -> Pack:
        """The version to which a pack can be moved: the one that the table brought last, or the one on the shelf."""
        own = self._packs.own.get(pack_id)
        return _compiled(pack_id, own.digest, (), ()) if own is not None else on_shelf(pack_id)

    def waiting(self, pack_id: str) -> Pack | None:
        """The same, where it is another content than the one that is played."""
        if pack_id not in self._packs.own and pack_id not in pack_ids():
            return None
        found = self.newest(pack_id)
        return found if found.digest != self.plain(pack_id).digest else None

    def all(self) -> list[Pack]:
        """Every pack of the campaign."""
        return [self.get(pack_id) for pack_id in self._table.packs]


def settings_of(table: Table, pack_id: str) -> Settings:
    """The campaign's own values of a pack's settings. In the campaign they are called ``<pack id>/<setting>``."""
    head = f"{pack_id}/"
    return tuple(sorted((n.removeprefix(head), v) for n, v in table.settings.items() if n.startswith(head)))


@lru_cache(maxsize=256)
def _compiled(pack_id: str, digest: str, layers: Layers, settings: Settings) -> Pack:
    """A pack as a campaign plays it; compiled once a process."""
    if settings:
        return _compiled(pack_id, digest, layers, ()).with_settings(dict(settings))
    if layers:
        base = _compiled(pack_id, digest, (), ())
        return load_overlay(base, {name: text.encode() for name, text in layers})
    on_shelf = load_pack(pack_id) if pack_id in pack_ids() else None
    if on_shelf is not None and digest in ("", on_shelf.digest):
        return on_shelf
    return load_files(kept(pack_id, digest))


def kept(pack_id: str, digest: str) -> dict[str, bytes]:
    """The files of a version that is not on the shelf any more; refused where this server never had it."""
    from campaigns.models import OwnPack, PackContent

    found = PackContent.objects.filter(digest=digest).first() or OwnPack.objects.filter(digest=digest).first()
    if found is None:
        right = "the version on the shelf, by an upgrade" if pack_id in pack_ids() else "a server that has the pack"
        raise Refused("pack_missing", f"The pinned version of {pack_id} is not here.", field="pack", right=right)
    return msgspec.msgpack.decode(zlib.decompress(bytes(found.files)), type=dict[str, bytes])


def keep(pack: Pack) -> None:
    """Keeps a pack's content by its digest, once."""
    keep_files(pack.id, pack.version, pack.digest, pack.source.files)


def keep_files(pack_id: str, version: str, digest: str, files: Mapping[str, bytes]) -> None:
    """Keeps files under a digest, once."""
    from campaigns.models import PackContent

    content = PackContent(digest=digest, pack=pack_id, version=version, files=packed(files))
    PackContent.objects.bulk_create([content], ignore_conflicts=True)


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files as they are kept."""
    return zlib.compress(msgspec.msgpack.encode(dict(files)), 6)


@lru_cache(maxsize=16)
def own_pack(files: Layers) -> Pack:
    """A pack of a table's own out of its files, compiled once. Raises PackError."""
    return load_files({name: text.encode() for name, text in files})


def keep_shelf(**_signal: object) -> None:
    """Receiver of Django's post_migrate: what is on the shelf now can be pinned, and is kept. Every start of the site
    comes here, and most find nothing new: so a pack is only compiled once its content is not known."""
    from campaigns.models import PackContent

    known = set(PackContent.objects.values_list("digest", flat=True))
    for pack_id in pack_ids():
        if digest_of(read_folder(find_folder(pack_id))) not in known:
            keep(load_pack(pack_id))


def pinned(packs: Mapping[str, str]) -> dict[str, Pack]:
    """The packs that a campaign is to be pinned to, from id -> version (empty: the one here). Refused where a pack or
    version is not on the shelf."""
    return {pack_id: on_shelf(pack_id, version) for pack_id, version in packs.items()}


def on_shelf(pack_id: str, version: str = "") -> Pack:
    """A pack of this server's shelf; refused where it or this version is not there."""
    known = pack_ids()
    if pack_id not in known:
        right = nearest(pack_id, known) or "one of " + ", ".join(known)
        raise Refused("unknown_pack", "There is no such pack here.", field="packs", value=pack_id, right=right)
    here = load_pack(pack_id)
    if version not in ("", here.version):
        message = f"{pack_id} is here in another version."
        raise Refused("unknown_version", message, field="packs", value=version, right=here.version)
    return here


def installed() -> dict[str, Pack]:
    """The packs that come with this server, by id."""
    return {pack_id: load_pack(pack_id) for pack_id in pack_ids()}


def overlay_digest(files: Mapping[str, str]) -> str:
    """SHA-256 over names and contents of an overlay's files (hex)."""
    sha = hashlib.sha256()
    for name in sorted(files):
        sha.update(f"{name}\0{len(files[name])}\0{files[name]}".encode())
    return sha.hexdigest()
