"""The loader refuses to be silently wrong: what is contradictory, what nothing could come of, what is too much; and
every problem stands at its place.
"""

from __future__ import annotations

import time

import pytest

from rules.packs import find_folder, load_files
from rules.packs.source import read_folder
from rules.problems import PackError, nearest
from tests.rules.small import MANIFEST, files, one_test, pack, problems
from tests.rules.test_loader import GOOD


def said(text: str, settings: str = "") -> str:
    return "\n".join(problems(text, settings=settings))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("min: 0, max: 10", "min: 9, max: 1", "no number is at least 9 and at most 1"),
        ("goal: {type: int}", "goal: {type: int, min: 5, max: 4}", "no number is at least 5 and at most 4"),
        ("goal: {type: int}", "goal: {type: int}, q: {type: name, options: [a, a]}", "an option stands twice"),
        ("goal: {type: int}", "goal: {type: int}, q: {type: name, options: ['a b']}", "'a b' is no option"),
        ("goal: {type: int}", "goal: {type: int}, q: {type: name, optional: true, options: [none]}", "adds 'none'"),
        ("goal: {type: int}", "goal: {type: int, options: [a]}", "`options` does not go with `type: int`"),
        ("goal: {type: int}", "goal: {type: int}, q: {type: text, min: 3}", "`min` does not go with `type: text`"),
        ("goal: {type: int}", "goal: {type: int}, q: {type: flag, card: zork}", "`card` does not go with `type: flag`"),
        ("bonus: {formula: sb(level)}", "bonus: {formula: level > 3}", "declare `type: flag`"),
        ("bonus: {formula: sb(level)}", "bonus: {formula: max(1, level)}", "a text with a comma stands in quotes"),
        ("rows: [{at: 0, value: 1}", "rows: [{at: 0, value: \"'a'\"}", "numbers or names, not both"),
        ("title: Climb", 'title: "Cl\\u202eimb"', "control characters are not allowed"),
    ],
)
def test_what_contradicts_itself_is_refused(old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert message in said(GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("- {pick: p, from: [{is: a, when: n > 1}, {is: b, when: n > 1}, {is: c}]}", "'b' is never come to"),
        ("- {let: {x: \"q in ('a', 'b')\"}, when: \"q in ('a', 'b')\"}", "this condition always holds"),
        ("- {let: {x: 1}, when: \"q not in ('a', 'b')\"}", "this condition never holds"),
        ("- {let: {x: ｎ + 1}}", "is none of the letters of formulas"),
        ("- {let: {x: 0x10}}", "plain digits"),
        ("- {let: {x: 1_0}}", "plain digits"),
        ("- {let: {x: \"'a' 'b'\"}}", "one name in quotes"),
        ("- {let: {x: n, 5: 1}}", "a name is wanted here, not 5"),
    ],
)
def test_what_nothing_could_come_of_is_refused(steps: str, message: str) -> None:
    assert message in said(one_test(steps, "n: {type: int}, q: {type: name, options: [a, b]}"))


def test_a_procedure_that_nothing_calls_is_checked_all_the_same() -> None:
    assert "unknown name 'nonsense'" in said(GOOD + "procedures: {p: {steps: [{let: {z: nonsense}}]}}\n")
    circle = "procedures: {p: {steps: [{call: q}]}, q: {steps: [{call: p}]}}\n"
    assert "calls itself" in said(GOOD + circle)
    fine = GOOD + "procedures: {p: {takes: {n: {type: int}}, steps: [{let: {z: n + 1}}]}}\n"
    assert [warning.message for warning in pack(fine).warnings] == ["nothing calls 'p'"]


def test_a_rule_id_that_the_index_has_not_is_refused_at_its_place() -> None:
    index = "index: [{id: X-001, gist: Climbing.}]\n"
    text = GOOD.replace("title: Climb", "title: Climb\n    rules: [X-001, X-00I]") + index
    line = next(at for at, words in enumerate(text.splitlines(), 1) if "X-00I" in words)
    column = text.splitlines()[line - 1].index("X-00I") + 1
    assert problems(text) == [f"{line}:{column} the index has no rule 'X-00I' (X-001)"]
    assert problems(text.replace("X-00I", "X-001")) == []


def test_the_end_of_a_season_wants_a_calendar_with_seasons() -> None:
    ends = GOOD.replace(
        "- {outcome: falls}", "- {apply: tired, of: hero, until: {at: season_end}}\n      - {outcome: falls}"
    )
    calendar = "calendar: {stamp: '{week}', paused_stamp: Off, ladder: [{id: week, title: Week, unit: iso_monday}]}\n"
    assert problems(ends) == []
    assert "no instant is called 'season_end'" in said(ends + calendar)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("renamed: {a: b, b: a}", "go in a circle"),
        ("needs: {small: '>=1.0'}", "is not the id of another pack"),
        ("needs: {'': '>=1.0'}", "is not the id of another pack"),
        ("needs: {other: '>=99999999999999999999'}", "is no range of versions"),
    ],
)
def test_the_manifest_leads_somewhere(manifest: str, message: str) -> None:
    assert message in said(GOOD, settings=manifest)


def test_a_refusal_that_tells_a_hidden_number_is_warned_about() -> None:
    hidden = GOOD.replace("default: 1}", "default: 1, seen: gm}", 1)
    step = "- {require: hero.might > 0, reason: weak, text: 'a might of {hero.might}'}\n      - {roll: check"
    told = [warning.message for warning in pack(hidden.replace("- {roll: check", step)).warnings]
    assert told == ["whoever is refused reads this text, and it shows what only the game master may see"]
    assert not pack(hidden.replace("- {roll: check", step.replace("{hero.might}", "one"))).warnings


def test_a_short_fact_with_two_letters_exchanged_is_found() -> None:
    body = "tests:\n" + "".join(
        f"  t{n}: {{title: T, inputs: {{n: {{type: int}}}}, steps: [{{let: {{x: n}}}}], facts: {{{fact}: x}}}}\n"
        for n, fact in enumerate(("used", "used", "usde"))
    )
    assert "other tests of this pack call this fact 'used'" in said(body)


def test_every_option_of_a_setting_is_one_that_the_rules_can_take() -> None:
    found = read_folder(find_folder("spindrift-identity"))
    text = found["pack.yaml"].decode()
    for right, wrong in ((", first: The first", ", firts: The first"), (", holder: Whoever", ", holdre: Whoever")):
        assert text.count(right) == 1
        with pytest.raises(PackError, match=f"cannot be '{wrong.split()[1][:-1]}'"):
            load_files({**found, "pack.yaml": text.replace(right, wrong).encode()})


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("functions:\n  f: {takes: {x: {type: text}}, value: \"1 if x == 'ee' and zz else 2\"}\n", 2, 60),
        ("functions:\n  f: {takes: {x: {type: text}}, value: \"1 if x == 'éé' and zz else 2\"}\n", 2, 60),
        ("functions:\n  f: {takes: {x: {type: int}}, value: x + zz}\n", 2, 43),
        ("functions:\n  f:\n    value: >-\n      1 +\n      zz\n", 3, 12),
        ("tests:\n  it:\n    titel: It\n", 3, 12),
        ("tests:\n\t it: 1\n", 2, 1),
        ("tests: {a: 1\n", 2, 1),
        ("tests:\n  a: {title: x\x07}\n", 2, 15),
    ],
)
def test_every_problem_stands_at_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(PackError) as caught:
        load_files({"pack.yaml": MANIFEST.encode(), "x.yaml": text.encode()})
    assert (line, column) in {(problem.line, problem.column) for problem in caught.value.problems}, str(caught.value)


def test_bytes_that_are_no_text_are_told_with_their_place() -> None:
    with pytest.raises(PackError, match="x.yaml:2:4: error: the file is not UTF-8 text"):
        load_files({"pack.yaml": MANIFEST.encode(), "x.yaml": b"tests:\n  a\xff: 1\n"})


@pytest.mark.parametrize(
    "text",
    [
        "card_types: {z: {title: T}}\ncards:\n  z:\n"
        + "".join(f"    c{n}: {{title: C, grants: [d{n}]}}\n" for n in range(5_000)),
        "tests:\n  it:\n    title: It\n" + "".join(f"    x{n}: 1\n" for n in range(60_000)),
        "index: [" + "a," * 300_000 + "a]\n",
        "functions:\n" + "".join(f"  f{n}: {{value: 1}}\n" for n in range(8_000)),
    ],
    ids=["unknown cards", "unknown fields", "no entries", "very many entries"],
)
def test_what_is_wrong_a_thousandfold_takes_no_long_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(PackError) as caught:
        load_files(files(text))
    assert len(caught.value.problems) <= 1_000
    assert time.process_time() - began < 15


def test_the_nearest_of_very_many_names_is_found_at_once() -> None:
    began = time.process_time()
    assert nearest("climbnig", [f"skill_{n}" for n in range(20_000)] + ["climbing"]) == "climbing"
    assert time.process_time() - began < 1
