"""Reading YAML into plain values that remember their place.

Built from libyaml's events with an explicit stack: no recursion, no aliases, no tags, no duplicate keys, bounded
size and depth. Places are worked out by reading the text once more, when one is asked for: a file without fault needs
none. Scalars are read narrowly: true/false, whole numbers, null; everything else is text (so `yes`, `on`,
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
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
"""what nobody sees in a text, and what turns its direction"""
DIGITS = frozenset("-0123456789")
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}


class Tree:
    """The value of a file, and for every container in it the places of its keys and items."""

    __slots__ = ("_placed", "data", "file", "value")

    def __init__(self, file: str, data: bytes, value: Any) -> None:
        self.file, self.data, self.value = file, data, value
        self._placed: _Builder | None = None

    def column_in(self, line: int, column: int, offset: int) -> int:
        """The column of a place so many characters into the text that starts at a line and column. The lines of a
        folded text are not followed: there it is where the text starts."""
        lines = self.data.decode("utf-8").splitlines()
        first = lines[line - 1][column - 1 : column] if line <= len(lines) else ""
        if first in (">", "|"):
            return column
        return column + offset + (first in ("'", '"'))

    def place(self, path: tuple[Any, ...]) -> tuple[int, int]:
        """Line and column (from 1) of the value at a path, or of its deepest parent that exists."""
        if self._placed is None:
            self._placed = _Builder(self.file, placed=True)
            self._placed.build(self.data.decode("utf-8"))
        at, found = self._placed.root, (1, 1)
        for step in path:
            places = self._placed.places.get(id(at), {})
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
        text = data.decode("utf-8")
        if (unseen := UNSEEN.search(text.replace("\r\n", "\n"))) is not None:
            line, column = line_and_column(data, data.find(unseen.group().encode()))
            problem = Problem(file=file, line=line, column=column, message="control characters are not allowed")
            raise PackError([problem])
        return Tree(file, data, _Builder(file).build(text))
    except UnicodeDecodeError as exc:
        line, column = line_and_column(data, exc.start)
        raise PackError([Problem(file=file, line=line, column=column, message="the file is not UTF-8 text")]) from None
    except yaml.YAMLError as exc:
        raise PackError([_syntax(file, data, exc)]) from None


def line_and_column(data: bytes, at: int) -> tuple[int, int]:
    before = data[:at]
    return before.count(b"\n") + 1, at - (before.rfind(b"\n") + 1) + 1


def _syntax(file: str, data: bytes, exc: yaml.YAMLError) -> Problem:
    mark = getattr(exc, "problem_mark", None)
    if mark is not None:
        line, column = mark.line + 1, mark.column + 1
    else:
        line, column = line_and_column(data, getattr(exc, "position", None) or 0)
    what = str(getattr(exc, "problem", None) or getattr(exc, "reason", None) or "it cannot be read")
    hint = next((hint for words, hint in HINTS.items() if words in what), "")
    return Problem(file=file, line=line, column=column, message=f"not YAML: {what}" + (f": {hint}" if hint else ""))


HINTS = {
    "cannot start any token": "indent by spaces, not tabs; a text that starts with @ % ` or & stands in quotes",
    "mapping values are not allowed": "a text that contains `: ` stands in quotes, or the line is indented wrongly",
    "did not find expected key": "this line is indented otherwise than those beside it",
    "did not find expected '-' indicator": "this line is indented otherwise than those beside it",
    "did not find expected ',' or '}'": "inside { } a text with a comma, colon or brace stands in quotes",
    "did not find expected ',' or ']'": "inside [ ] a text with a comma, colon or bracket stands in quotes",
    "could not find expected ':'": "a key wants `: ` and a value",
    "unexpected end of stream": "a quote is not closed",
}


NO_KEY = object()


class _Builder:
    """Consumes parser events; `stack` holds the containers around the one that is open, each with the key that waits
    for its value."""

    def __init__(self, file: str, placed: bool = False) -> None:
        self.file, self.placed = file, placed
        self.places: dict[int, dict[Any, tuple[int, int]]] = {}
        self.stack: list[tuple[Any, Any]] = []
        self.open: Any = None
        self.key: Any = NO_KEY
        self.root: Any = None

    def fail(self, event: Any, message: str) -> PackError:
        mark = event.start_mark
        return PackError([Problem(file=self.file, line=mark.line + 1, column=mark.column + 1, message=message)])

    def build(self, text: str) -> Any:
        """The value of the one document. The loop asks for the commonest events first: it turns for every scalar."""
        loader = yaml.CLoader(text)
        documents = 0
        try:
            while True:
                event: Any = loader.get_event()
                kind = type(event)
                if kind is yaml.ScalarEvent:
                    self.scalar(event)
                elif kind is yaml.MappingStartEvent:
                    self.begin(event, {})
                elif kind is yaml.SequenceStartEvent:
                    self.begin(event, [])
                elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                    self.open, self.key = self.stack.pop()
                elif kind is yaml.AliasEvent:
                    raise self.fail(event, "aliases are not allowed")
                elif kind is yaml.DocumentStartEvent:
                    documents += 1
                    if documents > 1:
                        raise self.fail(event, "one document a file")
                elif kind is yaml.StreamEndEvent:
                    return self.root
        finally:
            loader.dispose()

    def scalar(self, event: yaml.ScalarEvent) -> None:
        if event.anchor is not None or (event.tag is not None and event.tag != "!"):
            raise self.fail(event, "anchors and tags are not allowed")
        value: Any = event.value
        if event.style == '"' and UNSEEN.search(value):
            raise self.fail(event, "control characters are not allowed")
        if event.implicit[0]:
            if value in WORDS:
                value = WORDS[value]
            elif value[0] in DIGITS and WHOLE.match(value):
                value = int(value)
        if self.key is NO_KEY and type(self.open) is dict:
            self.name(event, value)
        else:
            self.add(event, value)

    def begin(self, event: yaml.CollectionStartEvent, value: Any) -> None:
        if event.anchor is not None or event.tag is not None:
            raise self.fail(event, "anchors and tags are not allowed")
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(event, f"nested deeper than {MAX_DEPTH}")
        if self.key is NO_KEY and type(self.open) is dict:
            raise self.fail(event, "a key is a name")
        self.add(event, value)
        self.stack.append((self.open, self.key))
        self.open, self.key = value, NO_KEY

    def add(self, event: Any, value: Any) -> None:
        """Put a value into the open container: at its end, or under the key that waits."""
        container = self.open
        if container is None:
            self.root = value
            return
        if type(container) is list:
            key = len(container)
            container.append(value)
        else:
            key, self.key = self.key, NO_KEY
            container[key] = value
        if self.placed:
            mark = event.start_mark
            self.places.setdefault(id(container), {})[key] = (mark.line + 1, mark.column + 1)

    def name(self, event: yaml.ScalarEvent, value: Any) -> None:
        """A key waits for its value."""
        if value is None or value is True or value is False:
            value = event.value
        if value in self.open:
            raise self.fail(event, f"{value!r} stands here twice")
        self.key = value
