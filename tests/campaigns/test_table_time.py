"""What a shipped pack has last a session or a scene ends when the game master closes that at the table.
Ledger: TRT-122, 123, 124, 148, 174, FFB-090, FFC-083, 108."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CloseContainer, OpenContainer, PauseContainer, ResumeContainer
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.rolling import subject_of
from campaigns.store import states
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"


class Game:
    """A table of the trait-test game: a subject for the table itself, and Pia's character."""

    def __init__(self) -> None:
        self.table: Table = make_table({PACK: ""})
        made: Any = self.table.send("olga", CreateSubject(kind="table", name="The table")).events[0].event
        self.whole, self.talyne = str(made.subject), self.table.character("pia")

    def open(self, kind: str) -> str:
        made: Any = self.table.send("olga", OpenContainer(kind=kind, title=kind)).events[0].event
        return str(made.container)

    def send(self, command: Any) -> Any:
        return self.table.send("olga", command)

    def marks(self, number: int | None = None) -> Any:
        """The GM's Marks, or so many by hand."""
        if number is not None:
            self.send(ChangeSheet(subject=self.whole, pack=PACK, values={"gm_marks": number}))
        return self.value(self.whole, "gm_marks")

    def value(self, subject: str, stat: str) -> Any:
        with states.held(self.table.campaign_id) as state:
            return subject_of(state, subject, PACK).values.get(stat, 0)

    def held(self) -> list[str]:
        with states.held(self.table.campaign_id) as state:
            return [one.card for one in subject_of(state, self.talyne, PACK).held]


@pytest.fixture
def game(transactional_db: None) -> Game:
    return Game()


def test_a_session_starts_with_one_mark_of_the_gm_and_ends_with_none(game: Game) -> None:
    session = game.open("session")
    assert game.marks() == 1
    assert game.marks(3) == 3
    game.send(CloseContainer(container=session))
    assert game.marks() == 0
    game.open("session")
    assert game.marks() == 1


def test_a_paused_scene_carries_them_on_until_it_is_over(game: Game) -> None:
    session, scene = game.open("session"), game.open("scene")
    game.marks(3)
    game.send(PauseContainer(container=scene))
    game.send(CloseContainer(container=session))
    assert game.marks() == 3
    game.open("session")
    assert game.marks() == 3
    game.send(ResumeContainer(container=scene))
    game.send(CloseContainer(container=scene))
    assert game.marks() == 1


def test_another_scene_that_ends_while_it_waits_takes_nothing(game: Game) -> None:
    session, scene = game.open("session"), game.open("scene")
    game.marks(3)
    game.send(PauseContainer(container=scene))
    game.send(CloseContainer(container=session))
    game.open("session")
    other = game.open("scene")
    game.send(CloseContainer(container=other))
    assert game.marks() == 3
    game.send(ResumeContainer(container=scene))
    game.send(CloseContainer(container=scene))
    assert game.marks() == 1


def test_a_pause_within_the_session_changes_nothing(game: Game) -> None:
    session, scene = game.open("session"), game.open("scene")
    game.marks(3)
    game.send(PauseContainer(container=scene))
    game.send(ResumeContainer(container=scene))
    game.send(CloseContainer(container=scene))
    assert game.marks() == 3
    game.send(CloseContainer(container=session))
    assert game.marks() == 0


def test_a_bargain_pays_and_a_shared_meal_strengthens_when_the_scene_is_closed(game: Game) -> None:
    scene = game.open("scene")
    game.send(ApplyCard(subject=game.talyne, pack=PACK, card="bargain_struck"))
    game.send(ChangeSheet(subject=game.talyne, pack=PACK, values={"shared_meal": True}))
    assert game.held().count("bargain_struck") == 1 and "mark_of_fate" not in game.held()
    game.send(CloseContainer(container=scene))
    assert "bargain_struck" not in game.held() and game.held().count("mark_of_fate") == 1
    assert game.value(game.talyne, "shared_meal") is False
    again = game.open("scene")
    game.send(CloseContainer(container=again))
    assert game.held().count("mark_of_fate") == 1


def test_an_award_that_nobody_named_is_gone_with_the_session_and_the_next_counts_anew(transactional_db: None) -> None:
    """FFC-083, 108."""
    table = make_table({"frontiers-fantasy": ""})
    hero = table.character("pia")
    had = {"awards_open": 1, "marks_in_session": 1}
    for hidden in (True, False):
        session: Any = table.send("olga", OpenContainer(kind="session", title="Ebb", hidden=hidden)).events[0].event
        scene: Any = table.send("olga", OpenContainer(kind="scene", title="Quay", hidden=hidden)).events[0].event
        table.send("olga", ChangeSheet(subject=hero, pack="frontiers-fantasy", values=had))
        table.send("olga", CloseContainer(container=scene.container))
        with states.held(table.campaign_id) as state:
            assert had.items() <= subject_of(state, hero, "frontiers-fantasy").values.items()
        table.send("olga", CloseContainer(container=session.container))
        with states.held(table.campaign_id) as state:
            values = subject_of(state, hero, "frontiers-fantasy").values
        assert (values["awards_open"], values["marks_in_session"]) == (0, 0)


def test_sight_that_is_cast_outside_a_fight_lasts_as_long_as_the_scene(transactional_db: None) -> None:
    """FFB-090."""
    pack = "frontiers-fantasy"
    table = make_table({pack: ""})
    hero = table.character("pia")
    mage = {"calling": "mage", "domain": "ice", "abilities": ["weave_sight"], "energy": 3, "score": {"acuity": 14}}
    table.send("olga", ChangeSheet(subject=hero, pack=pack, values=mage))
    scene: Any = table.send("olga", OpenContainer(kind="scene", title="Quay", participants=(hero,))).events[0].event
    cast = CallTest(pack=pack, test="use_ability", roles={"hero": hero}, given={"ability": "weave_sight"})
    call: Any = table.send("pia", cast).events[0].event
    table.send("pia", RollTest(call=call.call))

    def sees() -> bool:
        with states.held(table.campaign_id) as state:
            return any(one.card == "weaving" for one in subject_of(state, hero, pack).held)

    assert sees()
    table.send("olga", CloseContainer(container=scene.container))
    assert not sees()
