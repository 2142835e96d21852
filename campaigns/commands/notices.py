"""Choosing how to be told; adding and removing webhooks."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, PLAYER, WATCHER, Draft
from campaigns.notices.addresses import INWARDS, leads_inwards, wrong_with
from campaigns.parts import notices as n
from campaigns.registry import Command, decides, notice_kinds, readies
from campaigns.state import State
from rules.refusal import Refused

MOST_HOOKS = 10
LONGEST_ADDRESS = 500
READERS = (WATCHER, PLAYER)


class ChooseNotices(Command):
    """How the sender is told: for each kind of news the channels (page, mail); a kind left out stays as it is."""

    choices: dict[str, tuple[str, ...]]


class AddHook(Command):
    """Tells a webhook (an https address that takes messages as Discord does) of some kinds of news, as far as its
    readers may see them: ``reads`` is watcher (what is published) or player (what the whole table sees). The address
    is kept sealed and never shown again."""

    name: str
    address: str
    reads: str = WATCHER
    kinds: tuple[str, ...] = ()


class TestHook(Command):
    """Sends the webhook a message that tells nothing, by the way that all its messages go; what the other side answered
    stands beside the webhook."""

    __test__ = False
    hook: str


class RemoveHook(Command):
    """The webhook is told nothing more."""

    hook: str


def _known(field: str, kinds: tuple[str, ...], known: tuple[str, ...]) -> None:
    for kind in kinds:
        if kind not in known:
            right = "one of " + ", ".join(known)
            raise Refused("unknown_kind", "There is no such kind.", field=field, value=kind, right=right)


@decides(ChooseNotices, "notices.choose", roles=["gm", "player", "watcher"], title="Choosing how to be told")
def choose(state: State, command: ChooseNotices, context: Context) -> list[Draft]:
    """For oneself alone."""
    _known("choices", tuple(command.choices), tuple(notice_kinds))
    for channels in command.choices.values():
        _known("choices", channels, n.CHANNELS)
    before = state.part(n.Notices).choices.get(context.member, {})
    choices = {**before, **{kind: tuple(dict.fromkeys(channels)) for kind, channels in command.choices.items()}}
    if choices == before:
        return []
    event = n.NoticesChosen(member=context.member, choices=choices)
    return [Draft(event, audience=f"member:{context.member}")]


@decides(AddHook, "hook.add", roles=["gm"], title="Adding a webhook")
def add(state: State, command: AddHook, context: Context) -> list[Draft]:
    """What is wrong with an address is said without repeating it."""
    if len(state.part(n.Notices).hooks) >= MOST_HOOKS:
        raise Refused("too_many", "There are webhooks enough.", field="name", right="remove one first")
    if command.reads not in READERS:
        right = " or ".join(READERS)
        raise Refused(
            "unknown_reader", "A webhook reads as one of two.", field="reads", value=command.reads, right=right
        )
    _known("kinds", command.kinds, tuple(notice_kinds))
    event = n.HookAdded(
        hook=context.new_id(),
        name=cleaned("name", command.name),
        reads=command.reads,
        kinds=command.kinds or tuple(notice_kinds),
        sealed=context.seal(_address(command.address.strip())),
    )
    return [Draft(event, audience=GM_ONLY)]


@readies(AddHook)
def look_up(_state: State, command: AddHook) -> Callable[[], None]:
    """A name is looked up with nothing held: one that leads inwards would only fail at every sending."""
    parts = urlsplit(_address(command.address.strip()))

    def ready() -> None:
        if leads_inwards(parts):
            raise _wrong(*INWARDS)

    return ready


def _address(text: str) -> str:
    """The address, where it is one and may lead where it says. Nothing is looked up."""
    try:
        parts = urlsplit(text)
        whole = len(text) <= LONGEST_ADDRESS and _is_whole(parts) and text.isascii() and text.isprintable()
    except ValueError:
        whole = False
    if not whole or " " in text:
        raise _wrong("This is no web address.", "an address such as https://host/path")
    found = wrong_with(parts)
    if found is not None:
        raise _wrong(*found)
    return text


def _is_whole(parts: SplitResult) -> bool:
    whole = parts.scheme in ("https", "http") and bool(parts.hostname) and parts.username is None
    return whole and (parts.port is None or parts.port > 0)


def _wrong(message: str, right: str) -> Refused:
    return Refused("wrong_address", message, field="address", right=right)


@decides(TestHook, "hook.test", roles=["gm"], title="Sending a test message")
def test(state: State, command: TestHook, context: Context) -> list[Draft]:
    """Each time anew."""
    found = state.part(n.Notices).hooks.get(command.hook)
    if found is None:
        raise Refused("no_such_hook", "There is no such webhook.", field="hook", value=command.hook)
    return [Draft(n.HookTested(hook=command.hook, name=found.name), audience=GM_ONLY)]


@decides(RemoveHook, "hook.remove", roles=["gm"], title="Removing a webhook")
def remove(state: State, command: RemoveHook, context: Context) -> list[Draft]:
    """Removing twice does nothing."""
    found = state.part(n.Notices).hooks.get(command.hook)
    if found is None:
        return []
    return [Draft(n.HookRemoved(hook=command.hook, name=found.name), audience=GM_ONLY)]
