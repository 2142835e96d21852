"""How much a fight holds against how much it may: pure, from the party, the foes that are chosen, and the dials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from rules.board import Board, Scene
from rules.packs.pack import Pack
from rules.packs.schema import Sizing
from rules.packs.values import Misfit, default_of, fit
from rules.problems import GivenError, RulesError, nearest
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Subject
from rules.sizing.foes import foe_cards, foe_of

MOST_FOES = 60


class Chosen(Struct, frozen=True, omit_defaults=True):
    """So many foes made of a card, with other numbers than the card's where these are given."""

    card: str
    count: int = 1
    numbers: dict[str, int] = {}


class Shown(Struct, frozen=True):
    """A figure: its value, and how people read it (with a point where it counts in parts)."""

    name: str
    title: str
    value: int
    says: str


class Sized(Struct, frozen=True):
    """``budget`` is how much there may be, ``used`` how much there is, ``left`` what remains (below 0: too much)."""

    budget: int
    used: int
    left: int
    figures: list[Shown]
    cautions: list[str]


def size(pack: Pack, party: Sequence[Subject], foes: Sequence[Chosen], dials: Mapping[str, Any]) -> Sized:
    """The figures and cautions of a fight. GivenError where a foe, its numbers or a dial do not fit."""
    spec = sizing_of(pack)
    frame: dict[str, Any] = {**fitted(pack, spec, dials), "setting": pack.settings, "asker": "gm"}
    frame["@board"] = Board(pack, Scene(), {})
    frame["party"] = [sheet(pack, one) for one in party if one.kind in spec.party]
    frame["foes"] = [sheet(pack, one) for one in made(pack, foes)]
    plan = pack.sizing
    assert plan is not None
    shown = []
    for name, formula in plan.figures.items():
        value = frame[name] = formula(frame)
        number = spec.figures[name]
        if number.shown:
            shown.append(Shown(name, number.title or name.replace("_", " "), value, written(value, number.parts)))
    budget, used = frame[spec.budget], frame[spec.used]
    cautions = [text(frame) for when, text in plan.cautions if when is None or when(frame)]
    return Sized(budget, used, budget - used, shown, cautions)


def sizing_of(pack: Pack) -> Sizing:
    """What the pack says of it. Refused where it says nothing."""
    spec: Sizing | None = pack.source.sections["sizing"]
    if spec is None:
        raise RulesError(f"{pack.id} does not say how fights are sized", code="no_sizing")
    return spec


def fitted(pack: Pack, spec: Sizing, dials: Mapping[str, Any]) -> dict[str, Any]:
    """Every dial as it is set, or at its default."""
    for name in dials:
        if name not in spec.dials:
            raise GivenError(name, "there is no such dial", nearest(name, spec.dials))
    out = {}
    for name, dial in spec.dials.items():
        try:
            out[name] = fit(dial, dials.get(name, default_of(dial)), pack.words)
        except Misfit as exc:
            raise GivenError(name, exc.message, exc.suggestion) from None
    return out


def made(pack: Pack, foes: Sequence[Chosen]) -> list[Subject]:
    """The foes one by one, called after their card and a number. GivenError where one does not fit."""
    known, out = foe_cards(pack), list[Subject]()
    for one in foes:
        if one.card not in known:
            raise GivenError("foes", f"no foe is made of {one.card!r}", nearest(one.card, known))
        stats = pack.kinds[known[one.card]].stats
        for name, value in one.numbers.items():
            if name not in stats or stats[name].formula is not None:
                raise GivenError("foes", f"{one.card} has no number {name!r}", nearest(name, stats))
            try:
                fit(stats[name].spec, value, pack.words)
            except Misfit as exc:
                raise GivenError("foes", f"{name}: {exc.message}", exc.suggestion) from None
        if one.count < 0 or len(out) + one.count > MOST_FOES:
            raise GivenError("foes", f"from 0 to {MOST_FOES} foes in all")
        title = pack.card(one.card)[1].title
        for number in range(1, one.count + 1):
            named = title if one.count == 1 else f"{title} {number}"
            out.append(foe_of(pack, one.card, f"{one.card}_{number}", one.numbers, named))
    return out


def sheet(pack: Pack, subject: Subject) -> Sheet:
    return Sheet(subject, pack.kinds[subject.kind], pack.settings)


def written(value: int, parts: int) -> str:
    """A number as people read it; one in hundredths with a point."""
    if parts == 1:
        return str(value)
    digits = len(str(parts)) - 1
    return f"{value / parts:.{digits}f}"
