"""A fight in the world of secrets: foes whose numbers are like no others, and one whom nobody sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.sheets import Sheets
from campaigns.store import states
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.playing import ActInEncounter, CancelAct, EndTurn
from encounters.commands.preparing import BeginEncounter, JoinEncounter, PrepareEncounter
from encounters.parts.encounters import Encounters
from rules.fight import their_turn
from tests.secrets.asking import Ask, asks
from tests.secrets.world import World, hides, word

PACK = "frontiers-fantasy"
MOST_PLAIN = 1_000_000_000
# Numbers that nothing else comes to; the soft foe is easily hit, so that what is left of its hp is one as well.
HARD = {"hp_max": 6180339887, "hp": 6180339887, "pd": 2718281828, "md": 2718281829, "initiative": 0}
SOFT = {"hp_max": 3141592653, "hp": 3141592653, "pd": 2, "md": 2}
UNSEEN = {"hp_max": 1414213562, "hp": 1414213562, "pd": 1732050807, "md": 3}
MAGE = {"level": 3, "calling": "mage", "domain": "flame", "abilities": ["arcane_burst"], "energy": 9}
MAGE |= {"score": {"vigor": 14, "deft": 14, "acuity": 16, "resolve": 12}, "weapon_die": 8}


@hides
def a_prepared_encounter(world: World) -> None:
    """Nobody but GMs knows that it is planned."""
    title = word()
    made: Any = world.table.send("olga", PrepareEncounter(title=title, pack=PACK)).events[0].event
    world.hide("title of a prepared encounter", title)
    world.hide("id of a prepared encounter", made.encounter)
    world.know("encounter", made.encounter)


@hides
def an_encounter(world: World) -> None:
    """One that runs: blows at foes, a blast among which stands one whom nobody sees, whose turn comes as well."""
    fight = Fight(world)
    fight.act("paul", fight.mage, "combatant.attack", roles={"target": fight.hard})
    fight.act("paul", fight.mage, "combatant.attack", roles={"target": fight.soft})
    fight.turn_of(fight.mage)
    fight.act("paul", fight.mage, "arcane_burst", given={"at": {"x": 9, "y": 4}})
    fight.turn_of(fight.unseen)
    fight.act("olga", fight.unseen, "roadman.cudgel", roles={"target": fight.mage})
    fight.by_hand()
    fight.hide()


@asks
def the_unseen(world: World) -> Iterator[Ask]:
    """What is known of one who is in a fight and seen by nobody."""
    for one in world.ids.get("unseen", []):
        for fight in world.ids["encounter"]:
            yield Ask("GET", f"/c/{world.table.campaign_id}/encounters/{fight}/of/{one}/")
            yield Ask("GET", f"/c/{world.table.campaign_id}/encounters/{fight}/act/{one}/roadman.cudgel/")
        yield Ask("GET", f"/c/{world.table.campaign_id}/characters/{one}/")
        yield Ask("GET", f"/api/campaigns/{world.table.campaign_id}/subjects/{one}/sheets")


class Fight:
    """Paul's mage against three on a grid of twelve by nine: one hard, one soft, one unseen."""

    def __init__(self, world: World) -> None:
        self.world, self.table = world, world.table
        self.mage = self.table.character("paul", "Orrin")
        self._numbers(self.mage, MAGE)
        self.name = word()
        self.hard, self.soft = self._foe("Reeve", HARD), self._foe("Tollman", SOFT)
        self.unseen = self._foe(self.name, UNSEEN)
        ready = PrepareEncounter(title="At the ford", pack=PACK, foes="words", width=12, height=9)
        made: Any = self.table.send("olga", ready).events[0].event
        self.id: str = made.encounter
        for one, x, y in ((self.mage, 6, 4), (self.hard, 7, 4), (self.soft, 7, 5), (self.unseen, 7, 3)):
            side, where = "party" if one == self.mage else "road", {"x": x, "y": y}
            join = JoinEncounter(encounter=self.id, subject=one, side=side, hidden=one == self.unseen, **where)
            self.table.send("olga", join)
        order = {self.mage: 20, self.unseen: 15, self.hard: 12, self.soft: 11}
        self.table.send("olga", BeginEncounter(encounter=self.id, initiative=order))

    def _numbers(self, subject: str, values: dict[str, Any]) -> None:
        self.table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))

    def _foe(self, name: str, values: dict[str, Any]) -> str:
        made: Any = (
            self.table.send("olga", CreateSubject(kind="adversary", name=name, hidden=name == self.name))
            .events[0]
            .event
        )
        values = {stat: value for stat, value in values.items() if stat != "initiative"}
        self._numbers(made.subject, {"tier": 1, **values})
        self.table.send("olga", ApplyCard(subject=made.subject, pack=PACK, card="roadman", secret=True))
        return str(made.subject)

    def act(self, who: str, user: str, action: str, **more: Any) -> None:
        """An action; where its dice lead to a question it is not done after all, and tried again."""
        for _ in range(50):
            self.table.send(who, ActInEncounter(encounter=self.id, action=action, user=user, **more))
            if self._fight().waiting is None:
                return
            while self._fight().waiting is not None:
                self.table.send("olga", CancelAct(encounter=self.id))
        raise AssertionError(f"{action} asks a question however its dice fall")

    def _fight(self) -> Any:
        with states.held(self.table.campaign_id) as state:
            return state.part(Encounters).open[self.id].fight

    def turn_of(self, subject: str) -> None:
        """Turns end until it is theirs."""
        self.table.send("olga", EndTurn(encounter=self.id))
        while their_turn(self._fight()) != subject:
            self.table.send("olga", EndTurn(encounter=self.id))

    def by_hand(self) -> None:
        """What the GM does behind the screen, with a reason of its own."""
        reason, moved = word(), {"x": 2, "y": 7}
        adjust = AdjustInEncounter(encounter=self.id, reason=reason, give={self.soft: ["prone"]}, secret=True)
        self.table.send("olga", adjust)
        self.world.hide("reason of a secret adjustment", reason)
        self.table.send("olga", PlaceInEncounter(encounter=self.id, subject=self.unseen, **moved))

    def hide(self) -> None:
        """Notes what nobody else may meet. The hidden one's turn and dice are of its own, told to GMs alone."""
        world = self.world
        world.know("encounter", self.id)
        world.know("user", self.mage)
        world.know("action", "combatant.attack")
        world.know("unseen", self.unseen)
        world.hide("name of a hidden foe", self.name)
        world.hide("id of a hidden foe", self.unseen)
        for what, values in (("hard", HARD), ("soft", SOFT), ("unseen", UNSEEN)):
            for stat, value in values.items():
                if value > MOST_PLAIN:
                    world.hide(f"{stat} of the {what} foe", str(value))
        with states.held(self.table.campaign_id) as state:
            for what in ("hard", "soft", "unseen"):
                left = state.part(Sheets).sheet(getattr(self, what), PACK).values["hp"]
                world.hide(f"hp of the {what} foe as it is", str(left))


def roomy(shelf: Path) -> None:
    """Lets the numbers of foes be as large as it takes to be like no other, in a copy of the pack."""
    kinds = shelf / PACK / "kinds.yaml"
    text = kinds.read_text()
    for narrow in ("max: 10000,", "max: 40,"):
        assert narrow in text
        text = text.replace(narrow, f"max: {10 * MOST_PLAIN},")
    kinds.write_text(text)
