"""How members want to be told of what happens, and the webhooks of the table.

A webhook's address is a secret that lets anybody write where it leads: it is kept sealed under the server's key and
shown to nobody, not even to whoever typed it.
"""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Event, event_type
from campaigns.parts.table import MemberLeft

PAGE, MAIL = "page", "mail"
CHANNELS = (PAGE, MAIL)


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook: what the table calls it, as whom its readers see the campaign (``reads``: watcher or player), of which
    kinds of news it hears, and its sealed address."""

    name: str
    reads: str
    kinds: tuple[str, ...]
    sealed: str


class Notices(msgspec.Struct):
    """Part of the state: by member and kind the channels chosen; webhooks by id."""

    choices: dict[str, dict[str, tuple[str, ...]]] = {}
    hooks: dict[str, Hook] = {}

    def channels(self, member: str, kind: str) -> tuple[str, ...]:
        """How a member is told of a kind of news: on the page, unless they chose otherwise."""
        return self.choices.get(member, {}).get(kind, (PAGE,))


part = registry.part("notices", Notices)


@event_type(
    "notices.chosen",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['member'])} chose how to be told.",
    stays="It is chosen anew instead.",
)
class NoticesChosen(Event):
    """A member chose, for each kind of news, the channels by which they are told."""

    member: str
    choices: dict[str, tuple[str, ...]]


@event_type(
    "hook.added",
    shows={GM: ("hook", "name", "reads", "kinds")},
    says=lambda d, names: f"The webhook {d['name']} is told what happens.",
    stays="A webhook is removed instead.",
)
class HookAdded(Event):
    """A webhook is told what its readers may see. ``sealed`` is its address under the server's key."""

    hook: str
    name: str
    reads: str
    kinds: tuple[str, ...]
    sealed: str


@event_type(
    "hook.removed",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"The webhook {d['name']} is told nothing more.",
    stays="A webhook that was removed is added anew.",
)
class HookRemoved(Event):
    """A webhook is told nothing more; its address is forgotten."""

    hook: str
    name: str


@event_type(
    "hook.tested",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"A test message goes to the webhook {d['name']}.",
    stays="A message that is on its way is not called back.",
)
class HookTested(Event):
    """A GM had a message sent to a webhook, to see whether it arrives; it tells nothing but the campaign's name."""

    hook: str
    name: str


@part.evolves(NoticesChosen)
def _chosen(notices: Notices, event: NoticesChosen, _position: int) -> None:
    notices.choices[event.member] = dict(event.choices)


@part.evolves(HookAdded)
def _added(notices: Notices, event: HookAdded, _position: int) -> None:
    notices.hooks[event.hook] = Hook(name=event.name, reads=event.reads, kinds=event.kinds, sealed=event.sealed)


@part.evolves(HookRemoved)
def _removed(notices: Notices, event: HookRemoved, _position: int) -> None:
    notices.hooks.pop(event.hook, None)


@part.evolves(MemberLeft)
def _left(notices: Notices, event: MemberLeft, _position: int) -> None:
    notices.choices.pop(event.member, None)
