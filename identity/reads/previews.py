"""For the GM: what the next close of a period would roll for, as marks and ratings now stand."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Literal

import msgspec

from campaigns.audience import Viewer, name_finder
from campaigns.commands.calendar import ends_with, title_of
from campaigns.events import GM
from campaigns.instants import expected
from campaigns.parts.calendar import Calendar
from campaigns.sections import section
from campaigns.state import State
from identity.parts import marks as m
from identity.reads.calendar import zone_on
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp
from rules.refusal import Refused


class PreviewLine(msgspec.Struct, frozen=True, kw_only=True):
    """What the close would do with one marked pair. ``marks`` counts them by side title. ``needed`` is the lowest face
    of a d``die`` that shifts the pair, None where there is no roll or none does; ``chance`` is exact, ``percent`` of it
    rounded down."""

    subject: str
    name: str
    pair: str
    sides: tuple[str, str]
    marks: dict[str, int]
    outcome: str
    toward: str
    remaining: int
    bonus: int
    rating: int | None
    needed: int | None
    die: int
    chance: str
    percent: int


class CardAhead(msgspec.Struct, frozen=True, kw_only=True):
    """What the close would do to a card of a subject: it ``does`` act (by itself, dice not thrown yet), end, or count
    one less until it ends."""

    subject: str
    name: str
    card: str
    does: Literal["acts", "ends", "counts"]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What closing a period would do as things stand; it ends at a midnight of ``zone``.
    ``lapsing`` counts proposals that would go unanswered."""

    rung: str
    number: int
    attempt: int
    title: str
    ends: date | None
    ends_at: datetime | None
    zone: str
    over: bool
    lines: tuple[PreviewLine, ...]
    lapsing: int
    cards: tuple[CardAhead, ...] = ()


def preview(state: State, viewer: Viewer, now: datetime, rung: str = "") -> Preview:
    """What the next close of a rung (default: the first that settles marks) would do. Refused to all but GMs."""
    if viewer.role != GM:
        raise Refused("not_allowed", "The preview of a close is the GM's.", field="actor", right="a GM")
    clock = state.part(Calendar).clock
    settles = section(state, "development", rd.DevelopmentRules)
    rung = rung or (settles[1].cycles[0].settles if settles else next(iter(clock.rungs), ""))
    found = rc.period(clock, rung, clock.closed.get(rung, 0) + 1) if clock.start else None
    if found is None:
        raise Refused("no_such_period", "Nothing closes next.", field="rung", value=rung, right="start the calendar")
    moment = ends_with(state, rung, found.number)
    head = Preview(
        rung=rung,
        number=found.number,
        attempt=rc.next_attempt(clock, rung, found.number),
        title=title_of(state, rung, found.number),
        ends=found.ends,
        ends_at=found.ends_at,
        zone=zone_on(clock, found.ends or found.starts),
        over=found.ends_at is not None and found.ends_at <= now,
        lines=(),
        lapsing=0,
        cards=tuple(CardAhead(**vars(one)) for one in expected(state, [moment])),
    )
    return _with_marks(state, head, found) if settles else head


def _with_marks(state: State, head: Preview, period: rc.Period) -> Preview:
    standing, names = m.standing_of(state), name_finder(state)
    plan = rd.plan_close(standing, period)
    lines = tuple(_line(standing, line, names(line.subject)) for line in plan.lines)
    return msgspec.structs.replace(head, attempt=plan.attempt, lines=lines, lapsing=len(plan.lapsing))


def _line(standing: rd.Standing, line: rd.PlanLine, name: str) -> PreviewLine:
    pair = rp.pair_named(rp.kind_named(standing.pair_rules, line.kind), line.pair)
    titles = {side.id: side.title for side in pair.sides}
    chance = line.chance if line.outcome == "roll" else Fraction(0)
    return PreviewLine(
        subject=line.subject,
        name=name,
        pair=line.pair,
        sides=(pair.sides[0].title, pair.sides[1].title),
        marks={titles[side]: len(ids) for side, ids in line.marks.items()},
        outcome=line.outcome,
        toward=titles.get(line.toward or "", ""),
        remaining=line.remaining,
        bonus=line.bonus,
        rating=line.rating,
        needed=line.needed,
        die=standing.rules.die,
        chance=str(chance),
        percent=int(chance * 100),
    )
