"""A die that was claimed for a roll: it waits again where the roll does not come about, unless what it was earned in is
over by then."""

from __future__ import annotations

from rules.invocations import events as e
from rules.invocations.evolve import evolve, forget_container, take_back
from rules.invocations.state import InvocationsState


def claimed() -> InvocationsState:
    """A d4 earned in a Deed lies on a roll."""
    state = InvocationsState()
    granted = {"die": "d", "purpose": "action", "holder": "ana", "pair": "courage", "side": "bold", "container": "deed"}
    evolve(state, e.DieGranted(**granted, sides=4))
    evolve(state, e.DieClaimed(die="d", roll="r"))
    assert not state.dice and state.lying["r"].sides == 4
    return state


def test_it_waits_again_where_the_roll_does_not_come_about() -> None:
    state = claimed()
    take_back(state, "r")
    assert state.dice["d"].container == "deed" and not state.lying and not state.claimed


def test_it_does_not_wait_for_ever_in_what_is_over() -> None:
    state = claimed()
    forget_container(state, "deed")
    assert state.lying["r"].sides == 4  # it still falls with the roll on which it lies
    take_back(state, "r")
    assert not state.dice and not state.lying and not state.claimed
