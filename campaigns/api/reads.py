"""Reads of `campaigns`: the campaign itself, its members and settings, subjects, feed, links."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

from campaigns.api.reading import Ask, register_read
from campaigns.audience import Viewer
from campaigns.belonging import Stretch, stretches
from campaigns.chronicle import Chapter, StorySection, chapters, sections
from campaigns.door import token_for
from campaigns.events import GM, WATCHER
from campaigns.feed import Entry, newer, older, position_of
from campaigns.models import Campaign
from campaigns.notices.reading import Choice, HookRead, NoticeRead, choices, hooks, notices, unread
from campaigns.parts.subjects import Subjects, SubjectState
from campaigns.parts.table import Link, Table
from campaigns.pursuing import PursuitsRead, pursuits_read
from rules.refusal import Refused

MOST = 200


class Seat(msgspec.Struct):
    """A member of the table."""

    member: str
    name: str
    role: str
    is_owner: bool


class CampaignRead(msgspec.Struct):
    """A campaign as one may see it; watchers see its name and calendar alone, and the rest is null for them."""

    campaign: str
    name: str
    role: str
    calendar: str
    member: str | None = None
    plays: list[str] | None = None
    members: list[Seat] | None = None
    packs: dict[str, str] | None = None
    settings: dict[str, bool | int | str] | None = None
    erase_asked_at: datetime | None = None


class SubjectRead(msgspec.Struct):
    """Anything with a sheet. `players` are member ids; watchers are not told them."""

    subject: str
    kind: str
    name: str
    players: list[str] | None = None
    hidden: bool | None = None
    away: bool = False


class SubjectsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which subjects."""

    away: Annotated[bool, msgspec.Meta(description="Those that were put away, in place of those that are here.")] = (
        False
    )


class SubjectsRead(msgspec.Struct):
    """The subjects one may see, by name."""

    subjects: list[SubjectRead]


class EntryRead(msgspec.Struct):
    """One event as its viewer may see it. `data` are the fields shown; `says` tells it in a sentence.

    `act` is alike for the events of one command, which came about together. `few`: others at the table do not see it.

    `at` is when it happened in play, `recorded` when it was written; the feed is in the order of writing.
    """

    cursor: str
    type: str
    act: str
    at: str
    recorded: str
    actor: dict[str, str]
    stamp: dict[str, int]
    says: str
    data: dict[str, Any]
    voided: bool
    few: bool


class FeedRead(msgspec.Struct):
    """A page of the feed. `more` says whether there is more in the direction asked for."""

    entries: list[EntryRead]
    more: bool


class FeedQuery(msgspec.Struct, forbid_unknown_fields=True):
    """`after` gives what came since, oldest first; `before` what came earlier, newest first; neither the newest."""

    after: (
        Annotated[str, msgspec.Meta(description="Cursor of the last entry seen; empty for the beginning.")] | None
    ) = None
    before: Annotated[str, msgspec.Meta(description="Cursor of the oldest entry seen.")] | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = 50


class LinkRead(msgspec.Struct):
    """An invitation or watcher's link. `token` is its secret: whoever has it may use the link."""

    link: str
    role: str
    expires_at: datetime | None
    uses_left: int | None
    token: str | None = None


class LinksRead(msgspec.Struct):
    """The links that are not revoked."""

    links: list[LinkRead]


def entry_read(entry: Entry) -> EntryRead:
    """An entry of the feed as the API gives it."""
    return EntryRead(cursor=entry.cursor, **entry.view)


@register_read("", title="The campaign", answer=CampaignRead)
def campaign(ask: Ask) -> CampaignRead:
    """Name, members, packs, settings and where the calendar stands."""
    table, viewer = ask.state.part(Table), ask.viewer
    calendar = Campaign.objects.values_list("calendar", flat=True).get(pk=ask.campaign_id)
    answer = CampaignRead(str(ask.campaign_id), table.name, viewer.role, calendar, viewer.member or None)
    if viewer.role == WATCHER:
        return answer
    answer.plays = sorted(viewer.plays & ask.state.part(Subjects).here().keys())
    answer.members = [Seat(i, m.name, m.role, i == table.owner) for i, m in table.members.items() if m.role]
    answer.packs, answer.settings = table.packs, table.settings
    answer.erase_asked_at = table.erase_asked_at
    return answer


def sees_subject(viewer: Viewer, subject_id: str, subject: SubjectState) -> bool:
    """Whether a subject exists for the viewer."""
    return not subject.hidden or viewer.role == GM or subject_id in viewer.knows


def subject_read(viewer: Viewer, subject_id: str, subject: SubjectState) -> SubjectRead:
    """A subject as the viewer may see it."""
    answer = SubjectRead(subject_id, subject.kind, subject.name, away=subject.away)
    if viewer.role != WATCHER:
        answer.players = list(subject.players)
    if viewer.role == GM:
        answer.hidden = subject.hidden
    return answer


@register_read("subjects", title="Subjects", answer=SubjectsRead, query=SubjectsQuery)
def subjects(ask: Ask) -> SubjectsRead:
    """Everything with a sheet that exists for the asker and was not put away (or was)."""
    query: SubjectsQuery = ask.query
    seen = [
        subject_read(ask.viewer, i, s)
        for i, s in ask.state.part(Subjects).by_id.items()
        if s.away == query.away and sees_subject(ask.viewer, i, s)
    ]
    return SubjectsRead(sorted(seen, key=lambda s: (s.name.casefold(), s.subject)))


@register_read("subjects/<str:subject>", title="One subject", answer=SubjectRead)
def one_subject(ask: Ask) -> SubjectRead:
    """A subject by its id."""
    subject_id = ask.path["subject"]
    found = ask.state.part(Subjects).by_id.get(subject_id)
    if found is None or not sees_subject(ask.viewer, subject_id, found):
        raise Refused("not_found", "There is no such subject.", field="subject", value=subject_id)
    return subject_read(ask.viewer, subject_id, found)


class ChapterRead(msgspec.Struct):
    """A chapter of the chronicle with its sessions."""

    chapter: Chapter
    sections: list[StorySection]


class ChronicleRead(msgspec.Struct):
    """Chapters of the chronicle: a season, a year, or all there is of one subject."""

    chapters: list[ChapterRead]


class ChronicleQuery(msgspec.Struct, forbid_unknown_fields=True):
    """``year`` (0: before the calendar) and ``season`` narrow; ``subject`` tells of one subject. Without any, the
    chapter that runs."""

    year: int | None = None
    season: int | None = None
    subject: str = ""


@register_read("chronicle", title="The chronicle", answer=ChronicleRead, query=ChronicleQuery)
def chronicle(ask: Ask) -> ChronicleRead:
    """The story as the asker may know it; what was taken back is told as such."""
    query: ChronicleQuery = ask.query
    if query.subject:
        found = ask.state.part(Subjects).by_id.get(query.subject)
        if found is None or not sees_subject(ask.viewer, query.subject, found):
            raise Refused("not_found", "There is no such subject.", field="subject", value=query.subject)
    every = chapters(ask.state, ask.now)
    if query.year is not None:
        chosen = [c for c in every if c.year == query.year and query.season in (None, c.season)]
    else:
        chosen = every if query.subject else every[-1:]
    told = [ChapterRead(c, sections(ask.state, ask.viewer, c, query.subject)) for c in chosen]
    return ChronicleRead([one for one in told if one.sections or not query.subject])


class NoticesRead(msgspec.Struct):
    """The asker's own notices, newest first, and how many are unread."""

    unread: int
    notices: list[NoticeRead]
    choices: list[Choice]


@register_read("notices", title="One's own notices", answer=NoticesRead)
def own_notices(ask: Ask) -> NoticesRead:
    """What the asker was told, and how they are told of each kind of news; empty for who has no seat."""
    told = choices(ask.state, ask.viewer) if ask.viewer.member else []
    return NoticesRead(unread(ask.viewer), notices(ask.state, ask.viewer), told)


class HooksRead(msgspec.Struct):
    """The webhooks of the campaign, without their addresses."""

    hooks: list[HookRead]


@register_read("hooks", title="Webhooks", answer=HooksRead, roles=(GM,))
def every_hook(ask: Ask) -> HooksRead:
    """What each hears, and how the last message fared."""
    return HooksRead(hooks(ask.state, ask.campaign_id))


class StretchesRead(msgspec.Struct):
    """Who belongs to whom, now (`until` is null) and before."""

    affiliations: list[Stretch]


@register_read("subjects/<str:subject>/affiliations", title="What a subject belongs to", answer=StretchesRead)
def affiliations(ask: Ask) -> StretchesRead:
    """What it belongs to and what belongs to it, as far as both are known to the asker."""
    subject_id = ask.path["subject"]
    found = ask.state.part(Subjects).by_id.get(subject_id)
    if found is None or not sees_subject(ask.viewer, subject_id, found):
        raise Refused("not_found", "There is no such subject.", field="subject", value=subject_id)
    return StretchesRead(stretches(ask.state, ask.viewer, subject_id))


@register_read("feed", title="The feed", answer=FeedRead, query=FeedQuery)
def feed(ask: Ask) -> FeedRead:
    """What happened, as far as the asker may see it, a page at a time."""
    query: FeedQuery = ask.query
    if query.after is not None and query.before is not None:
        raise Refused(
            "wrong_value", "Ask in one direction.", field="before", value=query.before, right="after or before"
        )
    if query.after is not None:
        position = position_of(ask.campaign_id, query.after) if query.after else 0
        entries = newer(ask.state, ask.viewer, position, query.limit + 1)
    else:
        position = position_of(ask.campaign_id, query.before) if query.before else ask.state.position + 1
        entries = older(ask.state, ask.viewer, position, query.limit + 1)
    return FeedRead([entry_read(e) for e in entries[: query.limit]], len(entries) > query.limit)


def _link_read(link_id: str, link: Link) -> LinkRead:
    return LinkRead(link_id, link.role, link.expires_at, link.uses_left)


@register_read("links", title="Links", answer=LinksRead, roles=(GM,))
def links(ask: Ask) -> LinksRead:
    """Invitations and watchers' links, without their secrets."""
    return LinksRead([_link_read(i, link) for i, link in ask.state.part(Table).links.items()])


@register_read("links/<str:link>", title="One link with its token", answer=LinkRead, roles=(GM,))
def one_link(ask: Ask) -> LinkRead:
    """A link and its secret. What makes somebody GM is shown to the owner alone, who alone may make it."""
    link_id = ask.path["link"]
    found = ask.state.part(Table).links.get(link_id)
    if found is None:
        raise Refused("not_found", "There is no such link.", field="link", value=link_id)
    answer = _link_read(link_id, found)
    answer.token = token_for(ask.state, ask.viewer, link_id)
    return answer


@register_read("pursuits", title="Pursuits", answer=PursuitsRead, roles=("gm", "player"))
def pursuits(ask: Ask) -> PursuitsRead:
    """What is open, proposed, due, closed, and still to be chosen, as the viewer may know it."""
    return pursuits_read(ask.state, ask.viewer, ask.now) or PursuitsRead()
