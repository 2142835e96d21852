"""Exact odds: the program of the test itself, run once for every way the dice can fall."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

import msgspec

from rules.dice.enumerating import MAX_CASES, EnumeratingDice
from rules.packs.pack import Pack
from rules.problems import RulesError
from rules.sheets.subject import Actor, Subject
from rules.tests.result import Ask
from rules.tests.run import NOBODY, REFUSED, Prepared, prepare
from rules.tests.runtime import Pending

CACHE_SIZE = 200
Chances = dict[Any, Fraction]


class Odds(msgspec.Struct, kw_only=True):
    """Exact chances. `outcomes` maps outcome id to its chance; `facts` each fact to its values' chances.

    `refused` is the chance that the run is refused; `of` a number of equally likely rolls that makes all of them whole.
    """

    outcomes: dict[str, Fraction]
    facts: dict[str, Chances]
    refused: Fraction = Fraction(0)
    of: int = 1
    cases: int = 0

    def ways(self, outcome: str) -> int:
        """How many of the `of` rolls come to an outcome."""
        return int(self.outcomes.get(outcome, Fraction(0)) * self.of)


class ChoiceNeeded(RulesError):  # noqa: N818  (an answer, like Refused)
    """Odds depend on a choice that was not fixed: give it in `choices` (or "best" where a side plays its best)."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        super().__init__(
            f"the odds depend on the choice {ask.id!r}: fix it beforehand", code="choice_needed", field=ask.id
        )


_cache: OrderedDict[Any, Odds] = OrderedDict()


def odds(
    pack: Pack,
    test_id: str,
    given: Mapping[str, Any] | None = None,
    choices: Mapping[str, Any] | None = None,
    *,
    subjects: Mapping[str, Subject] | None = None,
    actor: Actor = NOBODY,
    most: int = MAX_CASES,
) -> Odds:
    """The exact odds of a test with its choices fixed, if they take no more than `most` cases. Raises ChoiceNeeded,
    BudgetExceeded, GivenError."""
    prepared = prepare(pack, test_id, given, subjects, actor)
    fixed = dict(choices or {})
    key = cache_key(prepared, fixed)
    if key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    found = enumerate_all(prepared, fixed, most)
    _cache[key] = found
    if len(_cache) > CACHE_SIZE:
        _cache.popitem(last=False)
    return found


def cache_key(prepared: Prepared, choices: Mapping[str, Any]) -> bytes:
    parts = (
        prepared.pack.digest,
        prepared.program.id,
        prepared.pack.setting_values,
        prepared.given,
        {role: msgspec.to_builtins(subject) for role, subject in prepared.subjects.items()},
        [prepared.actor.seat, sorted(prepared.actor.plays)],
        dict(choices),
    )
    return msgspec.json.encode(parts, order="sorted")


Weights = dict[Any, dict[int, int]]
"""what came -> number of equally likely rolls -> how many of them came to it"""


def weigh(weights: Weights, key: Any, weight: int, total: int) -> None:
    slot = weights.get(key)
    if slot is None:
        slot = weights[key] = {}
    slot[total] = slot.get(total, 0) + weight


class Results:
    """Whole results (outcome, names of facts, their values) and their weights: many cases come to few results."""

    def __init__(self) -> None:
        self.weights: Weights = {}

    def add(self, outcome: str, facts: Mapping[str, Any], weight: int, total: int) -> None:
        key = (outcome, tuple(facts), *facts.values())
        try:
            weigh(self.weights, key, weight, total)
        except TypeError:  # a list among the facts, or a record
            plain = {name: frozen(value) for name, value in facts.items() if countable(value)}
            weigh(self.weights, (outcome, tuple(plain), *plain.values()), weight, total)


def chance(slot: Mapping[int, int]) -> Fraction:
    return sum((Fraction(weight, total) for total, weight in slot.items()), Fraction(0))


def enumerate_all(prepared: Prepared, choices: Mapping[str, Any], most: int = MAX_CASES) -> Odds:
    """Walk every case and weigh what it comes to. A run that waits for a choice raises ChoiceNeeded."""
    dice = EnumeratingDice(most)
    results = Results()
    outcomes: Weights = {}
    facts: dict[str, Weights] = {}
    of = 1
    while True:
        try:
            outcome, found = prepared.result(dice, choices)
        except Pending as exc:
            raise ChoiceNeeded(exc.ask) from None
        of = lcm(of, dice.total)
        results.add(outcome, found, dice.weight, dice.total)
        if not dice.advance():
            break
    for (outcome, names, *values), slot in results.weights.items():
        for total, weight in slot.items():
            weigh(outcomes, outcome, weight, total)
            for name, value in zip(names, values, strict=True):
                weigh(facts.setdefault(name, {}), value, weight, total)
    return Odds(
        outcomes={name: chance(slot) for name, slot in outcomes.items() if name != REFUSED},
        facts={name: {value: chance(slot) for value, slot in found.items()} for name, found in facts.items()},
        refused=chance(outcomes.get(REFUSED, {})),
        of=of,
        cases=dice.runs,
    )


def countable(value: Any) -> bool:
    """Whether the chances of a fact's values can be told: of plain values and lists of them."""
    if isinstance(value, list | tuple):
        return all(isinstance(item, int | str) for item in value)
    return isinstance(value, int | str)


def frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
