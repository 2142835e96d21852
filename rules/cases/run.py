"""Running cases: each through the same engine that plays, with chosen dice, against what it expects."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.board import Board, Scene
from rules.cases.compare import compare_run, compare_states, compare_value, odds_differences
from rules.cases.expecting import FIGHT_STEPS, idle, in_fight, is_proof, never_came
from rules.cases.fights import FightCase
from rules.cases.making import advance, create
from rules.cases.pursuing import PursuitCase, is_about_pursuits
from rules.cases.read import PlacedCase
from rules.cases.schema import Case, CaseStep, SubjectSpec
from rules.cases.timeline import Timeline, take_step, timeline_of
from rules.creation import Growth
from rules.dice import ChosenDice
from rules.fight import Instant, happen, happen_all
from rules.formulas import Formula, FormulaError
from rules.packs.pack import Pack
from rules.packs.values import Misfit, role_type
from rules.problems import DiceError, GivenError, RulesError, nearest
from rules.refusal import Refused
from rules.sheets import Actor, Ends, Held, Sheet, Subject
from rules.tests.asked import check_choices
from rules.tests.effects import apply_effects
from rules.tests.modes import barred, modes_of
from rules.tests.odds import odds
from rules.tests.result import Refusal, TestRun
from rules.tests.run import fitted_subject, prepare
from rules.tests.seats import may_call

KINDS = ("test", "formula", "happens", "command", "ask", "create", "advance")
NOT_ALLOWED = "not_allowed"


@dataclass
class CaseResult:
    """How one case went: no differences means that it passed."""

    title: str
    file: str
    line: int
    proves: tuple[str, ...]
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: {self.title}"
        return where if self.passed else "\n  ".join([where, *self.differences])


def run_cases(pack: Pack, cases: Iterable[PlacedCase]) -> list[CaseResult]:
    return [run_case(pack, placed) for placed in cases]


def run_case(pack: Pack, placed: PlacedCase) -> CaseResult:
    """Run one case; whatever goes wrong is a difference, never an exception."""
    case = placed.case
    result = CaseResult(case.title, placed.file, placed.line, tuple(case.proves))
    begun = time.perf_counter()
    steps: list[CaseStep] = list(case.script) or [case]
    try:
        table = Table(pack.with_settings(case.settings) if case.settings else pack, placed.subjects, case)
        for number, step in enumerate(steps, 1):
            where = f"step {number}: " if case.script else ""
            result.differences += [where + line for line in table.do(step)]
    except (Refused, RulesError, Misfit, FormulaError) as exc:
        result.differences.append(str(exc))
    if not is_proof(steps):
        result.differences.append("nothing is expected, so nothing is proved: add `expect`")
    result.seconds = time.perf_counter() - begun
    return result


class Table:
    """The subjects of a case as they stand between its steps."""

    def __init__(self, pack: Pack, specs: Mapping[str, SubjectSpec], case: Case) -> None:
        self.pack = pack
        self.specs, self.case = specs, case
        self.timeline: Timeline | None = None
        subjects = {name: fitted_subject(pack, make_subject(name, spec)) for name, spec in specs.items()}
        self.fight: FightCase | None = None
        if case.scene is not None:
            self.fight = FightCase(pack, subjects, case.scene)
        self.own = subjects
        self.growth: dict[str, Growth] = {}
        self.pursued: PursuitCase | None = None

    @property
    def subjects(self) -> dict[str, Subject]:
        return self.own if self.fight is None else self.fight.table.subjects

    def fights(self) -> FightCase:
        """The fight of the case; without a scene, one in which everybody is beside everybody and no turn runs."""
        if self.fight is None:
            self.fight = FightCase(self.pack, self.own, None)
        return self.fight

    def do(self, step: CaseStep) -> list[str]:
        """Take one step; the differences from what it expects."""
        kinds = [getattr(step, name) for name in KINDS]
        if sum(kind is not None for kind in kinds) + in_fight(step) != 1:
            return [f"a step has one of {', '.join((*KINDS, *FIGHT_STEPS))}"]
        return idle(step) + self.done(step)

    def done(self, step: CaseStep) -> list[str]:
        """What is different in a step of one kind."""
        if in_fight(step):
            return self.fights().do(step)
        if is_about_pursuits(step):
            self.pursued = self.pursued or PursuitCase(self.pack, self.specs, self.case)
            return self.pursued.do(step)
        if step.create is not None or step.advance is not None:
            return self.make(step) + self.state(step)
        if step.command is not None or step.ask is not None:
            self.timeline = self.timeline or timeline_of(self.pack, self.specs, self.case)
            return take_step(self.timeline, step)
        if step.formula is not None:
            return self.read(step, step.formula)
        if step.happens is not None:
            return self.happen(step, step.happens)
        assert step.test is not None
        if step.expect.odds is not None:
            return self.odds(step, step.test)
        return self.run(step, step.test)

    def make(self, step: CaseStep) -> list[str]:
        """Make somebody, or let somebody grow."""
        if step.create is not None:
            out, made = create(self.pack, step, step.create)
            self.subjects[made.id] = made
            return out
        if step.of not in self.subjects:
            return [f"the case has no subject {step.of!r}"]
        before = self.growth.get(step.of, Growth())
        out, self.subjects[step.of], self.growth[step.of] = advance(self.pack, step, self.subjects[step.of], before)
        return out

    def actor(self, step: CaseStep) -> Actor:
        if step.actor is None:
            return Actor()
        return Actor(seat=step.actor.seat, plays=frozenset(step.actor.plays))

    def cast(self, step: CaseStep) -> dict[str, Subject]:
        for role, name in step.roles.items():
            if not isinstance(name, str) or name not in self.subjects:
                raise GivenError(role, f"the case has no subject {name!r}")
        return {role: self.subjects[name] for role, name in step.roles.items() if isinstance(name, str)}

    def run(self, step: CaseStep, test: str) -> list[str]:
        if step.caller is not None and not may_call(self.pack.test(test).spec, step.given, step.caller):
            out = compare_value("refused", step.expect.refused, NOT_ALLOWED)
            return out + never_came(step.expect, "nobody may call it") + self.state(step)
        dice = ChosenDice(step.dice)
        try:
            check_choices(self.pack.test(test), step.choices)
            prepared = prepare(self.pack, test, step.given, self.cast(step), self.actor(step))
            if (refused := self.barred(step, test)) is not None:
                found = TestRun(
                    pack=self.pack.id, version=self.pack.version, test=test, status="refused", refused=refused
                )
            else:
                found = prepared.execute(dice, step.choices)
        except (GivenError, DiceError) as exc:
            if step.expect.wrong is None or exc.field != step.expect.wrong:
                return [str(exc)]
            return never_came(step.expect, "what is given does not fit") + self.state(step)
        out = compare_run(step.expect, found)
        if step.expect.wrong is not None:
            out.append(f"wrong: expected {step.expect.wrong!r}, but everything fitted")
        for name, subject in self.subjects.items():
            self.subjects[name] = apply_effects(subject, found.effects)
        self.elsewhere(found.passed, step.roles, dice)
        if dice.left:
            out.append(f"{dice.left} of the chosen dice were not rolled")
        return out + self.state(step)

    def barred(self, step: CaseStep, test: str) -> Refusal | None:
        """Why the mode of play bars a test, whose first role acts; somebody of the case may stand for the table."""
        program = self.pack.test(test)
        first = step.roles.get(next(iter(program.spec.roles), ""), "")
        fight = None if self.fight is None else self.fight.table.fight
        fights = fight is not None and fight.status == "running" and first in fight.members
        return barred(self.pack, program, modes_of(self.pack, self.subjects.values(), fights=fights))

    def elsewhere(self, passed: Sequence[tuple[str, str]], roles: Mapping[str, Any], dice: ChosenDice) -> None:
        """What a test brought about comes to everybody else too, as it does at a table."""
        others = {name: subject for name, subject in self.subjects.items() if name not in roles.values()}
        came = [Instant(at, whose) for at, whose in passed]
        if came and others:
            self.subjects.update(happen_all(self.pack, others, came, dice).subjects)

    def state(self, step: CaseStep) -> list[str]:
        return compare_states(step, self.subjects, self.sheet)

    def sheet(self, name: str) -> Sheet:
        return self.board().sheet(name)

    def board(self) -> Board:
        return Board(self.pack, Scene() if self.fight is None else self.fight.table.fight.scene, self.subjects)

    def happen(self, step: CaseStep, instant: str) -> list[str]:
        """An instant comes: cards act by themselves, and what ends with it, ends."""
        known = self.pack.instants
        if instant not in known:
            return [f"no instant is called {instant!r}; perhaps {nearest(instant, known)!r}"]
        if known[instant] != bool(step.of):
            return [f"{instant} is " + ("somebody's: say whose with `of`" if known[instant] else "nobody's: no `of`")]
        if step.of and step.of not in self.subjects:
            return [f"the case has no subject {step.of!r}"]
        dice = ChosenDice(step.dice)
        self.subjects.update(happen(self.pack, self.subjects, Instant(instant, step.of), dice).subjects)
        left = [f"{dice.left} of the chosen dice were not rolled"] if dice.left else []
        return left + self.state(step)

    def read(self, step: CaseStep, text: str) -> list[str]:
        """A formula over the subjects, settings, tables and functions of the pack."""
        scope = self.pack.scope.child()
        board = self.board()
        frame: dict[str, Any] = {"setting": self.pack.settings, "@board": board}
        for name, subject in self.subjects.items():
            scope.names[name] = role_type([subject.kind], self.pack.words)
            frame[name] = board.sheet(name)
        return compare_value("value", step.expect.value, Formula.of(text, scope)(frame))

    def odds(self, step: CaseStep, test: str) -> list[str]:
        check_choices(self.pack.test(test), step.choices)
        found = odds(self.pack, test, step.given, step.choices, subjects=self.cast(step), actor=self.actor(step))
        assert step.expect.odds is not None
        return odds_differences(step.expect.odds, found, self.pack.test(test).spec.outcomes)


def make_subject(name: str, spec: SubjectSpec) -> Subject:
    held = []
    for number, thing in enumerate(spec.held, 1):
        if isinstance(thing, str):
            held.append(Held(id=f"{thing}-{number}", card=thing))
        else:
            ends = Ends(at=thing.at, of=thing.of, count=thing.count) if thing.at else None
            made = Held(
                id=f"{thing.card}-{number}", card=thing.card, values=thing.values, ends=ends, source=thing.source
            )
            held.append(made)
    return Subject(id=name, kind=spec.kind, values=spec.values, held=held)
