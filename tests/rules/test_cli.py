"""`manage.py rules ...`, as a rule author uses it, on packs and cases that lie anywhere."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from django.core.management import CommandError, call_command

from rules.packs import find_folder, pack_ids
from rules.packs.source import MANIFEST, is_case, read_folder

EXAMPLES = sorted((Path(__file__).parents[2] / "docs/example").iterdir())
OUTSIDE = """
subjects: {bo: {kind: character, values: {might: 1}}}
cases:
  - {case: from elsewhere, test: climb, roles: {hero: bo}, given: {goal: 12}, dice: [%d], expect: {outcome: top}}
"""


def said(*words: str) -> tuple[int, str]:
    """The exit status of a command, and what it says."""
    out = StringIO()
    try:
        call_command("rules", *words, stdout=out)
    except SystemExit as exc:
        return int(str(exc.code)), out.getvalue()
    except CommandError as exc:
        return 1, out.getvalue() + str(exc)
    return 0, out.getvalue()


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    status, _ = said("new", str(tmp_path / "my-game"))
    assert status == 0
    return tmp_path / "my-game"


def change(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))


def test_the_starter_passes_its_own_check_to_the_last_rule(starter: Path) -> None:
    status, text = said("check", str(starter), "--strict")
    assert status == 0, text
    assert "my-game 0.1.0: 3 of 3 cases pass" in text and "1 of 1 rules proved" in text


def test_cases_from_outside_count(starter: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.yaml"
    more.write_text(OUTSIDE % 11)
    assert "4 of 4 cases pass" in said("check", str(starter), "--cases", str(more))[1]
    more.write_text(OUTSIDE % 10)
    status, text = said("check", str(starter), "--cases", str(more))
    assert status == 1 and "outcome: expected 'top', got 'falls'" in text
    more.write_text("cases: [{case: x, tset: climb}]")
    status, text = said("check", str(starter), "--cases", str(more))
    assert status == 1 and "the pack loads, but not its cases" in text and "did you mean 'test'?" in text
    assert "proved by no case" not in text


def test_a_moment_without_its_zone_is_told_in_its_place(starter: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.yaml"
    more.write_text("cases:\n  - case: x\n    script:\n      - {command: close_due, now: '2026-01-06T12:00'}\n")
    text = said("check", str(starter), "--cases", str(more))[1]
    assert f"{more}:4:35: error: a moment is written with its zone: 2026-01-06T12:00:00Z" in text


@pytest.mark.parametrize(
    "words",
    [
        ("check", "{pack}", "--cases", "/nowhere/x.yaml"),
        ("check", "/nowhere"),
        ("new", "/proc/x"),
        ("try", "{pack}", "climbb"),
        ("try", "{pack}", "climb", "--given", "goal"),
        ("try", "{pack}", "climb", "--given", "goal=12", "--subject", "hero={kind: character}", "--choose", "zork=1"),
        ("odds", "{pack}", "climb", "--given", "gaol=12", "--subject", "hero={kind: character}"),
        ("diff", "{pack}", "/nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_sentence(starter: Path, words: tuple[str, ...]) -> None:
    status, text = said(*(word.format(pack=starter) if "{pack}" in word else word for word in words))
    assert status == 1 and text and "Traceback" not in text and "None)" not in text


def test_try_says_what_it_was_given_and_takes_settings(starter: Path) -> None:
    hero, goal = "hero={kind: character, values: {might: 3}}", "goal=8"
    words = (
        "try",
        str(starter),
        "climb",
        "--subject",
        hero,
        "--given",
        goal,
        "--setting",
        "climb.die=6",
        "--dice",
        "5",
    )
    status, text = said(*words)
    assert status == 0 and "with goal = 8" in text and "outcome: top" in text
    assert said(*words[:-1], "7")[0] == 1  # no face of a d6


def test_odds_say_how_to_answer_what_they_hang_on(starter: Path) -> None:
    change(starter / "rules.yaml", "      - roll: check", "      - {ask: hurry, flag: true}\n      - roll: check")
    words = (
        "odds",
        str(starter),
        "climb",
        "--given",
        "goal=12",
        "--subject",
        "hero={kind: character, values: {might: 3}}",
    )
    status, text = said(*words)
    assert status == 1 and "--choose hurry=true" in text
    assert "12 in 20" in said(*words, "--choose", "hurry=true")[1]
    status, text = said(*words, "--choose", "hurrry=true")
    assert status == 1 and "Right would be: hurry." in text


def test_diff_tells_what_a_new_version_changes(starter: Path, tmp_path: Path) -> None:
    said("new", str(tmp_path / "next" / "my-game"))
    newer = tmp_path / "next" / "my-game"
    assert said("diff", str(starter), str(newer)) == (0, "")
    change(newer / "rules.yaml", "max: 10", "max: 12")
    change(newer / "rules.yaml", "  climb:\n", "  scale:\n")
    change(newer / "pack.yaml", "settings:", "renamed: {climb: scale}\nsettings:")
    text = said("diff", str(starter), str(newer))[1]
    assert "changed kind character: stats.might.max 10 -> 12" in text
    assert "renamed test climb: now scale" in text
    assert len(text.strip().splitlines()) == 2


def kind_of(name: str) -> str:
    return "manifest" if name == MANIFEST else "cases" if is_case(name) else "file"


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    """What `rules schema` prints, as an editor would use it."""
    found = {kind: json.loads(said("schema", kind)[1]) for kind in ("file", "manifest", "cases", "overlay")}
    for one in found.values():
        jsonschema.Draft202012Validator.check_schema(one)
    return {kind: jsonschema.Draft202012Validator(one) for kind, one in found.items()}


@pytest.mark.parametrize("folder", [*map(find_folder, pack_ids()), *EXAMPLES], ids=lambda folder: folder.name)
def test_every_file_of_every_pack_fits_its_schema(folder: Path, schemas: dict[str, Any]) -> None:
    """A validator that knows nothing of us finds nothing wrong in what the loader takes."""
    for name, data in read_folder(folder).items():
        value = yaml.load(data, Loader=NarrowLoader)
        if value is not None:
            wrong = next(schemas[kind_of(name)].iter_errors(value), None)
            assert wrong is None, f"{name}: {list(wrong.absolute_path)} {wrong.message[:300]}"


class NarrowLoader(yaml.CSafeLoader):
    """YAML 1.2, as editors read it: no `yes`, no dates, no numbers with a point."""


NarrowLoader.yaml_implicit_resolvers = {}
NarrowLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), ["t", "f"])
NarrowLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^-?(0|[1-9][0-9]*)$"), list("-0123456789"))
NarrowLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(null|~|)$"), ["n", "~", ""])
