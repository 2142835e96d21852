"""Projections of `campaigns`: the campaign's own row, its members, its subjects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from campaigns import models
from campaigns.events import HOLDERS, Event, Recorded, story_bodies
from campaigns.packs import packed
from campaigns.parts import affiliations as a
from campaigns.parts import calendar as c
from campaigns.parts import packs as pk
from campaigns.parts import pursuits as pu
from campaigns.parts import subjects as s
from campaigns.parts import table as t
from campaigns.registry import Key, Projection, Trail, due_at, dues_change, projection, trail
from campaigns.state import State

MEMBER_BODIES = (t.OwnerChanged, t.MemberJoined, t.MemberRoleChanged, t.MemberLeft)


def _members_touched(event: t.OwnerChanged | t.MemberJoined | t.MemberRoleChanged | t.MemberLeft) -> Iterable[Key]:
    return [(event.member,), (event.before,)] if isinstance(event, t.OwnerChanged) else [(event.member,)]


def _member_row(state: State, key: Key) -> Mapping[str, Any] | None:
    table = state.part(t.Table)
    member = table.members.get(key[0])
    if member is None:
        return None
    return {"user_id": member.user or None, "name": member.name, "role": member.role, "is_owner": key[0] == table.owner}


SUBJECT_BODIES = (
    s.SubjectCreated,
    s.SubjectRenamed,
    s.SubjectPlayersChanged,
    s.SubjectRevealed,
    s.SubjectPutAway,
    s.SubjectBroughtBack,
)


def _subject_row(state: State, key: Key) -> Mapping[str, Any] | None:
    subject = state.part(s.Subjects).by_id.get(key[0])
    if subject is None:
        return None
    return {name: getattr(subject, name) for name in ("kind", "name", "hidden", "away", "players")}


def _affiliation_row(state: State, key: Key) -> Mapping[str, Any] | None:
    one = state.part(a.Affiliations).running.get(key[0])
    return None if one is None else {name: getattr(one, name) for name in ("subject", "body", "standing", "since")}


def _brought(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    event = recorded.event
    assert isinstance(event, pk.PackBrought)
    files = packed({name: text.encode() for name, text in event.files.items()})
    return [{"pack": event.pack, "version": event.version, "digest": event.digest, "files": files}]


def _ended(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    event = recorded.event
    assert isinstance(event, a.AffiliationEnded)
    return [{name: getattr(event, name) for name in ("affiliation", "subject", "body", "standing", "since", "until")}]


PURSUIT_BODIES = tuple(body for body in pu.BODIES.values() if body is not pu.AwardedWithout)


def _pursuit_row(state: State, key: Key) -> Mapping[str, Any] | None:
    found = state.part(pu.Pursuits).kept.pursuits.get(key[0])
    if found is None:
        return None
    stands = models.Pursuit.OPEN if found.open else models.Pursuit.PROPOSED
    shared = pu.audience_of(state, found.owner, found.shared) != HOLDERS
    return {"kind": found.kind, "owner": found.owner, "words": found.words, "state": stands, "shared": shared}


def _story(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    """One row for the table, one for each subject that it is about or who takes part."""
    at = recorded.happened_at or recorded.recorded_at
    about = dict.fromkeys(["", *recorded.holders, *getattr(recorded.event, "participants", ())])
    return [{"subject": subject, "at": at} for subject in about]


CAMPAIGN_BODIES = (t.CampaignStarted, t.CampaignRenamed, t.ErasureAsked, t.ErasureWithdrawn)


def _campaign_row(state: State, _key: Key) -> Mapping[str, Any] | None:
    table = state.part(t.Table)
    return {"name": table.name, "deleted_at": table.erase_asked_at}


def _calendar_row(state: State, _key: Key) -> Mapping[str, Any] | None:
    # Nothing falls due in a campaign that is to be erased; so the search for what is due needs one index only.
    erasing = state.part(t.Table).erase_asked_at is not None
    return {"calendar": c.words(state), "due_at": None if erasing else due_at(state)}


def _calendar_bodies() -> tuple[type[Event], ...]:
    return (*c.CLOCK_EVENTS, t.ErasureAsked, t.ErasureWithdrawn, *dues_change)


def _own(_of: State | Event) -> list[Key]:
    """The key of the campaign's own row."""
    return [()]


projection(Projection("calendar", models.Campaign, (), _calendar_bodies, _own, _own, _calendar_row))
projection(Projection("campaign", models.Campaign, (), CAMPAIGN_BODIES, _own, _own, _campaign_row))
projection(
    Projection(
        "members",
        models.Member,
        ("member",),
        MEMBER_BODIES,
        _members_touched,
        lambda state: [(m,) for m in state.part(t.Table).members],
        _member_row,
    )
)
projection(
    Projection(
        "subjects",
        models.Subject,
        ("subject",),
        SUBJECT_BODIES,
        lambda event: [(event.subject,)],
        lambda state: [(i,) for i in state.part(s.Subjects).by_id],
        _subject_row,
    )
)
projection(
    Projection(
        "affiliations",
        models.Affiliation,
        ("affiliation",),
        (a.AffiliationBegun, a.AffiliationEnded),
        lambda event: [(event.affiliation,)],
        lambda state: [(i,) for i in state.part(a.Affiliations).running],
        _affiliation_row,
    )
)
trail(Trail("ended_affiliations", models.EndedAffiliation, (a.AffiliationEnded,), _ended))
projection(
    Projection(
        "pursuits",
        models.Pursuit,
        ("pursuit",),
        PURSUIT_BODIES,
        lambda event: [(event.pursuit,)],
        lambda state: [(i,) for i in state.part(pu.Pursuits).kept.pursuits],
        _pursuit_row,
    )
)
trail(Trail("pursuit_ends", models.PursuitEnd, (pu.PursuitResolved, pu.PursuitAbandoned), lambda recorded: [{}]))
trail(Trail("own_packs", models.OwnPack, (pk.PackBrought,), _brought, keeps_voided=True))
trail(Trail("story", models.StoryLine, story_bodies, _story, keeps_voided=True))
