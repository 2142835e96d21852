"""Overlays: a table's house rules on top of a pinned version of a pack.

An overlay is a folder (or an upload) like a pack's, with `overlay.yaml` in place of the manifest:

    on: trait-tests
    version: 1.0.0
    title: Our house rules
    settings: {traits.start: 1}
    replaces: [tests.push, cards.skill.climbing]
    removes: [cards.skill.driving]

Its other files add entries. An entry that the pack has already must be named in `replaces`, so that nothing is
overwritten by chance. What comes out is checked like any pack.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rules.packs.build import build
from rules.packs.convert import convert
from rules.packs.pack import Pack
from rules.packs.schema import Overlay
from rules.packs.source import MANIFEST, Files, Source, add_file, fill_missing, is_case, read_source
from rules.packs.yamltree import Tree, read_yaml
from rules.problems import PackError, Problem, nearest

OVERLAY = "overlay.yaml"


def load_overlay(base: Pack, files: Files) -> Pack:
    """The base pack with an overlay on it, checked as a whole. Raises PackError with every problem."""
    if OVERLAY not in files:
        raise PackError([Problem(file=OVERLAY, message="the overlay's own file is missing")])
    tree = read_yaml(OVERLAY, files[OVERLAY])
    overlay, findings = convert(Overlay, tree.value)
    if overlay is None:
        raise PackError([_problem(tree, path, message, hint) for path, message, hint in findings])
    check_base(base, overlay, tree)
    merged = read_source(base.source.files)
    merged.origin[("overlay",)] = (tree, ())
    take_out(merged, overlay, base)
    change_settings(merged, overlay)
    for name in sorted(files):
        if name not in (OVERLAY, MANIFEST) and name.endswith(".yaml") and not is_case(name):
            add_file(merged, read_yaml(name, files[name]))
    merged.raise_errors()
    fill_missing(merged)
    check_replaced(merged, overlay)
    merged.files = {**merged.files, **{f"overlay/{name}": data for name, data in files.items()}}
    return build(merged)


def overlay_title(files: Files) -> str:
    """The title of an overlay that loads, or what stands for one."""
    overlay, _ = convert(Overlay, read_yaml(OVERLAY, files[OVERLAY]).value)
    return overlay.title if overlay is not None and overlay.title else "House rules"


def check_base(base: Pack, overlay: Overlay, tree: Tree) -> None:
    """An overlay lies on the pack and version that it was written for."""
    if overlay.on != base.id:
        raise PackError([_problem(tree, ("on",), f"this overlay is for {overlay.on!r}, not for {base.id!r}", base.id)])
    if overlay.version != base.version:
        message = f"this overlay is for version {overlay.version}; the pack is {base.version}"
        raise PackError([_problem(tree, ("version",), message, base.version)])


def take_out(source: Source, overlay: Overlay, base: Pack) -> None:
    """Remove what the overlay replaces or does without."""
    for list_name in ("replaces", "removes"):
        for at, dotted in enumerate(getattr(overlay, list_name)):
            path = tuple(dotted.split("."))
            holder: Any = source.sections
            for part in path[:-1]:
                holder = holder.get(part) if isinstance(holder, dict) else None
            if not isinstance(holder, dict) or path[-1] not in holder:
                known = list(holder) if isinstance(holder, dict) else list(source.sections)
                source.report(("overlay", list_name, at), f"{base.id} has no {dotted!r}", nearest(path[-1], known))
                continue
            del holder[path[-1]]
            source.origin.pop(path, None)


def change_settings(source: Source, overlay: Overlay) -> None:
    """The overlay's values become the defaults of the settings."""
    settings = dict(source.manifest.settings)
    for name, value in overlay.settings.items():
        if name not in settings:
            source.report(("overlay", "settings", name), f"no setting is called {name!r}", nearest(name, settings))
        else:
            settings[name] = msgspec.structs.replace(settings[name], default=value)
    source.manifest = msgspec.structs.replace(source.manifest, settings=settings)


def check_replaced(source: Source, overlay: Overlay) -> None:
    for at, dotted in enumerate(overlay.replaces):
        holder: Any = source.sections
        for part in dotted.split("."):
            holder = holder.get(part) if isinstance(holder, dict) else None
        if holder is None:
            source.report(("overlay", "replaces", at), f"the overlay brings no {dotted!r} in its place")


def _problem(tree: Tree, path: tuple[Any, ...], message: str, hint: str) -> Problem:
    line, column = tree.place(path)
    return Problem(file=tree.file, line=line, column=column, message=message, suggestion=hint)
