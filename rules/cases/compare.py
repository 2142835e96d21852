"""What a case expects against what came: each difference is one plain line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from rules.cases.schema import CaseStep, Expected, OddsExpected, StateExpected
from rules.sheets import Sheet
from rules.sheets.sheet import ByCard
from rules.tests.account import account
from rules.tests.odds import Chances, Odds
from rules.tests.result import TestRun

MISSING = "(nothing)"


def compare_value(what: str, wanted: Any, found: Any) -> list[str]:
    """Equal, with maps compared in the keys that are named; an empty one is equal to an empty one alone."""
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted:
        parts = (
            (key, wanted[key], found[key] if key in found or isinstance(found, ByCard) else MISSING) for key in wanted
        )
        return [line for key, one, other in parts for line in compare_value(f"{what}.{key}", one, other)]
    if isinstance(found, tuple):
        found = list(found)
    if wanted == found and isinstance(wanted, bool) == isinstance(found, bool):
        return []
    return [f"{what}: expected {wanted!r}, got {found!r}"]


def compare_run(wanted: Expected, run: TestRun) -> list[str]:
    out: list[str] = []
    refused = run.refused.reason if run.refused is not None else None
    pending = run.pending.id if run.pending is not None else None
    if refused != wanted.refused:
        out.append(f"refused: expected {wanted.refused!r}, got {refused!r}")
    if pending != wanted.pending:
        out.append(f"pending: expected {wanted.pending!r}, got {pending!r}")
    said = [effect.text for effect in run.effects if effect.verb == "narrate"]
    options = [option.id for option in run.pending.options] if run.pending else None
    for what, value, found in (
        ("outcome", wanted.outcome, run.outcome),
        ("success", wanted.success, run.success),
        ("title", wanted.title, run.title),
        ("who", wanted.who, run.pending.who if run.pending else None),
        ("options", wanted.options, options),
        ("narrated", wanted.narrated, len(said)),
        ("says", wanted.says, said),
    ):
        out += [] if value is None else compare_value(what, value, found)
    if wanted.account is not None:
        heard = account(run.trace or (), "all")
        lines = iter(heard)
        missing = [line for line in wanted.account if line not in lines]
        out += [f"account: {line!r} is not told, or not there: {list(heard)}" for line in missing]
    for name, value in wanted.facts.items():
        out += compare_value(f"facts.{name}", value, run.facts.get(name, MISSING))
    for name, value in wanted.values.items():
        out += compare_value(f"values.{name}", value, dotted(run.values, name))
    for name, faces in wanted.rolls.items():
        lies = [die.face for die in run.rolls[name] if die.kept] if name in run.rolls else MISSING
        out += compare_value(f"rolls.{name}", faces, lies)
    for name, level in wanted.seen.items():
        out += compare_value(f"seen.{name}", level, run.facts_seen.get(name, "all") if name in run.facts else MISSING)
    return out


def dotted(values: dict[str, Any], name: str) -> Any:
    found: Any = values
    for part in name.split("."):
        if not isinstance(found, dict) or part not in found:
            return MISSING
        found = found[part]
    return found


def compare_states(step: CaseStep, subjects: Collection[str], sheet: Callable[[str], Sheet]) -> list[str]:
    """What a step expects of sheets after it."""
    out: list[str] = []
    for name, wanted in step.expect.state.items():
        if name not in subjects:
            out.append(f"the case has no subject {name!r}")
            continue
        out += compare_state(name, wanted, sheet(name))
    return out


def compare_state(name: str, wanted: StateExpected, sheet: Sheet) -> list[str]:
    out: list[str] = []
    for stat, value in wanted.stats.items():
        if stat not in sheet.kind.stats:
            out.append(f"{name}: no stat is called {stat!r}")
        else:
            out += compare_value(f"{name}.{stat}", value, sheet[stat])
    if wanted.held is not None:
        out += compare_value(f"{name}.held", sorted(wanted.held), sorted(held.card for held in sheet.held))
    return out


def odds_differences(wanted: OddsExpected, found: Odds, outcomes: Collection[str]) -> list[str]:
    """`outcomes` are those that the test declares: one that it has not is misspelt, not unlikely."""
    out: list[str] = []
    for outcome, ways in wanted.ways.items():
        if outcome not in outcomes and outcome not in found.outcomes:
            out.append(f"odds: the test has no outcome {outcome!r}")
        out += same_chance(outcome, ways, wanted.total, found.outcomes.get(outcome, Fraction(0)))
    if wanted.fact and wanted.fact not in found.facts:
        return [*out, f"the test has no fact {wanted.fact!r}"]
    if (wanted.values or wanted.mean) and not wanted.fact:
        out.append("odds: values and mean are those of a `fact`")
    known = found.facts.get(wanted.fact, {})
    for value, ways in wanted.values.items():
        out += same_chance(f"{wanted.fact} {value}", ways, wanted.total, known.get(value, Fraction(0)))
    return out + (same_mean(wanted, known) if wanted.mean else [])


def same_mean(wanted: OddsExpected, known: Chances) -> list[str]:
    """The mean of a number, exact where a fraction is written, else to the places written."""
    mean = sum((value * chance for value, chance in known.items()), Fraction(0))
    places = len(wanted.mean.partition(".")[2])
    found = mean if "/" in wanted.mean else round(mean, places)
    if found == Fraction(wanted.mean):
        return []
    return [f"mean of {wanted.fact}: expected {wanted.mean}, got {mean} ({float(mean):g})"]


def same_chance(what: str, ways: int, total: int, found: Fraction) -> list[str]:
    if Fraction(ways, total) == found:
        return []
    return [f"odds of {what}: expected {ways} in {total}, got {float(found * total):g}"]
