"""Fights with every kind of step: what safe keeping makes of them. Verified, exported, imported, rebuilt while played;
recorded too, as a stream that is to replay for ever (`tests.recordings`)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject
from campaigns.models import Event as StoredEvent
from campaigns.rebuilding import rebuild
from campaigns.store import read, states
from campaigns.transfer.exporting import export_seen, export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign, verify_seen
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter, RankInEncounter
from encounters.commands.maps import LayMap
from encounters.commands.playing import AnswerInEncounter, CancelAct, EndTurn
from encounters.commands.preparing import (
    BeginEncounter,
    DropEncounter,
    EndEncounter,
    JoinEncounter,
    LeaveEncounter,
    PauseEncounter,
    PrepareEncounter,
    SetEncounter,
    ShowInEncounter,
)
from encounters.parts.encounters import EncounterMoved, Encounters
from tests import recordings
from tests.campaigns.photos import handout
from tests.campaigns.tables import make_table
from tests.campaigns.test_transfer import wipe
from tests.encounters.test_encounters import PACK, strike

pytestmark = pytest.mark.django_db(transaction=True)
NUMBERS = {"level": 2, "score": {"vigor": 13, "deft": 14}, "weapon_die": 8}


class Fought:
    """Ana (Pia's), Bo (Paul's) and a wolf that nobody sees at first, on a grid: `steps` plays it, a step at a time."""

    def __init__(self) -> None:
        self.table = table = make_table({PACK: ""})
        table.send("olga", ChangeSetting(setting="typed_dice", value=True))
        self.ana, self.bo = table.character("pia", "Ana"), table.character("paul", "Bo")
        made: Any = table.send("olga", CreateSubject(kind="adversary", name="Wolf")).events[0].event
        self.wolf = made.subject
        for subject, values in ((self.ana, NUMBERS), (self.bo, NUMBERS), (self.wolf, {"tier": 1, "hp_max": 30})):
            table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))
        other = self.prepared("Not today")
        table.send("olga", DropEncounter(encounter=other))
        self.id = self.prepared("At the Ford", foes="words", width=9, height=9)

    def prepared(self, title: str, **more: Any) -> str:
        ready: Any = self.table.send("olga", PrepareEncounter(title=title, pack=PACK, **more)).events[0].event
        return str(ready.encounter)

    def steps(self) -> Iterator[str]:
        """Plays; names what was done."""
        send, here = self.table.send, {"encounter": self.id}
        send("olga", SetEncounter(**here, title="At the Ford", foes="numbers", seconds=60, width=9, height=9))
        for x, (subject, side) in enumerate(((self.ana, "party"), (self.bo, "rivals"), (self.wolf, "beasts"))):
            hidden = subject == self.wolf
            send("olga", JoinEncounter(**here, subject=subject, side=side, x=3 + x, y=4, hidden=hidden))
        ground: Any = send("olga", handout(use="map", audience="table")).events[0].event
        send("olga", LayMap(**here, picture=ground.picture, across=9))
        send("olga", BeginEncounter(**here, initiative={self.ana: 20, self.bo: 15, self.wolf: 10}))
        yield "begun"
        send("pia", strike(self.id, self.ana, self.bo, faces=(1, 1)))  # a critical miss: Bo is asked
        yield "asked"
        send("olga", CancelAct(**here))
        send("pia", strike(self.id, self.ana, self.bo, faces=(1, 1)))
        send("paul", AnswerInEncounter(**here, subject=self.bo, answer=[]))
        yield "answered"
        send("olga", ShowInEncounter(**here, subject=self.wolf, hidden=False))
        send("olga", RankInEncounter(**here, subject=self.wolf, initiative=17))
        send("olga", PlaceInEncounter(**here, subject=self.wolf, x=4, y=3))
        send("olga", AdjustInEncounter(**here, reason="Rain.", set={self.bo: {"hp": 7}}))
        send("olga", LayMap(**here, picture=ground.picture, across=12, left=-2))
        for paused in (True, False):
            send("olga", PauseEncounter(**here, paused=paused))
        yield "by hand"
        send("pia", EndTurn(**here))
        send("olga", strike(self.id, self.bo, self.wolf) if self.turn == self.bo else EndTurn(**here))
        yield "another turn"
        send("olga", LeaveEncounter(**here, subject=self.wolf))
        yield "left"

    def rolled(self) -> None:
        """Strikes with the server's own dice, until some fell; what they ask is passed over."""
        while not self.drawn():
            self.table.send("olga", EndTurn(encounter=self.id))
            who, whom = (self.ana, self.bo) if self.turn == self.ana else (self.bo, self.ana)
            if self.turn == who:
                self.table.send("olga", strike(self.id, who, whom))
            while self.part.open[self.id].fight.waiting is not None:
                self.table.send("olga", CancelAct(encounter=self.id))

    def drawn(self) -> list[int]:
        """Positions of steps for which the server rolled."""
        events = read.events_after(self.table.campaign_id, 0)
        return [e.position for e in events if isinstance(e.event, EncounterMoved) and any(d.seed for d in e.dice)]

    @property
    def turn(self) -> str:
        return str(self.part.open[self.id].fight.scene.turn)

    @property
    def part(self) -> Encounters:
        with states.held(self.table.campaign_id) as state:
            return state.part(Encounters)


@pytest.fixture
def fought() -> Fought:
    return Fought()


def test_a_whole_fight_verifies_and_its_dice_do(
    fought: Fought, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Live, for a player, in the whole export and in a player's own; and a face that was not promised is found."""
    table, campaign_id = fought.table, fought.table.campaign_id
    for _ in fought.steps():
        pass
    fought.rolled()
    report = verify_campaign(campaign_id)
    assert report.sound and report.dice > 0 and report.typed > 0 and report.sealed == 0
    assert verify_seen(table.viewer("pia")).sound
    table.send("olga", EndEncounter(encounter=fought.id))
    whole, own = tmp_path / "whole.gz", tmp_path / "own.gz"
    with whole.open("wb") as target:
        export_whole(campaign_id, target)
    with own.open("wb") as target:
        export_seen(campaign_id, target, table.users["pia"])
    for file in (whole, own):
        found = verify_file(file)
        assert found.sound and found.dice == report.dice and found.sealed == 0
    out = StringIO()
    call_command("verify", str(campaign_id), str(whole), str(own), stdout=out)
    assert out.getvalue().count("In order") == 3


def test_a_fight_in_which_the_server_cheated_is_found_out(fought: Fought, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = fought.steps()
    assert next(steps) == "begun"
    monkeypatch.setattr("campaigns.seeds.face", lambda seed, counter, sides: sides)
    # Greatest faces for three dice and more: one in 20 * 10 * 8 that they were promised.
    cheat = fought.table.send("pia", strike(fought.id, fought.ana, fought.bo))
    monkeypatch.undo()
    first = verify_campaign(fought.table.campaign_id).first_break
    drawn = [event.position for event in cheat.events if event.dice]
    assert first is not None and (first.position, first.code) == (drawn[0], "face")


def test_a_fight_goes_on_after_an_import(fought: Fought, tmp_path: Path, settings: Any) -> None:
    steps, campaign_id = fought.steps(), fought.table.campaign_id
    while next(steps) != "answered":
        pass
    file, before = tmp_path / "whole.gz", fought.part
    with file.open("wb") as target:
        export_whole(campaign_id, target)
    wipe()
    settings.DICE_KEY = "the other server's"
    import_campaign(file, fought.table.users["olga"], match_names=True)
    assert fought.part == before
    for _ in fought.table.users:
        fought.table.send("olga", EndTurn(encounter=fought.id))
    fought.rolled()
    assert verify_campaign(campaign_id).sound


def tables_of_campaigns() -> dict[str, list[tuple[Any, ...]]]:
    """Every projected row of every app, without the keys that the database gives."""
    found = {}
    for model in apps.get_models():
        names = [f.attname for f in model._meta.concrete_fields if not f.primary_key]
        if "campaign_id" in names and model is not StoredEvent and model._meta.model_name != "snapshot":
            found[model._meta.label] = sorted(model._default_manager.values_list(*names), key=repr)
    return found


def test_a_rebuild_while_a_fight_is_played_equals_what_was_there(fought: Fought) -> None:
    """Each step of the fight comes in the middle of a rebuild, from another thread, as from another request."""
    steps, campaign_id = fought.steps(), fought.table.campaign_id
    told: list[str] = []

    def play() -> None:
        told.append(next(steps, ""))
        connection.close()

    while not told or told[-1]:
        rebuilding = rebuild(campaign_id)
        next(rebuilding)
        player = threading.Thread(target=play)
        player.start()
        player.join()
        with states.held(campaign_id) as state:
            grown, position = dict(state.parts), state.position
        rows = tables_of_campaigns()
        for _ in rebuilding:
            pass
        assert tables_of_campaigns() == rows
        with states.held(campaign_id) as state:
            assert state.position == position and state.parts == grown
    assert told == ["begun", "asked", "answered", "by hand", "another turn", "left", ""]


def test_a_fight_as_it_is_recorded_holds_every_kind_of_step(fought: Fought, tmp_path: Path) -> None:
    for _ in fought.steps():
        pass
    fought.table.send("olga", EndEncounter(encounter=fought.id))
    file = tmp_path / "fight.jsonl"
    call_command("record_stream", str(fought.table.campaign_id), str(file), stdout=StringIO())
    wanted = {name for name, _ in recordings.registered() if name.startswith("encounter.")}
    assert wanted <= {name for name, _ in recordings.kinds_of(file.read_text("utf-8"))}
