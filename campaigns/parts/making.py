"""Characters that are being made: drafts, kept until they are finished or given up, and what was chosen of those made.

A draft is its maker's and the game masters' to see.
"""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Event, event_type
from campaigns.state import State

Chosen = dict[str, Any]


class HalfMade(msgspec.Struct):
    """One draft: by which pack, of which kind, whose, and what is chosen so far. ``subject`` is set where somebody who
    is there already gets a sheet in this pack as well."""

    pack: str
    kind: str
    member: str
    name: str = ""
    subject: str = ""
    choices: Chosen = {}


class Making(msgspec.Struct):
    """Part of the state: drafts by id, and the choices of those made, by subject, then pack."""

    drafts: dict[str, HalfMade] = {}
    made: dict[str, dict[str, Chosen]] = {}


part = registry.part("making", Making)


@registry.makes
def _made(state: State, subject: str) -> bool:
    """Whether a subject was made step by step."""
    return subject in state.part(Making).made


_MAKERS: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, PLAYER: EVERY_FIELD}


@event_type("draft.begun", shows=_MAKERS, says=lambda d, names: f"{d['name'] or 'Somebody new'} is being made.")
class DraftBegun(Event):
    """Somebody began to make a character, perhaps from choices that came with it."""

    draft: str
    pack: str
    kind: str
    member: str
    name: str = ""
    subject: str = ""
    choices: Chosen = {}


@event_type("draft.chosen", shows=_MAKERS, says=lambda d, names: "Something was chosen for somebody new.")
class DraftChosen(Event):
    """Choices were made, changed, or (``cleared``) taken back; ``name`` is None where it stayed."""

    draft: str
    choices: Chosen = {}
    cleared: tuple[str, ...] = ()
    name: str | None = None


@event_type("draft.discarded", shows=_MAKERS, says=lambda d, names: f"{d['name'] or 'Somebody new'} was given up.")
class DraftDiscarded(Event):
    """A draft was given up."""

    draft: str
    name: str = ""


@event_type(
    "draft.finished",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])} is ready for play.",
)
class DraftFinished(Event):
    """A character is made; ``choices`` are those that count. ``draft`` is empty where it came whole, from a file."""

    draft: str
    subject: str
    pack: str
    choices: Chosen


@part.evolves(DraftBegun)
def _begun(making: Making, event: DraftBegun, _position: int) -> None:
    making.drafts[event.draft] = HalfMade(
        event.pack, event.kind, event.member, event.name, event.subject, dict(event.choices)
    )


@part.evolves(DraftChosen)
def _chosen(making: Making, event: DraftChosen, _position: int) -> None:
    draft = making.drafts.get(event.draft)
    if draft is None:
        return
    draft.choices = {**draft.choices, **event.choices}
    for name in event.cleared:
        draft.choices.pop(name, None)
    if event.name is not None:
        draft.name = event.name


@part.evolves(DraftDiscarded)
def _discarded(making: Making, event: DraftDiscarded, _position: int) -> None:
    making.drafts.pop(event.draft, None)


@part.evolves(DraftFinished)
def _finished(making: Making, event: DraftFinished, _position: int) -> None:
    making.drafts.pop(event.draft, None)
    making.made.setdefault(event.subject, {})[event.pack] = dict(event.choices)
