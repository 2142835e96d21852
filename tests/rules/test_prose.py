"""Formulas in the words of people."""

from __future__ import annotations

import pytest

from rules.formulas import Formula
from rules.formulas.prose import in_words
from rules.formulas.types import Bool, Function, Int, List, Map, Record, Scope, Text

RANKS = Text(frozenset({"vigor", "deft"}))
SCOPE = Scope(
    {
        "level": Int(),
        "rank": Map(RANKS, Int()),
        "tired": Bool(),
        "dice": List(Int()),
        "setting": Record("setting", {"rest": Record("setting.rest", {"hours": Int()})}),
    }
)
SCOPE.functions = {"energy_at": Function("energy_at", (("value", Int()),), Int(), lambda value: value)}
TITLES = {"level": "Level", "rank['vigor']": "Vigor (Rank)", "setting.rest.hours": "Hours of a rest"}


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("level - 10", "Level - 10"),
        ("max(1, up((level + rank['vigor']) / 2))", "(((Level + Vigor (Rank)) / 2, rounded up), at least 1)"),
        ("min(level, 5)", "(Level, at most 5)"),
        ("max(level, rank['vigor'])", "the higher of Level and Vigor (Rank)"),
        ("clamp(level, 1, 5)", "(Level, between 1 and 5)"),
        ("2 * (level - 1)", "2 x (Level - 1)"),
        ("level - (level - 1)", "Level - (Level - 1)"),
        ("0 if tired else setting.rest.hours", "0 if tired, else Hours of a rest"),
        ("1 <= level < 5", "1 is at most Level is below 5"),
        ("count(d for d in dice if d == 6)", "the number of d for each of dice where d is 6"),
        ("energy_at(level)", "energy_at Level"),
        ("not tired and level > 2", "not tired and Level is above 2"),
    ],
)
def test_a_formula_reads_as_people_speak(formula: str, said: str) -> None:
    assert in_words(Formula.of(formula, SCOPE).node, lambda name: TITLES.get(name, name)) == said
