"""Drawing, inspiring and claiming on the pages: stated by the player, answered by the game master, seen by whom."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from msgspec import structs

from campaigns.commands.calls import CallTest, DropTest, RollTest
from campaigns.commands.subjects import CreateSubject
from campaigns.store import states
from identity.commands.invocations import ClaimDie
from identity.commands.pairs import EnterPairs
from identity.parts.claims import Claims
from rules.invocations import InvocationsState
from tests.campaigns.tables import make_table
from tests.frontend.test_pages import address, client_of, form_id
from tests.identity.test_invocations import PACK, Scene, dice

__all__ = ["dice"]


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    return Scene(make_table({PACK: ""}))


def send(client: Client, where: str, **fields: Any) -> Any:
    return client.post(where, {"command_id": str(uuid4()), **fields})


def drawn(scene: Scene, dice: list[int]) -> str:
    """Pia draws on Bold by the form and rolls 9 against 14; returns the id of the die that waits."""
    form = {"side": "personality.bold", "helps": "she leads", "stake": "risk", "decision": "Go first"}
    answer = send(client_of(scene.table, "pia"), draw_page(scene), container=scene.deed, **form)
    assert answer.status_code == 302, answer.content.decode()
    dice += [9]
    call = re.findall(r"/tests/([0-9a-f]{32})/", answer["Location"])[0]
    scene.table.send("pia", RollTest(call=call))
    with states.held(scene.table.campaign_id) as state:
        (die,) = state.part(InvocationsState).dice
    return die


def draw_page(scene: Scene) -> str:
    return address(scene.table, "draw_on", scene.talyne)


def action(scene: Scene) -> str:
    command = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": scene.talyne},
        given={"pair": "patient_impulsive"},
        decision="Hold the stair",
        container=scene.deed,
    )
    return scene.table.send("pia", command).events[0].event.call


def claims(scene: Scene) -> list[str]:
    with states.held(scene.table.campaign_id) as state:
        return [claim.die for claim in state.part(Claims).waiting]


def test_a_die_is_drawn_asked_for_and_put_on_the_roll_by_the_game_masters_card(scene: Scene, dice: list[int]) -> None:
    die, pia, olga = drawn(scene, dice), client_of(scene.table, "pia"), client_of(scene.table, "olga")
    assert "A d4 for Bold" in pia.get(address(scene.table, "subject", scene.talyne)).content.decode()
    table = pia.get(address(scene.table, "campaign")).content.decode()
    assert "draws on Bold: she leads" in table and "on bold" not in table
    call = action(scene)
    page = pia.get(address(scene.table, "test", call)).content.decode()
    assert "This action expresses <strong>Bold</strong>" in page
    form = {"act": "claim", "die": die, "call": call, "side": "personality.bold", "from": "test"}
    send(pia, address(scene.table, "answer_invoked"), **form)
    assert (
        claims(scene) == [] and "expresses another side" in pia.get(address(scene.table, "campaign")).content.decode()
    )
    send(pia, address(scene.table, "answer_invoked"), expresses="on", **form)
    assert claims(scene) == [die]
    table = olga.get(address(scene.table, "campaign")).content.decode()
    assert "Pia wants the d4 for Bold" in table and "Is the roll directly relevant?" in table
    assert "wants the d4" not in client_of(scene.table, "paul").get(address(scene.table, "campaign")).content.decode()
    card = table.split("Pia wants the d4")[1].split("</form>")[0]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', card))
    send(olga, address(scene.table, "answer_invoked"), **{**fields, "act": "claim"})
    assert claims(scene) == [] and scene.waiting() == []
    dice += [10, 3]
    told = scene.table.send("pia", RollTest(call=call, choices={"first": "left"})).events
    assert [e.event.face for e in told if e.type == "die.rolled"] == [3]


def test_a_declined_claim_leaves_the_die_waiting_and_a_rolled_test_leaves_no_claim(
    scene: Scene, dice: list[int]
) -> None:
    die, pia, olga = drawn(scene, dice), client_of(scene.table, "pia"), client_of(scene.table, "olga")
    call, where = action(scene), address(scene.table, "answer_invoked")
    form = {"act": "claim", "die": die, "call": call, "side": "bold", "expresses": "on"}
    send(pia, where, **form)
    send(client_of(scene.table, "paul"), where, act="decline", die=die, call=call)
    assert claims(scene) == [die]
    send(olga, where, act="decline", die=die, call=call)
    assert claims(scene) == [] and scene.waiting() == [("action", scene.talyne, "bold")]
    # The player is told, is offered it no more for this roll, and cannot ask again; another roll may have it.
    page = pia.get(address(scene.table, "test", call)).content.decode()
    assert "this roll is not for the d4 that waits for Talyne (Bold)" in page and "may go on it" not in page
    send(pia, where, **form)
    assert claims(scene) == []
    assert "may go on it" in olga.get(address(scene.table, "test", call)).content.decode()
    paul = client_of(scene.table, "paul")
    assert "not for the d4" not in paul.get(address(scene.table, "test", call)).content.decode()
    other = action(scene)
    assert "may go on it" in pia.get(address(scene.table, "test", other)).content.decode()
    send(pia, where, **{**form, "call": other})
    assert claims(scene) == [die]
    dice += [10]
    scene.table.send("pia", RollTest(call=other, choices={"first": "left"}))
    assert claims(scene) == []


def test_a_claim_that_was_withdrawn_can_be_made_again(scene: Scene, dice: list[int]) -> None:
    die, pia = drawn(scene, dice), client_of(scene.table, "pia")
    call, where = action(scene), address(scene.table, "answer_invoked")
    form = {"act": "claim", "die": die, "call": call, "side": "bold", "expresses": "on"}
    for _ in range(2):
        send(pia, where, **form)
        assert claims(scene) == [die]
        send(pia, where, act="decline", die=die, call=call)
        assert claims(scene) == []


def test_inspiring_says_for_whom_the_die_is_and_where_it_falls(scene: Scene, dice: list[int]) -> None:
    """Bold 14 succeeds on an 8 (SPI-063); the die is Orrin's, for his next test of Bold in this deed."""
    pia = client_of(scene.table, "pia")
    form = {"side": "personality.bold", "recipient": scene.orrin, "recipient_side": "personality.bold"}
    words = {"connection": "her daring", "decision": "Rouse him", "container": scene.deed}
    sent = send(pia, address(scene.table, "inspire", scene.talyne), **form, **words)
    call = re.findall(r"/tests/([0-9a-f]{32})/", sent["Location"])[0]
    dice += [8]
    scene.table.send("pia", RollTest(call=call))
    said = "A d4 for Bold is earned and waits for Orrin.</strong> It falls by itself with Orrin's next test of it, in "
    assert said in pia.get(address(scene.table, "test", call)).content.decode()


def test_the_game_master_says_whether_two_sides_lie_close_and_recasts(scene: Scene, dice: list[int]) -> None:
    pia, olga = client_of(scene.table, "pia"), client_of(scene.table, "olga")
    form = {"side": "personality.cautious", "recipient": scene.orrin, "recipient_side": "personality.patient"}
    words = {"connection": "her calm", "decision": "Steady him", "container": scene.deed}
    where = address(scene.table, "inspire", scene.talyne)
    call = re.findall(r"/tests/([0-9a-f]{32})/", send(pia, where, **form, **words)["Location"])[0]
    assert "Do the two sides lie close?" in olga.get(address(scene.table, "campaign")).content.decode()
    send(pia, address(scene.table, "answer_invoked"), act="close", call=call)
    assert "Do the two sides lie close?" in olga.get(address(scene.table, "campaign")).content.decode()
    send(olga, address(scene.table, "answer_invoked"), act="close", call=call)
    # Bold 14 is tested first and succeeds on an 8, so that the conviction shown is not the one it landed on.
    dice += [8]
    scene.table.send("pia", RollTest(call=call))
    assert "The test landed on Bold" in olga.get(address(scene.table, "campaign")).content.decode()
    send(olga, address(scene.table, "answer_invoked"), act="recast", call=call, recipient_side="personality.bold")
    assert scene.waiting() == [("inspiration", scene.orrin, "bold")]


def test_forms_are_for_those_who_play_the_subject_and_keep_what_was_typed(scene: Scene) -> None:
    assert client_of(scene.table, "paul").get(draw_page(scene)).status_code == 404
    assert client_of(scene.table, "wim").get(draw_page(scene)).status_code == 404
    pia = client_of(scene.table, "pia")
    form = {"side": "personality.bold", "helps": "", "stake": "risk", "decision": "Go first", "container": scene.deed}
    refused = send(pia, draw_page(scene), **form)
    assert refused.status_code == 422
    assert "Say how it helps the action." in refused.content.decode() and "Go first" in refused.content.decode()


def test_a_container_is_put_right_with_leaders_and_ties_until_a_die_falls(scene: Scene, dice: list[int]) -> None:
    olga, where = client_of(scene.table, "olga"), address(scene.table, "change_running", scene.deed)
    assert client_of(scene.table, "pia").get(where).status_code == 403
    html = olga.get(where).content.decode()
    assert html.count("checked") == 2
    fields = {"title": "The high wall", "participants": [scene.talyne], "leaders": [scene.talyne]}
    form = {"command_id": form_id(html), **fields, "tie-concerning": [scene.orrin]}
    assert olga.post(where, form).status_code == 302
    home = client_of(scene.table, "paul").get(address(scene.table, "campaign")).content.decode()
    assert "Led by Talyne" in home and "Concerning: Orrin" in home
    drawn(scene, dice)
    refused = olga.post(where, {**form, "command_id": str(uuid4())})
    assert refused.status_code == 422 and "The first die in it has fallen" in refused.content.decode()


def test_what_happened_before_play_moves_pairs_in_the_making(scene: Scene, dice: list[int]) -> None:
    """An array of 2d4 + 6 each: all results 6 + 1 + 1 = 8 or as the faces say; 8 placed on Bold, moved by 2 to 10."""
    hero = scene.table.character("pia", "Isolde")
    pia, olga = client_of(scene.table, "pia"), client_of(scene.table, "olga")
    dice += [1] * 60
    send(pia, address(scene.table, "roll_pairs", hero))
    page = pia.get(address(scene.table, "place_pairs", hero)).content.decode()
    pairs = re.findall(r'name="result-(\w+)"', page)
    placed = {f"result-{pair}": number for number, pair in enumerate(pairs, 1)}
    send(pia, address(scene.table, "place_pairs", hero), **placed)
    where = address(scene.table, "lifepath", hero)
    assert client_of(scene.table, "pia").get(where).status_code == 403
    before = rating(olga, scene, hero)
    changes = {"toward-0": "personality.bold", "by-0": "2", "cause": "A year at sea"}
    assert send(olga, where, **changes).status_code == 302
    assert rating(olga, scene, hero) == before + 2
    assert send(olga, where, cause="Nothing came of it").status_code == 422
    assert send(olga, where, **{**changes, "by-0": "some"}).status_code == 422
    assert rating(olga, scene, hero) == before + 2


def rating(client: Client, scene: Scene, subject: str) -> int:
    """The rating of the first side of the first pair on the subject's page."""
    page = client.get(address(scene.table, "subject", subject)).content.decode()
    return int(re.findall(r'pair__rating">(?:<a[^>]*>)?\s*(\d+)', page)[0])


def test_the_sides_offered_are_of_the_recipients_kind(scene: Scene) -> None:
    house = scene.table.send("olga", CreateSubject(kind="house", name="Merrow")).events[0].event.subject
    scene.table.send("olga", EnterPairs(subject=house, ratings={}))
    pia, where = client_of(scene.table, "pia"), address(scene.table, "inspire", scene.talyne)
    page = pia.get(where + f"?recipient={house}").content.decode()
    own, theirs = page.split('id="recipients-sides"')
    assert '"traditions.insular"' in theirs and "personality." not in theirs and "ethos." not in theirs
    assert '<optgroup label="Insular / Entangled">' in theirs and f'value="{house}" selected' in own
    theirs = pia.get(where + f"?recipient={scene.orrin}").content.decode().split('id="recipients-sides"')[1]
    assert '"personality.bold"' in theirs and "traditions." not in theirs


def test_pairs_to_test_are_of_the_kind_of_whom_the_form_shows(scene: Scene) -> None:
    form = client_of(scene.table, "olga").get(address(scene.table, "new_test")).content.decode()
    assert 'value="open_reserved"' in form and "open_secretive" not in form


def test_what_is_spent_is_said_and_its_die_where_it_is_claimed(scene: Scene, dice: list[int]) -> None:
    """A second invocation in the same deed is not offered (SPI-047); the result and the sheet lead to the claim."""
    pia = client_of(scene.table, "pia")
    call = scene.draw()
    assert 'name="helps"' in pia.get(draw_page(scene)).content.decode()
    dice += [9]
    scene.table.send("pia", RollTest(call=call))
    for name in ("draw_on", "inspire"):
        page = pia.get(address(scene.table, name, scene.talyne)).content.decode()
        assert "The one invocation here is spent." in page and 'name="decision"' not in page
    to, ask = f"?subject={scene.talyne}&amp;container={scene.deed}", "ask them to call the test"
    result = pia.get(address(scene.table, "test", call)).content.decode()
    assert "A d4 for Bold is earned and waits for Talyne." in result and ask in result and to not in result
    assert ask in pia.get(address(scene.table, "subject", scene.talyne)).content.decode()
    assert to in client_of(scene.table, "olga").get(address(scene.table, "test", call)).content.decode()
    others = client_of(scene.table, "paul").get(address(scene.table, "test", call)).content.decode()
    assert "The invocation earned a die." in others and "A d4 for" not in others
    form = pia.get(address(scene.table, "new_test") + to.replace("&amp;", "&")).content.decode()
    assert f'<option value="{scene.deed}" selected>' in form


def test_an_invocation_that_earned_nothing_says_so(scene: Scene, dice: list[int]) -> None:
    call = scene.draw()
    dice += [19, 19]
    scene.table.send("pia", RollTest(call=call))
    page = client_of(scene.table, "pia").get(address(scene.table, "test", call)).content.decode()
    assert "The invocation earned no die." in page


def test_a_result_put_on_two_sides_is_named_by_its_face(scene: Scene, dice: list[int]) -> None:
    """Two d8 and 2: the faces 1 and 1 make 4, twice 8 make 18."""
    hero = scene.table.character("pia", "Isolde")
    pia, where = client_of(scene.table, "pia"), address(scene.table, "place_pairs", hero)
    dice += [8, 8, *[1] * 60]
    send(pia, address(scene.table, "roll_pairs", hero))
    pairs = re.findall(r'name="result-(\w+)"', pia.get(where).content.decode())
    numbers = [1, 1, *range(3, len(pairs) + 1)]
    refused = send(pia, where, **{f"result-{pair}": n for pair, n in zip(pairs, numbers, strict=True)})
    page = refused.content.decode()
    assert refused.status_code == 422 and "The same 18 is put on two sides, Bold and Trusting." in page
    assert "a result that is free still (4)" in page


COUNTED = {
    "frontiers-fantasy": ("check", "hero", {"attribute": "vigor", "dt": 12}, [3, 9], "12"),
    "trait-tests": ("trait_test", "hero", {"trait": "physique", "goal": 12}, [3, 9], "12"),
    "attribute-checks": ("attribute_check", "hero", {"attribute": "might"}, [3, *[6] * 7], "4"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pack", COUNTED)
def test_a_die_on_an_action_roll_counts_in_it_and_says_whose_it_is(pack: str, dice: list[int]) -> None:
    """9 on a d20 fails against 12 and reaches it with a 3 on the d4; where one face could be turned, three more can."""
    scene = Scene(make_table({PACK: "", pack: ""}))
    die, pia = drawn(scene, dice), client_of(scene.table, "pia")
    test, role, given, faces, shown = COUNTED[pack]
    command = CallTest(
        pack=pack, test=test, roles={role: scene.talyne}, given=given, decision="Up", container=scene.deed
    )
    call = scene.table.send("olga", command).events[0].event.call
    where = address(scene.table, "test", call)
    # The sheet leads to the open test; a roll while the ask waits is warned of.
    assert where in pia.get(address(scene.table, "subject", scene.talyne)).content.decode()
    form = {"act": "claim", "die": die, "call": call, "side": "personality.bold", "from": "test", "expresses": "on"}
    send(pia, address(scene.table, "answer_invoked"), **form)
    page = pia.get(where).content.decode()
    assert "Roll without the extra die" in page and "Rolled now, it stays out." in page
    send(client_of(scene.table, "olga"), address(scene.table, "answer_invoked"), **form)
    page = pia.get(where).content.decode()
    assert "A d4 of Talyne for Bold lies on this roll." in page and "without the extra die" not in page
    # Who rolls sees the side; another player of the table that a die lies there, and no more.
    others = client_of(scene.table, "paul").get(where).content.decode()
    assert "A d4 of Talyne lies on this roll." in others
    dice += faces
    events = scene.table.send("pia", RollTest(call=call)).events
    told = next(e.event for e in events if e.type in ("test.resolved", "test.advanced"))
    if pack == "attribute-checks":
        assert told.ask["kind"] == "adjust"
        events = scene.table.send("pia", RollTest(call=call, choices={told.ask["id"]: "best"})).events
        told = next(e.event for e in events if e.type == "test.resolved")
        assert told.facts["adjustments"] == int(shown)
    else:
        assert told.outcome == "success" and told.facts["total"] == int(shown)
    fell = next(e.event for e in events if e.type == "die.rolled")
    assert (fell.sides, fell.face, fell.counted) == (4, 3, True)
    page = pia.get(where).content.decode()
    assert "from Talyne" in page and "The d4 that lay on the roll shows 3 and counts in it." in page


def test_a_die_on_a_dropped_roll_waits_again(scene: Scene, dice: list[int]) -> None:
    die, call = drawn(scene, dice), action(scene)
    scene.table.send("olga", ClaimDie(die=die, call=call, expresses="bold"))
    assert scene.waiting() == []
    scene.table.send("pia", DropTest(call=call))
    assert scene.waiting() == [("action", scene.talyne, "bold")]


def test_a_roll_failed_on_purpose_leaves_its_die_waiting(dice: list[int], transactional_db: None) -> None:
    scene = Scene(make_table({PACK: "", "trait-tests": ""}))
    die = drawn(scene, dice)
    given = {"trait": "physique", "goal": 12}
    command = CallTest(pack="trait-tests", test="trait_test", roles={"hero": scene.talyne}, given=given)
    call = scene.table.send("olga", structs.replace(command, container=scene.deed)).events[0].event.call
    scene.table.send("olga", ClaimDie(die=die, call=call, expresses="bold"))
    scene.table.send("pia", RollTest(call=call, given={"choose_fail": "before_roll"}))
    assert scene.waiting() == [("action", scene.talyne, "bold")]


def test_what_an_inspiration_takes_off_is_said(scene: Scene, dice: list[int]) -> None:
    """8 less 2 against 14."""
    inspired = scene.inspire()
    dice += [7]
    scene.table.send("pia", RollTest(call=inspired))
    command = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": scene.orrin},
        given={"pair": "bold_cautious"},
        decision="Follow",
        container=scene.deed,
    )
    call = scene.table.send("paul", command).events[0].event.call
    dice += [8, 2]
    scene.table.send("paul", RollTest(call=call))
    page = client_of(scene.table, "paul").get(address(scene.table, "test", call)).content.decode()
    assert "Inspiration, taken off" in page and "8 - 2 = 6" in page
