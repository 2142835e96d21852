"""Subjects: anything with a sheet (character, faction, house, adversary), who plays it, whether it is hidden."""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, WATCHER, Event, event_type, in_story


class SubjectState(msgspec.Struct):
    """One subject. ``kind`` is a kind that one of the packs declares; ``players`` are member ids."""

    kind: str
    name: str
    players: list[str]
    hidden: bool = False


class Subjects(msgspec.Struct):
    """Part of the state: subject by id."""

    by_id: dict[str, SubjectState] = {}

    def played_by(self, member: str) -> frozenset[str]:
        """Ids of the subjects that a member plays."""
        return frozenset(i for i, s in self.by_id.items() if member in s.players)


part = registry.part("subjects", Subjects)


@in_story
@event_type(
    "subject.created",
    shows={
        GM: EVERY_FIELD,
        HOLDER: EVERY_FIELD,
        PLAYER: ("subject", "kind", "name", "players"),
        WATCHER: ("subject", "kind", "name"),
    },
    says=lambda d, names: f"{d['name']} entered the story.",
)
class SubjectCreated(Event):
    """A subject came to be. Where it is hidden, the event's audience is the GM alone."""

    subject: str
    kind: str
    name: str
    players: tuple[str, ...]
    hidden: bool = False


@in_story
@event_type(
    "subject.renamed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"{d['old_name']} is now called {d['name']}.",
)
class SubjectRenamed(Event):
    """A subject took another name."""

    subject: str
    name: str
    old_name: str


@event_type(
    "subject.players_changed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])} is played by {', '.join(map(names, d['players'])) or 'the GM'}.",
)
class SubjectPlayersChanged(Event):
    """A subject was handed to other players (none: the GM plays it)."""

    subject: str
    players: tuple[str, ...]


@in_story
@event_type(
    "subject.revealed",
    reveals=True,
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: ("subject", "kind", "name")},
    says=lambda d, names: f"{d['name']} entered the story.",
)
class SubjectRevealed(Event):
    """A hidden subject was shown to the table."""

    subject: str
    kind: str
    name: str
    players: tuple[str, ...]


@part.evolves(SubjectCreated)
def _created(subjects: Subjects, event: SubjectCreated, _position: int) -> None:
    subjects.by_id[event.subject] = SubjectState(event.kind, event.name, list(event.players), event.hidden)


@part.evolves(SubjectRenamed)
def _renamed(subjects: Subjects, event: SubjectRenamed, _position: int) -> None:
    if event.subject in subjects.by_id:
        subjects.by_id[event.subject].name = event.name


@part.evolves(SubjectPlayersChanged)
def _players(subjects: Subjects, event: SubjectPlayersChanged, _position: int) -> None:
    if event.subject in subjects.by_id:
        subjects.by_id[event.subject].players = list(event.players)


@part.evolves(SubjectRevealed)
def _revealed(subjects: Subjects, event: SubjectRevealed, _position: int) -> None:
    if event.subject in subjects.by_id:
        subjects.by_id[event.subject].hidden = False
