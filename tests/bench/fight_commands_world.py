"""The fight at the toll bridge with four roadmen more, everybody beside a foe, fought on and on. The worker of
`fight_commands`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from typing import Any
from uuid import uuid4

import django

os.environ["DATABASE_URL"] = sys.argv[1]
os.environ.setdefault("TIDEBOOK_SECRET_KEY", "for benchmarks only " * 3)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402

from campaigns.commands.starting import StartCampaign  # noqa: E402
from campaigns.context import Actor  # noqa: E402
from campaigns.entrance import execute, found  # noqa: E402
from campaigns.store import states  # noqa: E402
from deploy.memory import settle  # noqa: E402
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter  # noqa: E402
from encounters.commands.playing import ActInEncounter, CloseMoment, EndTurn  # noqa: E402
from encounters.commands.preparing import JoinEncounter  # noqa: E402
from encounters.parts.encounters import Encounter, Encounters  # noqa: E402
from rules.fight import their_turn  # noqa: E402
from tests.encounters.bridge import PACK, Bridge, case  # noqa: E402

PARTY = ("rell", "bryn", "wren", "osk")
FOES = ("captain", "roadman_1", "roadman_2", "roadman_3", "roadman_4", "roadman_5", "roadman_6", "roadman_7")
ROUNDS, WARM = 8, 2


class World:
    """One campaign and its fight, commanded by the GM."""

    def __init__(self) -> None:
        self.campaign = uuid4()
        self.gm = Actor(user=User.objects.create_user("olga").pk)
        start = StartCampaign(name="Tide", owner_name="Olga", packs={PACK: ""})
        found(self.campaign, start, self.gm, command_id=uuid4())
        self.taken: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
        self.measures = False
        self.bridge = Bridge(lambda _, command: self.send(command).events[0].event, "olga", {}).make(foes="words")
        self._more()
        self.bridge.begin()
        self.names = {subject: name for name, subject in self.bridge.ids.items()}
        for row, foe in enumerate(FOES):
            self._put(foe, 6 if row < len(PARTY) else 4, 1 + row % len(PARTY))
        for row, one in enumerate(PARTY):
            self._put(one, 5, 1 + row)

    def _more(self) -> None:
        for name in FOES[4:]:
            self.bridge._subject(name, case()["subjects"]["roadman_1"])
            join = JoinEncounter(encounter=self.bridge.encounter, subject=self.bridge.ids[name], side="road")
            self.send(join)

    def _put(self, name: str, x: int, y: int) -> None:
        self.send(PlaceInEncounter(encounter=self.bridge.encounter, subject=self.bridge.ids[name], x=x, y=y))

    def send(self, command: Any) -> Any:
        """Sends it, and notes what it took where that is measured."""
        wall, cpu = time.perf_counter(), time.process_time()
        answer = execute(self.campaign, command, self.gm, command_id=uuid4())
        if self.measures:
            took = (time.process_time() - cpu, time.perf_counter() - wall, len(answer.events))
            self.taken[type(command).__name__].append(took)
        return answer

    @property
    def now(self) -> Encounter:
        with states.held(self.campaign) as state:
            return state.part(Encounters).open[self.bridge.encounter]

    def fight(self, measures: bool) -> None:
        """One round, everybody healed before it: each strikes once at whoever stands beside them."""
        heal = {subject: {"hp": 1000, "dead": False} for subject in self.bridge.ids.values()}
        self.send(AdjustInEncounter(encounter=self.bridge.encounter, reason="On and on", set=heal))
        self.measures = measures
        for _ in range(len(PARTY) + len(FOES)):
            self.turn(self.names[their_turn(self.now.fight)])
        self.measures = False

    def turn(self, name: str) -> None:
        """A strike, what it asks left unanswered, and the end of the turn."""
        encounter = self.bridge.encounter
        if name in PARTY:
            action, target = "combatant.attack", FOES[PARTY.index(name)]
        else:
            action = "roadman_captain.sabre" if name == "captain" else "roadman.cudgel"
            target = PARTY[FOES.index(name) % len(PARTY)]
        ids = self.bridge.ids
        self.send(ActInEncounter(encounter=encounter, action=action, user=ids[name], roles={"target": ids[target]}))
        while self.now.fight.waiting is not None:
            self.send(CloseMoment(encounter=encounter))
        self.send(EndTurn(encounter=encounter))


def main() -> None:
    """Fights some rounds and says what each command took."""
    call_command("migrate", verbosity=0)
    world = World()
    for _ in range(WARM):
        world.fight(measures=False)
    settle()
    for _ in range(ROUNDS):
        world.fight(measures=True)
    every = sorted(one for kind in world.taken.values() for one in kind)
    walls = sorted(wall for _, wall, _ in every)
    kinds = {
        kind: {"cpu": sum(cpu for cpu, _, _ in each) / len(each) * 1000, "count": len(each)}
        for kind, each in sorted(world.taken.items())
    }
    told = {
        "count": len(every),
        "cpu": sum(cpu for cpu, _, _ in every) / len(every) * 1000,
        "p50": walls[len(walls) // 2] * 1000,
        "p99": walls[int(len(walls) * 0.99)] * 1000,
        "events": sum(events for _, _, events in every) / len(every),
        "kinds": kinds,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
