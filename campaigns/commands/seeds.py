"""Revealing dice seeds and promising new ones: on the GM's wish, and for those who end a session or a season."""

from __future__ import annotations

from campaigns.context import Context
from campaigns.events import Draft
from campaigns.parts.seeds import SeedRevealed, Seeds, audience_of, commit_draft
from campaigns.parts.table import Table
from campaigns.registry import Command, decides
from campaigns.state import State


class RenewSeeds(Command):
    """Reveals every seed that has given dice to its audience and promises the next."""


def renewal(state: State, context: Context) -> list[Draft]:
    """Drafts that reveal each used seed and promise the next; to stand last in what a command records.

    Seeds of the calendar's closes are left alone: they are revealed when no close of theirs can be taken back.
    """
    table, drafts = state.part(Table), []
    for audience, running in sorted(state.part(Seeds).running.items()):
        drawn = context.drawn_of(audience)
        if not drawn or not _is_renewed(audience):
            continue
        seed = context.open_seed(audience)
        revealed = SeedRevealed(audience=audience, number=running.number, seed=seed, drawn=drawn)
        drafts.append(Draft(revealed, audience=audience_of(audience)))
        member = table.members.get(audience.removeprefix("member:"))
        if member is None or member.role:
            number = running.number + 1
            drafts.append(commit_draft(audience, number, context.make_seed(audience, number)))
    return drafts


def _is_renewed(audience: str) -> bool:
    return audience in ("table", "gm") or audience.startswith("member:")


@decides(RenewSeeds, "seeds.renew", roles=["gm"], title="Revealing the dice seeds")
def renew(state: State, _command: RenewSeeds, context: Context) -> list[Draft]:
    """Nothing happens where no seed has given a die yet."""
    return renewal(state, context)
