"""Belonging to a body: beginning it and ending it, with the stretch of time it lasted."""

from __future__ import annotations

from datetime import datetime

from campaigns.commands.subjects import known
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, TABLE, Draft
from campaigns.packs import Packs
from campaigns.parts import affiliations as a
from campaigns.parts.calendar import zone_of
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command, decides
from campaigns.state import State
from rules.dates import day_said
from rules.refusal import Refused


class BeginAffiliation(Command):
    """A subject belongs to a body (``body``, a subject whose kind takes members), perhaps as something (``standing``),
    since an instant (aware; None: now)."""

    subject: str
    body: str
    standing: str = ""
    since: datetime | None = None


class EndAffiliation(Command):
    """It is over, from an instant on (aware; None: now)."""

    affiliation: str
    until: datetime | None = None
    reason: str = ""


def members_taken(state: State, kind: str) -> tuple[str, ...]:
    """The kinds of subjects that can belong to one of a kind, as the campaign's packs say."""
    packs = Packs(state)
    plans = [packs.get(pack).kinds for pack in packs.ids()]
    return tuple(dict.fromkeys(member for kinds in plans if kind in kinds for member in kinds[kind].members))


def _instant(field: str, given: datetime | None, context: Context) -> datetime:
    if given is None:
        return context.now
    if given.tzinfo is None:
        raise Refused("time_without_zone", "The time has no zone.", field=field, value=given, right="such as ...Z")
    if given > context.now:
        raise Refused("not_happened_yet", "That lies in the future.", field=field, value=given, right="now or earlier")
    return given


def _audience(state: State, *subjects: str) -> str:
    """The table's, unless one of the two is hidden."""
    by_id = state.part(Subjects).by_id
    return GM_ONLY if any(i in by_id and by_id[i].hidden for i in subjects) else TABLE


@decides(BeginAffiliation, "affiliation.begin", roles=["gm"], title="Taking somebody in")
def begin(state: State, command: BeginAffiliation, context: Context) -> list[Draft]:
    """Once at a time between the same two."""
    subject, body = known(state, command.subject, context), known(state, command.body, context, "body")
    takes = members_taken(state, body.kind)
    if subject.kind not in takes:
        right = f"a {' or '.join(takes)}" if takes else "a body that takes members"
        field, value = ("subject", subject.kind) if takes else ("body", body.kind)
        raise Refused(
            "wrong_kind", f"A {subject.kind} cannot belong to a {body.kind}.", field=field, value=value, right=right
        )
    if state.part(a.Affiliations).between(command.subject, command.body):
        message = f"{subject.name} belongs to {body.name} already."
        raise Refused("already_there", message, field="subject", value=command.subject, right="end that first")
    since = _instant("since", command.since, context)
    event = a.AffiliationBegun(
        affiliation=context.new_id(),
        subject=command.subject,
        body=command.body,
        standing=cleaned("standing", command.standing, empty=True),
        since=since,
        day=since.astimezone(zone_of(state, since)).date().isoformat(),
    )
    return [_draft(state, event, since, context)]


@decides(EndAffiliation, "affiliation.end", roles=["gm"], title="Letting somebody go")
def end(state: State, command: EndAffiliation, context: Context) -> list[Draft]:
    """Not before it began."""
    found = state.part(a.Affiliations).running.get(command.affiliation)
    if found is None:
        raise Refused(
            "not_there", "Nobody belongs anywhere by this id.", field="affiliation", value=command.affiliation
        )
    until = _instant("until", command.until, context)
    if until < found.since:
        right = f"{day_said(found.since)} or later"
        raise Refused("ends_before_it_begins", "It had not begun then.", field="until", value=until, right=right)
    event = a.AffiliationEnded(
        affiliation=command.affiliation,
        subject=found.subject,
        body=found.body,
        standing=found.standing,
        since=found.since,
        until=until,
        reason=cleaned("reason", command.reason, SENTENCE, empty=True),
    )
    return [_draft(state, event, until, context)]


def _draft(state: State, event: a.AffiliationBegun | a.AffiliationEnded, at: datetime, context: Context) -> Draft:
    happened_at = at if at != context.now else None
    audience = _audience(state, event.subject, event.body)
    return Draft(event, audience=audience, holders=(event.subject, event.body), happened_at=happened_at)
