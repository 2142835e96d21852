"""`rules try` and `rules odds`: one test by hand, with chosen dice and a readable trace, or its exact odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.dice import ChosenDice, SystemDice
from rules.packs import Pack
from rules.sheets import Subject
from rules.tests import ChoiceNeeded, Odds, TestRun, odds, render, run
from rules.tests.asked import check_choices
from rules.tests.result import Ask

Say = Callable[[str], object]


def describe(pack: Pack, test: str, say: Say) -> None:
    """What a test takes and may ask."""
    program = pack.test(test)
    say(f"{program.spec.title}: {program.spec.text}".rstrip(": "))
    for role, spec in program.spec.roles.items():
        say(f"  role {role}: {', '.join(spec.kinds)}")
    for name, given in program.spec.inputs.items():
        kind = given.card or (", ".join(given.options) if given.options else given.type)
        say(f"  given {name}: {kind}" + ("" if given.default is None else f" (default {given.default})"))
    for ask in program.asks:
        say(f"  may ask {ask.id} of {ask.who}: {ask.kind} {', '.join(ask.options)}".rstrip())


def try_test(
    pack: Pack,
    test: str,
    given: Mapping[str, Any],
    dice: list[int] | None,
    choices: Mapping[str, Any],
    subjects: Mapping[str, Subject],
) -> TestRun:
    """Run once: with the chosen faces, or with real dice when none are chosen."""
    check_choices(pack.test(test), choices)
    source = SystemDice() if dice is None else ChosenDice(dice)
    return run(pack, test, given, source, choices, subjects=subjects)


def say_given(given: Mapping[str, Any], subjects: Mapping[str, Subject], say: Say) -> None:
    """What this run is given."""
    for name, value in {**{role: subject.kind for role, subject in subjects.items()}, **given}.items():
        say(f"  with {name} = {value}")


def say_run(result: TestRun, say: Say) -> None:
    """The trace, then what came of it."""
    if result.trace:
        say(render(result.trace))
    say(f"dice: {' '.join(map(str, result.faces)) or 'none'}")
    if result.pending is not None:
        ask = result.pending
        options = ", ".join(option.id for option in ask.options)
        say(f"waits for {ask.id} of {ask.who} ({ask.kind}): {options}".rstrip(": "))
    elif result.refused is not None:
        say(f"refused: {result.refused.reason} {result.refused.text}".rstrip())
    else:
        say(f"outcome: {result.outcome or 'done'}")
        for name, value in result.facts.items():
            say(f"  {name}: {value}")
        for effect in result.effects:
            say(f"  {effect.verb}: {effect.text or effect.card or effect.stat} {effect.subject}".rstrip())


def say_odds(
    pack: Pack,
    test: str,
    given: Mapping[str, Any],
    choices: Mapping[str, Any],
    subjects: Mapping[str, Subject],
    say: Say,
) -> bool:
    """Every outcome with its chance, in ways out of equally likely rolls and in percent."""
    check_choices(pack.test(test), choices)
    try:
        found = odds(pack, test, given, choices, subjects=subjects)
    except ChoiceNeeded as exc:
        say(f"the odds depend on a choice: --choose {exc.ask.id}={example(exc.ask)}")
        return False
    for line in odds_lines(found):
        say(line)
    return True


def example(ask: Ask) -> str:
    """An answer as it could be given."""
    if ask.kind == "flag":
        return "true"
    return ask.options[0].id if ask.options else "best" if ask.kind == "adjust" else str(ask.min or 0)


def odds_lines(found: Odds) -> list[str]:
    lines = [
        f"{name:24} {found.ways(name):>12} in {found.of}  {float(chance) * 100:9.5f} %"
        for name, chance in sorted(found.outcomes.items(), key=lambda item: -item[1])
    ]
    if found.refused:
        lines.append(f"{'refused':24} {float(found.refused) * 100:9.5f} %")
    return lines
