"""The one entrance: every change of every campaign, from page, API, admin, job or command line, goes through here.

Steps, in this order: lock the stream, take its state, authorise, decide, append, project, commit, announce.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

import msgspec
from django.db import IntegrityError, OperationalError, transaction

from campaigns import registry
from campaigns.announce import announce
from campaigns.context import Actor, Context
from campaigns.events import Draft, Recorded, Stamp
from campaigns.links import is_token_of
from campaigns.models import Campaign
from campaigns.packs import Packs
from campaigns.parts.seeds import Seeds, count
from campaigns.parts.table import Table
from campaigns.parts.voids import EventsVoided, VoidLifted
from campaigns.projecting import leave, project, project_all
from campaigns.registry import Command, CommandType
from campaigns.seeds import DiceBox, make
from campaigns.state import State
from campaigns.store import read, states
from campaigns.store.append import Origin, append, lock_head
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
    asked = _Asked(campaign_id, command, registry.commands_by_body[type(command)], actor, command_id, expected)
    return _try(asked)


def found(campaign_id: UUID, command: Command, actor: Actor, *, command_id: UUID) -> Answer:
    """Like :func:`execute` for the command that begins a campaign: its head is made in the same transaction."""
    kind = registry.commands_by_body[type(command)]
    return _try(_Asked(campaign_id, command, kind, actor, command_id, None, begins=True))


@dataclass(frozen=True)
class _Asked:
    campaign_id: UUID
    command: Command
    kind: CommandType
    actor: Actor
    command_id: UUID
    expected: int | None
    begins: bool = False


def _try(asked: _Asked) -> Answer:
    for tries_left in range(TRIES - 1, -1, -1):
        try:
            with states.campaign_lock(asked.campaign_id):
                return _locked(asked)
        except (Refused, IntegrityError):
            # Refused or in the way of itself: was it done before?
            if (earlier := _earlier(asked)) is None:
                raise
            return earlier
        except OperationalError as error:
            if not tries_left or not _worth_another_try(error):
                raise
    raise AssertionError("unreachable")


def _locked(asked: _Asked) -> Answer:
    """One try under the campaign's lock of this process. A failure after the decision throws the kept state away."""
    try:
        return _once(asked)
    except Refused:
        raise
    except BaseException:
        states.forget(asked.campaign_id)
        raise


def _once(asked: _Asked) -> Answer:
    campaign_id = asked.campaign_id
    # Durable: inside a caller's transaction a later rollback would leave the kept state ahead of the stream.
    with transaction.atomic(durable=True):
        if asked.begins:
            Campaign.objects.bulk_create([Campaign(id=campaign_id, recorded_at=utc_now())], ignore_conflicts=True)
        head = lock_head(campaign_id)
        if head is None:
            raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
        if asked.expected is not None and asked.expected != head.position:
            message = "The campaign has moved on meanwhile; look again."
            raise Refused("moved_on", message, field="expected", value=asked.expected)
        state = states.current(campaign_id, head.position)
        box = DiceBox(campaign_id, state.part(Seeds))
        context = _context(asked, state, box)
        drafts = _with_dice(asked.kind.decide(state, asked.command, context), box)
        if not drafts:
            return Answer(campaign_id, ())
        origin = Origin(context.name, asked.command_id, command_hash(asked), context.now, _packs_of(state))
        _, recorded = append(head, drafts, origin, [_stamp(state, d, context.now) for d in drafts])
        _take_in(campaign_id, state, recorded)
        transaction.on_commit(lambda: announce(campaign_id, recorded[-1].position))
    return Answer(campaign_id, tuple(recorded))


def _context(asked: _Asked, state: State, box: DiceBox) -> Context:
    """Authorises by role and gathers what the decider may know."""
    table, kind, actor = state.part(Table), asked.kind, asked.actor
    member = table.member_of(actor.user) if actor.user is not None else ""
    role = "job" if actor.job else table.members[member].role if member else "stranger"
    if role != "job" and role not in kind.roles:
        allowed = " or ".join(sorted(kind.roles))
        raise Refused("not_allowed", f"{kind.title} is not yours to do.", field="actor", value=role, right=allowed)
    return Context(
        campaign_id=asked.campaign_id,
        command_id=asked.command_id,
        now=utc_now(),
        actor=actor,
        member=member,
        role=role,
        is_owner=bool(member) and member == table.owner,
        dice_for=box.source,
        take_draws=box.take,
        make_seed=lambda audience, number: make(asked.campaign_id, audience, number),
        is_token=lambda link, token: is_token_of(asked.campaign_id, link, token),
        packs=Packs(state),
        fixed_dice=box.fixed,
        open_seed=box.opened,
    )


def _with_dice(drafts: list[Draft], box: DiceBox) -> list[Draft]:
    """No die is drawn off the record: what the decider left unclaimed stands on its last draft."""
    left = box.take()
    if not left:
        return drafts
    if not drafts:
        raise RuntimeError("dice were drawn but no event tells of them")
    last = drafts[-1]
    return [*drafts[:-1], replace(last, dice=(*last.dice, *left))]


def _take_in(campaign_id: UUID, state: State, recorded: list[Recorded]) -> None:
    """Folds what was recorded into the state and brings the projections along."""
    reached = [e.event.positions for e in recorded if isinstance(e.event, EventsVoided | VoidLifted)]
    if reached:
        states.drop_snapshots(campaign_id, min(min(positions) for positions in reached))
        states.forget(campaign_id)
        state = states.fold(campaign_id, recorded[-1].position)
        states.keep(campaign_id, state)
        project_all(campaign_id, state)
        return
    for event in recorded:
        state.evolve(event.event, event.position)
        count(state.part(Seeds), event.dice)
    project(campaign_id, state, [event.event for event in recorded])
    leave(campaign_id, recorded)
    if recorded[-1].position // states.SNAPSHOT_EVERY != (recorded[0].position - 1) // states.SNAPSHOT_EVERY:
        states.snapshot(campaign_id, state)


def command_hash(asked: _Asked) -> bytes:
    """Digest that tells whether a command sent again is the same one (32 bytes)."""
    body = msgspec.json.encode(asked.command, order="deterministic")
    return hashlib.sha256(asked.kind.name.encode() + b"\x00" + body).digest()


def _earlier(asked: _Asked) -> Answer | None:
    """The answer that this command id was given before, if it was."""
    events = read.events_of_command(asked.campaign_id, asked.command_id)
    if not events:
        return None
    if read.command_hash_of(asked.campaign_id, asked.command_id) != command_hash(asked):
        raise Refused(
            "command_id_used",
            "This command id was used for another command.",
            field="command_id",
            value=str(asked.command_id),
            right="a new id for a new command",
        )
    return Answer(asked.campaign_id, tuple(events), again=True)


def _worth_another_try(error: OperationalError) -> bool:
    code = getattr(error.__cause__, "sqlstate", None)
    return code in ("40001", "40P01", "55P03") or "locked" in str(error)


def _packs_of(state: State) -> str:
    return " ".join(f"{pack}@{version}" for pack, version in sorted(state.part(Table).packs.items()))


def _stamp(state: State, draft: Draft, now: datetime) -> Stamp:
    return registry.stamp_of(state, draft.happened_at or now)
