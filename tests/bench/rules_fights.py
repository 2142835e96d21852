"""Simulated fights a second on one core, events included: four against a captain's band of Frontiers Fantasy.

Through the kernel; everybody strikes twice a Turn at the first foe who stands and answers whatever they may. Aim: 100.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import rules
from deploy.memory import settle
from rules.cases.read import read_cases
from rules.cases.run import Table
from rules.fight import FightTable, commands
from rules.packs import Pack, load_pack
from rules.refusal import Refused
from rules.sheets import Subject
from rules.tests.perform import Act
from rules.tests.result import Ask
from tests.bench.measure import Row, rate

FIGHTS, ROUNDS = 5, 30
SIDES = {
    "party": ("rell", "bryn", "wren", "osk"),
    "road": ("captain", "roadman_1", "roadman_2", "roadman_3"),
}
INITIATIVE = dict(zip([*SIDES["party"], *SIDES["road"]], (14, 10, 10, 8, 11, 11, 11, 11), strict=True))
STRIKES = {
    "rell": ("combatant.attack", {"approach": "deft"}),
    "bryn": ("combatant.attack", {"approach": "vigor"}),
    "osk": ("combatant.attack", {"approach": "vigor"}),
    "wren": ("arcane_bolt", {}),
    "captain": ("roadman_captain.sabre", {}),
}
CUDGEL = ("roadman.cudgel", {})


class Dice:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def roll(self, sides: int) -> int:
        return int(self.random() * sides) + 1


@cache
def world() -> tuple[Pack, dict[str, Subject]]:
    pack = load_pack("frontiers-fantasy")
    file = Path(rules.__file__).parent / "shelf" / "frontiers-fantasy" / "cases" / "toll-bridge.yaml"
    placed = read_cases(file.name, file.read_bytes())[0]
    return pack, dict(Table(pack, placed.subjects, placed.case).subjects)


def answers(ask: Ask) -> object:
    """Everybody answers with what they may; of other choices the first is taken."""
    if ask.kind == "window":
        return {who: [options[-1].id] for who, options in ask.asked.items()}
    return ask.options[0].id if ask.options else ask.min


def fight(seed: int) -> int:
    """One fight to its end; how many rounds it took."""
    pack, subjects = world()
    table, dice = FightTable(pack, subjects, policy=answers), Dice(seed)
    for side, names in SIDES.items():
        for name in names:
            table.do(commands.Join(subject=name, side=side), dice)
    table.do(commands.Begin(initiative=INITIATIVE), dice)
    while table.fight.scene.round < 20:
        if not take_turn(table, table.fight.scene.turn, dice):
            break
    return table.fight.scene.round


def standing(table: FightTable, who: str) -> list[str]:
    """Foes who are up, in the order of turns."""
    members = table.fight.members
    foes = [name for name in table.fight.scene.order if members[name].side != members[who].side]
    return [name for name in foes if table.subjects[name].values.get("hp", 1) > 0]


def take_turn(table: FightTable, who: str, dice: Dice) -> bool:
    """Two strikes, and the Turn is over; whether there was anybody to strike at when it began."""
    action, given = STRIKES.get(who, CUDGEL)
    for strike in range(2):
        foes = standing(table, who)
        if not foes or table.fight.scene.turn != who:
            return strike > 0
        try:
            act = Act(action=action, user=who, roles={"target": foes[0]}, given=dict(given))
            table.do(commands.Use(act=act), dice)
        except Refused:
            break
    if table.fight.scene.turn == who:
        table.do(commands.EndTurn(), dice)
    return True


def fights() -> int:
    for seed in range(FIGHTS):
        fight(seed)
    return FIGHTS


def main() -> list[Row]:
    """The best of some rounds, for others may use the machine; after what a job does that simulates thousands: formulas
    are compiled, and what is loaded is left out of the search for garbage."""
    for _ in range(3):
        fights()
    settle()
    best = max(rate(fights) for _ in range(ROUNDS))
    return [Row("worked fight, simulated", "ours", best, "per s", True, "100")]


if __name__ == "__main__":
    for row in main():
        print(row)
