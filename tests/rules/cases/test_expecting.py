"""No case is green for nothing: what is expected is looked at or refused, and who expects nothing proves nothing."""

from __future__ import annotations

import pytest

from rules.cases.expecting import CAN_EXPECT
from rules.cases.read import read_cases
from rules.cases.run import run_case
from rules.cases.schema import Expected
from rules.packs import load_files, load_pack

PACK = load_files(
    {
        "pack.yaml": b"id: p\nversion: 1.0.0\ntitle: P\nsource: x\nrights: x\n",
        "rules.yaml": b"""
kinds: {hero: {title: Hero, stats: {grip: {type: int, min: 0, max: 9, default: 2}}}}
tests:
  hold:
    title: Hold on
    roles: {hero: {kinds: [hero]}}
    inputs: {goal: {type: int, min: 1, max: 9}}
    steps:
      - {roll: hand, sides: 6}
      - {outcome: holds, when: hand.total >= goal}
      - outcome: slips
    facts: {rolled: hand.total}
    outcomes: {holds: {title: Holds, success: true}, slips: {title: Slips, success: false}}
""",
    }
)
HEAD = "subjects: {ana: {kind: hero}}\ncases:\n"
HOLD = "test: hold, roles: {hero: ana}, given: {goal: 4}"


def differences(case: str, pack: object = PACK) -> list[str]:
    (placed,) = read_cases("cases/x.yaml", f"{HEAD}  - {{case: one, {case}}}\n".encode())
    return run_case(pack, placed).differences  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "case, words",
    [
        (f"{HOLD}, dice: [5], expect: {{ratings: {{ana: {{bold: 3}}}}}}", "a step 'test' does not tell ratings"),
        (f"{HOLD}, dice: [5], expect: {{events: []}}", "a step 'test' does not tell events"),
        (f"{HOLD}, dice: [5], expect: {{due: [], offers: {{x: [y]}}, bought: {{x: 1}}}}", "offers, bought, due"),
        (f"{HOLD}, dice: [5], expect: {{answer: 3, settled: []}}", "settled, answer"),
        (f"{HOLD}, dice: [5], expect: {{turn: ana}}", "a step 'test' does not tell turn"),
        (
            "formula: ana.grip, expect: {value: 2, state: {ana: {stats: {grip: 7}}}}",
            "a step 'formula' does not tell state",
        ),
        (
            f"{HOLD}, expect: {{outcome: holds, odds: {{total: 6, ways: {{holds: 3}}}}}}",
            "a step 'odds' does not tell outcome",
        ),
        (
            "happens: scene_end, expect: {outcome: holds, state: {ana: {held: []}}}",
            "a step 'happens' does not tell outcome",
        ),
        (f"{HOLD}, dice: [5], expect: {{rolls: {{hnd: []}}}}", "rolls.hnd: expected [], got '(nothing)'"),
        (f"{HOLD}, dice: [5], expect: {{seen: {{roled: all}}}}", "seen.roled: expected 'all', got '(nothing)'"),
        (f"{HOLD}, expect: {{odds: {{total: 6, ways: {{hold: 0}}}}}}", "the test has no outcome 'hold'"),
        (f"{HOLD}, expect: {{odds: {{total: 6, mean: 7/2}}}}", "nothing is expected"),
        ("test: hold, roles: {hero: ana}, expect: {wrong: goal, outcome: holds}", "so there is no outcome"),
        (f"{HOLD}, caller: watcher, expect: {{refused: not_allowed, outcome: holds}}", "so there is no outcome"),
        ("happens: scene_ends, expect: {state: {ana: {held: []}}}", "perhaps 'scene_end'"),
        ("happens: long_rest_end, expect: {state: {ana: {held: []}}}", "say whose with `of`"),
    ],
)
def test_what_nothing_would_look_at_is_said(case: str, words: str) -> None:
    found = differences(case)
    assert any(words in line for line in found), found


@pytest.mark.parametrize(
    "case",
    [
        f"proves: [X-1], {HOLD}, dice: [5]",
        f"{HOLD}, dice: [5], expect: {{}}",
        f"{HOLD}, dice: [5], expect: {{state: {{ana: {{}}}}, facts: {{}}}}",
        f"{HOLD}, expect: {{odds: {{total: 6}}}}",
        f"script: [{{{HOLD}, dice: [5]}}, {{{HOLD}, dice: [6]}}]",
    ],
)
def test_a_case_that_expects_nothing_fails(case: str) -> None:
    assert differences(case)[0] == "nothing is expected, so nothing is proved: add `expect`"


@pytest.mark.parametrize(
    "case",
    [
        f"{HOLD}, dice: [4], expect: {{outcome: holds, rolls: {{hand: [4]}}, seen: {{rolled: all}}}}",
        f"{HOLD}, expect: {{odds: {{total: 6, ways: {{holds: 3, slips: 3}}}}}}",
        f"script: [{{{HOLD}, dice: [5]}}, {{{HOLD}, dice: [3], expect: {{outcome: slips}}}}]",
    ],
)
def test_what_is_expected_and_comes_passes(case: str) -> None:
    assert differences(case) == []


def test_a_step_with_a_command_tells_no_sheets() -> None:
    head = "calendar: {zone: UTC, starts_on: 2026-01-05}\nsubjects: {tal: {kind: character}}\ncases:\n"
    step = 'ask: stamp, given: {at: "2026-01-06T12:00:00Z"}, expect: {state: {tal: {held: [zzz]}}}'
    (placed,) = read_cases("cases/x.yaml", f"{head}  - {{case: one, {step}}}\n".encode())
    assert "a step 'ask' does not tell state" in run_case(load_pack("spindrift-identity"), placed).differences[0]


def test_every_expectation_is_looked_at_by_some_kind_of_step() -> None:
    assert frozenset().union(*CAN_EXPECT.values()) == frozenset(Expected.__struct_fields__)
