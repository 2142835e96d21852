"""A fight that a game master puts together, as its page shows it: the party, the foes there can be, the dials, and how
it adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from campaigns.state import State
from encounters.sizing import Member, party_of, sized_for
from frontend.asking import Asked, field_of, value_of
from frontend.numbers import number
from rules.packs import Pack
from rules.packs.schema import Input, Spec
from rules.packs.wording import titled
from rules.refusal import Refused
from rules.sizing import Chosen, Shown, Sized, foe_cards, numbers_of, sizing_of

MOST = 20


@dataclass(frozen=True)
class FoeNumber:
    """A number of a foe that can be another one than its card's."""

    name: str
    title: str
    value: str


@dataclass(frozen=True)
class FoeLine:
    """What foes can be made of: how many are chosen, and their numbers, where any are."""

    card: str
    title: str
    says: str
    count: int
    numbers: tuple[FoeNumber, ...]


@dataclass(frozen=True)
class SizingForm:
    """The page's form, with what was chosen so far; ``sized`` is None where something typed does not fit."""

    pack: Pack
    party: tuple[tuple[Member, bool], ...]
    foes: tuple[FoeLine, ...]
    dials: tuple[Asked, ...]
    sized: Sized | None
    wrong: Refused | None
    text: str

    @property
    def over(self) -> bool:
        """Whether there is more than there may be."""
        return self.sized is not None and self.sized.left < 0

    @property
    def share(self) -> int:
        """How much of what there may be is used, in percent, a hundred at most."""
        if self.sized is None or self.sized.budget <= 0:
            return 0
        return max(0, min(100, 100 * self.sized.used // self.sized.budget))

    @property
    def figures(self) -> list[Shown]:
        """What the meter does not say already."""
        spec = sizing_of(self.pack)
        shown = [] if self.sized is None else self.sized.figures
        return [one for one in shown if one.name not in (spec.budget, spec.used)]

    @property
    def chosen(self) -> tuple[FoeLine, ...]:
        """Those of whom there are any."""
        return tuple(one for one in self.foes if one.count)


def sizing_form(state: State, role: str, pack: Pack, typed: QueryDict) -> SizingForm:
    """The form with what was typed; as it is first shown, with all who are played."""
    spec = sizing_of(pack)
    known = party_of(state, pack)
    begun = "command_id" in typed
    chosen = typed.getlist("party")
    party = tuple((one, one.subject in chosen if begun or chosen else one.played) for one in known)
    sized, wrong = None, None
    try:
        dials = dials_of(spec.dials, typed)
        picked = [one.subject for one, here in party if here]
        sized = sized_for(state, role, pack.id, picked, chosen_of(pack, typed), dials)
    except Refused as refusal:
        wrong = refusal
    fields = tuple(
        field_of(pack, name, _input(dial), "", typed.get(f"given-{name}", dial.default))
        for name, dial in spec.dials.items()
    )
    fields = tuple(_ticked(one, typed) if begun and one.kind == "tick" else one for one in fields)
    return SizingForm(pack, party, foe_lines(pack, typed), fields, sized, wrong, spec.text)


def _input(dial: Spec) -> Input:
    return Input(type=dial.type, title=dial.title, text=dial.text, min=dial.min, max=dial.max, options=dial.options)


def _ticked(field: Asked, typed: QueryDict) -> Asked:
    on = "on" in typed.getlist(field.name)
    return Asked(field.name, field.title, field.says, field.kind, field.optional, on, field.groups)


def dials_of(dials: Mapping[str, Spec], typed: QueryDict) -> dict[str, Any]:
    """The dials as they were set; those that were not are left to their defaults."""
    out: dict[str, Any] = {}
    for name, dial in dials.items():
        value = value_of(_input(dial), typed.get(f"given-{name}", "").strip())
        if value is not None:
            out[name] = value
    return out


def foe_lines(pack: Pack, typed: QueryDict) -> tuple[FoeLine, ...]:
    """What there can be of foes, in the order of the pack."""
    out = []
    for card, kind in foe_cards(pack).items():
        spec, count = pack.card(card)[1], _count(typed, card)
        numbers = tuple(
            FoeNumber(f"number-{card}-{name}", stat_title(pack, kind, name), typed.get(f"number-{card}-{name}", str(n)))
            for name, n in numbers_of(pack, kind, card).items()
            if isinstance(n, int) and not isinstance(n, bool)
        )
        says = ", ".join(titled(value) for value in spec.values.values() if isinstance(value, str))
        first = ", ".join(f"{one.title} {spec.values[one.name.rsplit('-', 1)[1]]}" for one in numbers[:2])
        out.append(FoeLine(card, spec.title, " · ".join(filter(None, (says, first))), count, numbers if count else ()))
    return tuple(out)


def stat_title(pack: Pack, kind: str, name: str) -> str:
    """What a stat is called."""
    return pack.kinds[kind].stats[name].spec.title or titled(name)


def _count(typed: QueryDict, card: str) -> int:
    text = typed.get(f"count-{card}", "").strip()
    return min(int(text), MOST) if text.isdecimal() and len(text) < 4 else 0


def chosen_of(pack: Pack, typed: QueryDict) -> list[Chosen]:
    """The foes that were chosen, with the numbers that were changed."""
    out = []
    for card, kind in foe_cards(pack).items():
        count = number(typed.get(f"count-{card}", "") or "0", f"count-{card}", f"0 to {MOST}")
        if not 0 <= count <= MOST:
            raise Refused("out_of_range", "Not so many.", field=f"count-{card}", value=count, right=f"0 to {MOST}")
        if count:
            known = numbers_of(pack, kind, card)
            typed_in = {
                name: number(text, f"number-{card}-{name}")
                for name in known
                if (text := typed.get(f"number-{card}-{name}", "").strip())
            }
            out.append(Chosen(card, count, {n: value for n, value in typed_in.items() if value != known[n]}))
    return out
