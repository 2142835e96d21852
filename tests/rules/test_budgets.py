"""No pack can hang the engine or fill its memory: what would, is refused at load or stopped with a plain error."""

from __future__ import annotations

import textwrap
from fractions import Fraction

import pytest

from rules.board.geometry import FARTHEST, line
from rules.dice import ChosenDice
from rules.formulas import effort
from rules.problems import BudgetExceeded
from rules.sheets.subject import Subject
from rules.tests import odds, run
from tests.rules.small import one_test, pack, problems

LOOPED = """
card_types: {condition: {title: Condition, by_hand: true}}
cards: {condition: {looped: {title: Looped, modifiers: [%s]}}}
"""


def hero(stats: str, more: str = "") -> str:
    return "kinds:\n  hero:\n    title: Hero\n    stats:\n" + textwrap.indent(stats, "      ") + "\n" + more


def messages(text: str) -> list[str]:
    """What the loader says, without the places."""
    return [line.partition(" ")[2].rpartition(" (")[0] for line in problems(text)]


def stepped(*steps: str, outcomes: str = "done: {title: Done}") -> str:
    """One test of these steps."""
    lines = "\n".join(f"- {step}" for step in steps)
    ends = "" if "outcome:" in lines else "\n- {outcome: done}"
    return one_test(lines + ends, more=f"outcomes: {{{outcomes}}}")


@pytest.mark.parametrize(
    ("stats", "more", "said"),
    [
        ("hp: {type: int, default: 1, at_most: hp}", "", "hp needs itself"),
        (
            "hp: {type: int, default: 1, at_most: mp}\nmp: {type: int, default: 1, at_most: hp}",
            "",
            "hp needs itself, through mp",
        ),
        (
            "hp: {type: int, default: 1, at_most: d}\nd: {type: int, formula: hp + 1}",
            "",
            "hp needs itself, through d",
        ),
        ("hp: {type: int, default: 1}", LOOPED % "{stat: hp, add: hp}", "hp needs itself"),
        (
            "hp: {type: int, default: 1}\nmp: {type: int, default: 1}",
            LOOPED % "{stat: hp, add: mp}, {stat: mp, add: 1, when: hp > 2}",
            "hp needs itself, through mp",
        ),
    ],
)
def test_a_number_that_needs_itself_is_refused(stats: str, more: str, said: str) -> None:
    assert said in messages(hero(stats, more))


def test_a_chain_of_numbers_has_an_end() -> None:
    def chain(count: int) -> str:
        return "\n".join(["hp: {type: int, default: 1}", "s0: {type: int, formula: hp}"]) + "".join(
            f"\ns{at}: {{type: int, formula: s{at - 1} + s{at - 1}}}" for at in range(1, count)
        )

    pack(hero(chain(39)))
    assert messages(hero(chain(3_000))) == ["s39 ends a chain of more than 40 numbers, each made from the one before"]


def functions(count: int, body: str) -> str:
    first = "functions:\n  f0: {takes: {x: {type: int}}, value: x}\n"
    return first + "".join(
        f"  f{at}: {{takes: {{x: {{type: int}}}}, value: {body.replace('f', f'f{at - 1}')}}}\n"
        for at in range(1, count)
    )


def test_functions_that_double_are_refused_where_it_becomes_too_much() -> None:
    """f of n is a sum, two calls and their arguments more than twice f of n - 1: 6 * 2^n - 5 nodes, 3,067 for 9."""
    told = messages(functions(30, "f(x) + f(x)"))
    assert told[0].startswith("f9 is too much work")


def test_functions_go_so_deep_and_no_deeper() -> None:
    told = messages(functions(3_000, "f(x) + 1"))
    assert told[0] == "f41 is too deep: functions may call one another 40 deep"


def test_procedures_go_so_deep_and_no_deeper() -> None:
    chain = "procedures:\n  p0: {steps: [{narrate: There}]}\n"
    chain += "".join(f"  p{at}: {{steps: [{{call: p{at - 1}}}]}}\n" for at in range(1, 300))
    assert "too deep: procedures may call one another 40 deep" in messages(chain + stepped("{call: p299}"))


WALKED = """
functions:
  walked: {takes: {l: {type: list, of: {type: int}}}, value: "sum(sum(1 for b in l if b > a) for a in l)"}
"""
ROLLED = "{roll: a, dice: 90d2}"


@pytest.mark.parametrize(
    "steps",
    [
        ("{let: {l: a.faces}}", '{repeat: 30, as: k, steps: [{let: {l: "joined(l, l)"}}]}'),
        ('{let: {z: "sum(sum(sum(1 for d in a.faces) for c in a.faces) for b in a.faces)"}}',),
        ('{let: {z: "sum(walked(a.faces) for b in a.faces)"}}',),
    ],
    ids=["doubled", "lists within lists", "lists within functions"],
)
@pytest.mark.parametrize("trace", [True, False])
def test_lists_that_grow_beyond_measure_end_the_run(steps: tuple[str, ...], trace: bool) -> None:
    found = pack(WALKED + stepped(ROLLED, *steps))
    for _ in range(5):  # so often that the steps have become one function
        with pytest.raises(BudgetExceeded, match="at most 1000 items|too many lists"):
            run(found, "it", {}, dice=ChosenDice([1] * 90), trace=trace)


def test_a_long_game_wears_no_meter_out() -> None:
    """What one formula walks is forgotten with the next."""
    found = pack(stepped("{roll: a, dice: 30d2}", '{let: {z: "sum(sum(1 for e in a.faces) for d in a.faces)"}}'))
    for _ in range(effort.MOST_WALKED // 900 + 1):
        assert run(found, "it", {}, dice=ChosenDice([1] * 30), trace=False).status == "done"


def test_lines_are_no_longer_than_any_board() -> None:
    assert len(line((0, 0), (5, 0), 100_000_000)) == FARTHEST


def test_the_ways_of_odds_are_whole_where_branches_roll_different_dice() -> None:
    """1/2 of 1/3 and 1/2 of 1/5 is 4/15: eight of thirty rolls."""
    branch = "{roll: b, sides: 3 if a.total == 1 else 5}"
    ends = ("{outcome: x, when: b.total == 1}", "{outcome: y}")
    found = odds(pack(stepped("{roll: a, dice: 1d2}", branch, *ends, outcomes="x: {title: X}, y: {title: Y}")), "it")
    assert (found.outcomes["x"], found.of) == (Fraction(4, 15), 30)
    assert (found.ways("x"), found.ways("y")) == (8, 22)


def test_odds_are_told_of_facts_that_can_be_counted() -> None:
    """A record among the facts has no chances of its own; the others do."""
    given = "m: {type: modifiers, default: [{type: a, value: 1, source: b}]}"
    text = one_test(
        "- {roll: d, dice: d2}\n- {outcome: done}", given, "outcomes: {done: {title: Done}}\nfacts: {m: m, d: d.total}"
    )
    found = odds(pack(text), "it")
    assert found.facts == {"d": {1: Fraction(1, 2), 2: Fraction(1, 2)}}


def test_tables_and_settings_that_cannot_be() -> None:
    assert messages("tables: {t: {rows: []}}\n") == ["a table has a row at least"]
    assert problems("tests: {}", settings="settings: {a: {type: int, default: 1}, a.b: {type: int, default: 5}}")[
        0
    ].endswith("'a.b' is a setting beside a section of settings called the same: rename one ()")


def test_nobody_holds_cards_without_number() -> None:
    text = hero("hp: {type: int, default: 1}", "card_types: {mark: {title: Mark, by_hand: true}}\n")
    text += "cards: {mark: {spark: {title: Spark, stacks: count}}}\n"
    three = ", ".join(["{apply: spark, of: who}"] * 3)
    steps = f"- {{repeat: 100, as: k, steps: [{three}]}}\n- {{outcome: done}}"
    text += one_test(steps, more="roles: {who: {kinds: [hero]}}\noutcomes: {done: {title: Done}}")
    with pytest.raises(BudgetExceeded, match="would hold more than 200 cards"):
        run(
            pack(text),
            "it",
            {},
            dice=ChosenDice([]),
            subjects={"who": Subject(id="ana", kind="hero", values={}, held=[])},
        )


PRODUCTS = "sum(sum(f * g for g in d.faces) for f in d.faces)"


@pytest.mark.parametrize(("times", "trace"), [(40, False), (8, True)])
def test_all_formulas_of_one_command_have_one_budget(times: int, trace: bool) -> None:
    """Each formula stays below its own bound of 400,000: 250 * 250 faces at three nodes. Forty of them are more than
    two million together; told step by step, eight are."""
    again = "{repeat: " + str(times) + ", as: a, steps: [{let: {u: '" + PRODUCTS + "'}}]}"
    slow = pack(stepped("{roll: d, count: 250, sides: 6}", again))
    faces = [1] * 250
    assert run(slow, "it", {}, ChosenDice(list(faces)), trace=False).status == "done"
    with effort.budget(), pytest.raises(BudgetExceeded, match="one command"):
        run(slow, "it", {}, ChosenDice(list(faces)), trace=trace)
    assert effort.METER.left is None


def test_a_budget_within_another_is_its_rest() -> None:
    with effort.budget():
        effort.METER.left = 10
        with effort.budget():
            assert effort.METER.left == 10
        assert effort.METER.left == 10
    assert effort.METER.left is None


def test_long_lists_count_however_simple_the_walk_and_heavy_functions_do() -> None:
    with effort.budget():
        effort.simple([1] * (effort.FEW - 1), 3)
        assert effort.METER.left == effort.MOST_IN_ALL
        effort.simple([1] * effort.FEW, 3)
        assert effort.METER.left == effort.MOST_IN_ALL - 3 * effort.FEW
        effort.charged(0, 500)
        assert effort.METER.left == effort.MOST_IN_ALL - 3 * effort.FEW - 500
