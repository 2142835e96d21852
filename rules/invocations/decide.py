"""What becomes of a command about invocations: its events, or why it is refused. Nothing is changed here."""

from __future__ import annotations

from rules.invocations.commands import (
    ClaimDie,
    ConfirmInspiration,
    InvocationCommand,
    RecastInspiration,
    StateDraw,
    StateInspiration,
)
from rules.invocations.eligible import eligible, invocations_left, lends_name, no_container
from rules.invocations.events import (
    DieClaimed,
    DieGranted,
    InspirationConfirmed,
    InspirationRecast,
    InvocationEvent,
    InvocationStated,
)
from rules.invocations.rules import InvocationRules
from rules.invocations.scene import Scene
from rules.invocations.state import Die, Invocation, InvocationsState
from rules.pairs import PairRules, kind_named, pair_named
from rules.refusal import Refused


class Holders:
    """What the deciders must know of the subjects: the kind of pairs each has, and the rules of those pairs."""

    def __init__(self, pairs: PairRules, kinds: dict[str, str]) -> None:
        self.pairs, self._kinds = pairs, kinds

    def kind(self, subject: str, field: str) -> str:
        """The kind of pairs of a subject; refused where it has none."""
        if subject not in self._kinds:
            raise Refused("no_pairs", "This subject has no pairs.", field=field, value=subject)
        return self._kinds[subject]

    def pair_of_side(self, subject: str, side: str, field: str) -> str:
        """The pair of a subject that has this side."""
        kind = kind_named(self.pairs, self.kind(subject, field))
        for pair in kind.pairs:
            if any(side == found.id for found in pair.sides):
                return pair.id
        sides = ", ".join(found.id for pair in kind.pairs for found in pair.sides)
        raise Refused("unknown_side", "No pair has this side.", field=field, value=side, right="one of " + sides)

    def check_side(self, subject: str, pair: str, side: str) -> None:
        """Refuses a side that is none of the pair's."""
        found = pair_named(kind_named(self.pairs, self.kind(subject, "holder")), pair)
        if side not in (known.id for known in found.sides):
            right = " or ".join(known.id for known in found.sides)
            raise Refused("unknown_side", "The pair has no such side.", field="side", value=side, right=right)


def decide(
    rules: InvocationRules,
    state: InvocationsState,
    command: InvocationCommand,
    scene: Scene | None,
    holders: Holders,
    new_die: str = "",
) -> list[InvocationEvent]:
    """The events of a command in its scene (None: no container). ``new_die``: the id for a die that may be granted."""
    match command:
        case StateDraw():
            return [_draw(rules, state, command, scene, holders)]
        case StateInspiration():
            return [_inspire(rules, state, command, scene, holders)]
        case ConfirmInspiration():
            return _confirm(state, command)
        case RecastInspiration():
            return _recast(rules, state, command, holders, new_die)
        case ClaimDie():
            return [_claim(rules, state, command, scene, holders)]


def _open(
    rules: InvocationRules, state: InvocationsState, holder: str, scene: Scene | None, holders: Holders
) -> tuple[Scene, tuple[str, ...]]:
    """What every invocation needs: a container, a pair that applies there, and one left."""
    if scene is None or not any(container.id == scene.kind for container in rules.containers):
        raise no_container(rules)
    refusal = eligible(rules, holders.kind(holder, "holder"), holder, scene)
    if refusal is not None:
        raise refusal
    players = scene.players.get(holder, ())
    if invocations_left(rules, state, holder, players, scene) == 0:
        raise Refused("invocation_spent", "The one invocation here is spent.", field="container", value=scene.container)
    return scene, players


def _draw(
    rules: InvocationRules, state: InvocationsState, command: StateDraw, scene: Scene | None, holders: Holders
) -> InvocationStated:
    """SPI-040: both how it helps and what is at stake are stated first."""
    scene, players = _open(rules, state, command.holder, scene, holders)
    if rules.participant and not scene.takes_part(command.holder):
        raise Refused("not_a_participant", "The holder takes no part in it.", field="holder", value=command.holder)
    if not command.helps.strip():
        raise Refused("state_how_it_helps", "Say how it helps the action.", field="helps", right="a sentence")
    if command.stake not in rules.stakes:
        right = "one of " + ", ".join(rules.stakes)
        raise Refused(
            "state_the_stake", "Say what makes the choice matter.", field="stake", value=command.stake, right=right
        )
    holders.check_side(command.holder, command.pair, command.side)
    return InvocationStated(
        call=command.call,
        use="draw",
        holder=command.holder,
        container=scene.container,
        pair=command.pair,
        side=command.side,
        players=players,
        text=command.helps,
        stake=command.stake,
    )


def _inspire(
    rules: InvocationRules, state: InvocationsState, command: StateInspiration, scene: Scene | None, holders: Holders
) -> InvocationStated:
    """SPI-060 to 062, 069, 070: each end must be eligible; the recipient takes part."""
    if not command.recipient:
        raise Refused("name_the_recipient", "Name the one recipient.", field="recipient", right="a subject")
    if command.recipient == command.holder:
        raise Refused("not_oneself", "Nobody inspires themselves.", field="recipient", value=command.recipient)
    if not command.side:
        raise Refused("name_the_conviction", "Name the conviction that is shown.", field="side", right="a side")
    if not command.connection.strip():
        raise Refused(
            "explain_the_connection", "Say what ties it to the recipient.", field="connection", right="a sentence"
        )
    scene, players = _open(rules, state, command.holder, scene, holders)
    refusal = eligible(rules, holders.kind(command.recipient, "recipient"), command.recipient, scene)
    if refusal is not None:
        raise refusal
    if not scene.takes_part(command.recipient):
        raise Refused(
            "not_a_participant", "The recipient takes no part in it.", field="recipient", value=command.recipient
        )
    holders.check_side(command.holder, command.pair, command.side)
    other = holders.pair_of_side(command.recipient, command.recipient_side, "recipient_side")
    return InvocationStated(
        call=command.call,
        use="inspire",
        holder=command.holder,
        container=scene.container,
        pair=command.pair,
        side=command.side,
        players=players,
        text=command.connection,
        recipient=command.recipient,
        recipient_pair=other,
        recipient_side=command.recipient_side,
        alignment=alignment(holders, command.holder, command.pair, command.side, command, command.aligned),
    )


def alignment(
    holders: Holders,
    holder: str,
    pair: str,
    side: str,
    to: StateInspiration | RecastInspiration,
    accepted: bool | None,
    recipient: str = "",
) -> str:
    """matching, close, awaiting_gm; refused where the GM says no or both sides are of one pair (SPI-062)."""
    recipient = to.recipient if isinstance(to, StateInspiration) else recipient
    same_kind = holders.kind(holder, "holder") == holders.kind(recipient, "recipient")
    if same_kind and side == to.recipient_side:
        return "matching"
    one_pair = same_kind and holders.pair_of_side(recipient, to.recipient_side, "recipient_side") == pair
    if one_pair or accepted is False:
        raise Refused(
            "not_aligned", "The two do not lie close.", field="recipient_side", value=to.recipient_side, right=side
        )
    return "awaiting_gm" if accepted is None else "close"


def _invocation(state: InvocationsState, call: str) -> Invocation:
    found = state.open.get(call)
    if found is None or found.use != "inspire":
        raise Refused("not_open", "No inspiration waits under this id.", field="call", value=call)
    return found


def _confirm(state: InvocationsState, command: ConfirmInspiration) -> list[InvocationEvent]:
    """The GM's word, before the roll (SPI-062)."""
    if _invocation(state, command.call).alignment != "awaiting_gm":
        return []
    return [InspirationConfirmed(call=command.call, alignment="close" if command.accepted else "none")]


def _recast(
    rules: InvocationRules, state: InvocationsState, command: RecastInspiration, holders: Holders, new_die: str
) -> list[InvocationEvent]:
    """SPI-065: to the side that the test landed on, for the same recipient, if the GM accepts."""
    found = _invocation(state, command.call)
    if rules.recast == "never" or not found.settled:
        raise Refused("not_to_recast", "This inspiration cannot be recast.", field="call", value=command.call)
    alignment(holders, found.holder, found.pair, found.landed, command, command.accepted, found.recipient)
    pair = holders.pair_of_side(found.recipient, command.recipient_side, "recipient_side")
    recast = InspirationRecast(
        call=command.call, side=found.landed, recipient_pair=pair, recipient_side=command.recipient_side
    )
    granted = DieGranted(
        die=new_die,
        purpose="inspiration",
        holder=found.recipient,
        pair=pair,
        side=command.recipient_side,
        container=found.container,
        sides=rules.die,
    )
    return [recast, granted]


def _claim(
    rules: InvocationRules, state: InvocationsState, command: ClaimDie, scene: Scene | None, holders: Holders
) -> DieClaimed:
    """SPI-042, 049, 054: before the dice, in the same container, once a roll, on a fitting roll of the holder's."""
    die = state.dice.get(command.die)
    if die is None or die.purpose != "action":
        raise Refused("die_already_used", "This die does not wait any more.", field="die", value=command.die)
    if scene is None or scene.container != die.container and die.container not in scene.lineage:
        raise Refused("other_container", "The die belongs to another deed.", field="roll", value=command.roll)
    if command.fallen:
        raise Refused("claim_before_rolling", "The dice of this roll have fallen.", field="roll", value=command.roll)
    if command.roll in state.claimed:
        raise Refused("benefits_do_not_stack", "The roll has such a die already.", field="roll", value=command.roll)
    if command.roll in state.open:
        message = "This roll asks who one is; it is no action."
        raise Refused("no_action_roll", message, field="roll", value=command.roll, right="the roll of an action")
    _claim_fits(die, command, scene, by_name=lends_name(rules, holders.kind(die.holder, "die")))
    return DieClaimed(die=command.die, roll=command.roll)


def _claim_fits(die: Die, command: ClaimDie, scene: Scene, *, by_name: bool) -> None:
    in_name = by_name and die.holder == command.name_of and command.roller in scene.participants
    if die.holder != command.roller and not in_name:
        raise Refused(
            "own_action_roll_only", "The die is for its holder's own action.", field="roll", value=command.roller
        )
    if command.expresses != die.side:
        raise Refused(
            "action_must_express_side",
            "The action expresses another side.",
            field="expresses",
            value=command.expresses,
            right=die.side,
        )
    if not command.relevant:
        raise Refused("not_directly_relevant", "The GM finds the roll not directly relevant.", field="relevant")
