"""What a form offers of a test: which options of its inputs, to whom, and beside which cards.

None of it makes anything legal or illegal: that is for the steps. It keeps from people what the steps would refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rules.formulas.types import Int, List, Text, Type
from rules.packs.schema import Action, Input, Test
from rules.sheets.sheet import Sheet
from rules.tests.flow import Flow, Path
from rules.tests.program import Offers, Program
from rules.tests.texts import template

if TYPE_CHECKING:
    from rules.packs.pack import Pack


def build_offers(flow: Flow, test: Test, inputs: Mapping[str, Type], path: Path) -> Offers:
    """The conditions of a test's forms, over its first role alone: others are chosen in the same form."""
    out = Offers()
    known = Flow(flow.shared, flow.shared.builder.scope.child())
    for name in ("asker", *list(test.roles)[:1]):
        if name in flow.scope.names:
            known.scope.names[name] = flow.scope.names[name]
    out.when = known.condition(test.when, (*path, "when"))
    for name, spec in test.inputs.items():
        _of_input(known, name, spec, inputs.get(name), out, (*path, "inputs", name))
    if test.at is not None:
        _at_card(known, test, inputs, out, (*path, "at"))
    return out


def build_act_offers(flow: Flow, action: Action, inputs: Mapping[str, Type], path: Path) -> Offers:
    """The conditions of an action's form, over its user."""
    out = Offers()
    known = Flow(flow.shared, flow.shared.builder.scope.child())
    for name in ("asker", "user"):
        known.scope.names[name] = flow.scope.names[name]
    for name, spec in action.inputs.items():
        _of_input(known, name, spec, inputs.get(name), out, (*path, "inputs", name))
    return out


def _of_input(known: Flow, name: str, spec: Input, kind: Type | None, out: Offers, path: Path) -> None:
    if spec.where is not True:
        if not isinstance(kind, Text) or spec.type not in ("card", "name"):
            known.report((*path, "where"), "`where` goes with a card or a name")
            return
        inner = known.fork()
        inner.scope.names["option"] = kind
        condition = inner.condition(spec.where, (*path, "where"))
        if condition is not None:
            out.where[name] = condition
    if spec.first is not False or spec.beside:
        _order(known, name, spec, kind, out, path)
    if spec.among is not None:
        found = known.formula(spec.among, (*path, "among"))
        of = {"text": Text, "int": Int}.get(spec.type)
        if of is None or (found is not None and not _list_of(found.type, of)):
            known.report((*path, "among"), "`among` is a list of texts for a text, or of numbers for a number")
        elif found is not None:
            out.among[name] = found
    if spec.reads:
        _reads(known, name, spec, kind, out, path)


def _reads(known: Flow, name: str, spec: Input, kind: Type | None, out: Offers, path: Path) -> None:
    """How a number reads that a form offers."""
    if not isinstance(kind, Int) or spec.among is None:
        known.report((*path, "reads"), "`reads` goes with a number of which some are offered: `among`")
        return
    inner = Flow(known.shared, known.shared.builder.scope.child())  # whoever does it, it reads alike
    inner.scope.names["option"] = kind
    out.reads[name] = template(inner, spec.reads, (*path, "reads"))[0]


def _order(known: Flow, name: str, spec: Input, kind: Type | None, out: Offers, path: Path) -> None:
    """Which options of a card stand first, and what is said behind each."""
    if not isinstance(kind, Text) or spec.type != "card":
        known.report(path, "`first` and `beside` go with a card")
        return
    inner = known.fork()
    inner.scope.names["option"] = kind
    condition = inner.condition(spec.first, (*path, "first")) if spec.first is not False else None
    if condition is not None:
        out.first[name] = condition
    if spec.beside:
        out.beside[name] = template(inner, spec.beside, (*path, "beside"))[0]


def _list_of(kind: Type, of: type[Type]) -> bool:
    return isinstance(kind, List) and isinstance(kind.of, of)


def _at_card(known: Flow, test: Test, inputs: Mapping[str, Type], out: Offers, path: Path) -> None:
    assert test.at is not None
    spec = test.inputs.get(test.at.input)
    if spec is None or spec.type != "card" or not test.roles:
        known.report((*path, "input"), "this is the input that takes the card; the first role holds it")
        return
    if test.at.says and test.at.input in inputs:
        inner = known.fork()
        inner.scope.names["option"] = inputs[test.at.input]
        out.says, level = template(inner, test.at.says, (*path, "says"))
        if level != "all":
            known.report((*path, "says"), "a button is read by everybody: it may not show what is hidden")


# ------------------------------------------------------------------------------------------------ asking


def frame_of(pack: Pack, program: Program, sheet: Sheet | None, seat: str) -> dict[str, Any]:
    """What the conditions read: the first role's sheet, and the settings."""
    from rules.board import Board, Scene

    frame: dict[str, Any] = {"setting": pack.settings, "asker": seat, "@board": Board(pack, Scene(), {})}
    first = next(iter(program.spec.roles), "")
    if first and sheet is not None:
        frame[first] = sheet
    return frame


def is_offered(program: Program, frame: Mapping[str, Any]) -> bool:
    """Whether the test is offered to its first role; without one nothing is known."""
    first = next(iter(program.spec.roles), "")
    when = program.offers.when
    return when is None or (bool(first) and first not in frame) or bool(when.run(frame))


def fits(program: Program, name: str, option: str, frame: Mapping[str, Any]) -> bool:
    """Whether an input's option is offered; without the first role every one is."""
    where = program.offers.where.get(name)
    first = next(iter(program.spec.roles), "")
    if where is None or (first and first not in frame):
        return True
    return bool(where.run({**frame, "option": option}))


def is_first(program: Program, name: str, option: str, frame: Mapping[str, Any]) -> bool:
    """Whether an option is the first role's own, and stands first in a form; without the role none is."""
    first, role = program.offers.first.get(name), next(iter(program.spec.roles), "")
    return first is not None and role in frame and bool(first.run({**frame, "option": option}))


def noted(
    pack: Pack, program: Program, name: str, options: Sequence[tuple[str, str]], frame: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Options (id, title) of a card, each with what its test says behind it and what its type warns the first role of.
    Without the role they stand as they are."""
    role, spec = next(iter(program.spec.roles), ""), program.spec.inputs[name]
    sheet, cards = frame.get(role), pack.cards.get(spec.card or "", {})
    if not isinstance(sheet, Sheet) or spec.type != "card":
        return list(options)
    beside, found = program.offers.beside.get(name), []
    for option, title in options:
        notes = [] if option not in cards else sheet.warned(spec.card or "", option)
        if beside is not None and option in cards:
            notes.insert(0, beside({**frame, "option": option}))
        words = ", ".join(note for note in notes if note.strip())
        found.append((option, f"{title} ({words})" if words else title))
    return found


def fits_user(program: Program, name: str, option: str, frame: Mapping[str, Any]) -> bool:
    """Whether an action's input offers an option to its user, who stands in the frame."""
    where = program.offers.where.get(name)
    return where is None or bool(where.run({**frame, "option": option}))


def listed(program: Program, name: str, frame: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """The texts or numbers of which one is offered, each with how it reads; None where any may be typed."""
    among = program.offers.among.get(name)
    first = next(iter(program.spec.roles), "")
    if among is None or (first and first not in frame):
        return None
    offered = dict.fromkeys(among.run(frame))
    return [(str(one), reading(program, name, one, frame["setting"]) or str(one)) for one in offered]


def reading(program: Program, name: str, value: Any, settings: Mapping[str, Any]) -> str:
    """How a number that was given reads; "" where the input says nothing of it."""
    reads = program.offers.reads.get(name)
    return "" if reads is None else reads({"setting": settings, "option": value})
