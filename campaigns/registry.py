"""What the apps bring to a campaign: parts of its state, evolvers, commands, projections.

Each app registers in its ``AppConfig.ready`` by importing its modules; after that nothing here changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from django.db.models import Model

from campaigns.events import Draft, Event, Recorded, Stamp
from rules.refusal import Refused

if TYPE_CHECKING:
    from campaigns.audience import Viewer
    from campaigns.context import Context
    from campaigns.parts.calls import Call, TestResolved
    from campaigns.parts.containers import ContainerClosed
    from campaigns.state import State
    from rules.packs import Pack

Evolver = Callable[[Any, Any, int], None]
Key = tuple[str, ...]
Bodies = tuple[type[Event], ...] | Callable[[], tuple[type[Event], ...]]


class Command(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of everything somebody can ask for."""


Decider = Callable[["State", Any, "Context"], list[Draft]]
Readier = Callable[["State", Any], Callable[[], object]]


@dataclass(frozen=True)
class Part:
    """One part of a campaign's state: a msgspec struct and the functions that fold events into it, in place.

    ``revision`` goes up when an evolver comes to fold the same events differently, so that no snapshot of before is
    used; a change of the struct's shape is noticed by itself.
    """

    name: str
    state: type[msgspec.Struct]
    evolvers: dict[type[Event], Evolver] = field(default_factory=dict)
    revision: int = 1

    def evolves(self, *bodies: type[Event]) -> Callable[[Evolver], Evolver]:
        """Decorator: the function folds these events into this part: ``(state, event, position)``."""

        def declare(function: Evolver) -> Evolver:
            for body in bodies:
                if body in self.evolvers:
                    raise TypeError(f"part {self.name} folds {body.__name__} twice")
                self.evolvers[body] = function
            return function

        return declare


@dataclass(frozen=True)
class CommandType:
    """A command by its name, who may send it and the pure function that decides it.

    ``roles`` are the member roles let through by the entrance; finer rights (one's own character) are the decider's.
    """

    name: str
    body: type[Command]
    roles: frozenset[str]
    decide: Decider
    title: str


@dataclass(frozen=True)
class Projection:
    """Rows of a table computed from the state, which may be thrown away and made again.

    ``key`` names the fields that, beside the campaign, identify a row. ``touched`` names the keys of the rows that an
    event (of the ``bodies``; no other changes a row) may have changed, ``keys`` those of all rows; ``row`` computes one
    (None: there is no such row). ``bodies`` may be a function, for events that are declared later.
    """

    name: str
    model: type[Model]
    key: tuple[str, ...]
    bodies: Bodies
    touched: Callable[[Any], Iterable[Key]]
    keys: Callable[[State], Iterable[Key]]
    row: Callable[[State, Key], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Trail:
    """Rows that events leave behind and no later event changes: a history too long to be part of the state.

    ``rows`` gives the fields of the rows that one event (of the ``bodies``) leaves; campaign, position and ``seq``, the
    row's place among the event's, are added. A voided event has none, unless ``keeps_voided``. ``bodies`` may be a
    function, for events that are declared later.
    """

    name: str
    model: type[Model]
    bodies: Bodies
    rows: Callable[[Recorded], Iterable[Mapping[str, Any]]]
    keeps_voided: bool = False

    @property
    def covered(self) -> tuple[type[Event], ...]:
        """The events that leave rows here."""
        return _declared(self.bodies)


def _declared(bodies: Bodies) -> tuple[type[Event], ...]:
    return bodies() if callable(bodies) else bodies


parts: dict[str, Part] = {}
commands: dict[str, CommandType] = {}
commands_by_body: dict[type[Command], CommandType] = {}
readiers: dict[type[Command], Readier] = {}
projections: dict[str, Projection] = {}
trails: dict[str, Trail] = {}
evolvers: dict[type[Event], list[tuple[type[msgspec.Struct], Evolver]]] = {}


def part(name: str, state: type[msgspec.Struct], *, revision: int = 1) -> Part:
    """Registers a part of the campaign's state."""
    if name in parts:
        raise TypeError(f"two parts are called {name}")
    parts[name] = Part(name, state, revision=revision)
    return parts[name]


def decides(body: type[Command], name: str, *, roles: Iterable[str], title: str) -> Callable[[Decider], Decider]:
    """Decorator of the decider of a command: ``decide(state, command, context) -> [Draft, ...]``."""

    def declare(decide: Decider) -> Decider:
        if name in commands:
            raise TypeError(f"two commands are called {name}")
        commands[name] = commands_by_body[body] = CommandType(name, body, frozenset(roles), decide, title)
        return decide

    return declare


def readies(body: type[Command]) -> Callable[[Readier], Readier]:
    """Decorator of what a command has done before its campaign is locked: ``ready(state, command)`` looks at a state
    that may be old by then and answers the slow work, which is run with nothing held. That work changes nothing and
    is kept by its content, so that the decider, who asks for the same, finds it done; it may refuse."""

    def declare(ready: Readier) -> Readier:
        readiers[body] = ready
        return ready

    return declare


def projection(entry: Projection) -> Projection:
    """Registers a projection."""
    projections[entry.name] = entry
    return entry


def trail(entry: Trail) -> Trail:
    """Registers a trail."""
    trails[entry.name] = entry
    return entry


def command_named(name: str) -> CommandType:
    """The command called ``name``; refused, with the nearest known name, where there is none."""
    try:
        return commands[name]
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(name, commands, n=1)
        right = near[0] if near else "one of " + ", ".join(sorted(commands))
        raise Refused(
            "unknown_command", f"No command is called {name}.", field="type", value=name, right=right
        ) from None


def evolvers_of(body: type[Event]) -> list[tuple[type[msgspec.Struct], Evolver]]:
    """The (type of part state, evolver) pairs that fold an event, found once a body."""
    found = evolvers.get(body)
    if found is None:
        found = [(p.state, p.evolvers[body]) for p in parts.values() if body in p.evolvers]
        evolvers[body] = found
    return found


_projections_of: dict[type[Event], tuple[str, ...]] = {}
_trails_of: dict[type[Event], tuple[str, ...]] = {}


def projections_of(body: type[Event]) -> tuple[str, ...]:
    """The names of the projections whose rows an event may change, found once a body."""
    found = _projections_of.get(body)
    if found is None:
        found = tuple(name for name, entry in projections.items() if issubclass(body, _declared(entry.bodies)))
        _projections_of[body] = found
    return found


def trails_of(body: type[Event]) -> tuple[str, ...]:
    """The names of the trails on which an event leaves rows, found once a body."""
    found = _trails_of.get(body)
    if found is None:
        found = _trails_of[body] = tuple(name for name, trail in trails.items() if issubclass(body, trail.covered))
    return found


_stamps: list[Callable[[State, datetime], Stamp]] = []


def stamps_by(function: Callable[[State, datetime], Stamp]) -> Callable[[State, datetime], Stamp]:
    """Decorator of the one function that says where in the calendar an instant falls."""
    _stamps[:] = [function]
    return function


def stamp_of(state: State, instant: datetime) -> Stamp:
    """The calendar stamp of an instant; all zero while no calendar is known."""
    return _stamps[0](state, instant) if _stamps else Stamp()


ContainerKinds = dict[str, dict[str, str]]
_container_kinds: list[Callable[[State], ContainerKinds]] = []


def container_kinds_by(function: Callable[[State], ContainerKinds]) -> Callable[[State], ContainerKinds]:
    """Decorator of a function that names further kinds of containers: kind -> {tie: what the tie means}."""
    _container_kinds.append(function)
    return function


def container_kinds(state: State) -> ContainerKinds:
    """The kinds of containers that a campaign may open, with the ties each may have."""
    kinds: ContainerKinds = {"session": {}, "scene": {}}
    for function in _container_kinds:
        kinds.update(function(state))
    return kinds


CallCheck = Callable[["State", "Pack", "Call", "Context"], None]
_call_checks: list[CallCheck] = []


def checks_calls(function: CallCheck) -> CallCheck:
    """Decorator of a function that refuses calls for tests which some rule of its app does not allow."""
    _call_checks.append(function)
    return function


def call_checks() -> list[CallCheck]:
    """What every call must pass."""
    return _call_checks


Underway = Callable[["State", str], Iterable[str]]
underways: list[Underway] = []


def holds_rules(function: Underway) -> Underway:
    """Decorator: ``function(state, pack id)`` names what is under way by a pack's rules in an app, beside tests; until
    that is over they do not change."""
    underways.append(function)
    return function


SubjectHold = Callable[["State", str, bool], Iterable[str]]
subject_holds: list[SubjectHold] = []


def holds_subject(function: SubjectHold) -> SubjectHold:
    """Decorator: ``function(state, subject id, gm)`` names what a subject is in the middle of in an app; until that is
    over it is not put away. Where it is not asked for a GM, nothing counts that its players may not know of."""
    subject_holds.append(function)
    return function


def require_not_busy(state: State, subject: str, name: str, refused: tuple[str, str, str], *, gm: bool) -> None:
    """Refuses what cannot be while a subject is in the middle of something; ``refused``: the field, its value, and what
    would be right."""
    for holds in subject_holds:
        busy = next(iter(holds(state, subject, gm)), None)
        if busy is not None:
            field, value, right = refused
            raise Refused("in_the_middle", f"{name} is in the middle of {busy}.", field=field, value=value, right=right)


Fights = Callable[["State", str], bool]
_fights: list[Fights] = []


def takes_part(function: Fights) -> Fights:
    """Decorator: ``function(state, subject id)`` says whether a subject is in the middle of a fight of an app."""
    _fights.append(function)
    return function


def fights(state: State, subject: str) -> bool:
    """Whether a subject takes part in a fight that runs."""
    return any(function(state, subject) for function in _fights)


Maker = Callable[["State", str], bool]
_makers: list[Maker] = []


def makes(function: Maker) -> Maker:
    """Decorator: ``function(state, subject id)`` says whether an app knows that something was made of a subject."""
    _makers.append(function)
    return function


def is_made(state: State, subject: str) -> bool:
    """Whether anything was made of a subject beside its name."""
    return any(function(state, subject) for function in _makers)


Taker = Callable[["State", "Pack", str, str, str], bool]
_takers: list[Taker] = []


def takes_roles(function: Taker) -> Taker:
    """Decorator: ``function(state, pack, test, role, subject id)`` says whether a subject can ever take a role of a
    test; whoever cannot is not offered for it."""
    _takers.append(function)
    return function


def can_take(state: State, pack: Pack, test: str, role: str, subject: str) -> bool:
    """Whether no app is against a subject in that role."""
    return all(function(state, pack, test, role, subject) for function in _takers)


Provider = Callable[["State", str, str], Mapping[str, Any]]
_providers: list[Provider] = []


def provider(function: Provider) -> Provider:
    """Decorator: ``function(state, subject id, pack id)`` gives what an app knows of a subject's sheet in a pack, by
    the name it has there, and nothing where it knows nothing."""
    _providers.append(function)
    return function


def provided(state: State, subject: str, pack: str) -> dict[str, Any]:
    """All that the apps know of a subject's sheet in a pack."""
    return {name: value for function in _providers for name, value in function(state, subject, pack).items()}


@dataclass(frozen=True)
class Closing:
    """The close of a period of the calendar, as the apps are asked what they make of it.

    ``position`` is where the close itself will stand in the stream (the cause of what it leads to), ``happened_at`` the
    period's last second.
    """

    rung: str
    number: int
    attempt: int
    position: int
    happened_at: datetime


Closer = Callable[["State", Closing, "Context"], list[Draft]]
Followers = Callable[["State", str, int], Iterable[int]]
closers: list[Closer] = []
followers: list[Followers] = []


def closes(function: Closer) -> Closer:
    """Decorator: ``function(state, closing, context)`` gives the drafts that an app adds to the close of a period."""
    closers.append(function)
    return function


def follows_close(function: Followers) -> Followers:
    """Decorator: ``function(state, rung, number)`` gives the positions of later events that rest on the last close of
    a rung and fall with it."""
    followers.append(function)
    return function


import_checks: list[Callable[[State, datetime], None]] = []


def checks_imports(function: Callable[[State, datetime], None]) -> Callable[[State, datetime], None]:
    """Decorator: ``function(state, now)`` refuses a state that came in a file and that no command would have led to."""
    import_checks.append(function)
    return function


holders_of_seeds: list[Callable[[State, str, int], bool]] = []


def holds_seed(function: Callable[[State, str, int], bool]) -> Callable[[State, str, int], bool]:
    """Decorator: ``function(state, rung, number)`` says whether dice of a period's close are still to be thrown."""
    holders_of_seeds.append(function)
    return function


Due = Callable[["State"], datetime | None]
dues: list[Due] = []
dues_change: list[type[Event]] = []


def falls_due(*bodies: type[Event]) -> Callable[[Due], Due]:
    """Decorator: ``function(state)`` says from when a job has something to do in a campaign, or None. ``bodies`` are
    the events that may change the answer."""

    def declare(function: Due) -> Due:
        dues.append(function)
        dues_change.extend(bodies)
        return function

    return declare


def due_at(state: State) -> datetime | None:
    """From when any job has something to do in the campaign; None while there is nothing to wait for."""
    return min((due for function in dues if (due := function(state)) is not None), default=None)


Duty = tuple[Command, UUID]
duties: list[Callable[[State, UUID, datetime], Iterable[Duty]]] = []


def does_due(
    function: Callable[[State, UUID, datetime], Iterable[Duty]],
) -> Callable[[State, UUID, datetime], Iterable[Duty]]:
    """Decorator: ``function(state, campaign id, now)`` gives the next commands, with their ids, that a job is to send
    because they are due. The ids follow from what is due, so that whoever sends them, they are done once."""
    duties.append(function)
    return function


@dataclass(frozen=True)
class Enclosure:
    """What an exported campaign takes along beside its events: packs with their content, pictures.

    ``write`` gives JSON-ready items, ``read`` takes them in on the importing server, inside its transaction and before
    the first fold. Raises Refused where it cannot.
    """

    name: str
    write: Callable[[UUID, State], Iterable[Any]]
    read: Callable[[UUID, Iterable[Any]], None]


enclosures: dict[str, Enclosure] = {}


def encloses(entry: Enclosure) -> Enclosure:
    """Registers what exports take along."""
    enclosures[entry.name] = entry
    return entry


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """One number or value with its reason: what it is called, what it is, how it comes about, and from which parts."""

    label: str
    value: bool | int | str | None
    how: str = ""
    parts: tuple[Why, ...] = ()


Explainer = Callable[["State", "Viewer", str, str], "Why | None"]
explainers: list[Explainer] = []


def explains(function: Explainer) -> Explainer:
    """Decorator: ``function(state, viewer, subject id, name)`` says why a value of a subject is what it is in that
    state, as far as the viewer may know; None where it is not the one to say."""
    explainers.append(function)
    return function


RollCheck = Callable[["State", str, "Call", "Context"], None]
Giver = Callable[["State", "Pack", str, "Call"], Mapping[str, Any]]
AfterTest = Callable[["State", "Call", "TestResolved", "Context"], list[Draft]]
ContainerCloser = Callable[["State", "ContainerClosed"], list[Draft]]
roll_checks: list[RollCheck] = []
givers: list[Giver] = []
after_tests: list[AfterTest] = []
container_closers: list[ContainerCloser] = []


def checks_rolls(function: RollCheck) -> RollCheck:
    """Decorator: ``function(state, call id, call, context)`` refuses a roll that some rule of its app forbids yet."""
    roll_checks.append(function)
    return function


def gives(function: Giver) -> Giver:
    """Decorator: ``function(state, pack, call id, call)`` gives inputs of a test that nobody types."""
    givers.append(function)
    return function


def after_test(function: AfterTest) -> AfterTest:
    """Decorator: ``function(state, call, resolved, context)`` gives the drafts that follow a test's outcome."""
    after_tests.append(function)
    return function


def closes_container(function: ContainerCloser) -> ContainerCloser:
    """Decorator: ``function(state, closed)`` gives the drafts of what ends with a container."""
    container_closers.append(function)
    return function


@dataclass(frozen=True)
class Telling:
    """That members are to be told of an event: what kind of news it is, whom it concerns (ids of members; nobody: only
    webhooks are told), and the page it leads to, by name and arguments behind the campaign's id. ``hook``: this webhook
    alone is told, whatever kinds of news it hears."""

    kind: str
    members: tuple[str, ...] = ()
    page: tuple[str, ...] = ("campaign",)
    hook: str = ""


Teller = Callable[["State", Recorded], Iterable[Telling]]
notice_kinds: dict[str, str] = {}
tellers: dict[type[Event], list[Teller]] = {}


def notice_kind(name: str, title: str) -> str:
    """Declares a kind of news that members choose how to be told of; returns its name."""
    notice_kinds.setdefault(name, title)
    return name


told_along: set[type[Event]] = set()


def tells(*bodies: type[Event], along: bool = False) -> Callable[[Teller], Teller]:
    """Decorator: ``function(state, recorded event)`` says whom to tell of these events. What is told is the event's own
    sentence as each reader may see it; who may not see the event is not told. ``along``: where such an event has a
    cause, that is the close of a period, and it is told along with it."""

    def declare(function: Teller) -> Teller:
        for body in bodies:
            tellers.setdefault(body, []).append(function)
            if along:
                told_along.add(body)
        return function

    return declare


@dataclass(frozen=True)
class Award:
    """Something that is given to subjects together.

    ``id`` is its name within the campaign, ``grant`` what the pack ``pack`` knows it by in its section `advancement`.
    ``cause`` is the position of what it is given for; what comes of it carries that as its cause, and what people make
    of it later the position of what offered it, so that all falls when a GM takes back what it was given for.
    """

    id: str
    pack: str
    grant: str
    subjects: tuple[str, ...]
    reason: str
    cause: int


Granter = Callable[["State", Award, "Context"], tuple[list[Draft], dict[str, str]]]
granters: list[Granter] = []


def grants(function: Granter) -> Granter:
    """Decorator: ``function(state, award, context)`` gives the drafts of an award, and by subject why it gets nothing
    (a highest level, a limit), as a sentence."""
    granters.append(function)
    return function


@dataclass(frozen=True)
class Choice:
    """Something that was given and waits for its subject's player to choose; ``title`` says what is to be chosen.
    ``pack`` and ``lapses`` say, where it would be gone with the next level, by whose rules and what they call that."""

    id: str
    subject: str
    title: str
    since: datetime
    pack: str = ""
    lapses: str = ""


waiting: list[Callable[[State], Iterable[Choice]]] = []


def waits_for_choice(
    *bodies: type[Event],
) -> Callable[[Callable[[State], Iterable[Choice]]], Callable[[State], Iterable[Choice]]]:
    """Decorator: ``function(state)`` gives the choices still to be made. ``bodies`` are the events that may change the
    answer."""

    def declare(function: Callable[[State], Iterable[Choice]]) -> Callable[[State], Iterable[Choice]]:
        waiting.append(function)
        dues_change.extend(bodies)
        return function

    return declare


def choices_of(state: State) -> list[Choice]:
    """The choices still to be made, of all subjects, the longest waiting first."""
    return sorted((c for function in waiting for c in function(state)), key=lambda c: (c.since, c.subject, c.id))


holding: list[Callable[[State], bool]] = []


def holds_awards(*bodies: type[Event]) -> Callable[[Callable[[State], bool]], Callable[[State], bool]]:
    """Decorator: while ``function(state)`` holds (a fight runs), what is due to the whole party waits. ``bodies`` are
    the events that may change the answer."""

    def declare(function: Callable[[State], bool]) -> Callable[[State], bool]:
        holding.append(function)
        dues_change.extend(bodies)
        return function

    return declare
