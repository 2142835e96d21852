"""Who belongs to whom, now and before, as one viewer may know it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import msgspec

from campaigns.audience import Viewer
from campaigns.events import GM, WATCHER
from campaigns.models import EndedAffiliation
from campaigns.parts.affiliations import Affiliations
from campaigns.parts.subjects import Subjects
from campaigns.state import State


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """That a subject belonged to a body, from ``since`` to ``until`` (None: it still does)."""

    affiliation: str
    subject: str
    subject_name: str
    body: str
    body_name: str
    standing: str
    since: datetime
    until: datetime | None


def stretches(state: State, viewer: Viewer, subject: str) -> list[Stretch]:
    """All that a subject belonged to and all that belonged to it, those that last first, then the latest ended.
    Nothing of hidden subjects for those who do not know them, and nothing that lasts of who was put away; nothing at
    all for watchers."""
    if viewer.role == WATCHER:
        return []
    running = state.part(Affiliations).running.items()
    found = [(i, one.subject, one.body, one.standing, one.since, None) for i, one in running]
    past = state.once("ended affiliations", lambda: _ended(viewer.campaign_id))
    return [
        stretch
        for row in [*found, *past]
        if subject in row[1:3] and (stretch := _stretch(state, viewer, *row)) is not None
    ]


def _ended(campaign_id: UUID) -> list[tuple[str, str, str, str, datetime, datetime]]:
    """All that have ended, the latest first, as rows of what makes a stretch."""
    ended = EndedAffiliation.objects.filter(campaign_id=campaign_id).order_by("-until", "-position")
    return [(r.affiliation, r.subject, r.body, r.standing, r.since, r.until) for r in ended]


def _stretch(  # noqa: PLR0913  (the fields of a row)
    state: State,
    viewer: Viewer,
    affiliation: str,
    subject: str,
    body: str,
    standing: str,
    since: datetime,
    until: datetime | None,
) -> Stretch | None:
    subjects = state.part(Subjects).by_id
    for one in (subject, body):
        if one not in subjects or (subjects[one].hidden and viewer.role != GM and one not in viewer.plays):
            return None
        if until is None and subjects[one].away:
            return None
    return Stretch(
        affiliation=affiliation,
        subject=subject,
        subject_name=subjects[subject].name,
        body=body,
        body_name=subjects[body].name,
        standing=standing,
        since=since,
        until=until,
    )
