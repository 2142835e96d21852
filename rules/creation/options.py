"""What a choice is a choice of: its type in formulas, its options with their words, and whether a value fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.creation.plan import ChoicePlan
from rules.formulas.types import Bool, Int, List, Map, Text, Type
from rules.packs.schema import Choice
from rules.packs.values import MAX_ITEMS, NONE, Misfit, Vocabulary, fit_int, known
from rules.problems import nearest


def keys_of(spec: Choice, words: Vocabulary) -> tuple[str, ...]:
    """What `numbers` has a number for each of. Misfit where `over` says nothing usable."""
    if spec.type != "numbers":
        if spec.over is not None:
            raise Misfit("`over` goes with `type: numbers`")
        return ()
    if isinstance(spec.over, str):
        known(spec.over, words.cards, "card type")
        return tuple(words.cards[spec.over])
    if not spec.over:
        raise Misfit("`type: numbers` needs `over:`, stats or a card type")
    return tuple(spec.over)


def choice_type(spec: Choice, words: Vocabulary, keys: tuple[str, ...], may_lack: bool) -> Type:
    """The type of what was chosen; `may_lack`: as those read it who do not know whether it was. Misfit where the choice
    refers to something unknown."""
    if spec.type in ("card", "cards"):
        if spec.card is None:
            raise Misfit(f"`type: {spec.type}` needs `card:` with a card type")
        known(spec.card, words.cards, "card type")
        return words.card_type(spec.card, may_lack) if spec.type == "card" else List(words.card_type(spec.card))
    if spec.type in ("name", "names"):
        if not spec.options:
            raise Misfit(f"`type: {spec.type}` needs `options:`")
        names = Text(frozenset(spec.options) | ({NONE} if may_lack and spec.type == "name" else frozenset()))
        return names if spec.type == "name" else List(names)
    if spec.type == "numbers":
        card = spec.over if isinstance(spec.over, str) else None
        return Map(Text(frozenset(keys), card), Int())
    plain: dict[str, Type] = {"number": Int(), "text": Text(), "texts": List(Text()), "flag": Bool()}
    return plain[spec.type]


def titles_of(sections: Mapping[str, Any], spec: Choice) -> tuple[dict[str, str], dict[str, str]]:
    """Titles and texts of the options (of the keys, for numbers over cards)."""
    if spec.options:
        return dict(spec.options), {}
    kind = spec.over if isinstance(spec.over, str) else spec.card
    cards = sections["cards"].get(kind, {})
    return {name: card.title for name, card in cards.items()}, {n: c.text for n, c in cards.items() if c.text}


def fitted(plan: ChoicePlan, value: Any) -> Any:
    """The value in the choice's own form. Misfit when it is no value of this choice at all."""
    spec = plan.spec
    match spec.type:
        case "card" | "name":
            return one_of(plan, value)
        case "cards" | "names" | "texts":
            return several(plan, value)
        case "number":
            return fit_number(value)
        case "numbers":
            return numbers(plan, value)
        case "flag":
            if not isinstance(value, bool):
                raise Misfit("true or false is wanted")
            return value
    return text(spec, value)


def one_of(plan: ChoicePlan, value: Any) -> str:
    if not isinstance(value, str) or value not in plan.titles:
        shown = str(value)[:40]
        raise Misfit(f"{shown!r} is none of these", nearest(shown, plan.titles))
    return value


def several(plan: ChoicePlan, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or len(value) > MAX_ITEMS:
        raise Misfit("a list is wanted")
    if plan.spec.type == "texts":
        return [line for item in value if (line := text(plan.spec, item))]
    found = [one_of(plan, item) for item in value]
    for item in found:
        if found.count(item) > 1 and not plan.spec.again:
            raise Misfit(f"{plan.titles[item]} is chosen twice")
    return found


def numbers(plan: ChoicePlan, value: Any) -> dict[str, int]:
    """A number for every key; one that is not given is where it starts."""
    if not isinstance(value, Mapping):
        raise Misfit("a number for each is wanted")
    for key in value:
        if key not in plan.keys:
            raise Misfit(f"{key!r} is none of these", nearest(str(key), plan.keys))
    return {**starting(plan), **{key: fit_number(item) for key, item in value.items()}}


def fit_number(value: Any) -> int:
    from rules.packs.schema import Spec

    return fit_int(Spec(type="int"), value)


def starting(plan: ChoicePlan) -> dict[str, int]:
    """Where numbers start: the declared default, one for all or one for each, or 0."""
    start = plan.spec.default
    if isinstance(start, Mapping):
        return {key: start.get(key, 0) for key in plan.keys}
    return dict.fromkeys(plan.keys, start if isinstance(start, int) else 0)


def text(spec: Choice, value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit("a text is wanted")
    line = value.strip()
    if len(line) > spec.longest:
        raise Misfit(f"at most {spec.longest} characters")
    return line


def default_of_choice(plan: ChoicePlan) -> Any:
    """The value of a choice that nobody has made: its default, or None where it must be made."""
    if plan.spec.type == "numbers":
        return starting(plan)
    if plan.spec.type == "flag" and plan.spec.default is None:
        return False
    return plan.spec.default
