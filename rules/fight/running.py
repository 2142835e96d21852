"""Running what is done in a fight: an action, or instants that come one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.board import Board, Warm
from rules.dice.sources import DiceSource, RecordedDice
from rules.fight.events import Done, Event, Waited
from rules.fight.happen import pass_instant, sheets_of
from rules.fight.state import Doing, Fight
from rules.packs.pack import Pack
from rules.refusal import Refused
from rules.sheets.subject import Subject
from rules.tests.perform import perform
from rules.tests.result import TestRun
from rules.tests.runtime import Pending, Policy, RequirementFailed, Runtime


def run_doing(  # noqa: PLR0913  (the fight, and what is done in it)
    pack: Pack,
    fight: Fight,
    subjects: Mapping[str, Subject],
    doing: Doing,
    dice: DiceSource,
    faces: list[int],
    choices: Mapping[str, Any],
    *,
    policy: Policy | None = None,
    trace: bool = False,
    warm: Warm | None = None,
) -> TestRun:
    """Run from the start, with the faces drawn so far before new ones."""
    source = RecordedDice(faces, dice) if faces else dice
    if doing.act is not None:
        return perform(pack, fight.scene, subjects, doing.act, source, choices, policy=policy, trace=trace, warm=warm)
    return run_instants(pack, fight, subjects, doing, source, choices, policy, trace, warm)


def run_instants(  # noqa: PLR0913
    pack: Pack,
    fight: Fight,
    subjects: Mapping[str, Subject],
    doing: Doing,
    dice: DiceSource,
    choices: Mapping[str, Any],
    policy: Policy | None,
    trace: bool,
    warm: Warm | None,
) -> TestRun:
    board = Board(pack, fight.scene, subjects, warm=warm)
    frame = {"setting": pack.settings, "asker": "server", "@board": board}
    rt = Runtime(frame, dice, choices, trace, policy)
    result = TestRun(pack=pack.id, version=pack.version, test="", status="done", faces=rt.faces)
    # Remembered until cards, or who takes part, change.
    together, key = board.together, ("members", len(fight.members))
    sheets = together.get(key)
    if sheets is None:
        sheets = sheets_of(board, [name for name in fight.members if name in subjects])
        together[key] = sheets
    try:
        for instant in doing.instants:
            pass_instant(rt, instant, sheets)
    except Pending as exc:
        result.status, result.pending = "pending", exc.ask
    except RequirementFailed as exc:
        raise Refused(exc.refusal.reason, exc.refusal.text or "This cannot happen.") from None
    result.choices, result.effects, result.trace = rt.used, rt.effects, rt.trace or []
    return result


def told(doing: Doing, run: TestRun, choices: Mapping[str, Any]) -> Event:
    """The event of a run. Refused where its program refuses."""
    if run.refused is not None:
        raise Refused(run.refused.reason, run.refused.text or "This cannot be done now.")
    if run.pending is not None:
        return Waited(
            doing=doing, faces=run.faces, choices={**choices, **run.choices}, ask=run.pending, effects=run.effects
        )
    return Done(
        doing=doing,
        faces=run.faces,
        choices=run.choices,
        effects=run.effects,
        outcome=run.outcome,
        facts=run.facts,
        facts_seen=run.facts_seen,
    )
