"""Steps as one Python function, for runs that nobody traces: those that count odds, above all.

Every step is a callable that does its work and, with a trace, writes down what it did. A step that also knows how to
say itself as Python code is a `Piece`. The code of a list of steps is put together once it has been run a few times,
from the same checked trees that the traced run reads; a test compares both on every case of every pack.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rules.formulas.compile import AT, CodeBuilder
from rules.tests.runtime import MAX_STEPS, Runtime, too_long

if TYPE_CHECKING:
    from rules.tests.flow import Closure

WORTHWHILE = 3
"""Lists of steps that are run less often than this are not put together: that takes longer than running them"""


class Code(CodeBuilder):
    """The code being made. `rt` is the run; the frame of names changes where a procedure is called."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = 0
        self.names = 0

    def inner_frame(self) -> str:
        self.frames += 1
        return f"v{self.frames}"

    def name(self, of: str) -> str:
        """A variable that nothing else in this code uses."""
        self.names += 1
        return f"{of}_{self.names}"

    def steps(self, steps: Sequence[Closure]) -> list[ast.stmt]:
        return [line for step in steps for line in self.step(step)]

    def step(self, step: Closure) -> list[ast.stmt]:
        """The code of one step; one that has none is called, and may end the program."""
        if isinstance(step, Piece):
            return step.emit(self)
        return [ast.If(self.call(step, self.load("rt")), [returned(True)], [], **AT)]

    def do(self, value: ast.expr) -> ast.stmt:
        return ast.Expr(value, **AT)

    def let(self, name: str, value: ast.expr) -> ast.stmt:
        """name = value"""
        return ast.Assign([ast.Name(name, ast.Store(), **AT)], value, **AT)

    def set(self, of: str, name: str, value: ast.expr) -> ast.stmt:
        """of.name = value"""
        return ast.Assign([ast.Attribute(self.load(of), name, ast.Store(), **AT)], value, **AT)

    def get(self, of: str, name: str) -> ast.expr:
        return ast.Attribute(self.load(of), name, ast.Load(), **AT)

    def tick(self) -> list[ast.stmt]:
        """Counts a step of a loop or a procedure against the budget of the run."""
        steps = ast.Attribute(self.load("rt"), "steps", ast.Store(), **AT)
        over = ast.Compare(self.get("rt", "steps"), [ast.Gt()], [ast.Constant(MAX_STEPS, **AT)], **AT)
        return [
            ast.AugAssign(steps, ast.Add(), ast.Constant(1, **AT), **AT),
            ast.If(over, [self.do(self.call(too_long))], [], **AT),
        ]

    def over(self, name: str, values: ast.expr, body: Sequence[Closure]) -> list[ast.stmt]:
        """A loop: the frame's `name` is one value after the other, and its turn stands in the names of choices."""
        turn, value, prefix = self.name("t"), self.name("x"), self.name("q")
        told = ast.JoinedStr([told_in(self.load(prefix)), told_in(self.load(turn)), ast.Constant(".", **AT)], **AT)
        target = ast.Tuple([ast.Name(turn, ast.Store(), **AT), ast.Name(value, ast.Store(), **AT)], ast.Store(), **AT)
        counted = self.call(enumerate, values, ast.Constant(1, **AT))
        lines = [*self.tick(), self.store(name, self.load(value)), self.set("rt", "prefix", told), *self.steps(body)]
        loop = ast.For(target, counted, lines, [], **AT)
        return [self.let(prefix, self.get("rt", "prefix")), loop, self.set("rt", "prefix", self.load(prefix))]


def told_in(value: ast.expr) -> ast.FormattedValue:
    return ast.FormattedValue(value, -1, **AT)


def returned(value: bool) -> ast.stmt:
    return ast.Return(ast.Constant(value, **AT), **AT)


class Piece:
    """A step that can be run, and that can say itself as code."""

    __slots__ = ("emit", "run")

    def __init__(self, run: Closure, emit: Callable[[Code], list[ast.stmt]]) -> None:
        self.run, self.emit = run, emit

    def __call__(self, rt: Runtime) -> bool | None:
        return self.run(rt)


def plain(run: Closure) -> Piece:
    """A step that never ends the program and has no code of its own."""
    return Piece(run, lambda code: [code.do(code.call(run, code.load("rt")))])


class Steps(list["Closure"]):
    """A list of steps, and the one function that they become."""

    __slots__ = ("fused", "runs")

    def __init__(self, steps: Sequence[Closure] = ()) -> None:
        super().__init__(steps)
        self.runs = 0
        self.fused: Any = None

    def quick(self) -> Any:
        """The function of them all; None while they have been run too seldom."""
        self.runs += 1
        if self.fused is None and self.runs > WORTHWHILE:
            code = Code()
            body = [ast.Assign([ast.Name("v", ast.Store(), **AT)], code.get("rt", "frame"), **AT), *code.steps(self)]
            self.fused = code.function(["rt"], body, "steps")
        return self.fused


def run_steps(rt: Runtime, steps: Sequence[Closure]) -> bool | None:
    """Run in order until one ends the program."""
    if rt.trace is None and isinstance(steps, Steps):
        fused = steps.quick()
        if fused is not None:
            ended: bool | None = fused(rt)
            return ended
    for step in steps:
        if step(rt):
            return True
    return None
