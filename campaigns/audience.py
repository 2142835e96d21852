"""The one audience filter: what of an event leaves for whom. Everything shown to a person passes here.

Allow-list throughout: an event is seen only by those its envelope names, and of it only the fields that its type
shows to that class of viewers.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import msgspec
import structlog
from django.conf import settings

from campaigns.events import (
    ALL,
    GM,
    HOLDER,
    HOLDERS,
    PLAYER,
    TABLE,
    WATCHER,
    Data,
    Draft,
    EventType,
    Names,
    Recorded,
    type_named,
    type_of,
)
from campaigns.packs import Packs
from campaigns.parts.affiliations import known_by
from campaigns.parts.sheets import VALUE
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import SETTING, Table
from campaigns.state import State
from rules.packs.wording import changed, setting_said, setting_title
from rules.problems import RulesError
from rules.refusal import Refused

GONE = "Somebody"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at one campaign: role, member id (empty for a watcher's link), the subjects they play (a
    watcher none, whoever was theirs before), and the bodies that these belong to (``belongs``), whose sheets they know
    as well (SPI-140)."""

    campaign_id: UUID
    role: str
    member: str = ""
    plays: frozenset[str] = frozenset()
    belongs: frozenset[str] = frozenset()

    @property
    def knows(self) -> frozenset[str]:
        """The subjects whose sheets, rolls and marks they know."""
        return self.plays | self.belongs if self.belongs else self.plays

    @property
    def audience_key(self) -> str:
        """Viewers with the same key see the same: all GMs, all watchers; each player for themselves."""
        return f"player:{self.member}" if self.role == PLAYER else self.role

    def may_know_seed(self, audience: str) -> bool:
        """Whether the viewer is told of the dice seed of an audience, and may so check what it gave."""
        if self.role == GM:
            return True
        if self.role != PLAYER:
            return False
        return audience == f"member:{self.member}" or not (audience == "gm" or audience.startswith("member:"))

    def class_for(self, holders: tuple[str, ...]) -> str:
        """The viewer class towards an event about ``holders``."""
        if self.role == PLAYER and not self.knows.isdisjoint(holders):
            return HOLDER
        return self.role


def viewer_of(state: State, campaign_id: UUID, user: int) -> Viewer:
    """How a signed-in user looks at the campaign; refused for one who is no member."""
    table = state.part(Table)
    member = table.member_of(user)
    if not member:
        raise Refused("not_a_member", "This campaign is open to its members only.", field="user")
    role = table.members[member].role
    if role == WATCHER:
        return Viewer(campaign_id, role, member)
    plays = state.part(Subjects).played_by(member)
    return Viewer(campaign_id, role, member, plays, known_by(state, member) - plays)


def may_see(viewer: Viewer, audience: str, holders: tuple[str, ...]) -> bool:
    """Whether an event of this audience exists for the viewer at all."""
    if viewer.role == GM or audience == ALL:
        return True
    if viewer.role == WATCHER:
        return False
    if audience == TABLE:
        return True
    if audience == HOLDERS:
        return not viewer.knows.isdisjoint(holders)
    return bool(viewer.member) and audience == f"member:{viewer.member}"


class NameFinder:
    """A function from the id of a member or subject to its name; :meth:`seen_by` leaves out what a viewer may not know.

    An entry that a viewer sees may be about others beside whom it names: a hidden opponent has no name there.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._members, self._subjects = state.part(Table).members, state.part(Subjects).by_id
        self._packs = Packs(state)
        self._hidden = frozenset(i for i, subject in self._subjects.items() if subject.hidden)

    def __call__(self, some_id: str) -> str:
        """The name, as a GM knows it; of a value of a sheet (:func:`campaigns.parts.sheets.value_name`) what its pack
        calls it."""
        if some_id.startswith(VALUE):
            return value_title(self._state, some_id)
        if some_id.startswith(SETTING):
            return ruling_title(self._state, some_id)
        if some_id in self._members:
            return self._members[some_id].name
        if some_id in self._subjects:
            return self._subjects[some_id].name
        return GONE

    def seen_by(self, viewer: Viewer) -> Names:
        """The names as this viewer knows them."""
        unknown = self.unknown_to(viewer)
        return SomeNames(self, unknown) if unknown else self

    def changed(self, subject: str, pack: str, change: Data) -> str:
        """One change of a sheet in words, by the rules as the campaign has them."""
        return self.told(subject, pack, change, self)

    def told(self, subject: str, pack: str, change: Data, named: Names) -> str:
        """The same with these names; "" where neither the subject nor its rules are there any more."""
        if subject not in self._subjects or pack not in self._packs.ids():
            return ""
        rules, stat = self._packs.get(pack), change["stat"]
        kind = rules.kinds.get(rules.current_id(self._subjects[subject].kind))
        plan = kind.stats.get(rules.current_id(stat)) if kind is not None else None
        if plan is None:
            return ""
        return changed(rules, plan.name, plan.spec, change["key"], change["before"], change["after"], named)

    def unknown_to(self, viewer: Viewer) -> frozenset[str]:
        """The subjects that this viewer may not know of."""
        return frozenset() if viewer.role == GM else self._hidden - viewer.plays


class SomeNames:
    """The names as somebody knows them to whom not everybody is known."""

    def __init__(self, finder: NameFinder, unknown: frozenset[str]) -> None:
        self._finder, self._unknown = finder, unknown

    def __call__(self, some_id: str) -> str:
        return GONE if some_id in self._unknown else self._finder(some_id)

    def changed(self, subject: str, pack: str, change: Data) -> str:
        """One change of a sheet in words."""
        return self._finder.told(subject, pack, change, self)


def ruling_title(state: State, name: str) -> str:
    """A setting of a pack with its value in the pack's words: "Who gives marks: The game master"; nothing where the
    pack knows it no more."""
    setting, _, value = name.removeprefix(SETTING).partition("=")
    with suppress(Refused, RulesError, KeyError, ValueError):
        pack, _, of = setting.partition("/")
        spec = Packs(state).get(pack).setting(of)
        return f"{setting_title(of, spec)}: {setting_said(spec, json.loads(value))}"
    return ""


def value_title(state: State, name: str) -> str:
    """What the pack of a campaign calls a value of a subject's sheet, of a card where it has one each; in plain words
    where the pack knows it no more."""
    pack_id, subject, stat, key = name.removeprefix(VALUE).split("/", 3)
    title, card = "", ""
    with suppress(Refused, RulesError, KeyError):
        pack, kind = Packs(state).get(pack_id), state.part(Subjects).by_id[subject].kind
        title = pack.kinds[kind].stats[stat].spec.title
        card = pack.card(key)[1].title if key else ""
    return card or key.replace("_", " ") or title or stat.replace("_", " ")


def name_finder(state: State) -> NameFinder:
    """A function from the id of a member or subject to its name."""
    return NameFinder(state)


def kept_hidden(state: State, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, none of which tells the table of a hidden subject: such an event is for its holders and the GM, but
    for the one that reveals it."""
    subjects = state.part(Subjects).by_id

    def kept(draft: Draft) -> Draft:
        if draft.audience not in (ALL, TABLE) or type_of(draft.event).reveals:
            return draft
        hidden = any(holder in subjects and subjects[holder].hidden for holder in draft.holders)
        return replace(draft, audience=HOLDERS) if hidden else draft

    return [kept(draft) for draft in drafts]


def without(value: Any, unknown: frozenset[str]) -> Any:
    """Plain data in which an empty text stands for each id of somebody unknown."""
    if isinstance(value, dict):
        return {("" if key in unknown else key): without(one, unknown) for key, one in value.items()}
    if isinstance(value, list):
        return [without(one, unknown) for one in value]
    return "" if isinstance(value, str) and value in unknown else value


def actor_name(actor: str, names: Names) -> str:
    """How the log calls who did it."""
    kind, _, some_id = actor.partition(":")
    return names(some_id) if kind == "member" else "Tidebook"


def view_fields(viewer: Viewer, event_type: str, holders: tuple[str, ...]) -> tuple[str, ...] | None:
    """Names of the fields that a viewer may see of events of a type about ``holders``; None: not the event at all."""
    kind = type_named(event_type)
    fields = kind.fields_for(viewer.class_for(holders))
    if fields is None and viewer.class_for(holders) == HOLDER:
        fields = kind.fields_for(PLAYER)
    return fields


def is_seen(viewer: Viewer, event_type: str, audience: str, holders: tuple[str, ...]) -> bool:
    """Whether events of this type, audience and holders exist for the viewer."""
    return may_see(viewer, audience, holders) and view_fields(viewer, event_type, holders) is not None


def act_of(command_id: UUID) -> str:
    """What the entries of one command share: keyed, for the ids of jobs are made of words that could be tried out."""
    return hmac.digest(settings.SECRET_KEY.encode(), b"act " + command_id.bytes, hashlib.sha256).hex()[:16]


def _sentence(kind: EventType, data: dict[str, Any], names: Names) -> str:
    """What an entry says. One that cannot be said takes no page with it: the others must stay readable for ever."""
    try:
        return kind.says(data, names)
    except Exception as error:
        return unsaid(kind.name, error)


def unsaid(kind: str, error: Exception) -> str:
    """What stands for a sentence that failed, which the log tells of."""
    _log.error("An entry could not be put into words.", type=kind, exc_info=error)
    return "An entry that cannot be put into words."


def view_event(event: Recorded, viewer: Viewer, names: Names, *, voided: bool = False) -> dict[str, Any] | None:
    """What the viewer may know of an event, ready for JSON; None where it does not exist for them.

    Keys: ``type``, ``act`` (alike for the events of one command, for them alone), ``at`` (when it happened, ISO 8601,
    UTC), ``recorded`` (when it was written), ``actor`` {name}, ``stamp`` {year, season, week}, ``says`` (a sentence),
    ``data`` (the fields shown), ``voided``, ``few`` (whether others at the table do not see it).
    """
    kind = type_named(event.type)
    fields = view_fields(viewer, event.type, event.holders) if may_see(viewer, event.audience, event.holders) else None
    if fields is None:
        return None
    data = {name: msgspec.to_builtins(getattr(event.event, name)) for name in fields}
    if isinstance(names, NameFinder):
        unknown, names = names.unknown_to(viewer), names.seen_by(viewer)
        data = without(data, unknown) if unknown else data
    return {
        "type": event.type,
        "act": act_of(event.command_id),
        "at": (event.happened_at or event.recorded_at).isoformat(),
        "recorded": event.recorded_at.isoformat(),
        "actor": {"name": actor_name(event.actor, names)},
        "stamp": msgspec.to_builtins(event.stamp),
        "says": _sentence(kind, data, names),
        "data": data,
        "voided": voided,
        "few": event.audience not in (ALL, TABLE),
    }
