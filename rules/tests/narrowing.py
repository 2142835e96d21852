"""What a condition tells about names: after `skill != 'none'` has held, `skill` is a card, no longer perhaps none."""

from __future__ import annotations

from collections.abc import Iterator

from rules.formulas import Formula
from rules.formulas import nodes as n
from rules.formulas.types import Text
from rules.tests.flow import Flow


def narrow(flow: Flow, condition: Formula | None) -> None:
    """From here on the condition is known to hold."""
    for name, word in excluded(condition.node) if condition is not None else ():
        kind = flow.scope.names.get(name)
        if isinstance(kind, Text) and kind.options is not None and word in kind.options and len(kind.options) > 1:
            flow.scope.names[name] = Text(kind.options - {word}, kind.card)


def excluded(node: n.Node) -> Iterator[tuple[str, str]]:
    """Names with a word that each cannot be where the condition holds."""
    match node:
        case n.Logic(op="and"):
            for part in node.values:
                yield from excluded(part)
        case n.Compare(ops=("!=",), values=(n.Name() as name, n.Const(value=str() as word))):
            yield name.name, word
