"""Every case of every pack on the shelf, through the real engine. A test for each file, so that cores share them."""

from __future__ import annotations

import pytest

from rules.cases import cases_of, run_cases
from rules.packs import load_pack, pack_ids

FILES = [
    (name, file) for name in pack_ids() for file in sorted({c.file for c in cases_of(load_pack(name).source.files)})
]


@pytest.mark.parametrize(("name", "file"), FILES)
def test_cases_of_every_pack_on_the_shelf_pass(name: str, file: str) -> None:
    pack = load_pack(name)
    results = run_cases(pack, [case for case in cases_of(pack.source.files) if case.file == file])
    assert results
    assert [str(result) for result in results if not result.passed] == []
