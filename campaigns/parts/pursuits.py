"""Pursuits of the campaign's subjects and of its party, and what is given for them. Arithmetic is `rules.pursuits`.

A Pursuit that its pack keeps private is its holders' and the GM's until its player shares it; a party's is the table's.
"""

# Event bodies stand on the frozen structs of the pure rules; only the type checker minds that their base is not frozen.
# mypy: disable-error-code="misc"

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from campaigns import registry
from campaigns.events import (
    EVERY_FIELD,
    GM,
    HOLDERS,
    PLAYER,
    TABLE,
    Data,
    Event,
    Names,
    event_type,
    falls_with_cause,
    in_story,
)
from campaigns.parts.calendar import CLOCK_EVENTS, Calendar
from campaigns.parts.containers import SESSION, ContainerOpened
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import SubjectBroughtBack, SubjectPutAway, Subjects
from campaigns.parts.table import Table
from campaigns.sections import section
from campaigns.state import State
from rules import pursuits as ru


class Pursuits(msgspec.Struct):
    """Part of the state: what `rules.pursuits` keeps; and by subject, how often and when last its players were reminded
    of choices."""

    kept: ru.PursuitsState = msgspec.field(default_factory=ru.PursuitsState)
    reminded: dict[str, tuple[int, datetime]] = {}


part = registry.part("pursuits", Pursuits)
OPEN_TO: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, PLAYER: EVERY_FIELD}
# How often something was given in a session is the GM's to weigh.
_MOVED = ("pursuit", "kind", "owner", "words", "note", "award", "at")


def _whose(d: Data, names: Names) -> str:
    return names(d["owner"]) if d["owner"] else "The party"


def _written_said(d: Data, names: Names) -> str:
    verb = "set out" if d["open"] else "might set out"
    return f"{_whose(d, names)} {verb}: “{d['words']}”"


@in_story
@event_type("pursuit.written", shows=OPEN_TO, says=_written_said)
class PursuitWritten(Event, ru.PursuitWritten, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A Pursuit was written; a proposal where it takes consent."""


@event_type(
    "pursuit.agreed",
    shows=OPEN_TO,
    says=lambda d, names: f"{names(d['member'])} {'agrees' if d['agrees'] else 'does not agree'}.",
)
class PursuitAgreed(Event, ru.PursuitAgreed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A member said yes or no to a proposal."""


@in_story
@in_story
@event_type(
    "pursuit.opened", shows=OPEN_TO, says=lambda d, names: f"{_whose(d, names)} set out, agreed: “{d['words']}”"
)
class PursuitOpened(Event, ru.PursuitOpened, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Everybody whose consent it takes has agreed."""


@event_type("pursuit.reworded", shows=OPEN_TO, says=lambda d, names: f"{_whose(d, names)} now: “{d['words']}”")
class PursuitReworded(Event, ru.PursuitReworded, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """It has other words, or other stages."""


@in_story
@event_type(
    "pursuit.shared",
    shows=OPEN_TO,
    says=lambda d, names: f"{_whose(d, names)} shares: “{d['words']}”",
    reveals=True,
)
class PursuitShared(Event, ru.PursuitShared, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The table may read it from now on."""


@event_type(
    "pursuit.advance_claimed", shows=OPEN_TO, says=lambda d, names: f"{_whose(d, names)}, a step closer? {d['note']}"
)
class AdvanceClaimed(Event, ru.AdvanceClaimed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Its player says that it advanced; the GM answers."""


@event_type(
    "pursuit.advance_declined",
    shows=OPEN_TO,
    says=lambda d, names: f"{_whose(d, names)}: no step closer yet" + (f" ({d['reason']})." if d["reason"] else "."),
)
class AdvanceDeclined(Event, ru.AdvanceDeclined, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """It did not advance, or its player took the word back."""


def _noted(d: Data) -> str:
    return f" {d['note']}" if d.get("note") else ""


@in_story
@in_story
@event_type(
    "pursuit.advanced",
    shows={GM: EVERY_FIELD, PLAYER: _MOVED},
    says=lambda d, names: f"{_whose(d, names)} came a step closer: “{d['words']}”{_noted(d)}",
)
class PursuitAdvanced(Event, ru.PursuitAdvanced, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """It advanced in earnest."""


@in_story
@in_story
@event_type(
    "pursuit.stage",
    shows=OPEN_TO,
    says=lambda d, names: f"{_whose(d, names)} has stage {d['number']} done: {d['words']}.{_noted(d)}",
)
class StageCompleted(Event, ru.StageCompleted, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A stage of it is done."""


@event_type(
    "pursuit.ripened",
    shows=OPEN_TO,
    says=lambda d, names: f"The weeks are over for {_whose(d, names)}.",
    stays="The weeks are over; a GM resolves it, or gives it up.",
    rides=True,
)
class PursuitRipened(Event, ru.PursuitRipened, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The weeks that it takes are over. It stays when the resolution is taken back: no job resolves it again."""


@in_story
@in_story
@event_type(
    "pursuit.resolved",
    shows={GM: EVERY_FIELD, PLAYER: _MOVED},
    says=lambda d, names: f"{_whose(d, names)} resolved it: “{d['words']}”{_noted(d)}",
)
class PursuitResolved(Event, ru.PursuitResolved, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """It is closed: reached, or settled otherwise."""


@in_story
@in_story
@event_type(
    "pursuit.abandoned",
    shows=OPEN_TO,
    says=lambda d, names: (
        f"{_whose(d, names)} let go of “{d['words']}”" + (f" ({d['reason']})." if d["reason"] else ".")
    ),
)
class PursuitAbandoned(Event, ru.PursuitAbandoned, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """It is closed: given up, or never agreed to."""


@event_type(
    "pursuit.awarded_without", shows=OPEN_TO, says=lambda d, names: f"{_whose(d, names)}, without one: {d['reason']}"
)
class AwardedWithout(Event, ru.AwardedWithout, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A GM gives something to one who has no Pursuit open."""


def _given_said(d: Data, names: Names) -> str:
    got = [names(subject) for subject in d["subjects"] if subject not in d["withheld"]]
    who = " and ".join(filter(None, (", ".join(got[:-1]), *got[-1:])))
    said = [f"{who} {'get' if len(got) > 1 else 'gets'} {d['title']}."] if got else []
    return " ".join([*said, *(f"{names(subject)}: {why}" for subject, why in d["withheld"].items())])


@in_story
@falls_with_cause("It is taken back along with what it was given for.")
@event_type("pursuit.given", shows=OPEN_TO, says=_given_said)
class AwardGiven(Event, kw_only=True, frozen=True):
    """An award, which people call ``title``, was given to ``subjects``; ``withheld`` says who got nothing, and why."""

    award: str
    pursuit: str
    kind: str
    title: str
    subjects: tuple[str, ...]
    withheld: dict[str, str] = {}


@event_type(
    "choice.reminded",
    shows=OPEN_TO,
    says=lambda d, names: f"{names(d['subject'])} still has to choose: {', '.join(d['titles'])}.",
    stays="A reminder was sent or was not.",
    rides=True,
)
class ChoiceReminded(Event, kw_only=True, frozen=True):
    """The players of a subject are reminded, for the ``number``-th time, of choices (``titles``) still to be made."""

    subject: str
    number: int
    titles: tuple[str, ...]
    at: datetime


BODIES: dict[type, type[Event]] = {
    getattr(ru, body.__name__): body
    for body in (
        PursuitWritten,
        PursuitAgreed,
        PursuitOpened,
        PursuitReworded,
        PursuitShared,
        AdvanceClaimed,
        AdvanceDeclined,
        PursuitAdvanced,
        StageCompleted,
        PursuitRipened,
        PursuitResolved,
        PursuitAbandoned,
        AwardedWithout,
    )
}


@part.evolves(*BODIES.values())
def _evolve(pursuits: Pursuits, event: Event, position: int) -> None:
    ru.evolve(pursuits.kept, event, position)


@part.evolves(AwardGiven)
def _given(pursuits: Pursuits, event: AwardGiven, _position: int) -> None:
    ru.award_given(pursuits.kept, event.award)


@part.evolves(ContainerOpened)
def _session(pursuits: Pursuits, event: ContainerOpened, _position: int) -> None:
    if event.kind == SESSION:
        ru.session_began(pursuits.kept)


@part.evolves(ChoiceReminded)
def _reminded(pursuits: Pursuits, event: ChoiceReminded, _position: int) -> None:
    pursuits.reminded[event.subject] = (event.number, event.at)


def pursuit_rules(state: State) -> tuple[str, ru.PursuitRules] | None:
    """(pack id, rules) of the first of the campaign's packs that has Pursuits."""
    return section(state, "pursuits", ru.PursuitRules)


def company_of(state: State) -> ru.Company:
    """Those whose consent counts, and the subjects there are."""
    members, subjects = state.part(Table).members, state.part(Subjects).by_id
    return ru.Company(
        members={i: m.role == GM for i, m in members.items() if m.role in (GM, PLAYER)},
        subjects={i: s.kind for i, s in subjects.items() if not s.away},
    )


def party_of(state: State, pack: str, kind: ru.PursuitKind) -> tuple[str, ...]:
    """The subjects that are the party: those of its kinds that players play by this pack and the table knows."""
    subjects, sheets = state.part(Subjects).by_id, state.part(Sheets)
    able = (i for i, s in subjects.items() if s.kind in kind.kinds and s.players and not s.hidden and not s.away)
    return tuple(subject for subject in able if sheets.begun(subject, pack))


def running_of(state: State) -> ru.PursuitsState:
    """The Pursuits without those of subjects that were put away, which rest until they are back."""
    kept, subjects = state.part(Pursuits).kept, state.part(Subjects)
    away = {i for i, one in kept.pursuits.items() if one.owner and not subjects.is_here(one.owner)}
    if not away:
        return kept
    return msgspec.structs.replace(kept, pursuits={i: one for i, one in kept.pursuits.items() if i not in away})


def audience_of(state: State, owner: str, shared: bool) -> str:
    """Who may know of a Pursuit: a private one's holders and the GM, else the table; of a hidden subject the GM and its
    own players."""
    subject = state.part(Subjects).by_id.get(owner) if owner else None
    return HOLDERS if subject is not None and (subject.hidden or not shared) else TABLE


@registry.falls_due(*BODIES.values(), AwardGiven, SubjectPutAway, SubjectBroughtBack, *CLOCK_EVENTS)
def awards_due_at(state: State) -> datetime | None:
    """When the job has something to give, or a Pursuit whose weeks are over."""
    found, kept = pursuit_rules(state), state.part(Pursuits).kept
    if found is None:
        return None
    ripe = ru.next_ripe(found[1], running_of(state), state.part(Calendar).clock)
    dues = [due.at for due in kept.due.values()] if not any(holds(state) for holds in registry.holding) else []
    return min([*dues, *([ripe[0]] if ripe else [])], default=None)


@registry.falls_due(ChoiceReminded)
def reminders_due_at(state: State) -> datetime | None:
    """When players are next reminded of a choice."""
    return min((at for at, _, _ in reminders(state)), default=None)


def reminders(state: State) -> list[tuple[datetime, str, list[registry.Choice]]]:
    """(when, subject, its choices) of the subjects whose players have still to choose."""
    found = pursuit_rules(state)
    if found is None or not found[1].remind_days:
        return []
    pause = timedelta(days=found[1].remind_days)
    by_subject: dict[str, list[registry.Choice]] = {}
    for choice in registry.choices_of(state):
        by_subject.setdefault(choice.subject, []).append(choice)
    last = state.part(Pursuits).reminded
    return [
        (max([choices[0].since, *([last[subject][1]] if subject in last else [])]) + pause, subject, choices)
        for subject, choices in by_subject.items()
    ]
