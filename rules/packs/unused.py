"""Findings about what nothing uses: settings (one with a single option is a ruling written down), tables, functions,
and cards nobody can come by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rules.problems import Problem, nearest

if TYPE_CHECKING:
    from rules.packs.builder import Builder


def report_unused(builder: Builder) -> None:
    """Warn, for each thing without a use, at its place."""
    source = builder.source
    named = settings_of_index(builder)
    for name, setting in source.manifest.settings.items():
        decides = setting.type != "name" or len(setting.options or ()) + setting.optional > 1
        if decides and f"setting.{name}" not in builder.read:
            source.report(("manifest", "settings", name), f"nothing reads the setting {name!r}", warning=True)
        if named and not decides and name not in named:
            source.report(
                ("manifest", "settings", name), f"no rule of the index names the ruling {name!r}", warning=True
            )
    for section in ("tables", "functions"):
        for name in source.sections[section]:
            if name not in builder.functions_called:
                source.report((section, name), f"nothing calls {name!r}", warning=True)
    report_cards(builder)


def report_uncalled(builder: Builder) -> None:
    """Procedures without a caller; they are checked like the others."""
    from rules.tests.verbs_control import check_alone

    procedures = builder.source.sections["procedures"]
    for name in [name for name in procedures if name not in builder.called]:
        builder.source.report(("procedures", name), f"nothing calls {name!r}", warning=True)
        check_alone(builder, name, procedures[name])


def report_unknown_rules(builder: Builder) -> None:
    """Rule ids that something names under `rules`, and the index, if there is one, has not."""
    known = {rule.id for rule in builder.source.sections["index"]}
    for tree in builder.source.trees if known else ():
        if not isinstance(tree.value, dict):
            continue
        for path, name in rules_named(tree.value, ()):
            if name not in known:
                line, column = tree.place(path)
                message, hint = f"the index has no rule {name!r}", nearest(name, known)
                builder.source.note(Problem(file=tree.file, line=line, column=column, message=message, suggestion=hint))


def rules_named(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Every rule id under a key `rules`, with its path."""
    todo = [(value, path)]
    while todo:
        at, path = todo.pop()
        for key, item in at.items() if type(at) is dict else enumerate(at):
            kind = type(item)
            if kind is list and key == "rules":
                yield from (((*path, key, n), name) for n, name in enumerate(item) if isinstance(name, str))
            elif kind is dict or kind is list:
                todo.append((item, (*path, key)))


def settings_of_index(builder: Builder) -> set[str]:
    """The settings that rules of the index name; one that is none is an error."""
    known = builder.source.manifest.settings
    named: set[str] = set()
    for at, rule in enumerate(builder.source.sections["index"]):
        for name in [rule.setting] if isinstance(rule.setting, str) else rule.setting:
            named.add(name)
            if name not in known:
                builder.source.report(("index", at, "setting"), f"no setting is called {name!r}", nearest(name, known))
    return named


def report_cards(builder: Builder) -> None:
    """A card can be come by when a rule applies it, when its type can be chosen or has values, or by hand."""
    source = builder.source
    reached = builder.words.used
    for kind, cards in source.sections["cards"].items():
        if kind in reached or source.sections["card_types"][kind].by_hand:
            continue
        for card in cards:
            if card not in builder.applied:
                source.report(("cards", kind, card), f"nobody can come by {card!r}", warning=True)
