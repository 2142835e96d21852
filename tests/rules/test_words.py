"""Whatever people choose from or read of the packs has words: no label, option or field is an id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from rules.packs import Pack, load_pack, pack_ids
from rules.packs.schema import Spec, Step

ID = re.compile(r"[a-z]+(_[a-z]+)+")


def specs(where: str, spec: Spec) -> Iterator[tuple[str, Spec]]:
    """A value and all that it is made of."""
    yield where, spec
    if spec.of is not None:
        yield from specs(f"{where}, each", spec.of)
    for name, inner in spec.fields.items():
        yield from specs(f"{where}.{name}", inner)


def values(pack: Pack) -> Iterator[tuple[str, Spec]]:
    """Every value of a pack that is shown to somebody or chosen by somebody."""
    found: dict[str, Spec] = {}
    for name, given in {**pack.tests, **{a: plan.program for a, plan in pack.actions.items()}}.items():
        found |= {f"{name}.{one}": spec for one, spec in given.spec.inputs.items()}
    for name, kind in pack.kinds.items():
        found |= {f"{name}.{one}": stat.spec for one, stat in kind.stats.items()}
    for name, card_type in pack.card_types.items():
        found |= {f"{name}.{one}": spec for one, spec in {**card_type.fields, **card_type.held}.items()}
    # A setting with a single option is a ruling, which says it all.
    found |= {name: one for name, one in pack.manifest.settings.items() if len(one.options or ()) > 1}
    for name, spec in found.items():
        yield from specs(name, spec)


def steps(value: Any) -> Iterator[Step]:
    """Every step below a part of a pack."""
    if isinstance(value, Step):
        yield value
    if isinstance(value, list | tuple):
        for one in value:
            yield from steps(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from steps(one)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from steps(getattr(value, name))


@pytest.mark.parametrize("pack_id", pack_ids())
def test_every_option_has_words(pack_id: str) -> None:
    pack = load_pack(pack_id)
    wordless = [
        f"{where}: {option}"
        for where, spec in values(pack)
        if not isinstance(spec.options, dict)
        for option in spec.options or ()
        if ID.fullmatch(option)
    ]
    for part in ("tests", "cards", "procedures"):
        for step in steps(pack.source.sections[part]):
            if step.ask is not None and not isinstance(step.options, dict):
                wordless += [f"ask {step.ask}: {word}" for word in step.options or () if ID.fullmatch(word)]
    assert not wordless


@pytest.mark.parametrize("pack_id", pack_ids())
def test_every_field_role_and_question_has_a_title(pack_id: str) -> None:
    """Of what is offered to a table; what is asked on the way too."""
    pack = load_pack(pack_id)
    untitled = []
    for name, program in pack.tests.items():
        if program.offered in ("test", "act"):
            untitled += [
                f"{name}.{i}" for i, spec in program.spec.inputs.items() if not spec.title and spec.by != "server"
            ]
            untitled += [f"{name}.{r}" for r, spec in program.spec.roles.items() if not spec.title]
    for part in ("tests", "cards", "procedures"):
        untitled += [f"ask {s.ask}" for s in steps(pack.source.sections[part]) if s.ask is not None and not s.title]
    assert not untitled


@pytest.mark.parametrize("pack_id", pack_ids())
def test_what_may_be_one_has_a_word_for_one(pack_id: str) -> None:
    """A stat in which something is paid reads "1 Mark", not "1 Marks"."""
    pack = load_pack(pack_id)
    paid = {
        (kind, stat) for action in pack.actions.values() for kind in action.use.kinds for stat, _ in action.use.cost
    }
    for kind, plan in pack.advancements.items():
        paid |= {(kind, stat) for offer in plan.offers.values() for stat in offer.cost}
    several = []
    for kind, stat in sorted(paid):
        spec = pack.kinds[kind].stats[stat].spec if stat in pack.kinds[kind].stats else None
        if spec is not None and not spec.one and re.search(r"[a-z]s\b", spec.title):
            several.append(f"{kind}.{stat}: {spec.title}")
    assert not several
