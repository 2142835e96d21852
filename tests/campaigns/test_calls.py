"""Calls for tests: who calls, who rolls, what each viewer sees, once and not twice."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from campaigns import seeds
from campaigns.commands.calls import AgreeTest, AssignRoller, CallTest, DropTest, RollTest, WordTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject
from campaigns.entrance import Answer
from campaigns.events import Recorded
from campaigns.feed import cursor_of, newer
from campaigns.parts.calls import Calls
from campaigns.store import states
from identity.commands.pairs import EnterPairs, SetRating
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "spindrift-identity"
PAIR = "bold_cautious"


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Faces for the next rolls, in order; the real box records them."""
    faces: list[int] = []
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: faces.pop(0))
    return faces


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def talyne(table: Table) -> str:
    subject = table.character("pia")
    table.send("olga", EnterPairs(subject=subject, ratings={"bold": 14}))
    return subject


def call(table: Table, subject: str, who: str = "olga", **more: Any) -> str:
    usual = {"pack": PACK, "test": "identity", "roles": {"holder": subject}, "given": {"pair": PAIR}}
    usual["decision"] = f"A decision of its own, {uuid4()}"
    return table.send(who, CallTest(**{**usual, **more})).events[0].event.call


def resolved(answer: Answer) -> Recorded:
    """The event that tells the outcome."""
    return next(event for event in answer.events if event.type == "test.resolved")


def views(table: Table, who: str, kind: str) -> list[dict[str, Any]]:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return [e.view for e in newer(state, viewer, 0) if e.view["type"] == kind]


def test_both_rolls_of_a_test_are_kept(table: Table, talyne: str, dice: list[int]) -> None:
    test = call(table, talyne)
    dice += [15, 7]
    done = resolved(table.send("pia", RollTest(call=test))).event
    assert [[die["face"] for die in roll] for roll in done.dice.values()] == [[15], [7]]


def test_gm_calls_player_rolls_everybody_at_the_table_sees(table: Table, talyne: str, dice: list[int]) -> None:
    test = call(table, talyne, decision="Face the rival")
    dice += [15, 5]
    answer = table.send("pia", RollTest(call=test))
    done = resolved(answer).event
    assert (done.outcome, done.facts["must_express"], list(done.faces)) == ("binds_second", "cautious", [15, 5])
    assert resolved(answer).dice[0].faces == (15, 5)
    for who in ("olga", "pia", "paul"):
        assert len(views(table, who, "test.resolved")) == 1
    assert views(table, "wim", "test.resolved") == views(table, "link", "test.resolved") == []


def test_the_gm_never_rolls_a_players_test(table: Table, talyne: str, dice: list[int]) -> None:
    test = call(table, talyne)
    for who in ("olga", "paul"):
        with pytest.raises(Refused) as caught:
            table.send(who, RollTest(call=test))
        assert caught.value.code == "not_your_roll"


def test_a_test_answered_twice_says_so_and_changes_nothing(table: Table, talyne: str, dice: list[int]) -> None:
    test, command_id = call(table, talyne), uuid4()
    dice += [3]
    first = table.send("pia", RollTest(call=test), command_id)
    assert table.send("pia", RollTest(call=test), command_id).position == first.position
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=test))
    assert caught.value.code == "not_open"


def test_a_tied_pair_asks_for_the_first_side_before_any_die(table: Table, talyne: str, dice: list[int]) -> None:
    table.send("olga", SetRating(subject=talyne, side="bold", rating=10, reason="to tie it"))
    test = call(table, talyne)
    waits = table.send("pia", RollTest(call=test)).events[-1].event
    assert (waits.faces, waits.ask["id"]) == ((), "first")
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=test, choices={"first": "lef"}))
    assert caught.value.right == "left"
    dice += [11, 9]
    done = resolved(table.send("pia", RollTest(call=test, choices={"first": "right"}))).event
    assert done.facts["must_express"] == "bold"


def test_players_call_for_their_own_and_wait_for_the_gm_elsewhere(table: Table, talyne: str, dice: list[int]) -> None:
    call(table, talyne, who="pia")
    waiting = call(table, talyne, who="paul")
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=waiting))
    assert caught.value.code == "awaiting_gm"
    table.send("olga", AgreeTest(call=waiting))
    dice += [1]
    table.send("pia", RollTest(call=waiting))
    with pytest.raises(Refused):
        call(table, talyne, who="wim")


def test_a_call_is_dropped_before_the_dice_only_by_those_concerned(table: Table, talyne: str) -> None:
    test = call(table, talyne)
    with pytest.raises(Refused):
        table.send("paul", DropTest(call=test))
    table.send("pia", DropTest(call=test))
    with states.held(table.campaign_id) as state:
        assert state.part(Calls).open == {}


def test_the_gm_names_the_roller_of_what_nobody_plays(table: Table, dice: list[int]) -> None:
    house = table.send("olga", CreateSubject(kind="house", name="House Merrow")).events[0].event.subject
    table.send("olga", EnterPairs(subject=house))
    deed = OpenContainer(kind="deed", title="A wedding", ties={"concerning": (house,)})
    container = table.send("olga", deed).events[0].event.container
    test = call(table, house, given={"pair": "dynastic_individual"}, container=container)
    with pytest.raises(Refused) as caught:
        table.send("olga", RollTest(call=test))
    assert caught.value.code == "not_your_roll"
    table.send("olga", AssignRoller(call=test, member=table.member("paul")))
    dice += [10, 11]
    done = resolved(table.send("paul", RollTest(call=test, choices={"first": "left"})))
    assert done.event.facts["must_express"] == "dynastic"


def test_secret_tests_exist_for_gm_and_holders_alone(table: Table, talyne: str, dice: list[int]) -> None:
    test = call(table, talyne, secret=True, decision="CanaryDecision")
    dice += [20]
    answer = table.send("pia", RollTest(call=test))
    assert resolved(answer).dice[0].audience == f"member:{table.member('pia')}"
    for who in ("paul", "wim", "link"):
        viewer = table.viewer(who)
        with states.held(table.campaign_id) as state:
            assert "CanaryDecision" not in repr(newer(state, viewer, 0))
    assert views(table, "pia", "test.resolved") and views(table, "olga", "test.resolved")
    with pytest.raises(Refused) as caught:
        table.send("paul", RollTest(call=call(table, talyne, secret=True)))
    assert caught.value.code == "not_open"


def test_published_tests_tell_watchers_no_dice_and_no_ratings(table: Table, talyne: str, dice: list[int]) -> None:
    table.send("olga", ChangeSetting(setting="publish_tests", value=True))
    dice += [14]
    table.send("pia", RollTest(call=call(table, talyne, decision="Face the rival")))
    (seen,) = views(table, "link", "test.published")
    assert list(seen["data"]["holders"]) == ["Talyne"] and seen["data"]["decision"] == "Face the rival"
    assert seen["data"]["facts"] == {"must_express": "bold", "strength": "strong"}
    assert set(seen["data"]) == {"call", "title", "holders", "decision", "result", "facts"}


def test_others_see_dice_and_results_and_no_ratings(table: Table, talyne: str, dice: list[int]) -> None:
    dice += [9]
    table.send("pia", RollTest(call=call(table, talyne)))
    (seen,) = views(table, "paul", "test.resolved")
    (own,) = views(table, "pia", "test.resolved")
    assert seen["data"]["dice"]
    told = repr([seen["data"]["lines"], seen["data"]["facts"], seen["data"]["dice"]])
    assert "14" not in told and "lines_holders" not in seen["data"]
    assert "14" in repr(own["data"]["lines_holders"])


def test_typed_faces_only_where_allowed_and_marked(table: Table, talyne: str) -> None:
    test = call(table, talyne)
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=test, faces=(9,)))
    assert caught.value.code == "no_typed_dice"
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    for wrong in ((21,), (15,), (9, 9)):
        with pytest.raises(Refused) as caught:
            table.send("pia", RollTest(call=test, faces=wrong))
        assert caught.value.field == "faces"
    done = resolved(table.send("pia", RollTest(call=test, faces=(15, 6))))
    assert done.dice[0].typed and done.event.facts["must_express"] == "cautious"


@pytest.mark.parametrize(
    "wrong, field",
    [
        ({"test": "identty"}, "test"),
        ({"pack": "spindrft"}, "pack"),
        ({"roles": {}}, "roles.holder"),
        ({"roles": {"holder": "nobody"}}, "roles.holder"),
        ({"given": {"pair": "bold_cautios"}}, "given.pair"),
        ({"given": {"pare": PAIR}}, "given.pare"),
        ({"given": {}}, "given.pair"),
        ({"decision": "x" * 401}, "decision"),
        ({"decision": " "}, "decision"),
        ({"container": "nowhere"}, "container"),
    ],
)
def test_wrong_calls_name_their_field(table: Table, talyne: str, wrong: dict[str, Any], field: str) -> None:
    right: dict[str, Any] = {"pack": PACK, "test": "identity", "roles": {"holder": talyne}, "given": {"pair": PAIR}}
    right["decision"] = "Now or never"
    with pytest.raises(Refused) as caught:
        table.send("olga", CallTest(**{**right, **wrong}))
    assert caught.value.field == field


def test_the_holders_player_words_the_outcome_and_nobody_else(table: Table, talyne: str, dice: list[int]) -> None:
    dice += [9]
    done = resolved(table.send("pia", RollTest(call=call(table, talyne))))
    entry = cursor_of(table.campaign_id, done.position)
    for who in ("olga", "paul"):
        with pytest.raises(Refused) as caught:
            table.send(who, WordTest(entry=entry, words="She draws her blade."))
        assert caught.value.code == "player_decides_how"
    table.send("pia", WordTest(entry=entry, words="She draws her blade."))
    assert [view["data"]["words"] for view in views(table, "paul", "test.worded")] == ["She draws her blade."]
    with pytest.raises(Refused) as caught:
        table.send("pia", WordTest(entry=cursor_of(table.campaign_id, 1), words="x"))
    assert caught.value.code == "not_an_outcome"
