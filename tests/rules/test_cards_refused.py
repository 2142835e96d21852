"""What the loader refuses in cards that act: every wrong name, at its place, with the right one."""

from __future__ import annotations

import pytest

from rules.problems import PackError
from tests.rules.duel import duel

WRONG = {
    "a moment nobody declares": (
        "reactions: {x: {title: X, at: struk, steps: [{narrate: a}]}}",
        "no moment is called 'struk'",
        "struck",
    ),
    "a role the moment has not": (
        "reactions: {x: {title: X, at: struck, of: {targit: self}, steps: [{narrate: a}]}}",
        "has no role 'targit'",
        "target",
    ),
    "a value the moment has not": (
        "reactions: {x: {title: X, at: struck, steps: [{set: {moment.damge: 0}}]}}",
        "no value 'damge'",
        "damage",
    ),
    "somebody in a role cannot be changed": (
        "reactions: {x: {title: X, at: struck, steps: [{set: {moment.target: 0}}]}}",
        "no value 'target'",
        "",
    ),
    "a stat to pay with": (
        "actions: {x: {title: X, cost: {app: 1}, steps: [{narrate: a}]}}",
        "no number 'app' to pay with",
        "ap",
    ),
    "a role a limit counts by": (
        "actions: {x: {title: X, limit: {per: turn, of: targ}, roles: {target: {kinds: [beast]}}, "
        "steps: [{narrate: a}]}}",
        "no role here is called 'targ'",
        "target",
    ),
    "whose action": (
        "actions: {x: {title: X, steps: [{act: usr, who: user}]}}",
        "'usr'",
        "user",
    ),
    "what is read of an action": (
        "actions: {x: {title: X, steps: [{act: user, who: user, where: option.app == 1}]}}",
        "app",
        "ap",
    ),
    "how large somebody grows": (
        "actions: {x: {title: X, steps: [{grow: user}]}}",
        "say how many squares a side",
        "",
    ),
    "what lies on the ground": (
        "actions: {x: {title: X, when: \"count(areas('hege')) > 0\", steps: [{narrate: a}]}}",
        "no card is called 'hege'",
        "hedge",
    ),
    "a trigger of a rest asks nobody": (
        "triggers: [{at: long_rest_end, kinds: [beast], steps: [{ask: y, flag: true, who: gm}]}]",
        "it cannot ask 'y'",
        "",
    ),
    "a card that is granted": ("grants: [{card: parying}]", "no card is called 'parying'", "parrying"),
    "a condition no kind can read": (
        "grants: [{card: parrying, when: migt > 3}]",
        "unknown name 'migt'",
        "might",
    ),
    "a kind that uses it": (
        "actions: {x: {title: X, kinds: [fihter], steps: [{narrate: a}]}}",
        "no kind of subject is called 'fihter'",
        "fighter",
    ),
    "what a moment is given": (
        "actions: {x: {title: X, steps: [{moment: dropping, with: {target: user, stnds: true}}]}}",
        "the moment has no 'stnds'",
        "stands",
    ),
    "what a moment needs": (
        "actions: {x: {title: X, steps: [{moment: struck, with: {actor: user, target: user}}]}}",
        "needs 'damage'",
        "",
    ),
    "a way to move": (
        "actions: {x: {title: X, steps: [{move: user}]}}",
        "say where",
        "",
    ),
    "toward without how far": (
        "actions: {x: {title: X, steps: [{move: user, toward: user}]}}",
        "needs a `distance`",
        "",
    ),
    "an area's card": (
        "actions: {x: {title: X, steps: [{place: tempst, at: user}]}}",
        "no card is called 'tempst'",
        "tempest",
    ),
    "whom it may be used on": (
        "actions: {x: {title: X, roles: {target: {kinds: [beast], where: distnce(user) < 3}}, steps: [{narrate: a}]}}",
        "unknown function 'distnce'",
        "distance",
    ),
    "among whom": (
        "actions: {x: {title: X, steps: [{ask: one, among: user.hp}]}}",
        "a list of subjects is wanted",
        "",
    ),
    "an instant": (
        "triggers: [{at: turn_strt, kinds: [beast], steps: [{narrate: a}]}]",
        "no instant is called 'turn_strt'",
        "turn_start",
    ),
    "a board where there is none": (
        "modifiers: [{stat: guard, add: count(everyone())}]",
        "there is no board to read here",
        "",
    ),
    "a word that does not belong": (
        "actions: {x: {title: X, steps: [{move: user, toward: user, distance: 1, dice: 1d6}]}}",
        "`dice` does not go with `move`",
        "distance",
    ),
    "a field of the language": (
        "actions: {x: {title: X, cots: {ap: 1}, steps: [{narrate: a}]}}",
        "unknown field 'cots'",
        "cost",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_name_is_refused_with_the_right_one(name: str) -> None:
    entry, message, right = WRONG[name]
    body = entry.replace("\n", " ")
    more = f"cards:\n  kit:\n    odd:\n      title: Odd\n      {body}\n"
    with pytest.raises(PackError) as refused:
        duel(more)
    problems = [problem for problem in refused.value.problems if problem.level == "error"]
    assert len(problems) == 1, problems
    assert message in problems[0].message, problems[0]
    assert problems[0].suggestion == right
    assert (problems[0].file, problems[0].line) == ("more.yaml", 5)


def test_an_encounter_needs_what_it_names() -> None:
    for before, after, message in (
        ("holds: [everybody]", "holds: [evrybody]", "no card is called 'evrybody'"),
        ("budgets: [ap, steps]", "budgets: [app, steps]", "have no stat 'app'"),
        (
            "kinds: [fighter, beast]\n  holds",
            "kinds: [fightr, beast]\n  holds",
            "no kind of subject is called 'fightr'",
        ),
        ("initiative: swift", "initiative: swft", "no test is called 'swft'"),
    ):
        with pytest.raises(PackError) as refused:
            duel(change=(before, after))
        assert any(message in problem.message for problem in refused.value.problems), (after, refused.value)
