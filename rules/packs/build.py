"""From a pack's source to a checked pack: names to types, formulas to checked trees, steps to programs.

Order: settings, cards, tables and functions, kinds and their stats, modifiers, tests. Everything that can be found
wrong is found in one go, except that later stages wait for the names of earlier ones.
"""

from __future__ import annotations

from typing import Any

from rules.packs.build_cards import build_cards
from rules.packs.build_circles import check_circles
from rules.packs.build_encounter import build_encounter, build_grants, everybody_holds
from rules.packs.build_functions import build_functions
from rules.packs.build_kinds import build_kinds, build_modifiers
from rules.packs.build_settings import build_settings, nested
from rules.packs.builder import Builder
from rules.packs.pack import Pack
from rules.packs.says import build_says
from rules.packs.sections import add_pairs, check_gifts, check_invocation_test, check_sections
from rules.packs.source import Source
from rules.packs.unused import report_uncalled, report_unknown_rules, report_unused
from rules.packs.warns import build_warns
from rules.problems import nearest


def build(source: Source) -> Pack:
    """Check and compile. Raises PackError with every error; warnings stay on the pack."""
    from rules.creation.build import build_advancements, build_creations
    from rules.tests.acts import build_acts
    from rules.tests.build import build_tests  # tests know packs, so a pack reads them only when it is built
    from rules.tests.fighting import build_fighting
    from rules.tests.modes import build_modes
    from rules.tests.triggers import build_triggers

    builder = Builder(source)
    add_pairs(builder)
    build_settings(builder)
    check_sections(builder)
    build_cards(builder)
    source.raise_errors()
    build_functions(builder)
    build_kinds(builder)
    source.raise_errors()
    build_encounter(builder)
    build_grants(builder)
    build_modifiers(builder)
    check_circles(builder)
    build_tests(builder)
    build_triggers(builder)
    build_acts(builder)
    build_fighting(builder)
    build_modes(builder)
    report_uncalled(builder)
    check_invocation_test(builder)
    check_gifts(builder)
    builder.sayings = build_says(builder)
    build_warns(builder)
    builder.creations, builder.advancements = build_creations(builder), build_advancements(builder)
    report_unused(builder)
    report_unknown_rules(builder)
    check_renames(builder)
    source.raise_errors()
    return finished(builder)


def finished(b: Builder) -> Pack:
    return Pack(
        source=b.source,
        manifest=b.source.manifest,
        words=b.words,
        scope=b.scope,
        kinds=b.kind_plans,
        tests=b.tests,
        triggers=b.triggers,
        triggers_at=by_instant(b.triggers),
        actions=b.actions,
        extra_turn=b.extra_turn,
        sizing=b.sizing,
        tactics=b.tactics,
        modes=b.modes,
        reactions=b.reactions,
        everybody_holds=everybody_holds(b),
        sayings=b.sayings,
        creations=b.creations,
        advancements=b.advancements,
        setting_values=b.setting_values,
        settings=nested(b.setting_values),
        warnings=list(b.source.problems),
    )


def by_instant(triggers: dict[str, list[Any]]) -> dict[str, dict[str, list[Any]]]:
    """Triggers by the instant that they hear, then by card."""
    out: dict[str, dict[str, list[Any]]] = {}
    for card, plans in triggers.items():
        for plan in plans:
            out.setdefault(plan.at, {}).setdefault(card, []).append(plan)
    return out


def check_renames(builder: Builder) -> None:
    """A renamed id leads, in the end, to one that exists, and no longer exists itself."""
    sections = builder.source.sections
    ids = {name for section in ("kinds", "tests", "card_types") for name in sections[section]}
    ids |= {card for cards in sections["cards"].values() for card in cards}
    ids |= {stat for kind in sections["kinds"].values() for stat in kind.stats}
    renamed = builder.source.manifest.renamed
    for old, new in renamed.items():
        if old in ids:
            builder.source.report(("manifest", "renamed", old), f"{old!r} still exists: it cannot be an old name")
        seen = {old}
        while new in renamed and new not in seen:
            seen.add(new)
            new = renamed[new]  # noqa: PLW2901
        if new in seen:
            builder.source.report(("manifest", "renamed", old), "these renamings go in a circle")
        elif new not in ids:
            builder.source.report(("manifest", "renamed", old), f"nothing is called {new!r}", nearest(new, ids))
