"""What runs when nobody traces says the same as what is traced: every case of every pack, both ways."""

from __future__ import annotations

from typing import Any

import pytest

import rules.cases.run as cases_run
from rules.cases import cases_of, run_case
from rules.dice import ChosenDice
from rules.packs import load_pack, pack_ids
from rules.problems import DiceError, GivenError
from rules.tests import fuse
from rules.tests.run import Prepared, prepare


def told(prepared: Prepared, dice: list[int], choices: Any, trace: bool) -> Any:
    """All that a run comes to, but the trace."""
    source = ChosenDice(dice)
    try:
        found = prepared.execute(source, choices, trace)
    except (GivenError, DiceError) as exc:
        return str(exc)
    found.trace, found.values, found.title = [], {}, ""
    return found, source.used


class Twice:
    """Stands in for a prepared test: runs it untraced until its steps are one function, and compares."""

    compared = 0

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared

    def execute(self, dice: ChosenDice, choices: Any) -> Any:
        wanted = told(self.prepared, dice.faces, choices, trace=True)
        for _ in range(fuse.WORTHWHILE + 2):
            assert told(self.prepared, dice.faces, choices, trace=False) == wanted
        Twice.compared += 1
        return self.prepared.execute(dice, choices)


@pytest.mark.parametrize("name", pack_ids())
def test_untraced_runs_say_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases_run, "prepare", lambda *given: Twice(prepare(*given)))
    pack, Twice.compared = load_pack(name), 0
    for placed in cases_of(pack.source.files):
        if not any(step.expect.odds for step in placed.case.script or [placed.case]):
            result = run_case(pack, placed)
            assert result.passed, result
    assert Twice.compared > 10
    assert any(isinstance(test.steps, fuse.Steps) and test.steps.fused for test in pack.tests.values())
