"""Values in words: whatever a pack's inputs and stats hold, no piece of a program is shown to people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from rules.packs import Pack, load_pack, pack_ids
from rules.packs.schema import Spec
from rules.packs.wording import changed, said, told
from tests.rules.small import one_test, pack

RAW = re.compile(r"[{}\[\]_]|\bNone\b|\bTrue\b|\bFalse\b|\bunset\b|'[a-z_]+'")


def a_value(found: Pack, spec: Spec, dice: Random) -> Any:
    """Some value that fits a declaration."""
    if spec.each is not None:
        inner = replace(spec, each=None)
        return {key: a_value(found, inner, dice) for key in dice.sample(list(found.cards[spec.each]), 2)}
    optional = ["none"] * spec.optional
    match spec.type:
        case "int":
            return dice.randint(spec.min if spec.min is not None else -9, spec.max if spec.max is not None else 99)
        case "flag":
            return dice.random() < 0.5
        case "name":
            return dice.choice([*(spec.options or ()), *optional])
        case "card":
            return dice.choice([*found.cards.get(spec.card or "", {}), *optional] or ["none"])
        case "list":
            assert spec.of is not None
            return [a_value(found, spec.of, dice) for _ in range(dice.randint(0, 3))]
        case "record":
            return {name: a_value(found, inner, dice) for name, inner in spec.fields.items()}
        case "modifiers":
            return [{"value": dice.randint(-9, 9), "source": "a map"} for _ in range(dice.randint(0, 3))]
        case "place":
            return {"x": 1, "y": 2}
    return dice.choice(["", "a word", "two words more"])


def declared(found: Pack) -> Iterator[tuple[str, Spec]]:
    """Every input and every stat of a pack."""
    for test, program in found.tests.items():
        yield from ((f"{test}.{name}", spec) for name, spec in program.spec.inputs.items())
    for kind, plan in found.kinds.items():
        yield from ((f"{kind}.{name}", stat.spec) for name, stat in plan.stats.items())


@pytest.mark.parametrize("pack_id", pack_ids())
def test_no_piece_of_a_program_is_shown(pack_id: str) -> None:
    found = load_pack(pack_id)
    dice = Random(7)
    for name, spec in list(declared(found)) * 25:
        before, after = a_value(found, spec, dice), a_value(found, spec, dice)
        lines = said(found, spec, after), told(found, spec, after), changed(found, "a_b", spec, "", before, after)
        assert not any(RAW.search(line) for line in lines), (name, after, lines)
        assert said(found, spec, after), (name, after)


@pytest.mark.parametrize("pack_id", pack_ids())
def test_what_nobody_said_is_left_out(pack_id: str) -> None:
    found = load_pack(pack_id)
    for name, spec in declared(found):
        unsaid = [spec.default, None, "none", [], {}, False]
        assert [told(found, spec, value) for value in unsaid] == [""] * len(unsaid), name


def test_records_are_told_by_their_fields() -> None:
    record = Spec(
        type="record",
        fields={
            "cause": Spec(type="name", options={"other": "other", "deep_dark": "the dark"}, default="other"),
            "number": Spec(title="Dice", default=1),
            "sure": Spec(type="flag"),
        },
    )
    found = pack(one_test("- {let: {t: 1}}"))
    listed = Spec(type="list", of=record)
    one = {"cause": "deep_dark", "number": 2, "sure": True}
    assert said(found, record, one) == "the dark, dice 2, sure"
    assert (
        told(found, listed, [one, {"cause": "other", "number": 3, "sure": False}]) == "the dark, dice 2, sure; dice 3"
    )
    assert said(found, record, {"cause": "other", "number": 1}) == "other, dice 1"
    assert said(found, Spec(type="modifiers"), [{"value": 2, "source": "map"}]) == "+2 (map)"
    assert changed(found, "list", listed, "", [], [one]) == "List: the dark, dice 2, sure comes to it"
    assert changed(found, "list", listed, "", [one], []) == "List: without the dark, dice 2, sure now"
    assert changed(found, "hit_points", Spec(), "", 3, 1) == "Hit points 3 \N{RIGHTWARDS ARROW} 1"
