"""The rule packs of a campaign: pinned by version, with the campaign's own settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from campaigns.parts.table import Table
from campaigns.state import State
from rules.packs import Pack, load_pack, pack_ids
from rules.problems import nearest
from rules.refusal import Refused

Settings = tuple[tuple[str, bool | int | str], ...]


class Packs:
    """The packs a campaign plays by, as deciders are given them."""

    def __init__(self, state: State) -> None:
        self._table = state.part(Table)

    def ids(self) -> list[str]:
        """Ids of the campaign's packs, in their order."""
        return list(self._table.packs)

    def get(self, pack_id: str) -> Pack:
        """One of the campaign's packs, with its settings in force; refused where the campaign does not play it."""
        if pack_id not in self._table.packs:
            right = (
                "one of " + ", ".join(self._table.packs) if self._table.packs else "none: this campaign has no packs"
            )
            raise Refused(
                "unknown_pack", "The campaign does not play this pack.", field="pack", value=pack_id, right=right
            )
        return with_settings(pack_id, settings_of(self._table, pack_id))

    def all(self) -> list[Pack]:
        """Every pack of the campaign."""
        return [self.get(pack_id) for pack_id in self._table.packs]


def settings_of(table: Table, pack_id: str) -> Settings:
    """The campaign's own values of a pack's settings. In the campaign they are called ``<pack id>/<setting>``."""
    head = f"{pack_id}/"
    return tuple(sorted((n.removeprefix(head), v) for n, v in table.settings.items() if n.startswith(head)))


def pinned(packs: Mapping[str, str]) -> dict[str, str]:
    """The packs with the versions that a campaign is to keep; refused for a pack or version that is not here."""
    known = pack_ids()
    for pack_id, version in packs.items():
        if pack_id not in known:
            right = nearest(pack_id, known) or "one of " + ", ".join(known)
            raise Refused("unknown_pack", "There is no such pack here.", field="packs", value=pack_id, right=right)
        here = load_pack(pack_id).version
        if version not in ("", here):
            message = f"{pack_id} is here in another version."
            raise Refused("unknown_version", message, field="packs", value=version, right=here)
    return {pack_id: load_pack(pack_id).version for pack_id in packs}


def installed() -> dict[str, Pack]:
    """The packs that come with this server, by id."""
    return {pack_id: load_pack(pack_id) for pack_id in pack_ids()}


@lru_cache(maxsize=256)
def with_settings(pack_id: str, settings: Settings) -> Pack:
    """A pack under a campaign's settings; compiled once a process."""
    pack = load_pack(pack_id)
    return pack.with_settings(dict(settings)) if settings else pack
