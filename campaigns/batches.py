"""What is due in many campaigns, done at once: each command in a transaction of its own, as through the entrance, but
sent without waiting for the answer to the one before.

A command is decided on the state as it was read, without a lock; what it records is written only if the stream still
stands there. Whatever does not go smoothly (somebody was faster, a refusal, a broken campaign) changes nothing and is
left to the entrance, which looks at such a campaign alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from uuid import UUID

import structlog

from campaigns import entrance, registry
from campaigns.announce import announce
from campaigns.context import Actor
from campaigns.parts.voids import EventsVoided, VoidLifted
from campaigns.registry import Duty
from campaigns.state import State
from campaigns.store import many, rows, sending, states
from campaigns.store.append import CHUNK, Head, append
from campaigns.store.rows import Statement
from rules.refusal import Refused

log = structlog.get_logger(__name__)
Due = Callable[[State, UUID, datetime], Iterator[Duty]]
JOB = Actor(job="calendar")
# Locks the stream's head, or fails where it is not what the decision rests on: the digest holds all that came before.
_LOCK = (
    "SELECT 1 / count(*) FROM (SELECT 1 FROM campaigns_campaign"
    " WHERE id = %s AND position = %s AND digest = %s FOR NO KEY UPDATE) head"
)


@dataclass
class _Work:
    """One campaign of a batch: its state, ours alone; its head; how many commands were sent."""

    campaign_id: UUID
    state: State
    head: Head
    sent: int = 0
    began: int = 0
    finished: bool = False
    keys: list[tuple[UUID, int]] = field(default_factory=list)


def do_due_of(campaign_ids: Sequence[UUID], now: datetime, due: Due, most: int) -> list[UUID]:
    """Does what is due in these campaigns, at most so many commands in each; returns the campaigns in which something
    may be left to do. Where the database cannot do so, that is all of them."""
    if not sending.can_send():
        return list(campaign_ids)
    works = [
        _Work(campaign_id, state, head, began=head.position)
        for campaign_id, (head, state) in many.take(campaign_ids).items()
    ]
    wrong = sending.send(found for work in works for found in _transactions(work, now, due, most))
    done = {work.campaign_id for work in works if _settled(work, wrong)}
    return [campaign_id for campaign_id in campaign_ids if campaign_id not in done]


def _settled(work: _Work, wrong: dict[tuple[UUID, int], Exception | None]) -> bool:
    """Whether all that was due in a campaign is done. What was done is told."""
    errors = [error for key in work.keys if (error := wrong[key]) is not None]
    if errors:
        log.info("due.not_in_batch", campaign=str(work.campaign_id), error=repr(errors[0]))
        return False
    if work.sent:
        announce(work.campaign_id, work.head.position)
    if work.finished:
        snapshot = states.is_due(work.began, work.head.position)
        many.give_back(work.campaign_id, work.state, snapshot=snapshot)
    return work.finished


def _transactions(
    work: _Work, now: datetime, due: Due, most: int
) -> Iterator[tuple[tuple[UUID, int], list[Statement]]]:
    """The transactions of all that is due in one campaign, in order; each finds the stream where the one before it left
    it, or fails too."""
    try:
        for duty in islice(_duties(work, now, due), most):
            statements = _statements(work, duty)
            if statements is None:
                return
            work.keys.append((work.campaign_id, work.sent))
            work.sent += 1
            yield work.keys[-1], statements
        work.finished = next(due(work.state, work.campaign_id, now), None) is None
    except (Refused, rows.NotNow) as reason:
        log.info("due.not_in_batch", campaign=str(work.campaign_id), error=repr(reason))
    except Exception:
        log.exception("due.not_in_batch", campaign=str(work.campaign_id))


def _duties(work: _Work, now: datetime, due: Due) -> Iterator[Duty]:
    """What is due next, as long as something is: each changes what is due after it."""
    while (duty := next(due(work.state, work.campaign_id, now), None)) is not None:
        yield duty


def _statements(work: _Work, duty: Duty) -> list[Statement] | None:
    """What writes the events of one command with all that follows from them, folded into the state already; None
    where it is not for a batch."""
    command, command_id = duty
    kind = registry.commands_by_body[type(command)]
    asked = entrance.Asked(work.campaign_id, command, kind, JOB, command_id, None)
    drafts, origin, stamps = entrance.decide(asked, work.state)
    unfit = not drafts or len(drafts) > CHUNK
    if unfit or any(isinstance(draft.event, EventsVoided | VoidLifted) for draft in drafts):
        return None
    with rows.collected() as statements:
        rows.run(_LOCK, [work.campaign_id, work.head.position, work.head.digest])
        work.head, recorded = append(work.head, drafts, origin, stamps)
        entrance.take_in(work.campaign_id, work.state, recorded)
    return statements
