"""A fight comes to the same events however it is run: traced and cold, as cases and tables do; untraced over sheets
kept between decisions, as simulations do; waiting for each answer, as a live fight does."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import rules.cases.fights as fights
from rules.cases import cases_of, run_case
from rules.dice import ChosenDice
from rules.dice.sources import DiceSource
from rules.fight import Context, FightTable, commands, decide
from rules.fight.events import Event, Waited
from rules.packs import load_pack, pack_ids
from rules.problems import DiceError, RulesError
from rules.refusal import Refused
from rules.tests import fuse
from tests.bench import rules_fights as worked


class Alike(FightTable):
    """Stands in for the fight of a case. A second one goes along untraced, with warm sheets, its steps one function."""

    compared = 0

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.other = FightTable(self.pack, self.subjects, deepcopy(self.fight))

    def do(self, command: Any, dice: DiceSource) -> list[Event]:
        assert isinstance(dice, ChosenDice)
        left = ChosenDice(dice.faces[dice.used :])
        self.told_besides()
        wrong, wanted = came(lambda: decide(command, self.fight, self.cold(dice)))
        told, found = came(lambda: self.other.do(command, left))
        assert told == wrong
        if not isinstance(wanted, list):
            raise wanted
        assert found == wanted
        assert left.left == dice.left
        for event in wanted:
            self.apply(event)
        assert self.other.subjects == self.subjects
        assert self.other.fight == self.fight
        Alike.compared += 1
        return wanted

    def told_besides(self) -> None:
        """What the case changed by other ways than the kernel's."""
        if self.other.subjects != self.subjects:
            self.other.subjects = dict(self.subjects)

    def cold(self, dice: DiceSource) -> Context:
        return Context(self.pack, self.subjects, dice, None, [] if self.runs is None else self.runs)


def came(what: Any) -> tuple[str, Any]:
    """What is said where it cannot be, and the events, or what was raised."""
    try:
        return "", what()
    except (Refused, RulesError, DiceError) as exc:
        return f"{type(exc).__name__}: {exc}", exc


@pytest.mark.parametrize("name", [name for name in pack_ids() if load_pack(name).actions])
def test_cases_fought_untraced_over_kept_sheets_say_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fights, "FightTable", Alike)
    monkeypatch.setattr(fuse, "WORTHWHILE", 0)
    pack, Alike.compared = load_pack(name), 0
    for placed in cases_of(pack.source.files):
        if placed.case.script:
            result = run_case(pack, placed)
            assert result.passed, result
    assert Alike.compared > 10


class Played(FightTable):
    """The worked fight as it is played live: each decision is taken up from what is stored, and every answer is a
    command of its own. `told` gathers what is over, and not what was waited for on the way."""

    told: list[Event] = []
    waited = 0

    def do(self, command: Any, dice: DiceSource) -> list[Event]:
        events = self.decided(command, dice)
        while (waiting := self.fight.waiting) is not None:
            Played.waited += 1
            answer = worked.answers(waiting.ask)
            if isinstance(answer, dict):
                for who, one in answer.items():
                    events = self.decided(commands.Answer(subject=who, answer=one), dice)
            else:
                events = self.decided(commands.Answer(answer=answer), dice)
        return events

    def decided(self, command: Any, dice: DiceSource) -> list[Event]:
        events = decide(command, self.fight, Context(self.pack, self.subjects, dice))
        for event in events:
            self.apply(event)
        Played.told += [event for event in events if not isinstance(event, Waited)]
        return events


class Simulated(FightTable):
    told: list[Event] = []

    def do(self, command: Any, dice: DiceSource) -> list[Event]:
        events = super().do(command, dice)
        Simulated.told += events
        return events


def test_the_worked_fight_simulated_is_the_one_played_live(monkeypatch: pytest.MonkeyPatch) -> None:
    lasted = []
    for kind in (Played, Simulated):
        kind.told = []
        monkeypatch.setattr(worked, "FightTable", kind)
        lasted.append([worked.fight(seed) for seed in range(4)])
    assert lasted[0] == lasted[1]
    assert Played.told == Simulated.told
    assert Played.waited > 10 and len(Played.told) > 100
