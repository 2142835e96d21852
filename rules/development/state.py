"""Marks that wait to be settled, proposals that wait for an answer, rolls that wait for a player."""

import datetime as dt

import msgspec

from rules.calendar import CalendarRules, CalendarState
from rules.development.rules import DevelopmentRules
from rules.pairs import PairRules, PairsState


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A mark, or the proposal of one: on `side` (short) of `pair` of a subject, for conduct at instant `at`.

    `sealed`: the holder's players do not know of it before it is settled.
    """

    id: str
    subject: str
    kind: str
    pair: str
    side: str
    at: dt.datetime
    sealed: bool = False
    source: str = ""
    note: str = ""


class OpenRoll(msgspec.Struct, frozen=True, kw_only=True):
    """An advancement roll that its player may make until `until`. `toward` is the marked side (short)."""

    subject: str
    kind: str
    pair: str
    rung: str
    number: int
    attempt: int
    toward: str
    remaining: int
    until: dt.datetime

    @property
    def key(self) -> str:
        """The roll's name within its campaign."""
        return roll_key(self.rung, self.number, self.subject, self.pair)


class MarksState(msgspec.Struct, kw_only=True):
    """What is unsettled. Marks and proposals by id, in the order they were recorded; open rolls by key."""

    marks: dict[str, Mark] = {}
    proposals: dict[str, Mark] = {}
    open_rolls: dict[str, OpenRoll] = {}


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """All that development reads: the rules, and how calendar, pairs and marks stand. It changes none of them."""

    rules: DevelopmentRules
    calendar_rules: CalendarRules
    pair_rules: PairRules
    calendar: CalendarState
    pairs: PairsState
    marks: MarksState


def roll_key(rung: str, number: int, subject: str, pair: str) -> str:
    """The name of one advancement roll within its campaign, such as `season:3:talyne:bold_cautious`."""
    return f"{rung}:{number}:{subject}:{pair}"
