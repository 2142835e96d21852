"""Foes made quickly: several at once of what a pack has ready. Names no pack.

Ready-made are: what a kind's creation has `ready`; cards given by hand whose fields are named like kept stats of a kind
that can take part (their values are its numbers); and whoever takes part already, to be made once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from campaigns.character_files import export
from campaigns.commands.making import BeginDraft, FinishDraft, ImportCharacter
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from encounters.commands.preparing import JoinEncounter
from encounters.parts.encounters import Encounter
from rules.board import Cell
from rules.packs import Pack
from rules.refusal import Refused
from rules.sizing import numbers_of, ready_types

MOST = 12


@dataclass(frozen=True)
class Model:
    """What several can be made of; ``key`` names it in the form."""

    key: str
    title: str


def models(state: State, pack: Pack, found: Encounter) -> list[tuple[str, list[Model]]]:
    """What foes can be made of, in groups."""
    subjects = state.part(Subjects).by_id
    here = sorted((one for one in found.fight.members if one in subjects), key=lambda one: bool(subjects[one].players))
    known = [Model(f"like:{one}", subjects[one].name) for one in here]
    groups: list[tuple[str, list[Model]]] = []
    # What players play is seldom a foe.
    played = {subject.kind for subject in subjects.values() if subject.players}
    for kind in sorted(pack.encounter.kinds, key=lambda kind: kind in played):
        ready = pack.creations[kind].spec.ready if kind in pack.creations else {}
        title = pack.kinds[kind].title
        for card_type in ready_types(pack, kind):
            cards = pack.cards.get(card_type, {}).items()
            name = pack.card_types[card_type].title
            groups.append((name, [Model(f"card:{kind}:{card}", one.title) for card, one in cards]))
        groups.append((f"{title}, ready made", [Model(f"ready:{kind}:{n}", r.name or n) for n, r in ready.items()]))
    groups.append(("One more like", known))
    return [(title, models) for title, models in groups if models]


class Maker:
    """Sends what makes one foe after the other and brings each in. Ids of commands follow from that of the form, so
    that a second press makes nobody twice. ``send`` carries a command out and answers its events."""

    def __init__(  # noqa: PLR0913
        self, state: State, pack: Pack, key: str, press: UUID, send: Any, numbers: Mapping[str, Any] | None = None
    ) -> None:
        self.pack, self.press, self.send, self.numbers = pack, press, send, dict(numbers or {})
        self.sort, _, rest = key.partition(":")
        self.kind, _, self.name = rest.partition(":")
        self.file = export(state, rest, "gm") if self.sort == "like" and rest in state.part(Subjects).by_id else None
        if self.sort == "ready" and self.kind in pack.creations:
            self.title = pack.creations[self.kind].spec.ready[self.name].name if self._is_ready() else ""
        elif self.sort == "card" and self.kind in pack.kinds and self._is_card():
            self.title = pack.card(self.name)[1].title
        else:
            self.title = self.file.name if self.file is not None else ""
        if not self.title:
            raise Refused("missing", "Say of what they are made.", field="model", value=key[:80])

    def _is_ready(self) -> bool:
        return self.name in self.pack.creations[self.kind].spec.ready

    def _is_card(self) -> bool:
        return any(self.name in self.pack.cards.get(one, {}) for one in ready_types(self.pack, self.kind))

    def made(self, name: str, number: int, hidden: bool) -> str:
        """Makes one; answers its subject."""
        if self.sort == "ready":
            begun = self._tell(
                number, "begin", BeginDraft(pack=self.pack.id, kind=self.kind, ready=self.name, name=name)
            )
            draft = FinishDraft(draft=begun[0].draft, players=(), hidden=hidden)
            return _subject_in(self._tell(number, "finish", draft))
        if self.sort == "like":
            assert self.file is not None
            named = type(self.file)(name=name, kind=self.file.kind, sheets=self.file.sheets)
            return _subject_in(
                self._tell(number, "import", ImportCharacter(character=named, players=(), hidden=hidden))
            )
        subject = _subject_in(self._tell(number, "create", CreateSubject(kind=self.kind, name=name, hidden=hidden)))
        numbers = {**numbers_of(self.pack, self.kind, self.name), **self.numbers}
        self._tell(number, "numbers", ChangeSheet(subject=subject, pack=self.pack.id, values=numbers))
        self._tell(number, "card", ApplyCard(subject=subject, pack=self.pack.id, card=self.name, secret=True))
        return subject

    def joined(self, encounter: str, subject: str, number: int, **more: Any) -> None:
        """Brings one in."""
        self._tell(number, "join", JoinEncounter(encounter=encounter, subject=subject, **more))

    def _tell(self, number: int, step: str, command: Any) -> list[Any]:
        found: list[Any] = self.send(command, uuid5(self.press, f"{step} {number}"))
        return found


def _subject_in(events: list[Any]) -> str:
    return next(str(one.subject) for one in events if hasattr(one, "subject"))


def free_squares(found: Encounter, far: bool) -> Iterator[Cell]:
    """Squares nobody stands on, column by column from the left edge, or (``far``) from the right one."""
    taken = set(found.fight.scene.places.values())
    columns = range(found.width - 2, -1, -1) if far else range(1, found.width)
    middle = found.height // 2
    rows = sorted(range(found.height), key=lambda row: abs(row - middle))
    for x in columns:
        for y in rows:
            if (x, y) not in taken and (y - middle) % 2 == 0:
                yield (x, y)
    for x in columns:
        yield from ((x, y) for y in rows if (x, y) not in taken and (y - middle) % 2)


def numbered(title: str, count: int, taken: Mapping[str, Any]) -> list[str]:
    """Names for so many: the title alone for one, else with the next free numbers."""
    names = {one.name for one in taken.values()}
    if count == 1 and title not in names:
        return [title]
    out: list[str] = []
    number = 1
    while len(out) < count:
        if f"{title} {number}" not in names:
            out.append(f"{title} {number}")
        number += 1
    return out
