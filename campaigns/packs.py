"""The rule packs of a campaign: pinned by version, with the campaign's own settings."""

from __future__ import annotations

from functools import lru_cache

from campaigns.parts.table import Table
from campaigns.state import State
from rules.packs import Pack, load_pack, pack_ids
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
        head = f"{pack_id}/"
        own = {n.removeprefix(head): v for n, v in self._table.settings.items() if n.startswith(head)}
        return with_settings(pack_id, tuple(sorted(own.items())))

    def all(self) -> list[Pack]:
        """Every pack of the campaign."""
        return [self.get(pack_id) for pack_id in self._table.packs]


def installed() -> dict[str, Pack]:
    """The packs that come with this server, by id."""
    return {pack_id: load_pack(pack_id) for pack_id in pack_ids()}


@lru_cache(maxsize=256)
def with_settings(pack_id: str, settings: Settings) -> Pack:
    """A pack under a campaign's settings; compiled once a process."""
    pack = load_pack(pack_id)
    return pack.with_settings(dict(settings)) if settings else pack
