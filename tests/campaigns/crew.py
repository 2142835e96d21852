"""A crew to test Pursuits with: the small game `wake`, a sailor each for Pia and Paul, time that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import time_machine

from campaigns.commands import pursuits as pc
from campaigns.commands.sheets import Sheet as RulesSheet
from campaigns.entrance import Answer
from campaigns.events import Recorded
from campaigns.feed import newer
from campaigns.packs import Packs, keep_shelf
from campaigns.parts.pursuits import Pursuits
from campaigns.pursuing import PursuitRead, pursuits_read
from campaigns.registry import Command
from campaigns.rolling import subject_of
from campaigns.store import read, states
from campaigns.tasks import do_all
from rules import pursuits as ru
from tests.campaigns.tables import Table, make_table
from tests.rules.pursuits.wake import files

START = datetime(2026, 3, 4, 18, tzinfo=UTC)


def write(shelf: Path) -> None:
    """Puts the pack on a shelf and keeps its content."""
    home = shelf / "wake"
    home.mkdir(parents=True, exist_ok=True)
    for name, body in files().items():
        (home / name).write_bytes(body)
    keep_shelf()


@contextmanager
def at(*parts: int) -> Iterator[datetime]:
    """Time stands still at this UTC instant."""
    now = datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]
    with time_machine.travel(now, tick=False):
        yield now


@dataclass
class Crew:
    """A table; Pia plays Rell, Paul plays Osk."""

    table: Table
    rell: str
    osk: str

    def send(self, who: str, command: Command, **more: Any) -> Answer:
        return self.table.send(who, command, **more)

    def wrote(self, who: str, **fields: Any) -> str:
        """Somebody writes a Pursuit; its id."""
        event: Any = self.send(who, pc.WritePursuit(**fields)).events[0].event
        return str(event.pursuit)

    def own(self, words: str = "The sword my father sold") -> str:
        return self.wrote("pia", kind="own", owner=self.rell, words=words)

    def joint(self, *stages: str, words: str = "The vault") -> str:
        """A Pursuit of the party that everybody agreed to."""
        pursuit = self.wrote("pia", kind="joint", words=words, stages=stages)
        for who in ("paul", "olga"):
            self.send(who, pc.AgreePursuit(pursuit=pursuit))
        return pursuit

    def run_jobs(self, now: datetime = START) -> int:
        """What is due is done as the job does it."""
        return do_all(self.table.campaign_id, now)

    def kept(self) -> ru.PursuitsState:
        with states.held(self.table.campaign_id) as state:
            return state.part(Pursuits).kept

    def read(self, who: str, pursuit: str) -> PursuitRead:
        """How somebody reads it."""
        viewer = self.table.viewer(who)
        with states.held(self.table.campaign_id) as state:
            found = pursuits_read(state, viewer, START)
        assert found is not None
        return next(one for one in found.pursuits if one.pursuit == pursuit)

    def stat(self, subject: str, name: str) -> Any:
        """A value of a sheet, as the rules read it."""
        with states.held(self.table.campaign_id) as state:
            pack = Packs(state).get("wake")
            found = subject_of(state, subject, "wake")
            return RulesSheet(found, pack.kinds[found.kind], pack.settings)[name]

    def tiers(self) -> tuple[int, int]:
        return self.stat(self.rell, "tier"), self.stat(self.osk, "tier")

    def events(self, kind: str) -> list[Recorded]:
        return [e for e in read.events_after(self.table.campaign_id, 0) if e.type == kind]

    def feed(self, who: str) -> list[dict[str, Any]]:
        """All that a kind of viewer sees."""
        viewer = self.table.viewer(who)
        with states.held(self.table.campaign_id) as state:
            return [entry.view for entry in newer(state, viewer, 0, 1000)]

    def entry(self, kind: str) -> str:
        """The cursor of the newest event of a kind, as the GM has it."""
        viewer = self.table.viewer("olga")
        with states.held(self.table.campaign_id) as state:
            found = [entry for entry in newer(state, viewer, 0, 1000) if entry.view["type"] == kind]
        return found[-1].cursor


def make_crew() -> Crew:
    table = make_table({"wake": ""})
    rell = table.character("pia", "Rell", "sailor")
    return Crew(table, rell, table.character("paul", "Osk", "sailor"))
