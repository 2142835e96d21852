"""The packs a campaign is pinned to, and the house rules laid over them."""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Event, event_type
from campaigns.parts.sheets import Sheet, Sheets
from campaigns.parts.table import CampaignStarted, Table
from rules.sheets import Held


class Overlay(msgspec.Struct):
    """House rules over one pack: its files by name, and the digest of them all."""

    title: str
    digest: str
    files: dict[str, str]


class Own(msgspec.Struct):
    """A pack of the table's own: the version that was brought last, and the digests of all of them, oldest first."""

    version: str
    digests: list[str]

    @property
    def digest(self) -> str:
        """The content of the version that was brought last."""
        return self.digests[-1]


class PacksState(msgspec.Struct):
    """Part of the state: by pack id, the digest of its pinned content, the overlay laid over it, if any, and what the
    table brought of its own."""

    digests: dict[str, str] = {}
    overlays: dict[str, Overlay] = {}
    own: dict[str, Own] = {}


part = registry.part("packs", PacksState)


@event_type(
    "pack.added",
    shows={GM: EVERY_FIELD, PLAYER: ("pack", "title", "version")},
    says=lambda d, names: f"The campaign plays {d['title']} {d['version']} now.",
)
class PackAdded(Event):
    """The campaign plays one more pack, pinned to a version."""

    pack: str
    title: str
    version: str
    digest: str


@event_type(
    "pack.upgraded",
    shows={GM: EVERY_FIELD, PLAYER: ("pack", "title", "before", "version")},
    says=lambda d, names: f"{d['title']} moved from {d['before']} to {d['version']}.",
)
class PackUpgraded(Event):
    """The campaign moved to another version of a pack. What was recorded before stays as it was."""

    pack: str
    title: str
    before: str
    version: str
    digest: str


@event_type(
    "pack.brought",
    shows={GM: ("pack", "title", "version", "digest")},
    says=lambda d, names: f"{d['title']} {d['version']}, a pack of the table's own, is here.",
)
class PackBrought(Event):
    """Game masters brought a version of a pack of their own, whole: ``files`` by name. It is this campaign's alone."""

    pack: str
    title: str
    version: str
    digest: str
    files: dict[str, str]


@event_type(
    "overlay.laid",
    shows={GM: EVERY_FIELD, PLAYER: ("pack", "title")},
    says=lambda d, names: f"House rules in force: {d['title']}.",
)
class OverlayLaid(Event):
    """House rules were laid over a pack, in place of those before."""

    pack: str
    title: str
    digest: str
    files: dict[str, str]


@event_type(
    "overlay.removed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"House rules no longer in force: {d['title']}.",
)
class OverlayRemoved(Event):
    """A pack is played as written again."""

    pack: str
    title: str


@event_type(
    "sheet.carried",
    shows={GM: EVERY_FIELD, HOLDER: ("subject", "pack")},
    says=lambda d, names: f"{names(d['subject'])}'s sheet was carried over to the changed rules.",
)
class SheetCarried(Event):
    """What a sheet keeps under changed rules; ``lost`` names what they have no place for, and why."""

    subject: str
    pack: str
    values: dict[str, Any]
    held: tuple[Held, ...]
    lost: tuple[str, ...]


@part.evolves(CampaignStarted)
def _started(packs: PacksState, event: CampaignStarted, _position: int) -> None:
    packs.digests = dict(event.digests)


@part.evolves(PackAdded, PackUpgraded)
def _pinned(packs: PacksState, event: PackAdded | PackUpgraded, _position: int) -> None:
    packs.digests[event.pack] = event.digest


@part.evolves(PackBrought)
def _brought(packs: PacksState, event: PackBrought, _position: int) -> None:
    before = packs.own.get(event.pack)
    digests = [digest for digest in (before.digests if before else []) if digest != event.digest]
    packs.own[event.pack] = Own(event.version, [*digests, event.digest])


@part.evolves(OverlayLaid)
def _laid(packs: PacksState, event: OverlayLaid, _position: int) -> None:
    packs.overlays[event.pack] = Overlay(event.title, event.digest, dict(event.files))


@part.evolves(OverlayRemoved)
def _removed(packs: PacksState, event: OverlayRemoved, _position: int) -> None:
    packs.overlays.pop(event.pack, None)


@registry.parts["table"].evolves(PackAdded, PackUpgraded)
def _version(table: Table, event: PackAdded | PackUpgraded, _position: int) -> None:
    table.packs[event.pack] = event.version


@registry.parts["sheets"].evolves(SheetCarried)
def _carried(sheets: Sheets, event: SheetCarried, _position: int) -> None:
    before = sheets.sheet(event.subject, event.pack)
    after = Sheet(dict(event.values), list(event.held), before.unseen, before.veiled)
    sheets.of.setdefault(event.subject, {})[event.pack] = after
