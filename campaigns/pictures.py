"""The bytes of a campaign's pictures: kept by their digest beside the stream, read, and looked over.

They lie in the database, so that one backup holds them with the events that speak of them, embedded and hosted alike,
and they come and go in the same transactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from django.conf import settings

from campaigns.events import Draft
from campaigns.picturing import digest_of
from campaigns.store import read, rows
from campaigns.store.checking import Finding

if TYPE_CHECKING:
    from campaigns.store.checking import Report

TABLE = "campaigns_picture"
ADDED = "picture.added"
SPEAKING = (ADDED, "picture.shown")


def budget() -> int:
    """How many bytes the pictures of one campaign may come to, all that were ever brought taken together."""
    return int(settings.PICTURES_MB) << 20


def keep(campaign_id: UUID, brought: Iterable[bytes]) -> None:
    """Keeps bytes by their digest, in the transaction that is open; what is kept already stays as it is."""
    columns = "campaign_id, digest, data"
    for data in brought:
        sql = f"INSERT INTO {TABLE} ({columns}) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        rows.run(sql, [rows.adapt(campaign_id), digest_of(data), data])


def keep_of(campaign_id: UUID, drafts: Sequence[Draft]) -> None:
    """Keeps what the drafts of a command bring."""
    keep(campaign_id, [draft.brings for draft in drafts if draft.brings])


def data_of(campaign_id: UUID, digest: str) -> bytes | None:
    """The bytes of a picture; None where they are not here."""
    sql = f"SELECT data FROM {TABLE} WHERE campaign_id = %s AND digest = %s"
    found = rows.fetch(sql, [rows.adapt(campaign_id), digest])
    return bytes(found[0][0]) if found else None


class Spoken(msgspec.Struct):
    """What an event that speaks of a picture says of its bytes."""

    digest: str
    title: str = ""


spoken_of = msgspec.json.Decoder(Spoken).decode


def look_over(campaign_id: UUID, upto: int) -> Iterator[Finding | None]:
    """One item a picture that was brought: None, or what is wrong with its bytes. One is in memory at a time."""
    told: dict[str, Finding | None] = {}
    for position, event, _digest in read.stored(campaign_id, 0, upto, ADDED):
        try:
            spoken = spoken_of(event.data)
        except msgspec.MsgspecError:
            continue  # an event that cannot be read is told of by whoever checks the events
        if spoken.digest not in told:
            told[spoken.digest] = _wrong(campaign_id, position, spoken)
        yield told[spoken.digest]


def _wrong(campaign_id: UUID, position: int, spoken: Spoken) -> Finding | None:
    data = data_of(campaign_id, spoken.digest)
    if data is None:
        return Finding(position, "picture_missing", f"{named(spoken)} is missing")
    if digest_of(data) != spoken.digest:
        return Finding(position, "picture_damaged", f"{named(spoken)} is not as it was brought")
    return None


def named(spoken: Spoken) -> str:
    """How a picture is called where something is wrong with it."""
    return f"the picture {spoken.title!r} ({spoken.digest[:12]})"


def look_over_into(report: Report, campaign_id: UUID, upto: int) -> None:
    """Looks a campaign's pictures over and adds to a report what was found."""
    for finding in look_over(campaign_id, upto):
        report.pictures += 1
        if finding is not None:
            report.add(finding.position, finding.code, finding.says)
