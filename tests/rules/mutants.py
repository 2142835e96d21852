"""Mutants of a pack: one name, number, operator, reference or indent changed at a time. Each must be refused at load or
caught by a case (`mutant_hunt`); what survives is a rule that nothing watches."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from rules.packs.source import is_case

PROSE = frozenset(
    [
        "title",
        "text",
        "gist",
        "ruling",
        "summary",
        "index",
        "source",
        "rights",
        "why",
        "told",
        "say",
        "shown",
        "narrate",
        "rules",
        "note",
        "names",
        "right",
        "stamp",
        "paused_stamp",
        "version",
    ]
)
"""fields for people: changing a word there changes no rule"""
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+|==|!=|<=|>=|[<>+*-]")
SWAPS = {
    "==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "+",
    "and": "or", "or": "and", "true": "false", "false": "true", "max": "min", "min": "max", "down": "up", "up": "down",
    "highest": "lowest", "lowest": "highest", "any": "all", "all": "any",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: the text from `start` to `end` of a file becomes `new`."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.kind}: {self.old!r} -> {self.new!r}"

    def of(self, data: bytes) -> bytes:
        """The file with the change."""
        text = data.decode()
        return (text[: self.start] + self.new + text[self.end :]).encode()


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Every mutant of one file: tokens of all keys and of all values that are not prose, and indents."""
    for start, end in living_scalars(text):
        for token in TOKEN.finditer(text, start, end):
            yield of_token(file, text, token)
    yield from of_indents(file, text)


def of_token(file: str, text: str, token: re.Match[str]) -> Mutant:
    old = token.group()
    line = text.count("\n", 0, token.start()) + 1
    if old in SWAPS:
        return Mutant(file, line, "operator", token.start(), token.end(), old, SWAPS[old])
    if old.isdigit():
        return Mutant(file, line, "number", token.start(), token.end(), old, str(int(old) + 1))
    return Mutant(file, line, "name", token.start(), token.end(), old, misspelt(old))


def misspelt(name: str) -> str:
    """A slip of the hand: two letters exchanged, or one doubled where they are alike."""
    if len(name) > 2 and name[-1] != name[-2]:
        return name[:-2] + name[-1] + name[-2]
    return name + name[-1]


def of_indents(file: str, text: str) -> Iterator[Mutant]:
    at = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        indent = len(line) - len(line.lstrip(" "))
        if indent >= 2 and line.strip() and not line.lstrip().startswith("#"):
            yield Mutant(file, number, "indent", at, at + indent, " " * indent, " " * (indent - 2))
        at += len(line)


def living_scalars(text: str) -> Iterator[tuple[int, int]]:
    """Places of keys and values, those of prose fields left out."""
    stack: list[list[object]] = []  # [is mapping, waits for a value, is prose]
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        prose = any(level[2] for level in stack)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            inside = prose or bool(stack and stack[-1][0] and stack[-1][1] in PROSE)
            advance(stack, None)
            stack.append([isinstance(event, yaml.MappingStartEvent), None, inside])
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            stack.pop()
        elif isinstance(event, yaml.ScalarEvent):
            is_value_of_prose = bool(stack and stack[-1][0] and stack[-1][1] in PROSE)
            if not prose and not is_value_of_prose and event.value not in PROSE:
                begins = event.start_mark.index
                if event.style in (">", "|"):  # the text itself, not what introduces it
                    begins = text.index("\n", begins)
                yield begins, event.end_mark.index
            advance(stack, event.value)


def advance(stack: list[list[object]], value: str | None) -> None:
    """Note a key, or that the value of the last one has come."""
    if stack and stack[-1][0]:
        stack[-1][1] = value if stack[-1][1] is None else None


def all_of(files: Mapping[str, bytes]) -> list[Mutant]:
    return [mutant for name in sorted(files) if not is_case(name) for mutant in mutants(name, files[name].decode())]


def chosen_of(files: Mapping[str, bytes], count: int | None, seed: int = 7) -> list[Mutant]:
    """Every mutant, or a fixed sample of so many."""
    every = all_of(files)
    return every if count is None or count >= len(every) else random.Random(seed).sample(every, count)
