"""The types of an event's columns in a file: what a database would choke on, or take for something else, is no event.

Whoever writes a file can make its digests fit; so a fitting chain says nothing of what lies in it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from campaigns.events import Draw, Event, Stamp
from campaigns.store.chain import Stored

_BIGGEST, _SMALL = 2**63 - 1, 2**15 - 1
Hex32 = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Hex64 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Position = Annotated[int, Meta(ge=1, le=_BIGGEST)]


def _text(longest: int) -> Any:
    return Annotated[str, Meta(max_length=longest, pattern=r"^[^\x00-\x1f]*$")]


class Columns(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One event of a file in the order of :class:`Stored`, its position before and its digest behind."""

    position: Position
    id: Hex32
    type: _text(60)  # type: ignore[valid-type]
    version: Annotated[int, Meta(ge=1, le=_SMALL)]
    data: str
    actor: _text(80)  # type: ignore[valid-type]
    command_id: Hex32
    command_seq: Annotated[int, Meta(ge=0, le=_SMALL)]
    command_hash: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
    cause: Position | None
    recorded_at: str
    happened_at: str | None
    stamp: str
    packs: _text(400)  # type: ignore[valid-type]
    audience: Annotated[str, Meta(max_length=60, pattern=r"^(all|table|holders|gm|member:[^\x00-\x1f]+)$")]
    holders: str
    dice: str
    salt: Hex32
    digest: Hex64


_stamp = msgspec.json.Decoder(Stamp)
_holders = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])


_EARLIEST, _SLACK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=2)
"""of what was recorded or happened; servers' clocks differ by a little"""
# Ids become parts of addresses.
_ID = re.compile("[-A-Za-z0-9_]{0,64}")
IDS = frozenset(
    {
        *("affiliation", "call", "container", "draft", "encounter", "hook", "link", "mark", "member", "offer", "pack"),
        *("picture", "pursuit", "simulation", "subject", "subjects", "players", "holders", "shown_to", "by"),
    }
)
"""fields of events that hold ids, or lists of them"""


def _require_time(time: str) -> None:
    at = datetime.fromisoformat(time).astimezone(UTC)
    if at.isoformat() != time:
        raise ValueError(f"{time[:40]} is no time in UTC")
    if not _EARLIEST <= at <= datetime.now(UTC) + _SLACK:
        raise ValueError(f"{time[:40]} has not been yet, or is too long ago")


def require_ids(event: Event) -> None:
    """Raises ValueError where an id of an event could be none that this program gave."""
    for field in IDS.intersection(event.__struct_fields__):
        value = getattr(event, field)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and not _ID.fullmatch(one):
                raise ValueError(f"{field} {one[:40]!r} is no id")


def read(values: list[Any]) -> tuple[int, Stored, bytes]:
    """(position, event, digest). Raises ValueError, OverflowError or MsgspecError where these are no event."""
    found = msgspec.convert(values, Columns)
    if found.cause is not None and found.cause >= found.position:
        raise ValueError("its cause does not lie before it")
    for time in filter(None, (found.recorded_at, found.happened_at)):
        _require_time(time)
    for decoder, text in ((_stamp, found.stamp), (_holders, found.holders), (_dice, found.dice)):
        decoder.decode(text)
    plain = msgspec.structs.astuple(found)[1:-1]
    event = Stored(*plain)._replace(command_hash=bytes.fromhex(found.command_hash), salt=bytes.fromhex(found.salt))
    return found.position, event, bytes.fromhex(found.digest)
