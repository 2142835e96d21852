"""Versions: what packs need of one another, and what an upgrade does to a subject."""

from __future__ import annotations

import pytest

from rules.packs import Pack, load_files, unmet
from rules.packs.ranges import in_range
from rules.sheets import Held, Subject
from rules.sheets.upgrade import Lost, Reads, upgrade
from tests.rules.small import MANIFEST, files, pack, problems

OLD = """
kinds:
  hero:
    title: Hero
    stats:
      stout: {type: int, default: 2}
      luck: {type: int, default: 0}
      rank: {type: name, each: skill, options: [no, yes], default: "no"}
      twice: {formula: stout * 2}
card_types: {skill: {title: Skill}, condition: {title: Condition, by_hand: true}}
cards:
  skill: {climb: {title: Climb}, sing: {title: Sing}}
  condition: {tired: {title: Tired}, lost: {title: Lost}}
""".replace("[no, yes]", "[unlearnt, learnt]").replace('"no"', "unlearnt")
NEW = """
kinds:
  hero:
    title: Hero
    stats:
      hardy: {type: int, min: 0, max: 3, default: 2}
      rank: {type: name, each: skill, options: [unlearnt, learnt], default: unlearnt}
      twice: {formula: hardy * 3}
card_types: {skill: {title: Skill}, condition: {title: Condition, by_hand: true}}
cards:
  skill: {clamber: {title: Clamber}, sing: {title: Sing}}
  condition: {weary: {title: Weary}}
"""
RENAMED = "renamed: {stout: hardy, climb: clamber, tired: weary}"


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("1.2.3", ">=1.0 <2", True),
        ("2.0.0", ">=1.0 <2", False),
        ("1.10.0", ">=1.9", True),
        ("1.0.0", "==1.0.0", True),
        ("1.0.1", "<=1", False),
        ("1.0.1", ">1", True),
    ],
)
def test_ranges(version: str, wanted: str, fits: bool) -> None:
    assert in_range(version, wanted) is fits


def of(needs: str) -> Pack:
    manifest = MANIFEST.replace("id: small", "id: other") + f"needs: {needs}\n"
    return load_files(files("kinds: {hero: {title: Hero}}", manifest=manifest))


def test_needs() -> None:
    small = pack("kinds: {hero: {title: Hero}}")
    assert unmet([of("{}")]) == []
    assert unmet([small, of('{small: ">=1.0 <2"}')]) == []
    assert unmet([small, of('{small: ">=2"}')]) == ["other needs small >=2; here it is 1.0.0"]
    assert unmet([small, of('{smal: ">=1"}')]) == ["other needs smal >=1 (did you mean 'small'?)"]
    assert "is no range of versions" in problems("kinds: {hero: {title: H}}", settings="needs: {another: 1.x}")[0]


def test_an_upgrade_keeps_renames_loses_and_reads_differently() -> None:
    ana = Subject(
        id="ana",
        kind="hero",
        values={"stout": 3, "luck": 1, "rank": {"climb": "learnt"}},
        held=[Held(id="tired-1", card="tired"), Held(id="lost-1", card="lost")],
    )
    found = upgrade(pack(OLD), pack(NEW, settings=RENAMED), ana)
    assert found.subject.values == {"hardy": 3, "rank": {"clamber": "learnt"}}
    assert [thing.card for thing in found.subject.held] == ["weary"]
    assert found.lost == (
        Lost("luck", 1, "the stat no longer exists"),
        Lost("lost", {}, "the card no longer exists"),
    )
    assert found.reads == (
        Reads("rank", {"climb": "learnt", "sing": "unlearnt"}, {"clamber": "learnt", "sing": "unlearnt"}),
        Reads("twice", 6, 9),
        Reads("luck", 1, None),
    )
    assert ana.values["stout"] == 3


def test_a_value_out_of_the_new_bounds_is_lost_and_said() -> None:
    found = upgrade(pack(OLD), pack(NEW, settings=RENAMED), Subject(id="ana", kind="hero", values={"stout": 9}))
    assert found.lost == (Lost("stout", 9, "9 is above the highest value, 3"),)
    assert Reads("hardy", 9, 2) in found.reads
