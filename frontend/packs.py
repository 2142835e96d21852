"""Rule packs that a new campaign may choose, and what the packs in force call things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.commands.subjects import makeable
from campaigns.packs import Packs
from campaigns.state import State
from rules.packs import load_pack, pack_ids
from rules.refusal import Refused


@dataclass(frozen=True)
class Offer:
    """A pack on the shelf."""

    id: str
    version: str
    title: str
    says: str
    chosen: bool = False


def offered(chosen: Sequence[str] = ()) -> list[Offer]:
    """Every pack that this server ships, by title; the only one is chosen already, like those ``chosen`` before."""
    shelf = [load_pack(pack_id).manifest for pack_id in pack_ids()]
    offers = [Offer(m.id, m.version, m.title, m.summary, chosen=len(shelf) == 1 or m.id in chosen) for m in shelf]
    return sorted(offers, key=lambda offer: offer.title)


def versions(chosen: Sequence[str]) -> dict[str, str]:
    """Pack id -> version of the packs chosen in a form."""
    shelf = {offer.id: offer.version for offer in offered()}
    for pack in chosen:
        if pack not in shelf:
            right = "one of " + ", ".join(sorted(shelf))
            raise Refused("unknown_pack", "There is no such rule pack.", field="packs", value=pack, right=right)
    return {pack: shelf[pack] for pack in chosen}


def kinds(state: State, *, gm: bool = True) -> list[tuple[str, str]]:
    """Kinds of subjects that the campaign's packs know, as (id, title); a plain one where they know none. For players
    (without ``gm``) only those that a pack lets them make."""
    packs = Packs(state).all()
    titles = {kind.id: kind.title for pack in reversed(packs) for kind in pack.kinds.values()}
    made = makeable(packs, gm=gm)
    return [(kind, titles[kind]) for kind in made] if titles else [("character", "Character")]
