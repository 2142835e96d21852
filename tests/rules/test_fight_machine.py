"""The kernel of a fight under random commands: whatever is asked in whatever order, what must hold holds."""

from __future__ import annotations

import random

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rules.fight import Fight, FightTable, changed, commands, evolve, their_turn
from rules.refusal import Refused
from rules.sheets.subject import Held, Subject
from rules.tests.perform import Act
from tests.rules.duel import duel

PACK = duel()
CARDS = {
    "ana": ["parrying", "sweeping", "grudge"],
    "bo": ["warding", "bearing", "stances"],
    "cai": ["burning_hand", "leaping", "storming"],
    "wolf": ["parrying"],
    "bear": ["knitting"],
    "rat": [],
}
SIDES = {"ana": "friends", "bo": "friends", "cai": "friends", "wolf": "foes", "bear": "foes", "rat": "foes"}
NAMES = st.sampled_from(sorted(CARDS))
CELLS = st.tuples(st.integers(0, 6), st.integers(0, 6))


class Random:
    """Faces of a stream of its own."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def roll(self, sides: int) -> int:
        return self.random.randint(1, sides)


def somebody(name: str) -> Subject:
    kind = "fighter" if SIDES[name] == "friends" else "beast"
    values = {"might": 4, "hp": 12, "hp_max": 20, "mana": 4}
    return Subject(id=name, kind=kind, values=values, held=[Held(id=f"{c}-1", card=c) for c in CARDS[name]])


class Fighting(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.start = {name: somebody(name) for name in CARDS}
        self.table = FightTable(PACK, self.start)
        self.events: list[bytes] = []
        self.dice = Random(0)

    def do(self, command: object) -> None:
        """A command is done whole or refused with nothing changed."""
        before = (msgspec.json.encode(self.table.fight), dict(self.table.subjects))
        try:
            made = self.table.do(command, self.dice)
        except Refused as no:
            assert no.code and no.message
            assert (msgspec.json.encode(self.table.fight), self.table.subjects) == before
            return
        assert made
        self.events += [msgspec.json.encode(event) for event in made]

    @initialize(seed=st.integers(0, 10_000), grid=st.booleans())
    def gather(self, seed: int, grid: bool) -> None:
        self.dice = Random(seed)
        for at, name in enumerate(sorted(CARDS)):
            self.do(commands.Join(subject=name, side=SIDES[name], place=(at, at % 3) if grid else None))
        self.do(commands.Begin())

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """Mostly the one whose turn it is, with an action they have."""
        user = data.draw(st.sampled_from([their_turn(self.table.fight) or "ana", "bo", "wolf"]))
        action = data.draw(st.sampled_from(sorted(PACK.actions)))
        spec = PACK.actions[action].spec
        roles = {
            role: data.draw(st.lists(NAMES, max_size=3) if found.many else NAMES) for role, found in spec.roles.items()
        }
        x, y = data.draw(CELLS)
        given = {name: {"x": x, "y": y} for name in spec.inputs}
        self.do(commands.Use(act=Act(action=action, user=user, roles=roles, given=given)))

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        waiting = self.table.fight.waiting
        if waiting is None:
            return
        ask = waiting.ask
        if ask.kind == "window":
            who = data.draw(st.sampled_from(sorted(ask.asked)))
            options = [option.id for option in ask.asked[who]]
            self.do(commands.Answer(subject=who, answer=data.draw(st.lists(st.sampled_from(options), unique=True))))
        else:
            self.do(commands.Answer(answer=data.draw(st.sampled_from([option.id for option in ask.options] or ["?"]))))

    @rule()
    def close(self) -> None:
        self.do(commands.Close())

    @rule()
    def end_turn(self) -> None:
        self.do(commands.EndTurn())

    @rule(who=NAMES, place=CELLS)
    def put(self, who: str, place: tuple[int, int]) -> None:
        self.do(commands.Put(subject=who, place=place))

    @rule(who=NAMES, hp=st.integers(-5, 30))
    def adjust(self, who: str, hp: int) -> None:
        self.do(commands.Adjust(reason="a slip", set={who: {"hp": hp}}))

    @rule(who=NAMES)
    def leave(self, who: str) -> None:
        self.do(commands.Leave(subject=who))

    @rule(who=NAMES, initiative=st.integers(1, 30))
    def join(self, who: str, initiative: int) -> None:
        self.do(commands.Join(subject=who, side=SIDES[who], initiative=initiative))

    @rule(who=NAMES, initiative=st.integers(1, 30))
    def rank(self, who: str, initiative: int) -> None:
        self.do(commands.Rank(subject=who, initiative=initiative))

    @rule()
    def cancel(self) -> None:
        self.do(commands.Cancel())

    @rule(paused=st.booleans())
    def pause(self, paused: bool) -> None:
        self.do(commands.Pause(paused=paused))

    @invariant()
    def one_turn_at_a_time(self) -> None:
        fight = self.table.fight
        if fight.order is None:
            return
        assert fight.scene.turn == their_turn(fight)
        assert fight.scene.round == fight.order.round >= 1
        assert fight.scene.order == [slot.subject for slot in fight.order.slots if slot.present]
        assert len(set(fight.scene.order)) == len(fight.scene.order)

    @invariant()
    def numbers_in_bounds(self) -> None:
        for subject in self.table.subjects.values():
            for stat, value in subject.values.items():
                spec = PACK.kinds[subject.kind].stats[stat].spec
                assert spec.min is not None and spec.max is not None and spec.min <= value <= spec.max, (stat, value)
            assert len({held.id for held in subject.held}) == len(subject.held)

    @invariant()
    def replay_equals_live(self) -> None:
        fight, subjects = Fight(), dict(self.start)
        for raw in self.events:
            event = msgspec.json.decode(raw, type=EVENTS)
            subjects.update(changed(subjects, event))
            evolve(event, fight)
        assert fight == self.table.fight
        assert subjects == self.table.subjects


def union() -> object:
    from functools import reduce
    from operator import or_

    from rules.fight import events

    kinds = [k for k in vars(events).values() if isinstance(k, type) and issubclass(k, events.Event)]
    return reduce(or_, [kind for kind in kinds if kind is not events.Event])


EVENTS = union()
Fighting.TestCase.settings = settings(
    max_examples=15,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a failing run is short enough to read as it is
)
TestFighting = Fighting.TestCase
