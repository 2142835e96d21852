"""From a checked tree to a fast Python function of the frame.

The Python tree is built node by node from our own checked nodes (no text is compiled, nothing is evaluated by
`eval`): a lambda whose only free names are the helpers handed to it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from operator import countOf
from types import CodeType, FunctionType
from typing import Any

from rules.formulas import nodes as n
from rules.formulas.effort import HEAVY, SIMPLE, charged, effort_of, metered, simple, start
from rules.formulas.functions import DIVISIONS, HELD, Question, has_card, times
from rules.formulas.types import Map

Compiled = Callable[[Mapping[str, Any]], Any]

OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(),
    "-": ast.Sub(),
    "%": ast.Mod(),
    "down": ast.FloorDiv(),
}
COMPARE: dict[str, ast.cmpop] = {
    "==": ast.Eq(),
    "!=": ast.NotEq(),
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
    "in": ast.In(),
    "not in": ast.NotIn(),
}


AT: dict[str, Any] = {"lineno": 1, "col_offset": 0}
"""where every node of the compiled code stands: nowhere in particular"""


def compile_node(node: n.Node) -> Compiled:
    """A function frame -> value."""
    build = CodeBuilder()
    return build.function(["v"], [ast.Return(build.expr(node), **AT)], "formula")


def compile_block(assignments: Sequence[tuple[str, n.Node]]) -> Callable[[dict[str, Any]], None]:
    """A function that works out named values in order and writes each into the frame: one call for many formulas."""
    build = CodeBuilder()
    return build.function(["v"], [build.assign(name, node) for name, node in assignments], "block")


def compile_record(fields: Mapping[str, n.Node]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A function frame -> {name: value, ...}: one call for many formulas."""
    build = CodeBuilder()
    return build.function(["v"], [ast.Return(build.record(fields), **AT)], "record")


class PackFunction:
    """A function that a pack declares; becomes a plain Python function of its parameters when it is first needed."""

    __slots__ = ("effort", "formula", "made", "params")

    def __init__(self, formula: Any, params: Sequence[str]) -> None:
        self.formula, self.params = formula, params
        self.effort = effort_of(formula.node)
        self.made: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        return self.plain()(*args)

    def plain(self) -> Callable[..., Any]:
        if self.made is None:
            build = CodeBuilder(params=frozenset(self.params), called=True)
            body: list[ast.stmt] = [ast.Return(build.expr(self.formula.node), **AT)]
            self.made = build.function(["p_" + name for name in self.params], body, "function")
        return self.made


class CodeBuilder:
    """Makes Python code of checked nodes, and collects the helper functions that it needs under private names.

    `frame` is the variable that holds the frame of names; `params`: names that are arguments of the function itself.
    `called`: this is the function of a pack, and what it walks counts for the formula that calls it.
    """

    def __init__(self, params: frozenset[str] = frozenset(), called: bool = False) -> None:
        self.helpers: dict[str, Any] = {}
        self.frame = "v"
        self.params = params
        self.called = called
        self.walking = 0
        self.counts = False

    def function(self, arguments: Sequence[str], body: list[ast.stmt], name: str) -> Callable[..., Any]:
        """A Python function of this body; its only free names are the helpers."""
        if self.counts and not self.called:
            body = [ast.Expr(self.call(start), **AT), *body]
        args = [ast.arg(argument, **AT) for argument in arguments]
        given = ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])
        tree = ast.Module([ast.FunctionDef(name, given, body or [ast.Pass(**AT)], [], **AT)], [])
        outer = compile(tree, f"<{name}>", "exec")
        inner = next(const for const in outer.co_consts if isinstance(const, CodeType))
        return FunctionType(inner, {"__builtins__": {}, **self.helpers}, name)

    def assign(self, name: str, node: n.Node) -> ast.stmt:
        """frame[name] = value"""
        return self.store(name, self.expr(node))

    def store(self, name: str, value: ast.expr) -> ast.stmt:
        target = ast.Subscript(self.load(self.frame), ast.Constant(name, **AT), ast.Store(), **AT)
        return ast.Assign([target], value, **AT)

    def record(self, fields: Mapping[str, n.Node], more: Mapping[str, Any] | None = None) -> ast.Dict:
        """{name: value, ...}; `more` are values that are known already."""
        known = {name: self.constant(value) for name, value in (more or {}).items()}
        keys: list[ast.expr | None] = [ast.Constant(name, **AT) for name in (*fields, *known)]
        return ast.Dict(keys, [*(self.expr(node) for node in fields.values()), *known.values()], **AT)

    def constant(self, value: Any) -> ast.expr:
        return ast.Constant(value, **AT) if isinstance(value, int | str) else self.helper(value)

    def named(self, name: str) -> ast.expr:
        """The value of a name of the frame."""
        return item(self.load(self.frame), name)

    def load(self, name: str) -> ast.expr:
        return ast.Name(name, ast.Load(), **AT)

    def helper(self, value: Any) -> ast.expr:
        name = f"h{len(self.helpers)}"
        self.helpers[name] = value
        return ast.Name(name, ast.Load(), **AT)

    def call(self, function: Any, *args: ast.expr) -> ast.expr:
        if isinstance(function, Question):
            return ast.Call(ast.Attribute(args[0], function.method, ast.Load(), **AT), list(args[1:]), [], **AT)
        if function is has_card:
            return ast.Compare(args[1], [ast.In()], [item(args[0], HELD)], **AT)
        if isinstance(function, PackFunction):
            self.counts = self.counts or function.effort.walks
            called = ast.Call(self.helper(function.plain()), list(args), [], **AT)
            work = function.effort.work
            return called if work < HEAVY else self.call(charged, called, ast.Constant(work, **AT))
        return ast.Call(self.helper(function), list(args), [], **AT)

    def expr(self, node: n.Node) -> ast.expr:
        match node:
            case n.Const():
                return ast.Constant(node.value, **AT)
            case n.Name() if node.name in self.params:
                return self.load("p_" + node.name)
            case n.Name():
                return self.named(node.name)
            case n.Local():
                return ast.Name("x_" + node.name, ast.Load(), **AT)
            case n.Field():
                return item(self.expr(node.base), node.name)
            case n.Listing():
                return ast.Tuple([self.expr(value) for value in node.values], ast.Load(), **AT)
            case n.Call() if (same := counted(node)) is not None:
                return self.call(countOf, self.expr(same[0]), ast.Constant(same[1], **AT))
            case n.Call():
                return self.call(node.function.call, *(self.expr(arg) for arg in node.args))
            case n.Comp():
                return self.comp(node)
        return self.lookup(node) or self.operator(node)

    def lookup(self, node: n.Node) -> ast.expr | None:
        match node:
            case n.CardField():
                return self.call(node.values.__getitem__, self.expr(node.base))
            case n.BaseOf():
                return self.call(read_base, self.expr(node.base), ast.Constant(node.stat, **AT))
            case n.Item() if isinstance(node.base.type, Map):
                return ast.Subscript(self.expr(node.base), self.expr(node.key), ast.Load(), **AT)
            case n.Item():
                return self.call(position, self.expr(node.base), self.expr(node.key))
        return None

    def operator(self, node: n.Node) -> ast.expr:
        match node:
            case n.Unary():
                return ast.UnaryOp(ast.Not() if node.op == "not" else ast.USub(), self.expr(node.value), **AT)
            case n.Binary() if node.op in OPERATORS:
                return ast.BinOp(self.expr(node.left), OPERATORS[node.op], self.expr(node.right), **AT)
            case n.Binary():
                function = times if node.op == "*" else DIVISIONS[node.op]
                return self.call(function, self.expr(node.left), self.expr(node.right))
            case n.Logic():
                return ast.BoolOp(
                    ast.And() if node.op == "and" else ast.Or(), [self.expr(v) for v in node.values], **AT
                )
            case n.Compare():
                first, *rest = (self.expr(value) for value in node.values)
                return ast.Compare(first, [COMPARE[op] for op in node.ops], list(rest), **AT)
            case n.If():
                return ast.IfExp(self.expr(node.test), self.expr(node.then), self.expr(node.other), **AT)
        raise TypeError(f"no code for {type(node).__name__}")

    def comp(self, node: n.Comp) -> ast.expr:
        target = ast.Name("x_" + node.var, ast.Store(), **AT)
        source = self.walked(node)
        self.walking += 1
        gen = ast.comprehension(target, source, [self.expr(test) for test in node.tests], 0)
        element = self.expr(node.element)
        self.walking -= 1
        return ast.ListComp(element, [gen], **AT)

    def walked(self, node: n.Comp) -> ast.expr:
        """The list that is walked; it is counted where it could come to much."""
        work = sum(effort_of(part).work for part in (node.element, *node.tests))
        source = self.expr(node.source)
        if not (self.called or self.walking or work > SIMPLE):
            return self.call(simple, source, ast.Constant(work, **AT))
        self.counts = True
        return self.call(metered, source, ast.Constant(work, **AT))


def counted(node: n.Call) -> tuple[n.Node, Any] | None:
    """`count(x for x in list if x == constant)`: the list and the constant, for which Python has one quick call."""
    if node.function.call is not len or not isinstance(node.args[0], n.Comp) or len(node.args[0].tests) != 1:
        return None
    comp = node.args[0]
    test = comp.tests[0]
    if not (isinstance(test, n.Compare) and test.ops == ("==",)):
        return None
    left, right = test.values
    if isinstance(left, n.Local) and left.name == comp.var and isinstance(right, n.Const):
        return comp.source, right.value
    return None


def item(base: ast.expr, key: str) -> ast.expr:
    return ast.Subscript(base, ast.Constant(key, **AT), ast.Load(), **AT)


def read_base(sheet: Any, stat: str) -> Any:
    """The value of a stat before modifiers."""
    return sheet.base(stat)


def position(values: Any, index: int) -> Any:
    """One item of a list by position, with a plain error when there is none."""
    from rules.problems import RulesError

    if not -len(values) <= index < len(values):
        raise RulesError(f"the list has {len(values)} items, none at position {index}")
    return values[index]
