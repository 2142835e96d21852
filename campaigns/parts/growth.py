"""How subjects have grown: what each has bought and been awarded, and which choices of a level still wait."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Data, Event, Names, event_type, in_story
from rules.creation import Due, Growth


class Given(msgspec.Struct):
    """When something was last given to a subject, and at which position; what is made of it rests on that."""

    position: int
    at: datetime


class Growths(msgspec.Struct):
    """Part of the state: growth by subject, then pack, and what was last given; ``last`` is where a growth came from,
    which holds all of it, so that nothing before it can be taken back alone."""

    of: dict[str, dict[str, Growth]] = {}
    given: dict[str, dict[str, Given]] = {}
    last: dict[str, dict[str, int]] = {}

    def growth(self, subject: str, pack: str) -> Growth:
        """How a subject has grown by a pack's rules."""
        return self.of.get(subject, {}).get(pack) or Growth()


part = registry.part("growth", Growths)
_TOLD = {GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: ("subject", "pack", "title")}


@in_story
@event_type("growth.taken", shows=_TOLD, says=lambda d, names: f"{names(d['subject'])} grew: {d['title']}.")
class GrowthTaken(Event):
    """Something was bought, or a choice made that a level had brought. ``growth`` is how the subject stands then."""

    subject: str
    pack: str
    offer: str
    title: str
    growth: Growth
    choices: dict[str, Any] = {}


@in_story
@event_type(
    "growth.awarded",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: ("subject", "pack", "title", "reason")},
    says=lambda d, names: f"{names(d['subject'])}: {d['title']}" + (f" ({d['reason']})." if d["reason"] else "."),
)
class GrowthAwarded(Event):
    """Something was given. ``award`` names the gift that it was part of, where it came of one."""

    subject: str
    pack: str
    offer: str
    title: str
    growth: Growth
    at: datetime
    reason: str = ""
    award: str = ""


def _levelled_said(d: Data, names: Names) -> str:
    lost = "; ".join(f"{title}: {count}" for title, count in d["lapsed"].items())
    came = f"{names(d['subject'])} came to {d['title']} {d['level']}."
    return f"{came} Not used until then, and gone: {lost}." if lost else came


@in_story
@event_type(
    "growth.levelled",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: ("subject", "pack", "title", "level", "reason", "lapsed")},
    says=_levelled_said,
)
class GrowthLevelled(Event):
    """A level more; ``due`` are the choices that it brought and that wait. ``lapsed`` counts what had been given, was
    not used, and is gone with it, by what it is called."""

    subject: str
    pack: str
    title: str
    level: int
    growth: Growth
    at: datetime
    due: tuple[Due, ...] = ()
    reason: str = ""
    award: str = ""
    lapsed: dict[str, int] = {}


Grown = GrowthTaken | GrowthAwarded | GrowthLevelled


@part.evolves(GrowthTaken, GrowthAwarded, GrowthLevelled)
def _grown(growths: Growths, event: Grown, position: int) -> None:
    growths.last.setdefault(event.subject, {})[event.pack] = position
    growths.of.setdefault(event.subject, {})[event.pack] = event.growth
    if not isinstance(event, GrowthTaken):
        growths.given.setdefault(event.subject, {})[event.pack] = Given(position, event.at)
