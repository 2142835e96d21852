"""What taking back would change is in words, whatever part of the campaign it is in."""

from __future__ import annotations

import re

import msgspec
import pytest

from campaigns import registry
from campaigns.previews import Change
from campaigns.store import states
from frontend.changes import told
from frontend.undone import WORDS, elsewhere
from tests.campaigns.tables import Table, make_table

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table() -> Table:
    return make_table({"spindrift-identity": ""})


def test_every_part_has_words_and_every_field_that_has_some_is_one() -> None:
    """A field that was renamed would fall back to what anything of its part is called, in silence."""
    parts = [part for part in registry.parts.values() if not part.state.__module__.startswith("tests.")]
    assert {part.name for part in parts} <= set(WORDS)
    for part in parts:
        known = {name for kind in structs(part.state) for name in kind.__struct_fields__}
        assert set(WORDS[part.name]) - {""} <= known, part.name


def structs(kind: type) -> set[type]:
    """A struct with all that lie in it."""
    found: set[type] = set()

    def look(one: object) -> None:
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            if one in found:
                return
            found.add(one)
            for field in msgspec.structs.fields(one):
                look(field.type)
        for inner in getattr(one, "__args__", ()):
            look(inner)

    look(kind)
    return found


def test_no_change_of_any_field_is_told_by_its_path(table: Table) -> None:
    pia, hero = table.member("pia"), table.character("pia", "Talyne")
    with states.held(table.campaign_id) as state:
        for part in registry.parts.values():
            for field in part.state.__struct_fields__:
                for path in (
                    (field,),
                    (field, "0198a0007de070008000000000000001"),
                    (field, hero, "spam_eggs", "is_odd"),
                ):
                    for before, after in (
                        (None, {"a_b": 1, "c_d": [], "e": 2}),
                        (1, 2),
                        ([pia], ["x_y"]),
                        (hero, None),
                    ):
                        for group in told(state, [Change(part.name, path, before, after)]):
                            for one in group.changes:
                                said = f"{one.where} {one.before} {one.after}"
                                assert not re.search(r"_|spam|is odd|[0-9a-f]{8}|[{\[]", said), (part.name, path, said)
                                assert one.before != one.after


def test_people_subjects_and_days_are_named(table: Table) -> None:
    pia, hero = table.member("pia"), table.character("pia", "Talyne")
    with states.held(table.campaign_id) as state:
        said = [
            elsewhere(state, Change("subjects", ("by_id", hero, "players"), [pia], [])),
            elsewhere(state, Change("table", ("owner",), pia, "gone")),
            elsewhere(
                state, Change("pairs", ("subjects", hero, "ratings", "bold_cautious"), {"bold": 14}, {"bold": 17})
            ),
            elsewhere(state, Change("containers", ("open", "x", "paused"), False, True)),
            elsewhere(state, Change("pictures", ("size",), 4, 7)),
        ]
    assert said == [
        [("Who plays them", "Pia", "none")],
        [("Whose campaign it is", "Pia", "gone")],
        [("Bold - Cautious, their ratings", "14", "17")],
        [("Whether it is paused", "no", "yes")],
        [],
    ]
