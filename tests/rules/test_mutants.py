"""A fixed sample of mutants of every pack: nine in ten at least must be refused at load or caught by a case."""

from __future__ import annotations

import pytest

from rules.packs import find_folder, pack_ids
from rules.packs.source import read_folder
from tests.rules.mutants import all_of, mutants, sample
from tests.rules.small import one_test


@pytest.mark.parametrize("pack", pack_ids())
def test_mutants_are_found(pack: str) -> None:
    many = len(all_of(read_folder(find_folder(pack)))) > 10_000  # a large pack takes long to load, each time
    tried, alive = sample(pack, 12 if many else 40)
    assert len(alive) <= tried // 10, "\n".join(map(str, alive))


def test_every_kind_of_mutant_is_made() -> None:
    made = list(mutants("x.yaml", one_test("- {let: {x: n + 1}, text: 'a sentence n + 1'}", "n: {type: int}")))
    assert {mutant.kind for mutant in made} == {"name", "number", "operator", "indent"}
    assert [(m.old, m.new) for m in made if m.kind in ("number", "operator")] == [("+", "-"), ("1", "2")]
    assert ("steps", "stesp") in [(m.old, m.new) for m in made]
