"""Playing an encounter: acting, answering what is asked, ending a turn, closing a moment whose time is up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from campaigns.context import Context
from campaigns.events import Draft
from campaigns.job_ids import job_id
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command, Duty, decides, does_due, falls_due
from campaigns.state import State
from encounters.commands.common import carried_out, in_it, known_encounter, pack_of, require_hand
from encounters.parts.encounters import Encounter, EncounterMoved, Encounters
from rules.fight import commands as fight
from rules.fight import their_turn
from rules.packs import Pack
from rules.problems import GivenError, RulesError
from rules.refusal import Refused
from rules.tests.asked import asked_by, check_act_choices
from rules.tests.perform import Act


class ActInEncounter(Command):
    """Uses an action of a card: ``user`` does it, ``roles`` says to whom, ``given`` are its inputs. ``choices`` answer
    beforehand what it would ask; ``faces`` are dice thrown at the table, where the campaign allows it."""

    encounter: str
    action: str
    user: str
    roles: dict[str, str | list[str]] = {}
    given: dict[str, Any] = {}
    choices: dict[str, Any] = {}
    faces: tuple[int, ...] = ()


class AnswerInEncounter(Command):
    """Answers what is waited for. In a moment that asks several, for ``subject``: a list of reactions, empty to
    pass."""

    encounter: str
    answer: Any
    subject: str = ""
    faces: tuple[int, ...] = ()


class CloseMoment(Command):
    """Nobody else answers: the rest pass. By a GM, or by anybody once its time is up."""

    encounter: str


class CancelAct(Command):
    """What waits for an answer is not done after all; nothing of it has happened."""

    encounter: str


class EndTurn(Command):
    """The running turn is over. ``faces`` are dice thrown at the table for what its end and the next turn bring."""

    encounter: str
    faces: tuple[int, ...] = ()


@decides(ActInEncounter, "encounter.act", roles=["gm", "player"], title="Acting in an encounter")
def act(state: State, command: ActInEncounter, context: Context) -> list[Draft]:
    """By the player of the one who acts, or a GM; when it may be done is the pack's to say."""
    found = known_encounter(state, command.encounter, context)
    in_it(state, found, command.user, context, "user")
    require_hand(state, found, command.user, context)
    for role, chosen in command.roles.items():
        for one in [chosen] if isinstance(chosen, str) else chosen:
            in_it(state, found, one, context, f"roles.{role}")
    _require_own_inputs(found, command, context)
    for name, spec in pack_of(found, context).action(command.action).spec.inputs.items():
        if spec.type == "place" and isinstance(where := command.given.get(name), str) and where:
            in_it(state, found, where, context, f"given.{name}")
    _require_known_answers(found, command, context)
    asked = fight.Use(
        act=Act(action=command.action, user=command.user, roles=command.roles, given=command.given),
        choices=command.choices,
    )
    hidden = found.fight.members[command.user].hidden
    try:
        return carried_out(state, command.encounter, asked, context, faces=command.faces, hidden=hidden)
    except GivenError as error:
        raise _given_wrongly(pack_of(found, context), command, error) from None


def _given_wrongly(pack: Pack, command: ActInEncounter, error: GivenError) -> Refused:
    """What does not fit an action, at the field of the command in which it stands (or is wanting)."""
    spec, name = pack.action(command.action).spec, error.field or ""
    holders: dict[str, Mapping[str, Any]] = {"roles": command.roles, "given": command.given, "choices": command.choices}
    holder = next((one for one, said in holders.items() if name in said), "roles" if name in spec.roles else "given")
    known = [*spec.roles] if holder == "roles" else [*spec.inputs] if holder == "given" else []
    right = error.right or (None if name in known else " or ".join(known) or "nothing")
    value = holders[holder].get(name)
    return Refused(error.code, error.message, field=f"{holder}.{name}", value=value, right=right)


def _require_own_inputs(found: Encounter, command: ActInEncounter, context: Context) -> None:
    """Refuses an unknown action, and inputs that are the GM's to give from a player."""
    try:
        program = pack_of(found, context).action(command.action).program
    except RulesError as error:
        raise Refused(error.code, error.message, field="action", value=command.action, right=error.right) from None
    for name in command.given:
        spec = program.spec.inputs.get(name)
        if spec is not None and spec.by == "gm" and not context.is_gm:
            raise Refused("gm_only", "This is the GM's to give.", field=f"given.{name}", right="a GM")


def _require_known_answers(found: Encounter, command: ActInEncounter, context: Context) -> None:
    """Questions are put to many, as the dice bring them: who answered them beforehand would answer for others, or learn
    from a refusal which of them came. A GM may, but not what nothing would ask: it would do nothing, in silence."""
    for name, value in command.choices.items():
        if not context.is_gm:
            message = "A question is answered when it is asked."
            raise Refused("not_asked", message, field=f"choices.{name}", value=value, right="leave it out")
    try:
        check_act_choices(pack_of(found, context), command.action, command.choices)
    except RulesError as error:
        raise Refused(
            "not_asked",
            "Nothing asks for this.",
            field=f"choices.{error.field}",
            value=command.choices.get(error.field or ""),
            right=error.right or asked_by(pack_of(found, context), command.action),
        ) from None


@decides(AnswerInEncounter, "encounter.answer", roles=["gm", "player"], title="Answering in an encounter")
def answer(state: State, command: AnswerInEncounter, context: Context) -> list[Draft]:
    """By whom it is asked of; the GM may answer for anybody."""
    found = known_encounter(state, command.encounter, context)
    waiting = found.fight.waiting
    if waiting is None:
        raise Refused("waits_for_nothing", "Nothing waits for an answer.", field="answer")
    who = _asked(found, command)
    if who and who in state.part(Subjects).by_id:
        require_hand(state, found, who, context)
    else:
        context.require(context.is_gm, "gm_only", "This is the GM's to answer.", right="a GM")
    asked = fight.Answer(answer=command.answer, subject=command.subject)
    hidden = _is_hidden(found)
    try:
        return carried_out(state, command.encounter, asked, context, faces=command.faces, hidden=hidden)
    except GivenError as error:
        right = error.right or None
        raise Refused(error.code, error.message, field="answer", value=command.answer, right=right) from None


def _asked(found: Encounter, command: AnswerInEncounter) -> str:
    """The subject for whom an answer is given; empty: the GM."""
    waiting = found.fight.waiting
    assert waiting is not None
    if waiting.ask.kind == "window":
        if command.subject not in waiting.ask.asked:
            raise Refused("not_asked", "This moment does not ask them.", field="subject", value=command.subject)
        return command.subject
    whose = "" if waiting.ask.who == "gm" else waiting.ask.subject
    if not whose and waiting.ask.who != "gm" and waiting.doing.act is not None:
        whose = waiting.doing.act.user
    if command.subject and command.subject != whose:
        message = "This is not asked of them."
        raise Refused("not_asked", message, field="subject", value=command.subject, right="leave it out")
    return whose


def _is_hidden(found: Encounter) -> bool:
    waiting = found.fight.waiting
    if waiting is None or waiting.doing.act is None:
        return False
    member = found.fight.members.get(waiting.doing.act.user)
    return member is not None and member.hidden


@decides(CloseMoment, "encounter.close", roles=["gm", "player"], title="Closing a moment")
def close(state: State, command: CloseMoment, context: Context) -> list[Draft]:
    """Silence is passing, once the time is up."""
    found = known_encounter(state, command.encounter, context)
    up = found.deadline is not None and context.now >= found.deadline
    right = "a GM, or the end of its time"
    context.require(context.is_gm or up, "not_yet", "This moment still waits for answers.", right=right)
    if context.role == "job" and not up:
        return []
    return carried_out(state, command.encounter, fight.Close(), context, hidden=_is_hidden(found))


@decides(CancelAct, "encounter.cancel", roles=["gm"], title="Cancelling what waits")
def cancel(state: State, command: CancelAct, context: Context) -> list[Draft]:
    """A GM's: whoever has seen dice fall does not choose to have done something else."""
    known_encounter(state, command.encounter, context)
    return carried_out(state, command.encounter, fight.Cancel(), context)


@decides(EndTurn, "encounter.end_turn", roles=["gm", "player"], title="Ending a turn")
def end_turn(state: State, command: EndTurn, context: Context) -> list[Draft]:
    """By the player whose turn it is, or a GM."""
    found = known_encounter(state, command.encounter, context)
    whose = their_turn(found.fight)
    if whose in state.part(Subjects).by_id:
        require_hand(state, found, whose, context)
    else:
        context.require(context.is_gm, "gm_only", "This turn is the GM's.", right="a GM")
    hidden = whose in found.fight.members and found.fight.members[whose].hidden
    return carried_out(state, command.encounter, fight.EndTurn(), context, faces=command.faces, hidden=hidden)


@falls_due(EncounterMoved)
def moment_due(state: State) -> datetime | None:
    """When the first moment's time is up."""
    return min((e.deadline for e in state.part(Encounters).open.values() if e.deadline is not None), default=None)


@does_due
def close_due(state: State, campaign_id: UUID, now: datetime) -> Iterable[Duty]:
    """The job closes what nobody closed; the same moment gives the same command id."""
    for name, found in state.part(Encounters).open.items():
        if found.deadline is not None and found.deadline <= now:
            moment = f"moment {name} {found.asked_at} {found.deadline.isoformat()}"
            yield CloseMoment(encounter=name), job_id(campaign_id, moment, state)
