"""The table: who sits at it in which role, its links, its packs and settings, and whether it is to be erased."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Literal

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Data, Event, Names, event_type, in_story

Role = Literal["gm", "player", "watcher"]
ROLES: tuple[Role, ...] = ("gm", "player", "watcher")


class MemberState(msgspec.Struct):
    """One who sits, or sat, at the table; ``role`` is empty once they left.

    ``shut`` are the links that were open when they were removed, by which they do not come back.
    """

    user: int
    name: str
    role: str
    shut: tuple[str, ...] = ()


class Link(msgspec.Struct):
    """A link that lets people in (``role`` gm or player) or lets them watch without an account (watcher).

    ``seat`` is the member whose seat it offers, which nobody has; empty: a new one.
    """

    role: str
    expires_at: datetime | None
    uses_left: int | None
    seat: str = ""


class Table(msgspec.Struct):
    """Part of the state. ``settings`` holds the campaign's own, by dotted name; ``packs`` id -> version."""

    name: str = ""
    owner: str = ""
    members: dict[str, MemberState] = {}
    links: dict[str, Link] = {}
    packs: dict[str, str] = {}
    settings: dict[str, bool | int | str] = {}
    erase_asked_at: datetime | None = None

    def member_of(self, user: int) -> str:
        """Id of the member that a user is at this table, or an empty string."""
        return next((i for i, m in self.members.items() if m.user == user and m.role), "")

    def setting(self, name: str, default: bool | int | str) -> bool | int | str:
        """A setting of the campaign."""
        return self.settings.get(name, default)


part = registry.part("table", Table)


def _role_said(role: str) -> str:
    return {"gm": "a GM", "player": "a player", "watcher": "a watcher"}[role]


@in_story
@event_type(
    "campaign.started",
    shows={GM: EVERY_FIELD, PLAYER: ("name", "packs"), WATCHER: ("name",)},
    stays="A campaign's beginning stays.",
    says=lambda d, names: f"The campaign {d['name']} began.",
)
class CampaignStarted(Event):
    """A stream's first event. ``packs``: id -> version, ``digests``: id -> digest of the content pinned."""

    name: str
    packs: dict[str, str]
    digests: dict[str, str] = {}


@event_type(
    "campaign.renamed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"The campaign is now called {d['name']}.",
)
class CampaignRenamed(Event):
    """The campaign's name changed."""

    name: str


# What the ledger says when a setting of every campaign is turned on, and off.
_SWITCHED = {
    "publish_tests": ("Tests are published as they happen.", "Tests are no longer published."),
    "publish_seasons": ("What a season changed is published.", "What a season changed is no longer published."),
    "typed_dice": ("Dice thrown at the table may be typed in.", "All dice are thrown here."),
}


SETTING = "setting:"
"""what the names of settings with a value begin with"""


def setting_name(setting: str, value: object) -> str:
    """The id by which names are asked how a setting of a pack and its value are called."""
    return f"{SETTING}{setting}={json.dumps(value)}"


def _setting_said(d: Data, names: Names) -> str:
    if d["setting"] in _SWITCHED:
        return _SWITCHED[d["setting"]][0 if d["value"] else 1]
    told = names(setting_name(d["setting"], d["value"]))
    if ": " in told and not told.startswith(SETTING):
        return f"The rules of the table: {told}."
    name = d["setting"].rpartition("/")[2].rpartition(".")[2].replace("_", " ")
    value = {True: "on", False: "off"}.get(d["value"], d["value"]) if isinstance(d["value"], bool) else d["value"]
    return f"The rules now say, of {name}: {str(value).replace('_', ' ')}."


@event_type("setting.changed", shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD}, says=_setting_said)
class SettingChanged(Event):
    """A setting of the campaign took another value."""

    setting: str
    value: bool | int | str


@event_type(
    "member.joined",
    shows={GM: ("member", "name", "role", "link"), PLAYER: ("member", "name", "role")},
    stays="Who came to the table came; remove them instead.",
    says=lambda d, names: f"{d['name']} joined as {_role_said(d['role'])}.",
)
class MemberJoined(Event):
    """A user took a seat; by a link, or by starting the campaign (``link`` empty)."""

    member: str
    user: int
    name: str
    role: Role
    link: str = ""


@event_type(
    "member.role_changed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    stays="A role is changed by giving another one.",
    says=lambda d, names: f"{names(d['member'])} is now {_role_said(d['role'])}.",
)
class MemberRoleChanged(Event):
    """A member's role changed."""

    member: str
    role: str


def _left_said(d: Data, names: Names) -> str:
    return f"{names(d['member'])} {'was removed from' if d['removed'] else 'left'} the campaign."


@event_type(
    "member.left",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=_left_said,
    stays="Who left comes back by an invitation.",
)
class MemberLeft(Event):
    """A member left, or was removed; what they did stays."""

    member: str
    removed: bool


@event_type(
    "owner.changed",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    stays="The owner's seat changes hands by handing it over.",
    says=lambda d, names: f"{names(d['member'])} owns the campaign now.",
)
class OwnerChanged(Event):
    """The owner's seat was handed to another GM (``before`` had it until now)."""

    member: str
    before: str


@event_type(
    "link.made",
    shows={GM: ("link", "role", "expires_at", "uses", "seat")},
    stays="A link is revoked, not taken back.",
    says=lambda d, names: f"A link for {_role_said(d['role'])} was made.",
)
class LinkMade(Event):
    """An invitation or watcher's link. Its token is no part of the event: the server derives it from its key."""

    link: str
    role: Role
    expires_at: datetime | None
    uses: int | None
    seat: str = ""


@event_type(
    "link.revoked",
    shows={GM: EVERY_FIELD},
    stays="A revoked link stays revoked; make a new one.",
    says=lambda d, names: "A link was revoked.",
)
class LinkRevoked(Event):
    """A link lets nobody in from now on."""

    link: str


@event_type(
    "erasure.asked",
    shows={GM: EVERY_FIELD, PLAYER: ("asked_at",)},
    stays="The owner takes an erasure back by keeping the campaign.",
    says=lambda d, names: "The owner asked for the campaign to be erased.",
)
class ErasureAsked(Event):
    """The owner wants the campaign gone; it is erased after its days of grace unless that is taken back."""

    asked_at: datetime


@event_type(
    "erasure.withdrawn",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    stays="The owner decides on erasing the campaign.",
    says=lambda d, names: "The campaign stays: its erasure was taken back.",
)
class ErasureWithdrawn(Event):
    """The campaign stays."""


@event_type(
    "campaign.imported",
    shows={GM: (), PLAYER: ()},
    says=lambda d, names: "The campaign came to this server from a file.",
    stays="What was imported stays imported.",
)
class CampaignImported(Event):
    """Accounts are each server's own: ``users`` says which members are whose here; the others have none until an
    invitation to their seat is used."""

    users: dict[str, int]


@part.evolves(CampaignImported)
def _imported(table: Table, event: CampaignImported, _position: int) -> None:
    for member, found in table.members.items():
        found.user = event.users.get(member, 0)
    table.links.clear()


@part.evolves(CampaignStarted)
def _started(table: Table, event: CampaignStarted, _position: int) -> None:
    table.name = event.name
    table.packs = dict(event.packs)


@part.evolves(CampaignRenamed)
def _renamed(table: Table, event: CampaignRenamed, _position: int) -> None:
    table.name = event.name


@part.evolves(SettingChanged)
def _setting(table: Table, event: SettingChanged, _position: int) -> None:
    table.settings[event.setting] = event.value


@part.evolves(MemberJoined)
def _joined(table: Table, event: MemberJoined, _position: int) -> None:
    table.members[event.member] = MemberState(event.user, event.name, event.role)
    if not table.owner:
        table.owner = event.member
    link = table.links.get(event.link)
    if link is not None and link.uses_left is not None:
        link.uses_left -= 1


@part.evolves(MemberRoleChanged)
def _role_changed(table: Table, event: MemberRoleChanged, _position: int) -> None:
    if event.member in table.members:
        table.members[event.member].role = event.role


@part.evolves(MemberLeft)
def _left(table: Table, event: MemberLeft, _position: int) -> None:
    if event.member in table.members:
        table.members[event.member].role = ""
        table.members[event.member].shut = tuple(table.links) if event.removed else ()


@part.evolves(OwnerChanged)
def _owner(table: Table, event: OwnerChanged, _position: int) -> None:
    table.owner = event.member


@part.evolves(LinkMade)
def _link_made(table: Table, event: LinkMade, _position: int) -> None:
    table.links[event.link] = Link(event.role, event.expires_at, event.uses, event.seat)


@part.evolves(LinkRevoked)
def _link_revoked(table: Table, event: LinkRevoked, _position: int) -> None:
    table.links.pop(event.link, None)


@part.evolves(ErasureAsked)
def _erasure_asked(table: Table, event: ErasureAsked, _position: int) -> None:
    table.erase_asked_at = event.asked_at


@part.evolves(ErasureWithdrawn)
def _erasure_withdrawn(table: Table, event: ErasureWithdrawn, _position: int) -> None:
    table.erase_asked_at = None
