"""A fixed sample of mutants of every pack: nine in ten at least must be refused at load or caught by a case."""

from __future__ import annotations

import pytest

from rules.cases import run_case
from rules.packs import find_folder, load_files, pack_ids
from rules.packs.source import read_folder
from rules.problems import PackError
from tests.rules.mutant_hunt import ALIVE, REFUSED, SAME, TOLD, Hunter
from tests.rules.mutants import chosen_of, mutants
from tests.rules.small import files, one_test

SAMPLE = 40


@pytest.mark.parametrize("pack", pack_ids())
def test_mutants_are_found(pack: str) -> None:
    found = read_folder(find_folder(pack))
    hunter = Hunter(found)
    alive = [mutant for mutant in chosen_of(found, SAMPLE) if hunter.verdict(mutant) == ALIVE]
    assert len(alive) <= SAMPLE // 10, "\n".join(map(str, alive))


def test_every_kind_of_mutant_is_made() -> None:
    made = list(mutants("x.yaml", one_test("- {let: {x: n + 1}, text: 'a sentence n + 1'}", "n: {type: int}")))
    assert {mutant.kind for mutant in made} == {"name", "number", "operator", "indent"}
    assert [(m.old, m.new) for m in made if m.kind in ("number", "operator")] == [("+", "-"), ("1", "2")]
    assert ("steps", "stesp") in [(m.old, m.new) for m in made]


GAME = """
kinds: {hero: {title: Hero, stats: {might: {type: int, default: 1}, bonus: {formula: might + 1}}}}
card_types: {gift: {title: Gift, by_hand: true}}
cards:
  gift:
    luck: {title: Luck, triggers: [{at: turn_start, kinds: [hero], steps: [{call: grow, with: {who: holder, by: 2}}]}]}
procedures:
  grow: {takes: {who: {type: subject, kinds: [hero]}, by: {type: int}}, steps: [{change: {who.might: by}}]}
tests:
  climb:
    title: Climb
    roles: {hero: {kinds: [hero]}}
    steps:
      - {roll: check, sides: 20}
      - {do: [{call: grow, with: {who: hero, by: 1}}], when: check.total > 18}
      - {outcome: top, when: check.total + hero.bonus >= 12}
      - {outcome: falls}
    outcomes: {top: {title: Top}, falls: {title: Falls}}
"""
CASES = """
subjects: {ana: {kind: hero, values: {might: 3}, held: [luck]}}
cases:
  - {case: up, test: climb, roles: {hero: ana}, dice: [8], expect: {outcome: top}}
  - {case: down, test: climb, roles: {hero: ana}, dice: [7], expect: {outcome: falls}}
  - {case: luck, happens: turn_start, of: ana, expect: {state: {ana: {stats: {might: 5}}}}}
"""


def test_what_is_built_in_part_is_found_as_what_is_built_whole() -> None:
    """The hunt builds as little as it can and runs as few cases as it can; the verdicts are those of the long way."""
    game = files(GAME) | {"cases/all.yaml": CASES.encode()}
    hunter = Hunter(game)
    seen = set()
    for mutant in mutants("part1.yaml", GAME):
        verdict = hunter.verdict(mutant)
        try:
            pack = load_files({**game, mutant.file: mutant.of(game[mutant.file])})
        except PackError:
            assert verdict == REFUSED, mutant
        else:
            passed = all(run_case(pack, case).passed for case in hunter.cases)
            assert (verdict in (ALIVE, SAME, TOLD)) == passed, mutant
        seen.add(verdict if verdict in (ALIVE, REFUSED, SAME, TOLD) else "case")
    assert {ALIVE, REFUSED, "case"} <= seen
