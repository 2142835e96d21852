"""Reads of `campaigns` about what was: why a value is what it is, now or as of a moment of the past."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from campaigns import registry
from campaigns.actions import action_at
from campaigns.api.reading import Ask, register_read
from campaigns.api.reads import EntryRead, entry_read
from campaigns.events import GM
from campaigns.parts.calendar import zone_of
from campaigns.parts.voids import EventsVoided
from campaigns.past import as_of, explain, moment_of, require_known
from campaigns.previews import preview_restore, preview_void
from campaigns.state import State


class WhyRead(msgspec.Struct):
    """A value with its reason. `how` says how the parts come to it; each part has parts of its own."""

    label: str
    value: bool | int | str | None
    how: str
    parts: list[dict[str, Any]]


class AsOf(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The moment that is asked for, by what was written down until then; none is now."""

    entry: Annotated[str, msgspec.Meta(description="Cursor of an entry of the feed: as things stood behind it.")] = ""
    season: Annotated[str, msgspec.Meta(description="Year and season, such as 2.3: as things stood at its end.")] = ""
    date: Annotated[
        str, msgspec.Meta(description="A date or a time (ISO 8601), in the campaign's zone if in none.")
    ] = ""


class WhyQuery(AsOf, kw_only=True, forbid_unknown_fields=True):
    """Which value: `stat:<pack>/<stat>`, `stat:<pack>/<stat>/<card>`, `rating:<pair>` or `rating:<pair>/<side>`."""

    name: str


def state_at(ask: Ask, query: AsOf) -> State:
    """The state of the moment that a query names; the present one where it names none."""
    zone = zone_of(ask.state, ask.now)
    moment = moment_of(ask.campaign_id, entry=query.entry, season=query.season, date=query.date, zone=zone)
    return ask.state if moment is None else as_of(ask.campaign_id, position=moment.position)


@register_read("subjects/<str:subject>/why", title="Why a value is what it is", answer=WhyRead, query=WhyQuery)
def why(ask: Ask) -> WhyRead:
    """With its parts, now or as of an entry, a season's end or a date."""
    state = state_at(ask, ask.query)
    require_known(ask.viewer, ask.path["subject"], ask.state, state)
    return why_read(explain(state, ask.viewer, ask.path["subject"], ask.query.name))


class ChangeRead(msgspec.Struct):
    """A value of the state that would be another: `about` whom, in which `part` and where, from what to what."""

    about: str
    part: str
    path: list[str]
    before: Any
    after: Any


class TakeBackRead(msgspec.Struct):
    """What taking an entry back would do (or, of a void, letting stand again). `shown`: what people have seen of it."""

    lifts: bool
    entries: list[EntryRead]
    changes: list[ChangeRead]
    more: int
    shown: list[str]


@register_read(
    "feed/<str:entry>/take-back", title="What taking an entry back would change", answer=TakeBackRead, roles=(GM,)
)
def take_back(ask: Ask) -> TakeBackRead:
    """To be read before `events.void` or `events.restore` is sent; refuses where they would."""
    entry = ask.path["entry"]
    lifts = isinstance(action_at(ask.campaign_id, entry, ask.state).named.event, EventsVoided)
    found = preview_restore(ask.campaign_id, entry) if lifts else preview_void(ask.campaign_id, entry)
    changes = [ChangeRead(c.about, c.part, list(c.path), c.before, c.after) for c in found.changes]
    return TakeBackRead(lifts, [entry_read(one) for one in found.entries], changes, found.more, found.shown)


def why_read(found: registry.Why) -> WhyRead:
    """As the API gives it."""
    return WhyRead(found.label, found.value, found.how, [msgspec.to_builtins(part) for part in found.parts])
