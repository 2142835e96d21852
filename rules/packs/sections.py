"""The sections with structs of their own (opposed pairs, calendar, development): their checks, placed in the pack's
files, and what they bring to the rest of the pack.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from rules.bindings import check_bindings
from rules.calendar.rules import check_calendar
from rules.development.rules import check_development
from rules.faults import Fault
from rules.invocations.rules import InvocationRules, check_invocations
from rules.packs.schema import Card, CardType, Spec, Stat
from rules.pairs.rules import PairRules, check_pairs
from rules.problems import nearest
from rules.pursuits.rules import PursuitRules, check_gift, check_pursuits

if TYPE_CHECKING:
    from rules.packs.builder import Builder

PAIR = "pair"
RATING = "rating"


def check_sections(builder: Builder) -> None:
    """Report the faults of every section that the pack has."""
    sections = builder.source.sections
    pairs, calendar, development = sections["pairs"], sections["calendar"], sections["development"]
    if pairs is not None:
        report(builder, "pairs", check_pairs(pairs))
    if calendar is not None:
        report(builder, "calendar", check_calendar(calendar))
    if development is not None:
        if pairs is None or calendar is None:
            builder.source.report(("development",), "development needs the sections `pairs` and `calendar`")
        else:
            report(builder, "development", check_development(development, calendar, pairs))
    if sections["invocations"] is not None:
        report(builder, "invocations", check_invocations(sections["invocations"], pairs, sections["tests"]))
    if sections["pursuits"] is not None:
        report(builder, "pursuits", check_pursuits(sections["pursuits"], sections["kinds"], grants_of(sections)))
    for name in ("pairs", "calendar", "development", "invocations", "pursuits"):
        if sections[name] is not None:
            report(builder, name, check_bindings(sections[name], builder.setting_values, choosable(builder)))
            builder.read |= {f"setting.{key}" for key in sections[name].settings.values()}


def choosable(builder: Builder) -> dict[str, list[Any]]:
    """What a table may set each setting to, as far as that can be listed: every option, and both ends of a number."""
    out: dict[str, list[Any]] = {}
    for name, setting in builder.source.manifest.settings.items():
        ends = [end for end in (setting.min, setting.max) if end is not None]
        out[name] = ends if setting.type == "int" else list(setting.options or ())
    return out


def grants_of(sections: Any) -> set[str]:
    """The grants that the section `advancement` declares: its awards by id, and `level` where it has levels."""
    found: set[str] = set()
    for spec in (sections.get("advancement") or {}).values():
        found |= {*getattr(spec, "awards", {}), *(["level"] if spec.levels else [])}
    return found


def check_gifts(builder: Builder) -> None:
    """The tests that the section `pursuits` gives can be done without anybody, by whom they are given to."""
    rules: PursuitRules | None = builder.source.sections["pursuits"]
    for at, kind in enumerate(rules.kinds if rules else ()):
        gift, path = kind.gives, ("pursuits", "kinds", at, "gives")
        if gift.test and (program := _gift_test(builder, gift.test, (*path, "test"))):
            for fault in check_gift(gift, program):
                builder.source.report((*path, *fault.path.split(".")), fault.message, fault.right)
        if gift.lapses and (program := _gift_test(builder, gift.lapses, (*path, "lapses"))):
            for fault in check_gift(msgspec.structs.replace(gift, inputs=()), program):
                builder.source.report((*path, "lapses"), fault.message, fault.right)


def _gift_test(builder: Builder, name: str, path: tuple[Any, ...]) -> Any:
    found = builder.tests.get(name)
    if found is None:
        builder.source.report(path, f"no test is called {name!r}", nearest(name, builder.tests))
    return found


def check_invocation_test(builder: Builder) -> None:
    """The test that the section `invocations` builds on has the role, inputs and facts that it names."""
    rules: InvocationRules | None = builder.source.sections["invocations"]
    if rules is None:
        return
    program = builder.tests.get(rules.test)
    if program is None:
        hint = nearest(rules.test, builder.tests)
        builder.source.report(("invocations", "test"), f"no test is called {rules.test!r}", hint)
        return
    wanted = (
        ("role", rules.role, program.spec.roles, "role"),
        ("pair", rules.pair, program.spec.inputs, "input"),
        *(("extra", name, program.spec.inputs, "input") for name in rules.extra),
        ("side", rules.side, program.fact_types, "fact"),
        ("succeeded", rules.succeeded, program.fact_types, "fact"),
    )
    for field, name, known, what in wanted:
        if name not in known:
            message = f"the test {rules.test!r} has no {what} {name!r}"
            builder.source.report(("invocations", field), message, nearest(name, known))


def report(builder: Builder, section: str, faults: Iterable[Fault]) -> None:
    for fault in faults:
        path = tuple(int(part) if part.isdigit() else part for part in fault.path.split("."))
        builder.source.report((section, *path), fault.message, fault.right)


def add_pairs(builder: Builder) -> None:
    """Opposed pairs as cards (so that a test can ask for one), and the rating of their first side as a stat."""
    pairs: PairRules | None = builder.source.sections["pairs"]
    if pairs is None:
        return
    sections = builder.source.sections
    holders = {kind.holder for kind in pairs.kinds}
    if PAIR in sections["card_types"] or PAIR in sections["cards"]:
        builder.source.report(("card_types", PAIR), f"{PAIR!r} is the card type of the section `pairs`")
        return
    side = Spec(type="text")
    fields = {"holder": Spec(type="name", options=sorted(holders)), "kind": side, "left": side, "right": side}
    sections["card_types"][PAIR] = CardType(title="Opposed pair", fields=fields)
    sections["cards"][PAIR] = {pair.id: pair_card(kind, pair) for kind in pairs.kinds for pair in kind.pairs}
    low, high = pairs.first_bounds
    for at, kind in enumerate(pairs.kinds):
        found = sections["kinds"].get(kind.holder)
        if found is None:
            builder.source.report(("pairs", "kinds", at, "holder"), f"no kind of subject is called {kind.holder!r}")
        else:
            rating = Stat(
                type="int",
                each=PAIR,
                min=low,
                max=high,
                default=pairs.total // 2,
                title="Rating of the first side",
                seen="holders",
            )
            stats = {**found.stats, RATING: rating}
            sections["kinds"][kind.holder] = msgspec.structs.replace(found, stats=stats)


def pair_card(kind: Any, pair: Any) -> Card:
    first, second = pair.sides
    return Card(
        title=f"{first.title} - {second.title}",
        text=f"{first.gist} {second.gist}".strip(),
        values={"holder": kind.holder, "kind": kind.id, "left": first.id, "right": second.id},
    )
