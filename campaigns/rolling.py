"""Running a called test on the rules library: from state and command to faces, outcome and what follows. Pure.

A run is repeated from its start with the faces and choices known so far; only what lies beyond them draws new dice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import msgspec

from campaigns import registry
from campaigns.answering import answered, asked_of, looked_at
from campaigns.context import Context
from campaigns.events import GM_ONLY, HOLDERS, TABLE, Draw, Event
from campaigns.packs import Packs
from campaigns.parts import calls as c
from campaigns.parts import sheets as s
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.wording import is_update, joined, update_said
from rules.packs import Pack
from rules.packs.schema import Input
from rules.packs.values import default_of
from rules.packs.wording import titled
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets import Actor, Subject
from rules.tests import TestRun, prepare, run
from rules.tests.account import account
from rules.tests.flow import narrower
from rules.tests.program import Program
from rules.tests.result import Effect
from rules.tests.run import needed
from rules.tests.texts import outcome_told
from rules.tests.trace import TraceStep, line

AUDIENCES = ("all", "holders", "gm")
_SEEN_BY = {"all": TABLE, "holders": HOLDERS, "gm": GM_ONLY}
Told = tuple[Event, str, tuple[str, ...]]


@dataclass
class Rolled:
    """What one advance came to. ``pending`` (an ask, as plain data) and an outcome exclude each other.

    ``shown`` holds the events' fields dice, lines and thrown with those of each audience, ``facts`` the fields facts,
    facts_holders and facts_gm; ``effects`` events with their audience and holders.
    """

    faces: tuple[int, ...]
    choices: c.Values
    draws: tuple[Draw, ...]
    shown: c.Values
    pending: c.Values | None = None
    pending_of: Sequence[str] = ()
    subjects: c.Values = field(default_factory=dict)
    outcome: str = ""
    outcome_title: str = ""
    success: bool | None = None
    facts: c.Values = field(default_factory=dict)
    effects: list[Told] = field(default_factory=list)
    passed: list[tuple[str, str]] = field(default_factory=list)


class Faces:
    """A dice source: the faces that fell before, then those typed in, then new ones.

    ``new(seen)`` gives the source of new faces for dice that only some may see: they come from a seed of their own, or
    its counter and, once it is revealed, the seed itself would tell them to everybody. ``blind``: hidden numbers decide
    which dice fall, so that no refusal may tell which did: a face behind the first that fits no die, and any that is
    lacking, is rolled here, and what is too much is left out. ``late``: they were typed before a question that came
    first, so that whoever answers it is refused nothing for their sake.
    """

    def __init__(
        self,
        known: Sequence[int],
        typed: Sequence[int],
        new: Callable[[str], Callable[[int], int]],
        *,
        blind: bool = False,
        late: bool = False,
    ) -> None:
        self._known, self._typed, self._new, self._blind = list(known), list(typed), new, blind
        self.thrown: list[tuple[str, int, int]] = []
        self._wants_typed, self._late = bool(typed), late

    @property
    def left(self) -> tuple[int, ...]:
        """What was typed and has not been wanted yet."""
        return tuple(self._typed)

    def roll(self, sides: int) -> int:
        """The next face of a die with this many sides."""
        return self._roll("all", sides)

    def roll_for(self, seen: str) -> Callable[[int], int]:
        """The source of dice for fewer eyes."""
        return partial(self._roll, seen)

    def _roll(self, seen: str, sides: int) -> int:
        if self._known:
            return self._known.pop(0)
        if not self._wants_typed:
            return self._new(seen)(sides)
        if (self._late or (self._blind and self.thrown)) and not (self._typed and 1 <= self._typed[0] <= sides):
            self._typed, self._wants_typed = [], False
            return self._new(seen)(sides)
        if not self._typed:
            raise Refused("missing", "More dice are needed.", field="faces", right=f"the face of a d{sides} as well")
        face = self._typed.pop(0)
        if not 1 <= face <= sides:
            raise Refused("wrong_value", "No such face.", field="faces", value=face, right=f"1 to {sides}")
        self.thrown.append((seen, sides, face))
        return face

    def check_used(self) -> None:
        """Refuses where more faces were typed than the test rolls."""
        if self._typed and not self._late and not (self._blind and self.thrown):
            raise Refused(
                "wrong_value", "These dice are not rolled.", field="faces", value=self._typed, right="fewer faces"
            )


class _Noting:
    """A dice source that only notes which dice are wanted. Its faces are in the middle and all others, so that nothing
    is tied and nothing is thrown again for its sake."""

    def __init__(self) -> None:
        self.sides: list[int] = []

    def roll(self, sides: int) -> int:
        """A face in the middle."""
        if len(self.sides) == MOST_FORESEEN:
            raise _EnoughError
        self.sides.append(sides)
        return max(1, sides // 2 + 1 - len(self.sides) % max(1, sides // 2))


class _NoDice:
    """A dice source that stops whatever wants a die."""

    def roll(self, _sides: int) -> int:
        """No face."""
        raise _EnoughError


class _EnoughError(Exception):
    """More dice than anybody lays out beforehand."""


MOST_FORESEEN = 30


def dice_to_throw(state: State, call: c.Call) -> list[int]:
    """The sides of the dice that an untouched test is going to want, in their order, as far as that can be said before
    they fall. What the GM keeps hidden has no part in it: it stands at a value that everybody could think of."""
    if is_gone(state, call) or call.faces or call.state == "awaiting_gm":
        return []
    pack = Packs(state).get(call.pack)
    inputs = pack.test(call.test).spec.inputs
    hidden = {n: _something(pack, inputs[n]) for n in call.given if n in inputs and inputs[n].seen == "gm"}
    dice, actor = _Noting(), Actor(seat="gm", plays=frozenset())
    subjects = _subjects(state, pack, call)
    with suppress(RulesError, _EnoughError):
        run(pack, call.test, {**call.given, **hidden}, dice, call.choices, subjects=subjects, actor=actor, trace=False)
    return dice.sides


def subject_of(state: State, subject: str, pack: str) -> Subject:
    """A subject as a pack's rules see it: what its sheet keeps and what the apps provide."""
    known = state.part(Subjects).by_id[subject]
    sheet = state.part(s.Sheets).sheet(subject, pack)
    values = {**sheet.values, **registry.provided(state, subject, pack)}
    return Subject(id=subject, kind=known.kind, values=values, held=list(sheet.held), title=known.name)


def inputs_by_audience(program: Program, given: Mapping[str, Any], seat: str) -> dict[str, c.Values]:
    """The given inputs, sorted by who may see them; refused where the sender may not give one."""
    sorted_out: dict[str, c.Values] = {audience: {} for audience in AUDIENCES}
    for name, value in given.items():
        spec = program.spec.inputs.get(name)
        if spec is None:
            right = "one of " + ", ".join(program.spec.inputs) if program.spec.inputs else "none"
            raise Refused(
                "unknown_input", "The test has no such input.", field=f"given.{name}", value=value, right=right
            )
        if spec.by == "server":
            message = "Nobody gives this: it follows from what waits for the test."
            raise Refused("not_yours_to_give", message, field=f"given.{name}", value=value, right="leave it out")
        if spec.by == "gm" and seat != "gm":
            raise Refused("not_allowed", "The GM gives this.", field=f"given.{name}", value=value, right="leave it out")
        sorted_out[spec.seen][name] = value
    return sorted_out


def is_gone(state: State, call: c.Call) -> bool:
    """Whether the rules have no such test any more. None goes while it is open; a void may bring one back."""
    pack = Packs(state).get(call.pack)
    return pack.current_id(call.test) not in pack.tests


def asked_of_gm(program: Program, given: Mapping[str, Any]) -> list[str]:
    """The inputs that a player's call waits for the game master to give."""

    def waits(name: str, spec: Input) -> bool:
        if spec.by != "gm" or name in given or spec.asked == "never":
            return False
        return spec.asked == "always" or spec.seen == "gm" or (spec.default is None and needed(spec))

    return [name for name, spec in program.spec.inputs.items() if waits(name, spec)]


def _something(pack: Pack, spec: Input) -> Any:
    """A value that stands in for one that is still to be given."""
    if spec.default is None and spec.type == "card":
        return next(iter(pack.cards.get(spec.card or "", ())), None)
    if spec.default is None and spec.type == "name" and spec.options:
        return next(iter(spec.options))
    return default_of(spec)


def check_given(state: State, pack: Pack, call: c.Call, subjects: Mapping[str, Subject] | None = None) -> str:
    """Refuses inputs that do not fit, so that a wrong call never opens; the title of the call.

    What the roller gives may be missing still, and what the game master is asked for. ``subjects`` stand in for those
    of the state, where they are to change.
    """
    program = pack.test(call.test)
    awaited = asked_of_gm(program, call.given) if call.state == "awaiting_gm" else []
    missing = {n: i for n, i in program.spec.inputs.items() if n not in call.given}
    stand_in = {n: default_of(i) for n, i in missing.items() if i.by == "roller"}
    stand_in |= {n: _something(pack, missing[n]) for n in awaited}
    if subjects is None:
        subjects = _cast(state, pack, call)
    try:
        given = {**{n: v for n, v in stand_in.items() if v is not None}, **call.given}
        title = prepare(pack, call.test, given, subjects).title()
        return program.spec.title if awaited else title
    except RulesError as error:
        raise _refusal(error, "given") from None


def check_allowed(state: State, pack: Pack, call: c.Call) -> None:
    """Refuses a call that the rules refuse before any die falls, to whoever calls it."""
    actor, result = Actor(seat="gm", plays=frozenset()), None
    with suppress(RulesError, _EnoughError):
        subjects = _subjects(state, pack, call)
        result = run(pack, call.test, call.given, _NoDice(), {}, subjects=subjects, actor=actor, trace=False)
    if result is not None and result.refused is not None:
        text = result.refused.text or "The rules do not allow it."
        raise Refused(result.refused.reason, text, field="given")


def _refusal(error: RulesError, field_name: str) -> Refused:
    return Refused(
        error.code,
        error.message,
        field=f"{field_name}.{error.field}" if error.field else field_name,
        right=error.right or None,
    )


def advance(
    state: State, pack: Pack, call: c.Call, choices: Mapping[str, Any], typed: tuple[int, ...], context: Context
) -> Rolled:
    """Runs a call as far as it goes with these choices. Refused where a choice is not offered or a rule says no."""
    inputs = pack.test(call.test).spec.inputs
    blind = not context.is_gm and (call.secret or any(inputs[n].seen == "gm" for n in call.given if n in inputs))
    dice = Faces(call.faces, typed, lambda seen: context.dice(seed_audience(call, context, seen)), blind=blind)
    subjects = _subjects(state, pack, call)
    actor = Actor(seat="gm" if context.is_gm else "player", plays=state.part(Subjects).played_by(context.member))
    try:
        known = answered(state, pack, call, choices, subjects, actor, context)
        result = run(pack, call.test, call.given, dice, known, subjects=subjects, actor=actor)
    except RulesError as error:
        raise _refusal(error, "choices") from None
    if result.refused is not None:
        raise Refused(result.refused.reason, result.refused.text or "The rules do not allow it.", field="call")
    dice.check_used()
    for seen, thrown in groupby(dice.thrown, lambda die: die[0]):
        _, sides, faces = zip(*thrown, strict=True)
        context.enter_dice(seed_audience(call, context, seen), sides, faces)
    return _rolled(state, pack, call, result, context.draws(), subjects)


def with_given(state: State, pack: Pack, call_id: str, call: c.Call) -> c.Call:
    """The call with what waits for it put among its inputs, until its first step settles them."""
    if call.subjects:
        return call
    waiting = {name: value for give in registry.givers for name, value in give(state, pack, call_id, call).items()}
    return msgspec.structs.replace(call, given={**call.given, **waiting})


def with_rollers(state: State, pack: Pack, call: c.Call, given: Mapping[str, Any]) -> c.Call:
    """The call with what whoever rolls gives beside the dice, before the first of them falls."""
    if not given:
        return call
    inputs = pack.test(call.test).spec.inputs
    for name, value in given.items():
        if name not in inputs or inputs[name].by != "roller":
            right = " or ".join(n for n, i in inputs.items() if i.by == "roller") or "nothing"
            raise Refused("not_yours_to_give", "The roller does not give this.", field=f"given.{name}", right=right)
        if call.subjects:
            message = "The first die has fallen."
            raise Refused("already_rolled", message, field=f"given.{name}", value=value, right="leave it out")
    call = msgspec.structs.replace(call, given={**call.given, **given})
    check_given(state, pack, call)
    return call


def look_at(state: State, pack: Pack, call: c.Call, moves: Any, actor: Actor) -> c.Values | None:
    """The adjusting that a call waits for, as plain data, as it would stand after these moves; None where it waits for
    none. Refused where they could not be made. Nothing is recorded."""
    try:
        asked = looked_at(pack, call, _subjects(state, pack, call), actor, moves)
    except RulesError as error:
        raise _refusal(error, "choices") from None
    plain: c.Values | None = msgspec.to_builtins(asked)
    return plain


def seed_audience(call: c.Call, context: Context, seen: str = "all") -> str:
    """The seed that serves a call, for dice that these may see: a secret one must not move the table's counter."""
    if seen == "all" and not call.secret:
        return "table"
    return f"member:{context.member}" if context.role == "player" and seen != "gm" else "gm"


def _subjects(state: State, pack: Pack, call: c.Call) -> dict[str, Subject]:
    """The subjects as they stood when the first die fell, or as they stand now."""
    if call.subjects:
        return {role: msgspec.convert(plain, Subject) for role, plain in call.subjects.items()}
    return _cast(state, pack, call)


def _cast(state: State, pack: Pack, call: c.Call) -> dict[str, Subject]:
    """The subjects as they stand now, called as everybody may read it."""
    names = _named(state, pack, call)
    found = {role: subject_of(state, subject, pack.id) for role, subject in call.roles.items()}
    return {role: msgspec.structs.replace(one, title=names.get(role, "")) for role, one in found.items()}


def _rolled(
    state: State, pack: Pack, call: c.Call, result: TestRun, draws: tuple[Draw, ...], subjects: dict[str, Subject]
) -> Rolled:
    rolled = Rolled(
        faces=tuple(result.faces),
        choices=dict(result.choices),
        draws=draws,
        shown=shown_of(result.trace),
        subjects={role: msgspec.to_builtins(subject) for role, subject in subjects.items()},
    )
    if result.pending is not None:
        rolled.pending = msgspec.to_builtins(result.pending)
        rolled.pending_of = asked_of(state, call, result.pending.who)
        return rolled
    outcome = pack.test(call.test).spec.outcomes[result.outcome] if result.outcome else None
    rolled.outcome, rolled.success = result.outcome or "", result.success
    rolled.outcome_title = (
        outcome_told(outcome.title, outcome.told, result.facts, _named(state, pack, call)) if outcome else ""
    )
    by_audience: dict[str, c.Values] = {audience: {} for audience in AUDIENCES}
    for name, value in result.facts.items():
        by_audience[result.facts_seen.get(name, "all")][name] = msgspec.to_builtins(value)
    rolled.facts = {"facts": by_audience["all"], "facts_holders": by_audience["holders"], "facts_gm": by_audience["gm"]}
    known = [as_secret_as_its_card(state, pack, e) for e in result.effects]
    rolled.effects = told_effects(pack, known, call.title)
    rolled.passed = result.passed
    return rolled


def _named(state: State, pack: Pack, call: c.Call) -> dict[str, str]:
    """What those who take the roles are called where everybody reads it: by their roles, where they are hidden."""
    known, roles = state.part(Subjects).by_id, pack.test(call.test).spec.roles
    return {
        role: known[one].name if one in known and not known[one].hidden else roles[role].title or titled(role)
        for role, one in call.roles.items()
        if role in roles
    }


def foreseen(state: State, pack: Pack, test: str, roles: Mapping[str, str], given: Mapping[str, Any]) -> list[str]:
    """What something would change if it were done so, subject by subject, for game masters; nothing where dice or a
    choice decide, or where it would be refused."""
    dice, actor = _Noting(), Actor(seat="gm", plays=frozenset())
    try:
        subjects = {role: subject_of(state, one, pack.id) for role, one in roles.items()}
        result = run(pack, test, dict(given), dice, {}, subjects=subjects, actor=actor, trace=False)
    except (RulesError, _EnoughError, KeyError):
        return []
    if dice.sides or result.pending is not None or result.refused is not None:
        return []
    known, found = state.part(Subjects).by_id, []
    for one in dict.fromkeys(e.subject for e in result.effects if e.verb == "set"):
        _, words, quiet = joined(pack, [e for e in result.effects if e.verb == "set" and e.subject == one])
        if words and not quiet:
            found.append(f"{known[one].name}: {words}" if one in known else words)
    return found


def shown_of(trace: Sequence[TraceStep]) -> c.Values:
    """Account, lines and dice of a trace, and what each roll was thrown for, for everybody, for the holders, for the GM
    (empty: no more than the one before)."""
    lines = {a: tuple(line(step) for step in trace if _visible(step.seen, a)) for a in AUDIENCES}
    dice, thrown = {}, {}
    for audience in AUDIENCES:
        dice[audience], thrown[audience] = dice_of([step for step in trace if _visible(step.seen, audience)], audience)
    told = {a: account(trace, a) for a in AUDIENCES}
    return {
        "account": told["all"],
        "account_holders": told["holders"] if told["holders"] != told["all"] else (),
        "account_gm": told["gm"] if told["gm"] != told["holders"] else (),
        "lines": lines["all"],
        "lines_holders": lines["holders"] if lines["holders"] != lines["all"] else (),
        "lines_gm": lines["gm"] if lines["gm"] != lines["holders"] else (),
        "dice": dice["all"],
        "dice_holders": dice["holders"] if dice["holders"] != dice["all"] else {},
        "thrown": thrown["all"],
        "thrown_holders": thrown["holders"] if thrown["holders"] != thrown["all"] else {},
        "thrown_gm": thrown["gm"] if thrown["gm"] != thrown["holders"] else {},
    }


def _visible(seen: str, audience: str) -> bool:
    return AUDIENCES.index(seen) <= AUDIENCES.index(audience)


def dice_of(steps: Sequence[TraceStep], audience: str) -> tuple[c.Values, c.Values]:
    """Each roll's dice as they lay at the end, and what it was thrown for. A roll made again under its name is another
    one: "d20", "d20 2"."""
    dice: c.Values = {}
    thrown: c.Values = {}
    running: dict[str, str] = {}
    times: dict[str, int] = {}
    for step in steps:
        if not step.dice:
            continue
        if step.kind == "roll" or step.name not in running:
            times[step.name] = times.get(step.name, 0) + 1
            running[step.name] = step.name if times[step.name] == 1 else f"{step.name} {times[step.name]}"
            if purpose := _purpose(step, audience):
                thrown[running[step.name]] = purpose
        dice[running[step.name]] = msgspec.to_builtins(step.dice)
    return dice, thrown


def _purpose(step: TraceStep, audience: str) -> c.Values:
    """What a roll was thrown for and against, as far as an audience may know."""
    found: c.Values = {}
    if step.title and _visible(step.title_seen, audience):
        found["title"] = step.title
    if step.against is not None and _visible(step.against_seen, audience):
        found["against"] = step.against
    return found


def told_effects(pack: Pack, effects: Sequence[Effect], reason: str) -> list[Told]:
    """The events of several effects: of a card that ends and is there again at once, one is told, with what changed."""
    told: list[Told] = []
    for place, effect in enumerate(effects):
        found = told_effect(pack, effect, reason)
        if found is None:
            continue
        before, after = effects[place - 1] if place else None, effects[place + 1] if effect is not effects[-1] else None
        if effect.verb == "end" and is_update(effect, after):
            found = msgspec.structs.replace(found[0], quiet=True), *found[1:]
        elif effect.verb == "apply" and before is not None and is_update(before, effect):
            found = msgspec.structs.replace(found[0], words=update_said(pack, before, effect)), *found[1:]
        told.append(found)
    return told


def told_effect(pack: Pack, effect: Effect, reason: str) -> Told | None:
    """The event that applies an effect of a test to a sheet, with its audience; None for what is only told."""
    seen = _SEEN_BY[effect.seen]
    holders = (effect.subject,)
    if effect.verb == "set":
        return told_changes(pack, [effect], reason)
    if effect.verb == "apply":
        applied = s.CardApplied(
            subject=effect.subject,
            pack=pack.id,
            held=effect.held,
            card=effect.card,
            title=pack.card(effect.card)[1].title,
            values=effect.values,
            ends=effect.ends,
            source=effect.source,
            seen=effect.seen,
        )
        return applied, seen, holders
    if effect.verb == "end":
        title = pack.card(effect.card)[1].title if effect.card else effect.held
        return s.CardEnded(subject=effect.subject, pack=pack.id, held=effect.held, title=title), seen, holders
    return None


def told_changes(pack: Pack, effects: Sequence[Effect], reason: str) -> Told:
    """The one event of effects that set values of one subject and that the same people may know of."""
    first = effects[0]
    changes, words, quiet = joined(pack, effects)
    changed = s.SheetChanged(
        subject=first.subject,
        pack=pack.id,
        changes=changes,
        reason=reason,
        words=words,
        quiet=quiet,
        seen=hidden_beyond(pack, first),
    )
    return changed, _SEEN_BY[first.seen], (first.subject,)


def as_secret_as_its_card(state: State, pack: Pack, effect: Effect) -> Effect:
    """The end of a card that not everybody knew of is told to those who did."""
    if effect.verb != "end":
        return effect
    unseen = state.part(s.Sheets).sheet(effect.subject, pack.id).unseen.get(effect.held, "all")
    return msgspec.structs.replace(effect, seen=narrower(effect.seen, unseen))


def hidden_beyond(pack: Pack, effect: Effect) -> str:
    """Who may know of a change of a stat that is open by itself. A stat that is hidden anyway needs no veil."""
    specs = [kind.stats[effect.stat].spec.seen for kind in pack.kinds.values() if effect.stat in kind.stats]
    return effect.seen if "all" in specs else "all"


def setting_of(state: State, pack: Pack, name: str) -> Any:
    """A pack's setting as this campaign has it."""
    return state.part(Table).settings.get(f"{pack.id}.{name}", pack.setting_values.get(name))


def main_holders(state: State, call: c.Call) -> tuple[str, ...]:
    """Names of those whose test it is."""
    subjects = state.part(Subjects).by_id
    return tuple(subjects[subject].name for subject in call.roles.values() if subject in subjects)
