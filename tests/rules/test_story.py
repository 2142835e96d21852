"""What `say` tells of what was done: in every attack of the shelf, and to whom its sentences may be told."""

from __future__ import annotations

import re
from typing import Any

import pytest

import rules.cases.fights as fights
from rules.cases import cases_of, run_case
from rules.dice import ChosenDice
from rules.fight import FightTable
from rules.packs import load_pack
from rules.sheets import Subject
from rules.tests import run
from rules.tests.trace import SAY
from tests.rules.small import one_test, pack, problems
from tests.rules.test_verbs import HERO, act

PACK = "frontiers-fantasy"


class Heard(FightTable):
    """Stands in for the fight of a case, and keeps what its runs say."""

    every: list[tuple[Any, list[str]]] = []

    def do(self, command: Any, dice: Any) -> Any:
        self.runs = runs = [] if self.runs is None else self.runs
        before = len(runs)
        came = super().do(command, dice)
        Heard.every += [(run, [step.text for step in run.trace if step.kind == SAY]) for run in runs[before:]]
        return came


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, list[str]]]:
    """Every run of every case that fights, with its sentences."""
    monkeypatch.setattr(fights, "FightTable", Heard)
    Heard.every = []
    found = load_pack(PACK)
    for placed in cases_of(found.source.files):
        if placed.case.script:
            run_case(found, placed)
    return Heard.every


def test_every_attack_of_the_shelf_says_whether_it_hit_and_what_it_took(heard: list[tuple[Any, list[str]]]) -> None:
    judged = 0
    for one_run, said in heard:
        verdicts = [step for step in one_run.trace if step.kind == "pick" and step.name == "degree"]
        hits = [one for one in said if re.search(" (hits|misses) .* with -?[0-9]+[.,]", one)]
        margins = [one for one in said if one.startswith("That is ")]
        assert len(hits) == len(margins) == len(verdicts)
        judged += len(verdicts)
    assert judged > 100


def test_every_loss_by_harm_is_said(heard: list[tuple[Any, list[str]]]) -> None:
    """Of nobody less is told than what they lost, and no loss that is not there."""
    losses = 0
    for one_run, said in heard:
        told = [int(one.split(" takes ")[1].split()[0]) for one in said if re.search(r" takes [0-9]+ damage\.", one)]
        harmed = [step for step in one_run.trace if step.kind == "let" and step.name == "lost" and step.value > 0]
        assert told == [step.value for step in harmed]
        losses += len(told)
    assert losses > 50


SECRET = """
- let: {power: hero.secret}
- {say: "{hero} has {power}."}
- {say: "Much.", when: power > 2}
- do:
    - {say: "Really."}
    - {say: "It is known.", seen: all}
  when: hero.secret > 2
- {say: "Open."}
- each: "[n for n in [1, 2] if n < power]"
  as: n
  steps:
    - {say: "{n}"}
"""


def test_who_hears_a_sentence_is_who_may_see_what_stands_in_it_and_when_it_is_said() -> None:
    run, _ = act(SECRET)
    said = {step.text: step.seen for step in run.trace if step.kind == SAY}
    assert said == {
        "ana has 3.": "gm",
        "Much.": "gm",
        "Really.": "gm",
        "It is known.": "all",
        "Open.": "all",
        "1": "gm",
        "2": "gm",
    }


def test_a_procedure_that_is_called_behind_a_hidden_condition_says_it_to_those_who_may_see_that() -> None:
    calls = """
    procedures:
      tells: {steps: [{say: "Here."}]}
    """
    steps = "- {call: tells}\n- {call: tells, when: hero.secret > 2}\n"
    found = run(
        pack(HERO, calls, one_test(steps, more="roles: {hero: {kinds: [hero]}}\n")),
        "it",
        {},
        ChosenDice([]),
        {},
        subjects={"hero": Subject(id="ana", kind="hero")},
    )
    assert [step.seen for step in found.trace if step.kind == SAY] == ["all", "gm"]


def test_a_sentence_is_of_those_who_stand_in_the_names_around_it_and_changes_nothing() -> None:
    found, after = act('- {say: "Nobody is named."}\n')
    (step,) = [one for one in found.trace if one.kind == SAY]
    assert step.of == ("ana",) and found.effects == [] and after.values == {}


def test_a_sentence_with_what_cannot_be_written_is_refused_at_load() -> None:
    (problem,) = problems(HERO, one_test('- {say: "{heroo}"}\n', more="roles: {hero: {kinds: [hero]}}\n"))
    assert "heroo" in problem and "hero" in problem
