"""A fight with its sheets in one place: for cases, simulations and tests. The server keeps the two apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.board import Warm
from rules.dice.sources import DiceSource
from rules.fight.decide import Context, decide
from rules.fight.events import Event, Waited
from rules.fight.evolve import changed, evolve
from rules.fight.state import Fight
from rules.packs.pack import Pack
from rules.sheets.subject import Subject
from rules.tests.result import TestRun
from rules.tests.runtime import Policy


class FightTable:
    """`do` decides a command and applies its events at once. `runs`, where there is a list, gathers what came about."""

    def __init__(
        self, pack: Pack, subjects: Mapping[str, Subject], fight: Fight | None = None, policy: Policy | None = None
    ) -> None:
        self.pack, self.subjects, self.policy = pack, dict(subjects), policy
        self.fight = Fight() if fight is None else fight
        self.runs: list[TestRun] | None = None
        self.warm = Warm()

    def do(self, command: Any, dice: DiceSource) -> list[Event]:
        context = Context(self.pack, self.subjects, dice, self.policy, self.runs, self.warm)
        try:
            events = decide(command, self.fight, context)
        except BaseException:
            self.warm.drop()
            raise
        for event in events:
            self.apply(event)
            if isinstance(event, Waited):
                self.warm.drop()
        self.warm.give_back(self.subjects)
        return events

    def apply(self, event: Event) -> None:
        self.subjects.update(changed(self.subjects, event))
        evolve(event, self.fight)
