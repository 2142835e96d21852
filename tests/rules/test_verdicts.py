"""How outcomes are told: in words with facts filled in, which show nobody more than they may know."""

from __future__ import annotations

import pytest

from rules.packs import load_pack, pack_ids
from rules.tests.texts import outcome_told
from tests.rules.small import one_test, pack, problems

STEPS = """
- {roll: d6, dice: d6}
- outcome: high
  when: d6.total > 3
  facts: {side: "'bold_one'"}
- outcome: low
"""
MORE = """
facts: {total: d6.total}
%s
outcomes:
  high: {title: High, told: "%s"}
  low: {title: Low}
"""


def text(told: str, more: str = "") -> str:
    return one_test(STEPS, "", MORE % (more, told))


def test_an_outcome_is_told_in_its_own_words() -> None:
    it = pack(text("{side} decides with {total}")).test("it").spec
    high, low = it.outcomes["high"], it.outcomes["low"]
    facts = {"side": "bold_one", "total": 5}
    assert outcome_told(high.title, high.told, facts, {}) == "Bold one decides with 5"
    assert outcome_told(low.title, low.told, facts, {}) == "Low"


@pytest.mark.parametrize(
    ("told", "more", "wrong"),
    [
        ("{sid} decides", "", "the outcome has no fact 'sid' (side)"),
        ("{side} of {total}", "published: [side]", "'total' must be among the published facts"),
        ("{total}", "shown: {totl: Total}", "the test has no fact 'totl' (total)"),
    ],
)
def test_words_with_facts_that_are_none_are_refused(told: str, more: str, wrong: str) -> None:
    assert wrong in problems(text(told, more))[0]


def test_words_show_no_secret() -> None:
    secret = """
    kinds: {hero: {title: Hero, stats: {luck: {type: int, default: 1, seen: gm}}}}
    tests:
      it:
        title: It
        roles: {who: {kinds: [hero]}}
        steps: [{outcome: done}]
        facts: {luck: who.luck}
        outcomes: {done: {title: Done, told: "{luck} of luck"}}
    """
    assert "everybody reads how an outcome is told" in problems(secret)[0]


def test_each_game_names_the_tests_that_are_called_most() -> None:
    for pack_id in pack_ids():
        tests = load_pack(pack_id).tests.values()
        assert [test.id for test in tests if test.spec.main], pack_id
        assert all(test.spec.outcomes or test.spec.published for test in tests if test.spec.main)
