"""Steps of cases that make somebody (`create`) or let somebody grow (`advance`)."""

from __future__ import annotations

from msgspec.structs import replace

from rules.cases.compare import compare_value
from rules.cases.schema import CaseStep, Expected
from rules.creation import Growth, Standing, creation_of, gain_level, offer, standing, take
from rules.packs.pack import Pack
from rules.refusal import Refused
from rules.sheets import Subject

LEVEL = "level"
MADE = "made"


def create(pack: Pack, step: CaseStep, kind: str) -> tuple[list[str], Subject]:
    """What differs from what is expected, and the subject as far as it is made."""
    choices = dict(step.choices)
    if step.ready:
        ready = creation_of(pack, kind).spec.ready
        if step.ready not in ready:
            raise Refused("no_such_ready", f"no ready-made {kind} is called {step.ready!r}", field="ready")
        choices = {**ready[step.ready].choices, **choices}
    name = step.of or MADE
    base = Subject(id=name, kind=kind)
    found = standing(pack, kind, choices, seat=step.caller or "gm", base=base)
    return compare_standing(step.expect, found), found.sheet.subject()


def compare_standing(wanted: Expected, found: Standing) -> list[str]:
    refused = next((wrong for wrong in found.wrong if not wrong.still_open), None)
    pending = next((wrong for wrong in found.wrong if wrong.still_open), None)
    out = compare_value("refused", wanted.refused, refused.reason if refused else None)
    if refused is None or wanted.pending is not None:
        out += compare_value("pending", wanted.pending, pending.choice if pending else None)
    first = refused or pending
    if wanted.wrong is not None:
        out += compare_value("wrong", wanted.wrong, first.choice if first else None)
    if wanted.right is not None:
        out += compare_value("right", wanted.right, first.right if first else None)
    for choice, options in wanted.offers.items():
        known = found.choices.get(choice)
        out += compare_value(f"offers.{choice}", options, [o.id for o in known.options] if known else None)
    return out


def advance(pack: Pack, step: CaseStep, subject: Subject, growth: Growth) -> tuple[list[str], Subject, Growth]:
    """What differs from what is expected, and the subject with its growth after."""
    name, wanted, refused = step.advance or "", step.expect, None
    out: list[str] = []
    if wanted.offers:
        would = offer(pack, subject, growth, name, step.choices, seat=step.caller or "gm")
        out += compare_standing(Expected(offers=wanted.offers), replace_wrong(would.standing))
    try:
        if name == LEVEL:
            subject, growth, _ = gain_level(pack, subject, growth)
        else:
            subject, growth, _ = take(pack, subject, growth, name, step.choices, seat=step.caller or "gm")
    except Refused as no:
        refused = no
    out += compare_value("refused", wanted.refused, refused.code if refused else None)
    if wanted.wrong is not None:
        field = (refused.field or "") if refused else ""
        out += compare_value("wrong", wanted.wrong, field.removeprefix("choices."))
    if wanted.right is not None:
        out += compare_value("right", wanted.right, refused.right if refused else None)
    if wanted.bought is not None:
        out += compare_value("bought", wanted.bought, dict(growth.bought))
    if wanted.due is not None:
        out += compare_value("due", wanted.due, [due.grant for due in growth.due])
    return out, replace(subject), growth


def replace_wrong(found: Standing) -> Standing:
    """The same standing with nothing wrong, of which only the offers are looked at."""
    return Standing(found.sheet, found.choices)
