"""The section `modes`: what acts a mode of play allows, and what the loader says of one that is written wrongly."""

from __future__ import annotations

import pytest

from rules.sheets.subject import Subject
from rules.tests.modes import barred, modes_of
from tests.rules.small import pack, problems

GAME = """
kinds:
  hero: {title: Hero, stats: {hp: {type: int, default: 3}}}
  table:
    title: Table
    made_by: gm
    sheet: {open: [mode]}
    stats: {mode: {type: name, options: [day, night, battle], default: day}}
modes:
  kind: table
  stat: mode
  fight: battle
  uses:
    work: {when: mode == 'day', text: "Nobody works by {mode}.", reason: by_day}
tests:
  dig: {title: Dig, use: work, roles: {hero: {kinds: [hero]}}, steps: [{change: {hero.hp: -1}}]}
  walk: {title: Walk, roles: {hero: {kinds: [hero]}}, steps: [{change: {hero.hp: -1}}]}
"""


def table(mode: str = "", name: str = "table") -> Subject:
    return Subject(id=name, kind="table", values={"mode": mode} if mode else {})


def why(test: str, *tables: Subject, fights: bool = False) -> str:
    game = pack(GAME)
    found = barred(game, game.test(test), modes_of(game, tables, fights=fights))
    return "" if found is None else f"{found.reason}: {found.text}"


@pytest.mark.parametrize(
    ("tables", "fights", "said"),
    [
        ([], False, ""),
        ([table()], False, ""),
        ([table("day")], False, ""),
        ([table("night")], False, "by_day: Nobody works by night."),
        ([table("night"), table("day", "other")], False, ""),
        ([table("day")], True, "by_day: Nobody works by battle."),
        ([], True, "by_day: Nobody works by battle."),
    ],
)
def test_what_is_barred(tables: list[Subject], fights: bool, said: str) -> None:
    """Where several stand for the table, what one of them allows is allowed; a fight is stronger than any."""
    assert why("dig", *tables, fights=fights) == said
    assert why("walk", *tables, fights=fights) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("use: work", "use: wrok", "the section `modes` has no use 'wrok' (work)"),
        ("kind: table", "kind: tabel", "no kind of subject is called 'tabel' (table)"),
        ("  stat: mode", "  stat: mod", "table keeps no single name or card 'mod' (mode)"),
        ("fight: battle", "fight: batle", "'batle' is no mode: battle, day, night (battle)"),
        ("mode == 'day'", "mode == 'dya'", "'dya'"),
        ("by {mode}", "by {mood}", "'mood'"),
        ("sheet: {open: [mode]}", "text: T", "everybody learns the mode by what it allows"),
    ],
)
def test_what_the_loader_says(old: str, new: str, said: str) -> None:
    assert GAME.count(old) >= 1
    assert any(said in one for one in problems(GAME.replace(old, new))), problems(GAME.replace(old, new))


def test_a_use_that_no_test_is_one_of_is_warned_of() -> None:
    found = pack(GAME.replace("use: work, ", ""))
    assert [one.message for one in found.warnings] == ["no test is a 'work'"]


NUMBERS = """
kinds: {hero: {title: Hero, stats: {step: {type: int, min: 1, default: 30}}}}
tests:
  wait:
    title: Wait
    roles: {hero: {kinds: [hero]}}
    inputs: {long: {type: int, min: 0, among: "[m for m in [30, 60] if m % hero.step == 0]", reads: "{option} minutes"}}
    steps: [{narrate: Time passes.}]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[m for m in [30, 60] if m % hero.step == 0]", "['a']", "of numbers for a number"),
        ("type: int, min: 0, among", "type: flag, among", "of numbers for a number"),
        ('among: "[m for m in [30, 60] if m % hero.step == 0]", ', "", "`reads` goes with a number of which some"),
        ("{option} minutes", "{opton} minutes", "'opton'"),
    ],
)
def test_numbers_that_are_offered_are_checked(old: str, new: str, said: str) -> None:
    assert not problems(NUMBERS)
    assert any(said in one for one in problems(NUMBERS.replace(old, new))), problems(NUMBERS.replace(old, new))
