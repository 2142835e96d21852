"""Verbs of the ground: place an area, lift one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.board.board import Spot
from rules.board.scene import Area
from rules.formulas import Formula
from rules.formulas.types import Int, Text
from rules.packs.schema import Step
from rules.sheets.sheet import Sheet
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.uses import put
from rules.tests.verb_moves import spot_of
from rules.tests.verbs_held import build_until, card_of, held_condition, held_values, subject_of
from rules.tests.verbs_lists import matches


def build_place(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """place: card, at: place or subject, or on: subject (it goes with them); size, shape, toward, slows, until."""
    if flow.scope.board is None:
        flow.report(path_, "nothing can be placed: the pack has no section `encounter`")
        return None
    if (step.at is None) == (step.on is None):
        flow.report(path_, "say where it lies: `at`, or `on` for one that goes with somebody")
        return None
    if (step.shape in ("line", "wall")) != (step.toward is not None):
        flow.report(path_, "a line or wall goes `toward` something, and nothing else does")
        return None
    card, until, values = area_card(flow, step, path_), build_until(flow, step, path_), None
    if card is not None:
        values = held_values(flow, step, card, path_)
    at = None if step.at is None else spot_of(flow, step.at, (*path_, "at"))
    on = None if step.on is None else subject_of(flow, step.on, path_)
    goal = None if step.toward is None else spot_of(flow, step.toward, (*path_, "toward"))
    size = flow.of_type(step.size if step.size is not None else 0, Int(), (*path_, "size"))
    slows = flow.of_type(step.slows if step.slows is not None else 1, Int(), (*path_, "slows"))
    missing = (step.at is not None and at is None) or (step.on is not None and on is None)
    if missing or (step.toward is not None and goal is None):
        return None
    if card is None or until is None or values is None or size is None or slows is None:
        return None
    flow.shared.effects = True
    if step.into is not None:
        flow.define(step.into, Text(), (*path_, "into"))
    source = flow.shared.roles[0] if flow.shared.roles else ""
    return place_closure(step, card, (at, on, goal), (size, slows), until, values, source)


def area_card(flow: Flow, step: Step, path_: Path) -> str | None:
    found = card_of(flow, step.place or "", (*path_, "place"))
    if found is not None and not isinstance(found, str):
        flow.report((*path_, "place"), "an area is named by its id")
        return None
    if found is not None:
        flow.shared.builder.applied.add(found)
    return found


def place_closure(  # noqa: PLR0913  (what an area is made of)
    step: Step,
    card: str,
    spots: tuple[Formula | None, Formula | None, Formula | None],
    numbers: tuple[Formula, Formula],
    until: Callable[[Runtime], Any],
    values: dict[str, Formula],
    source: str,
) -> Closure:
    at, on, goal = spots
    size, slows = numbers
    into, shape = step.into, step.shape or "burst"

    def place_area(rt: Runtime) -> None:
        board, frame = rt.board, rt.frame
        spot: Spot = None if at is None else at.run(frame)
        where: dict[str, Any] = {"shape": shape, "size": size.run(frame), "slows": slows.run(frame)}
        where |= {"blocks": True} if board.pack.card(card)[1].blocks else {}
        if on is not None:
            where["on"] = on.run(frame).id
        elif board.cell(spot) is None:
            where["on"] = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
        else:
            where["at"] = board.cell(spot)
        if goal is not None:
            where["to"] = board.cell(goal.run(frame))
        effect = Effect(
            verb="place",
            card=card,
            held=f"{card}@{board.scene.numbered + 1}",
            values={k: v.run(frame) for k, v in values.items()},
            ends=until(rt),
            source=frame[source].id if source in frame else "",
            after=where,
        )
        put(rt, effect, f"{card} is placed")
        if into is not None:
            frame[into] = effect.held

    return place_area


def build_lift(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """lift: card, where: condition on `item`, one of the areas of that card; without it all of them go."""
    if flow.scope.board is None:
        flow.report(path_, "nothing lies anywhere: the pack has no section `encounter`")
        return None
    card = card_of(flow, step.lift or "", (*path_, "lift"))
    if not isinstance(card, str):
        return None
    where = None if step.where is None else held_condition(flow, step, card, path_)
    if step.where is not None and where is None:
        return None
    flow.shared.effects = True

    def lift(rt: Runtime) -> None:
        for area in [area for area in rt.board.scene.areas.values() if area.card == card]:
            item = {"id": area.id, "source": area.source, **area.values}
            if where is None or matches(rt, where, item):
                put(rt, lifted(area), f"{card} is gone")

    return lift


def lifted(area: Area) -> Effect:
    """The effect that takes an area away, whole, so that it can be put back."""
    where: dict[str, Any] = {"shape": area.shape, "size": area.size, "slows": area.slows, "inside": list(area.inside)}
    where |= {"blocks": True} if area.blocks else {}
    where |= {"on": area.on} if area.on else {}
    where |= {"at": area.at} if area.at is not None else {}
    where |= {"to": area.to} if area.to is not None else {}
    return Effect(
        verb="lift", card=area.card, held=area.id, values=area.values, ends=area.ends, source=area.source, after=where
    )


BUILDERS: dict[str, Any] = {"place": build_place, "lift": build_lift}
