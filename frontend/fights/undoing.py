"""What taking something back would change in a fight, in words: who stands where, whose turn it is, what lies there."""

from __future__ import annotations

from typing import Any

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.previews import Change
from campaigns.state import State
from encounters.parts.encounters import Encounter, Encounters
from rules.packs.wording import card_title, plainly, titled

Said = tuple[str, str, str]
NOBODY, ELSEWHERE = "nobody", "not on the grid"
TITLES = {"title": "Its name", "foes": "What foes show of themselves", "seconds": "How long a moment waits, in seconds"}


def fight_changes(state: State, change: Change) -> list[Said]:
    """What a change of an encounter means: (what, before, after); nothing where it is the program's own keeping."""
    if len(change.path) < 2:
        return []
    _, encounter, *path = change.path
    found = state.part(Encounters).open.get(encounter)
    if not path:
        title = next((v["title"] for v in (change.before, change.after) if isinstance(v, dict) and v.get("title")), "")
        return [(title or "A fight", _there(change.before), _there(change.after))]
    return _Words(state, found).of(path, change.before, change.after)


def _there(value: Any) -> str:
    return "not there" if value is None else "there"


class _Words:
    def __init__(self, state: State, found: Encounter | None) -> None:
        self.subjects = state.part(Subjects).by_id
        packs = Packs(state)
        self.pack = packs.get(found.pack) if found is not None and found.pack in packs.ids() else None

    def name(self, subject: Any) -> str:
        known = self.subjects.get(str(subject))
        return known.name if known is not None else NOBODY

    def card(self, card: str) -> str:
        return card_title(self.pack, card) if self.pack is not None else titled(card)

    def cell(self, cell: Any) -> str:
        return f"column {cell[0] + 1}, row {cell[1] + 1}" if cell else ELSEWHERE

    def of(self, path: list[str], before: Any, after: Any) -> list[Said]:
        match path:
            case ["fight", "scene", *rest]:
                return self.scene(rest, before, after)
            case ["fight", "members", subject, *rest]:
                return self.member(self.name(subject), rest, before, after)
            case ["fight", "waiting", *rest]:
                return [("What waits for an answer", _waits(before, rest), _waits(after, rest))]
            case ["fight", "status"]:
                return [("The fight", str(before), str(after))]
            case [name] if name in TITLES:
                return [(TITLES[name], plainly(before), plainly(after))]
            case ["map", *_]:
                return [("The picture under the grid", _there(before), "another" if after else "not there")]
        return []

    def scene(self, path: list[str], before: Any, after: Any) -> list[Said]:
        match path:
            case ["places", subject]:
                return [(f"Where {self.name(subject)} stands", self.cell(before), self.cell(after))]
            case ["turn"]:
                return [("Whose turn it is", self.name(before), self.name(after))]
            case ["round"]:
                return [("Round", str(before), str(after))]
            case ["areas", area, *rest]:
                return self.area(area, before, after, whole=not rest)
            case ["apart" | "sizes", _]:
                return [("How far or how large somebody is", plainly(before), plainly(after))]
        return []

    def member(self, name: str, path: list[str], before: Any, after: Any) -> list[Said]:
        match path:
            case [] | ["present"]:
                return [(f"{name} takes part", _yes(before), _yes(after))]
            case ["hidden"]:
                return [(f"{name} is seen", _yes(not before), _yes(not after))]
            case ["initiative"]:
                return [(f"{name}, initiative", plainly(before), plainly(after))]
        return []

    def area(self, area: str, before: Any, after: Any, *, whole: bool) -> list[Said]:
        card = area.rpartition("@")[0] or area
        if whole:
            return [(f"{self.card(card)} on the ground", _lies(before), _lies(after))]
        return [(f"{self.card(card)} on the ground", "as it lies", "otherwise")]


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def _lies(value: Any) -> str:
    return "does not lie there" if value is None else "lies there"


def _waits(value: Any, path: list[str]) -> str:
    return "nothing" if value is None and not path else "as it is asked"
