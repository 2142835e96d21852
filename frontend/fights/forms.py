"""Forms of the board: what an action asks for and what was given, what a question's answer is, whom it is
barred from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.state import State
from encounters.board_reading import ActionRead, AskedRead, BoardRead
from encounters.parts.encounters import Encounter
from frontend.asking import Asked, field_of, value_of
from frontend.fights.board import costs
from frontend.fights.trying import Trial
from frontend.numbers import number_or_text
from rules.board import Board
from rules.board.scene import apart
from rules.packs import Pack
from rules.packs.schema import Input
from rules.packs.values import NONE
from rules.refusal import Refused
from rules.sheets import Sheet
from rules.tests.offers import fits_user
from rules.tests.perform import Act

PLACE = "place"


@dataclass(frozen=True)
class Choosable:
    """Somebody who can be chosen for a role: on which side, how far off (None: nobody knows), ``bars`` why not just
    now ("": nothing is known to bar it)."""

    subject: str
    name: str
    units: int | None
    chosen: bool
    side: str = ""
    friend: bool = False
    bars: str = ""


@dataclass(frozen=True)
class RoleField:
    """A role of an action: several where ``many``; ``nobody`` says why nobody can be chosen. ``friends`` are those of
    one's own side where it is meant for foes: they are offered apart."""

    name: str
    title: str
    many: bool
    says: str
    among: tuple[Choosable, ...]
    nobody: str = ""
    friends: tuple[Choosable, ...] = ()


@dataclass(frozen=True)
class PlaceField:
    """A square to be chosen; without a grid where one of ``among`` (id, name) stands, ``where`` being who is chosen."""

    name: str
    title: str
    x: str
    y: str
    among: tuple[tuple[str, str], ...] = ()
    where: str = ""


@dataclass(frozen=True)
class ActForm:
    """The form of one action of somebody; ``agreed`` are the fields that are the game master's word."""

    action: ActionRead
    subject: str
    name: str
    roles: tuple[RoleField, ...]
    places: tuple[PlaceField, ...]
    fields: tuple[Asked, ...]
    cost: tuple[str, ...]
    agreed: tuple[Asked, ...] = ()


def act_form(
    state: State, board: BoardRead, found: Encounter, pack: Pack, user: str, action: str, typed: QueryDict
) -> ActForm | None:
    """The form with what was given so far; None where the viewer has no such action to use."""
    actor = next((one for one in board.actors if one.subject == user), None)
    read = next((one for one in actor.actions if one.action == action), None) if actor else None
    if actor is None or read is None:
        return None
    kind = state.part(Subjects).by_id[user].kind
    spec, offered = pack.action(action).spec, _Offered(state, found, pack, user, action)
    fields = [
        offered.theirs(field_of(pack, one.name, spec.inputs[one.name], kind, value), spec.inputs[one.name])
        for one in read.inputs
        if one.type != PLACE
        for value in [typed.get(f"given-{one.name}", _default(one.default))]
    ]
    agreed = {f"given-{name}" for name, one in spec.inputs.items() if one.by == "gm"}
    return ActForm(
        action=read,
        subject=user,
        name=actor.name,
        roles=tuple(_role(one, found, user, board, typed) for one in read.roles),
        places=tuple(_place(one, board, typed) for one in read.inputs if one.type == PLACE),
        fields=tuple(one for one in fields if one.name not in agreed),
        agreed=tuple(one for one in fields if one.name in agreed),
        cost=costs(pack, kind, read),
    )


def _default(value: Any) -> Any:
    return "" if value is None else value


class _Offered:
    """What the inputs of an action offer its user: of cards their own, where they hold any, and of these those that the
    action is for."""

    def __init__(self, state: State, found: Encounter, pack: Pack, user: str, action: str) -> None:
        known = subject_of(state, user, found.pack)
        sheet = Sheet(known, pack.kinds[known.kind], pack.settings)
        # What somebody is just now is changed for another.
        modes = {sheet[n] for n, plan in sheet.kind.stats.items() if plan.spec.type == "card" and plan.spec.holds}
        self.held, self.program = set(sheet.by_card) - modes, pack.action(action).program
        self.frame = {
            "setting": pack.settings,
            "asker": "player",
            "@board": Board(pack, found.fight.scene, {user: known}),
            "user": sheet,
        }

    def theirs(self, field: Asked, spec: Input) -> Asked:
        """A choice of cards or names with those that fit; with none, where that may be."""
        if spec.type not in ("card", "name"):
            return field
        groups = list(field.groups)
        if spec.type == "card":
            own = [(label, tuple(one for one in cards if one[0] in self.held)) for label, cards in groups]
            groups = [(label, cards) for label, cards in own if cards] or groups
        name = field.name.removeprefix("given-")
        fitting = [(label, tuple(one for one in cards if self.fits(name, one[0]))) for label, cards in groups]
        groups = [(label, cards) for label, cards in fitting if cards]
        if spec.type == "card":
            groups = [*([("", (("none", "as usual"),))] if spec.optional else []), *groups]
        return replace(field, groups=tuple(groups))

    def fits(self, name: str, option: str) -> bool:
        return option == NONE or fits_user(self.program, name, option, self.frame)


def _role(role: Any, found: Encounter, user: str, board: BoardRead, typed: QueryDict) -> RoleField:
    """Nobody is chosen beforehand but who was tapped, and the one other who can be meant at all, if no friend."""
    given = [*typed.getlist(f"role-{role.name}"), typed.get("on", "")]
    known = {one.subject: one for one in board.fighters}
    knows = bool(found.fight.scene.places) or bool(found.fight.scene.apart)
    sides = found.fight.scene.sides
    among = [
        Choosable(
            subject=one,
            name=known[one].name,
            units=apart(found.fight.scene, user, one) if knows and one != user else None,
            chosen=one in given,
            side="themselves" if one == user else known[one].side,
            friend=sides.get(one) == sides.get(user),
        )
        for one in role.can_be
        if one in known
    ]
    among.sort(key=lambda one: (one.friend, one.units is None, one.units or 0))
    apart_ = tuple(one for one in among if one.friend) if role.meant == "foe" else ()
    among = [one for one in among if one not in apart_]
    if len(among) == 1 and not role.many and not among[0].friend and not any(one.chosen for one in apart_):
        among = [replace(among[0], chosen=True)]
    span = f"{role.min} to {role.max}" if role.max else f"{role.min} or more"
    return RoleField(role.name, role.title, role.many, span if role.many else "", tuple(among), role.nobody, apart_)


def judged(form: ActForm, act: Act, trial: Trial) -> ActForm:
    """The form with what bars it from each who could be chosen, where one is chosen alone; those it is barred from come
    last, and none of them stands chosen that nobody chose."""
    if len(form.roles) != 1 or form.roles[0].many:
        return form
    (role,) = form.roles

    def tried(among: tuple[Choosable, ...]) -> tuple[Choosable, ...]:
        acts = [replace_role(act, role.name, one.subject) for one in among]
        found = [replace(one, bars=trial.bars(asked)) for one, asked in zip(among, acts, strict=True)]
        return tuple(sorted(found, key=lambda one: bool(one.bars)))

    return replace(form, roles=(replace(role, among=tried(role.among), friends=tried(role.friends)),))


def replace_role(act: Act, role: str, subject: str) -> Act:
    return Act(action=act.action, user=act.user, roles={role: subject}, given=act.given)


def _place(one: Any, board: BoardRead, typed: QueryDict) -> PlaceField:
    def part(axis: str) -> str:
        return typed.get(f"place-{one.name}-{axis}") or typed.get(axis, "")

    among = () if board.width else tuple((fighter.subject, fighter.name) for fighter in board.fighters)
    return PlaceField(one.name, one.title, part("x"), part("y"), among, typed.get(f"place-{one.name}", ""))


def act_of(form: ActForm, pack: Pack, typed: QueryDict) -> Act:
    """What the form says, as an act. What is no number stays text, for the entrance to refuse by name."""
    roles: dict[str, str | list[str]] = {}
    for role in form.roles:
        chosen = [one for one in typed.getlist(f"role-{role.name}") if one]
        chosen = chosen or [one.subject for one in (*role.among, *role.friends) if one.chosen]
        if role.many or chosen:
            roles[role.name] = chosen if role.many else chosen[0]
    given: dict[str, Any] = {}
    inputs = pack.action(form.action.action).spec.inputs
    for one in (*form.fields, *form.agreed):
        name = one.name.removeprefix("given-")
        text = typed.get(one.name, "").strip()
        value = value_of(inputs[name], text)
        if value is not None:
            given[name] = value
    for place in form.places:
        found = place.where if place.among else placed(place.x, place.y)
        if found:
            given[place.name] = found
    return Act(action=form.action.action, user=form.subject, roles=roles, given=given)


def placed(column: str, row: str) -> dict[str, Any] | None:
    """A square that was typed from 1, counted from 0."""
    x, y = number_or_text(column), number_or_text(row)
    if x == "" and y == "":
        return None
    return {"x": x - 1 if isinstance(x, int) else x, "y": y - 1 if isinstance(y, int) else y}


def answer_of(asked: AskedRead, post: QueryDict) -> Any:
    """What was answered, as the question wants it. Refused where several could be chosen and nothing was."""
    chosen = post.getlist("answer")
    text = chosen[0] if chosen else ""
    match asked.kind:
        case "window":
            if not chosen and "pass" not in post:
                raise Refused("missing", "Nothing is ticked.", field="answer", right="one of them, or Pass")
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
