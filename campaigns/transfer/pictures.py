"""The pictures of a file: each is what the events say of it, and a whole file holds every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import msgspec

from campaigns.parts.pictures import PictureAdded
from campaigns.pictures import ADDED, SPEAKING, Spoken, keep, named
from campaigns.picturing import digest_of, require_kept
from campaigns.store import read
from campaigns.store.checking import Report, Shown, type_of
from campaigns.transfer.lines import WHOLE, File, refuse_at
from rules.refusal import Refused

_text = msgspec.json.Decoder(str)
Told = dict[str, tuple[int, Spoken]]


class Heard:
    """What the events of a file say of pictures, heard while they are checked: digest -> (position, what is said).

    It grows with the number of pictures, not with their bytes.
    """

    def __init__(self) -> None:
        self.brought: Told = {}
        self.known: Told = {}

    def hear(self, events: Iterator[Shown]) -> Iterator[Shown]:
        """The events, passed on."""
        for event in events:
            digest = event.leaves.get("data.digest")
            kind = type_of(event) if digest is not None else ""
            if digest is not None and kind in SPEAKING:
                spoken = Spoken(_text.decode(digest), _text.decode(event.leaves.get("data.title", b'""')))
                self.known.setdefault(spoken.digest, (event.position, spoken))
                if kind == ADDED:
                    self.brought.setdefault(spoken.digest, (event.position, spoken))
            yield event


def check_pictures(file: File, heard: Heard, report: Report) -> None:
    """Adds to a report which pictures of a file are not what its events say, or missing. Raises Refused, with the line,
    where a picture belongs to no event or lies in the wrong place."""
    found: set[str] = set()
    for number, digest, data in lines(file):
        if digest not in heard.known or digest in found:
            raise refuse_at(number, f"no event speaks of this picture ({digest[:12]}), or it is there twice.")
        found.add(digest)
        report.pictures += 1
        if digest_of(data) != digest:
            position, spoken = heard.known[digest]
            report.add(position, "picture_damaged", f"{named(spoken)}, line {number}, is not as it was brought")
    if file.header.kind != WHOLE:
        return
    for digest, (position, spoken) in heard.brought.items():
        if digest not in found:
            report.add(position, "picture_missing", f"{named(spoken)} is not in the file")


def lines(file: File) -> Iterator[tuple[int, str, bytes]]:
    """(line number, digest, bytes) of the pictures of a file, which stand behind its events."""
    behind = False
    for number, line in file.lines():
        if line.picture:
            behind = True
            yield number, line.picture, line.data
        elif behind:
            raise refuse_at(number, "something else stands behind the pictures.")


def take_in(file: File, campaign_id: UUID, upto: int, most: int) -> None:
    """Keeps the pictures of a file whose events were taken in up to a position. Refused, with the line, where one is
    not what its event says, and where they are more than ``most`` bytes."""
    said = {
        event.digest: event
        for page in read.pages_of_types(campaign_id, (ADDED,), upto)
        for event in (one.event for one in page)
        if isinstance(event, PictureAdded)
    }
    total = sum(event.size for event in said.values())
    if total > most:
        right = f"at most {most >> 20} MB of them; the host can bring in more by manage.py import_campaign"
        raise Refused("too_large", "The pictures are too many for this server.", field="file", value=total, right=right)
    for number, digest, data in lines(file):
        event = said.get(digest)
        if event is None or digest_of(data) != digest or len(data) != event.size:
            raise refuse_at(number, "this picture is not the one that an event speaks of.")
        try:
            require_kept(data, event.media_type, event.width, event.height)
        except Refused as refused:
            raise refuse_at(number, refused.message, refused.right or "") from None
        keep(campaign_id, [data])
