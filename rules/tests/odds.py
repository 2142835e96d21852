"""Exact odds: the program of the test itself, run once for every way the dice can fall."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from rules.dice.enumerating import EnumeratingDice
from rules.packs.pack import Pack
from rules.problems import RulesError
from rules.sheets.subject import Actor, Subject
from rules.tests.result import Ask
from rules.tests.run import NOBODY, Prepared, prepare

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
) -> Odds:
    """The exact odds of a test with its choices fixed. Raises ChoiceNeeded, BudgetExceeded, GivenError."""
    prepared = prepare(pack, test_id, given, subjects, actor)
    fixed = dict(choices or {})
    key = cache_key(prepared, fixed)
    if key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    found = enumerate_all(prepared, fixed)
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


class Tally:
    """Weights by denominator first, exact fractions at the end."""

    def __init__(self) -> None:
        self.weights: dict[tuple[str, str, Any], dict[int, int]] = {}

    def add(self, key: tuple[str, str, Any], weight: int, total: int) -> None:
        slot = self.weights.setdefault(key, {})
        slot[total] = slot.get(total, 0) + weight

    def chance(self, key: tuple[str, str, Any]) -> Fraction:
        return sum((Fraction(w, total) for total, w in self.weights[key].items()), Fraction(0))


def enumerate_all(prepared: Prepared, choices: Mapping[str, Any]) -> Odds:
    """Walk every case and weigh what it comes to."""
    dice, tally = EnumeratingDice(), Tally()
    of = 1
    while True:
        run = prepared.execute(dice, choices, trace=False)
        if run.pending is not None:
            raise ChoiceNeeded(run.pending)
        of = max(of, dice.total)
        if run.status == "refused":
            tally.add(("refused", "", ""), dice.weight, dice.total)
        else:
            tally.add(("outcome", run.outcome or "done", ""), dice.weight, dice.total)
            for name, value in run.facts.items():
                tally.add(("fact", name, frozen(value)), dice.weight, dice.total)
        if not dice.advance():
            break
    return collect(tally, of, dice.runs)


def frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def collect(tally: Tally, of: int, cases: int) -> Odds:
    out = Odds(outcomes={}, facts={}, of=of, cases=cases)
    for key in tally.weights:
        kind, name, value = key
        chance = tally.chance(key)
        if kind == "outcome":
            out.outcomes[name] = chance
        elif kind == "fact":
            out.facts.setdefault(name, {})[value] = chance
        else:
            out.refused = chance
    return out
