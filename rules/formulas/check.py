"""From text to a checked tree: the white list of the formula language.

Python's own parser reads the text; every node is then translated by hand into a node of ours, with its type, or
refused with its place. What is not named here does not exist in the language.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rules.formulas import bounds
from rules.formulas import nodes as n
from rules.formulas.calls import CALLS, check_call
from rules.formulas.errors import FormulaError
from rules.formulas.types import Bool, Int, List, Map, Record, Role, Scope, Text, Type, union
from rules.problems import nearest

MAX_TEXT = 1000
MAX_NODES = 250
MAX_DEPTH = 30
MAX_NUMBER = 10**12
SINGLE_EQUALS = re.compile(r"(?<![=<>!])=(?!=)")

ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


def check(text: str, scope: Scope) -> n.Node:
    """The checked tree of a formula, or FormulaError with the offset of what is wrong."""
    if len(text) > MAX_TEXT:
        raise FormulaError(f"a formula may have at most {MAX_TEXT} characters", 0)
    text = text.strip()
    return Checker(scope, text).visit(parsed(text))


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """Python's tree of a text. The same few formulas stand everywhere in a pack, and nothing changes a tree."""
    check_letters(text)
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as exc:
        hint = ": `==` compares" if SINGLE_EQUALS.search(text) else ""
        raise FormulaError(f"not a formula: {exc.msg}{hint}", max((exc.offset or 1) - 1, 0)) from None
    except (ValueError, MemoryError, RecursionError):
        raise FormulaError("not a formula", 0) from None


QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
ODD_NUMBER = re.compile(r"\b0[a-zA-Z]|[0-9]_")


def check_letters(text: str) -> None:
    """Outside of quotes only plain letters and plain numbers: Python would read look-alikes as what they look like."""
    bare = QUOTED.sub(lambda found: "'" * len(found.group()), text)
    if not bare.isascii():
        at = next(at for at, letter in enumerate(bare) if not letter.isascii())
        raise FormulaError(f"{text[at]!r} is none of the letters of formulas", at)
    if (found := ODD_NUMBER.search(bare)) is not None:
        raise FormulaError("a number is written in plain digits", found.start())
    ends = -1
    for found in QUOTED.finditer(text):
        if "\\" in found.group() or (ends >= 0 and not text[ends : found.start()].strip()):
            raise FormulaError("one name in quotes, without another beside it or a backslash", found.start())
        ends = found.end()


class Checker:
    """Translates one formula; counts nodes and depth on the way."""

    def __init__(self, scope: Scope, text: str = "") -> None:
        self.scope, self.text = scope, text
        self.locals: dict[str, Type] = {}
        self.count = self.depth = 0

    def fail(self, node: ast.AST, message: str, suggestion: str = "") -> FormulaError:
        at: int = getattr(node, "col_offset", 0)
        return FormulaError(message, len(self.text.encode()[:at].decode(errors="ignore")), suggestion)

    def visit(self, node: ast.expr) -> n.Node:
        self.count += 1
        self.depth += 1
        if self.count > MAX_NODES or self.depth > MAX_DEPTH:
            raise self.fail(node, "the formula is too large: split it with `let` or a function")
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise self.fail(node, f"{type(node).__name__.lower()} is not part of the formula language")
        try:
            return handler(self, node)
        finally:
            self.depth -= 1

    def visit_bool(self, node: ast.expr) -> n.Node:
        found = self.visit(node)
        if not isinstance(found.type, Bool):
            raise self.fail(node, f"a condition is wanted here, not {found.type.show()}")
        return found

    def visit_int(self, node: ast.expr) -> n.Node:
        found = self.visit(node)
        if not isinstance(found.type, Int):
            raise self.fail(node, f"a number is wanted here, not {found.type.show()}")
        return found


def place(node: ast.expr) -> tuple[int, int]:
    return node.col_offset, node.end_col_offset or node.col_offset


def _constant(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.Constant)
    value = node.value
    if isinstance(value, bool):
        return n.Const(Bool(value), *place(node), value)
    if isinstance(value, int):
        if value > MAX_NUMBER:
            raise c.fail(node, f"numbers go up to {MAX_NUMBER}")
        return n.Const(Int(value, value), *place(node), value)
    if isinstance(value, str):
        return n.Const(Text(frozenset({value})), *place(node), value)
    raise c.fail(node, "only whole numbers, true/false and quoted names may be written")


def _name(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.Name)
    name = node.id
    if name in c.locals:
        return n.Local(c.locals[name], *place(node), name)
    if name in c.scope.names:
        return n.Name(c.scope.names[name], *place(node), name)
    if name in ("true", "false"):
        return n.Const(Bool(name == "true"), *place(node), name == "true")
    known = [*c.locals, *c.scope.names]
    hint = nearest(name, known)
    owners = [f"{role}.{name}" for role, kind in c.scope.names.items() if isinstance(kind, Role) and name in kind.stats]
    if owners:
        raise c.fail(node, f"unknown name {name!r}: say whose", owners[0])
    quoted = [kind for kind in c.scope.names.values() if isinstance(kind, Text) and name in (kind.options or ())]
    if quoted:
        raise c.fail(node, f"unknown name {name!r}: a name of a closed set stands in quotes", f"'{name}'")
    raise c.fail(node, f"unknown name {name!r}" + ("" if hint or not known else f"; known here: {listed(known)}"), hint)


def listed(names: list[str], limit: int = 12) -> str:
    shown = sorted(names)[:limit]
    return ", ".join(shown) + (" ..." if len(names) > limit else "")


def _attribute(c: Checker, node: ast.expr) -> n.Node:
    """`role.stat`, `role.stat.base`, `record.field`, `card.field`: all resolved here, none at run time."""
    assert isinstance(node, ast.Attribute)
    if node.attr == "base" and isinstance(node.value, ast.Attribute):
        found = base_of(c, node, node.value)
        if found is not None:
            return found
    base = c.visit(node.value)
    kind, name = base.type, node.attr
    if isinstance(kind, Role):
        return n.Field(field_type(c, node, kind.stats, "stat", name), *place(node), base, name)
    if isinstance(kind, Record):
        return n.Field(field_type(c, node, kind.fields, f"field of {kind.name}", name), *place(node), base, name)
    if isinstance(kind, Text) and kind.card is not None and kind.card in c.scope.cards:
        wanted = field_type(c, node, c.scope.cards[kind.card], f"field of {kind.card} cards", name)
        values = {card: fields.get(name) for card, fields in c.scope.card_values.get(kind.card, {}).items()}
        return n.CardField(wanted, *place(node), base, name, values)
    raise c.fail(node, f"{kind.show()} has no field {name!r}")


def base_of(c: Checker, node: ast.expr, inner: ast.Attribute) -> n.Node | None:
    owner = c.visit(inner.value)
    if not isinstance(owner.type, Role):
        return None
    kind = field_type(c, inner, owner.type.stats, "stat", inner.attr)
    return n.BaseOf(kind, *place(node), owner, inner.attr)


def field_type(c: Checker, node: ast.AST, fields: object, what: str, name: str) -> Type:
    assert hasattr(fields, "get")
    found = fields.get(name)
    if found is None:
        known = list(fields)  # type: ignore[call-overload]
        raise c.fail(node, f"no {what} is called {name!r}; known: {listed(known)}", nearest(name, known))
    assert isinstance(found, Type)
    return found


def _subscript(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.Subscript)
    base, key = c.visit(node.value), c.visit(node.slice)
    if isinstance(base.type, List):
        if not isinstance(key.type, Int):
            raise c.fail(node.slice, "a position in a list is a number")
        return n.Item(base.type.of, *place(node), base, key)
    if isinstance(base.type, Map):
        require_comparable(c, node.slice, base.type.key, key.type, strict=True)
        return n.Item(base.type.of, *place(node), base, key)
    raise c.fail(node, f"{base.type.show()} has no items")


def _unary(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.Not):
        value = c.visit_bool(node.operand)
        assert isinstance(value.type, Bool)
        return n.Unary(Bool(None if value.type.known is None else not value.type.known), *place(node), "not", value)
    if isinstance(node.op, ast.USub):
        value = c.visit_int(node.operand)
        return n.Unary(bounds.negate(value.type), *place(node), "-", value)
    raise c.fail(node, "only `-` and `not` may stand before a value")


def _binary(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.BinOp)
    if isinstance(node.op, ast.Div | ast.FloorDiv):
        raise c.fail(node, "a division needs its rounding: down(a / b), up(a / b), near(a / b) or toward_zero(a / b)")
    op = ARITHMETIC.get(type(node.op))
    if op is None:
        raise c.fail(node, f"{type(node.op).__name__.lower()} is not part of the formula language")
    left, right = c.visit_int(node.left), c.visit_int(node.right)
    if op == "%" and isinstance(right.type, Int) and right.type.low == right.type.high == 0:
        raise c.fail(node.right, "the remainder of a division by zero")
    return n.Binary(bounds.arithmetic(op, left.type, right.type), *place(node), op, left, right)


def _logic(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.BoolOp)
    values = tuple(c.visit_bool(value) for value in node.values)
    op = "and" if isinstance(node.op, ast.And) else "or"
    return n.Logic(Bool(bounds.logic(op, [v.type for v in values])), *place(node), op, values)


def _compare(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.Compare)
    values = tuple(c.visit(value) for value in (node.left, *node.comparators))
    ops = []
    known: list[bool | None] = []
    for op_node, left, right, right_node in zip(node.ops, values, values[1:], node.comparators, strict=False):
        op = COMPARISONS.get(type(op_node))
        if op is None:
            raise c.fail(node, "`is` is not part of the formula language: write ==")
        ops.append(op)
        known.append(compare_pair(c, right_node, op, left, right))
    result = False if False in known else True if all(k is True for k in known) else None
    return n.Compare(Bool(result), *place(node), tuple(ops), values)


def compare_pair(c: Checker, node: ast.expr, op: str, left: n.Node, right: n.Node) -> bool | None:
    """Types must agree; the value of the comparison where it is known beforehand."""
    if op in ("in", "not in"):
        if not isinstance(right.type, List):
            raise c.fail(node, f"`in` wants a list, not {right.type.show()}")
        items = right.values if isinstance(right, n.Listing) else ()
        for item in items:
            require_comparable(c, node, left.type, item.type, strict=True)
        if not items:
            require_comparable(c, node, left.type, right.type.of)
        return covered(op, left.type, items)
    if op in ("==", "!="):
        require_comparable(
            c, node, left.type, right.type, strict=isinstance(right, n.Const) or isinstance(left, n.Const)
        )
    elif not (isinstance(left.type, Int) and isinstance(right.type, Int)):
        raise c.fail(node, f"`{op}` compares numbers, not {left.type.show()} with {right.type.show()}")
    return bounds.compare(op, left.type, right.type)


def covered(op: str, left: Type, items: Sequence[n.Node]) -> bool | None:
    """A list of names that has all that a name can be always holds it."""
    if not isinstance(left, Text) or not left.options or not all(isinstance(item, n.Const) for item in items):
        return None
    listed_ = {item.value for item in items if isinstance(item, n.Const)}
    return op == "in" if items and left.options <= listed_ else None


def require_comparable(c: Checker, node: ast.AST, one: Type, two: Type, strict: bool = False) -> None:
    """Refuse a comparison of unlike types, and of names of which none can ever be equal."""
    if isinstance(one, Text) and isinstance(two, Text):
        if one.options is None or two.options is None or one.options & two.options:
            return
        literal, known = (two.options, one.options) if len(two.options) == 1 else (one.options, two.options)
        name = next(iter(literal)) if literal else ""
        raise c.fail(node, f"{name!r} is none of: {listed(list(known))}", nearest(name, known))
    if type(one) is not type(two) or isinstance(one, Record | Map):
        raise c.fail(node, f"{one.show()} cannot be compared with {two.show()}")


def _if(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.IfExp)
    test, then, other = c.visit_bool(node.test), c.visit(node.body), c.visit(node.orelse)
    kind = union(then.type, other.type)
    if kind is None:
        raise c.fail(node, f"both branches must be of one type, not {then.type.show()} and {other.type.show()}")
    assert isinstance(test.type, Bool)
    if test.type.known is not None:
        raise c.fail(node.test, f"this condition is always {str(test.type.known).lower()}")
    return n.If(kind, *place(node), test, then, other)


def _listing(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.List | ast.Tuple | ast.Set)
    if not node.elts:
        raise c.fail(node, "an empty list has no type")
    values = tuple(c.visit(value) for value in node.elts)
    kind: Type | None = values[0].type
    for value in values[1:]:
        kind = None if kind is None else union(kind, value.type)
    if kind is None:
        raise c.fail(node, "the items of a list must be of one type")
    return n.Listing(List(kind), *place(node), values)


def comprehension(c: Checker, node: ast.expr) -> n.Comp:
    assert isinstance(node, ast.GeneratorExp | ast.ListComp)
    if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
        raise c.fail(node, "one `for name in list` at a time")
    gen = node.generators[0]
    var = node.generators[0].target.id
    source = c.visit(gen.iter)
    if not isinstance(source.type, List):
        raise c.fail(gen.iter, f"`for` walks a list, not {source.type.show()}")
    if var in c.scope.names or var in c.locals:
        raise c.fail(gen.target, f"{var!r} is already a name here")
    c.locals[var] = source.type.of
    try:
        tests = tuple(c.visit_bool(test) for test in gen.ifs)
        for test, test_node in zip(tests, gen.ifs, strict=True):
            if isinstance(test.type, Bool) and test.type.known is not None:
                raise c.fail(test_node, f"this condition is always {str(test.type.known).lower()}")
        element = c.visit(node.elt)
    finally:
        del c.locals[var]
    return n.Comp(List(element.type), *place(node), element, var, source, tests)


def _call(c: Checker, node: ast.expr) -> n.Node:
    assert isinstance(node, ast.Call)
    if not isinstance(node.func, ast.Name):
        raise c.fail(node, "only the named functions can be called")
    name = node.func.id
    if name in CALLS:
        return CALLS[name](c, node)
    function = c.scope.functions.get(name)
    if function is None:
        known = [*CALLS, *c.scope.functions]
        raise c.fail(node, f"unknown function {name!r}", nearest(name, known))
    return check_call(c, node, function)


HANDLERS: dict[type[ast.expr], Callable[[Checker, ast.expr], n.Node]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _logic,
    ast.Compare: _compare,
    ast.IfExp: _if,
    ast.List: _listing,
    ast.Tuple: _listing,
    ast.ListComp: comprehension,
    ast.Call: _call,
}
