"""Steps of a case that happen in a fight: through the kernel that plays, with chosen dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rules.board import Area, Board, Scene
from rules.cases.compare import compare_run, compare_states, compare_value
from rules.cases.expecting import never_came
from rules.cases.schema import CaseStep, SceneSpec
from rules.dice import ChosenDice
from rules.fight import Fight, FightTable, Member, Order, Slot, commands
from rules.fight.decide import size_of
from rules.fight.events import Done
from rules.fight.state import Doing
from rules.packs.pack import Pack
from rules.problems import DiceError, GivenError
from rules.refusal import Refused
from rules.sheets import Ends, Subject
from rules.tests.perform import Act, perform
from rules.tests.result import Ask, TestRun

FIRST = 1000
"""initiatives in a given order go down from here"""


def fight_of(pack: Pack, spec: SceneSpec, subjects: Mapping[str, Subject]) -> Fight:
    """The fight as the case begins it."""
    sides = {name: side for side, names in spec.sides.items() for name in names}
    members = {name: Member(side=side, hidden=name in spec.hidden) for name, side in sides.items()}
    names = [] if spec.prepared else list(spec.order or sides)
    slots = tuple(Slot(name, FIRST - at) for at, name in enumerate(names))
    for slot in slots:
        if slot.subject not in members:
            raise GivenError("order", f"{slot.subject} is on no side")
        members[slot.subject].initiative = slot.initiative
    turn = spec.turn or (names[0] if names else "")
    order = Order(slots, round=spec.round, at=names.index(turn)) if names else None
    scene = Scene(
        sides=sides,
        order=names,
        turn=turn,
        round=spec.round if names else 0,
        places=dict(spec.places),
        sizes={name: size for name in members if name in subjects and (size := size_of(pack, subjects[name])) > 1},
        apart={"|".join(sorted(key.split("|"))): units for key, units in spec.apart.items()},
        usual=spec.usual,
        diagonal=pack.encounter.diagonal,
        areas={f"{a.card}@{at}": area_of(pack, f"{a.card}@{at}", a) for at, a in enumerate(spec.areas, 1)},
        numbered=len(spec.areas),
    )
    return Fight(status="running" if names else "prepared", members=members, order=order, scene=scene)


def area_of(pack: Pack, area_id: str, spec: Any) -> Area:
    ends = Ends(at=spec.until, of=spec.of, count=spec.count) if spec.until else None
    blocks = pack.card(spec.card)[1].blocks
    return Area(
        id=area_id,
        card=spec.card,
        at=spec.at,
        to=spec.to,
        shape=spec.shape or ("burst" if spec.to is None else "wall" if blocks else "line"),
        on=spec.on,
        size=spec.size,
        slows=spec.slows,
        blocks=blocks,
        values=spec.values,
        source=spec.source,
        ends=ends,
    )


class FightCase:
    """The fight of a case, as it stands between its steps."""

    def __init__(self, pack: Pack, subjects: Mapping[str, Subject], spec: SceneSpec | None) -> None:
        fight = Fight() if spec is None else fight_of(pack, spec, subjects)
        self.pack, self.outside = pack, spec is None
        for name in fight.members:
            if name not in subjects:
                raise GivenError("sides", f"the case has no subject {name!r}")
        self.table = FightTable(pack, subjects, fight)

    def do(self, step: CaseStep) -> list[str]:
        """One step through the kernel; the differences from what it expects."""
        dice = ChosenDice(step.dice)
        refused: str | None = None
        run: TestRun | None = None
        out: list[str] = []
        try:
            if step.act is not None and self.outside:
                run = self.outside_a_fight(step, dice)
            else:
                run = self.watched(step, dice)
        except GivenError as exc:
            if step.expect.wrong is None or exc.field != step.expect.wrong:
                return [str(exc)]
            return never_came(step.expect, "what is given does not fit") + self.differences(step)
        except DiceError as exc:
            return [str(exc)]
        except Refused as exc:
            refused, run = exc.code, None
        if step.expect.wrong is not None:
            out.append(f"wrong: expected {step.expect.wrong!r}, but everything fitted")
        if run is not None:
            out += compare_run(step.expect, run)
        else:
            out += never_came(step.expect, "nothing ran")
        if run is None and refused != step.expect.refused:
            out.append(f"refused: expected {step.expect.refused!r}, got {refused!r}")
        if dice.left and refused is None:
            out.append(f"{dice.left} of the chosen dice were not rolled")
        return out + self.differences(step)

    def outside_a_fight(self, step: CaseStep, dice: ChosenDice) -> TestRun:
        """An action where no fight runs: nothing meters it, and nobody is near or far."""
        run = perform(self.pack, Scene(), self.table.subjects, act_of(step), dice, step.choices)
        if run.status == "done":
            self.table.apply(Done(doing=Doing(), effects=run.effects))
        return run

    def watched(self, step: CaseStep, dice: ChosenDice) -> TestRun | None:
        """The step done; the run it came of (an action's, where a turn passes because of it)."""
        runs: list[TestRun] = []
        self.table.runs = runs
        for command in self.commands(step):
            self.table.do(command, dice)
        return next((run for run in reversed(runs) if run.test), runs[-1] if runs else None)

    def commands(self, step: CaseStep) -> list[Any]:
        """The kernel's commands for a step."""
        if step.act is not None:
            return [commands.Use(act=act_of(step), choices=step.choices)]
        if step.answer is not None:
            return [self.answering(who, what) for who, what in step.answer.items()]
        if step.begin is not None:
            return [msgspec.convert(begun(step.begin), commands.Begin)]
        if step.adjust is not None:
            return [msgspec.convert({"reason": "case", **step.adjust}, commands.Adjust)]
        if step.place is not None:
            return [commands.Put(subject=who, place=place) for who, place in step.place.items()]
        if step.rank is not None:
            return [commands.Rank(subject=who, initiative=value) for who, value in step.rank.items()]
        if step.join is not None:
            return [msgspec.convert({"subject": who, **how}, commands.Join) for who, how in step.join.items()]
        if step.close:
            return [commands.Close()]
        return [commands.EndTurn() if step.end_turn else commands.End()]

    def answering(self, who: str, what: Any) -> Any:
        ask = self.asked()
        if ask is not None and ask.kind == "window":
            return commands.Answer(subject=who, answer=what)
        if ask is not None and ask.id != who and not ask.id.endswith("." + who):
            raise GivenError(who, f"{ask.id} is what is waited for")
        return commands.Answer(answer=what)

    def asked(self) -> Ask | None:
        waiting = self.table.fight.waiting
        return None if waiting is None else waiting.ask

    def board(self) -> Board:
        return Board(self.pack, self.table.fight.scene, self.table.subjects)

    def differences(self, step: CaseStep) -> list[str]:
        """What the step expects of the fight after it."""
        wanted, fight = step.expect, self.table.fight
        ask = self.asked()
        asked = {} if ask is None else {who: [o.id for o in found] for who, found in ask.asked.items()}
        scene = fight.scene
        found = (
            ("asked", wanted.asked, asked),
            ("turn", wanted.turn, scene.turn),
            ("round", wanted.round, scene.round),
            ("order", wanted.order, scene.order),
            ("areas", wanted.areas, sorted(area.card for area in scene.areas.values())),
        )
        out = compare_states(step, self.table.subjects, self.board().sheet)
        for what, value, now in found:
            out += [] if value is None else same(what, value, now)
        for name, place in wanted.places.items():
            out += compare_value(f"places.{name}", list(place), list(scene.places.get(name, ())))
        return out


def same(what: str, wanted: Any, found: Any) -> list[str]:
    return [] if wanted == found else [f"{what}: expected {wanted!r}, got {found!r}"]


def begun(given: dict[str, Any]) -> dict[str, Any]:
    """Numbers are initiatives; anything else is given to the pack's test."""
    numbers = {who: value for who, value in given.items() if isinstance(value, int)}
    return {"initiative": numbers, "given": {who: value for who, value in given.items() if who not in numbers}}


def act_of(step: CaseStep) -> Act:
    assert step.act is not None
    return Act(action=step.act, user=step.user, roles=dict(step.roles), given=step.given)
