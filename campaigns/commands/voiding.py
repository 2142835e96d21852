"""Taking an action back with all that it caused, and letting it stand again."""

from __future__ import annotations

from campaigns import registry
from campaigns.actions import Action
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import (
    ALL,
    GM_ONLY,
    HOLDER,
    HOLDERS,
    PLAYER,
    TABLE,
    WATCHER,
    Draft,
    Recorded,
    never_alone,
    type_named,
)
from campaigns.feed import cursor_of
from campaigns.parts.growth import Grown, Growths
from campaigns.parts.subjects import SubjectCreated, Subjects
from campaigns.parts.voids import EventsVoided, VoidLifted, Voids
from campaigns.registry import Command, decides
from campaigns.state import State
from rules.refusal import Refused

Reach = tuple[str, tuple[str, ...]]


class VoidAction(Command):
    """Takes back the action that the entry (a cursor of the feed) belongs to, and everything it led to."""

    entry: str
    reason: str


class RestoreAction(Command):
    """Lets what a void (``entry``: its cursor) took back stand again."""

    entry: str
    reason: str = ""


def reach_of(event: Recorded) -> Reach:
    """Who can see an event at all, as (audience, holders): what is said of it later may reach them and nobody else."""
    shows = type_named(event.type).shows
    if not {HOLDER, PLAYER, WATCHER} & shows.keys():
        return GM_ONLY, ()
    if PLAYER not in shows and HOLDER in shows and event.audience in (ALL, TABLE):
        return HOLDERS, event.holders
    if event.audience == ALL:
        return (ALL if WATCHER in shows else TABLE), ()
    return event.audience, event.holders if event.audience == HOLDERS else ()


def voidable(state: State, action: Action) -> list[Recorded]:
    """The events that taking the action back would void; refused, with the reason, where it has to stay."""
    voided, found = state.part(Voids).by, []
    own = {event.position for event in action.events}
    for event in action.events:
        kind = type_named(event.type)
        if event.cause not in own and (reason := never_alone(event.type)):
            raise Refused("has_to_stay", reason, field="entry", value=event.type)
        if kind.stays and not kind.rides:
            raise Refused("has_to_stay", kind.stays, field="entry", value=event.type)
        if not kind.stays and event.position not in voided:
            _require_free(state, event)
            found.append(event)
    require_newest(state, found)
    if not found:
        stays = type_named(action.named.type).stays
        raise Refused(
            "has_to_stay" if stays else "voided_already", stays or "This has been taken back already.", field="entry"
        )
    return found


def _require_free(state: State, event: Recorded) -> None:
    """Refuses to take back that somebody is there who is in the middle of something, which could not go on without."""
    body = event.event
    if not isinstance(body, SubjectCreated) or body.subject not in state.part(Subjects).by_id:
        return
    refused = ("entry", event.type, "end that, or take them out of it first")
    registry.require_not_busy(state, body.subject, _name(state, body.subject), refused, gm=True)


def require_newest(state: State, events: list[Recorded]) -> None:
    """Refuses a growth on which a newer one stands: each holds all of it, so the newer would bring it back."""
    own = {event.position for event in events}
    for event in events:
        body = event.event
        if not isinstance(body, Grown):
            continue
        last = state.part(Growths).last.get(body.subject, {}).get(body.pack, 0)
        if last > event.position and last not in own:
            message = f"Something newer in {_name(state, body.subject)}'s growth stands on this."
            raise Refused("newer_stands", message, field="entry", right="take the newer back first")


def _name(state: State, subject: str) -> str:
    known = state.part(Subjects).by_id.get(subject)
    return known.name if known is not None else "somebody"


def by_reach(events: list[Recorded]) -> dict[Reach, list[int]]:
    """Positions by who can see them, so that nobody learns of a hidden event by its being taken back."""
    groups: dict[Reach, list[int]] = {}
    for event in events:
        groups.setdefault(reach_of(event), []).append(event.position)
    return groups


@decides(VoidAction, "events.void", roles=["gm"], title="Taking something back")
def void(state: State, command: VoidAction, context: Context) -> list[Draft]:
    """The events stay in the stream, struck through; one event for each audience says so."""
    reason = cleaned("reason", command.reason, SENTENCE)
    action = context.action_of(command.entry)
    return [
        Draft(
            EventsVoided(positions=tuple(positions), reason=reason),
            audience=audience,
            holders=holders,
            cause=action.named.position,
        )
        for (audience, holders), positions in by_reach(voidable(state, action)).items()
    ]


def lifted_by(state: State, action: Action) -> list[Recorded]:
    """The voids that the entry's command made and that still hold; refused where there are none to lift."""
    own = [event for event in action.events if event.command_id == action.named.command_id]
    if not isinstance(action.named.event, EventsVoided):
        raise Refused("no_void", "This entry takes nothing back.", field="entry", right="the entry that took it back")
    if any(not isinstance(event.event, EventsVoided) for event in own):
        raise Refused("part_of_more", "This was taken back along with something else.", field="entry")
    by = state.part(Voids).by
    held = [
        event
        for event in own
        if isinstance(event.event, EventsVoided) and any(by.get(p) == event.position for p in event.event.positions)
    ]
    if not held:
        raise Refused("stands_already", "This stands again already.", field="entry")
    return held


def _taken_by(void: Recorded, context: Context) -> list[Recorded]:
    """The events that a void took back, of the action that it was told of."""
    assert isinstance(void.event, EventsVoided)
    if void.cause is None:
        return []
    action = context.action_of(cursor_of(context.campaign_id, void.cause))
    return [event for event in action.events if event.position in void.event.positions]


@decides(RestoreAction, "events.restore", roles=["gm"], title="Letting something stand again")
def restore(state: State, command: RestoreAction, context: Context) -> list[Draft]:
    """Lifts the void for every audience it was told to."""
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    by, drafts = state.part(Voids).by, []
    voids = lifted_by(state, context.action_of(command.entry))
    require_newest(state, [old for void in voids for old in _taken_by(void, context)])
    for event in voids:
        assert isinstance(event.event, EventsVoided)
        positions = tuple(p for p in event.event.positions if by.get(p) == event.position)
        lifted = VoidLifted(positions=positions, reason=reason)
        drafts.append(Draft(lifted, audience=event.audience, holders=event.holders, cause=event.position))
    return drafts
