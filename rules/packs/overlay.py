"""Overlays: a table's house rules on top of a pinned version of a pack.

An overlay is a folder (or an upload) like a pack's, with `overlay.yaml` in place of the manifest:

    on: trait-tests
    version: 1.0.0
    title: Our house rules
    settings: {traits.start: 1}
    replaces: [tests.push, cards.skill.climbing]
    removes: [cards.skill.driving]

It and its other files add entries. An entry that the pack has already must be named in `replaces`, so that nothing is
overwritten by chance. What comes out is checked like any pack.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rules.packs.build import build
from rules.packs.convert import convert
from rules.packs.pack import Pack
from rules.packs.schema import Overlay
from rules.packs.source import (
    MANIFEST,
    Files,
    Source,
    add_file,
    add_sections,
    fill_missing,
    head_of,
    is_case,
    read_source,
)
from rules.packs.yamltree import Tree, read_yaml
from rules.problems import PackError, Problem, nearest

OVERLAY = "overlay.yaml"


def load_overlay(base: Pack, files: Files) -> Pack:
    """The base pack with an overlay on it, checked as a whole. Raises PackError with every problem."""
    if OVERLAY not in files:
        message = "the overlay's own file is missing"
        if MANIFEST in files:
            message += f": this is a whole pack ({MANIFEST}), which is brought in by itself"
        raise PackError([Problem(file=OVERLAY, message=message)])
    tree = read_yaml(OVERLAY, files[OVERLAY])
    overlay, findings = convert(Overlay, head_of(tree))
    if overlay is None:
        raise PackError([_problem(tree, path, message, hint) for path, message, hint in findings])
    check_base(base, overlay, tree)
    merged = read_source(base.source.files)
    merged.origin[("overlay",)] = (tree, ())
    take_out(merged, overlay, base)
    change_settings(merged, overlay)
    add_sections(merged, tree)
    for name in sorted(files):
        if name != OVERLAY and belongs_here(merged, name):
            add_file(merged, read_yaml(name, files[name]))
    merged.raise_errors()
    fill_missing(merged)
    check_replaced(merged, overlay)
    merged.files = {**merged.files, **{f"overlay/{name}": data for name, data in files.items()}}
    return build(merged)


def belongs_here(source: Source, name: str) -> bool:
    """Whether a file is one of an overlay's; what would not be read is a problem."""
    message = ""
    if name == MANIFEST:
        message = f"an overlay has {OVERLAY} in place of {MANIFEST}"
    elif is_case(name):
        message = "an overlay has no cases: they would not be run"
    elif not name.endswith(".yaml"):
        message = "the file would not be read: its name must end in .yaml"
    if message:
        source.problems.append(Problem(file=name, message=message))
    return not message


def overlay_title(files: Files) -> str:
    """The title of an overlay that loads, or what stands for one."""
    overlay, _ = convert(Overlay, head_of(read_yaml(OVERLAY, files[OVERLAY])))
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
