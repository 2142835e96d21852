"""`rules new`: a starter pack that passes its own check."""

from __future__ import annotations

import re
from pathlib import Path

from rules.problems import RulesError

MANIFEST = """\
id: {id}
version: 0.1.0
title: {title}
summary: What this game is about, in a sentence.
source: Where the rules come from.
rights: Whose they are, and what this pack takes from them.
settings:
  climb.die:
    type: int
    min: 4
    max: 20
    default: 20
    text: Sides of the die that a climb is rolled with.
    ruling: The starter pack takes a d20.
"""

RULES = """\
kinds:
  character:
    title: Character
    stats:
      might: {type: int, min: 0, max: 10, default: 0, title: Might}

tests:
  climb:
    title: Climb
    text: Up a wall, with might against a goal.
    roles:
      hero: {title: Climber, kinds: [character]}
    inputs:
      goal: {type: int, title: Goal, by: gm}
    steps:
      - roll: check
        sides: setting.climb.die
      - let: {total: check.total + hero.might}
      - outcome: top
        when: total >= goal
      - outcome: falls
    facts: {total: total}
    outcomes:
      top: {title: At the top, success: true}
      falls: {title: A fall, success: false}

index:
  - {id: NEW-001, gist: A climb succeeds when the die and might reach the goal.}
"""

CASES = """\
subjects:
  ana: {kind: character, values: {might: 3}}
cases:
  - case: a total equal to the goal is enough
    proves: [NEW-001]
    test: climb
    roles: {hero: ana}
    given: {goal: 12}
    dice: [9]
    expect: {outcome: top, facts: {total: 12}}

  - case: one below the goal is a fall
    proves: [NEW-001]
    test: climb
    roles: {hero: ana}
    given: {goal: 12}
    dice: [8]
    expect: {outcome: falls}

  - case: exact odds
    test: climb
    roles: {hero: ana}
    given: {goal: 12}
    expect: {odds: {total: 20, ways: {top: 12, falls: 8}}}
"""


def new_pack(folder: Path) -> list[Path]:
    """Write the starter pack into a folder that does not exist yet; its name becomes the id."""
    name = folder.name
    if not re.match(r"[a-z][a-z0-9-]*\Z", name):
        raise RulesError(f"{name!r} is no pack id: a word of a-z, 0-9 and -")
    if folder.exists():
        raise RulesError(f"{folder} exists already")
    contents = {
        "pack.yaml": MANIFEST.format(id=name, title=name.replace("-", " ").title()),
        "rules.yaml": RULES,
        "cases/climb.yaml": CASES,
    }
    for file, text in contents.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return [folder / file for file in contents]
