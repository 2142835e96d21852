"""The mode of play that is in force for somebody, and what it bars. The rules say what; a game master may do it all the
same."""

from __future__ import annotations

from campaigns.context import Context
from campaigns.parts.subjects import Subjects
from campaigns.registry import fights
from campaigns.rolling import subject_of
from campaigns.state import State
from rules.packs import Pack
from rules.refusal import Refused
from rules.tests.modes import barred, modes_of


def barred_for(state: State, pack: Pack, test: str, subject: str) -> str:
    """Why somebody may not do something in the mode of play that they are in; "" where they may. ``subject``: who acts,
    "" where nobody in particular does. What a hidden subject stands for, nobody learns by it."""
    if pack.modes is None or pack.test(test).spec.use is None:
        return ""
    found = barred(pack, pack.test(test), _known(state, pack, subject))
    return found.text if found is not None else ""


def _known(state: State, pack: Pack, subject: str) -> list[str]:
    fighting = bool(subject) and fights(state, subject)
    modes: list[str] = state.once(
        ("modes of play", pack.digest, fighting), lambda: _modes(state, pack, fighting=fighting)
    )
    return modes


def _modes(state: State, pack: Pack, *, fighting: bool) -> list[str]:
    assert pack.modes is not None
    stand = [i for i, one in state.part(Subjects).here().items() if one.kind == pack.modes.spec.kind and not one.hidden]
    return modes_of(pack, [subject_of(state, one, pack.id) for one in stand], fights=fighting)


def is_metered(state: State, pack: Pack, subject: str, audience: str) -> bool:
    """Whether what meters a fight counts for somebody now: where the pack has a mode for fights, in that one alone.
    That they fight may be hidden, so nobody but who plays them is told by it."""
    if pack.modes is None or pack.modes.spec.fight is None:
        return True
    return audience != "all" and pack.modes.spec.fight in _known(state, pack, subject)


def check_mode(state: State, pack: Pack, test: str, roles: dict[str, str], context: Context, *, anyway: bool) -> None:
    """Refuses what the mode of play bars. Of somebody else's subject a player learns nothing by it: such a call waits
    for a game master anyhow, and so does what they then say."""
    context.require(context.is_gm or not anyway, "gm_only", "Only the GM does what play now bars.", right="a GM")
    plays = state.part(Subjects).played_by(context.member)
    # What nobody in particular does is barred for those who sit at the table with somebody who fights.
    subject = next(iter(roles.values()), "") or next((one for one in sorted(plays) if fights(state, one)), "")
    own = context.is_gm or not subject or subject in plays
    if anyway or not own or not (why := barred_for(state, pack, test, subject)):
        return
    assert pack.modes is not None
    reason = pack.modes.spec.uses[pack.test(test).spec.use or ""].reason
    if context.is_gm:
        raise Refused(reason, why, field="anyway", right="saying that it is done all the same")
    raise Refused(reason, why, field="test")
