"""Invocations of the campaign's subjects: what was stated, what was spent, which dice wait. The fold and the
arithmetic are `rules.invocations`; what other players see of them follows SPI-140.
"""

# Event bodies stand on the frozen structs of the pure rules; only the type checker minds that their base is not frozen.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Mapping

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Data, Event, Names, event_type, in_story
from campaigns.parts.affiliations import Affiliations
from campaigns.parts.calls import TestDropped
from campaigns.parts.containers import Container, ContainerClosed, Containers
from campaigns.parts.subjects import Subjects
from campaigns.sections import section
from campaigns.state import State
from identity.parts.pairs import side_said
from rules import invocations as ri

part = registry.part("invocations", ri.InvocationsState)
_TABLE: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD}
_OWN: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, HOLDER: EVERY_FIELD}


def _stated_said(d: Data, names: Names) -> str:
    who, side = names(d["holder"]), side_said(d["side"])
    if d["use"] == "draw":
        return f"{who} draws on {side}: {d['text']}"
    return f"{who} would inspire {names(d['recipient'])} by {side}: {d['text']}"


@in_story
@event_type("invocation.stated", shows=_TABLE, says=_stated_said)
class InvocationStated(Event, ri.InvocationStated, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """An invocation was stated along with the call for its test."""


@event_type("invocation.confirmed", shows=_TABLE, says=lambda d, names: f"The GM finds the two sides {d['alignment']}.")
class InspirationConfirmed(Event, ri.InspirationConfirmed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The GM's word on the alignment of an inspiration."""


@event_type("invocation.spent", shows=_TABLE, says=lambda d, names: f"{names(d['holder'])} spent an invocation.")
class InvocationSpent(Event, ri.InvocationSpent, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The first die of an invocation fell."""


@event_type(
    "invocation.settled",
    shows=_TABLE,
    says=lambda d, names: "The invocation earned a die." if d["granted"] else "The invocation earned no die.",
)
class InvocationSettled(Event, ri.InvocationSettled, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The test of an invocation is over."""


@in_story
@event_type(
    "invocation.recast",
    shows=_TABLE,
    says=lambda d, names: f"The inspiration was recast to {side_said(d['side'])}.",
)
class InspirationRecast(Event, ri.InspirationRecast, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A conviction was recast to the side that its test landed on."""


@event_type(
    "die.granted",
    shows=_OWN,
    says=lambda d, names: f"A d{d['sides']} waits for {names(d['holder'])} on {side_said(d['side'])}.",
)
class DieGranted(Event, ri.DieGranted, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A die waits. Its holder's players know of it even where the test that gave it was secret."""


@event_type(
    "die.claim_asked", shows=_TABLE, says=lambda d, names: "A waiting die is to go on a roll, if the GM agrees."
)
class DieClaimAsked(Event, kw_only=True):
    """A player wants a waiting die on a roll; the GM says whether the roll is directly relevant."""

    die: str
    roll: str
    expresses: str
    name_of: str
    by: str = ""


@event_type("die.claim_declined", shows=_TABLE, says=lambda d, names: "The waiting die does not go on the roll.")
class DieClaimDeclined(Event, kw_only=True):
    """The GM finds the roll not directly relevant (``refused``), or whoever asked no longer wants it; the die waits on,
    for another roll where it was refused."""

    die: str
    roll: str
    refused: bool = False


@event_type("die.claimed", shows=_TABLE, says=lambda d, names: "A waiting die lies on the roll.")
class DieClaimed(Event, ri.DieClaimed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A waiting die lies on a roll."""


def _fell_said(d: Data, _names: Names) -> str:
    shown = f"The d{d['sides']} that lay on the roll shows {d['face']}"
    return f"{shown} and counts in it." if d["counted"] else f"{shown}. What it does there, the table says."


@event_type("die.rolled", shows=_TABLE, says=_fell_said)
class DieRolled(Event, kw_only=True):
    """The claimed die fell: ``counted`` in its roll, as the roll's own rules say, or beside it."""

    die: str
    roll: str
    sides: int
    face: int
    counted: bool = False


@event_type("die.lapsed", shows=_OWN, says=lambda d, names: f"The die that waited for {names(d['holder'])} is gone.")
class DieLapsed(Event, ri.DieLapsed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A waiting die was used by its test, or its container closed."""


@event_type(
    "decision.tested",
    shows=_TABLE,
    says=lambda d, names: f"The dice have spoken: {names(d['holder'])} is not tested on this decision again.",
)
class DecisionTested(Event, ri.DecisionTested, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A decision is not tested again for the same holder."""


BODIES: Mapping[type, type[Event]] = {
    ri.InvocationStated: InvocationStated,
    ri.InspirationConfirmed: InspirationConfirmed,
    ri.InvocationSpent: InvocationSpent,
    ri.InvocationSettled: InvocationSettled,
    ri.InspirationRecast: InspirationRecast,
    ri.DieGranted: DieGranted,
    ri.DieClaimed: DieClaimed,
    ri.DieLapsed: DieLapsed,
    ri.DecisionTested: DecisionTested,
}


@part.evolves(*BODIES.values())
def _evolve(state: ri.InvocationsState, event: Event, _position: int) -> None:
    ri.evolve(state, event)


@part.evolves(TestDropped)
def _dropped(state: ri.InvocationsState, event: TestDropped, _position: int) -> None:
    state.open.pop(event.call, None)
    ri.take_back(state, event.call)


@part.evolves(DieClaimDeclined)
def _not_on_it(state: ri.InvocationsState, event: DieClaimDeclined, _position: int) -> None:
    if state.claimed.get(event.roll) == event.die:
        ri.take_back(state, event.roll)


@part.evolves(DieRolled)
def _fell(state: ri.InvocationsState, event: DieRolled, _position: int) -> None:
    state.lying.pop(event.roll, None)


@part.evolves(ContainerClosed)
def _closed(state: ri.InvocationsState, event: ContainerClosed, _position: int) -> None:
    ri.forget_container(state, event.container)


def invocation_rules(state: State) -> tuple[str, ri.InvocationRules] | None:
    """The pack that has invocations, and its rules; None where no pack has any."""
    return section(state, "invocations", ri.InvocationRules)


@registry.container_kinds_by
def container_kinds(state: State) -> registry.ContainerKinds:
    """The kinds of containers that the pack's invocations need."""
    found = invocation_rules(state)
    if found is None:
        return {}
    return {kind.id: {tie: found[1].ties[tie] for tie in kind.ties} for kind in found[1].containers}


def scene_of(state: State, rules: ri.InvocationRules, container_id: str) -> ri.Scene | None:
    """The scene of an open container; None where there is none."""
    containers = state.part(Containers)
    container = containers.open.get(container_id)
    if container is None:
        return None
    kinds = {kind.id for kind in rules.containers}
    return ri.Scene(
        container=container_id,
        kind=container.kind,
        lineage=tuple(i for i in containers.lineage(container_id) if containers.open[i].kind in kinds),
        participants=tuple(container.participants),
        ties={tie: tuple(subjects) for tie, subjects in container.ties.items()},
        acting_for=_acting_for(state, container),
        players={i: tuple(s.players) for i, s in state.part(Subjects).by_id.items()},
    )


def _acting_for(state: State, container: Container) -> dict[str, tuple[str, ...]]:
    """Who of the participants acts for a tied subject: its leaders, those that belong to it, and those played by one
    of its own players."""
    subjects, affiliations = state.part(Subjects).by_id, state.part(Affiliations)
    tied = {subject for group in container.ties.values() for subject in group if subject in subjects}
    here = [i for i in dict.fromkeys([*container.participants, *container.leaders]) if i in subjects]
    return {
        subject: tuple(
            i
            for i in here
            if i in container.leaders
            or i in affiliations.members_of(subject)
            or set(subjects[i].players) & set(subjects[subject].players)
        )
        for subject in tied
    }
