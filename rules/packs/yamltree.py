"""Reading YAML into plain values that remember their place.

Built from libyaml's events with an explicit stack: no recursion, no aliases, no tags, no duplicate keys, bounded
size and depth. Scalars are read narrowly: true/false, whole numbers, null; everything else is text (so `yes`, `on`,
`1.5` and `08` are texts, and are refused where a number or flag is wanted).
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from rules.problems import PackError, Problem

MAX_BYTES = 2_000_000
MAX_DEPTH = 40
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z")
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}


class Tree:
    """The value of a file and, for every container in it, the places of its keys and items."""

    __slots__ = ("file", "places", "value")

    def __init__(self, file: str, value: Any, places: dict[int, dict[Any, tuple[int, int]]]) -> None:
        self.file, self.value, self.places = file, value, places

    def place(self, path: tuple[Any, ...]) -> tuple[int, int]:
        """Line and column (from 1) of the value at a path, or of its deepest parent that exists."""
        at, found = self.value, (1, 1)
        for step in path:
            places = self.places.get(id(at), {})
            if step not in places:
                break
            found = places[step]
            at = at[step]
        return found


def read_yaml(file: str, data: bytes) -> Tree:
    """Parse one file. Raises PackError with the place of what is wrong."""
    if len(data) > MAX_BYTES:
        raise PackError([Problem(file=file, message=f"the file is larger than {MAX_BYTES} bytes")])
    try:
        return _Builder(file).build(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise PackError([Problem(file=file, message="the file is not UTF-8 text")]) from None
    except yaml.YAMLError as exc:
        raise PackError([_syntax(file, exc)]) from None


def _syntax(file: str, exc: yaml.YAMLError) -> Problem:
    mark = getattr(exc, "problem_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    what = getattr(exc, "problem", None) or getattr(exc, "reason", None) or "it cannot be read"
    return Problem(file=file, line=line, column=column, message=f"not YAML: {what}")


class _Builder:
    """Consumes parser events; `stack` holds the open containers with the key that waits for its value."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.places: dict[int, dict[Any, tuple[int, int]]] = {}
        self.stack: list[tuple[Any, list[Any]]] = []
        self.root: Any = None

    def fail(self, event: Any, message: str) -> PackError:
        mark = event.start_mark
        return PackError([Problem(file=self.file, line=mark.line + 1, column=mark.column + 1, message=message)])

    def build(self, text: str) -> Tree:
        documents = 0
        for event in yaml.parse(text, Loader=yaml.CLoader):
            match event:
                case yaml.ScalarEvent():
                    self.scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self.open(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self.stack.pop()
                case yaml.AliasEvent():
                    raise self.fail(event, "aliases are not allowed")
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise self.fail(event, "one document a file")
        return Tree(self.file, self.root, self.places)

    def scalar(self, event: yaml.ScalarEvent) -> None:
        if event.anchor is not None or event.tag not in (None, "!"):
            raise self.fail(event, "anchors and tags are not allowed")
        plain = event.implicit[0]
        value: Any = event.value
        if plain and value in WORDS:
            value = WORDS[value]
        elif plain and WHOLE.match(value):
            value = int(value)
        self.add(event, value)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        if event.anchor is not None or event.tag is not None:
            raise self.fail(event, "anchors and tags are not allowed")
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(event, f"nested deeper than {MAX_DEPTH}")
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.places[id(value)] = {}
        self.add(event, value)
        self.stack.append((value, []))

    def add(self, event: Any, value: Any) -> None:
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if not self.stack:
            self.root = value
            return
        container, waiting = self.stack[-1]
        if isinstance(container, list):
            self.places[id(container)][len(container)] = place
            container.append(value)
        elif not waiting:
            self.key(event, container, value)
            waiting.append(value)
        else:
            key = waiting.pop()
            container[key] = value
            self.places[id(container)][key] = place

    def key(self, event: Any, container: dict[Any, Any], value: Any) -> None:
        if isinstance(value, bool | None.__class__):
            value = event.value
        if not isinstance(value, str | int):
            raise self.fail(event, "a key is a name")
        if value in container:
            raise self.fail(event, f"{value!r} stands here twice")
