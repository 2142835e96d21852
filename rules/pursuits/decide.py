"""What becomes of a command about Pursuits: its events, or why it is refused. Nothing is changed here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import singledispatch
from typing import Any, Literal

import msgspec

from rules.pursuits import commands as c
from rules.pursuits import events as e
from rules.pursuits.rules import PursuitKind, PursuitRules
from rules.pursuits.state import Pursuit, PursuitsState, award_key, session_key
from rules.refusal import Refused

By = Literal["gm", "holder", "server"]
MOST_STAGES, MOST_WEEKS, MOST_OPEN = 20, 520, 200


class Company(msgspec.Struct, frozen=True, kw_only=True):
    """The people at the table: ``members`` whose consent counts (id -> whether a GM), ``subjects`` (id -> kind)."""

    members: Mapping[str, bool]
    subjects: Mapping[str, str]


class At(msgspec.Struct, frozen=True, kw_only=True):
    """When a command is decided, for whom (a GM, whoever plays the owner or is of the party, the server), and the place
    in the stream that its first event will have."""

    now: dt.datetime
    by: By
    position: int = 0


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """All that a decision reads."""

    rules: PursuitRules
    state: PursuitsState
    company: Company
    at: At

    def known(self, pursuit: str) -> tuple[Pursuit, PursuitKind]:
        """The Pursuit and its kind; refused where it is closed or never was."""
        found = self.state.pursuits.get(pursuit)
        if found is None:
            raise Refused("no_such_pursuit", "It is closed, or never was.", field="pursuit", value=pursuit)
        return found, kind_named(self.rules, found.kind)


def decide(
    rules: PursuitRules, state: PursuitsState, command: c.PursuitCommand, company: Company, at: At
) -> list[e.PursuitEvent]:
    """The events of one command. Raises `Refused`."""
    return _decided(command, Desk(rules=rules, state=state, company=company, at=at))


@singledispatch
def _decided(command: Any, desk: Desk) -> list[e.PursuitEvent]:
    raise TypeError(f"no command about Pursuits: {command!r}")


def _of(pursuit: str, found: Pursuit) -> dict[str, str]:
    return {"pursuit": pursuit, "kind": found.kind, "owner": found.owner}


def kind_named(rules: PursuitRules, name: str) -> PursuitKind:
    """A kind of Pursuits; refused where the pack has none of that id."""
    found = rules.kind(name)
    if found is None:
        right = "one of " + ", ".join(kind.id for kind in rules.kinds)
        raise Refused("unknown_kind", "There is no such kind.", field="kind", value=name, right=right)
    return found


def _open(found: Pursuit) -> None:
    if not found.open:
        message = "It has not been agreed to yet."
        raise Refused("not_agreed", message, field="pursuit", right="the consent of everybody it takes")


def _room(state: PursuitsState, kind: PursuitKind, owner: str, *, proposed: bool = False) -> None:
    """Refuses one more where the owner has as many as it may."""
    if len(state.pursuits) >= MOST_OPEN:
        raise Refused("too_many", "Too many are open.", field="kind", right="close some first")
    standing = [
        p for p in state.pursuits.values() if (p.kind, p.owner) == (kind.id, owner) and (p.open or not proposed)
    ]
    if kind.open and sum(p.open for p in standing) >= kind.open:
        words = standing[0].words
        message = f"“{words}” is still open."
        raise Refused("still_open", message, field="kind", value=kind.id, right="resolve it or give it up first")


@_decided.register
def _write(command: c.WritePursuit, desk: Desk) -> list[e.PursuitEvent]:
    kind = kind_named(desk.rules, command.kind)
    _owned(kind, command.owner, desk.company)
    _room(desk.state, kind, command.owner)
    _stages(command.stages, kind)
    if set(command.given) != set(kind.gives.inputs):
        right = ", ".join(kind.gives.inputs) or "none"
        raise Refused("missing", "It is not said what it is to bring.", field="given", right=right)
    weeks = command.weeks if kind.by_calendar else 0
    if kind.by_calendar and not 1 <= weeks <= MOST_WEEKS:
        raise Refused("wrong_weeks", "It takes weeks.", field="weeks", value=weeks, right=f"1 to {MOST_WEEKS}")
    alone = set(desk.company.members) <= {command.member}
    stands = kind.consent == "none" or (kind.consent == "gm" and desk.at.by == "gm") or alone
    written = e.PursuitWritten(
        pursuit=command.pursuit,
        kind=kind.id,
        owner=command.owner,
        words=command.words,
        writer=command.member,
        stages=command.stages,
        given=command.given,
        weeks=weeks,
        open=stands,
        shared=kind.seen == "table",
        since=desk.at.now if stands else None,
    )
    return [written]


def _owned(kind: PursuitKind, owner: str, company: Company) -> None:
    if kind.owner == "party":
        if owner:
            raise Refused("not_one_owners", "It is the whole party's.", field="owner", value=owner, right="nobody")
        return
    of_kind = company.subjects.get(owner)
    if of_kind not in kind.kinds:
        right = "a " + " or ".join(kind.kinds)
        raise Refused("wrong_kind", "This cannot be theirs.", field="owner", value=owner, right=right)


def _stages(stages: tuple[str, ...], kind: PursuitKind) -> None:
    if stages and not any(pace.gives == "stage" for pace in kind.paces):
        raise Refused("no_stages", "It has no stages.", field="stages", right="none")
    if len(stages) > MOST_STAGES:
        raise Refused("too_many", "Too many stages.", field="stages", right=f"at most {MOST_STAGES}")


def _agreed_by(kind: PursuitKind, consents: Mapping[str, bool], company: Company) -> bool:
    if kind.consent == "none":
        return True
    if kind.consent == "gm":
        return any(consents.get(member) for member, is_gm in company.members.items() if is_gm)
    return all(consents.get(member) for member in company.members)


@_decided.register
def _agree(command: c.AgreePursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    members = desk.company.members
    if found.open:
        raise Refused("agreed_already", "It has been agreed to.", field="pursuit", right="give it up to be rid of it")
    if command.member not in members or (kind.consent == "gm" and not members[command.member]):
        right = "a GM" if kind.consent == "gm" else "a player or a GM"
        raise Refused("not_asked", "This is not theirs to agree to.", field="actor", value=command.member, right=right)
    _as_read(command, found)
    consents = {**found.consents, command.member: command.agrees}
    told: list[e.PursuitEvent] = []
    if found.consents.get(command.member) != command.agrees:
        own = _of(command.pursuit, found)
        told.append(e.PursuitAgreed(**own, member=command.member, agrees=command.agrees))
    if command.agrees and _agreed_by(kind, consents, desk.company):
        _room(desk.state, kind, found.owner)
        told.append(e.PursuitOpened(**_of(command.pursuit, found), words=found.words, since=desk.at.now))
    return told


def _as_read(command: c.AgreePursuit, found: Pursuit) -> None:
    """Refuses a word given to what was put otherwise after it was read."""
    if command.words and command.words != found.words:
        raise Refused(
            "reworded", "It was put otherwise meanwhile.", field="words", value=command.words, right=found.words
        )
    if command.stages is not None and command.stages != tuple(found.stages):
        right = "; ".join(found.stages) or "no stages"
        raise Refused("reworded", "Its stages were cut otherwise meanwhile.", field="stages", right=right)


@_decided.register
def _reword(command: c.RewordPursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    stages = command.stages if command.stages is not None else tuple(found.stages[found.done :])
    _stages(stages, kind)
    if kind.consent == "everyone" and found.open and command.words != found.words:
        message = "These are the words that everybody agreed to."
        raise Refused("agreed_already", message, field="words", right="give it up and propose another")
    asks = not found.open and kind.consent != "none"
    own = _of(command.pursuit, found)
    return [e.PursuitReworded(**own, words=command.words, writer=command.member, stages=stages, asks=asks)]


@_decided.register
def _share(command: c.SharePursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, _ = desk.known(command.pursuit)
    return [] if found.shared else [e.PursuitShared(**_of(command.pursuit, found), words=found.words)]


@_decided.register
def _claim(command: c.ClaimAdvance, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    _open(found)
    _steps(kind)
    if found.claim:
        raise Refused("claimed_already", "Your word waits for the GM.", field="pursuit", value=found.claim)
    return [e.AdvanceClaimed(**_of(command.pursuit, found), note=command.note)]


@_decided.register
def _decline(command: c.DeclineAdvance, desk: Desk) -> list[e.PursuitEvent]:
    found, _ = desk.known(command.pursuit)
    _as_it_stood(found, command.claim, None)
    if not found.claim:
        raise Refused("nothing_claimed", "Nobody said that it advanced.", field="pursuit")
    return [e.AdvanceDeclined(**_of(command.pursuit, found), reason=command.reason)]


@_decided.register
def _abandon(command: c.AbandonPursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, _ = desk.known(command.pursuit)
    return [e.PursuitAbandoned(**_of(command.pursuit, found), words=found.words, reason=command.reason)]


def _as_it_stood(found: Pursuit, claim: str | None, moves: int | None) -> None:
    """Refuses an answer to a word that was answered meanwhile, and a step that somebody else has told."""
    right = "a look at how it stands now"
    if claim is not None and claim != found.claim:
        raise Refused("answered_already", "This was answered meanwhile.", field="claim", value=claim, right=right)
    if moves is not None and moves != found.moves:
        raise Refused("moved_already", "It has moved on meanwhile.", field="moves", value=moves, right=right)


def _steps(kind: PursuitKind) -> None:
    if kind.by_calendar:
        raise Refused("by_calendar", "The calendar moves it on.", field="pursuit", right="wait, or resolve it now")


def _confirmed(by: By) -> None:
    if by == "holder":
        raise Refused("gm_confirms", "The GM says whether it did.", field="actor", value="player", right="a GM")


def counted(state: PursuitsState, kind: PursuitKind, owner: str) -> tuple[int, bool]:
    """How often an owner would have been given something in this session, this time included; and whether that is more
    than the pace has it."""
    count = state.session.get(session_key(kind.id, owner), 0) + 1
    remark = kind.paced().remark
    return count, 0 < remark < count


@_decided.register
def _advance(command: c.AdvancePursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    _confirmed(desk.at.by)
    _open(found)
    _steps(kind)
    _as_it_stood(found, command.claim, command.moves)
    gives = kind.paced().gives == "advance"
    count, remark = counted(desk.state, kind, found.owner) if gives else (0, False)
    advanced = e.PursuitAdvanced(
        **_of(command.pursuit, found),
        words=found.words,
        note=command.note or found.claim,
        award=award_key(command.pursuit, desk.at.position) if gives else "",
        in_session=count,
        remark=remark,
        at=desk.at.now,
    )
    return [advanced]


@_decided.register
def _stage(command: c.CompleteStage, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    _confirmed(desk.at.by)
    _open(found)
    _as_it_stood(found, None, command.moves)
    if found.done >= len(found.stages) - 1:
        message = "No stage is left but the last." if found.stages else "It has no stages."
        raise Refused("no_stage", message, field="pursuit", right="resolve it")
    gives = kind.paced().gives == "stage"
    done = e.StageCompleted(
        **_of(command.pursuit, found),
        number=found.done + 1,
        words=found.stages[found.done],
        note=command.note,
        award=award_key(command.pursuit, desk.at.position) if gives else "",
        at=desk.at.now,
    )
    return [done]


@_decided.register
def _resolve(command: c.ResolvePursuit, desk: Desk) -> list[e.PursuitEvent]:
    found, kind = desk.known(command.pursuit)
    _confirmed(desk.at.by)
    _open(found)
    told: list[e.PursuitEvent] = []
    if command.by_calendar:
        if not kind.by_calendar or found.ripe:
            raise Refused("not_by_calendar", "The GM resolves it.", field="pursuit")
        told.append(e.PursuitRipened(**_of(command.pursuit, found)))
    gives = command.earns or kind.paced().gives != "advance"
    count, remark = counted(desk.state, kind, found.owner) if gives else (0, False)
    resolved = e.PursuitResolved(
        **_of(command.pursuit, found),
        words=found.words,
        note=command.note,
        award=award_key(command.pursuit, desk.at.position + len(told)) if gives else "",
        in_session=count,
        remark=remark,
        at=desk.at.now,
    )
    return [*told, resolved]


@_decided.register
def _without(command: c.AwardWithout, desk: Desk) -> list[e.PursuitEvent]:
    kind = kind_named(desk.rules, command.kind)
    if kind.owner != "subject" or kind.without == "none_at_all":
        message = "Nothing is given for it without a Pursuit."
        raise Refused("needs_pursuit", message, field="kind", value=kind.id, right="an open one")
    _confirmed(desk.at.by)
    _owned(kind, command.owner, desk.company)
    for found in desk.state.pursuits.values():
        if (found.kind, found.owner, found.open) == (kind.id, command.owner, True):
            message = f"“{found.words}” is open; advance that."
            raise Refused("has_pursuit", message, field="owner", value=command.owner, right="advancing what is open")
    award = award_key("", desk.at.position)
    return [e.AwardedWithout(pursuit="", kind=kind.id, owner=command.owner, reason=command.reason, award=award)]
