"""A formula in the words of people, for those who ask why a number is what it is.

    in_words(formula.node, titled)    "at least 1, and 10 + half of Vigor, rounded up"

`titled` names what is read from outside; it is given the words of the formula for it (`might`, `setting.rest.hours`,
`rank['vigor']`).
"""

from __future__ import annotations

from collections.abc import Callable

from rules.formulas import nodes as n
from rules.formulas.reads import dotted

Titled = Callable[[str], str]

ROUNDINGS = {
    "down": "rounded down",
    "up": "rounded up",
    "near": "to the nearest",
    "toward_zero": "rounded toward zero",
}
COMPARED = {
    "==": "is",
    "!=": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
    "in": "is one of",
    "not in": "is none of",
}
CALLED = {
    "max": "the highest of",
    "min": "the lowest of",
    "sum": "the sum of",
    "count": "the number of",
    "any": "any of",
    "all": "all of",
    "abs": "the size of",
    "held": "the number held of",
    "distinct": "the different ones of",
}
UNSAID = ("self", "setting", "@board")


def in_words(node: n.Node, titled: Titled) -> str:
    """What the formula works out."""
    source = read_of(node)
    if source is not None:
        return titled(source)
    match node:
        case n.Const():
            return titled(node.value) if isinstance(node.value, str) else str(node.value)
        case n.Local():
            return node.name
        case n.Listing():
            return ", ".join(in_words(value, titled) for value in node.values)
        case n.Call():
            return call_in_words(node, titled)
        case n.Item():
            return f"{in_words(node.base, titled)} of {in_words(node.key, titled)}"
        case n.Field() | n.CardField():
            return f"{titled(node.name)} of {in_words(node.base, titled)}"
        case n.BaseOf():
            return f"{titled(node.stat)} before modifiers"
        case n.Comp():
            said = f"{in_words(node.element, titled)} for each of {in_words(node.source, titled)}"
            tests = " and ".join(in_words(test, titled) for test in node.tests)
            return f"{said} where {tests}" if tests else said
    return operation_in_words(node, titled)


def read_of(node: n.Node) -> str | None:
    """The words by which a formula reads something from outside: a name, a field, an item of a map by a fixed key."""
    if isinstance(node, n.Item) and isinstance(node.key, n.Const):
        base = dotted(node.base)
        return None if base is None else f"{base}[{node.key.value!r}]"
    return dotted(node)


def call_in_words(node: n.Call, titled: Titled) -> str:
    name = node.function.name
    args = [in_words(arg, titled) for arg in node.args if not (isinstance(arg, n.Name) and arg.name in UNSAID)]
    if name == "has":
        return f"{' '.join(args)} is held"
    if name in ("max", "min") and len(args) == 2:
        fixed = [arg for arg in node.args if isinstance(arg, n.Const)]
        other = [in_words(arg, titled) for arg in node.args if not isinstance(arg, n.Const)]
        if len(fixed) == 1:
            return f"({other[0]}, {'at least' if name == 'max' else 'at most'} {fixed[0].value})"
        return f"the {'higher' if name == 'max' else 'lower'} of {args[0]} and {args[1]}"
    if name == "clamp":
        return f"({args[0]}, between {args[1]} and {args[2]})"
    if not args:
        return titled(name)
    said = CALLED.get(name) or (titled(name) if name.endswith("_at") else f"{titled(name)} of")
    return f"{said} {', '.join(args)}"


def operation_in_words(node: n.Node, titled: Titled) -> str:
    def said(part: n.Node) -> str:
        return in_words(part, titled)

    def inner(part: n.Node) -> str:
        return f"({said(part)})" if isinstance(part, n.Binary | n.If) and part_of_sum(part) else said(part)

    match node:
        case n.Unary():
            return f"not {said(node.value)}" if node.op == "not" else f"-{inner(node.value)}"
        case n.Binary() if node.op in ROUNDINGS:
            return f"({inner(node.left)} / {inner(node.right)}, {ROUNDINGS[node.op]})"
        case n.Binary() if node.op in ("*", "%"):
            return f"{inner(node.left)} {'x' if node.op == '*' else 'remainder by'} {inner(node.right)}"
        case n.Binary():
            return f"{said(node.left)} {node.op} {inner(node.right) if node.op == '-' else said(node.right)}"
        case n.Logic():
            return f" {node.op} ".join(said(value) for value in node.values)
        case n.Compare():
            return compared(node, titled)
        case n.If():
            return f"{said(node.then)} if {said(node.test)}, else {said(node.other)}"
    raise TypeError(f"no words for {type(node).__name__}")


def part_of_sum(node: n.Node) -> bool:
    return not (isinstance(node, n.Binary) and node.op in ROUNDINGS)


def compared(node: n.Compare, titled: Titled) -> str:
    first, *rest = (in_words(value, titled) for value in node.values)
    return first + "".join(f" {COMPARED[op]} {value}" for op, value in zip(node.ops, rest, strict=True))
