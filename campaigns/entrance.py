"""The one entrance: every change of every campaign, from page, API, admin, job or command line, goes through here.

Steps, in this order: lock the stream, take its state, authorise, decide, append, project, commit, announce. What a few
commands need that is slow and needs no lock is made ready before.
"""

from __future__ import annotations

import hashlib
import random
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db import IntegrityError, OperationalError, connection, models, transaction

from campaigns import registry
from campaigns.actions import action_at, standing
from campaigns.announce import announce
from campaigns.audience import kept_hidden
from campaigns.context import Actor, Context
from campaigns.events import Draft, Recorded, Stamp
from campaigns.job_ids import is_job_id
from campaigns.links import is_token_of
from campaigns.models import Campaign
from campaigns.packs import Packs
from campaigns.parts.seeds import Seeds, count
from campaigns.parts.table import Table
from campaigns.parts.voids import EventsVoided, VoidLifted
from campaigns.pictures import keep_of
from campaigns.projecting import leave, project, project_all
from campaigns.registry import Command, CommandType
from campaigns.sealing import seal
from campaigns.seeds import DiceBox, make, with_dice
from campaigns.state import State
from campaigns.store import read, rows, states
from campaigns.store.append import Head, Origin, append, encode, lock_head
from campaigns.store.troubles import refuse_if_full, worth_another_try
from rules.refusal import Refused

TRIES = 4


@dataclass(frozen=True)
class Answer:
    """What a command came to: the events it recorded. ``again`` says that an earlier call had already done it."""

    campaign_id: UUID
    events: tuple[Recorded, ...]
    again: bool = False

    @property
    def position(self) -> int:
        """Position of the command's last event, 0 where it recorded none."""
        return self.events[-1].position if self.events else 0


def utc_now() -> datetime:
    """The server's clock; tests travel by replacing time itself."""
    return datetime.now(UTC)


def execute(
    campaign_id: UUID, command: Command, actor: Actor, *, command_id: UUID, expected: int | None = None
) -> Answer:
    """Does what a command asks for, once. The same ``command_id`` again gives the first answer and changes nothing.

    ``expected`` refuses the command if the campaign has moved past that position. Raises Refused, with nothing done.
    """
    return _try(Asked(campaign_id, command, registry.commands_by_body[type(command)], actor, command_id, expected))


def found(campaign_id: UUID, command: Command, actor: Actor, *, command_id: UUID) -> Answer:
    """Like :func:`execute` for the command that begins a campaign: its head is made in the same transaction."""
    kind = registry.commands_by_body[type(command)]
    return _try(Asked(campaign_id, command, kind, actor, command_id, None, begins=True))


@dataclass(frozen=True)
class Asked:
    """A command on its way in, with who sends it where."""

    campaign_id: UUID
    command: Command
    kind: CommandType
    actor: Actor
    command_id: UUID
    expected: int | None
    begins: bool = False


def _try(asked: Asked) -> Answer:
    """Tries until it is done, refused or hopeless; a lost connection may have done it, which the command id tells."""
    if states.is_held_here(asked.campaign_id):
        raise RuntimeError("a command was sent while the campaign's state was held; leave states.held first")
    _refuse_job_id(asked)
    alone = not connection.in_atomic_block
    for again in range(TRIES):
        try:
            _make_ready(asked)
            return _once(asked)
        except (Refused, IntegrityError):
            # Refused or in the way of itself: was it done before?
            if (earlier := _earlier(asked)) is None:
                raise
            return earlier
        except OperationalError as error:
            refuse_if_full(error)
            if not alone or again == TRIES - 1 or not worth_another_try(error):
                raise
            time.sleep(random.uniform(0, 0.02 * 2**again))
    raise AssertionError("unreachable")


def _refuse_job_id(asked: Asked) -> None:
    """A person who took the id of a job's command before the job sends it would stop the job for good."""
    if is_job_id(asked.command_id) and not asked.actor.job:
        raise Refused(
            "reserved_command_id",
            "Ids of this kind belong to the server's own jobs.",
            field="command_id",
            value=str(asked.command_id),
            right="a random id (UUID of version 4 or 7)",
        )


def _make_ready(asked: Asked) -> None:
    """Has slow work that needs no lock done before the stream is locked: see :func:`campaigns.registry.readies`."""
    ready = registry.readiers.get(asked.kind.body)
    if ready is None or connection.in_atomic_block:
        return
    if asked.begins:
        ready(State(), asked.command)()
        return
    with suppress(Campaign.DoesNotExist):
        with states.held(asked.campaign_id) as state:
            _member, role = _seat(state, asked.actor)
            work = ready(state, asked.command) if role in asked.kind.roles else None
        if work is not None:
            work()


def _once(asked: Asked) -> Answer:
    """One try, in one transaction. The state is in our hands from the lock until after the commit."""
    campaign_id, hold = asked.campaign_id, _Hold(asked.campaign_id, connection.in_atomic_block)
    with ExitStack() as until_committed, transaction.atomic(durable=True):
        head = _lock(asked)
        until_committed.enter_context(states.campaign_lock(campaign_id))
        until_committed.push(hold.leave)
        state = states.current(campaign_id, head.position)
        drafts, origin, stamps = decide(asked, state)
        if not drafts:
            # Nothing left to do may mean that this very command did it.
            return _earlier(asked) or Answer(campaign_id, ())
        hold.touched = True
        with rows.together():
            new_head, recorded = append(head, drafts, origin, stamps)
            keep_of(campaign_id, drafts)
            state = take_in(campaign_id, state, recorded)
        hold.snapshot = state if states.is_due(head.position, new_head.position) else None
        if hold.nested:
            transaction.on_commit(lambda: announce(campaign_id, new_head.position))
    if not hold.nested:
        announce(campaign_id, new_head.position)
    return Answer(campaign_id, tuple(recorded))


def decide(asked: Asked, state: State) -> tuple[list[Draft], Origin, list[Stamp]]:
    """Authorises and decides, and changes nothing: what is to be appended. Raises Refused."""
    box = DiceBox(asked.campaign_id, state.part(Seeds), typed=bool(state.part(Table).setting("typed_dice", False)))
    context = _context(asked, state, box)
    with states.bounded():
        drafts = kept_hidden(state, with_dice(asked.kind.decide(state, asked.command, context), box))
    origin = Origin(context.name, asked.command_id, command_hash(asked), context.now, _packs_of(state))
    return drafts, origin, _stamps(state, drafts, context.now)


@dataclass
class _Hold:
    """What becomes of the kept state when a try ends: see :meth:`leave`."""

    campaign_id: UUID
    nested: bool
    touched: bool = False
    snapshot: State | None = None

    def leave(self, kind: type[BaseException] | None, *_rest: object) -> None:
        """Forgets the state where it may be half changed, or where the transaction around ours may yet be undone."""
        if (kind is not None and (self.touched or not issubclass(kind, Refused))) or (self.nested and self.touched):
            states.forget(self.campaign_id)
        elif self.snapshot is not None and kind is None:
            states.offer_snapshot(self.campaign_id, self.snapshot)


def _lock(asked: Asked) -> Head:
    """The stream's head, ours until the transaction ends; refused where it is missing or has moved on."""
    campaign_id = asked.campaign_id
    if asked.begins:
        models.QuerySet[Campaign](Campaign).bulk_create(
            [Campaign(id=campaign_id, recorded_at=utc_now())], ignore_conflicts=True
        )
    head = lock_head(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
    if asked.expected is not None and asked.expected != head.position:
        message = "The campaign has moved on meanwhile; look again."
        raise Refused("moved_on", message, field="expected", value=asked.expected)
    return head


def _context(asked: Asked, state: State, box: DiceBox) -> Context:
    """Authorises by role and gathers what the decider may know."""
    table, kind, actor, campaign_id = state.part(Table), asked.kind, asked.actor, asked.campaign_id
    member, role = _seat(state, actor)
    if role != "job" and role not in kind.roles:
        allowed = " or ".join(sorted(kind.roles))
        raise Refused("not_allowed", f"{kind.title} is not yours to do.", field="actor", value=role, right=allowed)
    return Context(
        campaign_id=campaign_id,
        command_id=asked.command_id,
        now=utc_now(),
        actor=actor,
        member=member,
        role=role,
        is_owner=bool(member) and member == table.owner,
        dice_for=box.source,
        take_draws=box.take,
        make_seed=lambda audience, number: make(campaign_id, audience, number),
        is_token=lambda link, token: is_token_of(campaign_id, link, token),
        packs=Packs(state),
        fixed_dice=box.fixed,
        open_seed=box.opened,
        drawn_of=box.drawn,
        type_dice=box.enter,
        action_of=lambda entry: action_at(campaign_id, entry, state),
        seal=seal,
        events_of=lambda types, after: standing(campaign_id, types, after, state),
    )


def _seat(state: State, actor: Actor) -> tuple[str, str]:
    """(member, role) of whoever sends a command; strangers and jobs are no members."""
    table = state.part(Table)
    member = table.member_of(actor.user) if actor.user is not None else ""
    return member, "job" if actor.job else table.members[member].role if member else "stranger"


def take_in(campaign_id: UUID, state: State, recorded: list[Recorded]) -> State:
    """Folds what was recorded into the state and brings the projections along; returns the state."""
    if any(isinstance(e.event, EventsVoided | VoidLifted) for e in recorded):
        state = states.fold(campaign_id, recorded[-1].position)
        project_all(campaign_id, state)
        states.keep(campaign_id, state)
        return state
    for event in recorded:
        state.evolve(event.event, event.position)
        if event.dice:
            count(state.part(Seeds), event.dice)
    # What is left behind may be what the rows are computed with: the packs of the table's own.
    leave(campaign_id, recorded)
    project(campaign_id, state, [event.event for event in recorded])
    return state


def command_hash(asked: Asked) -> bytes:
    """Digest that tells whether a command sent again is the same one, from the same sender (32 bytes)."""
    who = f"job:{asked.actor.job}" if asked.actor.job else f"user:{asked.actor.user}"
    body = encode(asked.command)
    return hashlib.sha256(b"%b\x00%b\x00%b" % (who.encode(), asked.kind.name.encode(), body)).digest()


def _earlier(asked: Asked) -> Answer | None:
    """The answer that this command id was given before, if it was."""
    first = read.command_of(asked.campaign_id, asked.command_id)
    if first is None:
        return None
    if first[1] != command_hash(asked):
        raise Refused(
            "command_id_used",
            "This command id was used for another command.",
            field="command_id",
            value=str(asked.command_id),
            right="a new id for a new command",
        )
    events = read.events_of_command(asked.campaign_id, asked.command_id)
    return Answer(asked.campaign_id, tuple(events), again=True)


def _packs_of(state: State) -> str:
    return " ".join(f"{pack}@{version}" for pack, version in sorted(state.part(Table).packs.items()))


def _stamps(state: State, drafts: list[Draft], now: datetime) -> list[Stamp]:
    """The calendar stamp of each draft; what happened at one instant has one."""
    found: dict[datetime, Stamp] = {}
    for instant in {draft.happened_at or now for draft in drafts}:
        found[instant] = registry.stamp_of(state, instant)
    return [found[draft.happened_at or now] for draft in drafts]
