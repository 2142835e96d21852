"""The sheets of a subject as its page shows them, drawn once for all who may see and do the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.utils.safestring import SafeString

from campaigns.packs import Packs
from campaigns.parts.making import Making
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.sheet_reading import audience_of
from campaigns.state import State
from frontend.drawn import drawn
from frontend.kept import kept
from frontend.past import Back
from frontend.seat import Seat
from frontend.sheets import sheet_views


@dataclass(frozen=True)
class At:
    """Whose page it is; ``query`` is what links to reasons carry on of the moment that is looked at."""

    campaign_id: UUID
    subject: str
    query: str = ""


@dataclass(frozen=True)
class Sight:
    """All on which the sheets of a page depend beside the state: whose they are, the audience that looks (gm, holders
    or all), what it may do there, and whose seat it is where something can be done from it."""

    at: At
    audience: str
    may_change: bool
    may_call: bool
    acting: Seat | None = None


def sheets_drawn(
    state: State, seat: Seat, subject: str, tokens: Callable[[], SafeString], *, may_change: bool
) -> SafeString:
    """The sheets of a subject that this seat sees something of; "" where there are none. ``tokens`` writes what a form
    needs, which is another at each answer: a page with such a form is drawn for itself."""
    sight = Sight(
        At(seat.campaign_id, subject),
        audience_of(seat.viewer, subject),
        may_change,
        not seat.is_watcher,
        seat if may_change else None,
    )
    if may_change and _unmade(state, subject):
        return _draw(state, sight, tokens)
    return kept(state, _draw, sight)


def sheets_then(back: Back, seat: Seat, subject: str) -> SafeString:
    """The sheets as they stood, to be read only."""
    at = At(seat.campaign_id, subject, back.query)
    return _draw(back.state, Sight(at, audience_of(seat.viewer, subject), False, False))


def _unmade(state: State, subject: str) -> bool:
    """Whether a sheet of theirs could still be made step by step, or begun."""
    kind, made = state.part(Subjects).by_id[subject].kind, state.part(Making).made.get(subject, {})
    sheets = state.part(Sheets)
    return any(
        (kind in pack.creations and pack.id not in made) or (kind in pack.kinds and not sheets.begun(subject, pack.id))
        for pack in Packs(state).all()
    )


def _draw(state: State, sight: Sight, tokens: Callable[[], SafeString] | None = None) -> SafeString:
    subject = state.part(Subjects).by_id[sight.at.subject]
    views = sheet_views(state, sight.audience, sight.at.subject, sight.acting)
    if not views:
        return SafeString()
    return drawn("sheets.html", views=views, subject=subject, at=sight.at, sight=sight, tokens=tokens)
