"""What the close of a period came to, in plain values, and where in the stream that is found."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import msgspec

from campaigns.audience import Viewer
from campaigns.events import Recorded
from campaigns.parts.acts import CardActed, CardRolled
from campaigns.parts.calendar import PeriodClosed
from campaigns.parts.sheets import CardApplied, CardEnded, SheetChanged
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from identity import models
from identity.parts import marks as m
from identity.reads.pairs import in_words

OF_SHEETS = (CardActed, CardRolled, SheetChanged, CardApplied, CardEnded)


class ClosedPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A closed period; ``ends`` is the first day after it."""

    rung: str
    number: int
    title: str
    starts: date
    ends: date


class MarkTold(msgspec.Struct, frozen=True, kw_only=True):
    """A mark that a close settled, and why it had been given; ``counted`` is False for one beyond its limit."""

    side: str
    title: str
    note: str
    at: datetime
    when: str
    sealed: bool
    counted: bool


class PairReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a close did to one pair. ``outcome``: rolled, cancelled, at_end, no_ratings, open (waits for its player).

    The roll was ``face`` + ``bonus`` = ``total`` against ``rating`` of the side ``toward``; ``chance`` was that
    of a shift, exact ("3/10"). ``before`` and ``after`` are the ratings of the two ``sides``, in their order.
    """

    pair: str
    sides: tuple[str, str]
    marks: tuple[MarkTold, ...]
    outcome: str
    toward: str
    remaining: int
    bonus: int | None
    rating: int | None
    chance: str
    face: int | None
    total: int | None
    shifted: bool
    before: tuple[int, int] | None
    after: tuple[int, int] | None


class CardTold(msgspec.Struct, frozen=True, kw_only=True):
    """What a card did by itself when the period closed, or what changed or ended with it, in a sentence. ``dice`` are
    the faces that the viewer may see, by roll."""

    says: str
    dice: dict[str, tuple[int, ...]] = {}


class SubjectReport(msgspec.Struct, frozen=True, kw_only=True):
    """A subject in a report. ``rose`` names the sides that rose, for all who may know of it; ``pairs`` is filled for
    GM and holders alone. ``roll_until``: rolls wait for the player until then; ``lapsed``: proposals left unanswered;
    ``cards``: what cards did by themselves, and what ended with the period; ``earned``: marks for conduct in it that
    its close did not settle, ``renewed``: pairs of this subject take marks anew since the period is over.
    """

    subject: str
    name: str
    rose: tuple[str, ...]
    full: bool
    pairs: tuple[PairReport, ...] = ()
    roll_until: datetime | None = None
    lapsed: int = 0
    cards: tuple[CardTold, ...] = ()
    earned: tuple[MarkTold, ...] = ()
    renewed: bool = False


class PauseTold(msgspec.Struct, frozen=True, kw_only=True):
    """Weeks that did not count: ``until`` is the first day after them, None while nobody knows."""

    starts: date
    until: date | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What the close of a period came to, as the viewer may know it. ``pauses`` lie within the period or begin with its
    end."""

    rung: str
    number: int
    title: str
    starts: date
    ends: date
    closed_at: datetime
    subjects: tuple[SubjectReport, ...]
    pauses: tuple[PauseTold, ...] = ()


def came_of(state: State, viewer: Viewer, rung: str, number: int) -> list[Recorded]:
    """The events of a period's close and of the rolls that it left to players, oldest first."""
    entries = models.PeriodEntry.objects.filter(campaign_id=viewer.campaign_id, rung=rung, number=number)
    places = set(entries.values_list("position", flat=True))
    found = read.events_at(viewer.campaign_id, sorted(places))
    for event in found:
        # What came of a close lies behind it; what others are told of a roll lies behind that.
        behind = event.event.recorded - 1 if isinstance(event.event, PeriodClosed) else 1
        places |= set(range(event.position + 1, event.position + behind + 1))
    voided = state.part(Voids).by
    closes = {event.position for event in found if isinstance(event.event, PeriodClosed)}
    return [
        event
        for event in read.events_at(viewer.campaign_id, sorted(places))
        if event.position not in voided and _is_of(event, rung, number, closes)
    ]


def _is_of(event: Recorded, rung: str, number: int, closes: set[int]) -> bool:
    body = event.event
    if isinstance(body, OF_SHEETS):
        return event.cause in closes
    if not isinstance(body, PeriodClosed | m.SubjectSettled | m.AdvancementRolled | m.DevelopmentShown):
        return False
    return (body.rung, body.number) == (rung, number)


def mark_told(state: State, mark: dict[str, Any], title: str, counted: bool = True) -> MarkTold:
    """A mark as an event told it, on a side of this title."""
    at = moment(mark["at"])
    return MarkTold(
        side=mark["side"],
        title=title,
        note=mark["note"],
        at=at,
        when=in_words(state, at),
        sealed=mark["sealed"],
        counted=counted,
    )


def moment(text: str | datetime) -> datetime:
    """An instant, as an event's data may hold it."""
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)
