"""Sessions and scenes: opened and closed by the GM, nested, paused, closed with all that lies within."""

import pytest

from campaigns.commands.containers import (
    CloseContainer,
    CorrectContainer,
    OpenContainer,
    PauseContainer,
    ResumeContainer,
)
from campaigns.parts.containers import Container, Containers
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table


def opened(table: Table, kind: str, title: str = "x", **more: object) -> str:
    return table.send("olga", OpenContainer(kind=kind, title=title, **more)).events[0].event.container


def standing(table: Table) -> dict[str, Container]:
    with states.held(table.campaign_id) as state:
        return dict(state.part(Containers).open)


def test_a_scene_lies_in_the_running_session_and_closes_with_it(table: Table) -> None:
    session = opened(table, "session")
    scene = opened(table, "scene", participants=(table.character("pia"),))
    assert standing(table)[scene].parent == session
    closed = table.send("olga", CloseContainer(container=session)).events
    assert [e.event.container for e in closed] == [scene, session]
    assert standing(table) == {}


def test_a_paused_scene_outlives_its_session(table: Table) -> None:
    session = opened(table, "session")
    scene = opened(table, "scene")
    table.send("olga", PauseContainer(container=scene))
    table.send("olga", CloseContainer(container=session))
    assert list(standing(table)) == [scene]
    second = opened(table, "session", "again")
    assert standing(table)[second].number == 2
    table.send("olga", ResumeContainer(container=scene))
    table.send("olga", CloseContainer(container=scene))
    assert list(standing(table)) == [second]


def test_one_session_at_a_time(table: Table) -> None:
    opened(table, "session")
    with pytest.raises(Refused) as caught:
        opened(table, "session")
    assert caught.value.code == "already_open"


@pytest.mark.parametrize(
    "wrong, field",
    [
        ({"kind": "sesion"}, "kind"),
        ({"kind": "scene", "participants": ("nobody",)}, "participants"),
        ({"kind": "scene", "ties": {"for": ()}}, "ties"),
        ({"kind": "scene", "parent": "nowhere"}, "parent"),
        ({"kind": "scene", "title": ""}, "title"),
    ],
)
def test_wrong_values_name_their_field(table: Table, wrong: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as caught:
        table.send("olga", OpenContainer(**{"title": "x", **wrong}))
    assert caught.value.field == field


def test_players_open_nothing_and_hidden_scenes_do_not_exist_for_them(table: Table) -> None:
    with pytest.raises(Refused):
        table.send("pia", OpenContainer(kind="scene", title="x"))
    hidden = opened(table, "scene", hidden=True)
    with pytest.raises(Refused) as caught:
        table.send("pia", CloseContainer(container=hidden))
    assert caught.value.code == "not_allowed"
    table.send("olga", CorrectContainer(container=hidden, title="y"))
    assert standing(table)[hidden].title == "y"
