"""Writing a campaign to a file: whole for those who run it, or as one member sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import BinaryIO
from uuid import UUID, uuid4

import msgspec
from django.contrib.auth import get_user_model

from campaigns import registry
from campaigns.audience import Viewer, may_see, view_fields, viewer_of
from campaigns.commands.seeds import RenewSeeds
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.parts.pictures import seen_pictures
from campaigns.parts.table import Table
from campaigns.pictures import ADDED, SPEAKING, data_of, spoken_of
from campaigns.state import State
from campaigns.store import chain, read, states
from campaigns.store.append import head_of
from campaigns.store.chain import Stored
from campaigns.transfer.lines import FORMAT, SEEN, WHOLE, Header, Line, Writer, event_line
from rules.refusal import Refused

_holders = msgspec.json.Decoder(tuple[str, ...])


def export_whole(campaign_id: UUID, target: BinaryIO, actor: Actor | None = None) -> Header:
    """Writes the whole campaign: events, members by name, what packs enclose, pictures. For its owner; the seeds that
    gave dice are revealed first, so that the file can be checked without this server."""
    _require_owner(campaign_id, actor)
    execute(campaign_id, RenewSeeds(), Actor(job="export"), command_id=uuid4())
    header, state_lines = _opening(campaign_id, WHOLE, "", with_accounts=actor is None or bool(actor.job))
    writer = Writer(target)
    writer.write(header)
    for line in state_lines:
        writer.write(line)
    # Those that these very events brought: others may come while the file is written.
    brought: dict[str, None] = {}
    for position, event, digest in read.stored(campaign_id, 0, header.position):
        writer.write(event_line(position, event, digest))
        if event.type == ADDED:
            brought[spoken_of(event.data).digest] = None
    _write_pictures(writer, campaign_id, brought)
    writer.close()
    return header


def export_seen(campaign_id: UUID, target: BinaryIO, user: int) -> Header:
    """Writes what one member may see of the campaign; the rest stands as hashes, so that the chain still verifies."""
    with states.held(campaign_id) as state:
        viewer = viewer_of(state, campaign_id, user)
        seen = sorted({found.digest for _, found in seen_pictures(state, viewer)})
        name = state.part(Table).members[viewer.member].name
    header, _ = _opening(campaign_id, SEEN, name, with_accounts=False)
    told: set[str] = set()
    writer = Writer(target)
    writer.write(header)
    for position, event, digest in read.stored(campaign_id, 0, header.position):
        line = seen_line(viewer, position, event, digest)
        writer.write(line)
        if event.type in SPEAKING and any(leaf[0] == "data.digest" for leaf in line.leaves or ()):
            told.add(spoken_of(event.data).digest)
    # Nothing that no event of this file vouches for.
    _write_pictures(writer, campaign_id, [picture for picture in seen if picture in told])
    writer.close()
    return header


def _write_pictures(writer: Writer, campaign_id: UUID, digests: Iterable[str]) -> None:
    """One line a picture, one in memory at a time. What is missing here is missing in the file, which says so when it
    is checked."""
    for digest in digests:
        data = data_of(campaign_id, digest)
        if data is not None:
            writer.write(Line(picture=digest, data=data))


def _require_owner(campaign_id: UUID, actor: Actor | None) -> None:
    if actor is None or actor.job:
        return
    with states.held(campaign_id) as state:
        viewer, owner = viewer_of(state, campaign_id, actor.user or 0), state.part(Table).owner
    if viewer.member != owner:
        raise Refused(
            "not_allowed",
            "A whole export shows what is hidden.",
            field="actor",
            value=viewer.role,
            right="the campaign's owner, or your own export",
        )


def _opening(campaign_id: UUID, kind: str, viewer: str, *, with_accounts: bool) -> tuple[Header, list[Line]]:
    with states.held(campaign_id) as state:
        head = head_of(campaign_id)
        assert head is not None
        header = Header(
            tidebook=FORMAT,
            kind=kind,
            campaign=campaign_id.hex,
            name=state.part(Table).name,
            exported_at=datetime.now(UTC).isoformat(timespec="seconds"),
            position=head.position,
            digest=head.digest.hex(),
            viewer=viewer,
        )
        return header, [*_members(state, with_accounts), *_enclosed(campaign_id, state)] if kind == WHOLE else []


def _members(state: State, with_accounts: bool) -> Iterator[Line]:
    """Members by name. By which name somebody signs in is the host's to know: for others it is left out, and an import
    seats people by invitations."""
    members = state.part(Table).members
    users = get_user_model()._default_manager.in_bulk([m.user for m in members.values()] if with_accounts else [])
    for member, found in members.items():
        user = users.get(found.user)
        username = user.get_username() if user else ""
        yield Line(member={"member": member, "name": found.name, "role": found.role, "username": username})


def _enclosed(campaign_id: UUID, state: State) -> Iterator[Line]:
    for name, enclosure in registry.enclosures.items():
        for item in enclosure.write(campaign_id, state):
            yield Line(enclosed=name, item=item)


def seen_line(viewer: Viewer, position: int, event: Stored, digest: bytes) -> Line:
    """The line of an event for a viewer: what the feed would show them, the rest as hashes."""
    leaves = chain.leaves(event)
    hashes = chain.leaf_hashes(event.salt, leaves)
    holders = _holders.decode(event.holders)
    fields = view_fields(viewer, event.type, holders) if may_see(viewer, event.audience, holders) else None
    if fields is None:
        return Line(position=position, digest=digest.hex(), body=chain.body_hash(hashes).hex())
    open_names = {"envelope", *(f"data.{name}" for name in fields)}
    open_names.update(_open_dice(viewer, leaves))
    salts = chain.leaf_salts(event.salt, len(leaves))
    written = [
        [name, salt.hex(), value.decode()] if name in open_names else [hashed.hex()]
        for (name, value), salt, hashed in zip(leaves, salts, hashes, strict=True)
    ]
    return Line(position=position, digest=digest.hex(), leaves=written)


def _open_dice(viewer: Viewer, leaves: list[chain.Leaf]) -> Iterator[str]:
    """Names of the draws whose seed the viewer is told."""
    for name, value in leaves:
        if name.startswith("dice."):
            audience = str(msgspec.json.decode(value)["audience"])
            if viewer.may_know_seed(audience):
                yield name
