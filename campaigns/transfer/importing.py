"""Reading an exported campaign: checked whole before anything is written, then taken in with its chain unbroken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import structlog
from django.contrib.auth import get_user_model
from django.db import DataError, IntegrityError, models, transaction

from campaigns import registry
from campaigns.announce import announce
from campaigns.entrance import utc_now
from campaigns.events import Draft, Stamp, decode
from campaigns.models import Campaign
from campaigns.parts.seeds import Seeds, commit_draft
from campaigns.parts.table import CampaignImported, Table
from campaigns.pictures import budget
from campaigns.projecting import project_all
from campaigns.seeds import make, seed_bytes
from campaigns.state import State
from campaigns.store import rows, states
from campaigns.store.append import Head, Origin, append, head_of, insert, lock_head, write_head
from campaigns.store.chain import Stored
from campaigns.transfer import columns, pictures
from campaigns.transfer.lines import NO_EVENT, WHOLE, File, refuse_at, stored_of
from campaigns.transfer.verifying import check_file
from rules.refusal import Refused

BATCH = 500
NO_LIMIT = 1 << 62
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Imported:
    """What an import came to: the campaign, how many events were new here, who of its members has an account here."""

    campaign_id: UUID
    events: int
    seated: dict[str, int]


def import_campaign(
    path: Path, owner: int, *, match_names: bool = False, most: int = NO_LIMIT, new: bool = False
) -> Imported:
    """Takes in a whole export. ``owner`` is the account that gets the owner's seat here; with ``match_names`` the other
    members get the accounts that are called as theirs were. Raises Refused, with the place and nothing written, for a
    file that is tampered with, cut off or newer, and for a campaign that has gone another way here.

    A campaign that is here already is continued, where the file holds all that is here and more; with ``new`` it is
    refused. ``most``: bytes that the unpacked file may come to.
    """
    file = File(path, most=most)
    if file.header.kind != WHOLE:
        raise Refused(
            "not_whole",
            "This file shows what one member may see; it cannot be imported.",
            field="file",
            value=file.header.kind,
            right="a whole export, as a GM gets it",
        )
    _check(file)
    campaign_id = UUID(file.header.campaign)
    with _whole_or_refused(campaign_id), transaction.atomic(durable=True), states.campaign_lock(campaign_id):
        if new and lock_head(campaign_id) is not None:
            raise here_already()
        head = _take_events(file, campaign_id)
        states.forget(campaign_id)
        before = head.position
        head = Head(campaign_id, file.header.position, bytes.fromhex(file.header.digest), head.recorded_at)
        _take_enclosed(file, campaign_id)
        pictures.take_in(file, campaign_id, head.position, budget() if new else NO_LIMIT)
        state = states.refold(campaign_id, head.position)
        if state.part(Table).owner not in state.part(Table).members:
            raise refuse_at(1, "nobody owns this campaign.")
        for check in registry.import_checks:
            check(state, utc_now())
        seated = _seats(file, state, owner, match_names)
        new_head = _settle(head, state, seated)
        project_all(campaign_id, state)
        states.snapshot(campaign_id, state)
    announce(campaign_id, new_head.position)
    return Imported(campaign_id, file.header.position - before, seated)


def here_already() -> Refused:
    """The refusal of a file whose campaign is here."""
    return Refused(
        "here_already",
        "The campaign of this file is here already, under the same id. From a page, a file only becomes a campaign "
        "that is not here. Demo campaigns have the same ids on every server, so that none can be brought in beside "
        "another.",
        field="file",
        right="a campaign that is not here; the host can continue one that is (manage.py import_campaign)",
    )


UNFIT = (
    *(DataError, IntegrityError, LookupError, TypeError, ValueError, AttributeError, AssertionError),
    *(ArithmeticError, RecursionError),
)


@contextmanager
def _whole_or_refused(campaign_id: UUID) -> Iterator[None]:
    """Events that are each well formed and do not fit together leave nothing behind, and are the file's fault."""
    try:
        yield
    except UNFIT as error:
        states.forget(campaign_id)
        if isinstance(error, IntegrityError) and head_of(campaign_id) is not None:
            raise here_already() from None  # somebody else brought the same file in meanwhile
        _log.warning("import.broken_file", exc_info=error)
        known = (
            " This server may hold the same events in another campaign." if isinstance(error, IntegrityError) else ""
        )
        raise Refused(
            "broken_file",
            f"The file's events do not fit together ({type(error).__name__}); nothing was taken in.{known}",
            field="file",
            right="an export as Tidebook wrote it",
        ) from None


def _check(file: File) -> None:
    first = check_file(file).first_break
    if first is not None:
        raise Refused(
            "tampered_file",
            f"Position {first.position}: {first.says}.",
            field="file",
            value=f"position {first.position}",
            right="the file as it was exported",
        )


def _take_events(file: File, campaign_id: UUID) -> Head:
    """Inserts the events that are not here yet and advances the head; returns where the stream stood before, with the
    time of its newest event now."""
    head, last = lock_head(campaign_id), ""
    if head is None:
        first = next(_events(file))[1]
        head = Head(campaign_id, 0, b"", rows.read_time(first.recorded_at))
        models.QuerySet[Campaign](Campaign).bulk_create([Campaign(id=campaign_id, recorded_at=head.recorded_at)])
    if head.position > file.header.position:
        raise Refused("older_file", "More has been recorded here than the file holds.", field="file")
    events = _events(file)
    while batch := list(islice(events, BATCH)):
        for position, _event, digest in batch:
            if position == head.position and digest != head.digest:
                raise Refused("gone_another_way", "The campaign has gone another way here.", field="file")
        new = [(event, digest) for position, event, digest in batch if position > head.position]
        if new:
            insert(campaign_id, batch[-1][0] - len(new) + 1, new)
            last = new[-1][0].recorded_at
    at = rows.read_time(last) if last else head.recorded_at
    write_head(head, Head(campaign_id, file.header.position, bytes.fromhex(file.header.digest), at))
    return Head(campaign_id, head.position, head.digest, at)


def _events(file: File) -> Iterator[tuple[int, Stored, bytes]]:
    """The file's events, each understood by this program."""
    for number, line in file.lines():
        if line.event is None:
            continue
        try:
            position, event, digest = stored_of(line)
        except NO_EVENT as error:
            raise refuse_at(number, f"this is no event: {error}.") from None
        try:
            columns.require_ids(decode(event.type, event.version, event.data))
        except Refused as refused:
            right = "a Tidebook that knows this event" if refused.code != "newer_event" else "a newer Tidebook here"
            raise refuse_at(number, refused.message, right) from None
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            raise refuse_at(number, f"position {position} cannot be read: {error}.") from None
        yield position, event, digest


def _take_enclosed(file: File, campaign_id: UUID) -> None:
    items: dict[str, list[object]] = {}
    for number, line in file.lines():
        if line.event is not None:
            break
        if line.enclosed:
            if line.enclosed not in registry.enclosures:
                raise refuse_at(number, f"nothing here can take in {line.enclosed}.", "a Tidebook with the same apps")
            items.setdefault(line.enclosed, []).append(line.item)
    for name, found in items.items():
        registry.enclosures[name].read(campaign_id, found)


def _seats(file: File, state: State, owner: int, match_names: bool) -> dict[str, int]:
    """Member -> account here. Accounts are matched by name only where that was asked for: the same name may be another
    person's on another server."""
    table = state.part(Table)
    seated = {table.owner: owner}
    if match_names:
        named = {
            line.member.get("username", ""): line.member.get("member", "") for _, line in file.lines() if line.member
        }
        users = get_user_model()._default_manager.filter(username__in=[name for name in named if name])
        for user in users:
            if user.pk not in seated.values():
                seated.setdefault(named[user.get_username()], user.pk)
    return seated


def _settle(head: Head, state: State, seated: dict[str, int]) -> Head:
    """Records who is who here, and promises seeds that this server can open in place of those it cannot."""
    drafts = [Draft(CampaignImported(users=seated))]
    for audience, running in state.part(Seeds).running.items():
        seed = seed_bytes(head.campaign_id, audience, running.number, running.nonce)
        if hashlib.sha256(seed).hexdigest() != running.commitment:
            # A close's seed goes by its season's number, the others are numbered one by one.
            number = running.number + (0 if audience.startswith("close.") else 1)
            drafts.append(commit_draft(audience, number, make(head.campaign_id, audience, number)))
    origin = Origin("job:import", uuid4(), hashlib.sha256(b"import").digest(), datetime.now(UTC), "")
    new_head, recorded = append(head, drafts, origin, [Stamp()] * len(drafts))
    for event in recorded:
        state.evolve(event.event, event.position)
    return new_head
