"""Mutants of a pack: one name, number, operator, reference or indent changed at a time. Each must be refused at load or
caught by a case; what survives is a rule that nothing watches.

    python -m tests.rules.mutants [PACK[:COUNT] ...]    every mutant of the packs, or a fixed sample of so many
    make bench BENCH=rules_mutants                      every mutant of every pack

Cases that count odds take seconds each and are left out: they could only find more.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import yaml

from rules.cases import PlacedCase, cases_of
from rules.cases.run import run_case
from rules.packs import find_folder, load_files, pack_ids
from rules.packs.source import is_case, read_folder
from rules.packs.yamltree import read_yaml
from rules.problems import PackError

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
                yield event.start_mark.index, event.end_mark.index
            advance(stack, event.value)


def advance(stack: list[list[object]], value: str | None) -> None:
    """Note a key, or that the value of the last one has come."""
    if stack and stack[-1][0]:
        stack[-1][1] = value if stack[-1][1] is None else None


def survives(files: dict[str, bytes], mutant: Mutant) -> bool:
    """Whether a mutant loads and passes every case but those that count odds."""
    text = files[mutant.file].decode()
    changed = {**files, mutant.file: (text[: mutant.start] + mutant.new + text[mutant.end :]).encode()}
    try:
        pack = load_files(changed)
    except PackError:
        return False
    if same_meaning(files[mutant.file], changed[mutant.file]):
        return False
    return all(run_case(pack, case).passed for case in quick_cases(files))


def quick_cases(files: dict[str, bytes]) -> list[PlacedCase]:
    every = cases_of(files)
    return [one for one in every if not any(step.expect.odds for step in one.case.script or [one.case])]


def same_meaning(one: bytes, two: bytes) -> bool:
    """Whether both texts are the same YAML (an indent inside a folded sentence, say): no mutant at all."""
    return bool(read_yaml("one", one).value == read_yaml("two", two).value)


def all_of(files: dict[str, bytes]) -> list[Mutant]:
    return [mutant for name in sorted(files) if not is_case(name) for mutant in mutants(name, files[name].decode())]


def chosen_of(files: dict[str, bytes], count: int | None, seed: int = 7) -> list[Mutant]:
    """Every mutant, or a fixed sample of so many."""
    every = all_of(files)
    return every if count is None or count >= len(every) else random.Random(seed).sample(every, count)


def sample(pack: str, count: int) -> tuple[int, list[Mutant]]:
    """How many of a fixed sample were tried, and those that survived."""
    files = read_folder(find_folder(pack))
    chosen = chosen_of(files, count)
    return len(chosen), [mutant for mutant in chosen if survives(files, mutant)]


def _alive(pack: str, mutant: Mutant) -> Mutant | None:
    return mutant if survives(_files(pack), mutant) else None


@cache
def _files(pack: str) -> dict[str, bytes]:
    return read_folder(find_folder(pack))


def whole(pack: str, count: int | None = None) -> tuple[int, list[Mutant]]:
    """The same on every core."""
    chosen = chosen_of(_files(pack), count)
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(_alive, pack), chosen, chunksize=20)
        return len(chosen), [mutant for mutant in found if mutant is not None]


def main(names: Sequence[str]) -> int:
    for name in names or pack_ids():
        pack, _, count = name.partition(":")
        tried, alive = whole(pack, int(count) if count else None)
        print(f"{pack}: {tried - len(alive)} of {tried} mutants found ({(tried - len(alive)) / tried:.1%})", flush=True)
        for mutant in alive:
            print(f"  {mutant}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
