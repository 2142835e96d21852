"""A fixed sample of mutants of every pack: nine in ten at least must be refused at load or caught by a case."""

from __future__ import annotations

import pytest

from rules.packs import pack_ids
from tests.rules.mutants import mutants, sample
from tests.rules.small import one_test


@pytest.mark.parametrize("pack", pack_ids())
def test_mutants_are_found(pack: str) -> None:
    tried, alive = sample(pack, 40)
    assert len(alive) <= tried // 10, "\n".join(map(str, alive))


def test_every_kind_of_mutant_is_made() -> None:
    made = list(mutants("x.yaml", one_test("- {let: {x: n + 1}, text: 'a sentence n + 1'}", "n: {type: int}")))
    assert {mutant.kind for mutant in made} == {"name", "number", "operator", "indent"}
    assert [(m.old, m.new) for m in made if m.kind in ("number", "operator")] == [("+", "-"), ("1", "2")]
    assert ("steps", "stesp") in [(m.old, m.new) for m in made]
