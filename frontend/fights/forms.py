"""Forms of the board: what an action asks for and what was given, what a question's answer is, what an action would do
before any die falls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.state import State
from encounters.board_reading import ActionRead, AskedRead, BoardRead
from encounters.commands.common import fighters
from encounters.parts.encounters import Encounter
from frontend.asking import Asked, field_of, value_of
from frontend.fights.board import costs
from frontend.fights.grid import Ground, ground, outlined
from frontend.numbers import number_or_text
from rules.board import Scene, apply_to_scene, copy_scene
from rules.board.scene import apart, covers
from rules.packs import Pack
from rules.packs.schema import Input
from rules.packs.wording import titled
from rules.problems import RulesError
from rules.sheets import Sheet
from rules.tests.perform import Act, perform
from rules.tests.result import Ask
from rules.tests.runtime import Pending

PLACE = "place"


@dataclass(frozen=True)
class Choosable:
    """Somebody who can be chosen for a role, and how far off they are (None: nobody knows)."""

    subject: str
    name: str
    units: int | None
    chosen: bool


@dataclass(frozen=True)
class RoleField:
    """A role of an action: several where ``many``."""

    name: str
    title: str
    many: bool
    says: str
    among: tuple[Choosable, ...]


@dataclass(frozen=True)
class PlaceField:
    """A square to be chosen."""

    name: str
    title: str
    x: str
    y: str


@dataclass(frozen=True)
class ActForm:
    """The form of one action of somebody."""

    action: ActionRead
    subject: str
    name: str
    roles: tuple[RoleField, ...]
    places: tuple[PlaceField, ...]
    fields: tuple[Asked, ...]
    cost: tuple[str, ...]


@dataclass(frozen=True)
class Foreseen:
    """What would happen before any die falls: why it cannot be done ("" it can), squares gone to, areas laid, and who
    would stand in these."""

    refused: str
    moves: tuple[str, ...]
    areas: tuple[Ground, ...]
    within: tuple[str, ...] = ()


def act_form(
    state: State, board: BoardRead, found: Encounter, pack: Pack, user: str, action: str, typed: QueryDict
) -> ActForm | None:
    """The form with what was given so far; None where the viewer has no such action to use."""
    actor = next((one for one in board.actors if one.subject == user), None)
    read = next((one for one in actor.actions if one.action == action), None) if actor else None
    if actor is None or read is None:
        return None
    names = {one.subject: one.name for one in board.fighters}
    kind = state.part(Subjects).by_id[user].kind
    spec, held = pack.action(action).spec, _held(state, found, user)
    return ActForm(
        action=read,
        subject=user,
        name=actor.name,
        roles=tuple(_role(one, found, user, names, typed) for one in read.roles),
        places=tuple(_place(one, typed) for one in read.inputs if one.type == PLACE),
        fields=tuple(
            _theirs(field_of(pack, one.name, spec.inputs[one.name], kind, value), spec.inputs[one.name], held)
            for one in read.inputs
            if one.type != PLACE
            for value in [typed.get(f"given-{one.name}", _default(one.default))]
        ),
        cost=costs(pack, kind, read),
    )


def _default(value: Any) -> Any:
    return "" if value is None else value


def _held(state: State, found: Encounter, user: str) -> set[str]:
    """The cards in force for somebody, by id, without what they are just now: a mode is changed for another."""
    known = subject_of(state, user, found.pack)
    pack = Packs(state).get(found.pack)
    sheet = Sheet(known, pack.kinds[known.kind], pack.settings)
    modes = {sheet[n] for n, plan in sheet.kind.stats.items() if plan.spec.type == "card" and plan.spec.holds}
    return set(sheet.by_card) - modes


def _theirs(field: Asked, spec: Input, held: set[str]) -> Asked:
    """A choice of cards with those of whoever acts alone, where they hold any; and with none, where that may be."""
    if spec.type != "card":
        return field
    own = [(label, tuple(one for one in cards if one[0] in held)) for label, cards in field.groups]
    groups = [(label, cards) for label, cards in own if cards] or list(field.groups)
    none = [("", (("none", "as usual"),))] if spec.optional else []
    return replace(field, groups=(*none, *groups))


def _role(role: Any, found: Encounter, user: str, names: Mapping[str, str], typed: QueryDict) -> RoleField:
    given = [*typed.getlist(f"role-{role.name}"), typed.get("on", "")]
    knows = bool(found.fight.scene.places) or bool(found.fight.scene.apart)
    among = [
        Choosable(one, names[one], apart(found.fight.scene, user, one) if knows and one != user else None, one in given)
        for one in role.can_be
        if one in names
    ]
    among.sort(key=lambda one: (one.units is None, one.units or 0))
    if len(among) == 1 and not role.many:
        among = [Choosable(among[0].subject, among[0].name, among[0].units, True)]
    span = f"{role.min} to {role.max}" if role.max else f"{role.min} or more"
    return RoleField(role.name, role.title, role.many, span if role.many else "", tuple(among))


def _place(one: Any, typed: QueryDict) -> PlaceField:
    def part(axis: str) -> str:
        return typed.get(f"place-{one.name}-{axis}") or typed.get(axis, "")

    return PlaceField(one.name, one.title, part("x"), part("y"))


def act_of(form: ActForm, pack: Pack, typed: QueryDict) -> Act:
    """What the form says, as an act. What is no number stays text, for the entrance to refuse by name."""
    roles: dict[str, str | list[str]] = {}
    for role in form.roles:
        chosen = [one for one in typed.getlist(f"role-{role.name}") if one]
        chosen = chosen or [one.subject for one in role.among if one.chosen]
        if role.many or chosen:
            roles[role.name] = chosen if role.many else chosen[0]
    given: dict[str, Any] = {}
    inputs = pack.action(form.action.action).spec.inputs
    for one in form.fields:
        name = one.name.removeprefix("given-")
        text = typed.get(one.name, "").strip()
        value = value_of(inputs[name], text)
        if value is not None:
            given[name] = value
    for place in form.places:
        found = placed(place.x, place.y)
        if found is not None:
            given[place.name] = found
    return Act(action=form.action.action, user=form.subject, roles=roles, given=given)


def placed(column: str, row: str) -> dict[str, Any] | None:
    """A square that was typed from 1, counted from 0."""
    x, y = number_or_text(column), number_or_text(row)
    if x == "" and y == "":
        return None
    return {"x": x - 1 if isinstance(x, int) else x, "y": y - 1 if isinstance(y, int) else y}


class _NoDie:
    """A source of dice that stops the run at the first of them."""

    def roll(self, _sides: int) -> int:
        raise Pending(Ask(id="die", who="roller", kind="die"))


def foresee(state: State, board: BoardRead, found: Encounter, pack: Pack, act: Act) -> Foreseen | None:
    """What is known of an act before the first die and the first question; None where something is not given yet.
    It is tried on a board without those whom the viewer does not see, or trying would find them."""
    names = {one.subject: one.name for one in board.fighters}
    before = _as_seen(found.fight.scene, names)
    able = {name: subject for name, subject in fighters(state, found).items() if name in names}
    try:
        run = perform(pack, before, able, act, _NoDie(), trace=False)
    except (RulesError, Pending):
        return None
    if run.refused is not None:
        return Foreseen(run.refused.text or titled(run.refused.reason), (), ())
    scene = copy_scene(before)
    for effect in run.effects:
        if effect.verb in ("move", "place", "lift"):
            apply_to_scene(scene, effect)
    moved = [one for one in scene.places if scene.places[one] != before.places.get(one)]
    moves = tuple(f"{names[s]}: to column {scene.places[s][0] + 1}, row {scene.places[s][1] + 1}" for s in moved)
    laid = [area for name, area in scene.areas.items() if name not in before.areas]
    size = (board.width, board.height)
    areas = [ground(scene, area, pack.card(area.card)[1].title, *size) for area in laid]
    areas += [outlined(s, names[s], [scene.places[s]]) for s in moved]
    within = [name for subject, name in names.items() if any(covers(scene, area, subject) for area in laid)]
    return Foreseen("", moves, tuple(areas), tuple(within))


def _as_seen(scene: Scene, names: Mapping[str, str]) -> Scene:
    """A board as those see it who see these."""
    seen = copy_scene(scene)
    seen.order = [one for one in scene.order if one in names]
    seen.places = {one: cell for one, cell in scene.places.items() if one in names}
    seen.areas = {name: area for name, area in scene.areas.items() if not area.on or area.on in names}
    return seen


def answer_of(asked: AskedRead, post: QueryDict) -> Any:
    """What was answered, as the question wants it."""
    chosen = post.getlist("answer")
    text = chosen[0] if chosen else ""
    match asked.kind:
        case "window":
            return [] if "pass" in post else chosen
        case "subjects":
            return chosen
        case "flag":
            return text == "yes"
        case "int" | "die":
            return number_or_text(text)
        case "adjust":
            moves = {one.place: number_or_text(post.get(f"turn-{one.place}", "")) for one in asked.dice}
            return text or [{"die": place, "to": face} for place, face in moves.items() if face != ""]
        case "place":
            return placed(post.get("place-x", ""), post.get("place-y", "")) or text
    return text
