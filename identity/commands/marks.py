"""Commands about marks: proposed by players, awarded by GMs, declined, voided. Ledger: SPI-036, 057, 059, 092, 093."""

from __future__ import annotations

from datetime import datetime

from campaigns.commands.subjects import known, require_acting
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.parts.calendar import typed
from campaigns.registry import Command, decides
from campaigns.state import State
from identity.parts import marks as m
from identity.parts import pairs as p
from rules import development as rd
from rules import pairs as rp
from rules.refusal import Refused


class ProposeMark(Command):
    """A player asks for a mark on a side of their subject's pair, for conduct at ``at`` (aware; None: now)."""

    subject: str
    side: str
    note: str
    at: datetime | None = None
    consequential: bool = True
    collective: bool = False
    source: str = ""
    tested: str | None = None


class AwardMark(Command):
    """A GM marks a side of a subject's pair for conduct at ``at`` (aware; None: now).

    ``consequential``: it had consequences; ``collective``: the subject acted as a body, where that is asked;
    ``source``: what it comes of, with ``tested``, the side a test was rolled on, where the source asks for it;
    ``sealed``: kept from the subject's players until it is settled.
    """

    subject: str
    side: str
    at: datetime | None = None
    consequential: bool = False
    collective: bool = False
    source: str = ""
    tested: str | None = None
    sealed: bool = False
    note: str = ""


class AcceptProposal(Command):
    """A GM awards the mark that a player proposed."""

    proposal: str
    note: str = ""


class DeclineProposal(Command):
    """A GM answers a proposal with no, or its player withdraws it."""

    proposal: str
    reason: str = ""


class VoidMark(Command):
    """A GM takes back a mark given in error, before it is settled."""

    mark: str
    reason: str


def _no_dice(_key: rd.FaceKey) -> int:
    raise AssertionError("marks roll nothing")


def _decide(state: State, command: rd.DevelopmentCommand, context: Context, by: rd.By = "gm") -> rd.DevelopmentEvent:
    return rd.decide(m.standing_of(state), command, context.now, by, _no_dice)[0]


def _drafts(state: State, event: rd.DevelopmentEvent, context: Context) -> list[Draft]:
    """A mark or the proposal of one, in its envelope: known to its holders, or while sealed to the GM alone."""
    assert isinstance(event, rd.MarkAwarded | rd.MarkProposed)
    title = m.side_title(p.pair_rules(state), event.kind, event.side)
    audience = p.audience_of(state, event.subject)
    happened_at = event.at if event.at != context.now else None
    told: m.MarkAwarded | m.MarkProposed
    if isinstance(event, rd.MarkProposed):
        told = typed(event, m.MarkProposed, title=title, by=context.member)
    else:
        told = typed(event, m.MarkAwarded, title=title)
        audience = GM_ONLY if event.sealed else audience
    return [Draft(told, audience=audience, holders=(event.subject,), happened_at=happened_at)]


@decides(ProposeMark, "mark.propose", roles=["player"], title="Proposing a mark")
def propose(state: State, command: ProposeMark, context: Context) -> list[Draft]:
    """By whoever plays the subject; it waits for the GM (SPI-059), or counts at once where the pack's setting lets the
    holder award."""
    require_acting(state, command.subject, context)
    plain = rd.AwardMark(
        mark=context.new_id(),
        subject=command.subject,
        side=command.side,
        at=command.at,
        consequential=command.consequential,
        collective=command.collective,
        source=command.source,
        tested=command.tested,
        note=cleaned("note", command.note, SENTENCE),
    )
    return _drafts(state, _decide(state, plain, context, "holder"), context)


@decides(AwardMark, "mark.award", roles=["gm"], title="Awarding a mark")
def award(state: State, command: AwardMark, context: Context) -> list[Draft]:
    """Limits count by when the conduct happened, in the campaign's own weeks and seasons."""
    known(state, command.subject, context)
    plain = rd.AwardMark(
        mark=context.new_id(),
        subject=command.subject,
        side=command.side,
        at=command.at,
        consequential=command.consequential,
        collective=command.collective,
        source=command.source,
        tested=command.tested,
        sealed=command.sealed,
        note=cleaned("note", command.note, SENTENCE, empty=True),
    )
    return _drafts(state, _decide(state, plain, context), context)


@decides(AcceptProposal, "mark.accept", roles=["gm"], title="Awarding a proposed mark")
def accept(state: State, command: AcceptProposal, context: Context) -> list[Draft]:
    """As it was proposed: side and time are the proposal's."""
    proposal = _waiting(state, command.proposal)
    note = cleaned("note", command.note, SENTENCE, empty=True) or proposal.note
    rules = p.pair_rules(state)
    side = rp.side_named(rules, rp.kind_named(rules, proposal.kind), proposal.side)
    binds = next((s.side for s in m.standing_of(state).rules.sources if s.id == proposal.source), "any")
    plain = rd.AwardMark(
        mark=context.new_id(),
        subject=proposal.subject,
        side=proposal.side,
        at=proposal.at,
        consequential=True,
        collective=True,
        source=proposal.source,
        # What was tested followed from the side, and was checked when the mark was proposed.
        tested=side.opposite.key if binds == "opposite" else side.key,
        note=note,
        proposal=proposal.id,
    )
    return _drafts(state, _decide(state, plain, context), context)


@decides(DeclineProposal, "mark.decline", roles=["gm", "player"], title="Declining a proposed mark")
def decline(state: State, command: DeclineProposal, context: Context) -> list[Draft]:
    """By a GM, or by whoever plays the subject, who then withdraws it."""
    proposal = _waiting(state, command.proposal)
    require_acting(state, proposal.subject, context, field="proposal")
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    event = _decide(state, rd.DeclineProposal(proposal=command.proposal, reason=reason), context)
    audience = p.audience_of(state, proposal.subject)
    return [Draft(typed(event, m.ProposalDeclined), audience=audience, holders=(proposal.subject,))]


@decides(VoidMark, "mark.void", roles=["gm"], title="Taking back a mark")
def void(state: State, command: VoidMark, context: Context) -> list[Draft]:
    """Frees the mark's week or season again; a settled mark stays (take the close back first)."""
    reason = cleaned("reason", command.reason, SENTENCE)
    event = _decide(state, rd.VoidMark(mark=command.mark, reason=reason), context)
    assert isinstance(event, rd.MarkVoided)
    audience = GM_ONLY if event.sealed else p.audience_of(state, event.subject)
    return [Draft(typed(event, m.MarkVoided), audience=audience, holders=(event.subject,))]


def _waiting(state: State, proposal: str) -> rd.Mark:
    found = state.part(m.Marks).kept.proposals.get(proposal)
    if found is None:
        raise Refused(
            "no_such_proposal",
            "There is no such proposal waiting.",
            field="proposal",
            value=proposal,
            right="one that has not been answered",
        )
    return found
