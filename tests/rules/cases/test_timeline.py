"""Cases about calendar, pairs and marks: they pass when right, and say what is wrong when not."""

import pytest

from rules.cases.read import cases_of, read_cases
from rules.cases.run import run_case, run_cases
from rules.packs import load_pack
from rules.problems import PackError

PACK = "spindrift-identity"

HEAD = """
calendar: {zone: UTC, starts_on: 2026-01-05}
subjects: {talyne: {kind: character, values: {rating: {bold_cautious: 14}}}}
cases:
  - case: one
    script:
      - {command: award_mark, given: {subject: talyne, side: bold}, now: "2026-01-06T12:00:00Z"}
"""


def differences(step: str) -> list[str]:
    pack = load_pack(PACK)
    (placed,) = read_cases("cases/try.yaml", (HEAD + "      - " + step + "\n").encode())
    return run_case(pack, placed).differences


@pytest.mark.parametrize("file", ["cases/calendar.yaml", "cases/development.yaml", "cases/pairs.yaml"])
def test_the_packs_own_cases_pass(file: str) -> None:
    pack = load_pack(PACK)
    cases = [placed for placed in cases_of(pack.source.files) if placed.file == file]
    assert cases
    assert [str(result) for result in run_cases(pack, cases) if not result.passed] == []


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("{command: award_mark, given: {subject: talyne, side: bold}}",
         "step 2: refused: expected None, got 'pair_marked_this_week'"),
        ("{command: award_mark, given: {subject: talyne, side: proud}, expect: {refused: not_consequential}}",
         "step 2: refused: expected 'not_consequential', got None"),
        ('{command: close_due, now: "2026-02-02T00:00:00Z", dice: [15, 3], expect: {ratings: {talyne: {bold: 14}}}}',
         "step 2: 1 of the chosen dice were not rolled"),
        ('{command: close_due, now: "2026-02-02T00:00:00Z", dice: [15], expect: {ratings: {talyne: {bold: 14}}}}',
         "step 2: ratings.talyne.bold: expected 14, got 15"),
        ('{command: close_due, now: "2026-02-02T00:00:00Z", dice: [15], expect: {settled: [{total: 16}]}}',
         "step 2: settled.0.total: expected 16, got 15"),
        ('{command: close_due, now: "2026-02-02T00:00:00Z"}', "step 2: refused: expected None, got 'no_die_left'"),
        ("{command: void_mark, given: {mark: mark1}, expect: {marks: {talyne: {bold: 1}}}}",
         "step 2: marks.talyne: expected {'bold': 1}, got {}"),
        ("{command: award_marks, given: {}}", "step 2: nothing is called 'award_marks': did you mean 'award_mark'?"),
        ("{ask: bonus, given: {remaining: 2}, expect: {answer: 2}}", "step 2: answer: expected 2, got 1"),
        ("{ask: bonus, given: {left: 2}}", None),
        ("{command: award_mark, given: {subject: talyne, sid: bold}}", None),
    ],
)  # fmt: skip
def test_what_is_not_as_expected_is_said(step: str, line: str | None) -> None:
    found = differences(step)
    assert found
    assert line is None or line in found
    assert line is not None or found[0].startswith("step 2: given:")


def test_settings_of_a_case_reach_development() -> None:
    pack = load_pack(PACK)
    text = HEAD.replace("- case: one", "- case: one\n    settings: {identity.mark_awarder: holder}").replace(
        "side: bold}", "side: bold}, by: holder, expect: {marks: {talyne: {bold: 1}}}"
    )
    (placed,) = read_cases("cases/try.yaml", text.encode())
    assert run_case(pack, placed).passed


def test_a_case_file_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(PackError):
        read_cases("cases/try.yaml", HEAD.replace("starts_on", "start_on").encode())
