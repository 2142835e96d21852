"""Two hundred commands at once from eight clients at one fight: each happens once, or is refused with a reason."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from campaigns.models import Event
from campaigns.store import read, states
from campaigns.verifying import verify_campaign
from encounters.commands import hand, playing
from encounters.parts.encounters import Encounters
from rules.fight import their_turn
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.encounters.bridge import ORDER, PACK, Bridge

CLIENTS, EACH = 8, 25
PLAYS = {"rell": "pia", "bryn": "pia", "wren": "paul", "osk": "paul"}
WHO = ("olga", "pia", "paul", "olga", "pia", "paul", "wim", "olga")

Sent = tuple[UUID, str, list[int], str]


def a_command(bridge: Bridge, chance: random.Random, number: int) -> Any:
    """What a client sends without looking: blows, moves, ends of turns, the GM's hand, and something taken back."""
    user, other = (bridge.ids[chance.choice(ORDER)] for _ in range(2))
    fight = bridge.encounter
    where = {"to": {"x": chance.randrange(18), "y": chance.randrange(8)}}
    return chance.choice(
        [
            playing.EndTurn(encounter=fight),
            playing.EndTurn(encounter=fight),
            playing.ActInEncounter(encounter=fight, action="combatant.walk", user=user, given=where),
            playing.ActInEncounter(encounter=fight, action="combatant.attack", user=user, roles={"target": other}),
            playing.ActInEncounter(encounter=fight, action="roadman.cudgel", user=user, roles={"target": other}),
            playing.AnswerInEncounter(encounter=fight, subject=user, answer=[]),
            playing.CloseMoment(encounter=fight),
            hand.PlaceInEncounter(encounter=fight, subject=user, x=number % 18, y=number % 8),
            hand.AdjustInEncounter(encounter=fight, reason=f"Number {number}", set={user: {"hp": 1 + number % 9}}),
            VoidAction(entry=cursor_of(UUID(bridge.campaign), 1 + number * 3), reason="Not so."),
        ]
    )


def client(table: Table, bridge: Bridge, number: int) -> list[Sent]:
    """Sends its commands one after the other, every fifth of them twice."""
    chance, sent = random.Random(number), list[Sent]()
    try:
        for place in range(EACH):
            key, command = uuid4(), a_command(bridge, chance, number * EACH + place)
            for _ in range(2 if place % 5 == 0 else 1):
                try:
                    answer = table.send(WHO[number], command, key)
                    sent.append((key, "", [one.position for one in answer.events], repr(command)))
                except Refused as refused:
                    sent.append((key, refused.code, [], repr(command)))
    finally:
        connection.close()
    return sent


def test_two_hundred_commands_at_once_happen_once_or_are_refused(transactional_db: None) -> None:
    table = make_table({PACK: ""})
    bridge = Bridge(lambda who, command: table.send(who, command).events[0].event, "olga", PLAYS)
    bridge.campaign = str(table.campaign_id)
    bridge.make().begin()
    before = Event.objects.filter(campaign_id=table.campaign_id).count()
    with ThreadPoolExecutor(CLIENTS) as pool:
        sent = [one for came in pool.map(lambda n: client(table, bridge, n), range(CLIENTS)) for one in came]
    keys = {key for key, *_ in sent}
    assert len(keys) == CLIENTS * EACH
    told: dict[UUID, list[int]] = {}
    for key, refused, positions, command in sent:
        assert bool(refused) != bool(positions), command
        if positions:
            assert told.setdefault(key, positions) == positions, command
    rows = list(Event.objects.filter(campaign_id=table.campaign_id).order_by("position"))
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    appended = {key: [r.position for r in rows if r.command_id == key] for key in keys}
    assert {key: found for key, found in appended.items() if found} == told
    assert sum(map(len, told.values())) == len(rows) - before
    assert len(told) >= CLIENTS, "hardly anything was carried out"
    with states.held(table.campaign_id) as state:
        assert states.refold(table.campaign_id, state.position).parts == state.parts
        fight = state.part(Encounters).open[bridge.encounter].fight
        assert fight.scene.turn == their_turn(fight)
    assert len(list(read.events_after(table.campaign_id, 0))) == len(rows)
    assert verify_campaign(table.campaign_id).sound
