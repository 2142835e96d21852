"""Formulas: what they mean, what is refused, and that both evaluators always agree."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.formulas import Formula, FormulaError
from rules.formulas.types import Bool, Int, List, Map, Record, Scope, Text
from rules.problems import RulesError

SIDES = Text(frozenset({"left", "right"}))
SCOPE = Scope(
    {
        "might": Int(0, 200),
        "bonus": Int(),
        "brave": Bool(),
        "side": SIDES,
        "faces": List(Int(1, 12)),
        "rank": Map(Text(frozenset({"climb", "swim"})), Int()),
        "roll": Record("roll", {"total": Int(1, 20)}),
        "bonuses": List(Record("modifier", {"type": Text(), "value": Int(), "source": Text()})),
    }
)
FRAME = {
    "might": 57,
    "bonus": -3,
    "brave": True,
    "side": "left",
    "faces": [12, 9, 4, 1],
    "rank": {"climb": 2, "swim": 0},
    "roll": {"total": 11},
    "bonuses": [
        {"type": "skill", "value": 3, "source": "a"},
        {"type": "skill", "value": 5, "source": "b"},
        {"type": "", "value": -2, "source": "mud"},
        {"type": "", "value": -4, "source": "mud"},
        {"type": "", "value": -1, "source": "rain"},
    ],
}


def value(text: str) -> object:
    return Formula.of(text, SCOPE)(FRAME)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("down(might / 10)", 5),
        ("up(might / 10)", 6),
        ("near(might / 10)", 6),
        ("near(55 / 10)", 6),
        ("near(-55 / 10)", -5),
        ("down(bonus / 2)", -2),
        ("up(bonus / 2)", -1),
        ("toward_zero(bonus / 2)", -1),
        ("might - 7 * 2 + bonus", 40),
        ("-3 % 5", 2),
        ("max(might, 60) + min(1, 2, 3)", 61),
        ("clamp(might, 0, 20)", 20),
        ("abs(bonus)", 3),
        ("count(f for f in faces if f >= 9)", 2),
        ("sum(f for f in faces if f < 5)", 5),
        ("any(f == 12 for f in faces) and not all(f > 1 for f in faces)", True),
        ("max(f for f in faces)", 12),
        ("highest(faces, 2)", [12, 9]),
        ("lowest(faces, 3)", [1, 4, 9]),
        ("faces[0] + faces[-1]", 13),
        ("rank['climb']", 2),
        ("1 if side == 'left' else 2", 1),
        ("side in ('left', 'right')", True),
        ("1 < roll.total <= 11", True),
        ("stack(bonuses, 'sum')", 1),
        ("stack(bonuses, 'best_and_worst_per_type')", 0),  # 5 skill, -4 mud, -1 rain
        ("stack(bonuses, 'best_per_type')", 2),  # 5 skill, -2 mud, -1 rain
        ("distinct([1, 2, 1])", [1, 2]),
        ("true and brave", True),
    ],
)
def test_means(text: str, expected: object) -> None:
    assert value(text) == expected
    assert Formula.of(text, SCOPE).explain(FRAME).value == expected


@pytest.mark.parametrize(
    ("text", "message", "suggestion"),
    [
        ("migth + 1", "unknown name 'migth'", "might"),
        ("side == 'lfet'", "'lfet' is none of: left, right", "left"),
        ("rank['climbb']", "'climbb' is none of", "climb"),
        ("roll.totle", "no field of roll is called 'totle'", "total"),
        ("stack(bonuses, 'best_per_typ')", "a way of stacking is wanted", "best_per_type"),
        ("coutn(faces)", "unknown function 'coutn'", "count"),
        ("might / 2", "a division needs its rounding", ""),
        ("might // 2", "a division needs its rounding", ""),
        ("down(might)", "down rounds a division", ""),
        ("down(1 / 0)", "a division by zero", ""),
        ("1.5", "only whole numbers", ""),
        ("might ** 2", "pow is not part", ""),
        ("brave + 1", "a number is wanted here", ""),
        ("might and brave", "a condition is wanted here", ""),
        ("might == brave", "cannot be compared", ""),
        ("side < 'left'", "compares numbers", ""),
        ("might is 1", "write ==", ""),
        ("().__class__", "an empty list", ""),
        ("might.__class__", "has no field '__class__'", ""),
        ("__import__('os')", "unknown function", ""),
        ("(lambda: 1)()", "only the named functions", ""),
        ("[f for f in faces for g in faces]", "one `for name in list`", ""),
        ("[might for might in faces]", "already a name", ""),
        ("1 if might > 300 else 2", "always false", ""),
        ("might if brave else side", "both branches must be of one type", ""),
        ("might +", "not a formula", ""),
        ("f'{might}'", "not part of the formula language", ""),
        ("might := 3", "not a formula", ""),
        ("max()", "max takes", ""),
        ("faces[side]", "a position in a list is a number", ""),
    ],
)
def test_refuses(text: str, message: str, suggestion: str) -> None:
    with pytest.raises(FormulaError) as caught:
        Formula.of(text, SCOPE)
    assert message in caught.value.message
    assert caught.value.suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("might > 200", False),
        ("might >= 0", True),
        ("roll.total < 1", False),
        ("down(might / 10) > 20", False),
        ("count(faces) < 0", False),
        ("might > 100", None),
        ("clamp(bonus, 0, 5) > 5", False),
        ("brave or might >= 0", True),
    ],
)
def test_tells_conditions_that_cannot_change(text: str, known: bool | None) -> None:
    kind = Formula.of(text, SCOPE).type
    assert isinstance(kind, Bool) and kind.known is known


def test_errors_at_run_time_are_plain() -> None:
    with pytest.raises(RulesError, match="division by zero"):
        Formula.of("down(might / (bonus + 3))", SCOPE)(FRAME)
    with pytest.raises(RulesError, match="none at position 9"):
        value("faces[9]")
    with pytest.raises(RulesError, match="max of an empty list"):
        value("max(f for f in faces if f == 7)")


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(FormulaError, match="at most 1000 characters"):
        Formula.of("1+" * 600 + "1", SCOPE)
    with pytest.raises(FormulaError):
        Formula.of("(" * 400 + "1" + ")" * 400, SCOPE)
    with pytest.raises(FormulaError, match="too large"):
        Formula.of("+".join(["1"] * 300), SCOPE)


def test_explanation_names_the_operands() -> None:
    why = Formula.of("down(might / 10) + rank['climb'] + (bonus if brave else 100)", SCOPE).explain(FRAME)
    assert why.value == 4
    assert [(part.source, part.value) for part in why.parts] == [
        ("might", 57),
        ("rank['climb']", 2),
        ("brave", True),
        ("bonus", -3),
    ]


# A grammar of well-typed formulas, each with its own way to work out the value.

numbers = st.integers(-50, 50)


@st.composite
def formulas(draw: st.DrawFn, depth: int = 3) -> str:
    """A well-typed number formula, at most `depth` deep."""
    shape = draw(st.integers(0, 7)) if depth else 0
    inner = formulas(depth - 1) if depth else st.nothing()
    if shape == 0:
        return draw(st.one_of(numbers.map(lambda n: f"({n})"), st.sampled_from(["might", "bonus"])))
    a, b = draw(inner), draw(inner)
    if shape <= 3:
        return f"({a} {'+-*'[shape - 1]} {b})"
    if shape == 4:
        return f"{draw(st.sampled_from(['max', 'min']))}({a}, {b})"
    if shape == 5:
        by, how = draw(st.sampled_from([2, 3, 10])), draw(st.sampled_from(["down", "up", "near", "toward_zero"]))
        return f"{how}({a} / {by})"
    if shape == 6:
        return f"({a} if bonus {draw(st.sampled_from(['<', '<=', '==', '!=']))} {draw(numbers)} else {b})"
    return f"sum(f + {draw(numbers)} for f in faces if f > bonus)"


@settings(max_examples=150, deadline=None)
@given(formulas(), st.integers(0, 200), numbers)
def test_compiled_and_explained_agree_and_stay_in_bounds(text: str, might: int, bonus: int) -> None:
    try:
        formula = Formula.of(text, SCOPE)
    except FormulaError as exc:
        assert "always" in exc.message
        return
    frame = {**FRAME, "might": might, "bonus": bonus}
    found = formula(frame)
    assert formula.explain(frame).value == found
    kind = formula.type
    assert isinstance(kind, Int)
    assert kind.low is None or kind.low <= found
    assert kind.high is None or found <= kind.high


@given(st.integers(-1000, 1000), st.integers(1, 40))
def test_roundings_are_exact(a: int, b: int) -> None:
    exact = Fraction(a, b)
    scope = Scope({"a": Int(), "b": Int()})
    frame = {"a": a, "b": b}
    assert Formula.of("down(a / b)", scope)(frame) == floor(exact)
    assert Formula.of("up(a / b)", scope)(frame) == ceil(exact)
    assert Formula.of("near(a / b)", scope)(frame) == floor(exact + Fraction(1, 2))
    assert Formula.of("toward_zero(a / b)", scope)(frame) == int(exact)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="might bonus faces()[]{}'\"+-*/%<>=!.,:0123456789_lambdaifelsefornotn\\\n\t", max_size=60))
def test_any_text_is_a_formula_or_a_clean_error(text: str) -> None:
    try:
        formula = Formula.of(text, SCOPE)
    except FormulaError:
        return
    with contextlib.suppress(RulesError):
        assert formula(FRAME) == formula.explain(FRAME).value
