"""What members are told of pairs, marks, invocations and closes, and whom each concerns."""

from __future__ import annotations

from collections.abc import Iterable

from campaigns.events import Recorded
from campaigns.notices.kinds import ASKED, CHOICE, MARK, SEASON, gms
from campaigns.parts.affiliations import players_for
from campaigns.registry import Telling, tells
from campaigns.state import State
from identity.parts import invocations as v
from identity.parts import marks as m


@tells(m.MarkAwarded, m.ProposalDeclined)
def marked(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those who play the subject. A sealed mark is no news to them: they do not see it."""
    event = recorded.event
    assert isinstance(event, m.MarkAwarded | m.ProposalDeclined)
    return [Telling(MARK, tuple(players_for(state, event.subject)), ("subject", event.subject))]


@tells(m.MarkProposed)
def proposed(state: State, recorded: Recorded) -> Iterable[Telling]:
    """The GMs."""
    assert isinstance(recorded.event, m.MarkProposed)
    return [Telling(ASKED, gms(state), ("subject", recorded.event.subject))]


@tells(m.SubjectSettled, along=True)
def settled(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those whose rolls wait for them; the rest is in the report."""
    event = recorded.event
    assert isinstance(event, m.SubjectSettled)
    if event.roll_until is None:
        return []
    return [Telling(CHOICE, tuple(players_for(state, event.subject)), ("subject", event.subject))]


@tells(m.DevelopmentShown, along=True)
def shown(_state: State, recorded: Recorded) -> Iterable[Telling]:
    """Webhooks alone: members have the report."""
    assert isinstance(recorded.event, m.DevelopmentShown)
    return [Telling(SEASON, (), ("report", recorded.event.rung, str(recorded.event.number)))]


@tells(v.DieClaimAsked)
def claim_asked(state: State, recorded: Recorded) -> Iterable[Telling]:
    """The GMs."""
    assert isinstance(recorded.event, v.DieClaimAsked)
    return [Telling(ASKED, gms(state), ("test", recorded.event.roll))]


@tells(v.InvocationStated)
def stated(state: State, recorded: Recorded) -> Iterable[Telling]:
    """The GMs, where their word on two sides is needed before the roll."""
    assert isinstance(recorded.event, v.InvocationStated)
    waits = recorded.event.alignment == "awaiting_gm"
    return [Telling(ASKED, gms(state), ("test", recorded.event.call))] if waits else []


@tells(v.DieGranted)
def granted(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those for whom a die waits."""
    assert isinstance(recorded.event, v.DieGranted)
    holder = recorded.event.holder
    return [Telling(CHOICE, tuple(players_for(state, holder)), ("subject", holder))]
