"""The log of an encounter, newest first: each step in a sentence, its dice, how it came about, what changed by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns import feed
from campaigns.audience import Viewer
from campaigns.state import State
from frontend.entries import Die, is_quiet, seen_die
from frontend.fights.changes import Changes

FAR_BACK = 150
CHANGES = ("sheet.", "card.")
ARITHMETIC = ("let ", "call ", "keep ", "pick ", "outcome ", "ask ", "moment ")


@dataclass(frozen=True)
class Told:
    """One step, in a sentence, and what the rules say of it (``told``). ``rolls`` are (what it was for, its dice);
    ``changes`` what changed on sheets; ``lines`` every step of the reckoning. ``cursor`` names it."""

    cursor: str
    says: str
    told: tuple[str, ...]
    user: str
    success: bool | None
    rolls: tuple[tuple[str, tuple[Die, ...]], ...]
    changes: tuple[str, ...]
    lines: tuple[str, ...]
    at: datetime
    by: str
    voided: bool
    hidden: bool


def log_of(state: State, viewer: Viewer, encounter: str, limit: int = 30, then: State | None = None) -> list[Told]:
    """The newest steps of an encounter that the viewer is told of, up to ``then``."""
    found: list[Told] = []
    changes: dict[str, list[tuple[feed.Entry, str]]] = {}
    sheets = Changes(then or state, encounter)
    for entry in feed.older(state, viewer, (then or state).position + 1, FAR_BACK):
        view = entry.view
        kind, data = view["type"], view["data"]
        if kind.startswith(CHANGES):
            if not view["voided"] and not is_quiet(view):
                changes.setdefault(view["act"], []).extend((entry, said) for said in sheets.said(view))
        elif kind.startswith("encounter.") and data.get("encounter") == encounter:
            own = tuple(said for _, said in reversed(changes.pop(view["act"], [])))
            found += [_unseen(one) for one in changes.values() if one and sheets.is_of_it(one[0][0].view)]
            found.append(_told(entry, own, sheets))
            changes = {}
        elif kind.startswith("encounter."):
            changes = {}
        if len(found) >= limit:
            break
    return found[:limit]


def _unseen(changes: list[tuple[feed.Entry, str]]) -> Told:
    """What came of a step that the viewer does not see: it stands alone, under nobody else's deed."""
    newest = changes[0][0]
    return Told(
        cursor=newest.cursor,
        says=" ".join(said for _, said in reversed(changes)),
        told=(),
        user="",
        success=None,
        rolls=(),
        changes=(),
        lines=(),
        at=datetime.fromisoformat(newest.view["recorded"]),
        by=newest.view["actor"]["name"],
        voided=False,
        hidden=False,
    )


def _told(entry: feed.Entry, changes: tuple[str, ...], sheets: Changes) -> Told:
    view, data = entry.view, entry.view["data"]
    return Told(
        cursor=entry.cursor,
        says=data.get("words") or view["says"],
        told=tuple(data.get("told_gm") or data.get("told") or ()),
        user=data.get("user", ""),
        success=data.get("success"),
        rolls=tuple(
            (name.replace("_", " "), tuple(seen_die(one) for one in dice))
            for name, dice in _rolls(data).items()
            if dice
        ),
        changes=changes,
        lines=_reckoning(data, sheets),
        at=datetime.fromisoformat(view["recorded"]),
        by=view["actor"]["name"],
        voided=view["voided"],
        hidden=view.get("audience") == "gm",
    )


def _rolls(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Dice by roll, with those that only a GM is told of; these are named by the way to them."""
    shown = data.get("dice") or {}
    rolls = dict(shown)
    for name, dice in (data.get("dice_gm") or {}).items():
        told = name.rpartition(".")[2] in shown
        if not told and isinstance(dice, list) and all(isinstance(d, dict) and "face" in d for d in dice):
            rolls[name] = dice
    return rolls


def _reckoning(data: dict[str, Any], sheets: Changes) -> tuple[str, ...]:
    """The account, without what the step says anyway; of older entries every line of the trace that says something to
    people, without the bare arithmetic and what only meters the fight."""
    account = data.get("account_gm") or data.get("account")
    if account:
        told = set(data.get("told_gm") or data.get("told") or ())
        return tuple(line for line in account if line not in told)
    lines = [line.strip() for line in data.get("lines_gm") or data.get("lines") or ()]
    return tuple(one for one in lines if not one.startswith(ARITHMETIC) and not sheets.is_metering(one))
