"""Pursuits as one viewer may see them: what is open or proposed, what is due, what was closed, what is to be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from campaigns import registry
from campaigns.audience import Viewer, name_finder, view_event
from campaigns.events import GM, HOLDERS, WATCHER
from campaigns.models import PursuitEnd
from campaigns.packs import Packs
from campaigns.parts import pursuits as p
from campaigns.parts.calendar import Calendar
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.store import read
from rules import pursuits as ru
from rules.creation.build import LEVEL

NEWEST = 20


class PursuitRead(msgspec.Struct, kw_only=True):
    """One that is proposed or open.

    ``owner`` is a subject, empty for the party's; ``state`` is proposed or open. Of a proposal, ``agreed``, ``against``
    and ``asked`` name members: who said yes, who said no, who has said nothing; once all who are still here said yes
    (one who had not has left), whoever says it again opens it. ``stages`` are (words, whether done).
    ``claim`` is what its player says has advanced; ``gives`` what it brings, ``at`` when (advance, stage, resolve).
    ``remark`` (GMs) tells that one more would be more than the pace has it, ``over`` when its weeks are over.
    ``lapsing`` (GMs) names what was given to somebody, was not used yet, and would be gone with what this brings.
    """

    pursuit: str
    kind: str
    title: str
    owner: str
    name: str
    words: str
    state: str
    private: bool
    mine: bool
    agreed: list[str] = []
    against: list[str] = []
    asked: list[str] = []
    stages: list[tuple[str, bool]] = []
    advances: int = 0
    moves: int = 0
    """how often it has moved on: advances and stages done"""
    claim: str = ""
    gives: str = ""
    at: str = ""
    remark: bool = False
    weeks: int = 0
    over: datetime | None = None
    lapsing: list[str] = []
    may_agree: bool = False
    may_end: bool = False

    @property
    def may_stage(self) -> bool:
        """Whether a stage can be done apart: the last one is done by resolving it."""
        return len([None for _, done in self.stages if not done]) > 1


class DueRead(msgspec.Struct):
    """What the party is about to be given; ``held`` while a fight runs."""

    title: str
    reason: str
    held: bool


class ChoiceRead(msgspec.Struct):
    """A choice that waits for the players of a subject, by the rules of ``pack``. ``lapses`` names, where it would be
    gone with the next one, the level of its rules."""

    subject: str
    name: str
    title: str
    since: datetime
    lapses: str = ""
    pack: str = ""


class PastRead(msgspec.Struct):
    """One that was closed: the sentence of the ledger, and when."""

    says: str
    at: datetime
    resolved: bool


class KindRead(msgspec.Struct, kw_only=True):
    """A kind that may be written, for whom: subjects without an open one (empty and ``party``: for all). ``ready`` are
    (subject, name, words) of sheets on which one stands that was never taken up."""

    kind: str
    title: str
    text: str
    party: bool
    owners: list[tuple[str, str]]
    gives: str
    pace: str
    consent: str
    stages: bool
    weeks: bool
    private: bool
    without: list[tuple[str, str]]
    ready: list[tuple[str, str, str]]
    suggestions: list[tuple[str, str]]


class PursuitsRead(msgspec.Struct, kw_only=True):
    """All of it, for one viewer."""

    pursuits: list[PursuitRead] = []
    due: list[DueRead] = []
    choices: list[ChoiceRead] = []
    kinds: list[KindRead] = []
    past: list[PastRead] = []


def pursuits_read(state: State, viewer: Viewer, now: datetime) -> PursuitsRead | None:
    """What the viewer may see; None for watchers and where no pack of the campaign has Pursuits."""
    found = p.pursuit_rules(state)
    if found is None or viewer.role == WATCHER:
        return None
    rules, kept = found[1], p.running_of(state)
    seen = [
        _pursuit(state, rules, viewer, pursuit, one)
        for pursuit, one in kept.pursuits.items()
        if _sees(state, viewer, one) and rules.kind(one.kind) is not None
    ]
    held = any(holds(state) for holds in registry.holding)
    return PursuitsRead(
        pursuits=sorted(seen, key=lambda one: (one.owner != "", not one.mine, one.name, one.words)),
        due=[DueRead(_title(rules, due.kind), due.reason, held) for due in kept.due.values()],
        choices=choices_read(state, viewer),
        kinds=[_kind(state, viewer, kind) for kind in rules.kinds],
        past=_past(state, viewer),
    )


def _sees(state: State, viewer: Viewer, one: ru.Pursuit) -> bool:
    private = p.audience_of(state, one.owner, one.shared) == HOLDERS
    return viewer.role == GM or not private or one.owner in viewer.knows


def _title(rules: ru.PursuitRules, kind: str) -> str:
    found = rules.kind(kind)
    return found.gives.title if found else ""


def _plays(viewer: Viewer, owner: str) -> bool:
    return owner in viewer.knows if owner else True


def _pursuit(state: State, rules: ru.PursuitRules, viewer: Viewer, pursuit: str, one: ru.Pursuit) -> PursuitRead:
    kind, subject = ru.kind_named(rules, one.kind), state.part(Subjects).by_id.get(one.owner)
    members, is_gm = p.company_of(state).members, viewer.role == GM
    voters = {m for m, gm in members.items() if kind.consent == "everyone" or (kind.consent == "gm" and gm)}
    names = {m: state.part(Table).members[m].name for m in {*voters, *one.consents} if m in state.part(Table).members}
    proposed, agreed = not one.open, {m for m in voters if one.consents.get(m)}
    mine = _plays(viewer, one.owner)
    return PursuitRead(
        pursuit=pursuit,
        kind=one.kind,
        title=kind.title,
        owner=one.owner,
        name=subject.name if subject else "",
        words=one.words,
        state="proposed" if proposed else "open",
        private=p.audience_of(state, one.owner, one.shared) == HOLDERS,
        mine=mine and not is_gm,
        agreed=[names[m] for m, yes in one.consents.items() if yes and m in names],
        against=[names[m] for m, yes in one.consents.items() if not yes and m in voters & names.keys()],
        asked=sorted(names[m] for m in voters - one.consents.keys()) if proposed else [],
        stages=[(words, place < one.done) for place, words in enumerate(one.stages)],
        advances=one.advances,
        moves=one.moves,
        claim=one.claim,
        gives=kind.gives.title,
        at=kind.paced().gives,
        remark=is_gm and ru.counted(state.part(p.Pursuits).kept, kind, one.owner)[1],
        weeks=one.weeks,
        over=ru.ripe_at(one, state.part(Calendar).clock) if kind.by_calendar else None,
        lapsing=_lapsing(state, kind, one) if is_gm and one.open else [],
        may_agree=proposed and viewer.member in voters and (viewer.member not in agreed or agreed == voters),
        may_end=is_gm or (mine and (bool(one.owner) or (proposed and viewer.member == one.writer))),
    )


def _lapsing(state: State, kind: ru.PursuitKind, one: ru.Pursuit) -> list[str]:
    """What a level that a Pursuit brings would take from those who come to it."""
    found = p.pursuit_rules(state)
    if found is None or kind.gives.grant != LEVEL:
        return []
    subjects = state.part(Subjects).by_id
    those = {one.owner} if one.owner else set(p.party_of(state, found[0], kind))
    return [
        f"{subjects[choice.subject].name}: {choice.title}"
        for choice in registry.choices_of(state)
        if choice.lapses and choice.pack == found[0] and choice.subject in those
    ]


def _kind(state: State, viewer: Viewer, kind: ru.PursuitKind) -> KindRead:
    subjects, kept = state.part(Subjects).here(), state.part(p.Pursuits).kept
    of_kind = [i for i, s in subjects.items() if s.kind in kind.kinds and (viewer.role == GM or i in viewer.knows)]
    open_ones = [one.owner for one in kept.pursuits.values() if one.kind == kind.id and one.open]
    free = [i for i in of_kind if not kind.open or open_ones.count(i) < kind.open]
    party = kind.owner == "party"
    may_award = viewer.role == GM and kind.without == "gm_award" and not party
    return KindRead(
        kind=kind.id,
        title=kind.title,
        text=kind.text,
        party=party and (not kind.open or open_ones.count("") < kind.open),
        owners=[] if party else [(i, subjects[i].name) for i in free],
        gives=kind.gives.title,
        pace=kind.paced().title,
        consent=kind.consent,
        stages=any(pace.gives == "stage" for pace in kind.paces),
        weeks=kind.by_calendar,
        private=kind.seen == "holders",
        without=[(i, subjects[i].name) for i in of_kind if i not in open_ones] if may_award else [],
        ready=_ready(state, kind, free),
        suggestions=[(one.of, one.text) for one in kind.suggestions],
    )


def _ready(state: State, kind: ru.PursuitKind, free: list[str]) -> list[tuple[str, str, str]]:
    found = p.pursuit_rules(state)
    if found is None or not kind.stat:
        return []
    sheets, subjects = state.part(Sheets), state.part(Subjects).by_id
    kept = [(i, subjects[i].name, sheets.sheet(i, found[0]).values.get(kind.stat, "")) for i in free]
    return [one for one in kept if one[2]]


def choices_read(state: State, viewer: Viewer) -> list[ChoiceRead]:
    """What is still to be chosen, by the viewer's own subjects; a GM sees everybody's."""
    subjects = state.part(Subjects).by_id
    return [
        ChoiceRead(one.subject, subjects[one.subject].name, one.title, one.since, one.lapses, one.pack)
        for one in registry.choices_of(state)
        if one.subject in subjects and (viewer.role == GM or one.subject in viewer.knows)
    ]


def inputs_of(state: State, kind: str) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """(name, title, options) of what has to be settled when one of a kind is written."""
    found = p.pursuit_rules(state)
    plan = found[1].kind(kind) if found else None
    if found is None or plan is None or not plan.gives.test:
        return
    pack = Packs(state).get(found[0])
    specs: Any = pack.test(plan.gives.test).spec.inputs
    for name in plan.gives.inputs:
        spec = specs[name]
        options = list(spec.titles().items())
        if spec.card:
            options = [(card, one.title) for card, one in pack.cards[spec.card].items()]
        yield name, spec.title or name.replace("_", " ").capitalize(), options


def _past(state: State, viewer: Viewer) -> list[PastRead]:
    """The newest that were closed, as the ledger tells them to the viewer."""
    ends = PursuitEnd.objects.filter(campaign_id=viewer.campaign_id, position__lte=state.position)
    positions = list(ends.order_by("-position").values_list("position", flat=True)[: 3 * NEWEST])
    names, past = name_finder(state), []
    for event in reversed(read.events_at(viewer.campaign_id, positions)):
        view = view_event(event, viewer, names)
        if view is not None:
            resolved = isinstance(event.event, p.PursuitResolved)
            past.append(PastRead(view["says"], event.happened_at or event.recorded_at, resolved))
    return past[:NEWEST]
