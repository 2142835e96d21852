"""Drawing on a pair, inspiring another, and putting the dice that come of it to use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from campaigns.commands.calls import CallTest, call_test, known_call
from campaigns.commands.subjects import known, require_acting
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, HOLDERS, Draft, Event
from campaigns.parts.calls import Call, Calls, TestCalled, TestDropped, TestResolved, audience_of, holders_of
from campaigns.parts.containers import ContainerClosed
from campaigns.parts.subjects import Subjects
from campaigns.registry import (
    Command,
    after_test,
    checks_calls,
    checks_rolls,
    closes_container,
    decides,
    gives,
    takes_roles,
)
from campaigns.state import State
from identity.parts import invocations as v
from identity.parts.claims import Claims
from identity.parts.pairs import pair_rules
from rules import invocations as ri
from rules import pairs as rp
from rules.packs import Pack
from rules.refusal import Refused


class DrawOn(Command):
    """Draws on a pair for an action in an open container: what the action follows (``side``), how it helps, and what
    makes the choice matter (``stake``). Calls the test. Sides are named by full key (kind.side) or, as they are
    clear here, short."""

    holder: str
    pair: str
    side: str
    helps: str
    stake: str
    container: str
    decision: str
    secret: bool = False


class Inspire(Command):
    """Shows a conviction (``side`` of the holder's ``pair``) to one recipient, tied to a side of theirs."""

    holder: str
    pair: str
    side: str
    recipient: str
    recipient_side: str
    connection: str
    container: str
    decision: str
    secret: bool = False


class ConfirmInspiration(Command):
    """The GM's word on whether the two sides lie close; before the roll."""

    call: str
    accepted: bool


class RecastInspiration(Command):
    """The GM accepts that an inspiration is recast to the side that its test landed on."""

    call: str
    recipient_side: str
    accepted: bool = True


class ClaimDie(Command):
    """Puts a waiting die on an open roll of the same container. A player asks; the GM, who sends the same command,
    says by it that the roll is directly relevant."""

    die: str
    call: str
    expresses: str
    name_of: str = ""
    relevant: bool = True


class DeclineClaim(Command):
    """The GM leaves a die that a player wants on a roll (``call``) where it waits; or that player withdraws it."""

    die: str
    call: str


def _rules(state: State) -> tuple[str, ri.InvocationRules]:
    found = v.invocation_rules(state)
    if found is None:
        raise Refused("no_invocations", "None of the campaign's packs has invocations.", field="holder")
    return found


def holders(state: State) -> ri.Holders:
    """What the pure deciders know of the subjects' pairs."""
    own = state.part(rp.PairsState).subjects
    return ri.Holders(pair_rules(state), {subject: pairs.kind for subject, pairs in own.items()})


def short_side(state: State, subject: str, side: str, field: str = "side") -> str:
    """The short name of a side of a subject's pairs, which may be given by its full key. What is no side of theirs is
    refused; nothing given stays so, for the rules to say what is missing."""
    own = state.part(rp.PairsState).subjects.get(subject)
    if not side or own is None:
        return side
    rules = pair_rules(state)
    try:
        return rp.side_named(rules, rp.kind_named(rules, own.kind), side).side.id
    except Refused as refused:
        refused.field = field
        raise


def drafted(events: Sequence[Any], audience: str, subjects: tuple[str, ...], cause: int | None = None) -> list[Draft]:
    """Drafts of pure events. A granted or lapsed die is told to whom it waits for, whoever else may know the rest;
    that a decision has been tested is nobody's news."""
    drafts = []
    for event in events:
        body: Event = msgspec.convert(msgspec.structs.asdict(event), v.BODIES[type(event)])
        own = isinstance(event, ri.DieGranted | ri.DieLapsed)
        housekeeping = isinstance(event, ri.DecisionTested)
        drafts.append(
            Draft(
                body,
                audience=GM_ONLY if housekeeping else HOLDERS if own else audience,
                holders=(event.holder,) if own else subjects,
                cause=cause,
            )
        )
    return drafts


def _stated(state: State, command: DrawOn | Inspire, plain: Any, context: Context) -> list[Draft]:
    """The call for the test, and the invocation stated beside it."""
    pack_id, rules = _rules(state)
    require_acting(state, command.holder, context, "holder")
    if not command.decision.strip():
        raise Refused("name_the_decision_first", "Name the decision at stake.", field="decision", right="a sentence")
    call = CallTest(
        pack=pack_id,
        test=rules.test,
        roles={rules.role: command.holder},
        given={rules.pair: command.pair},
        decision=command.decision,
        secret=command.secret,
        container=command.container,
    )
    drafts = call_test(state, call, context)
    called = drafts[0].event
    assert isinstance(called, TestCalled)
    scene = v.scene_of(state, rules, command.container)
    ask = msgspec.structs.replace(plain, call=called.call)
    events = ri.decide(rules, state.part(ri.InvocationsState), ask, scene, holders(state))
    return [*drafts, *drafted(events, drafts[0].audience, drafts[0].holders)]


@decides(DrawOn, "invocation.draw", roles=["gm", "player"], title="Drawing on identity")
def draw(state: State, command: DrawOn, context: Context) -> list[Draft]:
    """SPI-040 to 050."""
    plain = ri.StateDraw(
        call="",
        holder=command.holder,
        pair=command.pair,
        side=short_side(state, command.holder, command.side),
        helps=cleaned("helps", command.helps, SENTENCE, empty=True),
        stake=command.stake,
    )
    return _stated(state, command, plain, context)


@decides(Inspire, "invocation.inspire", roles=["gm", "player"], title="Inspiring another")
def inspire(state: State, command: Inspire, context: Context) -> list[Draft]:
    """SPI-060 to 070. The GM who inspires has given the word on the alignment by doing so."""
    if command.recipient:
        known(state, command.recipient, context, "recipient")
    plain = ri.StateInspiration(
        call="",
        holder=command.holder,
        pair=command.pair,
        side=short_side(state, command.holder, command.side),
        recipient=command.recipient,
        recipient_side=short_side(state, command.recipient, command.recipient_side, "recipient_side"),
        connection=cleaned("connection", command.connection, SENTENCE, empty=True),
        aligned=True if context.is_gm else None,
    )
    return _stated(state, command, plain, context)


@decides(ConfirmInspiration, "invocation.confirm", roles=["gm"], title="Confirming an inspiration")
def confirm(state: State, command: ConfirmInspiration, context: Context) -> list[Draft]:
    """A no withdraws the invocation, unspent, and its test with it."""
    _, rules = _rules(state)
    call = known_call(state, command.call, context)
    plain = ri.ConfirmInspiration(call=command.call, accepted=command.accepted)
    events = ri.decide(rules, state.part(ri.InvocationsState), plain, None, holders(state))
    drafts = drafted(events, audience_of(call), holders_of(call), call.position)
    if events and not command.accepted:
        dropped = TestDropped(call=command.call)
        drafts.append(Draft(dropped, audience=audience_of(call), holders=holders_of(call), cause=call.position))
    return drafts


@decides(RecastInspiration, "invocation.recast", roles=["gm"], title="Recasting an inspiration")
def recast(state: State, command: RecastInspiration, context: Context) -> list[Draft]:
    """SPI-065: the GM's word, after the players have found the words."""
    _, rules = _rules(state)
    invocations = state.part(ri.InvocationsState)
    found = invocations.open.get(command.call)
    side = short_side(state, found.recipient if found else "", command.recipient_side, "recipient_side")
    plain = ri.RecastInspiration(call=command.call, recipient_side=side, accepted=command.accepted)
    events = ri.decide(rules, invocations, plain, None, holders(state), context.new_id())
    own = invocations.open[command.call]
    return drafted(events, HOLDERS, (own.holder, own.recipient))


@decides(ClaimDie, "die.claim", roles=["gm", "player"], title="Claiming a die")
def claim(state: State, command: ClaimDie, context: Context) -> list[Draft]:
    """SPI-042, 049, 054. A player's claim waits for the GM's word that the roll is directly relevant."""
    _, rules = _rules(state)
    call = known_call(state, command.call, context)
    roller = next(iter(call.roles.values()), "")
    require_acting(state, roller, context, "call")
    die = state.part(ri.InvocationsState).dice.get(command.die)
    expresses = short_side(state, die.holder if die else "", command.expresses, "expresses")
    plain = ri.ClaimDie(
        die=command.die,
        roll=command.call,
        roller=roller,
        name_of=command.name_of,
        expresses=expresses,
        relevant=command.relevant,
        fallen=bool(call.faces),
    )
    scene = v.scene_of(state, rules, call.container)
    events = ri.decide(rules, state.part(ri.InvocationsState), plain, scene, holders(state))
    if context.is_gm:
        return drafted(events, audience_of(call), holders_of(call), call.position)
    if (command.die, command.call) in state.part(Claims).refused:
        message = "The game master has said that this die is not for this roll."
        raise Refused("not_directly_relevant", message, field="call", value=command.call, right="another roll")
    if state.part(Claims).of(command.die, command.call) is not None:
        return []
    asked = v.DieClaimAsked(
        die=command.die, roll=command.call, expresses=expresses, name_of=command.name_of, by=context.member
    )
    return [Draft(asked, audience=audience_of(call), holders=holders_of(call), cause=call.position)]


@decides(DeclineClaim, "die.decline", roles=["gm", "player"], title="Declining a claim")
def decline_claim(state: State, command: DeclineClaim, context: Context) -> list[Draft]:
    """The die waits on, for a roll that it fits."""
    call = known_call(state, command.call, context)
    claim = state.part(Claims).of(command.die, command.call)
    if claim is None:
        right = "a claim that has not been answered"
        raise Refused("no_such_claim", "No such claim waits.", field="die", value=command.die, right=right)
    allowed = context.is_gm or context.member == claim.by
    context.require(allowed, "not_yours", "This claim is another's.", right="whoever asked, or a GM")
    event = v.DieClaimDeclined(die=command.die, roll=command.call, refused=context.is_gm)
    return [Draft(event, audience=audience_of(call), holders=holders_of(call), cause=call.position)]


def _of_pairs(state: State, pack: Pack, call: Call) -> ri.InvocationRules | None:
    """The rules where a call is for the test of a pair."""
    found = v.invocation_rules(state)
    if found is None or found[0] != pack.id or found[1].test != call.test:
        return None
    return found[1]


@checks_calls
def check_call(state: State, pack: Pack, call: Call, _context: Context) -> None:
    """SPI-022 to 026: the pair applies here, and the decision is new."""
    rules = _of_pairs(state, pack, call)
    if rules is None:
        return
    holder = call.roles[rules.role]
    own = state.part(rp.PairsState).subjects.get(holder)
    if own is None or not own.ready:
        raise Refused("no_pairs", "This subject's pairs are not ready.", field=f"roles.{rules.role}", value=holder)
    scene = v.scene_of(state, rules, call.container)
    refusal = ri.eligible(rules, own.kind, holder, scene)
    refusal = refusal or ri.may_test(rules, state.part(ri.InvocationsState), holder, call.decision)
    if refusal is not None:
        raise refusal


@takes_roles
def has_pairs(state: State, pack: Pack, test: str, role: str, subject: str) -> bool:
    """Pairs are tested of whoever has them."""
    found = v.invocation_rules(state)
    if found is None or (found[0], found[1].test, found[1].role) != (pack.id, test, role):
        return True
    own = state.part(rp.PairsState).subjects.get(subject)
    return own is not None and own.ready


@checks_rolls
def check_roll(state: State, call_id: str, _call: Call, _context: Context) -> None:
    """SPI-062: no die before the GM's word on the alignment."""
    found = state.part(ri.InvocationsState).open.get(call_id)
    if found is not None and found.alignment == "awaiting_gm":
        raise Refused(
            "awaiting_gm", "The GM has yet to say whether the two sides lie close.", field="call", right="wait"
        )


@gives
def give_claimed_die(state: State, pack: Pack, call_id: str, call: Call) -> Mapping[str, Any]:
    """The die that lies on this roll, as the test takes it (SPI-054)."""
    die, takes = state.part(ri.InvocationsState).lying.get(call_id), pack.test(call.test).spec.takes_die
    if die is None or takes is None:
        return {}
    holder = state.part(Subjects).by_id.get(die.holder)
    return {takes.sides: die.sides, takes.whose: holder.name if holder and not holder.hidden else "somebody"}


@gives
def give_extra_dice(state: State, pack: Pack, _call_id: str, call: Call) -> Mapping[str, Any]:
    """The inspiration dice that wait for this test, as its inputs (SPI-067, 072)."""
    rules = _of_pairs(state, pack, call)
    if rules is None:
        return {}
    scene = v.scene_of(state, rules, call.container)
    pair_id = call.given[rules.pair]
    waiting = ri.waiting_sides(state.part(ri.InvocationsState), call.roles[rules.role], pair_id, scene)
    own = state.part(rp.PairsState).subjects[call.roles[rules.role]]
    pair = rp.pair_named(rp.kind_named(pair_rules(state), own.kind), pair_id)
    return {name: True for name, side in zip(rules.extra, pair.sides, strict=True) if side.id in waiting}


@after_test
def follow_test(state: State, call: Call, done: TestResolved, context: Context) -> list[Draft]:
    """What an invocation came to; and the claimed die falls beside the roll it lies on."""
    drafts = _roll_claimed(state, call, done, context)
    found = v.invocation_rules(state)
    if found is None or (found[0], found[1].test) != (done.pack, done.test):
        return drafts
    rules, facts = found[1], {**done.facts, **done.facts_holders, **done.facts_gm}
    result = ri.TestResult(
        call=done.call,
        holder=done.roles[rules.role],
        pair=call.given[rules.pair],
        decision=done.decision,
        side=facts[rules.side],
        succeeded=bool(facts[rules.succeeded]),
    )
    scene = v.scene_of(state, rules, done.container)
    events = ri.settle(rules, state.part(ri.InvocationsState), result, scene, context.new_id())
    return [*drafts, *drafted(events, audience_of(call), holders_of(call), call.position)]


def _roll_claimed(state: State, call: Call, done: TestResolved, context: Context) -> list[Draft]:
    """A test that takes such dice has rolled it, or ended without: then it waits on. Beside any other it falls now."""
    invocations, found = state.part(ri.InvocationsState), v.invocation_rules(state)
    die, lying = invocations.claimed.get(done.call), invocations.lying.get(done.call)
    if die is None or found is None:
        return []
    takes = context.packs.get(done.pack).test(done.test).spec.takes_die
    sides = lying.sides if lying is not None else found[1].die
    if takes is not None and lying is not None:
        face = {**done.facts, **done.facts_holders, **done.facts_gm}.get(takes.face, 0)
        event: Event = v.DieRolled(die=die, roll=done.call, sides=sides, face=face, counted=True)
        if face == 0:
            event = v.DieClaimDeclined(die=die, roll=done.call)
        return [Draft(event, audience=audience_of(call), holders=holders_of(call), cause=call.position)]
    face = context.dice("table" if not call.secret else "gm")(sides)
    event = v.DieRolled(die=die, roll=done.call, sides=sides, face=face)
    return [
        Draft(event, audience=audience_of(call), holders=holders_of(call), cause=call.position, dice=context.draws())
    ]


@closes_container
def lapse_dice(state: State, closed: ContainerClosed) -> list[Draft]:
    """Dice that waited in a container are gone when it closes."""
    return drafted(ri.lapse(state.part(ri.InvocationsState), closed.container), HOLDERS, ())


def open_inspirations(state: State) -> list[str]:
    """Calls of inspirations that wait for the GM's word."""
    calls = state.part(Calls).open
    return [
        i for i, inv in state.part(ri.InvocationsState).open.items() if i in calls and inv.alignment == "awaiting_gm"
    ]
