"""The checks of function calls in formulas: the built-in ones by name, the pack's own by their declaration."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rules.formulas import bounds
from rules.formulas import functions as f
from rules.formulas import nodes as n
from rules.formulas.calls_board import CALLS as BOARD_CALLS
from rules.formulas.types import Bool, Function, Int, List, Record, Role, Text, Type, accepts, union
from rules.problems import nearest

if TYPE_CHECKING:
    from rules.formulas.check import Checker

MODIFIERS = Record("modifier", {"type": Text(), "value": Int(), "source": Text()})


def place(node: ast.Call) -> tuple[int, int]:
    return node.col_offset, node.end_col_offset or node.col_offset


def no_keywords(c: Checker, node: ast.Call, allowed: tuple[str, ...] = ()) -> None:
    for keyword in node.keywords:
        if keyword.arg not in allowed:
            raise c.fail(node, f"{called(node)} takes no {keyword.arg or '**'!r}")


def called(node: ast.Call) -> str:
    assert isinstance(node.func, ast.Name)
    return node.func.id


def arity(c: Checker, node: ast.Call, count: int) -> None:
    no_keywords(c, node)
    if len(node.args) != count:
        raise c.fail(node, f"{called(node)} takes {count} value{'s' if count != 1 else ''}, not {len(node.args)}")


def check_call(c: Checker, node: ast.Call, function: Function) -> n.Node:
    """A call of a function or table that the pack declares."""
    arity(c, node, len(function.params))
    args = tuple(c.visit(arg) for arg in node.args)
    for arg, arg_node, (name, wanted) in zip(args, node.args, function.params, strict=True):
        if not accepts(wanted, arg.type):
            raise c.fail(arg_node, f"{function.name}: {name} is {wanted.show()}, not {arg.type.show()}")
    if function.wants_settings:
        args = (n.Name(c.scope.names["setting"], *place(node), "setting"), *args)
    return n.Call(function.result, *place(node), function, args)


def build(node: ast.Call, result: Type, call: Callable[..., Any], *args: n.Node) -> n.Node:
    return n.Call(result, *place(node), Function(called(node), (), result, call), args)


def division(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    inner = node.args[0]
    if not (isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div)):
        raise c.fail(node, f"{called(node)} rounds a division: {called(node)}(a / b)")
    left, right = c.visit_int(inner.left), c.visit_int(inner.right)
    if isinstance(right.type, Int) and right.type.low == right.type.high == 0:
        raise c.fail(inner.right, "a division by zero")
    op = called(node)
    return n.Binary(bounds.division(left.type, right.type, f.DIVISIONS[op]), *place(node), op, left, right)


def walked(c: Checker, node: ast.expr) -> n.Node:
    """A list, written out, named, or walked with `for`."""
    from rules.formulas.check import comprehension

    found: n.Node = comprehension(c, node) if isinstance(node, ast.GeneratorExp) else c.visit(node)
    if not isinstance(found.type, List):
        raise c.fail(node, f"a list is wanted here, not {found.type.show()}")
    return found


def walked_of(c: Checker, node: ast.expr, of: type[Type], what: str) -> n.Node:
    found = walked(c, node)
    assert isinstance(found.type, List)
    if not isinstance(found.type.of, of):
        raise c.fail(node, f"a list of {what} is wanted here, not {found.type.show()}")
    return found


def extreme(c: Checker, node: ast.Call) -> n.Node:
    """max / min of several numbers, or of a list with `default=` for an empty one."""
    no_keywords(c, node, ("default",))
    name = called(node)
    if len(node.args) == 1:
        values = walked_of(c, node.args[0], Int, "numbers")
        call = f.max_of if name == "max" else f.min_of
        extra = tuple(c.visit_int(keyword.value) for keyword in node.keywords)
        assert isinstance(values.type, List)
        kind: Type = values.type.of
        for node_ in extra:
            kind = wider(kind, node_.type)
        return build(node, kind, call, values, *extra)
    if node.keywords or not node.args:
        raise c.fail(node, f"{name} takes a list, or two numbers or more")
    args = tuple(c.visit_int(arg) for arg in node.args)
    return build(node, extreme_bounds(name, [a.type for a in args]), max if name == "max" else min, *args)


def wider(one: Type, two: Type) -> Type:
    return union(one, two) or Int()


def extreme_bounds(name: str, kinds: list[Type]) -> Int:
    lows = [k.low for k in kinds if isinstance(k, Int)]
    highs = [k.high for k in kinds if isinstance(k, Int)]
    known_lows, known_highs = [x for x in lows if x is not None], [x for x in highs if x is not None]
    if name == "max":
        return Int(max(known_lows, default=None), None if None in highs else max(known_highs))
    return Int(None if None in lows else min(known_lows), min(known_highs, default=None))


def total(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    values = walked_of(c, node.args[0], Int, "numbers")
    assert isinstance(values.type, List) and isinstance(values.type.of, Int)
    floor = 0 if values.type.of.low is not None and values.type.of.low >= 0 else None
    return build(node, Int(floor), sum, values)


def count(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    return build(node, Int(0), len, walked(c, node.args[0]))


def any_all(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    return build(node, Bool(), any if called(node) == "any" else all, walked_of(c, node.args[0], Bool, "conditions"))


def absolute(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    value = c.visit_int(node.args[0])
    assert isinstance(value.type, Int)
    low, high = value.type.low, value.type.high
    top = None if low is None or high is None else max(abs(low), abs(high))
    return build(node, Int(max(0, low or 0, -(high if high is not None else 0)), top), abs, value)


def clamp(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 3)
    args = tuple(c.visit_int(arg) for arg in node.args)
    low, high = args[1].type, args[2].type
    assert isinstance(low, Int) and isinstance(high, Int)
    return build(node, Int(low.low, high.high), f.clamp, *args)


def pick(c: Checker, node: ast.Call) -> n.Node:
    """highest(list, n) and lowest(list, n)."""
    arity(c, node, 2)
    values, number = walked_of(c, node.args[0], Int, "numbers"), c.visit_int(node.args[1])
    return build(node, values.type, f.highest if called(node) == "highest" else f.lowest, values, number)


def ordered(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    values = walked_of(c, node.args[0], Int, "numbers")
    return build(node, values.type, sorted, values)


def distinct(c: Checker, node: ast.Call) -> n.Node:
    arity(c, node, 1)
    values = walked(c, node.args[0])
    return build(node, values.type, f.distinct, values)


def stack(c: Checker, node: ast.Call) -> n.Node:
    """stack(modifiers, "best_and_worst_per_type"): the sum of those that count."""
    arity(c, node, 2)
    values, how = walked(c, node.args[0]), node.args[1]
    if not accepts(List(MODIFIERS), values.type):
        raise c.fail(node.args[0], f"a list of modifiers is wanted here, not {values.type.show()}")
    if not (isinstance(how, ast.Constant) and isinstance(how.value, str) and how.value in f.STACKING):
        given = str(getattr(how, "value", ""))
        raise c.fail(how, f"a way of stacking is wanted: {', '.join(f.STACKING)}", nearest(given, f.STACKING))
    return build(node, Int(), f.STACKING[how.value], values)


def holds(c: Checker, node: ast.Call) -> n.Node:
    """has(role, "card"): whether the subject holds a card, condition or token; held(role, "card"): how many;
    tokens(role, "card"): a list of them, with the values each carries."""
    arity(c, node, 2)
    role, card = c.visit(node.args[0]), c.visit(node.args[1])
    if not isinstance(role.type, Role):
        raise c.fail(node.args[0], f"a subject is wanted here, not {role.type.show()}")
    if not isinstance(card.type, Text):
        raise c.fail(node.args[1], f"a card is wanted here, not {card.type.show()}")
    known = frozenset(k for cards in c.scope.card_values.values() for k in cards)
    if card.type.options is None or not card.type.options <= known:
        name = next(iter((card.type.options or frozenset()) - known), "")
        raise c.fail(node.args[1], f"no card is called {name!r}", nearest(name, known))
    if called(node) == "tokens":
        return build(node, List(token_type(c, card.type.options)), lambda sheet, name: sheet.tokens(name), role, card)
    if called(node) == "has":
        return build(node, Bool(), f.has_card, role, card)
    return build(node, Int(0), lambda sheet, name: sheet.count_held(name), role, card)


def every(c: Checker, node: ast.Call) -> n.Node:
    """every("skill"): the ids of all cards of a type, in the order of the pack."""
    arity(c, node, 1)
    kind = node.args[0]
    if not (isinstance(kind, ast.Constant) and isinstance(kind.value, str) and kind.value in c.scope.card_values):
        given = str(getattr(kind, "value", ""))
        raise c.fail(kind, f"no card type is called {given!r}", nearest(given, c.scope.card_values))
    ids = tuple(c.scope.card_values[kind.value])
    return build(node, List(Text(frozenset(ids), kind.value)), lambda: ids)


def token_type(c: Checker, cards: frozenset[str]) -> Record:
    """What can be read of held cards: `id`, `source`, and the values that every one of these cards carries."""
    shared: dict[str, Type] | None = None
    for card in sorted(cards):
        fields = dict(c.scope.held.get(card, {}))
        shared = fields if shared is None else {k: v for k, v in shared.items() if fields.get(k) == v}
    return Record("token", {"id": Text(), "source": Text(), **(shared or {})})


CALLS: dict[str, Callable[[Checker, ast.Call], n.Node]] = {
    "down": division,
    "up": division,
    "near": division,
    "toward_zero": division,
    "max": extreme,
    "min": extreme,
    "sum": total,
    "count": count,
    "any": any_all,
    "all": any_all,
    "abs": absolute,
    "clamp": clamp,
    "highest": pick,
    "lowest": pick,
    "sorted": ordered,
    "distinct": distinct,
    "stack": stack,
    "has": holds,
    "held": holds,
    "every": every,
    "tokens": holds,
    **BOARD_CALLS,
}
