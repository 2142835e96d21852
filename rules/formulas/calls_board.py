"""Functions of formulas that read a board: who stands where, on which side, whose turn it is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from rules.formulas import effort
from rules.formulas import nodes as n
from rules.formulas.functions import Question
from rules.formulas.types import CELL, Bool, Int, List, Record, Role, Text, Type
from rules.problems import nearest

if TYPE_CHECKING:
    from rules.formulas.check import Checker

BOARD = "@board"
"""the frame's name for the board: none that a pack could write"""


def board_of(c: Checker, node: ast.Call) -> Role:
    if c.scope.board is None:
        raise c.fail(node, "there is no board to read here: stats cannot, nor packs without a section `encounter`")
    return c.scope.board


def subject(c: Checker, node: ast.expr) -> n.Node:
    found = c.visit(node)
    if not isinstance(found.type, Role):
        raise c.fail(node, f"a subject is wanted here, not {found.type.show()}")
    return found


def spot(c: Checker, node: ast.expr) -> n.Node:
    """A subject (where it stands), a place or an area."""
    found = c.visit(node)
    if not (isinstance(found.type, Role) or (isinstance(found.type, Record) and found.type.name in ("place", "area"))):
        raise c.fail(node, f"a subject or a place is wanted here, not {found.type.show()}")
    return found


def number(c: Checker, node: ast.expr) -> n.Node:
    return c.visit_int(node)


def subjects(c: Checker, node: ast.expr) -> n.Node:
    from rules.formulas.calls import walked_of

    return walked_of(c, node, Role, "subjects")


def text(c: Checker, node: ast.expr) -> n.Node:
    found = c.visit(node)
    if not isinstance(found.type, Text):
        raise c.fail(node, f"the id of a subject is wanted here, not {found.type.show()}")
    return found


Reader = Callable[["Checker", ast.expr], n.Node]
MANY = "many"
SHAPES: dict[str, tuple[tuple[Reader, ...], Type | str, Question]] = {
    "everyone": ((), MANY, Question("everyone")),
    "allies": ((subject,), MANY, Question("allies")),
    "foes": ((subject,), MANY, Question("foes")),
    "within": ((spot, number), MANY, Question("within")),
    "in_line": ((spot, spot, number), MANY, Question("in_line")),
    "in_line_through": ((spot, spot, number), MANY, Question("in_line_through")),
    "screened": ((spot, spot), Bool(), Question("screened")),
    "nearest": ((spot, subjects), MANY, Question("nearest")),
    "distance": ((spot, spot), Int(0), Question("distance")),
    "on_grid": ((subject,), Bool(), Question("on_grid")),
    "same_side": ((subject, subject), Bool(), Question("same_side")),
    "opposite": ((subject, subject, subject), Bool(), Question("opposite")),
    "turn": ((subject,), Bool(), Question("turn")),
    "round_now": ((), Int(0), Question("round_now")),
    "takes_part": ((text,), Bool(), Question("takes_part")),
    "subject": ((text,), "one", Question("sheet")),
}
"""by name: what it reads, what it gives, and which method of the board answers it"""


def board_call(c: Checker, node: ast.Call) -> n.Node:
    """One of the functions above; the board goes with the frame."""
    from rules.formulas.calls import arity, build, called

    name = called(node)
    readers, result, call = SHAPES[name]
    own = board_of(c, node)
    arity(c, node, len(readers))
    board = n.Name(Text(), node.col_offset, node.col_offset, BOARD)
    args = [reader(c, arg) for reader, arg in zip(readers, node.args, strict=True)]
    kind: Type = List(own) if result == MANY else own if isinstance(result, str) else result
    if name == "nearest":
        kind = args[1].type
    return build(node, kind, call, board, *args)


def areas(c: Checker, node: ast.Call) -> n.Node:
    """areas("fire"): what lies on the ground of a card: `id`, `source`, `at` (a place), `size` and what it carries."""
    from rules.formulas.calls import arity, build, token_type

    board_of(c, node)
    arity(c, node, 1)
    card = node.args[0]
    known = {name for names in c.scope.card_values.values() for name in names}
    if not (isinstance(card, ast.Constant) and isinstance(card.value, str) and card.value in known):
        given = str(getattr(card, "value", ""))
        raise c.fail(card, f"no card is called {given!r}", nearest(given, known))
    name = card.value
    kind = Record("area", {**token_type(c, frozenset({name})).fields, "at": CELL, "size": Int(0)})
    board = n.Name(Text(), node.col_offset, node.col_offset, BOARD)
    return build(node, List(kind), Question("areas"), board, n.Const(Text(), node.col_offset, node.col_offset, name))


def joined(c: Checker, node: ast.Call) -> n.Node:
    """joined(list, list): one after the other; without(list, list): those that are not in the second."""
    from rules.formulas.calls import arity, build, walked
    from rules.formulas.types import union

    arity(c, node, 2)
    one, two = walked(c, node.args[0]), walked(c, node.args[1])
    kind = union(one.type, two.type)
    if kind is None:
        raise c.fail(node, "the items of a list must be of one type")
    if node.func.id == "without":  # type: ignore[attr-defined]
        return build(node, one.type, lambda a, b: [item for item in a if item not in b], one, two)
    return build(node, kind, effort.joined, one, two)


CALLS: dict[str, Callable[[Checker, ast.Call], n.Node]] = {
    **dict.fromkeys(SHAPES, board_call),
    "areas": areas,
    "joined": joined,
    "without": joined,
}
