"""Instants of the rules as they come at a table: a period closes, a session or a scene begins or ends, a fight is over.

For every sheet that an instant reaches cards act first, by themselves, then what lasted until then ends. All of it is
recorded in the command that brings the instant about, and falls with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from campaigns.context import Context
from campaigns.events import GM_ONLY, HOLDERS, TABLE, Draft, Draw, Event
from campaigns.packs import Packs
from campaigns.parts import acts as a
from campaigns.parts import sheets as s
from campaigns.parts.subjects import Subjects
from campaigns.registry import Closing
from campaigns.rolling import Faces, as_secret_as_its_card, dice_of, shown_of, subject_of, told_effect
from campaigns.state import State
from rules.dice.sources import DiceSource
from rules.fight import Acted, Ahead, AtTable, Instant, ahead
from rules.packs import Pack
from rules.sheets import Held, Subject
from rules.tests.result import Effect

Roller = Callable[[int], int]
DiceFor = Callable[[str, str], Callable[[str], Roller]]
"""(pack, subject, card) as one label, and the subject -> by audience, a source of faces"""


@dataclass(frozen=True)
class Moment:
    """An instant that comes. ``words`` says on sheets and in the ledger what happened (empty: nobody is to know);
    ``whose`` is the subject whose instant it is, ``reached`` who is reached (None: everybody). Without ``acting``
    things only end."""

    at: str
    words: str
    whose: str = ""
    reached: Collection[str] | None = None
    acting: bool = True
    pack: str = ""
    """the only pack that knows of it; empty: all do"""


@dataclass(frozen=True)
class Bringing:
    """How instants come in one command: the dice, and what is noted on the drafts."""

    dice: DiceFor
    closing: Closing | None = None


def brought(
    state: State,
    moments: Sequence[Moment],
    context: Context,
    *,
    before: Iterable[Draft] = (),
    how: Bringing | None = None,
) -> list[list[Draft]]:
    """For each of the moments, in their order, the drafts of what comes of it. ``before`` is what the command has
    recorded already and the sheets do not show yet."""
    how = how or Bringing(_table_dice(state, context))
    found: list[list[Draft]] = [[] for _ in moments]
    for pack in context.packs.all():
        if any(_heard(state, pack, moment) for moment in moments):
            for drafts, more in zip(found, _of_pack(state, pack, moments, context, list(before), how), strict=True):
                drafts += more
    return found


def _heard(state: State, pack: Pack, moment: Moment) -> bool:
    """Whether anything of the pack waits for it: most of what closes means nothing to any card."""
    if moment.pack not in ("", pack.id):
        return False
    if moment.acting and moment.at in pack.triggers_at:
        return True
    return any(
        held.ends is not None and held.ends.at == moment.at
        for sheets in state.part(s.Sheets).of.values()
        if pack.id in sheets
        for held in sheets[pack.id].held
    )


def _of_pack(  # noqa: PLR0913  (what comes, and what is known)
    state: State, pack: Pack, moments: Sequence[Moment], context: Context, before: list[Draft], how: Bringing
) -> list[list[Draft]]:
    teller = _Teller(state, pack, context, how)
    subjects = after(sheets_of(state, pack), pack, before)
    table = AtTable(pack, subjects, teller.dice_for, teller.card_acted, teller.ended)
    found = []
    for moment in moments:
        teller.begin(moment)
        if not moment.pack or moment.pack == pack.id:
            reached = [name for name in subjects if moment.reached is None or name in moment.reached]
            table.bring(Instant(moment.at, moment.whose), reached, acting=moment.acting)
        found.append(teller.drafts)
    return found


def sheets_of(state: State, pack: Pack) -> dict[str, Subject]:
    """Everybody here whom a pack has sheets for."""
    known = state.part(Subjects).here()
    return {name: subject_of(state, name, pack.id) for name, one in known.items() if one.kind in pack.kinds}


def after(subjects: dict[str, Subject], pack: Pack, drafts: Iterable[Draft]) -> dict[str, Subject]:
    """The subjects with what these drafts change on their sheets."""
    for draft in drafts:
        event = draft.event
        if not isinstance(event, s.SheetChanged | s.CardApplied | s.CardEnded) or event.pack != pack.id:
            continue
        if event.subject in subjects:
            subjects[event.subject] = _changed(subjects[event.subject], event)
    return subjects


def _changed(subject: Subject, event: s.SheetChanged | s.CardApplied | s.CardEnded) -> Subject:
    sheet = s.Sheet(values=dict(subject.values), held=list(subject.held))
    one = s.Sheets(of={event.subject: {event.pack: sheet}})
    s.part.evolvers[type(event)](one, event, 0)
    return msgspec.structs.replace(subject, values=sheet.values, held=sheet.held)


def _table_dice(state: State, context: Context) -> DiceFor:
    """Dice from the running seeds: those of what is hidden from the game master's."""
    known = state.part(Subjects).by_id

    def dice(_label: str, subject: str) -> Callable[[str], Roller]:
        own = "gm" if known[subject].hidden else "table"
        return lambda seen: context.dice(own if seen == "all" else "gm")

    return dice


class _Teller:
    """Makes the drafts of what comes, in its order."""

    def __init__(self, state: State, pack: Pack, context: Context, how: Bringing) -> None:
        self.state, self.pack, self.context, self.how = state, pack, context, how
        self.known = state.part(Subjects).by_id
        self.drafts: list[Draft] = []
        self.moment = Moment("", "")
        self.drawn: dict[bool, list[Draw]] = {}

    def begin(self, moment: Moment) -> None:
        self.moment, self.drafts = moment, []

    def dice_for(self, subject: str, held: Held) -> DiceSource:
        """The dice of a card that is about to act; what is drawn for everybody and for few is noted apart."""
        self.drawn = {True: [], False: []}
        by_audience = self.how.dice(f"{self.pack.id} {self.moment.at} {subject} {held.id}", subject)

        def source(seen: str) -> Roller:
            roller = by_audience(seen)

            def roll(sides: int) -> int:
                face = roller(sides)
                self.drawn[seen == "all"] += self.context.draws()
                return face

            return roll

        return Faces((), (), cache(source))  # a second die of an audience goes on where the first one ended

    def card_acted(self, found: Acted) -> None:
        """A card acted: what it did in words and dice, then what changed."""
        audience = GM_ONLY if found.failed else self._audience(found.subject, found.held)
        told, few = self._event(found), joined(self.drawn[False])
        if audience == GM_ONLY:
            self._add(told, audience, found.subject, dice=(*joined(self.drawn[True]), *few))
        else:
            self._add(told, audience, found.subject, dice=joined(self.drawn[True]))
            if few:
                kept = a.CardRolled(subject=found.subject, title=told.title, dice=told.dice_gm)
                self._add(kept, GM_ONLY, found.subject, dice=few)
        for effect in found.effects:
            self._effect(effect, audience)

    def ended(self, effect: Effect) -> None:
        """What lasted until now ends, or comes nearer to its end."""
        self._effect(effect, TABLE)

    def _audience(self, subject: str, held: Held) -> str:
        """Who may know that a card acts: those who know of the card."""
        unseen = self.state.part(s.Sheets).sheet(subject, self.pack.id).unseen.get(held.id, "all")
        return {"all": TABLE, "holders": HOLDERS, "gm": GM_ONLY}[unseen]

    def _event(self, found: Acted) -> a.CardActed:
        whole = dice_of(found.trace, "gm")[0]
        shown = shown_of(found.trace)
        return a.CardActed(
            subject=found.subject,
            pack=self.pack.id,
            card=found.held.card,
            title=self.pack.card(found.held.card)[1].title,
            at=self.moment.at,
            when=self.moment.words,
            failed=found.failed,
            dice_gm=whole if whole != shown["dice"] else {},
            **shown,
        )

    def _effect(self, effect: Effect, audience: str) -> None:
        known = as_secret_as_its_card(self.state, self.pack, effect)
        told = told_effect(self.pack, known, self.moment.words)
        if told is None:
            return
        event, own, holders = told
        hidden = self.known[effect.subject].hidden
        event = event if hidden else s.known_to(event, audience)
        self._add(event, audience if own == TABLE else own, *holders)

    def _add(self, event: Event, audience: str, *holders: str, dice: tuple[Draw, ...] = ()) -> None:
        closing = self.how.closing
        draft = Draft(event, audience=audience, holders=holders, dice=dice)
        if closing is not None:
            draft = Draft(
                draft.event, audience, holders, happened_at=closing.happened_at, cause=closing.position, dice=dice
            )
        self.drafts.append(draft)


def joined(draws: Iterable[Draw]) -> tuple[Draw, ...]:
    """Unbroken runs of one seed as one entry each."""
    found: list[Draw] = []
    for draw in draws:
        last = found[-1] if found else None
        if last and (last.audience, last.seed, last.first + len(last.faces)) == (draw.audience, draw.seed, draw.first):
            found[-1] = msgspec.structs.replace(
                last, sides=(*last.sides, *draw.sides), faces=(*last.faces, *draw.faces)
            )
        else:
            found.append(draw)
    return tuple(found)


@dataclass(frozen=True)
class Expected:
    """What would come of an instant for one card of a subject: it ``does`` act, end, or count one less."""

    subject: str
    name: str
    card: str
    does: str


def expected(state: State, moments: Sequence[Moment]) -> list[Expected]:
    """For game masters: what these moments would bring as things stand, as far as that hangs on no die."""
    known = state.part(Subjects).by_id
    found: list[Expected] = []
    for pack in Packs(state).all():
        if not any(_heard(state, pack, moment) for moment in moments):
            continue
        subjects = sheets_of(state, pack)
        for moment in moments:
            reached = {n: one for n, one in subjects.items() if moment.reached is None or n in moment.reached}
            found += [_line(pack, known[one.subject].name, one) for one in _ahead(pack, reached, moment)]
    return found


def _ahead(pack: Pack, subjects: Mapping[str, Subject], moment: Moment) -> list[Ahead]:
    return ahead(pack, subjects, [Instant(moment.at, moment.whose)])


def _line(pack: Pack, name: str, one: Ahead) -> Expected:
    return Expected(one.subject, name, pack.card(one.held.card)[1].title, one.does)
