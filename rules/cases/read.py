"""Reading case files: of a pack's own folder, or from anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from rules.cases.schema import Case, CaseFile, SubjectSpec
from rules.packs.convert import convert
from rules.packs.source import Files, is_case
from rules.packs.yamltree import Tree, read_yaml
from rules.problems import PackError, Problem


@dataclass
class PlacedCase:
    """A case with its file and line."""

    case: Case
    subjects: Mapping[str, SubjectSpec]
    file: str
    line: int


def read_cases(file: str, data: bytes) -> list[PlacedCase]:
    """The cases of one file. PackError when it cannot be read."""
    tree = read_yaml(file, data)
    found, findings = convert(CaseFile, tree.value)
    if found is None:
        raise PackError([_problem(tree, path, message, hint) for path, message, hint in findings])
    return [
        PlacedCase(
            replace(
                case,
                calendar=case.calendar or found.calendar,
                scenes={**found.scenes, **case.scenes},
                scene=case.scene or found.scene,
            ),
            {**found.subjects, **case.subjects},
            file,
            tree.place(("cases", at))[0],
        )
        for at, case in enumerate(found.cases)
    ]


def _problem(tree: Tree, path: tuple[object, ...], message: str, hint: str) -> Problem:
    line, column = tree.place(path)
    return Problem(file=tree.file, line=line, column=column, message=message, suggestion=hint)


def cases_of(files: Files) -> list[PlacedCase]:
    """All cases that come with a pack."""
    found: list[PlacedCase] = []
    problems: list[Problem] = []
    for name in sorted(files):
        if is_case(name) and name.endswith(".yaml"):
            try:
                found.extend(read_cases(name, files[name]))
            except PackError as exc:
                problems.extend(exc.problems)
    if problems:
        raise PackError(problems)
    return found
