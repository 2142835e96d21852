"""Random characters of every pack on the shelf that makes some: legal ones come out whole, and what breaks a limit is
refused with its reason. The chooser knows no pack: it takes what is offered, as somebody at the page does.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from rules.creation import ChoiceStanding, Due, Growth, Standing, gain_level, offer, standing, take
from rules.creation.growing import levels_of
from rules.packs import Pack, load_pack, pack_ids
from rules.refusal import Refused
from rules.sheets import Sheet, Subject
from rules.sheets.sheet import ByCard

MAKERS = [(pack, kind) for pack in pack_ids() for kind in load_pack(pack).creations]
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def chosen(one: ChoiceStanding, random: Random) -> Any:
    """Some value of a choice, of what is offered."""
    spec, ids = one.plan.spec, [option.id for option in one.options]
    least = 0 if one.least is None else one.least
    most = len(ids) if one.most is None else one.most
    match spec.type:
        case "card" | "name":
            return random.choice(ids) if ids else None
        case "cards" | "names":
            return random.sample(ids, min(len(ids), random.randint(least, max(least, min(most, least + 2)))))
        case "text":
            return "words"
        case "texts":
            return ["words"] * least
        case "flag":
            return False
        case "number":
            return random.randint(least, min(most, least + 10)) if one.most is not None else least
    return None


def made(pack: Pack, kind: str, random: Random) -> tuple[dict[str, Any], Standing]:
    """A whole character: choice after choice; numbers with limits are shuffled from a ready-made one."""
    ready = list(pack.creations[kind].spec.ready.values())
    choices: dict[str, Any] = {}
    for name, plan in pack.creations[kind].choices.items():
        found = standing(pack, kind, choices)
        one = found.choices[name]
        if one.state in ("absent", "waits"):
            continue
        if plan.spec.type == "numbers":
            values = list(random.choice(ready).choices.get(name, {}).values())
            random.shuffle(values)
            choices[name] = dict(zip(plan.keys, values, strict=False))
            continue
        for _ in range(20):
            tried = {**choices, name: chosen(one, random)}
            if not any(w.choice == name for w in standing(pack, kind, tried).wrong):
                choices = tried
                break
    return choices, standing(pack, kind, choices)


def whole_numbers(pack: Pack, subject: Subject) -> None:
    """Every number of the sheet can be read and lies within its bounds."""
    sheet = Sheet(subject, pack.kinds[subject.kind], pack.settings)
    for name, plan in sheet.kind.stats.items():
        value = sheet[name]
        for one in value.complete().values() if isinstance(value, ByCard) else [value]:
            if plan.spec.type == "int" and isinstance(one, int) and plan.spec.bounds == "clamp":
                assert plan.spec.min is None or one >= plan.spec.min, name
                assert plan.spec.max is None or one <= plan.spec.max, name
    for track, most in pack.source.sections["kinds"][subject.kind].sheet.tracks.items():
        assert 0 <= sheet[track] <= sheet[most], track


@pytest.mark.parametrize(("pack_id", "kind"), MAKERS)
@given(seed=st.integers(0, 2**32))
@few
def test_what_is_chosen_from_what_is_offered_comes_out_whole(pack_id: str, kind: str, seed: int) -> None:
    pack, random = load_pack(pack_id), Random(seed)
    choices, found = made(pack, kind, random)
    assert found.wrong == [], (choices, found.wrong)
    whole_numbers(pack, found.sheet.subject())
    # What counts of it makes the same again, and says so to a player too, but for what is the game master's.
    again = standing(pack, kind, found.made(), seat="player")
    assert {w.reason for w in again.wrong} <= {"gm_only"}
    assert again.sheet.subject().values == found.sheet.subject().values or again.wrong


@pytest.mark.parametrize(("pack_id", "kind"), MAKERS)
@given(seed=st.integers(0, 2**32))
@few
def test_one_thing_too_many_is_refused_with_its_reason(pack_id: str, kind: str, seed: int) -> None:
    pack, random = load_pack(pack_id), Random(seed)
    choices, found = made(pack, kind, random)
    one = random.choice([c for c in found.choices.values() if c.state == "made" and c.plan.spec.type != "flag"])
    name, wrong = one.plan.id, ["card_of_no_pack"]
    expected = {"wrong_value"}
    if one.plan.spec.type == "numbers":
        wrong = {**one.value, one.plan.keys[0]: 10**6}  # type: ignore[assignment]
        expected = {"out_of_bounds"}
    elif one.plan.spec.type in ("text", "texts"):
        wrong = ["x" * 5000] if one.plan.several else "x" * 5000  # type: ignore[assignment]
    elif one.plan.several and one.most is not None and len(one.options) > one.most:
        wrong = [option.id for option in one.options]
        expected = {"too_many"}
    reasons = {w.reason for w in standing(pack, kind, {**choices, name: wrong}).wrong if w.choice == name}
    assert expected & reasons, (name, reasons)


@pytest.mark.parametrize(("pack_id", "kind"), [(p, k) for p, k in MAKERS if k in load_pack(p).advancements])
@given(seed=st.integers(0, 2**32))
@few
def test_levels_up_to_the_last_leave_every_number_in_bounds(pack_id: str, kind: str, seed: int) -> None:
    pack, random = load_pack(pack_id), Random(seed)
    _, found = made(pack, kind, random)
    subject, growth = found.sheet.subject(), Growth()
    stat = levels_of(pack, kind).spec.stat
    for _ in range(6):
        before = Sheet(subject, pack.kinds[kind], pack.settings)[stat]
        try:
            subject, growth, level = gain_level(pack, subject, growth)
        except Refused as no:
            assert no.code == "highest_level"
            break
        assert level == before + 1
        whole_numbers(pack, subject)
        for due in list(growth.due):
            would = offer(pack, subject, growth, due.grant, {})
            picks = {c.plan.id: chosen(c, random) for c in would.standing.choices.values()}
            if all(value is not None for value in picks.values()):
                subject, growth, _ = take(pack, subject, growth, due.grant, picks)
        whole_numbers(pack, subject)


@pytest.mark.parametrize(("pack_id", "kind"), [(p, k) for p, k in MAKERS if load_pack(p).advancements.get(k)])
def test_whatever_is_open_can_be_looked_at_before_anything_of_it_is_chosen(pack_id: str, kind: str) -> None:
    """With all that it costs at hand, and all that a level could bring due: the first half chosen, or nothing."""
    pack = load_pack(pack_id)
    plan = pack.advancements[kind]
    _, found = made(pack, kind, Random(1))
    subject = found.sheet.subject()
    costs = {stat for one in plan.offers.values() for stat in one.cost}
    subject = structs.replace(subject, values={**subject.values, **dict.fromkeys(costs, 99)})
    due = tuple(Due(grant=name, level=1) for name, one in plan.offers.items() if one.at)
    for name in plan.offers:
        growth, choices = Growth(due=due), dict[str, Any]()
        for _ in range(len(plan.offers[name].choices) + 1):
            would = offer(pack, subject, growth, name, choices)
            half = {c.plan.id: chosen(c, Random(1)) for c in would.standing.choices.values() if c.state == "open"}
            choices = {**choices, **dict(list(half.items())[:1])}
        if would.refused is None and any(c.state != "absent" for c in would.standing.choices.values()):
            bare = offer(pack, subject, growth, name, {}).standing
            assert not bare.complete or all(c.state in ("made", "absent") for c in bare.choices.values()), name
