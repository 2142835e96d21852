"""Affiliations: who belongs to which body (a character to a faction or a house), from when to when.

The state holds those that run; those that have ended are a trail. Who plays a member of a body knows its sheet and acts
for it; nobody's own sheet changes by belonging anywhere. Ledger: SPI-005, 007, 008, 025, 139, 140.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Data, Event, Names, event_type, in_story
from campaigns.parts.calendar import day_said
from campaigns.parts.subjects import Subjects
from campaigns.state import State


class Affiliation(msgspec.Struct, frozen=True, kw_only=True):
    """That a subject belongs to a body, as what (``standing``, in the table's words), since an instant."""

    subject: str
    body: str
    standing: str
    since: datetime


class Affiliations(msgspec.Struct):
    """Part of the state: the affiliations that run, by id."""

    running: dict[str, Affiliation] = {}

    def members_of(self, body: str) -> list[str]:
        """The subjects that belong to a body, the longest there first."""
        return [one.subject for one in self.running.values() if one.body == body]

    def bodies_of(self, subject: str) -> list[str]:
        """The bodies that a subject belongs to."""
        return [one.body for one in self.running.values() if one.subject == subject]

    def between(self, subject: str, body: str) -> str:
        """The id of the affiliation that runs between the two, or an empty string."""
        return next((i for i, one in self.running.items() if (one.subject, one.body) == (subject, body)), "")


part = registry.part("affiliations", Affiliations)
_SHOWN: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD}


def _begun_said(d: Data, names: Names) -> str:
    standing = f" as {d['standing']}" if d["standing"] else ""
    day = day_said(d.get("day") or d["since"][:10])  # older entries hold none of their own zone
    return f"{names(d['subject'])} belongs to {names(d['body'])}{standing} since {day}."


@in_story
@event_type("affiliation.begun", shows=_SHOWN, says=_begun_said)
class AffiliationBegun(Event):
    """A subject belongs to a body from ``since`` on; ``day`` is that in the campaign's own zone (an ISO date)."""

    affiliation: str
    subject: str
    body: str
    standing: str
    since: datetime
    day: str = ""


@in_story
@event_type(
    "affiliation.ended",
    shows=_SHOWN,
    says=lambda d, names: (
        f"{names(d['subject'])} no longer belongs to {names(d['body'])}" + (f": {d['reason']}" if d["reason"] else ".")
    ),
)
class AffiliationEnded(Event):
    """It is over; the whole stretch is told, so that it is found without looking back."""

    affiliation: str
    subject: str
    body: str
    standing: str
    since: datetime
    until: datetime
    reason: str = ""


@part.evolves(AffiliationBegun)
def _begun(affiliations: Affiliations, event: AffiliationBegun, _position: int) -> None:
    affiliations.running[event.affiliation] = Affiliation(
        subject=event.subject, body=event.body, standing=event.standing, since=event.since
    )


@part.evolves(AffiliationEnded)
def _ended(affiliations: Affiliations, event: AffiliationEnded, _position: int) -> None:
    affiliations.running.pop(event.affiliation, None)


def known_by(state: State, member: str) -> frozenset[str]:
    """The subjects whose sheets a member of the table knows: those they play, and the bodies that these belong to.
    A hidden body is nobody's but the GM's and its own players'."""
    subjects, affiliations = state.part(Subjects), state.part(Affiliations)
    played = subjects.played_by(member)
    bodies = {body for subject in played if subjects.is_here(subject) for body in affiliations.bodies_of(subject)}
    return played | {body for body in bodies if body in subjects.by_id and not subjects.by_id[body].hidden}


def players_for(state: State, subject: str) -> list[str]:
    """The members of the table who act for a subject: its own players, or, of a body, those of its members."""
    subjects = state.part(Subjects).by_id
    if subject not in subjects:
        return []
    own = list(subjects[subject].players)
    belonging = [m for m in state.part(Affiliations).members_of(subject) if m in subjects and not subjects[m].away]
    return own or list(dict.fromkeys(player for m in belonging for player in subjects[m].players))
