"""Kinds, pairs and ratings: the ledger's worked examples, restated, and what holds of every pair."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import pairs
from rules.bindings import check_bindings, with_settings
from rules.refusal import Refused
from tests.rules.spindrift import Table, pair_rules

KINDS = {
    "character": ("personality", 10),
    "faction": ("ethos", 5),
    "house": ("traditions", 5),
}
ORDER = {
    "personality": "bold_cautious trusting_suspicious merciful_severe forthright_subtle open_reserved "
    "passionate_tempered proud_humble dutiful_self_directed patient_impulsive conventional_experimental",
    "ethos": "traditional_reformist hierarchical_collegial open_secretive idealistic_pragmatic insular_cosmopolitan",
    "traditions": "dynastic_individual ancestral_adaptive insular_entangled stewarding_aspirational "
    "harmonious_competitive",
}


def refused(table: Table, command: Any, **more: Any) -> str:
    with pytest.raises(Refused) as no:
        table.pair(command, **more)
    return no.value.code


def face_list(*faces: int) -> Any:
    left = list(faces)
    return lambda sides: left.pop(0)


@pytest.mark.parametrize("holder", KINDS)
def test_each_kind_of_subject_has_its_own_pairs(holder: str) -> None:
    """SPI-001."""
    kind = pairs.kind_of(pair_rules(), holder)
    assert (kind.id, len(kind.pairs)) == KINDS[holder]


def test_no_holder_has_another_kinds_pairs() -> None:
    """SPI-001."""
    table = Table()
    table.holder("merrow", "house", dynastic=10)
    assert (
        refused(table, pairs.SetRating(subject="merrow", side="personality.bold", rating=12)) == "pair_not_of_this_kind"
    )
    assert refused(table, pairs.OpenPairs(subject="x", subject_kind="ship")) == "no_pairs_of_this_kind"
    assert refused(table, pairs.OpenPairs(subject="merrow", subject_kind="house")) == "pairs_exist"


@pytest.mark.parametrize("kind", ORDER)
def test_pairs_stand_in_their_order_and_are_called_after_their_sides(kind: str) -> None:
    """SPI-077 to 086, 111 to 115, 119 to 123."""
    own = pairs.kind_named(pair_rules(), kind)
    assert [pair.id for pair in own.pairs] == ORDER[kind].split()
    assert all(pair.id == f"{pair.sides[0].id}_{pair.sides[1].id}" for pair in own.pairs)


@pytest.mark.parametrize(
    ("key", "opposite"),
    [
        ("personality.open", "personality.reserved"),
        ("ethos.open", "ethos.secretive"),
        ("ethos.insular", "ethos.cosmopolitan"),
        ("traditions.insular", "traditions.entangled"),
    ],
)
def test_keys_carry_the_kind(key: str, opposite: str) -> None:
    """SPI-087."""
    assert pairs.side_keyed(pair_rules(), key).opposite.key == opposite


def test_forty_sides_of_thirty_eight_names() -> None:
    """SPI-087."""
    names = [side.id for kind in pair_rules().kinds for pair in kind.pairs for side in pair.sides]
    assert (len(names), len(set(names))) == (40, 38)


@pytest.mark.parametrize(
    ("holder", "side", "rating", "pair", "after"),
    [
        ("character", "bold", 14, "bold_cautious", (14, 6)),
        ("character", "bold", 9, "bold_cautious", (9, 11)),
        ("house", "adaptive", 3, "ancestral_adaptive", (17, 3)),
        ("faction", "pragmatic", 10, "idealistic_pragmatic", (10, 10)),
        ("character", "patient", 20, "patient_impulsive", (20, 0)),
    ],
)
def test_setting_one_side_sets_the_other(holder: str, side: str, rating: int, pair: str, after: Any) -> None:
    """SPI-003, SPI-004, SPI-077."""
    table = Table()
    table.holder("h", holder, **{pairs.kind_of(pair_rules(), holder).pairs[0].sides[0].id: 10})
    table.pair(pairs.SetRating(subject="h", side=side, rating=rating))
    assert table.ratings(pair, "h") == after


@pytest.mark.parametrize(
    ("rating", "code"),
    [(21, "rating_out_of_range"), (-1, "rating_out_of_range"), (11.5, "rating_not_whole"), (True, "rating_not_whole")],
)
def test_ratings_outside_are_refused_with_what_would_be_right(rating: Any, code: str) -> None:
    """SPI-004."""
    with pytest.raises(Refused) as no:
        pairs.checked_rating(pair_rules(), rating)
    assert (no.value.code, no.value.right) == (code, "a whole number from 0 to 20")


def test_a_pair_given_whole_must_total() -> None:
    """SPI-003."""
    kind = pairs.kind_named(pair_rules(), "ethos")
    with pytest.raises(Refused) as no:
        pairs.checked_pair(pair_rules(), kind, {"traditional": 12, "reformist": 9})
    assert no.value.code == "pair_must_total_20"
    assert pairs.checked_pair(pair_rules(), kind, {"reformist": 8, "traditional": 12})[1] == 12
    with pytest.raises(Refused, match="both sides of one pair"):
        pairs.checked_pair(pair_rules(), kind, {"reformist": 8, "open": 12})


@pytest.mark.parametrize(("result", "side", "pair"), [(6, "humble", (14, 6)), (6, "proud", (6, 14))])
def test_a_low_result_is_a_strong_opposite(result: int, side: str, pair: Any) -> None:
    """SPI-091."""
    table = Table()
    table.pair(pairs.OpenPairs(subject="t", subject_kind="character"))
    table.pair(pairs.RollArray(subject="t"), lambda faces: (result - 2) // 2)
    table.pair(pairs.PlaceArray(subject="t", placed={side: 1}))
    assert table.ratings("proud_humble", "t") == pair


def test_a_character_from_array_to_confirmation() -> None:
    """SPI-089, the ledger's whole example."""
    table = Table()
    table.pair(pairs.OpenPairs(subject="t", subject_kind="character"))
    assert refused(table, pairs.PlaceArray(subject="t", placed={"proud": 1})) == "roll_all_first"
    faces = (8, 8, 1, 1, 3, 5, 4, 6, 2, 7, 6, 6, 5, 8, 1, 4, 7, 7, 2, 3)
    (rolled,) = table.pair(pairs.RollArray(subject="t"), face_list(*faces))
    assert rolled.results == (18, 4, 10, 12, 11, 14, 15, 7, 16, 7)
    assert refused(table, pairs.RollArray(subject="t")) == "no_reroll"
    assert refused(table, pairs.PlaceArray(subject="t", placed={"bold": 1, "trusting": 1})) == "result_already_used"
    assert refused(table, pairs.PlaceArray(subject="t", placed={"bold": 1, "cautious": 2})) == "pair_already_set"
    assert refused(table, pairs.PlaceArray(subject="t", placed={"bold": 11})) == "unknown_result"
    sides = ["bold", "suspicious", "merciful", "forthright", "reserved", "passionate", "proud"]
    sides += ["self_directed", "patient", "experimental"]
    placed = {side: place for place, side in enumerate(sides, 1)}
    table.pair(pairs.PlaceArray(subject="t", placed={side: place for side, place in placed.items() if place < 10}))
    assert refused(table, pairs.ConfirmPairs(subject="t")) == "assign_all"
    assert refused(table, pairs.SetRating(subject="t", side="bold", rating=9)) == "still_in_creation"
    table.pair(pairs.PlaceArray(subject="t", placed=placed))
    table.pair(pairs.ConfirmPairs(subject="t"))
    kind = pairs.kind_named(pair_rules(), "personality")
    assert [table.ratings(pair.id, "t") for pair in kind.pairs] == [
        (18, 2), (16, 4), (10, 10), (12, 8), (9, 11), (14, 6), (15, 5), (13, 7), (16, 4), (13, 7)
    ]  # fmt: skip
    assert refused(table, pairs.PlaceArray(subject="t", placed=placed)) == "already_confirmed"
    own = table.pairs.subjects["t"]
    assert (own.results, own.placed, own.changes) == ([], {}, [])


def test_the_array_is_for_kinds_that_have_one() -> None:
    """SPI-126."""
    table = Table()
    table.pair(pairs.OpenPairs(subject="h", subject_kind="house"))
    assert refused(table, pairs.RollArray(subject="h")) == "array_not_for_this_kind"


def test_what_is_not_entered_stands_at_ten() -> None:
    """SPI-126."""
    table = Table()
    table.holder("f", "faction", secretive=15)
    kind = pairs.kind_named(pair_rules(), "ethos")
    assert [table.ratings(pair.id, "f") for pair in kind.pairs] == [(10, 10), (10, 10), (5, 15), (10, 10), (10, 10)]
    command = pairs.OpenPairs(subject="g", subject_kind="faction", ratings={"open": 5, "secretive": 14})
    assert refused(table, command) == "pair_must_total_20"


def test_what_an_array_yields() -> None:
    """SPI-090."""
    start = pairs.kind_named(pair_rules(), "personality").start
    assert isinstance(start, pairs.ArrayStart)
    counts = pairs.array_counts(start)
    assert counts == dict(zip(range(4, 19), [1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1], strict=True))
    assert sum(ways for result, ways in counts.items() if result > 10) == 36
    assert sum(result * ways for result, ways in counts.items()) == 11 * 64


@pytest.mark.parametrize(
    ("first", "changes", "after", "lost"),
    [
        (11, [("humble", 2)], (9, 11), [0]),
        (11, [("humble", 1), ("humble", 1), ("proud", 1)], (10, 10), [0, 0, 0]),
        (18, [("proud", 3)], (20, 0), [1]),
        (19, [("proud", 2), ("humble", 1)], (19, 1), [1, 0]),
    ],
)
def test_lifepath_moves_at_once_and_loses_what_passes_the_end(
    first: int, changes: Any, after: Any, lost: list[int]
) -> None:
    """SPI-108, SPI-109."""
    table = Table()
    table.pairs.subjects["t"] = pairs.SubjectPairs(
        kind="personality", low=0, high=20, ratings={"proud_humble": first}, ready=False
    )
    steps = tuple(pairs.Change(toward=side, by=by) for side, by in changes)
    (event,) = table.pair(pairs.ApplyLifepath(subject="t", changes=steps))
    assert table.ratings("proud_humble", "t") == after
    assert list(event.lost) == lost


def test_lifepath_is_over_when_play_begins() -> None:
    """SPI-108."""
    table = Table()
    table.holder("t", "character", proud=11)
    steps = (pairs.Change(toward="humble", by=1),)
    assert refused(table, pairs.ApplyLifepath(subject="t", changes=steps)) == "only_during_creation"


def test_a_new_placement_keeps_the_lifepath() -> None:
    table = Table()
    table.pair(pairs.OpenPairs(subject="t", subject_kind="character"))
    table.pair(pairs.RollArray(subject="t"), lambda faces: 4)
    steps = (pairs.Change(toward="humble", by=2),)
    assert refused(table, pairs.ApplyLifepath(subject="t", changes=steps)) == "pair_not_placed"
    table.pair(pairs.PlaceArray(subject="t", placed={"proud": 1}))
    table.pair(pairs.ApplyLifepath(subject="t", changes=steps))
    assert table.ratings("proud_humble", "t") == (8, 12)
    table.pair(pairs.PlaceArray(subject="t", placed={"humble": 2, "bold": 1}))
    assert table.ratings("proud_humble", "t") == (8, 12)  # humble 10, two more toward humble: 12
    assert table.ratings("bold_cautious", "t") == (10, 10)


def test_holders_do_not_move_each_other() -> None:
    """SPI-005."""
    table = Table()
    table.holder("merrow", "house", harmonious=11)
    table.holder("t", "character", dutiful=12)
    table.pair(pairs.ShiftPair(subject="merrow", toward="competitive"))
    assert table.ratings("harmonious_competitive", "merrow") == (10, 10)
    assert table.ratings("dutiful_self_directed", "t") == (12, 8)
    table.pair(pairs.ShiftPair(subject="t", toward="self_directed"))
    assert table.ratings("dutiful_self_directed", "t") == (11, 9)
    assert table.ratings("harmonious_competitive", "merrow") == (10, 10)


def test_a_side_at_its_end_goes_no_further() -> None:
    table = Table()
    table.holder("t", "character", bold=20)
    assert refused(table, pairs.ShiftPair(subject="t", toward="bold")) == "side_at_end"
    (event,) = table.pair(pairs.ShiftPair(subject="t", toward="cautious", by=25))
    assert (event.by, event.lost, table.ratings("bold_cautious", "t")) == (20, 5, (0, 20))


def test_an_unknown_name_gets_the_nearest() -> None:
    table = Table()
    table.holder("t", "character", bold=12)
    with pytest.raises(Refused) as no:
        table.pair(pairs.SetRating(subject="t", side="bould", rating=3))
    assert (no.value.field, no.value.value, no.value.right) == ("side", "bould", "bold")


def test_the_packs_data_is_sound_and_faults_are_named() -> None:
    rules = pair_rules()
    assert pairs.check_pairs(rules) == []
    twice = msgspec.structs.replace(rules, kinds=(*rules.kinds, rules.kinds[1]), low=15)
    assert {fault.path for fault in pairs.check_pairs(twice)} >= {
        "high",
        "kinds",
        "kinds.0.start",
        "kinds.1.start.rating",
    }


def test_settings_of_a_campaign_reach_the_rules() -> None:
    rules = pair_rules()
    declared = {
        "identity.rating_min": 0,
        "identity.rating_max": 20,
        "identity.lifepath_overflow": "lost",
        "identity.array_side": "player_choice",
        "identity.array_reroll": "none",
        "identity.collective_start": "gm_enters",
    }
    assert check_bindings(rules, declared) == []
    assert [fault.path for fault in check_bindings(rules, {**declared, "identity.rating_max": 19})] == ["settings.high"]
    bound = with_settings(rules, {"identity.rating_max": 18, "identity.array_side": "first", "other.key": 1})
    start = pairs.kind_named(bound, "personality").start
    assert bound.high == 18 and isinstance(start, pairs.ArrayStart) and start.side == "first"
    with pytest.raises(Refused) as no:
        with_settings(rules, {"identity.array_side": "worst"})
    assert (no.value.code, no.value.field) == ("setting_value_wrong", "identity.array_side")


moves = st.lists(
    st.tuples(st.sampled_from(["set", "shift"]), st.sampled_from(["bold", "cautious"]), st.integers(1, 20)), max_size=30
)


@given(moves)
def test_whatever_happens_a_pair_totals_and_stays_in_range(steps: list[tuple[str, str, int]]) -> None:
    """SPI-003, SPI-004; and a replay of the events gives the same ratings."""
    table = Table()
    table.holder("t", "character", bold=14)
    for what, side, amount in steps:
        command = (
            pairs.SetRating(subject="t", side=side, rating=amount)
            if what == "set"
            else pairs.ShiftPair(subject="t", toward=side, by=amount)
        )
        try:
            table.pair(command)
        except Refused as no:
            assert no.code == "side_at_end"
        first, second = table.ratings("bold_cautious", "t")
        assert first + second == 20 and 0 <= first <= 20
        event = table.log[-1]
        assert event.after == first if hasattr(event, "after") else first == 14
    again = pairs.PairsState()
    for event in table.log:
        pairs.evolve(again, event)
    assert again == table.pairs
