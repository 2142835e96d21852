"""A fight through the one entrance: who may do what, what each viewer is told, taking back, moments that time out."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from campaigns import entrance, seeds
from campaigns.chronicle import chapters, sections
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject
from campaigns.commands.voiding import VoidAction
from campaigns.entrance import utc_now
from campaigns.feed import cursor_of, newer
from campaigns.parts.sheets import CardEnded
from campaigns.registry import due_at, holding
from campaigns.store import states
from campaigns.tasks import do_all
from encounters.board_reading import BoardRead, board_of, encounters_of
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.playing import ActInEncounter, AnswerInEncounter, CancelAct, CloseMoment, EndTurn
from encounters.commands.preparing import (
    BeginEncounter,
    DropEncounter,
    EndEncounter,
    JoinEncounter,
    PauseEncounter,
    PrepareEncounter,
    ShowInEncounter,
)
from encounters.parts.encounters import Encounters
from rules.board.scene import apart
from rules.fight.commands import Laid
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "frontiers-fantasy"
# A hidden number that nobody but the GM may meet anywhere.
CANARY = 7341


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Faces for the next rolls, in order."""
    faces: list[int] = []
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: faces.pop(0))
    return faces


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def ana(table: Table) -> str:
    """Pia's, Vigor 13 and Level 2: +5 to hit, d8+2 of harm."""
    return _with(table, table.character("pia", "Ana"), {"level": 2, "score": {"vigor": 13}, "weapon_die": 8})


@pytest.fixture
def bo(table: Table) -> str:
    """Paul's, with a Physical Defense of 14 and 9 hp."""
    return _with(table, table.character("paul", "Bo"), {"level": 2, "score": {"vigor": 14, "deft": 14}})


@pytest.fixture
def foe(table: Table) -> str:
    made = table.send("olga", CreateSubject(kind="adversary", name="Wolf"))
    return _with(table, made.events[0].event.subject, {"tier": 1, "pd": 14, "md": 12, "hp_max": CANARY, "hp": CANARY})


def _with(table: Table, subject: str, values: dict[str, Any]) -> str:
    table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))
    return subject


def prepared(table: Table, sides: dict[str, str], **more: Any) -> str:
    made = table.send("olga", PrepareEncounter(**{"title": "At the Ford", "pack": PACK, **more}))
    encounter = str(made.events[0].event.encounter)
    for subject, side in sides.items():
        table.send("olga", JoinEncounter(encounter=encounter, subject=subject, side=side))
    return encounter


def begun(table: Table, order: list[str], sides: dict[str, str], **more: Any) -> str:
    """An encounter that runs, those of `order` from first to last."""
    encounter = prepared(table, sides, **more)
    initiative = {subject: 20 - place for place, subject in enumerate(order)}
    table.send("olga", BeginEncounter(encounter=encounter, initiative=initiative))
    return encounter


def board(table: Table, who: str, encounter: str) -> BoardRead:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return board_of(state, viewer, encounter)


def told(table: Table, who: str) -> list[dict[str, Any]]:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return [entry.view for entry in newer(state, viewer, 0)]


def last_entry(table: Table, kind: str) -> str:
    """The cursor of the last entry of a type."""
    with states.held(table.campaign_id) as state:
        entries = [entry for entry in newer(state, table.viewer("olga"), 0) if entry.view["type"] == kind]
    return cursor_of(table.campaign_id, entries[-1].position)


def strike(encounter: str, user: str, target: str, **more: Any) -> ActInEncounter:
    return ActInEncounter(
        **{"encounter": encounter, "action": "combatant.attack", "user": user, "roles": {"target": target}, **more}
    )


def test_an_attack_pays_rolls_and_hurts_and_all_see_it(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    dice += [11, 5, 7]  # 11 + 3 + 2 = 16 against 14; 7 + 2 = 9 of 9 hp
    table.send("pia", strike(encounter, ana, bo))
    assert dice == []
    fighters = {f.name: f for f in board(table, "paul", encounter).fighters}
    assert fighters["Bo"].tracks[0].value == 0
    assert fighters["Ana"].budgets[0].value == 2
    moved = [view for view in told(table, "paul") if view["type"] == "encounter.moved"][-1]
    assert moved["data"]["words"] == "Ana: Attack (Bo): A hit."
    assert "step" not in moved["data"]


def test_only_its_player_or_a_gm_acts_for_somebody_and_only_in_their_turn(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    for who, user, code in (("paul", ana, "not_yours"), ("wim", ana, "not_allowed"), ("paul", bo, "cannot_act")):
        with pytest.raises(Refused) as refused:
            table.send(who, strike(encounter, user, bo if user == ana else ana))
        assert refused.value.code == code
    with pytest.raises(Refused) as refused:
        table.send("paul", EndTurn(encounter=encounter))
    assert refused.value.code == "not_yours"
    dice += [2, 5]
    table.send("olga", strike(encounter, ana, bo))
    table.send("pia", EndTurn(encounter=encounter))
    assert board(table, "pia", encounter).turn == bo


def test_what_is_prepared_and_who_is_hidden_is_the_gms_alone(table: Table, ana: str, foe: str, dice: list[int]) -> None:
    encounter = prepared(table, {ana: "party"})
    table.send("olga", JoinEncounter(encounter=encounter, subject=foe, side="beasts", hidden=True))
    before, pia = len(told(table, "pia")), table.viewer("pia")
    with states.held(table.campaign_id) as state:
        assert encounters_of(state, pia) == []
    table.send("olga", BeginEncounter(encounter=encounter, initiative={ana: 5, foe: 9}))
    assert [f.name for f in board(table, "pia", encounter).fighters] == ["Ana"]
    assert board(table, "pia", encounter).turn == ""
    with pytest.raises(Refused) as refused:
        table.send("pia", strike(encounter, ana, foe))
    assert refused.value.code == "not_in_it"
    since = told(table, "pia")[before:]
    assert "Wolf" not in json.dumps(since)
    assert foe not in json.dumps(since)
    table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=False))
    assert [f.name for f in board(table, "pia", encounter).fighters] == ["Wolf", "Ana"]


@pytest.mark.parametrize(("foes", "shown"), [("hidden", []), ("words", ["unhurt"]), ("numbers", [CANARY])])
def test_foes_show_what_the_gm_lets_them(
    table: Table, ana: str, foe: str, dice: list[int], foes: str, shown: list[Any]
) -> None:
    encounter = begun(table, [ana, foe], {ana: "party", foe: "beasts"}, foes=foes)
    wolf = next(f for f in board(table, "pia", encounter).fighters if f.name == "Wolf")
    assert [t.words or t.value for t in wolf.tracks] == shown


def test_a_foes_numbers_are_met_nowhere(table: Table, ana: str, foe: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, foe], {ana: "party", foe: "beasts"}, foes="words")
    dice += [15, 5, 1]
    table.send("pia", strike(encounter, ana, foe))
    for who in ("pia", "paul", "link"):
        seen = json.dumps([told(table, who), _plain(board(table, who, encounter))])
        assert str(CANARY) not in seen, who
        assert str(CANARY - 3) not in seen, who
    assert str(CANARY - 3) in json.dumps(_plain(board(table, "olga", encounter)))


def test_a_roadman_struck_by_rell_as_a_player_and_the_gm_see_it(table: Table, dice: list[int]) -> None:
    """FFC-202: d20 15 and Deft 4 against 13 is a hit of 5 + 1 + 2 by the stance of Press; 4 of 12 hp are left."""
    fighter = {"level": 1, "calling": "fighter", "score": {"deft": 14}, "stance": "press", "weapon_die": 8}
    rell = _with(table, table.character("pia", "Rell"), fighter)
    table.character("paul", "Osk")
    made = table.send("olga", CreateSubject(kind="adversary", name="Roadman 1"))
    roadman = _with(table, made.events[0].event.subject, {"tier": 1, "pd": 13, "md": 12, "hp_max": 12, "hp": 12})
    encounter = begun(table, [rell, roadman], {rell: "party", roadman: "road"}, foes="words")
    dice += [15, 4, 5]
    table.send("pia", strike(encounter, rell, roadman, given={"approach": "deft"}))
    seen, known = (
        [view["data"] for view in told(table, who) if view["type"] == "encounter.moved"][-1] for who in ("paul", "olga")
    )
    assert (seen["facts"]["total"], seen["facts"]["degree"], seen["facts"]["taken"]) == (19, "hit", 8)
    assert any("total 19, defense 13" in line for line in known["lines_gm"])
    assert any("hp: 12 -> 4" in line for line in known["lines_gm"])
    assert not any("13" in line or "hp:" in line for line in seen["lines"])
    marks = {
        who: next(f for f in board(table, who, encounter).fighters if f.name == "Roadman 1").tracks[0]
        for who in ("paul", "olga")
    }
    assert (marks["paul"].value, marks["paul"].words) == (None, "badly battered")
    assert marks["olga"].value == 4


def test_nobody_walks_through_a_wall_that_the_gm_has_laid(table: Table, ana: str, foe: str) -> None:
    encounter = prepared(table, {ana: "party", foe: "beasts"}, width=9, height=9)
    for subject, x in ((ana, 2), (foe, 6)):
        table.send("olga", PlaceInEncounter(encounter=encounter, subject=subject, x=x, y=2))
    table.send("olga", BeginEncounter(encounter=encounter, initiative={ana: 20, foe: 10}))
    wall = Laid(card="solid_wall", at=(4, 0), to=(4, 8), size=9)
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="A wall", lay=[wall]))
    walk = ActInEncounter(encounter=encounter, action="combatant.walk", user=ana, given={"to": {"x": 5, "y": 2}})
    with pytest.raises(Refused) as refused:
        table.send("pia", walk)
    assert refused.value.code == "barred"
    assert [area.title for area in board(table, "pia", encounter).areas] == ["Wall"]


def _plain(found: Any) -> Any:
    return msgspec.to_builtins(found)


def test_a_critical_miss_asks_the_one_who_was_struck_at(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, seconds=30)
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))
    waiting = board(table, "paul", encounter).waiting
    assert waiting is not None
    assert waiting.of == ["Bo"]
    assert [o.id for o in waiting.asked[0].options] == ["combatant.opportunity"]
    others = board(table, "pia", encounter).waiting
    assert others is not None
    assert others.asked == []
    with pytest.raises(Refused) as refused:
        table.send("pia", AnswerInEncounter(encounter=encounter, subject=bo, answer=[]))
    assert refused.value.code == "not_yours"
    with pytest.raises(Refused) as refused:
        table.send("pia", CancelAct(encounter=encounter))
    assert refused.value.code == "not_allowed"
    for answer in (True, 5, 1.5, {"combatant.opportunity": 1}):
        with pytest.raises(Refused):
            table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=answer))
    table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=[]))
    assert board(table, "paul", encounter).waiting is None
    with pytest.raises(Refused) as refused:
        table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=[]))
    assert refused.value.code == "waits_for_nothing"


def test_silence_passes_once_the_time_is_up_whoever_says_so(
    table: Table, ana: str, bo: str, dice: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, seconds=30)
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))
    with pytest.raises(Refused) as refused:
        table.send("pia", CloseMoment(encounter=encounter))
    assert refused.value.code == "not_yet"
    with states.held(table.campaign_id) as state:
        deadline = due_at(state)
    assert deadline is not None
    monkeypatch.setattr(entrance, "utc_now", lambda: deadline + timedelta(seconds=1))
    do_all(table.campaign_id, deadline + timedelta(seconds=1))
    do_all(table.campaign_id, deadline + timedelta(seconds=1))
    assert board(table, "pia", encounter).waiting is None
    closed = [v for v in told(table, "olga") if v["type"] == "encounter.moved" and v["actor"]["name"] == "Tidebook"]
    assert len(closed) == 1


def test_the_time_of_a_moment_outlasts_what_the_gm_does_meanwhile(
    table: Table, ana: str, bo: str, foe: str, dice: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody is shown: the same end. A pause: no end while it lasts, then all of the time anew."""
    encounter = begun(table, [ana, bo, foe], {ana: "party", bo: "rivals", foe: "rivals"}, seconds=30)
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))

    def ends() -> datetime | None:
        with states.held(table.campaign_id) as state:
            return state.part(Encounters).open[encounter].deadline

    first = ends()
    assert first is not None
    table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=True))
    assert ends() == first
    later = first - timedelta(seconds=10)
    monkeypatch.setattr(entrance, "utc_now", lambda: later)
    table.send("olga", PauseEncounter(encounter=encounter, paused=True))
    assert ends() is None
    with pytest.raises(Refused) as refused:
        table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=[]))
    assert refused.value.code == "paused"
    table.send("olga", PauseEncounter(encounter=encounter, paused=False))
    assert ends() == later + timedelta(seconds=30)
    late = later + timedelta(seconds=31)
    monkeypatch.setattr(entrance, "utc_now", lambda: late)
    do_all(table.campaign_id, late)
    assert board(table, "pia", encounter).waiting is None


def test_the_job_closes_again_what_was_taken_back(
    table: Table, ana: str, bo: str, dice: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, seconds=30)
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))
    late = datetime.now(UTC) + timedelta(seconds=90)
    monkeypatch.setattr(entrance, "utc_now", lambda: late)
    for _ in range(2):
        do_all(table.campaign_id, late)
        assert board(table, "olga", encounter).waiting is None
        table.send("olga", VoidAction(entry=last_entry(table, "encounter.moved"), reason="They were on their way."))
        assert board(table, "olga", encounter).waiting is not None


def test_an_action_is_taken_back_with_all_it_did(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    before = _plain(board(table, "olga", encounter))
    dice += [11, 5, 7]
    answer = table.send("pia", strike(encounter, ana, bo))
    assert _plain(board(table, "olga", encounter)) != before
    entry = cursor_of(table.campaign_id, answer.events[0].position)
    table.send("olga", VoidAction(entry=entry, reason="Out of reach."))
    assert _plain(board(table, "olga", encounter)) == before


def test_replay_equals_what_was_played(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, width=10, height=10)
    table.send("olga", PlaceInEncounter(encounter=encounter, subject=ana, x=3, y=4))
    table.send("olga", PlaceInEncounter(encounter=encounter, subject=bo, x=4, y=4))
    dice += [11, 5, 1]
    table.send("pia", strike(encounter, ana, bo))
    table.send("pia", EndTurn(encounter=encounter))
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="A gift.", set={bo: {"hp": 9}}))
    with states.held(table.campaign_id) as state:
        position = state.position
    assert states.refold(table.campaign_id, position).part(Encounters) == _part(table)


def _part(table: Table) -> Encounters:
    with states.held(table.campaign_id) as state:
        return state.part(Encounters)


def test_an_end_leaves_nothing_in_the_state(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    table.send("olga", EndEncounter(encounter=encounter))
    assert _part(table).open == {}
    with pytest.raises(Refused):
        table.send("pia", EndTurn(encounter=encounter))
    other = prepared(table, {ana: "party"})
    table.send("olga", DropEncounter(encounter=other))
    assert _part(table).open == {}


def test_what_lasts_until_a_fight_is_over_ends_for_those_who_were_not_in_it(
    table: Table, ana: str, bo: str, foe: str, dice: list[int]
) -> None:
    call = table.send("olga", CallTest(pack=PACK, test="mark_surprised", roles={"hero": bo})).events[0].event.call
    table.send("olga", RollTest(call=call))
    encounter = begun(table, [ana, foe], {ana: "party", foe: "wild"})
    over = table.send("olga", EndEncounter(encounter=encounter)).events
    (ended,) = [e.event for e in over if isinstance(e.event, CardEnded) and e.event.subject == bo]
    assert ended.title == "Surprised"


def test_what_the_party_earned_waits_while_a_fight_runs(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    def waits() -> bool:
        with states.held(table.campaign_id) as state:
            return any(holds(state) for holds in holding)

    assert not waits()
    encounter = prepared(table, {ana: "party", bo: "rivals"})
    assert not waits()
    table.send("olga", BeginEncounter(encounter=encounter, initiative={ana: 2, bo: 1}))
    assert waits()
    table.send("olga", EndEncounter(encounter=encounter))
    assert not waits()


def test_the_chronicle_tells_of_the_fight(table: Table, ana: str, bo: str) -> None:
    """That it began and that it ended, to those who sit in on it; its steps stand in its own log."""
    encounter = begun(table, [ana, bo], {ana: "party", bo: "foes"})
    table.send("olga", EndEncounter(encounter=encounter))
    hidden = prepared(table, {ana: "party"}, title="CanaryAmbush")
    table.send("olga", DropEncounter(encounter=hidden))
    with states.held(table.campaign_id) as state:
        (only,) = chapters(state, utc_now())
        for who in ("olga", "pia", "wim"):
            said = [entry.says for part in sections(state, table.viewer(who), only) for entry in part.entries]
            assert said[-2:] == ["At the Ford begins.", "At the Ford is over."], who
            assert not [line for line in said if "Canary" in line]


def test_typed_dice_tell_nothing_of_what_is_hidden(table: Table, ana: str, bo: str) -> None:
    """One face too many, one too few, or one that fits no die: all are taken, so that none is a way to try them out."""
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    for faces in [(2,), (2, 5, 6, 6, 6, 6), (20, 5), (20, 5, 99)]:
        encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
        table.send("pia", strike(encounter, ana, bo, faces=faces))
        with suppress(Refused):  # the dice that fell for the rest may ask something
            table.send("olga", CancelAct(encounter=encounter))
        table.send("olga", EndEncounter(encounter=encounter))
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    for faces in [(0,), (21, 5)]:  # the first die falls whatever is hidden
        with pytest.raises(Refused) as refused:
            table.send("pia", strike(encounter, ana, bo, faces=faces))
        assert refused.value.field == "faces"
    with pytest.raises(Refused):
        table.send("olga", strike(encounter, ana, bo, faces=(2, 5, 6, 6, 6, 6)))


def test_faces_typed_before_a_question_wait_for_its_answer(table: Table, ana: str, bo: str, foe: str) -> None:
    """An unseen foe may react first: nothing is refused for its sake, and the faces fall after the answer."""
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    table.send("olga", ApplyCard(subject=foe, pack="frontiers-fantasy", card="fen_hag"))
    sides = {ana: "party", bo: "rivals", foe: "rivals"}
    encounter = begun(table, [ana, bo, foe], sides, width=10, height=10, seconds=30)
    for subject, x in ((ana, 3), (bo, 4), (foe, 5)):
        table.send("olga", PlaceInEncounter(encounter=encounter, subject=subject, x=x, y=4))
    table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=True))
    table.send("pia", strike(encounter, ana, bo, faces=(11, 5)))
    waits = board(table, "pia", encounter).waiting
    assert waits is not None and (waits.of, waits.deadline) == (["the game master"], None)
    table.send("olga", AnswerInEncounter(encounter=encounter, subject=foe, answer=[]))
    struck = [view for view in told(table, "pia") if view["type"] == "encounter.moved"][-1]
    assert {11, 5} <= {die["face"] for dice in struck["data"]["dice"].values() for die in dice}


def test_a_player_answers_no_question_before_it_is_asked(table: Table, ana: str, bo: str) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    for choices in ({"blow.blow.opening": {bo: []}}, {"anything": 1}):
        with pytest.raises(Refused) as refused:
            table.send("pia", strike(encounter, ana, bo, choices=choices))
        assert (refused.value.code, refused.value.field) == ("not_asked", f"choices.{next(iter(choices))}")


def test_a_choice_that_nothing_asks_for_is_refused_and_what_would_be_asked_is_named(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    for name, right in (("blow.blow.openin", "opening"), ("anything", None), ("blow.blow.", None)):
        with pytest.raises(Refused) as refused:
            table.send("olga", strike(encounter, ana, bo, choices={name: {bo: []}}))
        assert (refused.value.code, refused.value.field) == ("not_asked", f"choices.{name}")
        assert refused.value.value == {bo: []} and (refused.value.right == right if right else refused.value.right)
    dice += [1, 1]  # a critical miss: Bo could answer, and has
    asked = table.send("olga", strike(encounter, ana, bo, choices={"blow.blow.opening": {bo: []}}))
    assert asked.events[0].event.words == "Ana: Attack (Bo): A miss."


def test_an_answer_is_not_given_for_somebody_who_is_not_asked(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))
    with pytest.raises(Refused) as refused:
        table.send("olga", AnswerInEncounter(encounter=encounter, subject=ana, answer=[]))
    assert (refused.value.code, refused.value.field) == ("not_asked", "subject")


def test_what_does_not_fit_an_action_is_named_at_its_field(table: Table, ana: str, bo: str) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    for wrong, field in (
        ({"given": {"approch": "deft"}}, "given.approch"),
        ({"given": {"approach": "sly"}}, "given.approach"),
        ({"roles": {"targe": bo}}, "roles.targe"),
        ({"roles": {}}, "roles.target"),
    ):
        with pytest.raises(Refused) as refused:
            table.send("pia", msgspec.structs.replace(strike(encounter, ana, bo), **wrong))
        assert (refused.value.code, refused.value.field) == ("given", field)
    with pytest.raises(Refused) as refused:
        table.send("pia", msgspec.structs.replace(strike(encounter, ana, bo), given={"approch": "deft"}))
    assert refused.value.right == "approach"


def test_what_no_roll_would_be_given_is_refused(table: Table, ana: str) -> None:
    ready: Any = table.send("olga", PrepareEncounter(title="Alone", pack=PACK)).events[0].event
    table.send("olga", JoinEncounter(encounter=ready.encounter, subject=ana, side="party"))
    with pytest.raises(Refused) as refused:
        begin = BeginEncounter(encounter=ready.encounter, initiative={ana: 3}, given={ana: {"bonus": 1}})
        table.send("olga", begin)
    assert (refused.value.code, refused.value.field) == ("not_rolled", f"given.{ana}")


def test_slanting_steps_are_counted_as_the_table_has_settled(table: Table, ana: str, bo: str) -> None:
    """Three squares over and three down are three units, or four where every second slanting step counts two."""
    for setting, units in (("one", 3), ("alternating", 4)):
        if setting != "one":
            table.send("olga", ChangeSetting(setting=f"{PACK}/move.grid_diagonal", value=setting))
        encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, width=9, height=9)
        for one, at in ((ana, 1), (bo, 4)):
            table.send("olga", PlaceInEncounter(encounter=encounter, subject=one, x=at, y=at))
        with states.held(table.campaign_id) as state:
            assert apart(state.part(Encounters).open[encounter].fight.scene, ana, bo) == units
        table.send("olga", EndEncounter(encounter=encounter))
