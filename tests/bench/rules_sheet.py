"""A full sheet of a character of the large set at the last Level, with twelve items and five conditions, from scratch:
every number of it, then laid out for a page; a step of the guided creation; and what one change costs.

Aim: the sheet in under 2 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import django

from rules.creation import Growth, gain_level, standing
from rules.packs import Pack, load_pack
from rules.sheets import Held, Sheet, Subject
from rules.sheets.sheet import ByCard
from tests.bench.measure import Row

PACK, KIND, LEVEL, ITEMS, CONDITIONS = "frontiers-fantasy", "character", 5, 12, 5
ROUNDS = 200


def median(work: Callable[[], object]) -> float:
    """Milliseconds that one call keeps a core busy, the median of many."""
    times = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return sorted(times)[ROUNDS // 2] * 1000


def laden(pack: Pack) -> Subject:
    """One who is ready, brought to the last Level, with things and conditions."""
    ready = next(iter(pack.creations[KIND].spec.ready.values()))
    subject, growth = standing(pack, KIND, ready.choices).sheet.subject(), Growth()
    for _ in range(LEVEL - 1):
        subject, growth, _ = gain_level(pack, subject, growth)
    held = [one for one in subject.held if pack.card(one.card)[0] != "item"]
    states = ("equipped", "stowed")
    for number, card in enumerate(list(pack.cards["item"])[:ITEMS]):
        held.append(Held(id=f"item-{number}", card=card, values={"state": states[number >= 4]}))
    for number, card in enumerate(list(pack.cards["state"])[:CONDITIONS]):
        held.append(Held(id=f"state-{number}", card=card))
    return Subject(id="laden", kind=KIND, values=subject.values, held=held)


def derive(pack: Pack, subject: Subject) -> int:
    """Reads every number of the sheet; how many there are."""
    sheet, count = Sheet(subject, pack.kinds[KIND], pack.settings), 0
    for name in sheet.kind.stats:
        value = sheet[name]
        count += len(value.complete()) if isinstance(value, ByCard) else 1
    return count


def change(pack: Pack, subject: Subject) -> Callable[[], object]:
    """One kept value is written and what the page shows first is read again."""
    sheet = Sheet(subject, pack.kinds[KIND], pack.settings)
    shown = [*pack.creations[KIND].spec.shows, *pack.source.sections["kinds"][KIND].sheet.tracks.values()]

    def once() -> object:
        sheet.write("wounds", 1 - sheet.base("wounds"))
        return [sheet[stat] for stat in shown]

    return once


def main() -> list[Row]:
    django.setup()
    from campaigns.sheet_reading import groups_of

    pack = load_pack(PACK)
    subject, plan = laden(pack), pack.kinds[KIND]
    choices = next(iter(pack.creations[KIND].spec.ready.values())).choices
    works: dict[str, Callable[[], object]] = {
        f"a sheet of {derive(pack, subject)} numbers from scratch": lambda: derive(pack, subject),
        "the same laid out for a page": lambda: list(groups_of(pack, Sheet(subject, plan, pack.settings), "gm")),
        "one change, and the numbers in sight": change(pack, subject),
        "a draft judged from its choices": lambda: standing(pack, KIND, choices),
    }
    aims = ["2"]
    return [
        Row(work, "ours", median(one), "ms", False, aims[at] if at < len(aims) else "")
        for at, (work, one) in enumerate(works.items())
    ]
