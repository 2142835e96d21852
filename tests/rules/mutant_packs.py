"""Packs with one mutated file, made quickly: what a mutant leaves as it was is taken from the pack as it stands.

A file is read anew, the others are not. Where a single test, procedure, or what a single card does has changed, only
that and what calls it is built anew, among the names of the pack as it stands; all else goes through the whole of
`build`. The first fault ends the work, for one is enough.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from rules.packs import Pack
from rules.packs.build import build, by_instant
from rules.packs.builder import Builder
from rules.packs.sections import check_gifts, check_invocation_test
from rules.packs.source import (
    MANIFEST,
    SECTIONS,
    Source,
    add_file,
    add_sections,
    fill_missing,
    is_case,
    merge,
    read_source,
)
from rules.packs.yamltree import Tree, read_yaml
from rules.problems import PackError, Problem
from rules.tests.acts import build_abilities, build_action, build_reaction, full_id
from rules.tests.build import build_test, check_facts
from rules.tests.triggers import build_trigger

Path = tuple[Any, ...]
DOES = ("actions", "reactions", "triggers")
"""the fields of a card that are programs"""


class Hasty(Source):
    """A source of which the first fault is the last."""

    def report(self, path: Path, message: str, suggestion: str = "", offset: int = 0, warning: bool = False) -> None:
        if not warning:
            raise PackError([Problem(file=str(path), message=message)])


def keeping_builder(source: Source) -> tuple[Pack, Builder]:
    """A built pack, and the builder that knows all its names."""
    from rules.packs import build as stages

    kept: list[Builder] = []
    finished = stages.finished
    stages.finished = lambda b: kept.append(b) or finished(b)  # type: ignore[func-returns-value]
    try:
        pack = build(source)
    finally:
        stages.finished = finished
    return pack, kept[0]


class Nursery:
    """Makes a pack's mutants."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.names = [name for name in sorted(files) if not is_case(name) and name != MANIFEST]
        self.source = read_source(files)
        self.pack, self.builder = keeping_builder(self.source)
        self.trees = {name: read_yaml(name, files[name]) for name in [*self.names, MANIFEST]}
        self.parts = {name: self.sections_of(self.trees[name]) for name in self.trees}
        self.calls = {key: set(called_in(entry)) for key, entry in self.entries()}

    def entries(self) -> Iterator[tuple[Path, Any]]:
        """Everything that may call a procedure, by its place."""
        sections = self.builder.source.sections
        for section in ("tests", "procedures", "creation", "advancement"):
            yield from (((section, name), entry) for name, entry in sections[section].items())
        for kind, cards in sections["cards"].items():
            yield from ((("cards", kind, name), card) for name, card in cards.items())

    def sections_of(self, tree: Tree) -> dict[str, Any]:
        """The sections of one file. PackError where something in it is wrong by itself."""
        source = Hasty(self.source.manifest, {})
        (add_sections if tree.file == MANIFEST else add_file)(source, tree)
        source.raise_errors()
        return source.sections

    def mutant(self, file: str, data: bytes) -> tuple[Pack | None, Path]:
        """The mutated pack, and the path in the file below which it differs. PackError where it is refused, None
        where nothing differs at all."""
        tree = read_yaml(file, data)
        path = difference(self.trees[file].value, tree.value)
        if path is None:
            return None, ()
        if file == MANIFEST:
            return self.whole_of_manifest(data), ("manifest", *path)
        sections = self.sections_of(tree)
        if path[:1] in (("tests",), ("procedures",)) and len(path) > 1:
            section, name = path[:2]
            made = self.with_test if section == "tests" else self.with_procedure
            if name in sections.get(section, {}):
                return made(name, sections[section][name]), path
        if path[:1] == ("cards",) and len(path) > 3 and path[3] in DOES:
            return self.with_card(*path[1:3], sections["cards"][path[1]][path[2]]), path
        return self.whole(file, tree, sections), path

    def whole_of_manifest(self, data: bytes) -> Pack:
        return build(hasty(read_source({**self.files, MANIFEST: data})))

    def whole(self, file: str, tree: Tree, sections: Mapping[str, Any]) -> Pack:
        """Built anew from the files' sections as they were read before."""
        source = Hasty(self.source.manifest, self.files)
        source.origin[("manifest",)] = (self.trees[MANIFEST], ())
        for name in [MANIFEST, *self.names]:
            own = sections if name == file else self.parts[name]
            for section in SECTIONS:
                if section in own:
                    merge(source, tree if name == file else self.trees[name], section, own[section])
        source.raise_errors()
        fill_missing(source)
        return build(source)

    # ------------------------------------------------------------------ parts built anew

    def with_section(self, section: str, changed: Any) -> Builder:
        """A builder that knows what the pack's knows, of a source that differs in one section."""
        source = Hasty(self.source.manifest, self.files)
        source.sections = {**self.builder.source.sections, section: changed}
        b = copy.copy(self.builder)
        b.source, b.tests, b.procedures = source, dict(b.tests), dict(b.procedures)
        b.triggers, b.actions = dict(b.triggers), dict(b.actions)
        b.reactions = {at: dict(cards) for at, cards in b.reactions.items()}
        return b

    def with_test(self, name: str, test: Any) -> Pack:
        b = self.with_section("tests", {**self.builder.source.sections["tests"], name: test})
        b.tests[name] = build_test(b, name, test)
        check_facts(b)
        return self.finished(b)

    def with_procedure(self, name: str, spec: Any) -> Pack:
        b = self.with_section("procedures", {**self.builder.source.sections["procedures"], name: spec})
        stale = self.callers({("procedures", name)})
        b.procedures = {key: made for key, made in b.procedures.items() if ("procedures", key[0]) not in stale}
        if any(path[0] in ("creation", "advancement") for path in stale):
            source = Hasty(self.source.manifest, self.files)
            source.sections = {**read_source(self.files).sections, "procedures": b.source.sections["procedures"]}
            return build(source)
        for path in sorted(stale, key=lambda path: path[0] != "tests"):
            if path[0] == "tests":
                b.tests[path[1]] = build_test(b, path[1], b.source.sections["tests"][path[1]])
            elif path[0] == "cards":
                self.build_card(b, *path[1:])
        check_facts(b)
        return self.finished(b)

    def callers(self, found: set[Path]) -> set[Path]:
        """The entries from which a procedure is come to, at any depth, itself among them."""
        while True:
            names = {path[1] for path in found if path[0] == "procedures"}
            more = {path for path, called in self.calls.items() if called & names} - found
            if not more:
                return found
            found = found | more

    def with_card(self, kind: str, name: str, card: Any) -> Pack:
        cards = self.builder.source.sections["cards"]
        b = self.with_section("cards", {**cards, kind: {**cards[kind], name: card}})
        self.build_card(b, kind, name)
        return self.finished(b)

    def build_card(self, b: Builder, kind: str, name: str) -> None:
        """What one card does, in the place of what it did."""
        card, path = b.source.sections["cards"][kind][name], ("cards", kind, name)
        acts, reacts = build_abilities(b)
        plans = [build_trigger(b, name, one, (*path, "triggers", at)) for at, one in enumerate(card.triggers)]
        b.triggers.pop(name, None)
        if plans:
            b.triggers[name] = plans
        b.actions = {key: plan for key, plan in b.actions.items() if plan.card != name}
        for action, spec in card.actions.items():
            plan = build_action(b, kind, name, full_id(name, action), spec, acts, (*path, "actions", action))
            b.actions[plan.id] = plan
        for own in b.reactions.values():
            own.pop(name, None)
        for reaction, spec in card.reactions.items():
            build_reaction(b, kind, name, full_id(name, reaction), spec, reacts, (*path, "reactions", reaction))

    def finished(self, b: Builder) -> Pack:
        check_invocation_test(b)
        check_gifts(b)
        return replace(
            self.pack,
            source=b.source,
            tests=b.tests,
            triggers=b.triggers,
            triggers_at=by_instant(b.triggers),
            actions=b.actions,
            reactions=b.reactions,
        )


def hasty(source: Source) -> Source:
    source.__class__ = Hasty
    return source


def called_in(entry: Any) -> Iterator[str]:
    """The procedures that an entry names in its steps, at any depth."""
    todo = [msgspec.to_builtins(entry)]
    while todo:
        at = todo.pop()
        if isinstance(at, dict):
            if isinstance(at.get("call"), str):
                yield at["call"]
            todo.extend(at.values())
        elif isinstance(at, list):
            todo.extend(at)


def difference(one: Any, two: Any) -> Path | None:
    """The path below which two plain values differ (the deepest that holds all differences); None where they do not."""
    if type(one) is not type(two):
        return ()
    if isinstance(one, dict):
        if list(one) != list(two):
            return ()
        found = [(key, path) for key in one if (path := difference(one[key], two[key])) is not None]
    elif isinstance(one, list):
        if len(one) != len(two):
            return ()
        pairs = enumerate(zip(one, two, strict=True))
        found = [(at, path) for at, both in pairs if (path := difference(*both)) is not None]
    else:
        return None if one == two else ()
    if not found:
        return None
    return (found[0][0], *found[0][1]) if len(found) == 1 else ()
