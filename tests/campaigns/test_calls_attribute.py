"""Tests of the packs in play: called, rolled, pushed, adjusted and contested by those who may, hidden things kept."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns import seeds
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject, HandOverSubject
from campaigns.entrance import Answer
from campaigns.feed import newer
from campaigns.packs import Packs
from campaigns.parts.calls import Call, Calls
from campaigns.parts.sheets import Sheets
from campaigns.rolling import look_at
from campaigns.store import states
from identity.commands.pairs import EnterPairs
from rules.packs import load_pack
from rules.packs.schema import Input
from rules.packs.values import default_of
from rules.refusal import Refused
from rules.sheets import Actor
from tests.campaigns.tables import Table, make_table

CHECKS, TRAITS, PAIRS = "attribute-checks", "trait-tests", "spindrift-identity"
WORKED = [12, 12, 10, 9, 6, 4, 1]
"""the worked roll: four Passes"""


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Faces for the next rolls, in order; the real box records them."""
    faces: list[int] = []
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: faces.pop(0))
    return faces


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({CHECKS: "", TRAITS: ""})


@pytest.fixture
def herald(table: Table) -> str:
    return someone(table, "pia", "Herald", 26)


@pytest.fixture
def strongman(table: Table) -> str:
    subject: str = table.send("olga", CreateSubject(kind="npc", name="Strongman")).events[0].event.subject
    table.send("olga", ChangeSheet(subject=subject, pack=CHECKS, values={"natural_value": {"might": 84}}))
    return subject


def someone(table: Table, who: str, name: str, might: int) -> str:
    subject = table.character(who, name)
    table.send(who, ChangeSheet(subject=subject, pack=CHECKS, values={"natural_value": {"might": might}}))
    return subject


def call(table: Table, test: str, roles: dict[str, str], who: str = "olga", pack: str = CHECKS, **given: Any) -> str:
    if pack == CHECKS:
        given = {"attribute": "might", **given}
    command = CallTest(pack=pack, test=test, roles=roles, given=given)
    found: str = table.send(who, command).events[0].event.call
    return found


def open_call(table: Table, test: str) -> Call:
    with states.held(table.campaign_id) as state:
        return state.part(Calls).open[test]


def done(answer: Answer) -> Any:
    return next(event.event for event in answer.events if event.type == "test.resolved")


def refused(table: Table, who: str, command: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        table.send(who, command)
    return caught.value


def seen(table: Table, who: str, kind: str) -> dict[str, Any]:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return [e.view["data"] for e in newer(state, viewer, 0) if e.view["type"] == kind][-1]


# ------------------------------------------------------------------------------------------ adjusting


def test_a_check_is_called_by_the_gm_alone_and_named_after_its_attribute(table: Table, herald: str) -> None:
    command = CallTest(pack=CHECKS, test="attribute_check", roles={"hero": herald}, given={"attribute": "might"})
    assert refused(table, "pia", command).code == "not_allowed"
    assert table.send("olga", command).events[0].event.title == "Might Check"


def test_the_stronger_side_adjusts_and_nobody_else(table: Table, herald: str, strongman: str, dice: list[int]) -> None:
    """84 against 26 is a difference of 6: three Adjustments for a figure that the GM plays."""
    test = call(table, "opposed_check", {"hero": herald, "opponent": strongman})
    dice += WORKED
    table.send("pia", RollTest(call=test))
    assert open_call(table, test).ask["steps"] == 3
    assert open_call(table, test).ask["value"] == 4
    moves = [{"die": 2, "to": 11}, {"die": 4, "to": 8}, {"die": 6, "to": 3}]
    assert refused(table, "pia", RollTest(call=test, choices={"check.moves": moves})).code == "not_your_roll"
    outcome = done(table.send("olga", RollTest(call=test, choices={"check.moves": moves})))
    assert (outcome.outcome, outcome.facts["net"], outcome.choices["check.moves"]) == ("failure_partial", 1, moves)
    lie = [(die["face"], die.get("natural")) for die in outcome.dice["pool"]]
    assert lie == [(12, 12), (11, 12), (10, 10), (8, 9), (6, 6), (3, 4), (1, 1)]


def test_an_opponent_who_is_played_adjusts_for_themself(table: Table, herald: str, dice: list[int]) -> None:
    rival = someone(table, "paul", "Rival", 84)
    test = call(table, "opposed_check", {"hero": herald, "opponent": rival})
    dice += WORKED
    table.send("pia", RollTest(call=test))
    for who in ("pia", "olga"):
        assert refused(table, who, RollTest(call=test, choices={"check.moves": "best"})).code == "not_your_roll"
    assert done(table.send("paul", RollTest(call=test, choices={"check.moves": "best"}))).facts["net"] == 1


def test_one_in_favour_is_the_rollers(table: Table, herald: str, dice: list[int]) -> None:
    """26 alone earns one Adjustment; raising the 1 frees the other 12: from four Passes to five."""
    test = call(table, "attribute_check", {"hero": herald})
    dice += WORKED
    table.send("pia", RollTest(call=test))
    assert done(table.send("pia", RollTest(call=test, choices={"check.moves": "best"}))).facts["net"] == 5


@pytest.mark.parametrize(
    "moves",
    [
        [{"die": 1, "to": 11}],
        [{"die": 4, "to": 11}],
        [{"die": 8, "to": 9}],
        [{"die": 2, "to": 13}],
        [{"die": 4, "to": 10}, {"die": 6, "to": 5}],
        "worst",
        7,
    ],
)
def test_moves_against_the_rules_are_refused_and_leave_nothing(
    table: Table, herald: str, dice: list[int], moves: Any
) -> None:
    test = call(table, "attribute_check", {"hero": herald})
    dice += WORKED
    position = table.send("pia", RollTest(call=test)).position
    assert refused(table, "pia", RollTest(call=test, choices={"check.moves": moves})).code == "given"
    with states.held(table.campaign_id) as state:
        assert state.position == position


def test_a_look_records_nothing_and_cannot_be_sent(table: Table, herald: str, dice: list[int]) -> None:
    test = call(table, "attribute_check", {"hero": herald})
    dice += WORKED
    position = table.send("pia", RollTest(call=test)).position
    moves = [{"die": 7, "to": 2}]
    with states.held(table.campaign_id) as state:
        pack, waiting = Packs(state).get(CHECKS), state.part(Calls).open[test]
        found = look_at(state, pack, waiting, moves, Actor(seat="player"))
        assert found is not None
        assert (found["value"], found.get("steps", 0), found["dice"][6]["face"]) == (5, 0, 2)
        assert state.position == position
    looking = RollTest(call=test, choices={"check.moves?": moves})
    assert refused(table, "pia", looking).code in ("not_asked", "choose_first")


def test_what_opposes_is_the_gms_to_know(table: Table, herald: str, strongman: str, dice: list[int]) -> None:
    test = call(table, "opposed_check", {"hero": herald, "opponent": strongman})
    dice += WORKED
    table.send("pia", RollTest(call=test))
    table.send("olga", RollTest(call=test, choices={"check.moves": []}))
    told = seen(table, "pia", "test.resolved")
    assert told["facts"]["adjustments"] == -3
    assert not {"opposing_factor", "difference", "from_attributes"} & set(str(told).replace("'", " ").split())
    assert seen(table, "olga", "test.resolved")["facts_gm"]["opposing_factor"] == 8
    assert "against" not in " ".join(told["lines"]), "no sum behind the net"


def test_breaking_free_ends_the_hold(table: Table, herald: str, strongman: str, dice: list[int]) -> None:
    table.send("olga", ApplyCard(subject=herald, pack=CHECKS, card="grappled"))
    test = call(table, "break_free", {"hero": herald, "holder": strongman}, difficulty=-3)
    dice += WORKED
    done(table.send("pia", RollTest(call=test)))
    with states.held(table.campaign_id) as state:
        assert not state.part(Sheets).sheet(herald, CHECKS).held


# ------------------------------------------------------------------------------------------ pushing, contesting


def test_the_roller_says_beside_the_dice_that_they_fail(table: Table, herald: str, dice: list[int]) -> None:
    test = call(table, "trait_test", {"hero": herald}, pack=TRAITS, trait="agility", goal=5)
    dice += [15]
    outcome = done(table.send("pia", RollTest(call=test, given={"choose_fail": "before_roll"})))
    assert (outcome.outcome, outcome.facts["willing_failure"]) == ("failure", True)


def test_only_what_is_the_rollers_to_give_and_only_before_the_dice(table: Table, herald: str, dice: list[int]) -> None:
    test = call(table, "trait_test", {"hero": herald}, pack=TRAITS, trait="agility", goal=25)
    for given in ({"goal": 1}, {"advantage": 1}, {"nothing": 1}):
        assert refused(table, "pia", RollTest(call=test, given=given)).code == "not_yours_to_give"
    assert refused(table, "pia", RollTest(call=test, given={"choose_fail": "maybe"})).field == "given.choose_fail"
    dice += [7]
    table.send("pia", RollTest(call=test))
    late = refused(table, "pia", RollTest(call=test, choices={"roll.push": "stop"}, given={"choose_fail": "roll_it"}))
    assert late.code == "already_rolled"


def test_a_test_is_pushed_and_its_goal_stays_hidden(table: Table, herald: str, dice: list[int]) -> None:
    test = call(table, "trait_test", {"hero": herald}, pack=TRAITS, trait="agility", goal=12)
    dice += [7, 16]
    table.send("pia", RollTest(call=test))
    assert open_call(table, test).ask["id"] == "roll.push"
    outcome = done(table.send("pia", RollTest(call=test, choices={"roll.push": "exhaustion"})))
    assert (outcome.outcome, outcome.facts["total"]) == ("success", 16)
    for who in ("pia", "paul"):
        assert "goal" not in seen(table, who, "test.resolved")["facts"]
    with states.held(table.campaign_id) as state:
        assert state.part(Sheets).sheet(herald, TRAITS).values["exhaustion"] == 1


def test_what_is_hidden_and_not_allowed_is_refused_to_the_gm_who_calls(table: Table, strongman: str) -> None:
    """At this table Difficulty is open to all: the player is not to learn at the roll that some was set in hiding."""
    wrong = CallTest(
        pack="attribute-checks",
        test="attribute_check",
        roles={"hero": strongman},
        given={"attribute": "might", "hidden_difficulty": 2},
    )
    assert refused(table, "olga", wrong).code == "difficulty_is_open"


def test_a_contest_asks_each_side_for_its_own_push(table: Table, herald: str, dice: list[int]) -> None:
    rival = table.character("paul", "Rival")
    given = {"trait": "agility", "other_trait": "intuition"}
    test = call(table, "contest", {"actor": herald, "opponent": rival}, pack=TRAITS, **given)
    assert set(open_call(table, test).rollers) == {table.member("pia"), table.member("paul")}
    dice += [10, 8]
    table.send("pia", RollTest(call=test))
    asked = open_call(table, test)
    assert (asked.ask["id"], list(asked.ask_of)) == ("1.push", [table.member("pia")])
    assert "does not win" in asked.ask["title"]
    assert [one["title"] for one in asked.ask["options"]][:2] == ["Leave it at that", "Push for a Degree of Exhaustion"]
    assert refused(table, "paul", RollTest(call=test, choices={"1.push": "stop"})).code == "not_your_roll"


def test_the_gm_rolls_for_whom_nobody_plays(table: Table, strongman: str, dice: list[int]) -> None:
    test = call(table, "attribute_check", {"hero": strongman}, difficulty=3)
    dice += WORKED
    assert refused(table, "pia", RollTest(call=test)).code == "not_your_roll"
    assert done(table.send("olga", RollTest(call=test))).facts["net"] == 4


def test_a_test_without_roles_is_its_callers(table: Table) -> None:
    test = call(table, "measure_time", {}, who="pia", pack=TRAITS)
    assert refused(table, "olga", RollTest(call=test)).code == "not_your_roll"
    done(table.send("pia", RollTest(call=test)))


# ------------------------------------------------------------------------------------------ every test of every pack


def filled(pack: Any, spec: Input) -> Any:
    """Some value for an input that has none of its own; None where its own will do."""
    if spec.default is not None or spec.optional or spec.by == "server" or spec.type in ("flag", "modifiers"):
        return None
    if spec.type == "card":
        return next(iter(pack.cards[spec.card]))
    if spec.type == "name":
        return next(iter(spec.options))
    if spec.type == "int":
        return max(spec.min or 0, min(10, spec.max if spec.max is not None else 10))
    if spec.type == "text":
        return "Words"
    return default_of(spec)


def first_answer(ask: dict[str, Any]) -> Any:
    match ask["kind"]:
        case "flag":
            return True
        case "name":
            return ask["options"][0]["id"]
        case "die":
            return int(ask["options"][0]["id"])
        case "int":
            return ask.get("min", 0)
    return "best"


def due(table: Table, test: Call) -> str:
    """Whoever the call waits for."""
    members = test.ask_of if test.state == "rolling" else test.rollers
    return next((who for who in ("pia", "paul") if table.member(who) in members), "olga")


def played_out(table: Table, pack: Any, test: str, roles: dict[str, str]) -> str:
    """Calls and rolls a test to its end, each answering what is theirs; how it ended (or why the rules refuse it)."""
    spec = pack.tests[test].spec
    given = {name: value for name, one in spec.inputs.items() if (value := filled(pack, one)) is not None}
    command = CallTest(pack=pack.id, test=test, roles=roles, given=given, decision=f"Whether {test}")
    try:
        opened = table.send("olga", command).events[0].event.call
    except Refused as refusal:
        return f"refused: {refusal.code}"
    choices: dict[str, Any] = {}
    for _ in range(20):
        waiting = open_call(table, opened)
        try:
            answer = table.send(due(table, waiting), RollTest(call=opened, choices=choices))
        except Refused as refusal:
            return f"refused: {refusal.code}"
        if any(event.type == "test.resolved" for event in answer.events):
            return "done"
        ask = open_call(table, opened).ask
        assert ask is not None
        choices = {ask["id"]: first_answer(ask)}
    return "never ends"


@pytest.mark.parametrize(("name", "least"), [(CHECKS, 6), (TRAITS, 28), (PAIRS, 1)])
def test_every_test_can_be_called_and_rolled(transactional_db: None, name: str, least: int) -> None:
    """What is refused (nothing to spend, no rest begun) is refused by a reason of the rules and by nothing else."""
    table, pack = make_table({name: ""}), load_pack(name)
    subjects: dict[str, str] = {}
    for kind in pack.kinds:
        subjects[kind] = table.send("olga", CreateSubject(kind=kind, name=f"A {kind}")).events[0].event.subject
    table.send("olga", HandOverSubject(subject=subjects["character"], players=(table.member("pia"),)))
    other = table.character("paul", "Another")
    if name == PAIRS:
        table.send("olga", EnterPairs(subject=subjects["character"], ratings={"bold": 14}))
    reasons = {step.reason for one in pack.source.sections["tests"].values() for step in one.steps if step.reason}
    reasons |= {s.reason for one in pack.source.sections["procedures"].values() for s in one.steps if s.reason}
    ended: dict[str, str] = {}
    for test, program in pack.tests.items():
        roles: dict[str, str] = {}
        for role, spec in program.spec.roles.items():
            kind = next(iter(spec.kinds))
            taken = subjects[kind] in roles.values() and kind == "character"
            roles[role] = other if taken else subjects[kind]
        ended[test] = played_out(table, pack, test, roles)
    for test, how in ended.items():
        assert how == "done" or how.removeprefix("refused: ") in reasons, (test, how)
    assert sum(how == "done" for how in ended.values()) >= least, ended
