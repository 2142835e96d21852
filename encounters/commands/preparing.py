"""Preparing an encounter: making it, setting how it is shown, who takes part, beginning and ending it."""

from __future__ import annotations

from typing import Any

from campaigns.commands.subjects import known
from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.events import ALL, GM_ONLY, TABLE, Draft
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command, decides, holds_awards, takes_part
from campaigns.state import State
from encounters.commands.common import carried_out, in_it, known_encounter, pack_of
from encounters.parts.encounters import (
    Encounter,
    EncounterBegun,
    EncounterDropped,
    EncounterEnded,
    EncounterPrepared,
    Encounters,
    EncounterSet,
    Foes,
)
from rules.board import Cell
from rules.fight import commands as fight
from rules.refusal import Refused

MOST_OPEN, MOST_IN_IT = 20, 60
LONGEST_WAIT, WIDEST = 3600, 200


class PrepareEncounter(Command):
    """Prepares one, seen by GMs alone until it begins. ``width`` and ``height`` are of its grid in squares; 0 plays it
    without one. ``seconds`` is how long a moment waits for answers before the rest pass; 0: as long as it takes."""

    title: str
    pack: str
    foes: Foes = "hidden"
    seconds: int = 0
    width: int = 0
    height: int = 0
    public: bool = True
    """watchers follow it too"""


class SetEncounter(Command):
    """Changes how an encounter is called, shown and timed."""

    encounter: str
    title: str
    foes: Foes = "hidden"
    seconds: int = 0
    width: int = 0
    height: int = 0


class JoinEncounter(Command):
    """Somebody takes part, on a side. Once it runs, with an ``initiative``, from the next round on."""

    encounter: str
    subject: str
    side: str
    hidden: bool = False
    x: int | None = None
    y: int | None = None
    initiative: int | None = None


class ShowInEncounter(Command):
    """Hides somebody from the players, or lets them be seen."""

    encounter: str
    subject: str
    hidden: bool


class LeaveEncounter(Command):
    """Somebody takes no more part."""

    encounter: str
    subject: str


class BeginEncounter(Command):
    """Begins it: initiatives as given here, else by the pack's rules (with what they are ``given``, by subject)."""

    encounter: str
    initiative: dict[str, int] = {}
    given: dict[str, dict[str, Any]] = {}


class DropEncounter(Command):
    """What was prepared never begins."""

    encounter: str


class PauseEncounter(Command):
    """Holds it, or lets it go on."""

    encounter: str
    paused: bool


class EndEncounter(Command):
    """It is over, and with it everything that lasts until then."""

    encounter: str


def _checked(command: PrepareEncounter | SetEncounter) -> None:
    for field, value, most in (
        ("seconds", command.seconds, LONGEST_WAIT),
        ("width", command.width, WIDEST),
        ("height", command.height, WIDEST),
    ):
        if not 0 <= value <= most:
            raise Refused("out_of_range", "This is out of range.", field=field, value=value, right=f"0 to {most}")
    if bool(command.width) != bool(command.height):
        right = "both, or neither for no grid"
        raise Refused(
            "half_a_grid", "A grid has a width and a height.", field="height", value=command.height, right=right
        )


@decides(PrepareEncounter, "encounter.prepare", roles=["gm"], title="Preparing an encounter")
def prepare(state: State, command: PrepareEncounter, context: Context) -> list[Draft]:
    """Only packs that say what a fight is can be fought by."""
    if len(state.part(Encounters).open) >= MOST_OPEN:
        raise Refused("too_many", "Too many encounters are open.", field="title", right="end or drop some first")
    pack = context.packs.get(command.pack)
    if not pack.knows_fights:
        right = " or ".join(p.id for p in context.packs.all() if p.knows_fights) or "a pack that knows fights"
        raise Refused("no_fights", f"{pack.manifest.title} knows no fights.", field="pack", value=pack.id, right=right)
    _checked(command)
    event = EncounterPrepared(
        encounter=context.new_id(),
        pack=pack.id,
        title=cleaned("title", command.title),
        foes=command.foes,
        seconds=command.seconds,
        width=command.width,
        height=command.height,
        public=command.public,
    )
    return [Draft(event, audience=GM_ONLY)]


@decides(SetEncounter, "encounter.set", roles=["gm"], title="Changing an encounter")
def change(state: State, command: SetEncounter, context: Context) -> list[Draft]:
    """Refused where nothing would change."""
    found = known_encounter(state, command.encounter, context)
    _checked(command)
    event = EncounterSet(
        encounter=command.encounter,
        title=cleaned("title", command.title),
        foes=command.foes,
        seconds=command.seconds,
        width=command.width,
        height=command.height,
    )
    before = (found.title, found.foes, found.seconds, found.width, found.height)
    if before == (event.title, event.foes, event.seconds, event.width, event.height):
        raise Refused("as_it_is", "Nothing would change.", field="encounter", value=command.encounter)
    return [Draft(event, audience=GM_ONLY)]


@decides(JoinEncounter, "encounter.join", roles=["gm"], title="Bringing somebody into an encounter")
def join(state: State, command: JoinEncounter, context: Context) -> list[Draft]:
    """A subject that is hidden from the campaign is hidden in the encounter."""
    found = known_encounter(state, command.encounter, context)
    subject = known(state, command.subject, context)
    if subject.kind not in pack_of(found, context).encounter.kinds:
        right = " or ".join(pack_of(found, context).encounter.kinds)
        raise Refused("wrong_kind", f"A {subject.kind} cannot take part.", field="subject", right=right)
    if len(found.fight.members) >= MOST_IN_IT:
        raise Refused("too_many", "Too many take part.", field="subject", right=f"at most {MOST_IN_IT}")
    asked = fight.Join(
        subject=command.subject,
        side=cleaned("side", command.side, 40),
        hidden=command.hidden or subject.hidden,
        place=_cell(command.x, command.y),
        initiative=command.initiative,
    )
    return carried_out(
        state, command.encounter, asked, context, more=[command.subject], hidden=asked.hidden, secret=asked.hidden
    )


def _cell(x: int | None, y: int | None) -> Cell | None:
    if (x is None) != (y is None):
        raise Refused("half_a_place", "A place has both numbers.", field="y", right="x and y, or neither")
    if x is None or y is None:
        return None
    for field, value in (("x", x), ("y", y)):
        if not 0 <= value < WIDEST:
            raise Refused("out_of_range", "No such square.", field=field, value=value, right=f"0 to {WIDEST - 1}")
    return (x, y)


@decides(ShowInEncounter, "encounter.show", roles=["gm"], title="Hiding or revealing somebody")
def show(state: State, command: ShowInEncounter, context: Context) -> list[Draft]:
    """Who is hidden from the whole campaign must be revealed there first."""
    found = known_encounter(state, command.encounter, context)
    in_it(state, found, command.subject, context)
    if not command.hidden and known(state, command.subject, context).hidden:
        message = "They are hidden from the whole campaign."
        raise Refused("hidden_everywhere", message, field="subject", right="reveal the subject first")
    asked = fight.Show(subject=command.subject, hidden=command.hidden)
    drafts = carried_out(state, command.encounter, asked, context, hidden=True)
    audience = (ALL if found.public else TABLE) if found.begun and not command.hidden else GM_ONLY
    return [Draft(d.event, audience=audience, holders=d.holders) for d in drafts]


@decides(LeaveEncounter, "encounter.leave", roles=["gm"], title="Taking somebody out of an encounter")
def leave(state: State, command: LeaveEncounter, context: Context) -> list[Draft]:
    """What was to last until their turn still ends on time."""
    found = known_encounter(state, command.encounter, context)
    in_it(state, found, command.subject, context)
    return carried_out(state, command.encounter, fight.Leave(subject=command.subject), context)


@decides(BeginEncounter, "encounter.begin", roles=["gm"], title="Beginning an encounter")
def begin(state: State, command: BeginEncounter, context: Context) -> list[Draft]:
    """From here on the table follows."""
    found = known_encounter(state, command.encounter, context)
    if found.begun:
        raise Refused("has_begun", "It has begun.", field="encounter", value=command.encounter)
    if not found.fight.members:
        raise Refused(
            "nobody_there", "A fight needs somebody in it.", field="encounter", right="bring somebody in first"
        )
    for name in (*command.initiative, *command.given):
        in_it(state, found, name, context, "initiative")
    for name in found.fight.members:
        if name in state.part(Subjects).by_id:
            known(state, name, context, "encounter")
    _require_wanted(found, command, context)
    audience = ALL if found.public else TABLE
    begun = Draft(EncounterBegun(encounter=command.encounter, title=found.title), audience=audience)
    asked = fight.Begin(initiative=command.initiative, given=command.given)
    return [begun, *carried_out(state, command.encounter, asked, context, begins=True)]


def _require_wanted(found: Encounter, command: BeginEncounter, context: Context) -> None:
    """Refuses what would be given to no roll: it would do nothing, in silence."""
    rolls = pack_of(found, context).encounter.initiative is not None
    for name, given in command.given.items():
        if given and (name in command.initiative or not rolls):
            right = "leave it out, or say no initiative for them" if rolls else "leave it out"
            message = "No initiative is rolled for them."
            raise Refused("not_rolled", message, field=f"given.{name}", value=given, right=right)


@decides(DropEncounter, "encounter.drop", roles=["gm"], title="Dropping a prepared encounter")
def drop(state: State, command: DropEncounter, context: Context) -> list[Draft]:
    """One that has begun is ended, not dropped."""
    found = known_encounter(state, command.encounter, context)
    if found.begun:
        raise Refused("has_begun", "It has begun.", field="encounter", value=command.encounter, right="end it")
    return [Draft(EncounterDropped(encounter=command.encounter, title=found.title), audience=GM_ONLY)]


@decides(PauseEncounter, "encounter.pause", roles=["gm"], title="Pausing an encounter")
def pause(state: State, command: PauseEncounter, context: Context) -> list[Draft]:
    """While it is paused nothing is done in it but by the GM's hand."""
    known_encounter(state, command.encounter, context)
    return carried_out(state, command.encounter, fight.Pause(paused=command.paused), context)


@decides(EndEncounter, "encounter.end", roles=["gm"], title="Ending an encounter")
def end(state: State, command: EndEncounter, context: Context) -> list[Draft]:
    """What lasts until its end, ends."""
    found = known_encounter(state, command.encounter, context)
    if found.begun and found.fight.order is None:  # all who took part were taken back
        audience = ALL if found.public else TABLE
        return [Draft(EncounterEnded(encounter=command.encounter, title=found.title), audience=audience)]
    return carried_out(state, command.encounter, fight.End(), context)


@takes_part
def in_a_fight(state: State, subject: str) -> bool:
    """Whether somebody is there in a fight that has begun."""
    fights = (found.fight for found in state.part(Encounters).open.values() if found.begun)
    return any(subject in one.members and one.members[subject].present for one in fights)


@holds_awards(EncounterBegun, EncounterEnded)
def fight_runs(state: State) -> bool:
    """Nobody grows in the middle of a fight: what the party earned is given when the last one is over."""
    return any(found.begun for found in state.part(Encounters).open.values())
