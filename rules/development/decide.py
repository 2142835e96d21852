"""What becomes of a command about development: the events it makes, or why it is refused."""

import copy
import datetime as dt
from typing import Any

import msgspec

from rules.calendar import ClosePeriod, period, week_at, zone_at
from rules.calendar import decide as decide_calendar
from rules.calendar.events import PeriodClosed
from rules.dates import time_said
from rules.development.commands import AwardMark, DeclineProposal, DevelopmentCommand, RollAdvancement, VoidMark
from rules.development.events import AdvancementRolled, DevelopmentEvent, SubjectSettled
from rules.development.evolve import evolve, evolve_pairs
from rules.development.marking import By, award, decline, void
from rules.development.plan import ClosePlan, line_of_roll, plan_close
from rules.development.settling import Dice, resolve_close, resolve_line
from rules.development.state import OpenRoll, Standing
from rules.refusal import Refused


def decide(
    standing: Standing, command: DevelopmentCommand, now: dt.datetime, by: By, dice: Dice
) -> list[DevelopmentEvent]:
    """The events of one command by a game master, whoever plays the holder, or the server. Raises `Refused`."""
    if isinstance(command, AwardMark):
        return [award(standing, command, now, by)]
    if isinstance(command, DeclineProposal):
        return [decline(standing, command)]
    if isinstance(command, VoidMark):
        return [void(standing, command)]
    return [roll_open(standing, command, now, by, dice)]


def close_period(
    standing: Standing, command: ClosePeriod, now: dt.datetime, dice: Dice
) -> list[AdvancementRolled | PeriodClosed | SubjectSettled]:
    """Close a period of the calendar together with all it settles; one list, to be stored whole or not at all.

    Rolls still open from an earlier period of the same rung come first, in their players' stead, so that periods are
    settled in order.
    """
    closed = decide_calendar(standing.calendar_rules, standing.calendar, command, now)
    left = [roll for roll in standing.marks.open_rolls.values() if roll.rung == command.rung]
    events: list[Any] = []
    for roll in left:
        events.append(_roll(standing, roll, dice, by="server"))
        standing = after(standing, events[-1])
    found = period(standing.calendar, command.rung, command.number)
    assert found is not None
    return [*events, *closed, *resolve_close(standing, plan_close(standing, found), dice, now)]


def roll_open(standing: Standing, command: RollAdvancement, now: dt.datetime, by: By, dice: Dice) -> AdvancementRolled:
    """One open roll: by the holder's player at any time, by the server once the grace is over (SPI-107)."""
    roll = standing.marks.open_rolls.get(command.roll)
    if roll is None:
        raise Refused(
            "no_such_roll",
            "That roll is not open.",
            field="roll",
            value=command.roll,
            right="an open roll of the subject",
        )
    if by == "gm" or (by == "server" and now < roll.until):
        here = roll.until.astimezone(zone_at(standing.calendar, max(week_at(standing.calendar, roll.until), 0)))
        right = f"wait until {time_said(here)}"
        raise Refused("player_rolls", "The holder's player rolls.", field="roll", right=right)
    return _roll(standing, roll, dice, by)


def rolls_due(standing: Standing, now: dt.datetime) -> list[RollAdvancement]:
    """Commands for the server: the open rolls whose grace is over."""
    return [RollAdvancement(roll=roll.key) for roll in standing.marks.open_rolls.values() if roll.until <= now]


def after(standing: Standing, event: Any) -> Standing:
    """A standing in which an event of development has happened, for looking ahead; the given one is unchanged."""
    pairs, marks = copy.deepcopy(standing.pairs), copy.deepcopy(standing.marks)
    evolve(marks, event)
    evolve_pairs(pairs, event)
    return msgspec.structs.replace(standing, pairs=pairs, marks=marks)


def _roll(standing: Standing, roll: OpenRoll, dice: Dice, by: By) -> AdvancementRolled:
    found = period(standing.calendar, roll.rung, roll.number)
    assert found is not None
    plan = ClosePlan(
        rung=roll.rung, number=roll.number, attempt=roll.attempt, name="", period=found, lines=(), lapsing=()
    )
    return AdvancementRolled(
        roll=roll.key,
        subject=roll.subject,
        kind=roll.kind,
        rung=roll.rung,
        number=roll.number,
        attempt=roll.attempt,
        result=resolve_line(standing, plan, line_of_roll(standing, roll), dice),
        by="holder" if by == "holder" else "server",
        in_stead=by != "holder",
    )
