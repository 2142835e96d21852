"""What taking an action back, or letting it stand again, would change: shown to the GM before they confirm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from campaigns import registry
from campaigns.actions import action_at
from campaigns.audience import Viewer, name_finder, view_event
from campaigns.commands.voiding import lifted_by, reach_of, require_newest, voidable
from campaigns.events import GM, GM_ONLY, Names, Recorded, type_named
from campaigns.feed import Entry, cursor_of
from campaigns.parts.seeds import Seeds
from campaigns.parts.subjects import Subjects
from campaigns.parts.voids import EventsVoided, Voids
from campaigns.state import State
from campaigns.store import read, states

MOST_CHANGES = 500
# What every void changes, and what it never does.
_LEFT_OUT = (Voids, Seeds)


@dataclass(frozen=True)
class Change:
    """One value of the state that would be another: where (``part`` and ``path``), from what, to what.

    None stands for "is not there". ``about`` is the name of the subject or member it belongs to, where there is one.
    """

    part: str
    path: tuple[str, ...]
    before: Any
    after: Any
    about: str = ""


@dataclass(frozen=True)
class Preview:
    """``entries`` would be taken back (or stand again); ``shown`` are sentences of what people beside the GM have
    already learnt from them and cannot unlearn; ``changes`` what the state would be, ``more`` how many beyond those."""

    entries: list[Entry]
    shown: list[str]
    changes: list[Change]
    more: int = 0


def preview_void(campaign_id: UUID, entry: str) -> Preview:
    """What taking the entry's action back would change. Refuses where the command would."""
    with states.held(campaign_id) as state:
        events = voidable(state, action_at(campaign_id, entry, state))
        voided = {**state.part(Voids).by, **dict.fromkeys((e.position for e in events), state.position + 1)}
        return _preview(campaign_id, state, events, voided)


def preview_restore(campaign_id: UUID, entry: str) -> Preview:
    """What letting a void's action stand again would change. Refuses where the command would."""
    with states.held(campaign_id) as state:
        by = state.part(Voids).by
        lifted = {
            position
            for void in lifted_by(state, action_at(campaign_id, entry, state))
            if isinstance(void.event, EventsVoided)
            for position in void.event.positions
            if by.get(position) == void.position
        }
        events = read.events_at(campaign_id, sorted(lifted))
        require_newest(state, events)
        return _preview(campaign_id, state, events, {p: v for p, v in by.items() if p not in lifted})


def _preview(campaign_id: UUID, state: State, events: list[Recorded], voided: dict[int, int]) -> Preview:
    other = states.fold_as_if(campaign_id, state.position, voided, min(e.position for e in events))
    names = name_finder(state)
    changes = differences(state, other, names)
    viewer = Viewer(campaign_id, GM)
    entries = [
        Entry(cursor_of(campaign_id, e.position), None, view, e.position)
        for e in events
        if (view := view_event(e, viewer, names)) is not None
    ]
    return Preview(entries, _shown(events, names), changes[:MOST_CHANGES], max(0, len(changes) - MOST_CHANGES))


def _shown(events: list[Recorded], names: Names) -> list[str]:
    """Sentences of what others than the GM saw: what was hidden from them before, and dice that fell before them."""
    viewer_of = {"all": "watcher", "table": "player", "holders": "player"}
    said = []
    for event in events:
        audience, holders = reach_of(event)
        if audience == GM_ONLY or not (type_named(event.type).reveals or event.dice):
            continue
        member = audience.removeprefix("member:") if audience.startswith("member:") else ""
        viewer = Viewer(event.campaign_id, viewer_of.get(audience, "player"), member, frozenset(holders))
        view = view_event(event, viewer, names)
        if view is not None:
            said.append(view["says"])
    return said


def differences(before: State, after: State, names: Names | None = None) -> list[Change]:
    """Every value that differs between two states, by part and path."""
    known = {*before.part(Subjects).by_id, *after.part(Subjects).by_id}
    found: list[Change] = []
    for part in registry.parts.values():
        if part.state in _LEFT_OUT:
            continue
        for path, was, will in _walk((), before.parts[part.state], after.parts[part.state]):
            about = next((p for p in path if p in known), "")
            found.append(Change(part.name, path, was, will, names(about) if names and about else ""))
    return found


def _walk(path: tuple[str, ...], old: Any, new: Any) -> list[tuple[tuple[str, ...], Any, Any]]:
    """What differs. Structs are compared field by field as they stand: whether one that stands at its default is
    written down depends on where it came from, and says nothing."""
    if old == new:
        return []
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        named = zip(old.__struct_fields__, old.__struct_encode_fields__, strict=True)
        pairs = [(said, getattr(old, name), getattr(new, name)) for name, said in named]
    elif isinstance(old, dict) and isinstance(new, dict):
        pairs = [(str(k), old.get(k), new.get(k)) for k in [*old, *(key for key in new if key not in old)]]
    else:
        was, will = (msgspec.to_builtins(one, str_keys=True) for one in (old, new))
        return [(path, was, will)] if was != will else []
    return [found for name, was, will in pairs for found in _walk((*path, name), was, will)]
