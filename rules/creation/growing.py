"""Growing: what can be bought, what a level brings, and which choices of a level still wait. Pure.

`Growth` is all that is remembered beside the sheet: how often each thing was bought, and what is still due.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.creation.plan import AdvancementPlan, LevelsPlan, OfferPlan
from rules.creation.standing import Making, Standing
from rules.dice import ChosenDice
from rules.packs.pack import Pack
from rules.packs.wording import counted
from rules.problems import RulesError, nearest
from rules.refusal import Refused
from rules.sheets import Sheet, Subject
from rules.tests.fuse import run_steps
from rules.tests.runtime import RequirementFailed, Runtime


class Due(Struct, frozen=True, kw_only=True):
    """Choices that a level brought and that are still to be made: `grant` is their id, `level` the level."""

    grant: str
    level: int


class Growth(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How somebody has grown: times bought by id of the purchase, and what is due, the oldest first."""

    bought: dict[str, int] = {}
    due: tuple[Due, ...] = ()


@dataclass(frozen=True)
class Offer:
    """What can be bought or taken: why not (None: it can), and the choices it asks for as they stand."""

    plan: OfferPlan
    refused: Refused | None
    cost: Mapping[str, int]
    standing: Standing


def advancement_of(pack: Pack, kind: str) -> AdvancementPlan:
    """How a pack lets a kind of subject grow; refused where it does not say."""
    if kind not in pack.advancements:
        right = nearest(kind, pack.advancements) or " or ".join(pack.advancements) or "a pack that does"
        raise RulesError(f"{pack.id} does not say how a {kind} grows", code="no_advancement", field="kind", right=right)
    return pack.advancements[kind]


def sheet_of(pack: Pack, subject: Subject) -> Sheet:
    return Sheet(subject, pack.kinds[subject.kind], pack.settings)


def offer(
    pack: Pack, subject: Subject, growth: Growth, name: str, choices: Mapping[str, Any], *, seat: str = "gm"
) -> Offer:
    """A purchase, or what a level brought, with these choices. The standing's sheet is what it would make of them."""
    plan = advancement_of(pack, subject.kind)
    found = plan.offers.get(name)
    if found is None:
        raise RulesError(
            "There is nothing of this name.", code="unknown_offer", field="offer", right=nearest(name, plan.offers)
        )
    sheet = sheet_of(pack, subject)
    bought = {each: growth.bought.get(each, 0) for each in plan.counted}
    making = Making(pack, sheet, choices, seat, {"bought": bought})
    making.step = name
    cost = {stat: formula(making.frame) for stat, formula in found.cost.items()}
    refused = closed(found, making, growth, cost, seat)
    if refused is None:
        pay(sheet, cost)
        for choice in found.choices:
            making.choose(choice)
        making.do("", found.deed)
        known_choices = {choice.id for choice in found.choices}
        for extra in choices.keys() - known_choices:
            making.wrong(extra, "unknown_choice", f"Nothing is chosen under the name {extra!r}.", "")
    return Offer(found, refused, cost, making.standing)


def closed(found: OfferPlan, making: Making, growth: Growth, cost: Mapping[str, int], seat: str) -> Refused | None:
    """Why something cannot be had now, or None."""
    if found.at and not any(due.grant == found.id for due in growth.due):
        return Refused(
            "not_due", f"{found.title}: nothing of this is due.", field="offer", right="a level that brings it"
        )
    if (found.by == "gm" or found.award) and seat != "gm":
        return Refused("gm_only", f"{found.title}: the game master decides this.", field="offer", right="a game master")
    if found.when is not None and not found.at and not found.when(making.frame):
        return Refused("not_open", f"{found.title} is not open now.", field="offer")
    times = growth.bought.get(found.id, 0)
    most = None if found.most is None else found.most(making.frame)
    if most is not None and times >= most:
        right = f"at most {most}"
        return Refused("bought_out", f"{found.title} was had {times} times already.", field="offer", right=right)
    return unpaid(making.sheet, cost)


def unpaid(sheet: Sheet, cost: Mapping[str, int]) -> Refused | None:
    for stat, amount in cost.items():
        have = sheet.base(stat)
        if have < amount:
            needed = counted(sheet.kind.stats[stat].spec, stat, amount)
            message = f"It takes {needed}; there {'is' if have == 1 else 'are'} {have or 'none'}."
            return Refused("cannot_pay", message, field="offer", right=f"{amount} or more")
    return None


def pay(sheet: Sheet, cost: Mapping[str, int]) -> None:
    for stat, amount in cost.items():
        sheet.write(stat, sheet.base(stat) - amount)


def take(
    pack: Pack, subject: Subject, growth: Growth, name: str, choices: Mapping[str, Any], *, seat: str = "gm"
) -> tuple[Subject, Growth, dict[str, Any]]:
    """Buys something, or takes what a level brought: the subject and its growth after, and the choices made. Refused
    with the first thing that is wrong."""
    found = offer(pack, subject, growth, name, choices, seat=seat)
    if found.refused is not None:
        raise found.refused
    if found.standing.wrong:
        raise found.standing.wrong[0].refusal()
    if found.plan.at:
        at = next(n for n, due in enumerate(growth.due) if due.grant == name)
        after = replace(growth, due=growth.due[:at] + growth.due[at + 1 :])
    else:
        after = replace(growth, bought={**growth.bought, name: growth.bought.get(name, 0) + 1})
    return found.standing.sheet.subject(), after, found.standing.made()


def levels_of(pack: Pack, kind: str) -> LevelsPlan:
    plan = advancement_of(pack, kind).levels
    if plan is None:
        raise RulesError(f"A {kind} has no levels.", code="no_levels", field="subject", right="a kind that has")
    return plan


def gain_level(pack: Pack, subject: Subject, growth: Growth) -> tuple[Subject, Growth, int]:
    """One level more: the subject and its growth after, and the level. Refused at the highest."""
    plan = levels_of(pack, subject.kind)
    sheet = sheet_of(pack, subject)
    frame = {"holder": sheet, "setting": pack.settings, "asker": "gm"}
    frame["bought"] = {each: growth.bought.get(each, 0) for each in advancement_of(pack, subject.kind).counted}
    level, most = sheet.base(plan.spec.stat) + 1, plan.most(frame)
    if level > most:
        raise Refused("highest_level", f"There is no level above {most}.", field="subject", right=f"at most {most}")
    sheet.write(plan.spec.stat, level)
    due = list(growth.due)
    try:
        run_steps(Runtime(dict(frame), ChosenDice([]), {}, tracing=False), plan.steps)
        for grant in plan.grants.values():
            if level not in grant.at or (grant.when is not None and not grant.when(frame)):
                continue
            if grant.choices:
                due.append(Due(grant=grant.id, level=level))
            else:
                run_steps(Runtime(dict(frame), ChosenDice([]), {}, tracing=False), grant.deed.steps)
    except RequirementFailed as no:
        raise Refused(no.refusal.reason, no.refusal.text or "The rules do not allow it.", field="subject") from None
    return sheet.subject(), replace(growth, due=tuple(due)), level
