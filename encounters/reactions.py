"""A moment in words: what it is about, what may be answered to it, what each answer does and costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rules.board import Board, Scene
from rules.packs import Pack
from rules.packs.schema import Spec
from rules.packs.values import default_of
from rules.packs.wording import counted, titled
from rules.sheets import Subject
from rules.tests.acts import ReactionPlan
from rules.tests.result import Ask


@dataclass(frozen=True)
class SaidReaction:
    """What a reaction does, and what it costs, of how much there is."""

    text: str
    cost: tuple[str, ...]


def said_reactions(
    pack: Pack, scene: Scene, subjects: Mapping[str, Subject], ask: Ask, user: str
) -> dict[str, SaidReaction]:
    """Those that a moment offers somebody, by id."""
    board = Board(pack, scene, subjects)
    roles = pack.source.sections["moments"][ask.moment].roles
    if any(ask.about[role] not in subjects for role in roles):
        return {}
    values = {name: board.sheet(value) if name in roles else value for name, value in ask.about.items()}
    frame = {"setting": pack.settings, "asker": "player", "@board": board, "user": board.sheet(user), "moment": values}
    wanted = {option.id for option in ask.asked.get(user, ())}
    return {plan.id: _said(pack, plan, frame) for plan in _plans(pack, ask.moment) if plan.id in wanted}


def _plans(pack: Pack, moment: str) -> Iterator[ReactionPlan]:
    for plans in pack.reactions.get(moment, {}).values():
        yield from plans


def _said(pack: Pack, plan: ReactionPlan, frame: dict[str, Any]) -> SaidReaction:
    user, frame["card"] = frame["user"], plan.card
    amounts = [(stat, amount.run(frame)) for stat, amount in plan.use.cost]
    cost = tuple(
        f"{counted(user.kind.stats[stat].spec, stat, amount)} of {user[stat]}" for stat, amount in amounts if amount > 0
    )
    return SaidReaction(plan.spec.text or pack.card(plan.card)[1].text, cost)


def said_values(pack: Pack, ask: Ask, name: Callable[[str], str], told: Collection[str]) -> dict[str, str]:
    """What is known of a moment: who is in it, where that is not ``told`` already, and the values that have a title and
    are not as they always are."""
    if ask.kind != "window":
        return {}
    moment = pack.source.sections["moments"][ask.moment]
    roles = {role: ask.about[role] for role in moment.roles if role in ask.about}
    named = {} if set(roles.values()) == set(told) else roles
    out = {moment.roles[role].title or titled(role): name(subject) for role, subject in named.items()}
    for value, spec in moment.values.items():
        if spec.title and value in ask.about and ask.about[value] not in ("", None, default_of(spec)):
            out[spec.title] = _value(pack, spec, ask.about[value])
    return out


def _value(pack: Pack, spec: Spec, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if spec.type == "card":
        return pack.card(value)[1].title
    return spec.titles().get(value) or titled(str(value)) if isinstance(value, str) else str(value)
