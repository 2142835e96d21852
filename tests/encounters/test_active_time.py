"""A game without a rule of initiative: the GM enters the order and the Action Points (TRT-132, 157, 158)."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.subjects import CreateSubject
from encounters.commands.hand import AdjustInEncounter
from encounters.commands.playing import ActInEncounter, AnswerInEncounter, EndTurn
from encounters.commands.preparing import BeginEncounter, JoinEncounter, PrepareEncounter
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.encounters.test_encounters import board

PACK = "trait-tests"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def _with(table: Table, subject: str, values: dict[str, Any]) -> str:
    table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))
    return subject


@pytest.fixture
def fight(table: Table) -> tuple[str, str, str]:
    """Ana, whose turn has three points, and a thug; prepared and not begun."""
    ana = _with(table, table.character("pia", "Ana"), {"points_a_turn": 3, "inspired_actions": ["class_flourish"]})
    thug = str(table.send("olga", CreateSubject(kind="npc", name="Thug")).events[0].event.subject)
    made = table.send("olga", PrepareEncounter(title="In the Lane", pack=PACK))
    encounter = str(made.events[0].event.encounter)
    for subject, side in ((ana, "party"), (thug, "others")):
        table.send("olga", JoinEncounter(encounter=encounter, subject=subject, side=side))
    return encounter, ana, thug


def points(table: Table, encounter: str, name: str) -> int | None:
    return next(f for f in board(table, "olga", encounter).fighters if f.name == name).budgets[0].value


def test_active_time_runs_by_what_the_gm_enters(table: Table, fight: tuple[str, str, str]) -> None:
    encounter, ana, thug = fight
    with pytest.raises(Refused) as refused:
        table.send("olga", BeginEncounter(encounter=encounter, initiative={ana: 9}))
    assert refused.value.code == "no_initiative"

    table.send("olga", BeginEncounter(encounter=encounter, initiative={thug: 12, ana: 9}))
    found = board(table, "pia", encounter)
    assert ([f.name for f in found.fighters], found.round) == (["Thug", "Ana"], 1)
    flourish = ActInEncounter(
        encounter=encounter, action="inspired.inspired_action", user=ana, given={"action": "class_flourish"}
    )
    with pytest.raises(Refused) as refused:
        table.send("pia", flourish)
    assert refused.value.code == "not_theirs"

    table.send("olga", AdjustInEncounter(encounter=encounter, reason="Inspired", give={ana: ["inspired"]}))
    with pytest.raises(Refused) as refused:
        table.send("pia", flourish)
    assert refused.value.code == "cannot_act"
    table.send("olga", EndTurn(encounter=encounter))
    assert points(table, encounter, "Ana") == 3
    table.send("pia", flourish)
    assert points(table, encounter, "Ana") == 2
    with pytest.raises(Refused) as refused:
        table.send("pia", flourish)
    assert refused.value.code == "not_theirs"
    table.send("pia", EndTurn(encounter=encounter))
    assert board(table, "pia", encounter).round == 2


def test_what_is_improvised_waits_for_the_gm(table: Table, fight: tuple[str, str, str]) -> None:
    encounter, ana, thug = fight
    table.send("olga", BeginEncounter(encounter=encounter, initiative={thug: 3, ana: 9}))
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="Inspired", give={ana: ["inspired"]}))
    leap = {"action": "swings on the lamp", "improvised": True}
    table.send("pia", ActInEncounter(encounter=encounter, action="inspired.inspired_action", user=ana, given=leap))
    with pytest.raises(Refused):
        table.send("pia", AnswerInEncounter(encounter=encounter, answer=True))
    table.send("olga", AnswerInEncounter(encounter=encounter, answer=False))
    assert points(table, encounter, "Ana") == 3
    assert [c.title for c in board(table, "pia", encounter).fighters[0].cards] == ["Inspired"]
