"""Answers to what a test asks: taken one by one, by whom each question is put to, and never past a die not yet thrown.

An answer to a question that dice have still to bring up is refused before any falls. Else a refusal would tell what
the dice are going to show, and whoever rolls could look first and drop the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from campaigns.context import Context
from campaigns.parts import calls as c
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.state import State
from rules.packs import Pack
from rules.refusal import Refused
from rules.sheets import Actor, Subject
from rules.tests import run
from rules.tests.result import Ask
from rules.tests.verb_adjust import LOOK


class _DieToThrowError(Exception):
    """The run goes no further without a new die."""


class _KnownFaces:
    """A dice source of the faces that have fallen, which throws none."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._left = list(faces)

    def roll(self, _sides: int) -> int:
        """The next face that is known."""
        if not self._left:
            raise _DieToThrowError
        return self._left.pop(0)


def seated_of(state: State, members: Sequence[str]) -> list[str]:
    """Those of these members who may still roll and answer: a seat that fell free leaves what it owed to the GM."""
    known = state.part(Table).members
    return [m for m in members if m in known and known[m].role in ("gm", "player")]


def asked_of(state: State, call: c.Call, who: str) -> list[str]:
    """The members a choice is put to; nobody means the GM."""
    subjects = state.part(Subjects).by_id
    if who == "gm":
        return []
    if who == "asker":
        return [call.asker] if call.asker else []
    if who in call.roles:
        return list(subjects[call.roles[who]].players)
    if who == "other":
        others = list(call.roles.values())[1:]
        return [player for subject in others for player in subjects[subject].players]
    return list(call.rollers)


def answered(
    state: State,
    pack: Pack,
    call: c.Call,
    choices: Mapping[str, Any],
    subjects: Mapping[str, Subject],
    actor: Actor,
    context: Context,
) -> c.Values:
    """All choices made so far with the new ones, each of which answers a question that stands, put to the sender.

    Refused otherwise. Raises RulesError where an answer is none of those offered.
    """
    known, left = dict(call.choices), dict(choices)
    for name in [name for name in left if name in known]:
        if left.pop(name) != known[name]:
            raise Refused("already_chosen", "This has been chosen.", field=f"choices.{name}", value=choices[name])
    fresh = bool(left)
    ask = _standing(pack, call, known, subjects, actor)
    while ask is not None and ask.id in left:
        _require_asked(state, call, ask, context)
        known[ask.id] = left.pop(ask.id)
        ask = _standing(pack, call, known, subjects, actor)
    if ask is not None and (left or not fresh) and call.ask and ask.id == call.ask["id"]:
        raise _choose_first(ask, wrong=bool(left))
    for name, value in left.items():
        right = ask.id if ask is not None else "no answer before its question"
        raise Refused("not_asked", "The test does not ask this now.", field=f"choices.{name}", value=value, right=right)
    return known


def _standing(pack: Pack, call: c.Call, choices: c.Values, subjects: Mapping[str, Subject], actor: Actor) -> Ask | None:
    """The question that the test waits for with these choices; None where it goes on to a die or to its end."""
    try:
        faces = _KnownFaces(call.faces)
        return run(pack, call.test, call.given, faces, choices, subjects=subjects, actor=actor, trace=False).pending
    except _DieToThrowError:
        return None


def looked_at(pack: Pack, call: c.Call, subjects: Mapping[str, Subject], actor: Actor, moves: Any) -> Ask | None:
    """The adjusting that a test waits for, as it would stand after these moves; nothing is decided, and no die falls.

    Raises RulesError where the moves are none that could be made.
    """
    if call.ask is None or call.ask["kind"] != "adjust":
        return None
    return _standing(pack, call, {**call.choices, call.ask["id"] + LOOK: moves}, subjects, actor)


def _require_asked(state: State, call: c.Call, ask: Ask, context: Context) -> None:
    due = seated_of(state, asked_of(state, call, ask.who))
    if context.member in due if due else context.is_gm:
        return
    table = state.part(Table)
    right = " or ".join(table.members[m].name for m in due) or "a GM"
    raise Refused("not_yours_to_choose", "This choice is another's.", field=f"choices.{ask.id}", right=right)


def _choose_first(ask: Ask, *, wrong: bool) -> Refused:
    field = f"choices.{ask.id}"
    if wrong:
        return Refused("choose_first", "Another choice comes first.", field=field)
    right = " or ".join(o.id for o in ask.options) or ask.kind
    return Refused("choose_first", ask.title or "The test waits for a choice.", field=field, right=right)
