"""The examples of the documentation, small games written from docs/packs.md alone; and what their author is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.cli.check import check
from rules.packs import load_files
from rules.packs.source import read_folder
from rules.problems import PackError
from tests.rules.mutant_hunt import ALIVE, Hunter
from tests.rules.mutants import all_of

EXAMPLES = Path(__file__).parents[2] / "docs/example"
FILES = read_folder(EXAMPLES / "lantern-road")
GAMES = {"lantern-road": 11, "glass-harbour": 28}
"""how many rules each has"""


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_of_an_example_is_proved(game: str) -> None:
    said: list[str] = []
    assert check([str(EXAMPLES / game)], [], said.append, strict=True), "\n".join(said)
    assert f"{GAMES[game]} of {GAMES[game]} rules proved" in said[0]


@pytest.mark.parametrize("game", GAMES)
def test_mutants_of_an_example_are_found(game: str) -> None:
    files = read_folder(EXAMPLES / game)
    chosen, hunter = all_of(files)[::7], Hunter(files)
    alive = [mutant for mutant in chosen if hunter.verdict(mutant) == ALIVE]
    assert len(alive) <= len(chosen) // 10, "\n".join(map(str, alive))


@pytest.mark.parametrize(
    ("file", "right", "wrong", "says"),
    [
        ("road.yaml", "{roll: road,", "{rolls: road,", "unknown field 'rolls' (did you mean 'roll'?)"),
        ("road.yaml", "count: dice, sides: 6}", "dice: 2d6+1}", "'2d6+1' is no roll"),
        ("road.yaml", "when: steps >= dark", "when: steps", "a condition is wanted here, not a number"),
        ("road.yaml", "max(0, steps_in(road.faces) - weariness(miles))", "miles / 2", "a division needs its rounding"),
        ("road.yaml", "price == 'oil'}", "price == oil}", "unknown name 'oil': say whose (did you mean 'who.oil'?)"),
        ("road.yaml", "price == 'wound'}", "price == wound}", "stands in quotes (did you mean \"'wound'\"?)"),
        ("road.yaml", "price == 'oil'}", "price = 'oil'}", "`==` compares"),
        ("road.yaml", "change: {who.oil: -1}", "change: {oil: -1}", "say whose (did you mean 'who.oil'?)"),
        ("road.yaml", "apply: wounded", "apply: wound", "no card is called 'wound' (did you mean 'wounded'?)"),
        ("road.yaml", "at: long_rest_end, of: who}", "at: long_rest_end}", "say whose with `of`"),
        ("travellers.yaml", "values: {trait: wits}}", "values: {trait: wit}}", "did you mean 'wits'?"),
        ("pack.yaml", "default: 5", "default: 7", "7 is above the highest value, 6"),
    ],
)
def test_a_slip_is_one_plain_message(file: str, right: str, wrong: str, says: str) -> None:
    text = FILES[file].decode()
    assert right in text
    with pytest.raises(PackError) as caught:
        load_files({**FILES, file: text.replace(right, wrong, 1).encode()})
    errors = [problem for problem in caught.value.problems if problem.level == "error"]
    assert len(errors) == 1, "\n".join(map(str, errors))
    assert says in str(errors[0])
