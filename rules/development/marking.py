"""Deciders for marks: awarded, proposed, declined, voided."""

import datetime as dt
from typing import Literal

from rules.calendar import period_name, zone_at
from rules.dates import day_said, time_said
from rules.development.commands import AwardMark, DeclineProposal, VoidMark
from rules.development.events import MarkAwarded, MarkProposed, MarkVoided, ProposalDeclined
from rules.development.limits import Eligibility, eligibility
from rules.development.rules import Source, cycle_of
from rules.development.state import Standing
from rules.faults import nearest
from rules.pairs import SideRef, kind_named, pairs_of, side_named
from rules.refusal import Refused

By = Literal["gm", "holder", "server"]


def award(standing: Standing, command: AwardMark, now: dt.datetime, by: By) -> MarkAwarded | MarkProposed:
    """A mark, or its proposal where the asker may not award (SPI-059).

    A sealed mark is not held to the limit here, nor an open one to the sealed marks beside it: whatever was answered
    would tell of them.
    """
    ref = _marked_side(standing, command)
    _check_conduct(standing, command, ref)
    at = _when(standing, command, now)
    able = eligibility(standing, command.subject, ref.pair.id, at)
    over_limit = able.code.startswith("pair_marked")
    if not able.possible and not (command.sealed and over_limit):
        raise not_now(standing, ref, able, at)
    source = command.source or standing.rules.sources[0].id
    if by == "holder" and standing.rules.awarder == "gm":
        _free_id(standing, command.mark)
        return MarkProposed(
            proposal=command.mark,
            subject=command.subject,
            kind=ref.kind.id,
            pair=ref.pair.id,
            side=ref.side.id,
            at=at,
            source=source,
            note=command.note,
        )
    _check_answer(standing, command)
    return MarkAwarded(
        mark=command.mark,
        subject=command.subject,
        kind=ref.kind.id,
        pair=ref.pair.id,
        side=ref.side.id,
        at=at,
        sealed=command.sealed,
        source=source,
        note=command.note,
        proposal=command.proposal,
    )


def decline(standing: Standing, command: DeclineProposal) -> ProposalDeclined:
    """A proposal answered with no."""
    proposal = standing.marks.proposals.get(command.proposal)
    if proposal is None:
        raise _no_proposal(command.proposal)
    return ProposalDeclined(proposal=command.proposal, subject=proposal.subject, reason=command.reason)


def void(standing: Standing, command: VoidMark) -> MarkVoided:
    """A mark taken back before it is settled."""
    mark = standing.marks.marks.get(command.mark)
    if mark is None:
        raise Refused(
            "no_such_mark",
            "There is no unsettled mark of that name.",
            field="mark",
            value=command.mark,
            right="a mark that is not settled or void",
        )
    return MarkVoided(mark=mark.id, subject=mark.subject, sealed=mark.sealed, reason=command.reason)


def not_now(standing: Standing, ref: SideRef, able: Eligibility, at: dt.datetime) -> Refused:
    """The refusal of a mark for conduct at that time, with the date from which it is possible."""
    right = f"conduct from {day_said(able.from_date)} on" if able.from_date else "a later time"
    if able.code == "does_not_develop":
        return Refused(able.code, f"{ref.kind.title} does not develop by marks.", field="side", value=ref.key)
    if able.code == "before_calendar":
        right = right if able.from_date else "start the calendar first"
        return Refused(able.code, "The calendar had not begun then.", field="at", value=at, right=right)
    cycle = cycle_of(standing.rules, ref.kind.id)
    if able.code.startswith("pair_marked"):
        name = period_name(standing.calendar_rules, standing.calendar, able.unit, able.number)
        titles = " / ".join(side.title for side in ref.pair.sides)
        return Refused(
            able.code, f"{titles} has its mark for {name} already.", field="side", value=ref.key, right=right
        )
    settles = cycle.settles if cycle else "period"
    return Refused(able.code, f"The {settles} of that time has been settled.", field="at", value=at, right=right)


def _marked_side(standing: Standing, command: AwardMark) -> SideRef:
    own = pairs_of(standing.pairs, command.subject)
    if not own.ready:
        raise Refused("still_in_creation", "The subject's pairs are still being made.", right="confirm them first")
    return side_named(standing.pair_rules, kind_named(standing.pair_rules, own.kind), command.side)


def _check_conduct(standing: Standing, command: AwardMark, ref: SideRef) -> None:
    cycle = cycle_of(standing.rules, ref.kind.id)
    if standing.rules.consequential and not command.consequential:
        raise Refused(
            "not_consequential",
            "Only conduct with consequences earns a mark.",
            field="consequential",
            value=False,
            right="say that it had consequences, if it had",
        )
    if cycle is not None and cycle.collective and not command.collective:
        raise Refused(
            "not_a_collective_decision",
            f"{ref.kind.title} is marked for what was decided or done together.",
            field="collective",
            value=False,
            right="a decision or act of the whole, or a mark for the member who acted",
        )
    source = _source(standing, command.source)
    if source.side == "any":
        return
    if command.tested is None:
        raise Refused("name_the_tested_side", f"{source.title} needs the side tested.", field="tested", right=ref.key)
    tested = side_named(standing.pair_rules, ref.kind, command.tested)
    wanted = tested if source.side == "tested" else tested.opposite
    if wanted.key != ref.key:
        raise Refused(
            "wrong_side_for_source",
            f"{source.title} on {tested.side.title} can only mark {wanted.side.title}.",
            field="side",
            value=command.side,
            right=wanted.key,
        )


def _source(standing: Standing, name: str) -> Source:
    sources = {source.id: source for source in standing.rules.sources}
    if not name:
        return standing.rules.sources[0]
    if name not in sources:
        raise Refused(
            "unknown_source",
            f"Marks do not come of {name!r}.",
            field="source",
            value=name,
            right=nearest(name, sources),
        )
    return sources[name]


def _when(standing: Standing, command: AwardMark, now: dt.datetime) -> dt.datetime:
    """The instant that counts for the limit (SPI-093)."""
    if command.at is None or standing.rules.mark_time == "recorded_at":
        return now
    if command.at.tzinfo is None:
        raise Refused("time_without_zone", "The time has no zone.", field="at", value=command.at, right="such as ...Z")
    if command.at > now:
        here = now.astimezone(zone_at(standing.calendar, 0)) if standing.calendar.zones else now
        raise Refused(
            "not_happened_yet",
            "Conduct in the future cannot be marked.",
            field="at",
            value=command.at,
            right=f"{time_said(here)} or earlier",
        )
    return command.at.astimezone(dt.UTC)


def _check_answer(standing: Standing, command: AwardMark) -> None:
    _free_id(standing, command.mark)
    if command.proposal is None:
        return
    proposal = standing.marks.proposals.get(command.proposal)
    if proposal is None:
        raise _no_proposal(command.proposal)
    if proposal.subject != command.subject:
        raise Refused(
            "other_subject",
            "The proposal is about another subject.",
            field="subject",
            value=command.subject,
            right=proposal.subject,
        )


def _free_id(standing: Standing, mark: str) -> None:
    if not mark or mark in standing.marks.marks or mark in standing.marks.proposals:
        raise Refused("mark_id_taken", "A mark needs an id of its own.", field="mark", value=mark, right="a new id")


def _no_proposal(proposal: str) -> Refused:
    return Refused(
        "no_such_proposal",
        "There is no such proposal waiting.",
        field="proposal",
        value=proposal,
        right="one that has not been answered",
    )
