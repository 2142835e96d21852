"""Drawing and inspiring through commands: stated, tested, dice that wait, are claimed and lapse; who sees what."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns import seeds
from campaigns.commands.calls import CallTest, DropTest, RollTest, WordTest
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.feed import cursor_of, newer
from campaigns.packs import Packs
from campaigns.registry import can_take
from campaigns.store import states
from identity.commands.invocations import ClaimDie, ConfirmInspiration, DrawOn, Inspire, RecastInspiration
from identity.commands.pairs import EnterPairs
from identity.reads import claimable
from rules.invocations import InvocationsState
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "spindrift-identity"


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Faces for the next rolls, in order."""
    faces: list[int] = []
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: faces.pop(0))
    return faces


class Scene:
    """Talyne (Pia) and Orrin (Paul) in an open deed."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.talyne, self.orrin = table.character("pia", "Talyne"), table.character("paul", "Orrin")
        table.send("olga", EnterPairs(subject=self.talyne, ratings={"bold": 14}))
        table.send("olga", EnterPairs(subject=self.orrin, ratings={"bold": 12}))
        self.deed = self.open("deed", participants=(self.talyne, self.orrin))

    def open(self, kind: str, **more: Any) -> str:
        answer = self.table.send("olga", OpenContainer(kind=kind, title="The wall", **more))
        return answer.events[0].event.container

    def draw(self, side: str = "bold", decision: str = "Go first", **more: Any) -> str:
        command = DrawOn(
            **{
                "holder": self.talyne,
                "pair": "bold_cautious",
                "side": side,
                "helps": "she leads",
                "stake": "risk",
                "container": self.deed,
                "decision": decision,
                **more,
            }
        )
        return self.table.send("pia", command).events[0].event.call

    def inspire(self, who: str = "pia", side: str = "bold", to: str = "bold", **more: Any) -> str:
        command = Inspire(
            **{
                "holder": self.talyne,
                "pair": "bold_cautious",
                "side": side,
                "recipient": self.orrin,
                "recipient_side": to,
                "connection": "she rallies him",
                "container": self.deed,
                "decision": "Rally him",
                **more,
            }
        )
        return self.table.send(who, command).events[0].event.call

    def waiting(self) -> list[tuple[str, str, str]]:
        with states.held(self.table.campaign_id) as state:
            dice = state.part(InvocationsState).dice.values()
            return [(die.purpose, die.holder, die.side) for die in dice]

    def types(self, who: str) -> list[str]:
        viewer = self.table.viewer(who)
        with states.held(self.table.campaign_id) as state:
            return [entry.view["type"] for entry in newer(state, viewer, 0)]


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    return Scene(make_table({PACK: ""}))


def test_a_draw_earns_a_die_that_is_claimed_and_falls_beside_the_roll(scene: Scene, dice: list[int]) -> None:
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    assert scene.waiting() == [("action", scene.talyne, "bold")]
    with states.held(scene.table.campaign_id) as state:
        (die,) = state.part(InvocationsState).dice
    roll = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": scene.talyne},
        given={"pair": "patient_impulsive"},
        decision="Another",
        container=scene.deed,
    )
    other = scene.table.send("pia", roll).events[0].event.call
    claim = ClaimDie(die=die, call=other, expresses="bold")
    assert scene.table.send("pia", claim).events[0].type == "die.claim_asked"
    with pytest.raises(Refused) as caught:
        scene.table.send("paul", claim)
    assert caught.value.code == "not_yours"
    scene.table.send("olga", claim)
    assert scene.waiting() == []
    dice += [10, 3]
    told = scene.table.send("pia", RollTest(call=other, choices={"first": "left"})).events
    (rolled,) = [e.event for e in told if e.type == "die.rolled"]
    assert (rolled.sides, rolled.face) == (4, 3)


def test_anothers_die_is_offered_and_taken_for_their_own_actions_alone(scene: Scene, dice: list[int]) -> None:
    """SPI-054: nobody acts in the name of a person; and a roll that asks who one is is no action."""
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    roll = {"pack": PACK, "test": "identity", "given": {"pair": "bold_cautious"}, "container": scene.deed}
    own, others = (
        scene.table.send(who, CallTest(roles={"holder": holder}, decision=f"By {who}", **roll)).events[0].event.call
        for who, holder in (("pia", scene.talyne), ("paul", scene.orrin))
    )
    inspires = scene.inspire(who="paul", holder=scene.orrin, recipient=scene.talyne)
    with states.held(scene.table.campaign_id) as state:
        (die,) = state.part(InvocationsState).dice
        offered = {
            call: [one.die for one in claimable(state, scene.table.viewer("olga"), call)]
            for call in (own, others, inspires)
        }
    assert offered == {own: [die], others: [], inspires: []}
    for call, code in ((others, "own_action_roll_only"), (inspires, "no_action_roll")):
        with pytest.raises(Refused) as refused:
            scene.table.send("paul", ClaimDie(die=die, call=call, expresses="bold", name_of=scene.talyne))
        assert refused.value.code == code


def test_the_invocation_is_spent_whatever_comes_of_it_and_kept_when_withdrawn(scene: Scene, dice: list[int]) -> None:
    scene.table.send("pia", DropTest(call=scene.draw()))
    dice += [15, 19]
    scene.table.send("pia", RollTest(call=scene.draw()))
    assert scene.waiting() == []
    with pytest.raises(Refused) as caught:
        scene.draw(decision="Another")
    assert caught.value.code == "invocation_spent"


def test_an_inspired_side_rolls_the_extra_die_and_uses_it_up(scene: Scene, dice: list[int]) -> None:
    dice += [7]
    scene.table.send("pia", RollTest(call=scene.inspire()))
    assert scene.waiting() == [("inspiration", scene.orrin, "bold")]
    own = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": scene.orrin},
        given={"pair": "bold_cautious"},
        decision="Follow her",
        container=scene.deed,
    )
    call = scene.table.send("paul", own).events[0].event.call
    dice += [14, 3]
    done = scene.table.send("paul", RollTest(call=call)).events
    resolved = next(e.event for e in done if e.type == "test.resolved")
    assert resolved.facts["must_express"] == "bold" and list(resolved.faces) == [14, 3]
    assert scene.waiting() == []


def test_a_close_side_waits_for_the_gm_and_a_no_withdraws_it(scene: Scene, dice: list[int]) -> None:
    call = scene.inspire(to="passionate")
    with pytest.raises(Refused) as caught:
        scene.table.send("pia", RollTest(call=call))
    assert caught.value.code == "awaiting_gm"
    scene.table.send("olga", ConfirmInspiration(call=call, accepted=False))
    again = scene.inspire(to="passionate")
    scene.table.send("olga", ConfirmInspiration(call=again, accepted=True))
    dice += [7]
    scene.table.send("pia", RollTest(call=again))
    assert scene.waiting() == [("inspiration", scene.orrin, "passionate")]


def test_recast_to_where_it_landed(scene: Scene, dice: list[int]) -> None:
    call = scene.inspire(side="cautious", to="cautious")
    dice += [8]
    scene.table.send("pia", RollTest(call=call))
    assert scene.waiting() == []
    scene.table.send("olga", RecastInspiration(call=call, recipient_side="bold"))
    assert scene.waiting() == [("inspiration", scene.orrin, "bold")]


def test_closing_the_deed_ends_what_waits(scene: Scene, dice: list[int]) -> None:
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    closed = scene.table.send("olga", CloseContainer(container=scene.deed)).events
    assert [e.type for e in closed] == ["die.lapsed", "container.closed"]
    assert scene.waiting() == []


def test_nobody_gives_themselves_the_extra_die_or_the_rating(scene: Scene) -> None:
    command = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": scene.talyne},
        given={"pair": "bold_cautious", "inspired_left": True},
        decision="Now",
    )
    with pytest.raises(Refused) as caught:
        scene.table.send("pia", command)
    assert caught.value.code == "not_yours_to_give"
    with pytest.raises(Refused) as caught:
        scene.table.send("pia", ChangeSheet(subject=scene.talyne, pack=PACK, values={"rating": {"bold_cautious": 20}}))
    assert caught.value.code == "kept_elsewhere"


def test_a_decision_is_tested_once(scene: Scene, dice: list[int]) -> None:
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    with pytest.raises(Refused) as caught:
        scene.draw(decision="go  FIRST", container=scene.open("deed", participants=(scene.talyne,)))
    assert caught.value.code == "decision_already_tested"


def test_collective_pairs_need_their_tie(scene: Scene) -> None:
    house = scene.table.send("olga", CreateSubject(kind="house", name="Merrow")).events[0].event.subject
    scene.table.send("olga", EnterPairs(subject=house))
    call = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": house},
        given={"pair": "dynastic_individual"},
        container=scene.deed,
        decision="Wed",
    )
    with pytest.raises(Refused) as caught:
        scene.table.send("olga", call)
    assert caught.value.code == "deed_not_of_or_about_house"


def test_a_secret_inspiration_tells_the_recipient_of_the_die_alone(scene: Scene, dice: list[int]) -> None:
    dice += [7]
    call = scene.inspire(who="olga", secret=True)
    scene.table.send("pia", RollTest(call=call))
    seen = scene.types("paul")
    assert "die.granted" in seen
    assert not {"test.called", "test.resolved", "invocation.stated", "invocation.spent"} & set(seen)
    assert "die.granted" not in scene.types("wim")


def test_the_ledger_names_the_side_that_decides(scene: Scene, dice: list[int]) -> None:
    """SPI-015, 016: a 9 against 14 binds to the side tested first; a 14 over its 10 leads on to the other side."""
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    viewer = scene.table.viewer("paul")
    with states.held(scene.table.campaign_id) as state:
        says = [entry.view["says"] for entry in newer(state, viewer, 0) if entry.view["type"] == "test.resolved"]
    assert says == ["Talyne, Identity test: Bold decides"]


def test_only_who_has_pairs_is_offered_for_their_test(scene: Scene) -> None:
    house = scene.table.send("olga", CreateSubject(kind="house", name="Tidewater")).events[0].event.subject
    with states.held(scene.table.campaign_id) as state:
        pack = Packs(state).get(PACK)
        able = [s for s in (scene.talyne, scene.orrin, house) if can_take(state, pack, "identity", "holder", s)]
    assert able == [scene.talyne, scene.orrin]


@pytest.mark.parametrize(("drawn", "extra"), [(True, 1), (False, 0)])
def test_a_bond_colors_an_action_in_words_and_puts_no_die_on_it(
    scene: Scene, dice: list[int], drawn: bool, extra: int
) -> None:
    """SPI-055: with the die of a draw one identity die lies on the roll, without it none; that a Bond matters is said
    where the action is called and where it shows, and changes neither the dice nor what comes of them."""
    dice += [9]
    scene.table.send("pia", RollTest(call=scene.draw()))
    with states.held(scene.table.campaign_id) as state:
        (die,) = state.part(InvocationsState).dice
    rolls = []
    for bond in ("", "; her Bond with Orrin matters (commitment)"):
        action = CallTest(
            pack=PACK,
            test="identity",
            roles={"holder": scene.talyne},
            given={"pair": "patient_impulsive"},
            decision=f"Stay on the wall {bond and 'for him'}{bond}",
            container=scene.deed,
        )
        call = scene.table.send("pia", action).events[0].event.call
        if drawn and bond:
            scene.table.send("olga", ClaimDie(die=die, call=call, expresses="bold"))
        dice += [10, 3][: 1 + (drawn and bool(bond))]
        told = scene.table.send("pia", RollTest(call=call, choices={"first": "left"}))
        resolved = next(e for e in told.events if e.type == "test.resolved")
        if bond:
            entry = cursor_of(scene.table.campaign_id, resolved.position)
            scene.table.send("pia", WordTest(entry=entry, words="She holds on, for what she owes him."))
        extra_dice = [e.event.sides for e in told.events if e.type == "die.rolled"]
        rolls.append((len(resolved.event.dice), resolved.event.outcome, extra_dice))
    (plain, outcome, none), (colored, same, with_die) = rolls
    assert (colored, none, len(with_die)) == (plain, [], extra)
    assert drawn or same == outcome
    assert dice == []
