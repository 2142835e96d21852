"""What an event is: its typed body, who may see which of its fields, and the envelope it is kept in.

An app declares its events with :func:`event_type`; :mod:`campaigns.store` keeps them, :mod:`campaigns.audience` shows
them. Nothing here touches the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar, runtime_checkable
from uuid import UUID

import msgspec

from rules.refusal import Refused

# Classes of viewers, each seeing what the ones after it see and perhaps more. "holder" is a player who plays one of
# the subjects that the event is about.
GM, HOLDER, PLAYER, WATCHER = "gm", "holder", "player", "watcher"
VIEWERS = (GM, HOLDER, PLAYER, WATCHER)

# Who may see an event at all: everybody, the table without watchers, the GM and the subjects' players, the GM alone.
# "member:<id>" is the GM and one member.
ALL, TABLE, HOLDERS, GM_ONLY = "all", "table", "holders", "gm"

EVERY_FIELD = ("*",)


class Event(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of every event body. Its fields hold all that evolvers need: no clock and no lookup is allowed there."""


E = TypeVar("E", bound=Event)
Data = dict[str, Any]
Names = Callable[[str], str]


@runtime_checkable
class Telling(Protocol):
    """Names that know the rules too: how a change of a sheet is told by the declaration of its value."""

    def changed(self, subject: str, pack: str, change: Data) -> str:
        """One change of `sheet.changed` in words; "" where the rules are not known."""


@dataclass(frozen=True)
class EventType:
    """How one version of one kind of event is called, read, shown and told.

    ``shows`` maps a viewer class to the fields it may see; a class that is absent sees nothing of the event. ``says``
    makes the sentence of the log from the fields that the viewer may see, so it cannot tell more than they do.
    ``stays`` is the reason why such an event is never taken back (empty: it may be); with ``rides`` it stays while the
    rest of its action is taken back, without it nothing of that action may be. ``reveals`` says that it shows people
    what was hidden from them, which taking it back cannot undo.
    """

    name: str
    version: int
    body: type[Event]
    shows: dict[str, tuple[str, ...]]
    says: Callable[[Data, Names], str]
    decoder: msgspec.json.Decoder[Event]
    stays: str = ""
    rides: bool = False
    reveals: bool = False

    def fields_for(self, viewer: str) -> tuple[str, ...] | None:
        """Names of the fields that a class of viewers may see; None where it may not see the event."""
        shown = self.shows.get(viewer)
        if shown == EVERY_FIELD:
            return self.body.__struct_fields__
        return shown


_by_name: dict[str, EventType] = {}
_by_body: dict[type[Event], EventType] = {}
_upcasters: dict[tuple[str, int], Callable[[Data], Data]] = {}


def event_type(
    name: str,
    *,
    shows: dict[str, tuple[str, ...]],
    says: Callable[[Data, Names], str],
    version: int = 1,
    stays: str = "",
    rides: bool = False,
    reveals: bool = False,
) -> Callable[[type[E]], type[E]]:
    """Class decorator that declares an event; see :class:`EventType`. A wrong field name in ``shows`` stops the
    program at import."""

    def declare(body: type[E]) -> type[E]:
        for viewer, fields in shows.items():
            unknown = [f for f in fields if f not in body.__struct_fields__ and fields != EVERY_FIELD]
            if viewer not in VIEWERS or unknown:
                raise TypeError(f"event {name}: unknown viewer or field in shows: {viewer} {unknown}")
        if name in _by_name:
            raise TypeError(f"two events are called {name}")
        entry = EventType(name, version, body, shows, says, msgspec.json.Decoder(body), stays, rides, reveals)
        _by_name[name] = _by_body[body] = entry
        return body

    return declare


_story: list[type[Event]] = []


def in_story(body: type[E]) -> type[E]:
    """Class decorator of an event that the chronicle tells: what people would tell of a season, not how it was kept."""
    _story.append(body)
    return body


def story_bodies() -> tuple[type[Event], ...]:
    """Every event that the chronicle tells."""
    return tuple(_story)


_never_alone: dict[str, str] = {}


def falls_with_cause(reason: str) -> Callable[[type[E]], type[E]]:
    """Class decorator of an event that is taken back only along with its cause, never alone; ``reason`` says so."""

    def declare(body: type[E]) -> type[E]:
        _never_alone[_by_body[body].name] = reason
        return body

    return declare


def never_alone(name: str) -> str:
    """Why events of a type are taken back only along with their cause; empty where they may be taken back alone."""
    return _never_alone.get(name, "")


def upcaster(name: str, from_version: int) -> Callable[[Callable[[Data], Data]], Callable[[Data], Data]]:
    """Decorator of a function that turns the plain data of ``from_version`` into that of the next version."""

    def declare(function: Callable[[Data], Data]) -> Callable[[Data], Data]:
        _upcasters[name, from_version] = function
        return function

    return declare


def type_of(event: Event) -> EventType:
    """The declaration of an event body."""
    return _by_body[type(event)]


def type_of_body(body: type[Event]) -> EventType:
    """The declaration of a class of event bodies."""
    return _by_body[body]


def type_named(name: str) -> EventType:
    """The declaration of the event called ``name``; refused where no installed app declares it."""
    try:
        return _by_name[name]
    except KeyError:
        raise Refused("unknown_event", f"No event is called {name}.", field="type", value=name) from None


def event_types() -> Iterator[EventType]:
    """Every declared event, by name."""
    return iter(sorted(_by_name.values(), key=lambda entry: entry.name))


def decode(name: str, version: int, data: str | bytes) -> Event:
    """The typed body of a stored event, lifted to the version of today where it is older."""
    return decoder_of(name, version)(data)


def decoder_of(name: str, version: int) -> Callable[[str | bytes], Event]:
    """A function from stored data of this type and version to the typed body of today."""
    entry = type_named(name)
    if version == entry.version:
        return entry.decoder.decode
    if version > entry.version:
        raise Refused("newer_event", f"{name} version {version} is newer than this program.", value=version)
    lifts = [_lift_of(name, old) for old in range(version, entry.version)]

    def lifted(data: str | bytes) -> Event:
        plain: Data = msgspec.json.decode(data)
        for lift in lifts:
            plain = lift(plain)
        return msgspec.convert(plain, entry.body)

    return lifted


def _lift_of(name: str, version: int) -> Callable[[Data], Data]:
    try:
        return _upcasters[name, version]
    except KeyError:
        raise TypeError(f"event {name} has no upcaster from version {version}") from None


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """Dice that one step of a command drew: seed number ``seed`` of its audience, from counter ``first`` on.

    ``typed`` says that the faces were thrown at the table and entered by hand.
    """

    audience: str
    seed: int
    first: int
    sides: tuple[int, ...]
    faces: tuple[int, ...]
    typed: bool = False


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the campaign's calendar something happened; zero before the calendar starts."""

    year: int = 0
    season: int = 0
    week: int = 0


@dataclass(frozen=True)
class Draft:
    """An event that a decider wants recorded. ``holders`` are the subjects it is about; ``brings`` are bytes that are
    kept beside the stream, by the digest that the event names."""

    event: Event
    audience: str = TABLE
    holders: tuple[str, ...] = ()
    happened_at: datetime | None = None
    cause: int | None = None
    dice: tuple[Draw, ...] = ()
    brings: bytes = b""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An event in its envelope, as it lies in the stream."""

    campaign_id: UUID
    position: int
    id: UUID
    type: str
    version: int
    event: Event
    actor: str
    command_id: UUID
    cause: int | None
    recorded_at: datetime
    happened_at: datetime | None
    stamp: Stamp
    packs: str
    audience: str
    holders: tuple[str, ...] = ()
    dice: tuple[Draw, ...] = ()
    digest: bytes = b""
