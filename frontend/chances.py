"""The exact odds of an open test, as far as whoever asks may know what they hang on.

A player is told odds by the sheet as they know it and the inputs they may see; what is hidden from them counts as if it
were not there, so that neither the odds nor their absence betray it. A test that hangs on a hidden number has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from campaigns.packs import Packs
from campaigns.parts.calls import Call
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.registry import provided
from campaigns.rolling import is_gone, with_given
from campaigns.state import State
from frontend.seat import Seat
from rules.packs import Pack
from rules.packs.schema import Input
from rules.problems import BudgetExceeded, RulesError
from rules.sheets import Actor, Subject
from rules.tests import ChoiceNeeded, odds

MOST_CASES = 40_000
"""a second or two; seven twelve-sided dice are 31,824"""


@dataclass(frozen=True)
class Known:
    """All that the odds are worked out from, taken from the state."""

    pack: Pack
    call: Call
    given: dict[str, Any]
    subjects: dict[str, Subject]
    actor: Actor


@dataclass(frozen=True)
class Chance:
    """One outcome: its title, whether it is a success, its chance in percent, its ways of all."""

    title: str
    success: bool | None
    percent: float
    ways: int


def may_ask(state: State, seat: Seat, call: Call) -> bool:
    """Whether this seat can be told odds: before the dice, of its own subjects, where nothing hidden is needed."""
    if is_gone(state, call):
        return False
    program = Packs(state).get(call.pack).test(call.test)
    if call.state != "open" or seat.is_watcher or not program.spec.outcomes:
        return False
    if seat.is_gm:
        return True
    own = all(subject in seat.viewer.plays for subject in call.roles.values())
    return own and not any(hidden(spec) and spec.default is None for spec in program.spec.inputs.values())


def hidden(spec: Input) -> bool:
    """Whether an input is the game master's alone to see."""
    return spec.seen == "gm"


def known(state: State, seat: Seat, call_id: str, call: Call) -> Known:
    """What this seat knows of what the test hangs on."""
    pack = Packs(state).get(call.pack)
    inputs = pack.test(call.test).spec.inputs
    given = with_given(state, pack, call_id, call).given
    if not seat.is_gm:
        given = {name: value for name, value in given.items() if not hidden(inputs[name])}
    subjects = {role: _subject(state, pack, subject, seat) for role, subject in call.roles.items()}
    actor = Actor(seat="gm" if seat.is_gm else "player", plays=seat.viewer.plays)
    return Known(pack, call, given, subjects, actor)


def _subject(state: State, pack: Pack, subject: str, seat: Seat) -> Subject:
    found = state.part(Subjects).by_id[subject]
    values, held = state.part(Sheets).sheet(subject, pack.id).known_to("gm" if seat.is_gm else "holders")
    return Subject(
        id=subject,
        kind=found.kind,
        values={**values, **provided(state, subject, pack.id)},
        held=list(held),
        title=found.name,
    )


def chances(what: Known) -> tuple[list[Chance], int, str]:
    """The outcomes, likeliest first, out of how many rolls; or why there are none, in words."""
    outcomes = what.pack.test(what.call.test).spec.outcomes
    try:
        found = odds(
            what.pack,
            what.call.test,
            what.given,
            {"*": "best"},
            subjects=what.subjects,
            actor=what.actor,
            most=MOST_CASES,
        )
    except ChoiceNeeded as needed:
        return [], 0, f"They hang on a choice that is made on the way: {needed.ask.title or needed.ask.id}."
    except BudgetExceeded:
        return [], 0, "The dice can fall in too many ways to count."
    except RulesError as error:
        return [], 0, error.message
    ranked = sorted(found.outcomes.items(), key=lambda one: -one[1])
    told = [
        Chance(outcomes[name].title, outcomes[name].success, float(chance) * 100, found.ways(name))
        for name, chance in ranked
        if name in outcomes
    ]
    return told, found.of, ""
