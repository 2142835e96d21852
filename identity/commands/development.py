"""What a close makes of marks, and the rolls that it leaves to players. Ledger: SPI-058, 096 to 107, 131 to 137."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from campaigns.commands.calendar import dice_of, title_of
from campaigns.commands.subjects import known
from campaigns.context import Context
from campaigns.events import ALL, Draft, Draw
from campaigns.job_ids import job_id
from campaigns.parts.calendar import typed
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.registry import Closing, Command, Duty, closes, decides, does_due, holds_seed
from campaigns.sections import section
from campaigns.state import State
from identity.parts import marks as m
from identity.parts import pairs as p
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp
from rules.refusal import Refused

# Setting of a campaign: whether watchers learn which sides rose at a close.
PUBLISH = "publish_seasons"
Thrown = dict[str, list[Draw]]


class RollAdvancement(Command):
    """Makes one open advancement roll, by its key."""

    roll: str


@closes
def settle(state: State, closing: Closing, context: Context) -> list[Draft]:
    """One event a subject with marks in the period, holding every roll and shift, and one of what others may know."""
    if section(state, "development", rd.DevelopmentRules) is None or section(state, "pairs", rp.PairRules) is None:
        return []
    thrown: Thrown = defaultdict(list)
    command = rc.ClosePeriod(rung=closing.rung, number=closing.number, attempt=closing.attempt)
    die = _die(state, thrown, context)
    drafts: list[Draft] = []
    title = title_of(state, closing.rung, closing.number)
    for event in rd.close_period(m.standing_of(state), command, context.now, die):
        if isinstance(event, rd.SubjectSettled):
            drafts += _settled(state, event, closing, title, tuple(thrown.pop(event.subject, ())))
        elif isinstance(event, rd.AdvancementRolled):
            drafts += _rolled(state, event, tuple(thrown.pop(event.subject, ())), closing.position, closing.happened_at)
    return drafts


def _die(state: State, thrown: Thrown, context: Context) -> rd.Dice:
    """Dice that follow from period, subject and pair; what was drawn for whom is kept in ``thrown``."""

    periods: dict[str, Callable[[str], Callable[[int], int]]] = {}

    def roll(key: rd.FaceKey) -> int:
        if key.period not in periods:
            rung, _, number = key.period.partition(":")
            periods[key.period] = dice_of(state, rung, int(number), context)
        face = periods[key.period](f"{key.subject} {key.pair}")(key.faces)
        thrown[key.subject] += context.draws()
        return face

    return roll


def _settled(
    state: State, event: rd.SubjectSettled, closing: Closing, title: str, dice: tuple[Draw, ...]
) -> list[Draft]:
    kept = state.part(m.Marks).kept.marks
    ids = [
        i for result in event.results for i in (*(i for side in result.marks.values() for i in side), *result.surplus)
    ]
    told = typed(event, m.SubjectSettled, title=title, marks=tuple(kept[i] for i in ids))
    own = Draft(
        told,
        audience=p.audience_of(state, event.subject),
        holders=(event.subject,),
        happened_at=closing.happened_at,
        cause=closing.position,
        dice=dice,
    )
    return [own, *_shown(state, event, event.results, title, closing.position, closing.happened_at)]


def _rolled(
    state: State, event: rd.AdvancementRolled, dice: tuple[Draw, ...], cause: int | None, happened_at: datetime | None
) -> list[Draft]:
    own = Draft(
        typed(event, m.AdvancementRolled),
        audience=p.audience_of(state, event.subject),
        holders=(event.subject,),
        happened_at=happened_at,
        cause=cause,
        dice=dice,
    )
    title = title_of(state, event.rung, event.number)
    return [own, *_shown(state, event, (event.result,), title, cause, happened_at)]


def _shown(
    state: State,
    event: rd.SubjectSettled | rd.AdvancementRolled,
    results: tuple[rd.PairResult, ...],
    title: str,
    cause: int | None,
    happened_at: datetime | None,
) -> list[Draft]:
    """What those who see neither marks nor ratings learn; nothing where nothing rose."""
    rules = p.pair_rules(state)
    rose = tuple(m.side_title(rules, event.kind, r.toward) for r in results if r.shifted and r.toward)
    if not rose:
        return []
    told = m.DevelopmentShown(
        subject=event.subject,
        rung=event.rung,
        number=event.number,
        title=title,
        rose=rose,
    )
    audience = p.table_audience(state, event.subject)
    if audience == "table" and state.part(Table).setting(PUBLISH, False):
        audience = ALL
    return [Draft(told, audience=audience, holders=(event.subject,), happened_at=happened_at, cause=cause)]


@decides(RollAdvancement, "development.roll", roles=["player", "gm"], title="Making an advancement roll")
def roll_advancement(state: State, command: RollAdvancement, context: Context) -> list[Draft]:
    """By whoever plays the subject; by the GM where nobody does; by the job when the players' days are over."""
    standing = m.standing_of(state)
    waiting = standing.marks.open_rolls.get(command.roll)
    by: rd.By = "server"
    if context.role != "job":
        subject = state.part(Subjects).by_id.get(waiting.subject) if waiting else None
        if waiting is None or subject is None or not (context.is_gm or context.member in subject.players):
            raise Refused(
                "no_such_roll",
                "That roll is not open.",
                field="roll",
                value=command.roll,
                right="an open roll of yours",
            )
        known(state, waiting.subject, context, field="roll")
        by = "holder" if context.member in subject.players or not subject.players else "gm"
    thrown: Thrown = defaultdict(list)
    die = _die(state, thrown, context)
    event = rd.decide(standing, rd.RollAdvancement(roll=command.roll), context.now, by, die)[0]
    assert isinstance(event, rd.AdvancementRolled)
    return _rolled(state, event, tuple(thrown[event.subject]), None, None)


def roll_id(campaign_id: UUID, roll: rd.OpenRoll) -> UUID:
    """The command id of an open roll made by the job."""
    return job_id(campaign_id, f"roll {roll.key}:{roll.attempt}")


@does_due
def due_rolls(state: State, campaign_id: UUID, now: datetime) -> list[Duty]:
    """The open rolls whose days are over."""
    waiting = m.here_of(state).open_rolls
    return [
        (RollAdvancement(roll=roll.key), roll_id(campaign_id, roll)) for roll in waiting.values() if roll.until <= now
    ]


@holds_seed
def seed_needed(state: State, rung: str, number: int) -> bool:
    """Whether rolls of a period's close are still to be made."""
    waiting = state.part(m.Marks).kept.open_rolls
    return any((roll.rung, roll.number) == (rung, number) for roll in waiting.values())
