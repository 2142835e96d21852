"""Reading what is given on the command line: `name=value` words, and subjects from a YAML text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.cases.run import make_subject
from rules.cases.schema import SubjectSpec
from rules.packs.convert import convert
from rules.packs.yamltree import read_yaml
from rules.problems import GivenError, RulesError
from rules.sheets import Subject


def assignments(words: Iterable[str]) -> dict[str, Any]:
    """`a=1 b=[2, 3] c=true` as values, each read as YAML."""
    out: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise RulesError(f"{word!r} is no assignment: write name=value")
        out[name] = read_yaml("(command line)", text.encode()).value
    return out


def subjects(words: Iterable[str]) -> dict[str, Subject]:
    """`hero={kind: character, values: {might: 3}}` as subjects by role."""
    out = {}
    for role, value in assignments(words).items():
        spec, findings = convert(SubjectSpec, value)
        if spec is None:
            raise GivenError(role, findings[0][1], findings[0][2])
        out[role] = make_subject(role, spec)
    return out


def faces(text: str) -> list[int]:
    """`9 20 3` or `9,20,3` as faces."""
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise RulesError(f"{text!r} are no faces: write numbers") from None
