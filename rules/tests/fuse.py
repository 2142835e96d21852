"""Steps as one Python function, for runs that nobody traces: those that count odds, above all.

Every step is a callable that does its work and, with a trace, writes down what it did. A step that also knows how to
say itself as Python code is a `Piece`. The code of a list of steps is put together once it has been run a few times,
from the same checked trees that the traced run reads; a test compares both on every case of every pack.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rules.formulas.compile import AT, CodeBuilder, item
from rules.tests.runtime import MAX_STEPS, Runtime, too_long

if TYPE_CHECKING:
    from rules.tests.flow import Closure

Emit = Callable[["Code"], list[ast.stmt]]
"""puts a step into code"""

COMMON = {"setting": "setting", "asker": "asker", "@board": "board"}
"""what every frame of a run has, and the variables of it"""

WORTHWHILE = 3
"""Lists of steps that are run less often than this are not put together: that takes longer than running them"""


class Code(CodeBuilder):
    """The code being made. `rt` is the run; the frame of names changes where a procedure is called.

    The names of a procedure are variables of the function, and no frame is made of them (`kept` is None then, else the
    names that have a value so far) but for steps that are no code and read one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.frames = 0
        self.names = 0
        self.kept: list[str] | None = None
        self.calls = False
        """whether there is a procedure in it"""
        self.inner = 0
        """branches and loops around what is being put into code"""
        self.owed = 0
        """procedures that are called in every run, whatever comes: counted together, at the beginning"""

    def inner_frame(self) -> str:
        self.frames += 1
        self.calls = True
        return f"v{self.frames}"

    def name(self, of: str) -> str:
        """A variable that nothing else in this code uses."""
        self.names += 1
        return f"{of}_{self.names}"

    def named(self, name: str) -> ast.expr:
        if self.kept is None:
            return super().named(name)
        return self.load(COMMON.get(name) or f"{self.frame}_{name}")

    def store(self, name: str, value: ast.expr) -> ast.stmt:
        if self.kept is None:
            return super().store(name, value)
        if name not in self.kept:
            self.kept.append(name)
        return self.let(f"{self.frame}_{name}", value)

    def begun(self, lines: list[ast.stmt]) -> list[ast.stmt]:
        """The code of a list of steps, with what it starts from."""
        frame = self.let("v", self.get("rt", "frame"))
        common = [self.let(name, item(self.load("v"), word)) for word, name in COMMON.items() if self.calls]
        return [frame, *common, *(self.tick(self.owed) if self.owed else []), *lines]

    def opaque(self, run: Closure, writes: Sequence[str], ends: bool) -> list[ast.stmt]:
        """A step that is no code: it reads the frame itself, and may give these names a value."""
        call = self.call(run, self.load("rt"))
        if self.kept is None:
            return [ast.If(call, [returned(True)], [], **AT)] if ends else [self.do(call)]
        names = [*self.kept, *COMMON]
        frame = ast.Dict([ast.Constant(name, **AT) for name in names], [self.named(name) for name in names], **AT)
        lines = [self.set("rt", "frame", frame), self.do(call)]
        for name in writes:
            lines.append(self.store(name, self.call(dict.get, self.get("rt", "frame"), ast.Constant(name, **AT))))
        return [*lines, self.set("rt", "frame", self.load("v"))]

    def branch(self, test: ast.expr, then: Emit, other: Emit | None = None) -> ast.stmt:
        """if test: then, else: other. Only what both give a value has one afterwards."""
        before = self.kept
        self.inner += 1
        self.kept = None if before is None else [*before]
        body, after = then(self), self.kept
        self.kept = None if before is None else [*before]
        rest = [] if other is None else other(self)
        self.inner -= 1
        if self.kept is not None and after is not None:
            self.kept = [name for name in self.kept if name in after]
        if not body and not rest:
            return ast.Pass(**AT)  # nothing depends on it: formulas change nothing
        return ast.If(test, body or [ast.Pass(**AT)], rest, **AT)

    def steps(self, steps: Sequence[Closure]) -> list[ast.stmt]:
        return [line for step in steps for line in self.step(step)]

    def step(self, step: Closure) -> list[ast.stmt]:
        """The code of one step; one that has none is called, and may end the program."""
        if isinstance(step, Piece) and step.emit is not None:
            return step.emit(self)
        return self.opaque(step, (), ends=not isinstance(step, Piece))

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

    def entered(self) -> list[ast.stmt]:
        """Counts a procedure against the budget of the run."""
        if self.inner:
            return self.tick()
        self.owed += 1
        return []

    def tick(self, count: int = 1) -> list[ast.stmt]:
        """Counts steps against the budget of the run."""
        steps = ast.Attribute(self.load("rt"), "steps", ast.Store(), **AT)
        over = ast.Compare(self.get("rt", "steps"), [ast.Gt()], [ast.Constant(MAX_STEPS, **AT)], **AT)
        return [
            ast.AugAssign(steps, ast.Add(), ast.Constant(count, **AT), **AT),
            ast.If(over, [self.do(self.call(too_long))], [], **AT),
        ]

    def over(self, name: str, values: ast.expr, body: Sequence[Closure]) -> list[ast.stmt]:
        """A loop: the frame's `name` is one value after the other, and its turn stands in the names of choices."""
        turn, value, prefix = self.name("t"), self.name("x"), self.name("q")
        told = ast.JoinedStr([told_in(self.load(prefix)), told_in(self.load(turn)), ast.Constant(".", **AT)], **AT)
        target = ast.Tuple([ast.Name(turn, ast.Store(), **AT), ast.Name(value, ast.Store(), **AT)], ast.Store(), **AT)
        counted = self.call(enumerate, values, ast.Constant(1, **AT))
        before = None if self.kept is None else [*self.kept]
        self.inner += 1
        lines = [*self.tick(), self.store(name, self.load(value)), self.set("rt", "prefix", told), *self.steps(body)]
        self.inner -= 1
        self.kept = before
        loop = ast.For(target, counted, lines, [], **AT)
        return [self.let(prefix, self.get("rt", "prefix")), loop, self.set("rt", "prefix", self.load(prefix))]


def runs(lines: Sequence[ast.stmt]) -> bool:
    """Whether anything of it has to do with the run: where nothing has, formulas alone are worked out."""
    return any(isinstance(node, ast.Name) and node.id == "rt" for line in lines for node in ast.walk(line))


def told_in(value: ast.expr) -> ast.FormattedValue:
    return ast.FormattedValue(value, -1, **AT)


def returned(value: bool) -> ast.stmt:
    return ast.Return(ast.Constant(value, **AT), **AT)


class Piece:
    """A step that can be run, and that can say itself as code. Without `emit` it is called, and never ends the
    program."""

    __slots__ = ("emit", "run")

    def __init__(self, run: Closure, emit: Emit | None = None) -> None:
        self.run, self.emit = run, emit

    def __call__(self, rt: Runtime) -> bool | None:
        return self.run(rt)


def plain(run: Closure) -> Piece:
    """A step that never ends the program and has no code of its own."""
    return Piece(run)


def telling(step: Closure, writes: Sequence[str]) -> Piece:
    """A step that says, if it has no code of its own, which names it gives a value."""
    if isinstance(step, Piece) and step.emit is not None:
        return step
    run, ends = (step.run, False) if isinstance(step, Piece) else (step, True)
    return Piece(run, lambda code: code.opaque(run, writes, ends))


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
            self.fused = code.function(["rt"], code.begun(code.steps(self)), "steps")
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
