"""The loader refuses to be silently wrong: every kind of mistake, with its place and the nearest right name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.packs import load_files
from rules.packs.jsonschema import KINDS, schema
from rules.problems import PackError
from tests.rules.small import MANIFEST, files, one_test, pack, problems

GOOD = """
kinds:
  hero:
    title: Hero
    stats:
      might: {type: int, min: 0, max: 10, default: 1}
      level: {type: int, min: 0, max: 20}
      bonus: {formula: sb(level)}
card_types: {condition: {title: Condition, by_hand: true}}
cards:
  condition:
    tired: {title: Tired, modifiers: [{stat: might, add: -1}]}
tables: {sb: {rows: [{at: 0, value: 1}, {at: 5, value: 2}]}}
tests:
  climb:
    title: Climb
    roles: {hero: {kinds: [hero]}}
    inputs: {goal: {type: int}}
    steps:
      - {roll: check, dice: d20}
      - {outcome: top, when: check.total + hero.might >= goal}
      - {outcome: falls}
    outcomes: {top: {title: Top}, falls: {title: Falls}}
"""


def test_the_good_one_loads() -> None:
    assert pack(GOOD).warnings == []


@pytest.mark.parametrize(
    ("old", "new", "message", "suggestion"),
    [
        ("title: Climb", "titel: Climb", "unknown field 'titel'", "title"),
        ("tests:", "test:", "unknown section 'test'", "tests"),
        ("hero.might >=", "hero.migth >=", "no stat is called 'migth'", "might"),
        ("check.total", "chek.total", "unknown name 'chek'", "check"),
        ("check.total", "check.totl", "no field of roll is called 'totl'", "total"),
        ("sb(level)", "sbb(level)", "unknown function 'sbb'", "sb"),
        ("sb(level)", "bonus + 1", "bonus needs itself", ""),
        ("outcome: top", "outcome: topp", "no outcome is called 'topp'", "top"),
        ("dice: d20", "dice: 2x20", "'2x20' is no roll", ""),
        ("stat: might", "stat: mighty", "no stat is called 'mighty'", "might"),
        ("kinds: [hero]", "kinds: [heroe]", "no kind of subject is called 'heroe'", "hero"),
        ("condition:\n    tired", "conditions:\n    tired", "no card type is called 'conditions'", "condition"),
        ("default: 1", "default: 11", "11 is above the highest value, 10", ""),
        ("max: 20", "max: twenty", "a whole number is wanted here, not 'twenty'", ""),
        ("type: int, min: 0, max: 20", "type: in, min: 0, max: 20", "not 'in'", "int"),
        ("- {outcome: falls}", "- {outcom: falls}", "unknown field 'outcom'", "outcome"),
        ("- {outcome: falls}", "- {outcome: falls, dice: d20}", "`dice` does not go with `outcome`", ""),
        ("- {outcome: falls}", "- {outcome: falls, roll: x}", "exactly one verb", ""),
        ("- {outcome: falls}", "- {outcome: falls, when: goal > 0}", "may end without an outcome", ""),
        ("- {outcome: falls}", "- {outcome: falls}\n      - {outcome: top}", "never come to", ""),
        (
            "falls: {title: Falls}",
            "falls: {title: Falls}, lost: {title: Lost}",
            "no step leads to the outcome 'lost'",
            "",
        ),
        ("at: 5", "at: 0", "rows stand in order", ""),
        ("title: Tired", "title: Tired, title: T", "'title' stands here twice", ""),
        ("when: check.total", "when: check.total > 20 and check.total", "never holds", ""),
        ("when: check.total + hero.might >= goal", "when: hero.might", "a condition is wanted here, not a number", ""),
        ("might: {", "might: &a {", "anchors and tags are not allowed", ""),
        ("add: -1", "add: *a", "aliases are not allowed", ""),
        ("title: Climb", "title: !!python/object:os.system x", "anchors and tags", ""),
        ("climb:", "Climb:", "'Climb' is no id", ""),
        ("climb:", "setting:", "'setting' is no id", ""),
    ],
)
def test_refuses(old: str, new: str, message: str, suggestion: str) -> None:
    assert GOOD.count(old) >= 1
    found = problems(GOOD.replace(old, new, 1))
    assert any(message in line and line.endswith(f"({suggestion})") for line in found), found


def test_a_problem_names_line_and_column_inside_the_formula() -> None:
    line = next(n for n, text in enumerate(GOOD.splitlines(), 1) if "outcome: top, when" in text)
    column = GOOD.splitlines()[line - 1].index("hero.might") + 1
    assert f"{line}:{column} " in problems(GOOD.replace("hero.might >=", "hero.migth >="))[0]


def test_all_problems_are_found_in_one_go() -> None:
    broken = GOOD.replace("hero.might >=", "hero.migth >=").replace("stat: might", "stat: mihgt")
    assert len(problems(broken)) == 2


def test_one_id_twice_over_two_files() -> None:
    other = "tests: {climb: {title: Again, steps: [{narrate: x}]}}"
    assert "'climb' is already defined in part1.yaml" in problems(GOOD, other)[0]


def test_settings_nobody_reads_are_warned_about() -> None:
    found = pack(GOOD, settings="settings: {climb.die: {type: int, default: 6}}")
    assert [w.message for w in found.warnings] == ["nothing reads the setting 'climb.die'"]
    assert found.warnings[0].file == "pack.yaml"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("{climb.die: {type: int, min: 3, default: 2}}", "2 is below the lowest value"),
        ("{climb.die: {type: name, options: [a], default: b}}", "no name is called 'b'"),
        ("{climb.die: {type: name, options: [a]}}", "a setting needs a default"),
        ("{Climb: {type: int}}", "is no setting"),
    ],
)
def test_settings_that_do_not_fit(setting: str, message: str) -> None:
    assert message in problems(GOOD, settings=f"settings: {setting}")[0]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("- {let: {x: 1}, when: n > 3}\n- {let: {y: x}}", "'x' is set only under a condition"),
        ("- {let: {x: 1}}\n- {let: {x: \"'a'\"}}", "was a number before"),
        ("- {let: {n: 2}}", "is given from outside"),
        ("- {ask: a, flag: true, when: n > 3}", "needs `otherwise`"),
        ("- {ask: a}", "an ask needs"),
        ("- {ask: a, flag: true, who: gmm}", "nobody here is called 'gmm'"),
        ("- {keep: pool, highest: 1}", "no roll is called 'pool'"),
        ("- {roll: pool, dice: 3d6}\n- {keep: pool}", "says `highest` or `lowest`"),
        ("- {roll: pool, dice: 3d6}\n- {reroll: pool}", "says which dice"),
        ("- {roll: pool, dice: 3d6}\n- {cancel: pool, where: face == 1}", "needs `where` and `against`"),
        ("- {roll: pool, dice: 3d6}\n- {adjust: pool, by: n}", "needs `by` and `aim`"),
        ("- {pick: p, from: [{is: a, when: n > 1}]}", "a last one without"),
        ("- {call: nothing}", "no procedure is called 'nothing'"),
        ("- {repeat: 200, as: i, steps: [{narrate: x}]}", "at most 100 times"),
        ("- {repeat: 3, steps: [{narrate: x}]}", "a loop needs `as`"),
        ("- {require: n > 3}", "needs its `reason`"),
        ("- {set: {n: 3}}", "is no stat of a subject"),
        ("- {narrate: '{n'}", "a brace that is not closed"),
        ("- {apply: tired, of: n}", "no card is called 'tired'"),
    ],
)
def test_steps_that_are_refused(steps: str, message: str) -> None:
    found = problems(one_test(steps, "n: {type: int}"))
    assert any(message in line for line in found), found


def test_a_procedure_that_calls_itself_is_refused() -> None:
    text = one_test("- {call: one}") + ("procedures:\n  one: {steps: [{call: two}]}\n  two: {steps: [{call: one}]}\n")
    assert any("calls itself" in line for line in problems(text))


def test_functions_in_a_circle_are_refused() -> None:
    text = "functions:\n  a: {value: b() + 1}\n  b: {value: a() + 1}\n"
    assert any("calls itself" in line for line in problems(text))


def test_renamed_ids_are_found_under_their_old_name() -> None:
    found = pack(GOOD, settings="renamed: {scale: climb, clamber: scale}")
    assert found.test("clamber").id == "climb"


@pytest.mark.parametrize(
    ("renamed", "message"),
    [("{scale: climbb}", "nothing is called 'climbb' (climb)"), ("{climb: hero}", "'climb' still exists")],
)
def test_renames_lead_somewhere(renamed: str, message: str) -> None:
    assert message in problems(GOOD, settings=f"renamed: {renamed}")[0]


def test_schema_and_loader_agree_on_the_good_pack_and_on_mistakes() -> None:
    import jsonschema
    import yaml

    rules = jsonschema.Draft202012Validator(schema("file"))
    manifest = jsonschema.Draft202012Validator(schema("manifest"))
    manifest.validate(yaml.safe_load(MANIFEST))
    rules.validate(yaml.safe_load(GOOD))
    for old, new in (
        ("title: Climb", "titel: Climb"),
        ("tests:", "test:"),
        ("max: 20", "max: twenty"),
        ("- {outcome: falls}", "- {outcome: falls, dice: d20}"),
        ("- {outcome: falls}", "- {outcome: falls, roll: x}"),
    ):
        broken = GOOD.replace(old, new, 1)
        assert not rules.is_valid(yaml.safe_load(broken)), new
        assert problems(broken)


def test_every_schema_is_made() -> None:
    assert all(schema(kind)["$defs"] for kind in KINDS)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_damage_gives_a_pack_or_clean_errors(data: st.DataObject) -> None:
    text = GOOD
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        cut = data.draw(st.integers(0, 4))
        text = (
            text[:at] + data.draw(st.text(alphabet="{}[]:,-#&*!|>'\"\n\t aeio019%@`?", max_size=3)) + text[at + cut :]
        )
    try:
        load_files(files(text))
    except PackError as exc:
        assert exc.problems and all(problem.message for problem in exc.problems)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_clean_errors(data: bytes) -> None:
    try:
        load_files({"pack.yaml": MANIFEST.encode(), "x.yaml": data})
    except PackError as exc:
        assert exc.problems


def test_deep_and_large_files_are_refused() -> None:
    assert "nested deeper" in problems("tests: " + "[" * 60 + "]" * 60)[0]
    with pytest.raises(PackError, match="larger than"):
        load_files({"pack.yaml": MANIFEST.encode(), "x.yaml": b"#" * 2_000_001})


def test_what_nothing_uses_is_warned_about() -> None:
    text = GOOD.replace(", by_hand: true", "") + "functions: {half: {takes: {n: {type: int}}, value: down(n / 2)}}\n"
    text += "procedures: {nap: {steps: [{narrate: zzz}]}}\n"
    assert sorted(w.message for w in pack(text).warnings) == [
        "nobody can come by 'tired'",
        "nothing calls 'half'",
        "nothing calls 'nap'",
    ]


def test_a_misspelt_fact_at_one_end_is_found() -> None:
    text = one_test(
        """
        - {outcome: high, when: n > 9, facts: {margin: n - 9, chosen: true}}
        - {outcome: mid, when: n > 5, facts: {margin: n - 5}}
        - {outcome: low, facts: {magrin: n}}
        """,
        "n: {type: int}",
        "outcomes: {high: {title: H}, mid: {title: M}, low: {title: L}}\n",
    )
    assert "other ends of this test call this fact 'margin' (margin)" in problems(text)[0]
    assert problems(text.replace("magrin", "margin")) == []


def test_an_index_names_settings_that_exist_and_every_ruling() -> None:
    settings = """
    settings:
      a.start: {type: name, options: [monday], default: monday}
      a.end: {type: name, options: [sunday], default: sunday}
    """
    index = "index:\n  - {id: X-1, gist: A, setting: %s}\n"
    assert "no setting is called 'a.strat' (a.start)" in problems(index % "a.strat", settings=settings)[0]
    assert problems(index % "a.start", settings=settings) == []
    found = pack(index % "a.start", settings=settings)
    assert [w.message for w in found.warnings] == ["no rule of the index names the ruling 'a.end'"]
    assert not pack(index % "[a.start, a.end]", settings=settings).warnings


def test_a_fact_is_called_the_same_in_every_test() -> None:
    body = "tests:\n" + "".join(
        f"  t{n}: {{title: T, inputs: {{n: {{type: int}}}}, steps: [{{let: {{x: n}}}}], facts: {{{fact}: x}}}}\n"
        for n, fact in enumerate(("adjuster", "adjuster", "adjustre"))
    )
    (found,) = problems(body)
    assert "other tests of this pack call this fact 'adjuster'" in found
