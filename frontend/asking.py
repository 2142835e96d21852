"""The form that calls for a test, made from what the test's pack says it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from campaigns.modes import barred_for
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.registry import can_take
from campaigns.sheet_reading import audience_of, known_subject, plays_by
from campaigns.state import State
from frontend.numbers import number_or_text
from frontend.people import SubjectLine, subjects
from frontend.seat import Seat
from rules.packs import Pack
from rules.packs.schema import Input, Spec
from rules.packs.sections import PAIR
from rules.packs.values import NONE
from rules.packs.wording import spaced, titled
from rules.sheets import Sheet
from rules.tests.offers import fits, frame_of, is_first, is_offered, listed, noted
from rules.tests.program import Program

Groups = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""(heading, ((value, text), ...)) of a select"""
DRAWN = ("card", "name", "int", "flag", "text", "modifiers")
"""and lists of what is no list: all that a caller can be asked for"""
MODIFIER = {
    "value": Spec(type="int", title="How much"),
    "source": Spec(type="text", title="From"),
    "type": Spec(type="text", title="Kind"),
}


@dataclass(frozen=True)
class Offered:
    """A test that this seat may call for."""

    key: str
    title: str
    says: str
    kind: str = "test"
    """test, act or keeping, as rules.packs.schema.Test has it"""
    main: int = 0
    """0: seldom called; else the lowest first"""
    group: str = ""
    first: str = ""
    """its first role"""
    barred: str = ""
    """why the mode of play bars it now"""
    open: bool = True
    """whether this seat can do it nevertheless"""

    @property
    def pack(self) -> str:
        """The pack's id."""
        return self.key.partition("/")[0]

    @property
    def test(self) -> str:
        """The test's id."""
        return self.key.partition("/")[2]


@dataclass(frozen=True)
class Asked:
    """One field of the form. ``kind``: select, number, tick, text, lines; ``groups``: (label, ((value, text), ...))."""

    name: str
    title: str
    says: str
    kind: str
    optional: bool
    value: Any
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    low: int | None = None
    high: int | None = None
    more: bool = False
    """wanted seldom"""
    rows: tuple[tuple[Asked, ...], ...] = ()
    """for rows: the fields of each entry of a list, some entries empty"""


MOST_OPEN = 8
"""fields that a form shows without being asked"""
ROWS = 4
"""entries that a form has room for, and never fewer than one more than it holds"""


def offered(state: State, seat: Seat, subject: str = "", of: str = "", kind: str = "") -> list[Offered]:
    """Every test of the campaign's packs that this seat may call for and somebody (or this ``subject``) can take; those
    that are called most come first. What is offered to nobody but game masters who look for it is among them. ``of``:
    of this pack alone, ``kind``: of these alone."""

    def wanted(pack: Pack, test: str) -> bool:
        return of in ("", pack.id) and kind in ("", pack.tests[test].offered)

    return sorted(_open_to(state, seat, subject, wanted), key=_most_called)


def _most_called(one: Offered) -> tuple[bool, int]:
    return not one.main, int(one.main)


def _open_to(state: State, seat: Seat, subject: str, wanted: Callable[[Pack, str], object]) -> Iterator[Offered]:
    """The same of the tests that are wanted, in the order of packs and of each pack."""
    role, people = ("gm" if seat.is_gm else "player"), subjects(state, seat)
    for pack in Packs(state).all():
        frames = Frames(state, seat, pack)
        for test, program in pack.tests.items():
            brought = pack.knows_fights and pack.encounter.initiative == test
            unlisted = brought or program.offered == "never"
            if unlisted or role not in program.spec.called_by or not wanted(pack, test):
                continue
            if _taken(state, people, pack, test, subject) and is_offered(program, frames.of(program, subject)):
                barred = barred_for(state, pack, test, subject)
                yield _offered(pack, test, program, barred, open_=not barred or seat.is_gm)


def may_call(state: State, seat: Seat) -> bool:
    """Whether this seat has a test to call for."""
    return seat.is_gm or (not seat.is_watcher and any(_open_to(state, seat, "", _is_test)))


def _is_test(pack: Pack, test: str) -> bool:
    return pack.tests[test].offered == "test"


def not_to_call(state: State, seat: Seat, key: str) -> str:
    """Why a test that somebody asked for by its key is not the one that is offered."""
    pack_id, _, test = key.partition("/")
    pack = next((one for one in Packs(state).all() if one.id == pack_id), None)
    program = pack.tests.get(pack.current_id(test)) if pack is not None else None
    if pack is None or program is None:
        return "There is no such test in this campaign."
    title = program.spec.title
    if ("gm" if seat.is_gm else "player") not in program.spec.called_by:
        who = "the game master" if "gm" in program.spec.called_by else "the server, by itself,"
        return f"{title} is called by {who}."
    if pack.knows_fights and pack.encounter.initiative == test:
        return f"{title} belongs to a fight: it is rolled as one begins."
    if program.offered == "never":
        return f"{title} is done on the page of whom it concerns, by its own button."
    return f"{title} has nobody here yet who could do it."


def left_to_gm(state: State, seat: Seat) -> list[str]:
    """For a player the titles of the tests that game masters alone call, those called most first."""
    found = []
    for pack in Packs(state).all() if not seat.is_gm else ():
        for test, program in pack.tests.items():
            brought = pack.knows_fights and pack.encounter.initiative == test
            if program.offered == "test" and not brought and program.spec.called_by == ("gm",):
                found.append((not program.spec.main, int(program.spec.main), program.spec.title))
    return [title for *_, title in sorted(found, key=lambda one: one[:2])]


def _offered(pack: Pack, test: str, program: Program, barred: str, *, open_: bool) -> Offered:
    spec = program.spec
    first = next(iter(spec.roles), "")
    key, main = f"{pack.id}/{test}", int(spec.main)
    return Offered(key, spec.title, spec.text, program.offered, main, spec.group, first, barred, open_)


class Frames:
    """What conditions on forms read of subjects, as one seat knows them; each sheet is made once."""

    def __init__(self, state: State, seat: Seat, pack: Pack) -> None:
        self._state, self._seat, self._pack = state, seat, pack
        self._sheets: dict[str, Sheet] = {}
        self._bare: Mapping[str, Any] | None = None

    def of(self, program: Program, subject: str) -> Mapping[str, Any]:
        """The frame of a test with this subject in its first role ("": nobody yet)."""
        spec, known = program.spec, self._state.part(Subjects).by_id.get(subject)
        first = next(iter(spec.roles), "")
        able = known is not None and bool(first) and known.kind in spec.roles[first].kinds
        who = "gm" if self._seat.is_gm else "player"
        if not able:
            return self._nobody(program, who)
        return frame_of(self._pack, program, self.sheet(subject), who)

    def _nobody(self, program: Program, who: str) -> Mapping[str, Any]:
        if self._bare is None:
            self._bare = frame_of(self._pack, program, None, who)
        return self._bare

    def sheet(self, subject: str) -> Sheet:
        """A sheet as the seat knows it."""
        if subject not in self._sheets:
            audience = audience_of(self._seat.viewer, subject) or "all"
            known = known_subject(self._state, subject, self._pack.id, audience)
            self._sheets[subject] = Sheet(known, self._pack.kinds[known.kind], self._pack.settings)
        return self._sheets[subject]


def pair_test(state: State, seat: Seat, subject: str) -> str:
    """The first test of a subject that is about a pair, by its key; "" where no pack has one."""
    found = min(_open_to(state, seat, subject, pair_input), key=_most_called, default=None)
    return found.key if found else ""


def pair_input(pack: Pack, test: str) -> str:
    """The input of a test that says which pair it is about, "" for none."""
    inputs = pack.test(test).spec.inputs.items()
    return next((name for name, spec in inputs if spec.type == "card" and spec.card == PAIR), "")


def _taken(state: State, people: list[SubjectLine], pack: Pack, test: str, subject: str) -> bool:
    """Whether a test's first role can be taken. Where nobody is there yet, that is not what stands in the way."""
    first = next(iter(pack.test(test).spec.roles), "")
    if not first or not people:
        return True
    return any(subject in ("", one.id) for one in _able(state, people, pack, test, first))


def _able(state: State, people: list[SubjectLine], pack: Pack, test: str, role: str) -> list[SubjectLine]:
    kinds = pack.test(test).spec.roles[role].kinds
    return [
        one
        for one in people
        if one.kind in kinds and plays_by(state, one.id, pack.id) and can_take(state, pack, test, role, one.id)
    ]


def shelves(state: State, tests: list[Offered]) -> list[tuple[str, list[Offered]]]:
    """Tests under headings: each pack's by its groups, in their order, then what is done, then what is kept."""
    found: dict[str, list[Offered]] = {}
    packs = {pack.id: pack.manifest.title for pack in Packs(state).all()}
    for kind, behind in (("test", ""), ("act", ": what is done"), ("keeping", ": bookkeeping")):
        for one in (one for one in tests if one.kind == kind):
            title = packs[one.key.partition("/")[0]]
            heading = f"{title}: {one.group.lower()}" if one.group and not behind else f"{title}{behind}"
            found.setdefault(heading, []).append(one)
    return list(found.items())


def takers(state: State, seat: Seat, pack: Pack, test: str, role: str) -> list[SubjectLine]:
    """Subjects that can take a role, one's own first. What is done is done for oneself: the first role of an act is
    taken by whom this seat plays."""
    program = pack.test(test)
    able = _able(state, subjects(state, seat), pack, test, role)
    if program.offered == "act" and not seat.is_gm and role == next(iter(program.spec.roles), ""):
        able = [one for one in able if one.id in seat.viewer.plays]
    return sorted(able, key=lambda one: one.id not in seat.viewer.plays)


def roles_of(
    state: State, seat: Seat, pack: Pack, test: str, chosen: str, known: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The roles of a test with who can take each; the first is taken by ``chosen`` unless told otherwise, the others by
    whom is ``known`` to, and nobody is proposed for two while others can."""
    roles: list[dict[str, Any]] = []
    for name, spec in pack.test(test).spec.roles.items():
        choices = takers(state, seat, pack, test, name)
        able, taken = [one.id for one in choices], {one["value"] for one in roles}
        asked = chosen if not roles else (known or {}).get(f"role-{name}", "")
        others = [one for one in able if one not in taken]
        value = asked if asked in able and asked not in taken else next(iter(others or able), "")
        roles.append({"name": f"role-{name}", "title": spec.title or titled(name), "takers": choices, "value": value})
    return roles


def fields_of(
    seat: Seat,
    pack: Pack,
    test: str,
    kind: str,
    chosen: Mapping[str, str],
    *,
    every: bool = False,
    frame: Mapping[str, Any] | None = None,
) -> list[Asked]:
    """The inputs that whoever calls gives, or every input. Cards that name a holder of another kind are left out, and
    with a ``frame`` what the test does not offer to its first role."""
    program = pack.test(test)
    fields = []
    for name, spec in program.spec.inputs.items():
        if drawn(spec) and (every or spec.by == "asker" or (spec.by == "gm" and seat.is_gm)):
            one = field_of(pack, name, spec, kind, chosen.get(name, spec.default), typed=chosen)
            fields.append(one if frame is None else narrowed(pack, program, name, one, frame))
    return _folded([one for one in fields if not _is_idle(one)], program)


def _is_idle(one: Asked) -> bool:
    """Whether a field has nothing to choose: it may be left out, and nothing is offered beside that."""
    options = [option for _, options in one.groups for option, _ in options]
    return one.kind == "select" and one.optional and set(options) <= {NONE}


def _folded(fields: list[Asked], program: Program) -> list[Asked]:
    """No more fields open than can be looked through: what must be given, and of the rest the first ones."""
    inputs, lists = {f"given-{name}": spec for name, spec in program.spec.inputs.items()}, ("flag", "list", "modifiers")
    free = {name for name, i in inputs.items() if i.default is not None or i.optional or i.type in lists}
    left, found = MOST_OPEN - sum(one.name not in free and not one.more for one in fields), []
    for one in fields:
        if one.name in free and not one.more:
            one = replace(one, more=left <= 0)
            left -= 1
        found.append(one)
    return found


def narrowed(pack: Pack, program: Program, name: str, one: Asked, frame: Mapping[str, Any]) -> Asked:
    """A field with the options alone that its test offers."""
    texts = listed(program, name, frame)
    if texts is not None:
        return replace(one, kind="select", groups=(("", tuple(texts)),), value=str(one.value or ""))
    if one.kind != "select":
        return one
    groups = (
        (label, tuple(o for o in options if o[0] == "none" or fits(program, name, o[0], frame)))
        for label, options in one.groups
    )
    kept = tuple(group for group in groups if group[1])
    return replace(one, groups=_in_order(pack, program, name, kept, frame))


def _in_order(pack: Pack, program: Program, name: str, groups: Groups, frame: Mapping[str, Any]) -> Groups:
    """The groups of a field with its options as the test orders them; what is one's own comes before all headings."""
    if program.offers.first.get(name) is None:
        return tuple((label, tuple(noted(pack, program, name, options, frame))) for label, options in groups)
    own, rest = [], []
    for label, options in groups:
        mine = [o for o in options if o[0] == "none" or is_first(program, name, o[0], frame)]
        own += mine
        rest.append((label or "others", tuple(o for o in options if o not in mine)))
    both = ("", tuple(own)), *(group for group in rest if group[1])
    return tuple((label, tuple(noted(pack, program, name, options, frame))) for label, options in both)


def gms_fields(pack: Pack, test: str, known: Mapping[str, Any]) -> list[Asked]:
    """The inputs that the game master gives to a test which a player called for."""
    inputs = pack.test(test).spec.inputs.items()
    return [
        field_of(pack, name, spec, "", known.get(name, spec.default), typed=known)
        for name, spec in inputs
        if spec.by == "gm" and drawn(spec)
    ]


def gms_given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """Those inputs as typed values."""
    inputs = pack.test(test).spec.inputs
    return {name: value for name, value in _values(pack, test, post) if inputs[name].by == "gm"}


def rollers_fields(pack: Pack, test: str) -> list[Asked]:
    """The inputs that whoever rolls gives beside the dice."""
    inputs = pack.test(test).spec.inputs.items()
    return [
        field_of(pack, name, spec, "", spec.default, typed={})
        for name, spec in inputs
        if spec.by == "roller" and drawn(spec)
    ]


def rollers_given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """Those inputs as typed values."""
    inputs = pack.test(test).spec.inputs
    return {name: value for name, value in _values(pack, test, post) if inputs[name].by == "roller"}


def drawn(spec: Spec) -> bool:
    """Whether the form has a field for it."""
    return spec.type in DRAWN or (spec.type == "list" and spec.of is not None and spec.of.type != "list")


def field_of(
    pack: Pack, name: str, spec: Input, kind: str, value: Any, typed: Mapping[str, Any] | None = None
) -> Asked:
    """One input as a field of a form; ``kind`` is of who is about to do it. With what was ``typed`` before, a list of
    records is a field for each part of each; without it, one text of lines."""
    kinds = {"card": "select", "name": "select", "int": "number", "flag": "tick", "list": "lines", "modifiers": "lines"}
    field = kinds.get(spec.type, "text")
    says, optional, rows = spec.text, spec.optional, ()
    if field == "lines" and typed is not None and parts_of(spec):
        field, optional, rows = "rows", True, _rows(pack, name, spec, value, typed)  # type: ignore[assignment]
    elif field == "lines":
        parts = "; ".join(map(spaced, parts_of(spec)))
        says, optional = f"{says} One a line{f': {parts}' if parts else ''}.".strip(), True
        value = value if isinstance(value, str) else ""
    return Asked(
        f"given-{name}",
        spec.title or titled(name),
        says,
        field,
        optional,
        value,
        _options(pack, spec, kind),
        spec.min,
        spec.max,
        spec.more,
        rows,
    )


def _options(pack: Pack, spec: Spec, kind: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """What a select offers, under headings; for other fields nothing."""
    none = ((("", (("none", "none"),)),) if spec.optional else ()) if spec.type == "card" else ()
    if spec.type == "card":
        return none + _cards(pack, spec, kind)
    if spec.type != "name":
        return ()
    return (("", (("none", "none"),) * spec.optional + tuple(spec.titles().items())),)


def _rows(pack: Pack, name: str, spec: Input, value: Any, typed: Mapping[str, Any]) -> tuple[tuple[Asked, ...], ...]:
    """The entries of a list as they were typed or stand, and room for more."""
    held = value if isinstance(value, list) else []
    count = max(ROWS, len(held) + 1)
    rows = []
    for at in range(count):
        fields = []
        for part, inner in parts_of(spec).items():
            key = f"{name}.{at}.{part}"
            known = typed.get(key, held[at].get(part) if at < len(held) else "")
            one = field_of(pack, key, _as_input(inner), "", known)
            blank = (("", (("", "–"),)),) if one.kind == "select" else ()
            fields.append(replace(one, optional=True, groups=blank + one.groups))
        rows.append(tuple(fields))
    return tuple(rows)


def _as_input(spec: Spec) -> Input:
    return Input(**{name: getattr(spec, name) for name in spec.__struct_fields__})


def parts_of(spec: Spec) -> dict[str, Spec]:
    """What one line of a field says, apart by semicolons; nothing for a plain value."""
    if spec.type == "modifiers":
        return MODIFIER
    return spec.of.fields if spec.of is not None and spec.of.type == "record" else {}


def _cards(pack: Pack, spec: Spec, kind: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for card_id, card in pack.cards.get(spec.card or "", {}).items():
        holder = card.values.get("holder", kind)
        if not kind or holder == kind:
            groups.setdefault(titled(str(card.values.get("kind", ""))), []).append((card_id, card.title))
    return tuple((label, tuple(cards)) for label, cards in groups.items())


def given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """The inputs as typed values. What is no number stays text, for the entrance to refuse by name."""
    return dict(_values(pack, test, post))


def _values(pack: Pack, test: str, post: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for name, spec in pack.test(test).spec.inputs.items():
        value = value_of(spec, post.get(f"given-{name}", "").strip())
        entries = _entries(name, spec, post)
        if value is not None or entries:
            yield name, [*(value or []), *entries] if entries else value


def _entries(name: str, spec: Input, post: Mapping[str, str]) -> list[dict[str, Any]]:
    """What was typed into the rows of a list, the empty ones left out."""
    parts, found = parts_of(spec), []
    start = f"given-{name}."
    rows = {key[len(start) :].partition(".")[0] for key in post if key.startswith(start)} if parts else set()
    for at in sorted((row for row in rows if row.isdigit()), key=int):
        said = {part: post.get(f"{start}{at}.{part}", "").strip() for part in parts}
        entry = {part: _plain(parts[part], text) for part, text in said.items() if text}
        if entry:
            found.append(entry)
    return found


def value_of(spec: Input, text: str) -> Any:
    """What was typed for an input, in its type; None where nothing was."""
    if spec.type == "flag":
        return text != "off" if text else None
    if not text or (spec.optional and text == "none" and spec.type not in ("int", "list")):
        return None
    if parts_of(spec):
        return [_record(parts_of(spec), one) for one in text.splitlines() if one.strip()]
    if spec.type == "list" and spec.of is not None:
        parts = text if spec.of.type == "text" else text.replace(",", "\n")
        return [_plain(spec.of, one) for one in parts.splitlines() if one.strip()]
    return number_or_text(text) if spec.type == "int" else text


def _record(parts: Mapping[str, Spec], text: str) -> dict[str, Any]:
    """One line as a record: its parts in order; an empty one is left out."""
    said = (one.strip() for one in text.split(";", len(parts) - 1))
    return {name: _plain(spec, one) for (name, spec), one in zip(parts.items(), said, strict=False) if one}


def _plain(spec: Spec, text: str) -> Any:
    """One plain value. What is no number stays text, for the entrance to refuse by name."""
    text = text.strip()
    if spec.type == "flag":
        return {"yes": True, "no": False}.get(text.lower(), text)
    return number_or_text(text) if spec.type == "int" else text
