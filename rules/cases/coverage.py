"""Which entries of a pack's rule index are proved by a passing case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rules.cases.run import CaseResult
from rules.packs.pack import Pack


@dataclass
class Coverage:
    """`runs`: ids that must be proved; `proved`: those that are.

    `elsewhere`: those that the index says are proved otherwise, and why; `missing`: those proved by nothing.
    `unknown`: ids that cases cite and the index, if there is one, has not.
    """

    runs: tuple[str, ...]
    proved: tuple[str, ...]
    missing: tuple[str, ...]
    elsewhere: tuple[str, ...]
    unknown: tuple[str, ...]


def coverage(pack: Pack, results: Iterable[CaseResult]) -> Coverage:
    cited = {rule for result in results if result.passed for rule in result.proves}
    known = {rule.id for rule in pack.index}
    elsewhere = {rule.id for rule in pack.index if rule.runs and rule.why}
    runs = tuple(rule.id for rule in pack.index if rule.runs)
    return Coverage(
        runs=runs,
        proved=tuple(rule for rule in runs if rule in cited),
        missing=tuple(rule for rule in runs if rule not in cited and rule not in elsewhere),
        elsewhere=tuple(rule for rule in runs if rule not in cited and rule in elsewhere),
        unknown=tuple(sorted(cited - known)) if known else (),
    )
