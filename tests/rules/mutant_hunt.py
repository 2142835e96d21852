"""Whether a mutant of a pack is found: refused at load, failed by a case, or told of by `rules check`.

The cases likeliest to fail come first: those that found a neighbour, then those that name what was changed. Where the
change lies within steps, only cases that come to those steps are run, for the others cannot tell. Cases that count odds
take seconds each and are left out: they could only find more.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rules.cases import PlacedCase, cases_of, run_case
from rules.creation import build as creation
from rules.creation.ready import ready_problems
from rules.packs import Pack, load_files
from rules.packs.yamltree import read_yaml
from rules.problems import PackError
from rules.tests import acts, build, triggers
from rules.tests.fuse import Steps
from tests.rules.mutant_packs import Nursery, Path
from tests.rules.mutants import Mutant

REFUSED, TOLD, SAME, ALIVE = "refused at load", "told of by the check", "no change", "alive"
WORD = re.compile(r"[a-z][a-z0-9_]*")
REMEMBERED = 12


class Hunter:
    """Hunts the mutants of one pack."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.cases = quick_cases(files)
        self.words = [words_of_case(case) for case in self.cases]
        self.nursery = Nursery(files)
        self.reached = reached_steps(files, self.cases)
        self.warned = {warning.message for warning in self.nursery.pack.warnings}
        self.cited = {rule for case in self.cases for rule in case.case.proves}
        self.lately: deque[int] = deque(maxlen=REMEMBERED)

    def verdict(self, mutant: Mutant) -> str:
        """What finds a mutant: one of the words above, or the case that does."""
        data = mutant.of(self.files[mutant.file])
        try:
            pack, path = self.nursery.mutant(mutant.file, data)
        except PackError:
            return REFUSED
        if pack is None:
            return SAME
        for at in self.likeliest(mutant, path):
            if fails(pack, self.cases[at]):
                if at in self.lately:
                    self.lately.remove(at)
                self.lately.appendleft(at)
                return f"{self.cases[at].file}:{self.cases[at].line}"
        try:
            return TOLD if self.is_told(mutant, data) else ALIVE
        except PackError:  # a fault beyond what was built anew
            return REFUSED

    def likeliest(self, mutant: Mutant, path: Path) -> Sequence[int]:
        """The cases that can tell, those first that will."""
        able = self.able(path)
        wanted = {word for word in (*map(str, path), mutant.old) if WORD.fullmatch(word)}
        lately = [at for at in self.lately if at in able]
        return [*lately, *sorted(able - set(lately), key=lambda at: (-len(self.words[at] & wanted), at))]

    def able(self, path: Path) -> set[int]:
        """The cases that come to the innermost steps around a place; all of them, if it lies in none."""
        for cut in range(len(path), 1, -1):
            if path[:cut] in self.reached:
                return self.reached[path[:cut]]
        return set(range(len(self.cases)))

    def is_told(self, mutant: Mutant, data: bytes) -> bool:
        """Whether `rules check` says something new: a warning, a ready-made one that does not come out whole, a rule
        that is cited and not in the index."""
        pack = load_files({**self.files, mutant.file: data})
        if {warning.message for warning in pack.warnings} - self.warned or ready_problems(pack):
            return True
        return bool(pack.index) and not self.cited <= {rule.id for rule in pack.index}


def fails(pack: Pack, case: PlacedCase) -> bool:
    """Whether a case fails, or ends in a way that no case should."""
    try:
        return not run_case(pack, case).passed
    except Exception as exc:  # whatever it is, it is found; and a fault of ours worth knowing
        print(f"  a case ended in {exc!r}: {case.file}:{case.line}", flush=True)
        return True


def quick_cases(files: Mapping[str, bytes]) -> list[PlacedCase]:
    every = cases_of(files)
    return [one for one in every if not any(step.expect.odds for step in one.case.script or [one.case])]


def words_of_case(case: PlacedCase) -> set[str]:
    return set(WORD.findall(repr(case.case))) | set(WORD.findall(repr(case.subjects)))


def same_meaning(one: bytes, two: bytes) -> bool:
    """Whether both texts are the same YAML (an indent inside a folded sentence, say): no mutant at all."""
    return bool(read_yaml("one", one).value == read_yaml("two", two).value)


# ---------------------------------------------------------------------------------------------- which case comes where


def reached_steps(files: Mapping[str, bytes], cases: Sequence[PlacedCase]) -> dict[Path, set[int]]:
    """For every list of steps of a pack, the cases that come to it."""
    found: dict[Path, set[int]] = {}
    now: set[Path] = set()
    with marking(now, found):
        pack = load_files(files)
    for at, case in enumerate(cases):
        now.clear()
        run_case(pack, case)
        for path in now:
            found[path].add(at)
    return found


@contextmanager
def marking(now: set[Path], found: dict[Path, set[int]]) -> Iterator[None]:
    """While a pack is built, put a first step before all steps that notes that it was come to."""
    plain = build.build_steps

    def build_steps(flow: Any, steps: Any, path: Path) -> Steps:
        out = plain(flow, steps, path)
        found.setdefault(path, set())
        out.insert(0, lambda rt: now.add(path))
        return out

    for module in (build, acts, triggers, creation):
        module.build_steps = build_steps  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in (build, acts, triggers, creation):
            module.build_steps = plain  # type: ignore[attr-defined]


def found_by(verdicts: Iterable[str]) -> tuple[int, int]:
    """How many of the mutants that change something are found, and how many there are."""
    real = [verdict for verdict in verdicts if verdict != SAME]
    return sum(verdict != ALIVE for verdict in real), len(real)
