"""Fields of forms for what a test is given."""

from __future__ import annotations

import pytest

from frontend.asking import field_of
from rules.packs import Pack, load_pack, pack_ids

PACKS = {name: load_pack(name) for name in pack_ids()}
INPUTS = [
    (pack, test, name)
    for pack in PACKS.values()
    for test, program in pack.tests.items()
    for name, spec in program.spec.inputs.items()
    if spec.type in ("card", "name") and spec.optional
]


def test_there_are_some() -> None:
    assert any(pack.id == "frontiers-fantasy" and (test, name) == ("rest", "domain") for pack, test, name in INPUTS)


@pytest.mark.parametrize(("pack", "test", "name"), INPUTS, ids=[f"{p.id}-{t}-{n}" for p, t, n in INPUTS])
def test_what_may_be_left_open_is_left_open_first(pack: Pack, test: str, name: str) -> None:
    """Who has none of them must not send the first one that there is."""
    field = field_of(pack, name, pack.test(test).spec.inputs[name], "", None)
    assert field.groups[0][1][0] == ("none", "none")
