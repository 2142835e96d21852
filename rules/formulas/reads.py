"""What a checked formula reads from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rules.formulas import nodes as n

CHILDREN: dict[type[n.Node], Callable[[Any], tuple[n.Node, ...]]] = {
    n.Const: lambda node: (),
    n.Name: lambda node: (),
    n.Local: lambda node: (),
    n.Field: lambda node: (node.base,),
    n.CardField: lambda node: (node.base,),
    n.BaseOf: lambda node: (node.base,),
    n.Item: lambda node: (node.base, node.key),
    n.Unary: lambda node: (node.value,),
    n.Binary: lambda node: (node.left, node.right),
    n.Logic: lambda node: node.values,
    n.Compare: lambda node: node.values,
    n.Listing: lambda node: node.values,
    n.If: lambda node: (node.test, node.then, node.other),
    n.Call: lambda node: node.args,
    n.Comp: lambda node: (node.element, node.source, *node.tests),
}


def children(node: n.Node) -> tuple[n.Node, ...]:
    return CHILDREN[type(node)](node)


def walk(node: n.Node) -> Iterator[n.Node]:
    yield node
    for child in children(node):
        yield from walk(child)


def dotted(node: n.Node) -> str | None:
    """`a.b.c` for a name or a chain of fields over one."""
    match node:
        case n.Name():
            return node.name
        case n.Field() | n.CardField():
            base = dotted(node.base)
            return None if base is None else f"{base}.{node.name}"
        case n.BaseOf():
            base = dotted(node.base)
            return None if base is None else f"{base}.{node.stat}"
    return None


class Survey:
    """What a formula reads and calls, found in one walk.

    `names`: all dotted names, each with the names it starts with: `a.b` and `a`; fields of other bases as `.field`.
    `calls`: the functions called. `positions`: of lists in fields (`pool.faces[0]`), the owner and the field.
    """

    __slots__ = ("calls", "names", "positions")

    def __init__(self, node: n.Node) -> None:
        self.names: set[str] = set()
        self.calls: set[str] = set()
        self.positions: set[tuple[str, str]] = set()
        todo = [node]
        while todo:
            part = todo.pop()
            kind = type(part)
            if kind is n.Const:
                continue
            if kind is n.Call:
                assert isinstance(part, n.Call)
                self.calls.add(part.function.name)
            elif kind in NAMED:
                self.names.add(dotted(part) or "." + part.name)  # type: ignore[attr-defined]
            elif kind is n.BaseOf:
                name = dotted(part)
                if name is not None:
                    self.names.add(name)
            elif isinstance(part, n.Item) and isinstance(part.base, n.Field):
                name = dotted(part.base.base)
                if name is not None:
                    self.positions.add((name, part.base.name))
            todo.extend(children(part))


NAMED = frozenset({n.Name, n.Field, n.CardField})
