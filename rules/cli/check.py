"""`rules check`: load a pack, run its cases, say what no case proves. The exit status says whether all is well."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rules.cases import CaseResult, PlacedCase, cases_of, coverage, read_cases, run_cases
from rules.creation.ready import ready_problems
from rules.packs import Pack, load_pack, pack_ids
from rules.problems import PackError

Say = Callable[[str], object]


def check(names: Sequence[str], case_files: Sequence[str], say: Say, strict: bool = False) -> bool:
    """Check packs (all of them when none is named) with their own cases and those of other files.

    `strict`: warnings and unproved rules count as failures too.
    """
    fine = True
    for name in names or pack_ids():
        fine = check_one(name, case_files, say, strict) and fine
    return fine


def check_one(name: str, case_files: Sequence[str], say: Say, strict: bool) -> bool:
    begun = time.perf_counter()
    try:
        pack = load_pack(name)
        loaded = time.perf_counter() - begun
    except PackError as exc:
        return say_problems(f"{name}: does not load", exc, say)
    try:
        cases = cases_of(pack.source.files) + [case for file in case_files for case in from_outside(file)]
    except PackError as exc:
        return say_problems(f"{name} {pack.version}: the pack loads, but not its cases", exc, say)
    results = run_cases(pack, cases)
    return report(pack, results, loaded, say, strict)


def say_problems(first: str, found: PackError, say: Say) -> bool:
    """What keeps a pack from being checked: never all is well."""
    say(first)
    for problem in found.problems:
        say(f"  {problem}")
    return False


def from_outside(file: str) -> list[PlacedCase]:
    return read_cases(file, Path(file).read_bytes())


def report(pack: Pack, results: Sequence[CaseResult], loaded: float, say: Say, strict: bool) -> bool:
    """One line for what is well, one for each thing that is not."""
    failed = [result for result in results if not result.passed]
    unfit = ready_problems(pack)
    found = coverage(pack, results)
    seconds = sum(result.seconds for result in results)
    say(
        f"{pack.id} {pack.version}: {len(results) - len(failed)} of {len(results)} cases pass"
        f" in {seconds * 1000:.0f} ms, loaded in {loaded * 1000:.0f} ms;"
        f" {len(found.proved)} of {len(found.runs)} rules proved"
        + (f", {len(found.elsewhere)} elsewhere" if found.elsewhere else "")
    )
    for warning in pack.warnings:
        say(f"  {warning}")
    for problem in unfit:
        say(f"  {problem}")
    for result in failed:
        say("  " + str(result).replace("\n", "\n  "))
    if found.unknown:
        say(f"  cited, but not in the index: {', '.join(found.unknown)}")
    if found.missing:
        say(f"  proved by no case: {', '.join(found.missing)}")
    return not failed and not unfit and not found.unknown and not (strict and (found.missing or pack.warnings))
