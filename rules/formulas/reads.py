"""What a checked formula reads from outside."""

from __future__ import annotations

from collections.abc import Iterator

from rules.formulas import nodes as n


def children(node: n.Node) -> tuple[n.Node, ...]:
    match node:
        case n.Field() | n.CardField() | n.BaseOf():
            return (node.base,)
        case n.Item():
            return (node.base, node.key)
        case n.Unary():
            return (node.value,)
        case n.Binary():
            return (node.left, node.right)
        case n.Logic() | n.Compare() | n.Listing():
            return node.values
        case n.If():
            return (node.test, node.then, node.other)
        case n.Call():
            return node.args
        case n.Comp():
            return (node.element, node.source, *node.tests)
    return ()


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


def reads(node: n.Node) -> set[str]:
    """All dotted names, each with the names it starts with: `a.b` and `a`. Fields of other bases count as `.field`."""
    out: set[str] = set()
    for part in walk(node):
        name = dotted(part)
        if name is not None:
            out.add(name)
        elif isinstance(part, n.Field | n.CardField):
            out.add("." + part.name)
    return out


def calls(node: n.Node) -> set[str]:
    """Names of the functions that a formula calls."""
    return {part.function.name for part in walk(node) if isinstance(part, n.Call)}


def indexes(node: n.Node, fields: frozenset[str]) -> set[str]:
    """Names of variables of whose list fields single positions are read (`pool.faces[0]`)."""
    found = set()
    for part in walk(node):
        if isinstance(part, n.Item) and isinstance(part.base, n.Field) and part.base.name in fields:
            name = dotted(part.base.base)
            if name is not None:
                found.add(name)
    return found
