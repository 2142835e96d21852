"""Windows: a moment in which several may answer at once (a blow that fell, a comrade going down).

All who may are asked at the same time, each answer stands alone, and what they say takes effect in the order of turns
from the one after the actor, whoever was quickest to answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.fight.order import Order
from rules.refusal import Refused


class Window(Struct, frozen=True):
    """`moment` is the pack's word; `asked` in the order in which answers take effect; `answers` so far (None: pass)."""

    moment: str
    actor: str
    asked: tuple[str, ...]
    answers: dict[str, Any] = {}

    @property
    def waits_for(self) -> tuple[str, ...]:
        """Those who have not answered."""
        return tuple(subject for subject in self.asked if subject not in self.answers)

    @property
    def settled(self) -> bool:
        return not self.waits_for

    def effective(self) -> list[tuple[str, Any]]:
        """What was declared, in the order in which it takes effect; those who pass are left out."""
        return [(subject, self.answers[subject]) for subject in self.asked if self.answers.get(subject) is not None]


def open_window(order: Order, moment: str, actor: str, may: Iterable[str]) -> Window:
    """Ask those who may answer and are present, from the one after the actor round to the actor."""
    wanted = set(may)
    names = [slot.subject for slot in order.slots if slot.present]
    start = names.index(actor) + 1 if actor in names else 0
    return Window(moment, actor, tuple(name for name in [*names[start:], *names[:start]] if name in wanted))


def answer(window: Window, subject: str, declared: Any) -> Window:
    """One answer; None passes. Refused for those who are not asked or have answered."""
    if subject not in window.asked:
        raise Refused("not_asked", "This moment does not ask them.", field="subject", value=subject)
    if subject in window.answers:
        raise Refused("answered", "They have answered.", field="subject", value=subject)
    return replace(window, answers={**window.answers, subject: declared})


def close(window: Window) -> Window:
    """Nobody else answers: the rest pass."""
    return replace(window, answers={**dict.fromkeys(window.asked), **window.answers})
