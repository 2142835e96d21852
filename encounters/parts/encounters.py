"""Encounters: fights that are prepared or running, and the events of what happens in them.

The fight itself is the kernel's (:mod:`rules.fight`): each of its steps lies whole in an event, and the part folds it
by the kernel's own evolver. What a step changes on sheets is told by the sheets' own events, side by side with it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Data, Event, Names, event_type, in_story
from rules.fight import Fight, events, evolve

Values = dict[str, Any]
Foes = Literal["hidden", "words", "numbers"]
Step = (
    events.Joined
    | events.Shown
    | events.Left
    | events.Ordered
    | events.Ranked
    | events.Waited
    | events.Done
    | events.Cancelled
    | events.Paused
    | events.Adjusted
)


class Laid(msgspec.Struct, frozen=True):
    """A picture under the grid: ``across`` squares wide, its upper left corner at a square (0, 0 is the first; it may
    lie outside the grid)."""

    picture: str
    across: int
    left: int
    top: int


class Encounter(msgspec.Struct):
    """An encounter that is not over. ``seconds`` is how long a moment waits for answers (0: as long as it takes),
    ``deadline`` when the one that waits now is closed; ``foes`` how much of foes' tracks players are shown; ``width``
    and ``height`` are of the grid in squares (0: none); ``asked_at`` is the position of the last question, ``said`` how
    many sentences of what waits have been told, ``typed`` faces laid out for dice that fall only after it."""

    pack: str
    title: str
    foes: Foes
    seconds: int
    width: int
    height: int
    public: bool
    fight: Fight
    begun: bool = False
    deadline: datetime | None = None
    asked_at: int = 0
    said: int = 0
    typed: tuple[int, ...] = ()
    map: Laid | None = None


class Encounters(msgspec.Struct):
    """Part of the state: encounters that are prepared, running or paused, by id."""

    open: dict[str, Encounter] = {}


part = registry.part("encounters", Encounters)


@event_type(
    "encounter.prepared",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"Encounter prepared: {d['title']}.",
)
class EncounterPrepared(Event):
    """A GM prepares an encounter; nobody else knows of it before it begins."""

    encounter: str
    pack: str
    title: str
    foes: Foes = "hidden"
    seconds: int = 0
    width: int = 0
    height: int = 0
    public: bool = True


@event_type(
    "encounter.set",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"Encounter changed: {d['title']}.",
)
class EncounterSet(Event):
    """How an encounter is shown and timed, anew."""

    encounter: str
    title: str
    foes: Foes
    seconds: int
    width: int
    height: int


@event_type(
    "encounter.map_laid",
    shows={GM: EVERY_FIELD, PLAYER: ("encounter", "title"), WATCHER: ("encounter", "title")},
    says=lambda d, names: f"The ground of {d['title']} looks different.",
)
class EncounterMapLaid(Event):
    """A picture lies under the grid of an encounter, in place of the one before; none where ``picture`` is empty. Who
    sees it is the picture's to say."""

    encounter: str
    title: str
    picture: str
    across: int = 0
    left: int = 0
    top: int = 0


_BEGUN = ("encounter", "title")


@in_story
@event_type(
    "encounter.begun",
    shows={GM: EVERY_FIELD, PLAYER: _BEGUN, WATCHER: _BEGUN},
    says=lambda d, names: f"{d['title']} begins.",
    reveals=True,
)
class EncounterBegun(Event):
    """An encounter begins: the table follows it from now on."""

    encounter: str
    title: str


@event_type(
    "encounter.dropped",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} came to nothing.",
)
class EncounterDropped(Event):
    """What was prepared never begins."""

    encounter: str
    title: str


@in_story
@event_type(
    "encounter.ended",
    shows={GM: EVERY_FIELD, PLAYER: _BEGUN, WATCHER: _BEGUN},
    says=lambda d, names: f"{d['title']} is over.",
)
class EncounterEnded(Event):
    """An encounter is over."""

    encounter: str
    title: str


_SHOWN = (
    "encounter",
    "words",
    "told",
    "user",
    "outcome",
    "outcome_title",
    "success",
    "dice",
    "facts",
    "account",
    "lines",
    "quiet",
)


_WATCHED = ("encounter", "words", "told", "user", "outcome_title", "success", "dice", "quiet")


def _step_said(d: Data, _names: Names) -> str:
    return " ".join([str(d["words"]), *(d.get("told_gm") or d.get("told") or ())])


@event_type(
    "encounter.moved",
    shows={GM: EVERY_FIELD, PLAYER: _SHOWN, WATCHER: _WATCHED},
    says=_step_said,
)
class EncounterMoved(Event):
    """One step of a fight. ``step`` is the kernel's event, without what it does to sheets; ``words`` says it for those
    who may see the event and ``told`` what the rules say of it, ``account``, ``lines`` (step by step) and ``dice``
    how it came about, as far as everybody may know. ``said`` counts the sentences that have been told of what waits.
    ``quiet``: it is one turn after another, which the fight's own log tells and no ledger."""

    encounter: str
    step: Step
    words: str
    user: str = ""
    outcome: str = ""
    outcome_title: str = ""
    success: bool | None = None
    dice: Values = {}
    dice_gm: Values = {}
    facts: Values = {}
    facts_gm: Values = {}
    lines: tuple[str, ...] = ()
    lines_gm: tuple[str, ...] = ()
    account: tuple[str, ...] = ()
    account_gm: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    told_gm: tuple[str, ...] = ()
    said: int = 0
    deadline: datetime | None = None
    quiet: bool = False
    typed: tuple[int, ...] = ()
    """faces typed for dice that fall only after what is waited for"""


@part.evolves(EncounterPrepared)
def _prepared(encounters: Encounters, event: EncounterPrepared, _position: int) -> None:
    encounters.open[event.encounter] = Encounter(
        pack=event.pack,
        title=event.title,
        foes=event.foes,
        seconds=event.seconds,
        width=event.width,
        height=event.height,
        public=event.public,
        fight=Fight(),
    )


@part.evolves(EncounterSet)
def _set(encounters: Encounters, event: EncounterSet, _position: int) -> None:
    found = encounters.open.get(event.encounter)
    if found is None:  # its preparation was taken back since
        return
    found.title, found.foes, found.seconds = event.title, event.foes, event.seconds
    found.width, found.height = event.width, event.height


@part.evolves(EncounterMapLaid)
def _map_laid(encounters: Encounters, event: EncounterMapLaid, _position: int) -> None:
    found = encounters.open.get(event.encounter)
    if found is not None:
        found.map = Laid(event.picture, event.across, event.left, event.top) if event.picture else None


@part.evolves(EncounterBegun)
def _begun(encounters: Encounters, event: EncounterBegun, _position: int) -> None:
    if event.encounter in encounters.open:
        encounters.open[event.encounter].begun = True


@part.evolves(EncounterDropped, EncounterEnded)
def _over(encounters: Encounters, event: EncounterDropped | EncounterEnded, _position: int) -> None:
    encounters.open.pop(event.encounter, None)


@part.evolves(EncounterMoved)
def _moved(encounters: Encounters, event: EncounterMoved, position: int) -> None:
    found = encounters.open.get(event.encounter)
    if found is None:
        return
    evolve(event.step, found.fight)
    if isinstance(event.step, events.Waited):
        found.deadline, found.said, found.asked_at, found.typed = event.deadline, event.said, position, event.typed
    elif found.fight.waiting is None:
        found.deadline, found.said, found.typed = None, 0, ()
    elif isinstance(event.step, events.Paused):
        found.deadline = event.deadline
