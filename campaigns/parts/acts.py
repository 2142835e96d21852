"""What cards do by themselves when an instant comes. It changes sheets by the sheets' own events; this tells of it."""

from __future__ import annotations

from typing import Any

from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Data, Event, Names, event_type, in_story

_SHOWN = ("subject", "pack", "card", "title", "at", "when", "dice", "account", "lines", "thrown")
_OWN = ("dice_holders", "account_holders", "lines_holders", "thrown_holders")


def _said(d: Data, names: Names) -> str:
    when = f" ({d['when']})" if d["when"] else ""
    could_not = f" could do nothing: {d['failed']}" if d.get("failed") else ""
    return f"{names(d['subject'])}: {d['title']}{could_not}{when}"


@in_story
@event_type("card.acted", shows={GM: EVERY_FIELD, HOLDER: (*_SHOWN, *_OWN), PLAYER: _SHOWN}, says=_said)
class CardActed(Event):
    """A card acted by itself at an instant (``at``), which ``when`` says in words. ``account`` tells it to people,
    ``lines`` step by step, ``dice`` each roll as it lies, by audience. ``failed``: why it could not and did nothing."""

    subject: str
    pack: str
    card: str
    title: str
    at: str
    when: str = ""
    failed: str = ""
    dice: dict[str, Any] = {}
    dice_holders: dict[str, Any] = {}
    dice_gm: dict[str, Any] = {}
    lines: tuple[str, ...] = ()
    lines_holders: tuple[str, ...] = ()
    lines_gm: tuple[str, ...] = ()
    thrown: dict[str, Any] = {}
    thrown_holders: dict[str, Any] = {}
    thrown_gm: dict[str, Any] = {}
    account: tuple[str, ...] = ()
    account_holders: tuple[str, ...] = ()
    account_gm: tuple[str, ...] = ()


@event_type(
    "card.rolled",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])}: {d['title']} threw dice that not everybody sees.",
)
class CardRolled(Event):
    """The dice of a card that acted by itself, where not everybody may know of them."""

    subject: str
    title: str
    dice: dict[str, Any] = {}
