"""Running a test: fit what is given to its declarations, run the program, say what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from rules.board import Board, Scene
from rules.dice.sources import DiceSource
from rules.packs.pack import Pack
from rules.packs.schema import Input
from rules.packs.values import Misfit, default_of, fit
from rules.packs.wording import titled
from rules.problems import GivenError, RulesError, nearest
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Actor, Held, Subject
from rules.tests.fuse import run_steps
from rules.tests.program import Program
from rules.tests.result import TestRun
from rules.tests.rolls import Roll
from rules.tests.runtime import Pending, RequirementFailed, Runtime

NOBODY = Actor()
REFUSED = "(refused)"


class Prepared:
    """A test with everything given fitted and checked, ready to be run any number of times."""

    def __init__(
        self, pack: Pack, program: Program, given: dict[str, Any], subjects: Mapping[str, Subject], actor: Actor
    ) -> None:
        self.pack, self.program, self.given, self.subjects, self.actor = pack, program, given, subjects, actor
        nowhere = Board(pack, Scene(), {})
        self.base: dict[str, Any] = {**given, "setting": pack.settings, "asker": actor.seat, "@board": nowhere}
        self.by_id = {subject.id: subject for subject in subjects.values()}
        self.fixed = {*self.base, *subjects}
        self.shared_sheets = None if program.effects else self.sheets()

    def sheets(self) -> dict[str, Sheet]:
        """A sheet a role; one subject in two roles is one sheet."""
        made: dict[str, Sheet] = {}
        for subject in self.subjects.values():
            if subject.id not in made:
                mine = subject.id in self.actor.plays
                made[subject.id] = Sheet(subject, self.pack.kinds[subject.kind], self.pack.settings, mine)
        return {role: made[subject.id] for role, subject in self.subjects.items()}

    def title(self) -> str:
        """What this call is called."""
        if self.program.named is None:
            return self.program.spec.title
        sheets = self.shared_sheets if self.shared_sheets is not None else self.sheets()
        return self.program.named({**self.base, **sheets})

    def runtime(self, dice: DiceSource, choices: Mapping[str, Any], trace: bool) -> Runtime:
        if self.shared_sheets is not None:
            return Runtime({**self.base, **self.shared_sheets}, dice, choices, trace)
        sheets = self.sheets()
        board = Board(self.pack, Scene(), self.by_id)
        board.seat({sheet.id: sheet for sheet in sheets.values()})
        return Runtime({**self.base, **sheets, "@board": board}, dice, choices, trace)

    def result(self, dice: DiceSource, choices: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Only what a run comes to, for those who run many: the outcome (`refused` when it is) and the facts."""
        rt = self.runtime(dice, choices, trace=False)
        try:
            run_steps(rt, self.program.steps)
        except RequirementFailed:
            return REFUSED, {}
        rt.facts.update(self.program.all_facts(rt.frame))
        return rt.outcome or "done", rt.facts

    def execute(self, dice: DiceSource, choices: Mapping[str, Any], trace: bool = True) -> TestRun:
        """Run once, from the start."""
        rt = self.runtime(dice, choices, trace)
        result = TestRun(
            pack=self.pack.id, version=self.pack.version, test=self.program.id, status="done", faces=rt.faces
        )
        try:
            run_steps(rt, self.program.steps)
        except Pending as exc:
            result.status, result.pending = "pending", exc.ask
        except RequirementFailed as exc:
            result.status, result.refused = "refused", exc.refusal
        except ZeroDivisionError:
            raise RulesError(f"division by zero in {self.program.id}") from None
        finish(self.program, rt, result)
        if trace:
            result.title = self.title()
            result.values = {n: v for n, v in rt.frame.items() if n not in self.fixed and plain(v)}
        return result


def finish(program: Program, rt: Runtime, result: TestRun, rolls: bool = True) -> None:
    """Gather what the run left; effects and facts exist only when it came to its end. Without `rolls` the dice are told
    by their faces alone."""
    result.choices = rt.used
    if rolls:
        result.rolls = {name: roll.seen() for name, roll in rt.rolls.items()}
    result.trace = rt.trace or []
    if result.status == "done":
        result.outcome = rt.outcome
        if rt.outcome is not None:
            result.success = program.spec.outcomes[rt.outcome].success
        if program.facts:
            rt.facts.update(program.all_facts(rt.frame))
        result.facts = rt.facts
        if program.facts_seen:
            result.facts_seen = {k: v for k, v in program.facts_seen.items() if k in result.facts}
        result.effects = rt.effects
        result.passed = rt.passed


def plain(value: Any) -> bool:
    return isinstance(value, int | str) or (
        isinstance(value, dict) and not isinstance(value, Sheet | Roll) and all(plain(v) for v in value.values())
    )


def prepare(
    pack: Pack,
    test_id: str,
    given: Mapping[str, Any] | None = None,
    subjects: Mapping[str, Subject] | None = None,
    actor: Actor = NOBODY,
) -> Prepared:
    """Fit inputs and subjects to a test. GivenError when something is missing, unknown or does not fit."""
    program = pack.test(test_id)
    given, subjects = dict(given or {}), dict(subjects or {})
    return Prepared(pack, program, fit_inputs(pack, program, given), fit_roles(pack, program, subjects), actor)


def fit_inputs(pack: Pack, program: Program, given: dict[str, Any]) -> dict[str, Any]:
    declared = program.spec.inputs
    for name in given:
        if name not in declared:
            said = f"{program.spec.title} has no input {name!r}."
            raise GivenError(name, f"{program.id} has no such input", nearest(name, declared), said=said)
    out = dict(defaults_of(pack, program))
    for name in declared if len(out) < len(declared) else given:
        if given.get(name) is None:
            if name in out and name not in given:
                continue
            raise GivenError(name, f"{program.id} needs this input", said=wanting(declared[name], name))
        try:
            out[name] = fit(declared[name], given[name], pack.words)
        except Misfit as exc:
            title = declared[name].title or titled(name)
            raise GivenError(name, exc.message, exc.suggestion, said=f"{title}: {exc.message}.") from None
    return out


FILLS = {"place": "Choose a square", "card": "Choose one", "name": "Choose one"}


def wanting(spec: Input, name: str) -> str:
    """What is said of an input that was not given."""
    return f"{FILLS.get(spec.type, 'Say')}: {spec.title or titled(name)}."


def nobody_in(spec: Any, name: str) -> str:
    """What is said of a role that nobody was chosen for."""
    return f"Choose somebody: {spec.title or titled(name)}."


def wrong_kind(pack: Pack, spec: Any, name: str, kind: str) -> str:
    """What is said of somebody who is not of the kinds of a role."""
    known = [(pack.kinds[one].title if one in pack.kinds else "") or titled(one) for one in (kind, *spec.kinds)]
    return f"{spec.title or titled(name)}: {known[0]} cannot be chosen, only {' or '.join(known[1:])}."


def defaults_of(pack: Pack, program: Program) -> dict[str, Any]:
    """What stands for the inputs that may be left out; worked out once, unless whoever has it could change it."""
    if program.defaults is not None:
        return program.defaults
    out, shared = {}, True
    for name, spec in program.spec.inputs.items():
        value = default_of(spec)
        if value is None or (spec.default is None and needed(spec)):
            continue
        shared = shared and spec.type not in MUTABLE and spec.each is None
        out[name] = fit(spec, value, pack.words)
    if shared:
        program.defaults = out
    return out


MUTABLE = ("list", "record", "modifiers", "place")


def needed(spec: Any) -> bool:
    """Whether an input without a default must be given: all but flags, lists and optional names."""
    return spec.type in ("int", "name", "card", "record", "text") and not spec.optional


def fit_roles(pack: Pack, program: Program, subjects: dict[str, Subject]) -> dict[str, Subject]:
    roles = program.spec.roles
    for name in subjects:
        if name not in roles:
            said = f"{program.spec.title} has no role {name!r}."
            raise GivenError(name, f"{program.id} has no such role", nearest(name, roles), said=said)
    for name, spec in roles.items():
        if name not in subjects:
            raise GivenError(name, f"{program.id} needs a subject in this role", said=nobody_in(spec, name))
        if subjects[name].kind not in spec.kinds:
            raise GivenError(
                name,
                f"a {subjects[name].kind} cannot take this role: {', '.join(spec.kinds)}",
                said=wrong_kind(pack, spec, name, subjects[name].kind),
            )
        subjects[name] = fitted_subject(pack, subjects[name])
    return subjects


def fitted_subject(pack: Pack, subject: Subject) -> Subject:
    """The subject with every stored value fitted to its stat: what a record leaves out has its default."""
    plan = pack.kinds.get(subject.kind)
    if plan is None:
        raise GivenError(subject.id, f"{pack.id} has no kind {subject.kind!r}", nearest(subject.kind, pack.kinds))
    values: dict[str, Any] = {}
    for name, value in subject.values.items():
        stat = plan.stats.get(name)
        if stat is None:
            raise GivenError(name, f"a {subject.kind} has no such stat", nearest(name, plan.stats))
        if stat.formula is not None:
            raise GivenError(name, "is worked out, not kept")
        try:
            values[name] = fit(stat.spec, value, pack.words)
        except Misfit as exc:
            raise GivenError(name, exc.message, exc.suggestion) from None
    return replace(subject, values=values, held=[fitted_held(pack, held) for held in subject.held])


def fitted_held(pack: Pack, held: Held) -> Held:
    """A held card with a value for each that cards of its type carry; one given by hand may leave some out."""
    kind, _ = pack.card(held.card)
    missing = {k: default_of(spec) for k, spec in pack.card_types[kind].held.items() if k not in held.values}
    return replace(held, values={**missing, **held.values}) if missing else held


def run(  # noqa: PLR0913  (four of them are the test itself)
    pack: Pack,
    test_id: str,
    given: Mapping[str, Any] | None,
    dice: DiceSource,
    choices: Mapping[str, Any] | None = None,
    *,
    subjects: Mapping[str, Subject] | None = None,
    actor: Actor = NOBODY,
    trace: bool = True,
) -> TestRun:
    """Run a test from the start. See `rules` for what comes back and how a run that waits is taken up again."""
    return prepare(pack, test_id, given, subjects, actor).execute(dice, choices or {}, trace)
