"""What taking back would change beside fights and sheets, in words: by what it is, not by where it is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.timezone import localtime

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.previews import Change
from campaigns.state import State

Said = tuple[str, str, str]
LONGEST = 60
_ID = re.compile(r"[0-9a-f]{8,}|[0-9a-f-]{36}")

# By part, what is called by its own field; "" is what anything else in it is. None is the program's own keeping.
WORDS: Mapping[str, Mapping[str, str | None]] = {
    "sheets": {"": "Their sheet"},
    "table": {
        "": "The table",
        "name": "What the campaign is called",
        "owner": "Whose campaign it is",
        "members": "Who is at the table",
        "role": "What they are at the table",
        "user": None,
        "shut": None,
        "links": "An invitation",
        "uses_left": "How often an invitation can still be used",
        "expires_at": "Until when an invitation is good",
        "packs": "The rules that are played",
        "settings": "A setting of the campaign",
        "erase_asked_at": "When it was asked to be erased",
    },
    "packs": {"": "The rules that are played", "overlays": "House rules", "own": "Rules of the table's own"},
    "calendar": {
        "": "The calendar",
        "pack": "By which rules the calendar goes",
        "closes": "What has closed",
        "waits": "What waits to be closed",
    },
    "subjects": {
        "": "Who is in the story",
        "name": "What they are called",
        "kind": "What they are",
        "players": "Who plays them",
        "hidden": "Whether they are hidden",
        "away": "Whether they are put away",
    },
    "affiliations": {
        "": "Where they belong",
        "since": "Since when they belong there",
        "standing": "How they stand there",
    },
    "growth": {"": "How they have grown", "bought": "What they have bought", "due": "What they have still to choose"},
    "making": {"": "A character in the making", "made": "How they were made"},
    "containers": {
        "": "What is running",
        "counts": "How many there have been",
        "over": "What is over",
        "paused": "Whether it is paused",
        "participants": "Who takes part in it",
        "leaders": "Who leads it",
        "published": "Whether watchers are told of it",
        "hidden": "Whether it is hidden",
        "rolled": None,
    },
    "pursuits": {"": "A Pursuit", "due": "What the party is still to be given", "session": None, "reminded": None},
    "calls": {
        "": "A test",
        "state": "How far a test is",
        "choices": "What was chosen in a test",
        "faces": "The dice of a test",
        "given": "What was said of a test beforehand",
        "rollers": "Who rolls a test",
        "ask": "What a test asks",
        "ask_of": "Whom a test asks",
        "decided": "Which decisions have been tested",
        **dict.fromkeys(("position", "asked_at", "thrower", "subjects")),
    },
    "encounters": {"": "A fight"},
    "simulations": {"": "A simulation"},
    "notices": {"": "What somebody is told of", "hooks": "A webhook"},
    "pictures": {
        "": "A picture",
        "portraits": "Their portrait",
        "audience": "Who sees a picture",
        "title": "What a picture is called",
        "alt": "What a picture shows, in words",
        "size": None,
    },
    "pairs": {"": "Their ratings", "kind": None},
    "marks": {
        "": "A mark",
        "proposals": "A mark that was proposed",
        "open_rolls": "A roll that is owed",
        "rolled": None,
    },
    "invocations": {
        "": "What was drawn on",
        "dice": "A die that was gained",
        "claimed": "A die that was claimed",
        "lying": "A die that lies ready",
        "tested": None,
    },
    "claims": {"": "A die that waits for the game master's word"},
    "voids": {"": "What is taken back"},
    "seeds": {"": None},
}


def elsewhere(state: State, change: Change) -> list[Said]:
    """A change of any part: (what, before, after); nothing where only the program keeps count of it."""
    words = WORDS.get(change.part, {"": "Something else"})
    found = next((words[step] for step in reversed(change.path) if step in words), words[""])
    if found is None:
        return []
    card = next((title for step in reversed(change.path) for title in _titles(state, step)), "")
    where = f"{card}, {found[:1].lower()}{found[1:]}" if card else found
    before, after = _said(state, change.before), _said(state, change.after)
    return [(where, before, after)]


def _titles(state: State, step: str) -> Iterator[str]:
    """What a name of the rules is called: a card of theirs."""
    for pack in Packs(state).all():
        for cards in pack.cards.values():
            if step in cards:
                yield cards[step].title


def _said(state: State, value: Any) -> str:
    """A value in a few words: people and subjects by name, of what holds much its name or how much."""
    if value is None:
        return "not there"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        name = value.get("title") or value.get("name") or value.get("note") or value.get("words")
        numbers = [one for one in value.values() if isinstance(one, int) and not isinstance(one, bool)]
        few = len(value) < 3 and len(numbers) == len(value) and numbers
        return _said(state, name) if name else ", ".join(map(str, numbers)) if few else "there"
    if isinstance(value, list | tuple):
        plain = all(isinstance(one, int | str) for one in value)
        named = [_said(state, one) for one in value] if plain else []
        many = f"{len(value)} of them"
        return (", ".join(named) if plain and "there" not in named else many) if value else "none"
    return _text(state, str(value))


def _text(state: State, text: str) -> str:
    known, members = state.part(Subjects).by_id, state.part(Table).members
    if text in known or text in members:
        return known[text].name if text in known else members[text].name
    if _ID.fullmatch(text):
        return "there"
    try:
        return f"{localtime(datetime.fromisoformat(text)):%-d %B %Y, %H:%M}" if "T" in text else _plain(text)
    except ValueError:
        return _plain(text)


def _plain(text: str) -> str:
    text = text.replace("_", " ") or "nothing"
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
