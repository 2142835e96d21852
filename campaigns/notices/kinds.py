"""What members are told of the events of `campaigns`, and whom each concerns."""

from __future__ import annotations

from collections.abc import Iterable

from campaigns.events import GM, Recorded
from campaigns.parts import calls as c
from campaigns.parts import pursuits as pu
from campaigns.parts.affiliations import players_for
from campaigns.parts.calendar import Calendar, PeriodClosed
from campaigns.parts.growth import GrowthAwarded, GrowthLevelled
from campaigns.parts.notices import HookTested
from campaigns.parts.pursuits import ChoiceReminded
from campaigns.parts.table import MemberJoined, Table
from campaigns.registry import Telling, notice_kind, tells
from campaigns.state import State

TEST = notice_kind("test", "A test is called of somebody you play")
CHOICE = notice_kind("choice", "A choice or a roll waits for you")
SEASON = notice_kind("season", "A season or a longer period has closed, with its report")
WEEK = notice_kind("week", "A week has closed")
MARK = notice_kind("mark", "A mark is awarded to somebody you play, or a proposal answered")
ASKED = notice_kind("asked", "Something waits for the game master's word")
PURSUIT = notice_kind("pursuit", "The table is asked to agree, or something is given for a Pursuit")
JOINED = notice_kind("joined", "An invitation is accepted")


def gms(state: State) -> tuple[str, ...]:
    """The members who run the campaign."""
    return tuple(i for i, member in state.part(Table).members.items() if member.role == GM)


def seated(state: State) -> tuple[str, ...]:
    """Everybody who has a seat."""
    return tuple(i for i, member in state.part(Table).members.items() if member.role)


@tells(c.TestCalled)
def called(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those who roll and those who play its subjects; one that waits for the GM's word is the GMs'."""
    event = recorded.event
    assert isinstance(event, c.TestCalled)
    page = ("test", event.call)
    if event.quiet:
        return []
    if event.state == "awaiting_gm":
        return [Telling(ASKED, gms(state), page)]
    players = [player for subject in event.roles.values() for player in players_for(state, subject)]
    return [Telling(TEST, tuple(dict.fromkeys([*event.rollers, *players])), page)]


@tells(c.TestAgreed)
def agreed(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those who roll it."""
    assert isinstance(recorded.event, c.TestAgreed)
    call = state.part(c.Calls).open.get(recorded.event.call)
    return [Telling(TEST, tuple(call.rollers), ("test", recorded.event.call))] if call else []


@tells(c.TestAssigned)
def assigned(_state: State, recorded: Recorded) -> Iterable[Telling]:
    """Whoever is to roll."""
    assert isinstance(recorded.event, c.TestAssigned)
    return [Telling(TEST, (recorded.event.roller,), ("test", recorded.event.call))]


@tells(c.TestDropped)
def dropped(state: State, recorded: Recorded) -> Iterable[Telling]:
    """The GMs, where somebody else dropped what one of them called: it may have to be decided otherwise."""
    assert isinstance(recorded.event, c.TestDropped)
    return [Telling(ASKED, gms(state), ("test", recorded.event.call))] if recorded.event.by else []


@tells(c.TestAdvanced)
def advanced(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those whose choice the dice wait for; nobody named means the GM."""
    assert isinstance(recorded.event, c.TestAdvanced)
    return [Telling(CHOICE, tuple(recorded.event.ask_of) or gms(state), ("test", recorded.event.call))]


@tells(HookTested)
def tried(_state: State, recorded: Recorded) -> Iterable[Telling]:
    """The webhook alone."""
    assert isinstance(recorded.event, HookTested)
    return [Telling("trial", hook=recorded.event.hook)]


@tells(MemberJoined)
def joined(state: State, recorded: Recorded) -> Iterable[Telling]:
    """The GMs, of those who came by a link."""
    assert isinstance(recorded.event, MemberJoined)
    return [Telling(JOINED, gms(state), ("people",))] if recorded.event.link else []


@tells(PeriodClosed)
def closed(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Everybody."""
    event = recorded.event
    assert isinstance(event, PeriodClosed)
    shortest = event.rung == state.part(Calendar).clock.rungs[0]
    return [Telling(WEEK if shortest else SEASON, seated(state), ("report", event.rung, str(event.number)))]


@tells(pu.PursuitWritten, pu.PursuitReworded)
def proposed(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those whose consent it takes and who have not given it."""
    event = recorded.event
    assert isinstance(event, pu.PursuitWritten | pu.PursuitReworded)
    found, rules = state.part(pu.Pursuits).kept.pursuits.get(event.pursuit), pu.pursuit_rules(state)
    kind = rules[1].kind(event.kind) if rules else None
    if found is None or kind is None or found.open:
        return []
    members = pu.company_of(state).members
    asked = [m for m, is_gm in members.items() if m not in found.consents and (kind.consent == "everyone" or is_gm)]
    return [Telling(PURSUIT, tuple(asked), ("pursuits",))]


@tells(pu.AdvanceClaimed)
def claimed(state: State, _recorded: Recorded) -> Iterable[Telling]:
    """The GMs."""
    return [Telling(ASKED, gms(state), ("pursuits",))]


@tells(pu.AwardGiven)
def given(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those who play whom it is given to, where nothing else tells them what it brought."""
    assert isinstance(recorded.event, pu.AwardGiven)
    rules = pu.pursuit_rules(state)
    kind = rules[1].kind(recorded.event.kind) if rules else None
    if kind is None or kind.gives.grant:
        return []
    players = [player for subject in recorded.event.subjects for player in players_for(state, subject)]
    return [Telling(PURSUIT, tuple(dict.fromkeys(players)), ("pursuits",))]


@tells(GrowthAwarded, GrowthLevelled, ChoiceReminded)
def grown(state: State, recorded: Recorded) -> Iterable[Telling]:
    """Those who play the subject: something was given, and perhaps waits for their choice."""
    event = recorded.event
    assert isinstance(event, GrowthAwarded | GrowthLevelled | ChoiceReminded)
    return [Telling(CHOICE, tuple(players_for(state, event.subject)), ("subject", event.subject))]
