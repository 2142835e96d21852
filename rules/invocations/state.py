"""What must be remembered of invocations while their containers are open."""

from __future__ import annotations

from typing import Literal

import msgspec

Use = Literal["draw", "inspire"]


class Invocation(msgspec.Struct, kw_only=True):
    """One invocation, stated before its test (id ``call``). For a draw ``side`` is the one the action follows, for an
    inspiration the conviction shown; ``alignment`` of a recipient's side: matching, close or awaiting_gm."""

    use: Use
    holder: str
    container: str
    pair: str
    side: str
    players: tuple[str, ...] = ()
    recipient: str = ""
    recipient_pair: str = ""
    recipient_side: str = ""
    text: str = ""
    alignment: str = "matching"
    settled: bool = False
    landed: str = ""
    """the side that the test came to, where it succeeded"""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """An invocation that was used up, by whom and where."""

    holder: str
    container: str
    players: tuple[str, ...] = ()


class Die(msgspec.Struct, frozen=True, kw_only=True):
    """A die that was granted and waits. ``purpose`` action: for an action roll that expresses ``side``; inspiration:
    for the holder's next test of ``pair`` on ``side``."""

    purpose: Literal["action", "inspiration"]
    holder: str
    pair: str
    side: str
    container: str
    sides: int


class InvocationsState(msgspec.Struct, kw_only=True):
    """Open invocations by call, what was spent, dice that wait, dice claimed by call, decisions tested."""

    open: dict[str, Invocation] = {}
    spent: list[Spent] = []
    dice: dict[str, Die] = {}
    claimed: dict[str, str] = {}
    lying: dict[str, Die] = {}
    """the claimed dice themselves by call, until their roll is over"""
    tested: list[tuple[str, str, str]] = []
    """(holder, decision, container), newest last"""
