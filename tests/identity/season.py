"""A season to test in: a table whose calendar runs, a character and a house, and time that can be travelled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import time_machine

from campaigns.commands import calendar as c
from campaigns.commands.subjects import CreateSubject
from campaigns.entrance import Answer
from campaigns.events import Recorded
from campaigns.feed import newer
from campaigns.store import read, states
from campaigns.tasks import do_all
from identity.commands import marks as mk
from identity.commands import pairs as pr
from rules import pairs as rp
from tests.campaigns.tables import Table, make_table

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@contextmanager
def at(*parts: int) -> Iterator[datetime]:
    """Time stands still at this UTC instant."""
    now = utc(*parts)
    with time_machine.travel(now, tick=False):
        yield now


@dataclass
class Season:
    """A table with a running calendar; ``talyne`` is Pia's character, ``house`` is played by Paul."""

    table: Table
    talyne: str
    house: str

    def send(self, who: str, command: Any, **more: Any) -> Answer:
        return self.table.send(who, command, **more)

    def award(self, side: str, *when: int, subject: str = "", **more: Any) -> str:
        """The GM awards a mark for conduct at a UTC time; returns its id."""
        command = mk.AwardMark(
            subject=subject or self.talyne, side=side, at=utc(*when), consequential=True, collective=True, **more
        )
        event: Any = self.send("olga", command).events[0].event
        return str(event.mark)

    def run_jobs(self, *now: int) -> int:
        """What is due at a UTC time is done as the job does it."""
        with at(*now) as moment:
            return do_all(self.table.campaign_id, moment)

    def first(self, pair: str, subject: str = "") -> int:
        """The rating of a pair's first side."""
        with states.held(self.table.campaign_id) as state:
            return state.part(rp.PairsState).subjects[subject or self.talyne].ratings[pair]

    def events(self, kind: str) -> list[Recorded]:
        return [e for e in read.events_after(self.table.campaign_id, 0) if e.type == kind]

    def feed(self, who: str) -> list[dict[str, Any]]:
        """All that a kind of viewer sees."""
        viewer = self.table.viewer(who)
        with states.held(self.table.campaign_id) as state:
            return [entry.view for entry in newer(state, viewer, 0, 1000)]


def make_season(zone: str = "Europe/London", starts_on: date = date(2026, 1, 5), **ratings: int) -> Season:
    with time_machine.travel(START, tick=False):
        return make_season_at(zone, starts_on, **ratings)


def make_season_at(zone: str, starts_on: date, **ratings: int) -> Season:
    """A season that is made at the moment at which time stands."""
    table = make_table({"spindrift-identity": ""})
    table.send("olga", c.StartCalendar(zone=zone, starts_on=starts_on))
    talyne = table.character("pia")
    made: Any = table.send(
        "olga", CreateSubject(kind="house", name="House Veld", players=(table.member("paul"),))
    ).events[0]
    table.send("olga", pr.EnterPairs(subject=talyne, ratings=ratings or {"bold": 14}))
    table.send("olga", pr.EnterPairs(subject=made.event.subject, ratings={"dynastic": 15}))
    return Season(table, talyne, made.event.subject)
