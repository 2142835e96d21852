"""Rule packs that a new campaign may choose, and what the packs in force call things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.refusal import Refused


@dataclass(frozen=True)
class Offer:
    """A pack on the shelf."""

    id: str
    version: str
    title: str
    says: str
    chosen: bool = False


def offered() -> list[Offer]:
    """Every pack that this server ships, by title."""
    return []


def versions(chosen: Sequence[str]) -> dict[str, str]:
    """Pack id -> version of the packs chosen in a form."""
    shelf = {offer.id: offer.version for offer in offered()}
    for pack in chosen:
        if pack not in shelf:
            right = "one of " + ", ".join(sorted(shelf))
            raise Refused("unknown_pack", "There is no such rule pack.", field="packs", value=pack, right=right)
    return {pack: shelf[pack] for pack in chosen}
