"""Commands about Pursuits: written, agreed to, moved on, resolved, given up; and the job that gives what they earn."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from campaigns.commands.subjects import known, require_player
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import HOLDERS, TABLE, Draft
from campaigns.giving import Giving, give
from campaigns.job_ids import job_id
from campaigns.parts import pursuits as p
from campaigns.parts.affiliations import players_for
from campaigns.parts.calendar import Calendar
from campaigns.parts.sheets import Change, SheetChanged, Sheets
from campaigns.parts.subjects import Subjects
from campaigns.registry import Award, Command, Duty, choices_of, decides, does_due, holding
from campaigns.state import State
from rules import pursuits as ru
from rules.packs import Pack
from rules.packs.values import Misfit, fit
from rules.refusal import Refused


class WritePursuit(Command):
    """Writes a Pursuit in a sentence of one's own. ``owner`` is a subject, empty for the party's; ``stages`` are the
    steps that it is broken into; ``given`` and ``weeks`` are for what brings something settled beforehand, in time."""

    kind: str
    words: str
    owner: str = ""
    stages: tuple[str, ...] = ()
    given: dict[str, Any] = {}
    weeks: int = 0


class AgreePursuit(Command):
    """Says yes (or no) to a proposed Pursuit. ``words`` and ``stages``: those that were read; refused where it was put
    otherwise since. Left out: as they are now."""

    pursuit: str
    agrees: bool = True
    words: str = ""
    stages: tuple[str, ...] | None = None


class RewordPursuit(Command):
    """Gives a Pursuit other words, or other stages still to come (None: as they are)."""

    pursuit: str
    words: str
    stages: tuple[str, ...] | None = None


class SharePursuit(Command):
    """Lets the table read a private Pursuit."""

    pursuit: str


class ClaimAdvance(Command):
    """A player says that their Pursuit advanced, and how; a GM answers."""

    pursuit: str
    note: str


class DeclineAdvance(Command):
    """A GM says that it did not advance, or its player takes the word back. ``claim``: the word that this answers, as
    it was read; refused where it was answered since."""

    pursuit: str
    reason: str = ""
    claim: str | None = None


class AdvancePursuit(Command):
    """A GM says that a Pursuit advanced in earnest. ``claim``: the word that this answers, ``moves``: how often it had
    moved on, as they were read; refused where somebody else has answered or moved it on since."""

    pursuit: str
    note: str = ""
    claim: str | None = None
    moves: int | None = None


class CompleteStage(Command):
    """A GM says that the stage that comes next is done. ``moves``: as for an advance."""

    pursuit: str
    note: str = ""
    moves: int | None = None


class ResolvePursuit(Command):
    """A GM closes a Pursuit as reached. ``earns``: reaching it counts as one more advance, where advances are what is
    given for. ``by_calendar`` is the job's: its weeks are over."""

    pursuit: str
    note: str = ""
    earns: bool = True
    by_calendar: bool = False


class AbandonPursuit(Command):
    """Gives a Pursuit up, or takes a proposal back. It costs nothing."""

    pursuit: str
    reason: str = ""


class AwardWithout(Command):
    """A GM gives a subject what a kind of Pursuits gives, though none is open, and says why."""

    kind: str
    owner: str
    reason: str


class GiveAward(Command):
    """Gives the whole party what a Pursuit has earned. ``attempt`` is the place of what it was earned by."""

    pursuit: str
    attempt: int


class RemindChoice(Command):
    """Reminds the players of a subject of choices they have still to make, for the ``number``-th time."""

    subject: str
    number: int


def _rules(state: State) -> tuple[str, ru.PursuitRules]:
    found = p.pursuit_rules(state)
    if found is None:
        raise Refused("no_pursuits", "None of the campaign's packs has Pursuits.", right="a pack with some")
    return found


def _mine(state: State, owner: str, context: Context, field: str) -> None:
    """Refuses whoever neither plays the owner nor is GM; a party's Pursuit is every player's."""
    if owner:
        require_player(known(state, owner, context, field), context)


def known_pursuit(state: State, pursuit: str, context: Context) -> ru.Pursuit:
    """The Pursuit, if it exists for the sender: a private one does not for other players."""
    found = state.part(p.Pursuits).kept.pursuits.get(pursuit)
    if found is not None and found.owner and found.owner not in state.part(Subjects).by_id:
        found = None  # whoever it was of was never there after all
    plays = found is not None and context.member in players_for(state, found.owner)
    private = found is not None and p.audience_of(state, found.owner, found.shared) == HOLDERS
    if found is None or (private and not (context.is_gm or plays)):
        raise Refused("no_such_pursuit", "It is closed, or never was.", field="pursuit", value=pursuit)
    return found


def _owner_here(state: State, found: ru.Pursuit, context: Context) -> None:
    """Refuses what would move on the Pursuit of one who was put away; it rests until they are back."""
    if found.owner:
        known(state, found.owner, context, "pursuit")


def _decide(state: State, command: ru.PursuitCommand, context: Context) -> list[ru.PursuitEvent]:
    by: ru.By = "server" if context.role == "job" else "gm" if context.is_gm else "holder"
    at = ru.At(now=context.now, by=by, position=state.position + 1)
    return ru.decide(_rules(state)[1], state.part(p.Pursuits).kept, command, p.company_of(state), at)


def _drafts(state: State, events: list[ru.PursuitEvent], shared: bool, context: Context) -> list[Draft]:
    """The events in their envelopes, and what one subject's own Pursuit gives at once."""
    drafts: list[Draft] = []
    on_sheets: list[Draft] = []
    for event in events:
        audience = p.audience_of(state, event.owner, shared or isinstance(event, ru.PursuitShared))
        body = p.BODIES[type(event)]
        told = body(**{name: getattr(event, name) for name in event.__struct_fields__})
        holders = (event.owner,) if event.owner else ()
        drafts.append(Draft(told, audience=audience, holders=holders))
        on_sheets += _on_sheet(state, event)
        award = getattr(event, "award", "")
        if award and event.owner:
            cause = state.position + len(drafts)
            drafts += _given(state, event, award, cause, audience, context)
    return drafts + on_sheets


def _on_sheet(state: State, event: ru.PursuitEvent) -> list[Draft]:
    """What stands on the owner's sheet of what is open, where the pack keeps it there."""
    pack, rules = _rules(state)
    kind = rules.kind(event.kind)
    found = state.part(p.Pursuits).kept.pursuits.get(event.pursuit)
    stands = _stands(event, found is not None and found.open)
    if kind is None or not kind.stat or not event.owner or stands is None:
        return []
    before = state.part(Sheets).sheet(event.owner, pack).values.get(kind.stat, "")
    if before == stands:
        return []
    change = Change(stat=kind.stat, before=before, after=stands)
    told = SheetChanged(subject=event.owner, pack=pack, changes=(change,), reason=kind.title)
    return [Draft(told, audience=HOLDERS, holders=(event.owner,))]


def _stands(event: ru.PursuitEvent, was_open: bool) -> str | None:
    """The words that are open after an event; None where it changes nothing about that."""
    match event:
        case ru.PursuitWritten(open=True, words=words) | ru.PursuitOpened(words=words):
            return words
        case ru.PursuitReworded(words=words) if was_open:
            return words
        case ru.PursuitResolved() | ru.PursuitAbandoned() if was_open:
            return ""
    return None


def _given(state: State, event: Any, award: str, cause: int, audience: str, context: Context) -> list[Draft]:
    pack, rules = _rules(state)
    kind = ru.kind_named(rules, event.kind)
    found = state.part(p.Pursuits).kept.pursuits.get(event.pursuit)
    # What is given is told to the table; what a private one says is not.
    reason = kind.title if audience == HOLDERS else getattr(event, "reason", "") or event.words
    what = Award(award, pack, kind.gives.grant, (event.owner,), reason, cause)
    giving = Giving(pack, kind, what, event.pursuit, audience, found.given if found else {})
    return give(state, giving, context)


@decides(WritePursuit, "pursuit.write", roles=["gm", "player"], title="Writing a Pursuit")
def write(state: State, command: WritePursuit, context: Context) -> list[Draft]:
    """One's own by its player (or the GM for it); the party's by anybody at the table, as a proposal."""
    pack, rules = _rules(state)
    kind = ru.kind_named(rules, command.kind)
    _mine(state, command.owner, context, "owner")
    plain = ru.WritePursuit(
        pursuit=context.new_id(),
        kind=command.kind,
        owner=command.owner,
        words=cleaned("words", command.words, SENTENCE),
        member=context.member,
        stages=tuple(cleaned("stages", stage, SENTENCE) for stage in command.stages),
        given=_fitted(context.packs.get(pack), kind, command.given),
        weeks=command.weeks,
    )
    return _drafts(state, _decide(state, plain, context), kind.seen == "table", context)


def _fitted(pack: Pack, kind: ru.PursuitKind, given: dict[str, Any]) -> dict[str, Any]:
    """The inputs of the kind's gift, each fitting what its test takes."""
    found = {}
    for name, value in given.items():
        spec = pack.test(kind.gives.test).spec.inputs.get(name) if kind.gives.test else None
        if spec is None or name not in kind.gives.inputs:
            right = "one of " + ", ".join(kind.gives.inputs) if kind.gives.inputs else "none"
            raise Refused("unknown_input", "Nothing takes this.", field=f"given.{name}", value=value, right=right)
        try:
            found[name] = fit(spec, value, pack.words)
        except Misfit as error:
            field = f"given.{name}"
            raise Refused("wrong_value", error.message, field=field, value=value, right=error.suggestion) from None
    return found


@decides(AgreePursuit, "pursuit.agree", roles=["gm", "player"], title="Agreeing to a Pursuit")
def agree(state: State, command: AgreePursuit, context: Context) -> list[Draft]:
    """It opens with the last consent that it takes."""
    found = known_pursuit(state, command.pursuit, context)
    _owner_here(state, found, context)
    plain = ru.AgreePursuit(
        pursuit=command.pursuit,
        member=context.member,
        agrees=command.agrees,
        words=command.words,
        stages=command.stages,
    )
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(RewordPursuit, "pursuit.reword", roles=["gm", "player"], title="Rewording a Pursuit")
def reword(state: State, command: RewordPursuit, context: Context) -> list[Draft]:
    """By its player or a GM; what everybody agreed to keeps its words, its stages may be cut otherwise."""
    found = known_pursuit(state, command.pursuit, context)
    _mine(state, found.owner, context, "pursuit")
    stages = command.stages
    plain = ru.RewordPursuit(
        pursuit=command.pursuit,
        words=cleaned("words", command.words, SENTENCE),
        member=context.member,
        stages=None if stages is None else tuple(cleaned("stages", stage, SENTENCE) for stage in stages),
    )
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(SharePursuit, "pursuit.share", roles=["gm", "player"], title="Sharing a Pursuit")
def share(state: State, command: SharePursuit, context: Context) -> list[Draft]:
    """Its player's to decide, not the GM's, where somebody plays its owner."""
    found = known_pursuit(state, command.pursuit, context)
    subject = known(state, found.owner, context, "pursuit") if found.owner else None
    allowed = subject is None or context.member in subject.players or not subject.players
    context.require(allowed, "players_own", "Its player decides who reads it.", right="its player")
    return _drafts(state, _decide(state, ru.SharePursuit(pursuit=command.pursuit), context), found.shared, context)


@decides(ClaimAdvance, "pursuit.claim", roles=["player"], title="Saying that a Pursuit advanced")
def claim(state: State, command: ClaimAdvance, context: Context) -> list[Draft]:
    """By whoever plays its owner; of the party's, by any player."""
    found = known_pursuit(state, command.pursuit, context)
    _mine(state, found.owner, context, "pursuit")
    plain = ru.ClaimAdvance(pursuit=command.pursuit, note=cleaned("note", command.note, SENTENCE))
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(DeclineAdvance, "pursuit.decline", roles=["gm", "player"], title="Declining an advance")
def decline(state: State, command: DeclineAdvance, context: Context) -> list[Draft]:
    """By a GM, or by its player, who takes the word back."""
    found = known_pursuit(state, command.pursuit, context)
    _mine(state, found.owner, context, "pursuit")
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    plain = ru.DeclineAdvance(pursuit=command.pursuit, reason=reason, claim=command.claim)
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(AdvancePursuit, "pursuit.advance", roles=["gm"], title="Advancing a Pursuit")
def advance(state: State, command: AdvancePursuit, context: Context) -> list[Draft]:
    """Gives its owner at once what an advance earns at the table's pace."""
    found = known_pursuit(state, command.pursuit, context)
    _owner_here(state, found, context)
    note = cleaned("note", command.note, SENTENCE, empty=True)
    plain = ru.AdvancePursuit(pursuit=command.pursuit, note=note, claim=command.claim, moves=command.moves)
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(CompleteStage, "pursuit.complete_stage", roles=["gm"], title="Completing a stage")
def complete_stage(state: State, command: CompleteStage, context: Context) -> list[Draft]:
    """The last stage is done by resolving the Pursuit."""
    found = known_pursuit(state, command.pursuit, context)
    _owner_here(state, found, context)
    note = cleaned("note", command.note, SENTENCE, empty=True)
    plain = ru.CompleteStage(pursuit=command.pursuit, note=note, moves=command.moves)
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(ResolvePursuit, "pursuit.resolve", roles=["gm"], title="Resolving a Pursuit")
def resolve(state: State, command: ResolvePursuit, context: Context) -> list[Draft]:
    """What the party earns by it, a job gives to everybody together."""
    found = known_pursuit(state, command.pursuit, context)
    _owner_here(state, found, context)
    if command.by_calendar and context.role != "job":
        raise Refused("jobs_own", "The calendar does that by itself.", field="by_calendar", right="false")
    plain = ru.ResolvePursuit(
        pursuit=command.pursuit,
        note=cleaned("note", command.note, SENTENCE, empty=True),
        earns=command.earns,
        by_calendar=command.by_calendar,
    )
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(AbandonPursuit, "pursuit.abandon", roles=["gm", "player"], title="Giving a Pursuit up")
def abandon(state: State, command: AbandonPursuit, context: Context) -> list[Draft]:
    """One's own by its player or a GM. The party's open one is the GM's to close, a proposal also its writer's."""
    found = known_pursuit(state, command.pursuit, context)
    _mine(state, found.owner, context, "pursuit")
    own = bool(found.owner) or context.is_gm or (not found.open and context.member == found.writer)
    context.require(own, "gm_closes", "What the table agreed to, the GM closes.", right="a GM, or its writer before")
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    plain = ru.AbandonPursuit(pursuit=command.pursuit, reason=reason)
    return _drafts(state, _decide(state, plain, context), found.shared, context)


@decides(AwardWithout, "pursuit.award", roles=["gm"], title="Awarding without a Pursuit")
def award_without(state: State, command: AwardWithout, context: Context) -> list[Draft]:
    """For the party's doings, say: where the pack's setting lets a GM do so, with the reason on record."""
    known(state, command.owner, context, "owner")
    reason = cleaned("reason", command.reason, SENTENCE)
    plain = ru.AwardWithout(kind=command.kind, owner=command.owner, reason=reason)
    return _drafts(state, _decide(state, plain, context), True, context)


@decides(GiveAward, "pursuit.give", roles=["gm"], title="Giving what a Pursuit earned")
def give_award(state: State, command: GiveAward, context: Context) -> list[Draft]:
    """To the whole party in one command, or to nobody. What has been given, or taken back meanwhile, is left alone."""
    award = ru.award_key(command.pursuit, command.attempt)
    due = state.part(p.Pursuits).kept.due.get(award)
    if due is None:
        return []
    if any(holds(state) for holds in holding):
        raise Refused("held", "It waits until the fight is over.", field="pursuit")
    pack, rules = _rules(state)
    kind = ru.kind_named(rules, due.kind)
    party = p.party_of(state, pack, kind)
    if not party:
        return []
    what = Award(award, pack, kind.gives.grant, party, due.reason, due.position)
    return give(state, Giving(pack, kind, what, due.pursuit, TABLE, due.given), context)


@decides(RemindChoice, "choice.remind", roles=["gm"], title="Reminding of a choice")
def remind(state: State, command: RemindChoice, context: Context) -> list[Draft]:
    """Nothing is said where all has been chosen meanwhile."""
    waiting = [choice for choice in choices_of(state) if choice.subject == command.subject]
    last = state.part(p.Pursuits).reminded.get(command.subject)
    if not waiting or command.number != (last[0] if last else 0) + 1:
        return []
    told = p.ChoiceReminded(
        subject=command.subject,
        number=command.number,
        titles=tuple(choice.title for choice in waiting),
        at=context.now,
    )
    return [Draft(told, audience=HOLDERS, holders=(command.subject,))]


def award_id(state: State, campaign_id: UUID, award: str) -> UUID:
    """The command id of an award given by the job: it names campaign, Pursuit and attempt, so that it is done once."""
    return job_id(campaign_id, f"award {award}", state)


@does_due
def due_awards(state: State, campaign_id: UUID, now: datetime) -> list[Duty]:
    """What the party is to be given, unless something holds it; the Pursuits whose weeks are over."""
    found, kept = p.pursuit_rules(state), state.part(p.Pursuits).kept
    if found is None:
        return []
    pack, rules = found
    waiting = ((n, due) for n, due in kept.due.items() if p.party_of(state, pack, ru.kind_named(rules, due.kind)))
    award, due = next(waiting, ("", None))
    if due is not None and not any(holds(state) for holds in holding):
        return [(GiveAward(pursuit=due.pursuit, attempt=due.position), award_id(state, campaign_id, award))]
    ripe = ru.next_ripe(found[1], p.running_of(state), state.part(Calendar).clock)
    if ripe is not None and ripe[0] <= now:
        command = ResolvePursuit(pursuit=ripe[1], by_calendar=True)
        return [(command, job_id(campaign_id, f"ripe {ripe[1]}", state))]
    return []


@does_due
def due_reminders(state: State, campaign_id: UUID, now: datetime) -> list[Duty]:
    """The reminders whose day has come."""
    last = state.part(p.Pursuits).reminded
    duties: list[Duty] = []
    for at, subject, _ in p.reminders(state):
        if at <= now:
            number = (last[subject][0] if subject in last else 0) + 1
            command = RemindChoice(subject=subject, number=number)
            duties.append((command, job_id(campaign_id, f"remind {subject}:{number}", state)))
    return duties
