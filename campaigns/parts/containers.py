"""The table's time: sessions, scenes and what packs put inside them, each open, paused or closed.

Containers nest (a scene in a session, a deed in an endeavour). What lasts a container ends with it. The kinds
``session`` and ``scene`` are everybody's; packs declare more. Ledger: SPI-028, TRT-122 to 124.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Event, event_type, in_story

SESSION, SCENE = "session", "scene"


class Container(msgspec.Struct):
    """One open container. ``ties`` names the subjects it is done for or about, by the pack's names for such ties;
    ``published``: watchers are told its tests; ``opened`` is the position at which it began."""

    kind: str
    title: str
    parent: str
    participants: list[str]
    leaders: list[str]
    ties: dict[str, list[str]]
    number: int
    paused: bool = False
    rolled: bool = False
    hidden: bool = False
    published: bool = False
    opened: int = 0


# So many that are over can still be published.
LATELY = 6


class Containers(msgspec.Struct):
    """Part of the state: the open containers by id, those that ended lately, and how many of each kind there have
    been."""

    open: dict[str, Container] = {}
    counts: dict[str, int] = {}
    over: dict[str, Container] = {}

    def known(self, container: str) -> Container | None:
        """A container that is open or ended lately."""
        return self.open.get(container) or self.over.get(container)

    def holders(self, container: str) -> Iterator[Container]:
        """A container and all that hold it, as far as they are known."""
        found = self.known(container)
        while found is not None:
            yield found
            found = self.known(found.parent)

    def inside(self, container: str) -> Iterator[str]:
        """Ids of the open containers within one, innermost first, itself last."""
        for child in [i for i, c in self.open.items() if c.parent == container]:
            yield from self.inside(child)
        yield container

    def lineage(self, container: str) -> Iterator[str]:
        """Ids from a container outward through all that hold it."""
        while container in self.open:
            yield container
            container = self.open[container].parent

    def running(self, kind: str) -> str:
        """Id of the open container of a kind of which there is one at a time, or an empty string."""
        return next((i for i, c in self.open.items() if c.kind == kind), "")


part = registry.part("containers", Containers)
_SHOWN = ("container", "kind", "title", "number", "parent", "participants", "leaders", "ties")


@in_story
@event_type(
    "container.opened",
    shows={GM: EVERY_FIELD, PLAYER: _SHOWN, WATCHER: ("container", "kind", "title", "number")},
    # What began hidden has no number: that of the next one would betray it.
    says=lambda d, names: f"{d['kind'].title()} {d['number'] or ''}".strip() + f" began: {d['title']}.",
)
class ContainerOpened(Event):
    """A session, scene or other container began."""

    container: str
    kind: str
    title: str
    number: int
    parent: str
    participants: tuple[str, ...]
    leaders: tuple[str, ...]
    ties: dict[str, tuple[str, ...]]
    hidden: bool = False


@event_type(
    "container.corrected",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} was put right.",
)
class ContainerCorrected(Event):
    """Title, people or ties of an open container were put right."""

    container: str
    title: str
    participants: tuple[str, ...]
    leaders: tuple[str, ...]
    ties: dict[str, tuple[str, ...]]


@event_type(
    "container.rolled",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"The first die of {d['title'] or 'it'} has fallen: who takes part is settled.",
)
class ContainerRolled(Event):
    """The first die in a container fell; who takes part and what it is tied to is settled (SPI-028)."""

    container: str
    title: str = ""


@event_type(
    "container.paused",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} pauses.",
)
class ContainerPaused(Event):
    """A container waits, all that lasts within it with it."""

    container: str
    title: str


@event_type(
    "container.resumed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} goes on.",
)
class ContainerResumed(Event):
    """A paused container goes on."""

    container: str
    title: str


@in_story
@event_type(
    "container.closed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} is over.",
)
class ContainerClosed(Event):
    """A container is over."""

    container: str
    kind: str
    title: str


@event_type(
    "container.published",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: (
        f"What is tested in {d['title']} is published." if d["published"] else f"No more of {d['title']} is published."
    ),
    stays="It is published, or no longer, by the same button.",
)
class ContainerPublished(Event):
    """Watchers are told what is tested in a container, or no more of it (SPI-140)."""

    container: str
    title: str
    published: bool


@part.evolves(ContainerPublished)
def _published(containers: Containers, event: ContainerPublished, _position: int) -> None:
    if (found := containers.known(event.container)) is not None:
        found.published = event.published


@part.evolves(ContainerOpened)
def _opened(containers: Containers, event: ContainerOpened, position: int) -> None:
    containers.open[event.container] = Container(
        kind=event.kind,
        title=event.title,
        parent=event.parent,
        participants=list(event.participants),
        leaders=list(event.leaders),
        ties={name: list(subjects) for name, subjects in event.ties.items()},
        number=event.number,
        hidden=event.hidden,
        opened=position,
    )
    containers.counts[event.kind] = max(event.number, containers.counts.get(event.kind, 0))


@part.evolves(ContainerCorrected)
def _corrected(containers: Containers, event: ContainerCorrected, _position: int) -> None:
    found = containers.open.get(event.container)
    if found is not None:
        found.title = event.title
        found.participants, found.leaders = list(event.participants), list(event.leaders)
        found.ties = {name: list(subjects) for name, subjects in event.ties.items()}


@part.evolves(ContainerRolled)
def _rolled(containers: Containers, event: ContainerRolled, _position: int) -> None:
    if event.container in containers.open:
        containers.open[event.container].rolled = True


@part.evolves(ContainerPaused, ContainerResumed)
def _paused(containers: Containers, event: ContainerPaused | ContainerResumed, _position: int) -> None:
    if event.container in containers.open:
        containers.open[event.container].paused = isinstance(event, ContainerPaused)


@part.evolves(ContainerClosed)
def _closed(containers: Containers, event: ContainerClosed, _position: int) -> None:
    found = containers.open.pop(event.container, None)
    if found is not None:
        containers.over[event.container] = found
    while len(containers.over) > LATELY:
        del containers.over[next(iter(containers.over))]
