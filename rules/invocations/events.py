"""What happened to invocations."""

from __future__ import annotations

import msgspec

from rules.invocations.state import Use


class InvocationStated(msgspec.Struct, frozen=True, kw_only=True):
    """An invocation was stated; its test may be rolled unless ``alignment`` awaits the GM."""

    call: str
    use: Use
    holder: str
    container: str
    pair: str
    side: str
    players: tuple[str, ...] = ()
    text: str = ""
    stake: str = ""
    recipient: str = ""
    recipient_pair: str = ""
    recipient_side: str = ""
    alignment: str = "matching"


class InspirationConfirmed(msgspec.Struct, frozen=True, kw_only=True):
    """The GM's word on the alignment: close, or none (the invocation is withdrawn, unspent)."""

    call: str
    alignment: str


class InvocationSpent(msgspec.Struct, frozen=True, kw_only=True):
    """The first die of the invocation fell."""

    call: str
    holder: str
    container: str
    players: tuple[str, ...] = ()


class InvocationSettled(msgspec.Struct, frozen=True, kw_only=True):
    """Its test is over; ``side`` succeeded (empty: none did), ``granted`` says whether a die came of it."""

    call: str
    side: str
    granted: bool


class InvocationWithdrawn(msgspec.Struct, frozen=True, kw_only=True):
    """It came to nothing before its first die; it is not spent."""

    call: str


class InspirationRecast(msgspec.Struct, frozen=True, kw_only=True):
    """The conviction was recast to the side that the test landed on."""

    call: str
    side: str
    recipient_pair: str
    recipient_side: str


class DieGranted(msgspec.Struct, frozen=True, kw_only=True):
    """A die waits for an action roll or for the recipient's test."""

    die: str
    purpose: str
    holder: str
    pair: str
    side: str
    container: str
    sides: int


class DieClaimed(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting die lies on a roll now."""

    die: str
    roll: str


class DieLapsed(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting die is gone: used up by its test, or its container closed."""

    die: str
    holder: str
    purpose: str
    used: bool = False


class DecisionTested(msgspec.Struct, frozen=True, kw_only=True):
    """A holder's decision has been tested and is not tested again."""

    holder: str
    decision: str
    container: str


InvocationEvent = (
    InvocationStated
    | InspirationConfirmed
    | InvocationSpent
    | InvocationSettled
    | InvocationWithdrawn
    | InspirationRecast
    | DieGranted
    | DieClaimed
    | DieLapsed
    | DecisionTested
)
