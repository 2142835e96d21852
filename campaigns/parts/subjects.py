"""Subjects: anything with a sheet (character, faction, house, adversary), who plays it, whether it is hidden."""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, WATCHER, Data, Event, Names, event_type, in_story


class SubjectState(msgspec.Struct):
    """One subject. ``kind`` is a kind that one of the packs declares; ``players`` are member ids. One that is ``away``
    was put away: it is offered nowhere and no close reaches it, but what it did stands."""

    kind: str
    name: str
    players: list[str]
    hidden: bool = False
    away: bool = False


class Subjects(msgspec.Struct):
    """Part of the state: subject by id."""

    by_id: dict[str, SubjectState] = {}

    def here(self) -> dict[str, SubjectState]:
        """Those that were not put away, by id."""
        return {i: s for i, s in self.by_id.items() if not s.away}

    def is_here(self, subject: str) -> bool:
        """Whether there is such a subject and it was not put away."""
        return subject in self.by_id and not self.by_id[subject].away

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


def _put_away_said(d: Data, names: Names) -> str:
    reason = d.get("reason", "")
    return f"{names(d['subject'])} was put away" + (f": {reason}" if reason else ".")


@in_story
@event_type(
    "subject.put_away",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: ("subject",)},
    says=_put_away_said,
)
class SubjectPutAway(Event):
    """A subject was put away: entered by mistake, or gone from the story. Nothing of it is lost."""

    subject: str
    reason: str = ""


@in_story
@event_type(
    "subject.brought_back",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: ("subject",)},
    says=lambda d, names: f"{names(d['subject'])} is back.",
)
class SubjectBroughtBack(Event):
    """A subject that was put away takes part again."""

    subject: str


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


@part.evolves(SubjectPutAway)
def _put_away(subjects: Subjects, event: SubjectPutAway, _position: int) -> None:
    if event.subject in subjects.by_id:
        subjects.by_id[event.subject].away = True


@part.evolves(SubjectBroughtBack)
def _brought_back(subjects: Subjects, event: SubjectBroughtBack, _position: int) -> None:
    if event.subject in subjects.by_id:
        subjects.by_id[event.subject].away = False
