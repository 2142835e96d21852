"""Open tests under changed rules: whose dice have begun to fall, and which would not fit the new rules. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns import registry
from campaigns.events import Draft
from campaigns.parts.calls import Call, Calls, TestDropped, audience_of, holders_of
from campaigns.parts.subjects import Subjects
from campaigns.rolling import check_given, main_holders, subject_of
from campaigns.state import State
from rules.packs import Pack
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets.upgrade import upgrade

REASON = "the rules have changed under it"


@dataclass(frozen=True)
class OpenTest:
    """An open call as those who change rules read it; ``why`` it would not fit, "" where it would."""

    call: str
    title: str
    names: tuple[str, ...]
    why: str = ""

    def __str__(self) -> str:
        return f"{self.title} ({', '.join(self.names)})" if self.names else self.title


def under_way(state: State, pack: str) -> list[OpenTest]:
    """The open tests of a pack that have begun: rules do not change under these."""
    return [_open(state, i, call) for i, call in _calls(state, pack) if _has_begun(call)]


def unfit(state: State, old: Pack, new: Pack) -> list[OpenTest]:
    """The open tests of a pack that nobody has begun and that its new rules have no place for, and why."""
    found = ((i, call, _why(state, old, new, call)) for i, call in _calls(state, old.id) if not _has_begun(call))
    return [_open(state, i, call, why) for i, call, why in found if why]


def held_up(state: State, pack: str) -> list[str]:
    """What else is under way by a pack's rules, in words."""
    return [name for function in registry.underways for name in function(state, pack)]


def refuse_under_way(state: State, pack: str) -> None:
    """Refuses, with the names of what stands in the way."""
    begun = [*map(str, under_way(state, pack)), *held_up(state, pack)]
    if begun:
        message = f"This is being played by these rules: {'; '.join(begun)}."
        raise Refused("test_under_way", message, field="pack", value=pack, right="finish it first")


def dropped(state: State, old: Pack, new: Pack) -> list[Draft]:
    """The events that close what would not fit any more."""
    calls = state.part(Calls).open
    return [
        Draft(
            TestDropped(call=one.call, why=REASON),
            audience=audience_of(calls[one.call]),
            holders=holders_of(calls[one.call]),
        )
        for one in unfit(state, old, new)
    ]


def _calls(state: State, pack: str) -> list[tuple[str, Call]]:
    return [(i, call) for i, call in state.part(Calls).open.items() if call.pack == pack]


def _has_begun(call: Call) -> bool:
    return bool(call.faces) or call.state == "rolling"


def _open(state: State, call_id: str, call: Call, why: str = "") -> OpenTest:
    return OpenTest(call_id, call.title, main_holders(state, call), why)


def _why(state: State, old: Pack, new: Pack, call: Call) -> str:
    """What is in the way of a call under new rules, "" for nothing."""
    try:
        spec = new.test(call.test).spec
    except RulesError:
        return "the rules have no such test any more"
    known = state.part(Subjects).by_id
    if set(spec.roles) != set(call.roles):
        return "it asks for others to take part"
    if any(known[subject].kind not in spec.roles[role].kinds for role, subject in call.roles.items()):
        return "somebody in it cannot take that part any more"
    subjects = {role: upgrade(old, new, subject_of(state, i, old.id)).subject for role, i in call.roles.items()}
    try:
        check_given(state, new, call, subjects)
    except Refused as refused:
        return refused.message
    return ""
