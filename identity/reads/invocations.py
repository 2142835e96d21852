"""Invocations as one viewer may know them: dice that wait, what waits for the GM's word, what may be invoked where."""

from __future__ import annotations

import msgspec
from msgspec import structs

from campaigns.audience import Viewer, name_finder
from campaigns.events import GM
from campaigns.packs import Packs
from campaigns.parts.calls import Call, Calls
from campaigns.parts.containers import Container, Containers
from campaigns.rolling import is_gone
from campaigns.state import State
from identity.parts import invocations as v
from identity.parts.claims import Claim, Claims
from identity.parts.pairs import pair_rules
from rules import invocations as ri
from rules import pairs as rp


class WaitingDie(msgspec.Struct, frozen=True, kw_only=True):
    """A die that was earned and waits: a d``sides`` on ``side`` (full key, called ``title``) of its holder, in the
    container ``within``. ``purpose``: action (for a roll of theirs) or inspiration (for their next test of the side).
    """

    die: str
    purpose: str
    holder: str
    name: str
    side: str
    title: str
    sides: int
    container: str
    within: str
    rolls: tuple[tuple[str, str], ...] = ()
    """(call, title) of the open tests that it could go on now"""
    may_call: bool = False
    """whether the viewer may call for a test that counts such a die"""


class WaitingClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A die that the member called ``by`` wants on a roll, the open test ``call``, for an action that expresses
    ``side`` (full key, called ``title``). ``mine``: the viewer asked for it."""

    die: str
    call: str
    test: str
    decision: str
    roller: str
    title: str
    sides: int
    side: str
    by: str
    name_of: str
    name_of_id: str
    mine: bool


class WaitingInspiration(msgspec.Struct, frozen=True, kw_only=True):
    """An inspiration that needs the GM's word: whether two sides lie close (``landed`` empty), or, where its test
    landed on another side (``landed``, a title), to which side of the recipient it is recast. ``choices`` are (full
    key, title) of the recipient's sides that it could be recast to."""

    call: str
    holder: str
    side: str
    recipient: str
    recipient_side: str
    text: str
    landed: str = ""
    choices: tuple[tuple[str, str], ...] = ()


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    dice: tuple[WaitingDie, ...] = ()
    claims: tuple[WaitingClaim, ...] = ()
    inspirations: tuple[WaitingInspiration, ...] = ()


def waiting(state: State, viewer: Viewer) -> Waiting:
    """GMs see all; players the dice and inspirations of those they play, and the claims they made."""
    invocations = state.part(ri.InvocationsState)
    calls = state.part(Calls).open
    may_call = _may_call(state, viewer)
    dice = [
        structs.replace(_die(state, i, die), rolls=_rolls(state, viewer, i), may_call=may_call)
        for i, die in invocations.dice.items()
        if _knows(viewer, die.holder)
    ]
    claims = [
        _claim(state, viewer, claim, calls[claim.roll])
        for claim in state.part(Claims).waiting
        if claim.roll in calls and claim.die in invocations.dice and (viewer.role == GM or claim.by == viewer.member)
    ]
    return Waiting(dice=tuple(dice), claims=tuple(claims), inspirations=_inspirations(state, viewer))


def _rolls(state: State, viewer: Viewer, die: str) -> tuple[tuple[str, str], ...]:
    """The open tests that a die could go on."""
    calls = state.part(Calls).open
    return tuple((i, calls[i].title) for i in calls if any(one.die == die for one in claimable(state, viewer, i)))


def _may_call(state: State, viewer: Viewer) -> bool:
    packs = Packs(state)
    programs = (program for pack in packs.ids() for program in packs.get(pack).tests.values())
    return any(one.spec.takes_die is not None and viewer.role in one.spec.called_by for one in programs)


def _knows(viewer: Viewer, subject: str) -> bool:
    return viewer.role == GM or subject in viewer.knows


def title_of(state: State, subject: str, side: str) -> str:
    """How a side of a subject's pairs is called."""
    own = state.part(rp.PairsState).subjects.get(subject)
    if own is None:
        return side
    rules = pair_rules(state)
    return rp.side_named(rules, rp.kind_named(rules, own.kind), side).side.title


def key_of(state: State, subject: str, side: str) -> str:
    """The full key of a side of a subject's pairs."""
    own = state.part(rp.PairsState).subjects.get(subject)
    return f"{own.kind}.{side}" if own else side


def stated(state: State, viewer: Viewer, call: str) -> str:
    """What was invoked along with an open test, in a sentence; empty where nothing was. Everybody who knows of the
    test may know it."""
    one, names = state.part(ri.InvocationsState).open.get(call), name_finder(state).seen_by(viewer)
    if one is None:
        return ""
    side = title_of(state, one.holder, one.side)
    if one.use == "draw":
        return f"{names(one.holder)} draws on {side}: {one.text}"
    to = title_of(state, one.recipient, one.recipient_side)
    return f"{names(one.holder)} would inspire {names(one.recipient)}, {side} to {to}: {one.text}"


def _die(state: State, die_id: str, die: ri.Die) -> WaitingDie:
    container = state.part(Containers).open.get(die.container)
    return WaitingDie(
        die=die_id,
        purpose=die.purpose,
        holder=die.holder,
        name=name_finder(state)(die.holder),
        side=key_of(state, die.holder, die.side),
        title=title_of(state, die.holder, die.side),
        sides=die.sides,
        container=die.container,
        within=container.title if container else "",
    )


def _claim(state: State, viewer: Viewer, claim: Claim, call: Call) -> WaitingClaim:
    die, names = state.part(ri.InvocationsState).dice[claim.die], name_finder(state).seen_by(viewer)
    return WaitingClaim(
        die=claim.die,
        call=claim.roll,
        test=call.title,
        decision=call.decision,
        roller=" and ".join(map(names, call.roles.values())),
        title=title_of(state, die.holder, die.side),
        sides=die.sides,
        side=key_of(state, die.holder, claim.expresses),
        by=names(claim.by) if claim.by else "",
        name_of=names(claim.name_of) if claim.name_of else "",
        name_of_id=claim.name_of,
        mine=bool(claim.by) and claim.by == viewer.member,
    )


def _inspirations(state: State, viewer: Viewer) -> tuple[WaitingInspiration, ...]:
    found, names = v.invocation_rules(state), name_finder(state).seen_by(viewer)
    if found is None:
        return ()
    calls, told = state.part(Calls).open, []
    for call, one in state.part(ri.InvocationsState).open.items():
        to_recast = one.settled and found[1].recast != "never"
        to_confirm = call in calls and one.alignment == "awaiting_gm"
        if one.use != "inspire" or not (to_recast or to_confirm) or not _knows(viewer, one.holder):
            continue
        told.append(
            WaitingInspiration(
                call=call,
                holder=names(one.holder),
                side=title_of(state, one.holder, one.side),
                recipient=names(one.recipient),
                recipient_side=title_of(state, one.recipient, one.recipient_side),
                text=one.text,
                landed=title_of(state, one.holder, one.landed) if to_recast else "",
                choices=_sides(state, one.recipient) if to_recast else (),
            )
        )
    return tuple(told)


def _sides(state: State, subject: str) -> tuple[tuple[str, str], ...]:
    own = state.part(rp.PairsState).subjects.get(subject)
    if own is None:
        return ()
    kind = rp.kind_named(pair_rules(state), own.kind)
    return tuple((f"{kind.id}.{side.id}", side.title) for pair in kind.pairs for side in pair.sides)


class LyingDie(msgspec.Struct, frozen=True, kw_only=True):
    """A d``sides`` of ``name`` that lies on an open roll, for the side called ``title`` ("" where that is not the
    viewer's to know). ``counts``: the roll takes it in by itself."""

    name: str
    title: str
    sides: int
    counts: bool


def lying(state: State, viewer: Viewer, call_id: str) -> LyingDie | None:
    """The die that was put on an open test. Everybody who knows of the test may know of it."""
    die = state.part(ri.InvocationsState).lying.get(call_id)
    call = state.part(Calls).open.get(call_id)
    if die is None or call is None or is_gone(state, call):
        return None
    return LyingDie(
        name=name_finder(state).seen_by(viewer)(die.holder),
        title=title_of(state, die.holder, die.side) if _knows(viewer, die.holder) else "",
        sides=die.sides,
        counts=Packs(state).get(call.pack).test(call.test).spec.takes_die is not None,
    )


def claimable(state: State, viewer: Viewer, call_id: str) -> tuple[WaitingDie, ...]:
    """The dice of those the viewer plays that could go on an open roll, before its first die has fallen. What the GM
    has refused for it is the GM's alone to put there."""
    refused = state.part(Claims).refused if viewer.role != GM else ()
    return tuple(one for one in _fitting(state, viewer, call_id) if (one.die, call_id) not in refused)


def refused(state: State, viewer: Viewer, call_id: str) -> tuple[WaitingDie, ...]:
    """The dice that the GM has refused for an open roll, for those who might have put them there."""
    said_no = state.part(Claims).refused
    return tuple(one for one in _fitting(state, viewer, call_id) if (one.die, call_id) in said_no)


def die_named(state: State, viewer: Viewer, die: str) -> WaitingDie | None:
    """A die that waits, for those who may know of it: who earned it and whom it is for."""
    found = state.part(ri.InvocationsState).dice.get(die)
    if found is None:
        return None
    return structs.replace(_die(state, die, found), name=name_finder(state).seen_by(viewer)(found.holder))


def _fitting(state: State, viewer: Viewer, call_id: str) -> tuple[WaitingDie, ...]:
    call, invocations = state.part(Calls).open.get(call_id), state.part(ri.InvocationsState)
    found = v.invocation_rules(state)
    if call is None or call.faces or found is None or call_id in invocations.claimed or call_id in invocations.open:
        return ()
    roller, scene = next(iter(call.roles.values()), ""), v.scene_of(state, found[1], call.container)
    if scene is None or not _knows(viewer, roller):
        return ()
    return tuple(
        _die(state, i, die)
        for i, die in invocations.dice.items()
        if die.purpose == "action"
        and die.container in (scene.container, *scene.lineage)
        and (die.holder == roller or (_lends_name(state, found[1], die.holder) and roller in scene.participants))
    )


def _lends_name(state: State, rules: ri.InvocationRules, holder: str) -> bool:
    own = state.part(rp.PairsState).subjects.get(holder)
    return own is not None and ri.lends_name(rules, own.kind)


def hindered(state: State, holder: str, container: str) -> str:
    """Why a holder can invoke nothing in an open container, in a sentence; empty where they can."""
    found, own = v.invocation_rules(state), state.part(rp.PairsState).subjects.get(holder)
    scene = v.scene_of(state, found[1], container) if found else None
    if found is None or own is None or scene is None:
        return ""
    refusal = ri.eligible(found[1], own.kind, holder, scene)
    if refusal is not None:
        return refusal.message
    players = scene.players.get(holder, ())
    left = ri.invocations_left(found[1], state.part(ri.InvocationsState), holder, players, scene)
    return "" if left else "The one invocation here is spent."


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """An open container in which something may be invoked."""

    container: str
    kind: str
    title: str


def places(state: State, viewer: Viewer) -> tuple[Place, ...]:
    """The open containers of the pack's kinds that the viewer sees and that are not paused."""
    found = v.invocation_rules(state)
    kinds = {kind.id for kind in found[1].containers} if found else set()

    def seen(one: Container) -> bool:
        return one.kind in kinds and not one.paused and (not one.hidden or viewer.role == GM)

    every = state.part(Containers).open.items()
    return tuple(Place(container=i, kind=one.kind, title=one.title) for i, one in every if seen(one))
