"""Opening, pausing and closing sessions, scenes and what packs put inside them."""

from __future__ import annotations

from dataclasses import replace

from campaigns.commands.seeds import renewal
from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.events import ALL, GM_ONLY, Draft
from campaigns.instants import Moment, brought
from campaigns.parts import containers as c
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.registry import Command, container_closers, container_kinds, decides
from campaigns.state import State
from rules.refusal import Refused
from rules.sheets import end_of, start_of


class OpenContainer(Command):
    """Opens one. ``parent`` is an open container that holds it; without one, a scene lies in the running session."""

    kind: str
    title: str
    parent: str = ""
    participants: tuple[str, ...] = ()
    leaders: tuple[str, ...] = ()
    ties: dict[str, tuple[str, ...]] = {}
    hidden: bool = False


class CorrectContainer(Command):
    """Puts right who takes part and what it is tied to, until the first die in it has fallen."""

    container: str
    title: str
    participants: tuple[str, ...] = ()
    leaders: tuple[str, ...] = ()
    ties: dict[str, tuple[str, ...]] = {}


class PauseContainer(Command):
    """The container waits (a scene that the next session takes up)."""

    container: str


class ResumeContainer(Command):
    """A paused container goes on."""

    container: str


class CloseContainer(Command):
    """The container is over, and all open ones within it."""

    container: str


def known_container(state: State, container: str, context: Context, field: str = "container") -> c.Container:
    """The open container, if it exists for the sender."""
    found = state.part(c.Containers).open.get(container)
    if found is None or (found.hidden and not context.is_gm):
        raise Refused("not_open", "Nothing open has this id.", field=field, value=container)
    return found


def _kind(state: State, kind: str) -> dict[str, str]:
    """The names of the ties of a kind of container; refused for an unknown kind."""
    kinds = container_kinds(state)
    if kind not in kinds:
        raise Refused(
            "unknown_kind", "There is no such kind.", field="kind", value=kind, right="one of " + ", ".join(kinds)
        )
    return kinds[kind]


def _people(state: State, field: str, ids: tuple[str, ...], *, hidden: bool) -> tuple[str, ...]:
    """Those who take part. In what all may see nobody does who is hidden."""
    members, subjects = state.part(Table).members, state.part(Subjects).by_id
    for some_id in ids:
        if some_id not in members and some_id not in subjects:
            raise Refused("no_such_subject", "There is no such subject or member.", field=field, value=some_id)
        if some_id in subjects and subjects[some_id].away:
            message = f"{subjects[some_id].name} was put away."
            raise Refused("put_away", message, field=field, value=some_id, right="bring it back first")
        if some_id in subjects and subjects[some_id].hidden and not hidden:
            message = f"{subjects[some_id].name} is hidden, and all would see them here."
            raise Refused("still_hidden", message, field=field, value=some_id, right="reveal them first")
    return tuple(dict.fromkeys(ids))


def _ties(state: State, kind: str, ties: dict[str, tuple[str, ...]], *, hidden: bool) -> dict[str, tuple[str, ...]]:
    allowed = _kind(state, kind)
    for name in ties:
        if name not in allowed:
            right = "one of " + ", ".join(allowed) if allowed else f"none: a {kind} has no ties"
            raise Refused("unknown_tie", "There is no such tie.", field="ties", value=name, right=right)
    return {name: _people(state, f"ties.{name}", subjects, hidden=hidden) for name, subjects in ties.items()}


@decides(OpenContainer, "container.open", roles=["gm"], title="Opening a session or scene")
def open_container(state: State, command: OpenContainer, context: Context) -> list[Draft]:
    """One session at a time, and one scene that is not paused."""
    containers = state.part(c.Containers)
    ties = _ties(state, command.kind, command.ties, hidden=command.hidden)
    if command.kind == c.SESSION and (running := containers.running(c.SESSION)):
        title = containers.open[running].title
        raise Refused(
            "already_open", f"{title} is still open.", field="kind", value=command.kind, right="close it first"
        )
    parent = command.parent
    if parent:
        if known_container(state, parent, context, "parent").hidden and not command.hidden:
            message = "What lies in something hidden is hidden too."
            raise Refused("still_hidden", message, field="hidden", value=False, right="true, or another parent")
    elif command.kind == c.SCENE:
        session = containers.running(c.SESSION)
        parent = session if session and (command.hidden or not containers.open[session].hidden) else ""
    event = c.ContainerOpened(
        container=context.new_id(),
        kind=command.kind,
        title=cleaned("title", command.title),
        # What is hidden is not counted, or the number of the next open one would betray it.
        number=0 if command.hidden else containers.counts.get(command.kind, 0) + 1,
        parent=parent,
        participants=_people(state, "participants", command.participants, hidden=command.hidden),
        leaders=_people(state, "leaders", command.leaders, hidden=command.hidden),
        ties=ties,
        hidden=command.hidden,
    )
    begins = Moment(
        at=start_of(command.kind), words="" if event.hidden else f"{event.title} begins", reached=_within(state, event)
    )
    return [Draft(event, audience=GM_ONLY if command.hidden else ALL), *brought(state, [begins], context)[0]]


def ends_with(state: State, container: str) -> Moment:
    """The instant of the rules that the end of an open container is.

    It comes to everybody but those who are in another open one of its kind and not in this; the end of a hidden one to
    those in it and to who is hidden like it, or the table would see it."""
    found = state.part(c.Containers).open[container]
    words = "" if found.hidden else f"{found.title} ends"
    return Moment(at=end_of(found.kind), words=words, reached=_within(state, found, container))


def _within(state: State, one: c.Container | c.ContainerOpened, container: str = "") -> frozenset[str]:
    """The subjects whom the beginning or end of a container reaches."""
    subjects = state.part(Subjects).by_id
    inside = _taking_part(state, one)
    if one.hidden:
        return inside | {name for name, known in subjects.items() if known.hidden}
    others = [o for i, o in state.part(c.Containers).open.items() if i != container and o.kind == one.kind]
    elsewhere = frozenset[str]().union(*(_taking_part(state, other) for other in others))
    return frozenset(subjects) - (elsewhere - inside)


def _taking_part(state: State, one: c.Container | c.ContainerOpened) -> frozenset[str]:
    """The subjects who take part in a container: named themselves, or through a member who plays them."""
    subjects = state.part(Subjects).by_id
    named = {*one.participants, *one.leaders}
    return frozenset(name for name, known in subjects.items() if name in named or named.intersection(known.players))


def _audience(container: c.Container) -> str:
    return GM_ONLY if container.hidden else ALL


@decides(CorrectContainer, "container.correct", roles=["gm"], title="Putting a scene right")
def correct(state: State, command: CorrectContainer, context: Context) -> list[Draft]:
    """Not after the first die: who was in when it fell has been settled (SPI-028)."""
    found = known_container(state, command.container, context)
    if found.rolled:
        raise Refused("already_rolled", "The first die in it has fallen.", field="container", right="open a new one")
    event = c.ContainerCorrected(
        container=command.container,
        title=cleaned("title", command.title),
        participants=_people(state, "participants", command.participants, hidden=found.hidden),
        leaders=_people(state, "leaders", command.leaders, hidden=found.hidden),
        ties=_ties(state, found.kind, command.ties, hidden=found.hidden),
    )
    return [Draft(event, audience=GM_ONLY if found.hidden else "table")]


def _rests(state: State, container: str, what: str, said: str, context: Context) -> list[Draft]:
    """What comes of a scene's pause, or of its going on, for those whom its end would reach."""
    moment = ends_with(state, container)
    if moment.at != end_of(c.SCENE):
        return []
    found = state.part(c.Containers).open[container]
    words = "" if found.hidden else f"{found.title} {said}"
    return brought(state, [replace(moment, at=f"{c.SCENE}_{what}", words=words)], context)[0]


@decides(PauseContainer, "container.pause", roles=["gm"], title="Pausing a scene")
def pause(state: State, command: PauseContainer, context: Context) -> list[Draft]:
    """Pausing twice does nothing."""
    found = known_container(state, command.container, context)
    if found.paused:
        return []
    event = c.ContainerPaused(container=command.container, title=found.title)
    return [Draft(event, audience=_audience(found)), *_rests(state, command.container, "pause", "is paused", context)]


@decides(ResumeContainer, "container.resume", roles=["gm"], title="Resuming a scene")
def resume(state: State, command: ResumeContainer, context: Context) -> list[Draft]:
    """Going on twice does nothing."""
    found = known_container(state, command.container, context)
    if not found.paused:
        return []
    event = c.ContainerResumed(container=command.container, title=found.title)
    return [Draft(event, audience=_audience(found)), *_rests(state, command.container, "resume", "goes on", context)]


@decides(CloseContainer, "container.close", roles=["gm"], title="Closing a session or scene")
def close(state: State, command: CloseContainer, context: Context) -> list[Draft]:
    """Closes what lies within first; a paused scene outlives the session that it began in (TRT-123)."""
    containers = state.part(c.Containers)
    target = known_container(state, command.container, context)
    over = closes_with(state, command.container)
    drafts: list[list[Draft]] = []
    for inner in over:
        found = containers.open[inner]
        event = c.ContainerClosed(container=inner, kind=found.kind, title=found.title)
        lapsing = [draft for close_in in container_closers for draft in close_in(state, event)]
        drafts.append([*lapsing, Draft(event, audience=_audience(found))])
    recorded = [draft for some in drafts for draft in some]
    came = brought(state, [ends_with(state, inner) for inner in over], context, before=recorded)
    ended = [draft for closed, follows in zip(drafts, came, strict=True) for draft in (*closed, *follows)]
    # A session's dice are open to checking once it is over.
    return ended + (renewal(state, context) if target.kind == c.SESSION else [])


def closes_with(state: State, container: str) -> list[str]:
    """The open containers that close when one does, innermost first, itself last."""
    containers = state.part(c.Containers)
    a_session = containers.open[container].kind == c.SESSION

    def outlives(inner: str) -> bool:
        return a_session and any(containers.open[one].paused for one in containers.lineage(inner))

    return [inner for inner in containers.inside(container) if inner == container or not outlives(inner)]
