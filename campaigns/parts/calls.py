"""Calls for tests: any test of any pack, asked for, rolled step by step, come to an outcome.

The state holds open calls only. What was rolled so far is its faces and choices: the same pack run again with them
reaches the same point. Ledger: SPI-006 to 022, 140, 141; TRT-001 to 007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import (
    EVERY_FIELD,
    GM,
    HOLDER,
    HOLDERS,
    PLAYER,
    TABLE,
    WATCHER,
    Data,
    Event,
    Names,
    event_type,
    in_story,
)

Values = dict[str, Any]


class Call(msgspec.Struct):
    """An open call. ``roles`` maps the test's roles to subjects; ``rollers`` are the members who may roll it.

    ``state``: ``awaiting_gm`` (a player called about another's subject), ``open`` (not a die yet), ``rolling`` (waits
    for the answer to ``ask``, due from the members in ``ask_of``; empty: from the GM). ``asked_at`` is where in the
    stream it was asked, with the dice so far. ``thrower`` is the member who threw the first of them.
    """

    pack: str
    test: str
    title: str
    roles: dict[str, str]
    given: Values
    decision: str
    secret: bool
    asker: str
    rollers: list[str]
    container: str
    state: str
    position: int
    faces: list[int] = []
    choices: Values = {}
    subjects: Values = {}
    ask: Values | None = None
    ask_of: list[str] = []
    asked_at: int = 0
    thrower: str = ""


class Calls(msgspec.Struct):
    """Part of the state: open calls by id; ``decided`` names the decisions that open containers have seen tested."""

    open: dict[str, Call] = {}
    decided: dict[str, list[str]] = {}


part = registry.part("calls", Calls, revision=2)


def audience_of(call: Call) -> str:
    """Who may know that the test exists; everything that comes of it keeps to this."""
    return HOLDERS if call.secret else TABLE


def holders_of(call: Call) -> tuple[str, ...]:
    """The subjects whose test it is, by role."""
    return tuple(dict.fromkeys(call.roles.values()))


_CALLED = (
    "call",
    "pack",
    "test",
    "title",
    "roles",
    "order",
    "decision",
    "asker",
    "rollers",
    "container",
    "state",
    "given",
    "quiet",
)


def in_order(roles: dict[str, str], order: Sequence[str]) -> dict[str, str]:
    """Roles as the test has them, the one whose test it is first; what is stored has them by the alphabet."""
    return {name: roles[name] for name in (*order, *roles) if name in roles}


def _subjects(d: Data, names: Names, said: str = "") -> str:
    """Who takes part, but for those whom a sentence names already."""
    found = dict.fromkeys(names(subject) for subject in in_order(d["roles"], d.get("order", ())).values())
    return " and ".join(name for name in found if name not in said)


def _called_said(d: Data, names: Names) -> str:
    about, whose = f": {d['decision']}" if d["decision"] else "", _subjects(d, names, d["title"])
    return f"{d['title']} for {whose}{about}" if whose else f"{d['title']}{about}"


@event_type(
    "test.called",
    shows={GM: EVERY_FIELD, HOLDER: (*_CALLED, "given_holders", "secret"), PLAYER: _CALLED},
    says=_called_said,
)
class TestCalled(Event):
    """Somebody called for a test. ``given`` holds the inputs everybody may see, the other two what fewer may."""

    call: str
    pack: str
    test: str
    title: str
    roles: dict[str, str]
    decision: str
    secret: bool
    asker: str
    rollers: tuple[str, ...]
    container: str
    state: str
    given: Values
    given_holders: Values
    given_gm: Values
    order: tuple[str, ...] = ()
    quiet: bool = False
    """it was done at once, and what was done says so"""


@event_type(
    "test.agreed",
    shows={GM: EVERY_FIELD, HOLDER: ("call", "title", "given", "given_holders"), PLAYER: ("call", "title", "given")},
    says=lambda d, names: "The GM agreed to the test.",
)
class TestAgreed(Event):
    """The GM agreed to a test that a player called for. ``given`` holds the inputs that the GM gave and everybody may
    see, the other two what fewer may; ``title`` is what the call is called with them (empty: as before)."""

    call: str
    title: str = ""
    given: Values = {}
    given_holders: Values = {}
    given_gm: Values = {}


@event_type(
    "test.assigned",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['roller'])} rolls.",
)
class TestAssigned(Event):
    """The GM named the one member who rolls."""

    call: str
    roller: str


def _dropped_said(d: Data, names: Names) -> str:
    which = f"the test {d['title']}" if d.get("title") else "the test"
    if d.get("by"):
        return f"{names(d['by'])} dropped {which}, which the game master had called."
    return f"{which[0].upper()}{which[1:]} was dropped" + (f": {d['why']}." if d.get("why") else ".")


@event_type("test.dropped", shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD}, says=_dropped_said)
class TestDropped(Event):
    """The call came to nothing: refused by the GM, the decision dropped, or (``why``) its rules gone. ``by``: the
    member who dropped what a GM had called. ``title`` is the test's, with whose it was."""

    call: str
    why: str = ""
    by: str = ""
    title: str = ""


_STEP = ("call", "choices", "dice", "account", "lines", "ask", "thrown", "thrower")
_OWN = ("dice_holders", "account_holders", "lines_holders", "thrown_holders")


@event_type(
    "test.advanced",
    shows={GM: EVERY_FIELD, HOLDER: (*_STEP, *_OWN, "ask_of"), PLAYER: (*_STEP, "ask_of")},
    says=lambda d, names: f"The dice wait for a choice: {d['ask'].get('title') or d['ask']['id']}",
)
class TestAdvanced(Event):
    """Dice fell, and the test waits for a choice. ``faces`` and ``choices`` are all there are so far; ``subjects`` and
    ``given`` are sheets and inputs as they stood then, which the rest of the test is read by. ``thrown`` says of each
    roll in ``dice``, as far as an audience may know, its ``title`` and the number it was thrown ``against``."""

    call: str
    faces: tuple[int, ...]
    choices: Values
    dice: Values
    dice_holders: Values
    lines: tuple[str, ...]
    lines_holders: tuple[str, ...]
    lines_gm: tuple[str, ...]
    ask: Values
    ask_of: tuple[str, ...]
    subjects: Values
    given: Values
    thrown: Values = {}
    thrown_holders: Values = {}
    thrown_gm: Values = {}
    account: tuple[str, ...] = ()
    account_holders: tuple[str, ...] = ()
    account_gm: tuple[str, ...] = ()
    thrower: str = ""


_DONE = (
    "call",
    "pack",
    "test",
    "title",
    "roles",
    "order",
    "decision",
    "outcome",
    "outcome_title",
    "success",
    "facts",
    "dice",
    "account",
    "lines",
    "thrown",
    "thrower",
)


def _resolved_said(d: Data, names: Names) -> str:
    whose = _subjects(d, names, d["title"])
    done = f"{whose}, {d['title']}" if whose else d["title"]
    return f"{done}: {d['outcome_title']}" if d["outcome_title"] else f"{done}."


@in_story
@event_type(
    "test.resolved",
    shows={GM: EVERY_FIELD, HOLDER: (*_DONE, "facts_holders", *_OWN), PLAYER: _DONE},
    says=_resolved_said,
)
class TestResolved(Event):
    """A test came to its outcome. ``facts`` are its typed results by audience; ``account`` how it came about as
    people tell it, ``lines`` the trace in words, ``dice``
    each roll's dice as they lie, ``thrown`` what each was thrown for,
    ``thrower`` the member who threw the first of them. Kept as they were: a later change of rules or
    ratings rewrites nothing."""

    call: str
    pack: str
    test: str
    title: str
    roles: dict[str, str]
    decision: str
    container: str
    outcome: str
    outcome_title: str
    success: bool | None
    faces: tuple[int, ...]
    choices: Values
    facts: Values
    facts_holders: Values
    facts_gm: Values
    dice: Values
    dice_holders: Values
    lines: tuple[str, ...]
    lines_holders: tuple[str, ...]
    lines_gm: tuple[str, ...]
    thrown: Values = {}
    thrown_holders: Values = {}
    thrown_gm: Values = {}
    account: tuple[str, ...] = ()
    account_holders: tuple[str, ...] = ()
    account_gm: tuple[str, ...] = ()
    thrower: str = ""
    order: tuple[str, ...] = ()


@in_story
@event_type(
    "test.worded",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])}: {d['words']}",
)
class TestWorded(Event):
    """How an outcome shows, in the words of its holder's player."""

    call: str
    subject: str
    words: str


def _published_said(d: Data, names: Names) -> str:
    about = f" ({d['decision']})" if d["decision"] else ""
    return f"{', '.join(d['holders'])}{about}: {d['result']}"


@in_story
@event_type(
    "test.published",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=_published_said,
)
class TestPublished(Event):
    """What watchers are told of a test: whose, about what, and what came of it. No dice, no ratings."""

    call: str
    title: str
    holders: tuple[str, ...]
    decision: str
    result: str
    facts: Values


def opened(event: TestCalled, position: int) -> Call:
    """The open call that an event makes."""
    return Call(
        pack=event.pack,
        test=event.test,
        title=event.title,
        roles=in_order(event.roles, event.order),
        given={**event.given, **event.given_holders, **event.given_gm},
        decision=event.decision,
        secret=event.secret,
        asker=event.asker,
        rollers=list(event.rollers),
        container=event.container,
        state=event.state,
        position=position,
    )


@part.evolves(TestCalled)
def _called(calls: Calls, event: TestCalled, position: int) -> None:
    calls.open[event.call] = opened(event, position)


@part.evolves(TestAgreed)
def _agreed(calls: Calls, event: TestAgreed, _position: int) -> None:
    if event.call in calls.open:
        call = calls.open[event.call]
        call.state, call.title = "open", event.title or call.title
        call.given = {**call.given, **event.given, **event.given_holders, **event.given_gm}


@part.evolves(TestAssigned)
def _assigned(calls: Calls, event: TestAssigned, _position: int) -> None:
    if event.call in calls.open:
        calls.open[event.call].rollers = [event.roller]


@part.evolves(TestAdvanced)
def _advanced(calls: Calls, event: TestAdvanced, position: int) -> None:
    call = calls.open.get(event.call)
    if call is not None:
        call.state = "rolling"
        call.faces, call.choices = list(event.faces), dict(event.choices)
        call.subjects, call.given = dict(event.subjects), dict(event.given)
        call.ask, call.ask_of, call.asked_at = dict(event.ask), list(event.ask_of), position
        call.thrower = event.thrower


@part.evolves(TestDropped)
def _dropped(calls: Calls, event: TestDropped, _position: int) -> None:
    calls.open.pop(event.call, None)


@part.evolves(TestResolved)
def _resolved(calls: Calls, event: TestResolved, _position: int) -> None:
    calls.open.pop(event.call, None)
