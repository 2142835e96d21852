"""Open tests and their results, as one seat may see them: plain values for the templates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from campaigns import feed
from campaigns.answering import seated_of
from campaigns.commands.calls import called_by_gm
from campaigns.entrance import utc_now
from campaigns.packs import Packs
from campaigns.parts.calls import Call, Calls, in_order
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.rolling import is_gone
from campaigns.state import State
from campaigns.store import read
from frontend.entries import Line, labels_of, line_of, rolls_of
from frontend.pairs import PairView, pairs_view
from frontend.people import sees_subject
from frontend.seat import Seat
from rules.packs.schema import Test
from rules.packs.wording import plainly, titled, told
from rules.tests.offers import reading
from rules.tests.texts import HOLE

# An outcome this young is news: its dice tumble when a page shows them.
FRESH = timedelta(seconds=12)
FAR_BACK = 600


@dataclass(frozen=True)
class RollSeen:
    """One roll as it lies: (sides, face, tone) of its dice, and what it was thrown for and against ("" untold)."""

    name: str
    label: str
    dice: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class CallView:
    """An open test. ``mine``: this seat's answer is what it waits for. ``ask`` is the choice it waits for, if any,
    ``rolls``, ``account`` and (for game masters) ``lines`` what was rolled before and how it came about. ``decides``:
    it comes to an outcome; ``gone``: the rules have no such test any more."""

    id: str
    title: str
    decision: str
    subjects: tuple[tuple[str, str], ...]
    roles: tuple[str, ...]
    asker: str
    waits_for: str
    state: str
    secret: bool
    mine: bool
    may_agree: bool
    may_drop: bool
    called_by_gm: bool
    """and the seat is not a game master's: dropping it asks first"""
    may_assign: bool
    given: tuple[tuple[str, str], ...]
    pair: PairView | None
    ask: dict[str, Any] | None
    rolls: tuple[RollSeen, ...]
    account: tuple[str, ...]
    lines: tuple[str, ...]
    decides: bool
    gone: bool


@dataclass(frozen=True)
class Result:
    """A finished test: outcome, what follows from it, its dice, and how it came about line by line. ``secret``: others
    at the table do not see it."""

    call: str
    title: str
    decision: str
    subjects: tuple[tuple[str, str], ...]
    outcome: str
    success: bool | None
    facts: tuple[tuple[str, str], ...]
    rolls: tuple[RollSeen, ...]
    lines: tuple[str, ...]
    at: datetime
    by: str
    voided: bool
    fresh: bool = False
    headline: str = field(default="")
    cursor: str = ""
    typed: bool = False
    """dice of it were thrown at the table and typed in"""
    secret: bool = False
    account: tuple[str, ...] = ()
    """how it came about as people tell it; ``lines`` is the program's own trace, for game masters"""


def sees(seat: Seat, call: Call) -> bool:
    """Whether an open test exists for this seat: secret ones are their holders' and the game masters'."""
    if seat.is_gm:
        return True
    return not seat.is_watcher and (not call.secret or not seat.viewer.knows.isdisjoint(call.roles.values()))


def open_calls(state: State, seat: Seat, subject: str = "") -> list[CallView]:
    """The open tests (of a subject) that this seat may see, those that wait for it first."""
    found = [
        call_view(state, seat, call_id, call)
        for call_id, call in state.part(Calls).open.items()
        if sees(seat, call) and (not subject or subject in call.roles.values())
    ]
    return sorted(found, key=lambda view: not (view.mine or view.may_agree))


def call_view(state: State, seat: Seat, call_id: str, call: Call) -> CallView:
    """One open test."""
    me, members = seat.viewer.member, state.part(Table).members
    due = seated_of(state, call.ask_of if call.state == "rolling" else call.rollers)
    names = [members[member].name for member in due]
    rolls = call.state in ("open", "rolling") and (me in due or (not due and seat.is_gm))
    gone, so_far = is_gone(state, call), _so_far(state, seat, call)
    untouched = not call.faces
    return CallView(
        id=call_id,
        title=call.title,
        decision=call.decision,
        subjects=_subjects(state, seat, call.roles.values()),
        roles=tuple(call.roles.values()),
        asker=members[call.asker].name if call.asker in members else "Tidebook",
        waits_for="the game master" if call.state == "awaiting_gm" or not names else " or ".join(names),
        state=call.state,
        secret=call.secret,
        mine=rolls and not gone,
        may_agree=seat.is_gm and call.state == "awaiting_gm",
        called_by_gm=called_by_gm(state, call) and not seat.is_gm,
        may_drop=(untouched or gone) and (seat.is_gm or me == call.asker or me in call.rollers),
        may_assign=seat.is_gm and untouched and not gone,
        given=() if gone else tuple(one for one in _given(state, seat, call) if not _is_said(one[1], call.title)),
        pair=_pair(state, seat, call),
        ask=call.ask if call.state == "rolling" else None,
        rolls=dice_of(so_far),
        account=account_of(so_far),
        lines=_lines(so_far) if seat.is_gm else (),
        decides=gone or bool(Packs(state).get(call.pack).test(call.test).spec.outcomes),
        gone=gone,
    )


def _so_far(state: State, seat: Seat, call: Call) -> dict[str, Any]:
    """What this seat was told as the test stopped to ask; nothing where it asks nothing."""
    entries = feed.older(state, seat.viewer, call.asked_at + 1, 1) if call.state == "rolling" else []
    return entries[0].view["data"] if entries and entries[0].position == call.asked_at else {}


def _lines(data: dict[str, Any]) -> tuple[str, ...]:
    """How a test came about, as far as the viewer was told."""
    return tuple(data.get("lines_gm") or data.get("lines_holders") or data.get("lines", ()))


def _subjects(state: State, seat: Seat, ids: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Those of these subjects that exist for this seat, with their names."""
    known = state.part(Subjects).by_id
    return tuple((i, known[i].name) for i in dict.fromkeys(ids) if i in known and sees_subject(seat, i, known[i]))


def _given(state: State, seat: Seat, call: Call) -> tuple[tuple[str, str], ...]:
    """The inputs of a call that this seat may see, with their titles, in the order of the test's own inputs: that of
    what was given is not kept in the record."""
    pack = Packs(state).get(call.pack)
    holds = not seat.viewer.knows.isdisjoint(call.roles.values())
    known = state.part(Subjects).by_id
    shown = []
    program = pack.test(call.test)
    for name, spec in program.spec.inputs.items():
        hidden = (spec.seen == "gm" and not seat.is_gm) or (spec.seen == "holders" and not holds | seat.is_gm)
        if name not in call.given or hidden:
            continue
        words = reading(program, name, call.given[name], pack.settings)
        words = words or told(pack, spec, call.given[name], lambda i: known[i].name if i in known else "")
        if words:
            shown.append((spec.title or titled(name), words))
    return tuple(shown)


def _is_said(value: str, title: str) -> bool:
    """Whether a title that a test gives itself says a value already: "Orla rests for 1:00 hours"."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", title) is not None


def _pair(state: State, seat: Seat, call: Call) -> PairView | None:
    """The pair that a test is about, where it is about one and this seat knows its ratings."""
    main = next(iter(call.roles.values()), "")
    view = pairs_view(state, seat, main) if main else None
    if view is None or not view.full:
        return None
    given = [value for value in call.given.values() if isinstance(value, str)]
    return next((pair for pair in view.pairs if pair.id in given), None)


def worded(value: object) -> str:
    """An id or a plain value in words."""
    return plainly(value)


def dice_of(data: dict[str, Any]) -> tuple[RollSeen, ...]:
    """The dice of a test's event, roll by roll, as far as the viewer was given them."""
    labels = labels_of(data)
    return tuple(RollSeen(worded(name), labels.get(name, ""), dice) for name, dice in rolls_of(data).items())


STEP = re.compile(r"\s*[a-z]+ [\w.]+( =|:|$)|.*\[.*\]|\s*=|.*(gm|holders) only\)$")
"""a line of a trace that tells a step as the rules have it, and is no sentence"""


def account_of(data: dict[str, Any]) -> tuple[str, ...]:
    """How a test came about as people tell it; of results that are older than such accounts, what their steps say."""
    told = tuple(data.get("account_gm") or data.get("account_holders") or data.get("account", ()))
    return told or tuple(line.strip() for line in _lines(data) if not STEP.match(line))


def result_of(state: State, seat: Seat, line: Line) -> Result:
    """The result that a line of the ledger tells (types test.resolved and test.published)."""
    data = line.data
    facts = {**data.get("facts", {}), **data.get("facts_holders", {}), **data.get("facts_gm", {})}
    roles = data.get("roles", {})
    subjects = _subjects(state, seat, in_order(data.get("roles", {}), data.get("order", ())).values()) or tuple(
        ("", name) for name in data.get("holders", ())
    )
    spec = _spec_of(state, data)
    headline = _headline(spec, facts) or (data["title"] if _is_done(state, data) else "")
    outcome = data.get("outcome_title") or data.get("result", "")
    return Result(
        call=data["call"],
        title=data["title"],
        decision=data["decision"],
        subjects=subjects,
        outcome=outcome,
        success=data.get("success"),
        facts=_told(spec, facts, headline, {role: dict(subjects).get(one, "") for role, one in roles.items()}),
        rolls=dice_of(data),
        account=account_of(data),
        lines=_lines(data) if seat.is_gm else (),
        at=line.at,
        by=_thrower(state, data) or line.by,
        voided=line.voided,
        fresh=utc_now() - line.at < FRESH,
        headline="" if headline.lower() in outcome.lower() else headline,
        cursor=line.cursor,
        secret=line.few,
    )


def _is_done(state: State, data: dict[str, Any]) -> bool:
    """Whether a result is of what was done and no test: what was done is what there is to tell."""
    packs = Packs(state)
    program = packs.get(data["pack"]).tests.get(data["test"]) if data.get("pack") in packs.ids() else None
    return program is not None and program.offered != "test"


def _thrower(state: State, data: dict[str, Any]) -> str:
    """Who threw the first die, by name; "" where nobody did, or the record is older than that it says so."""
    member = state.part(Table).members.get(data.get("thrower", ""))
    return member.name if member is not None else ""


def _spec_of(state: State, data: dict[str, Any]) -> Test | None:
    """The test of a result, as the campaign's packs have it now; watchers are told its title alone."""
    packs = Packs(state)
    if data.get("pack") in packs.ids():
        program = packs.get(data["pack"]).tests.get(data["test"])
        return program.spec if program is not None else None
    programs = (program for pack_id in packs.ids() for program in packs.get(pack_id).tests.values())
    return next((program.spec for program in programs if program.spec.title == data["title"]), None)


def _told(
    spec: Test | None, facts: dict[str, Any], headline: str, names: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    """The facts that people read, by the names that the pack gives them there; what has none is not told. What is so or
    is not is told where it is so; what the verdict says already is left out."""
    titles = spec.shown if spec else {}
    shown = [(_by_name(titles[name], spec, names), name, facts[name]) for name in titles if name in facts]
    return tuple(
        (title or worded(name), "" if title and value is True else worded(value))
        for title, name, value in shown
        if value not in (None, "none", "") and not (title and value is False) and worded(value) != headline
    )


def _by_name(title: str, spec: Test | None, names: dict[str, str]) -> str:
    """What a fact is called, with roles in braces by who took them, or by themselves for whom they are hidden."""
    roles = spec.roles if spec else {}
    return HOLE.sub(lambda hole: names.get(hole.group(1)) or roles[hole.group(1)].title or titled(hole.group(1)), title)


def _headline(spec: Test | None, facts: dict[str, Any]) -> str:
    """What the test's pack publishes first of its facts, which is what the table wants to know; "" for none."""
    if spec is None:
        return ""
    told = next((facts[name] for name in spec.published if facts.get(name) not in (None, "", "none")), None)
    return worded(told) if isinstance(told, str) else ""


RESULTS = ("test.resolved", "test.published")


def find_result(state: State, seat: Seat, call: str) -> Result | None:
    """The result of a finished test, looked for among the newer lines of what this seat sees."""
    return next((r for r in _results(state, seat) if r.call == call), None)


def fate_of(state: State, seat: Seat, call: str) -> Line | None:
    """The line that tells what became of a test that is neither open nor has a result: it was dropped, or its call
    taken back."""
    for entry in _entries(state, seat, None):
        kind, data = entry.view["type"], entry.view["data"]
        dropped = kind == "test.dropped" and not entry.view.get("voided")
        if (dropped or (kind == "test.called" and entry.view.get("voided"))) and data.get("call") == call:
            return line_of(entry)
    return None


def recent_results(state: State, seat: Seat, limit: int = 12, since: datetime | None = None) -> list[Result]:
    """The newest results (those written after ``since``), one a test: whoever sees the full one is not told the
    published one as well."""
    found: list[Result] = []
    for result in _results(state, seat, since):
        if all(result.call != other.call for other in found):
            found.append(result)
        if len(found) == limit:
            break
    return _marked(state, seat, found)


def _marked(state: State, seat: Seat, results: list[Result]) -> list[Result]:
    """Results with a mark on those whose dice were typed in."""
    if seat.is_watcher or not results or not state.part(Table).setting("typed_dice", False):
        return results
    places = {feed.position_of(seat.campaign_id, one.cursor): one for one in results}
    typed = {
        event.position
        for event in read.events_at(seat.campaign_id, list(places))
        if any(draw.typed and seat.viewer.may_know_seed(draw.audience) for draw in event.dice)
    }
    return [replace(one, typed=place in typed) for place, one in places.items()]


def given_of_result(state: State, seat: Seat, call: str) -> tuple[tuple[str, str], ...]:
    """What a finished test was called with, as far as this seat may see it: (title, words)."""
    before, looked = state.position + 1, 0
    while looked < FAR_BACK:
        entries = feed.older(state, seat.viewer, before, 100)
        for entry in entries:
            if entry.view["type"] == "test.called" and entry.view["data"]["call"] == call:
                return _given_then(state, entry.view["data"])
        if len(entries) < 100:
            break
        looked, before = looked + len(entries), entries[-1].position
    return ()


def _given_then(state: State, data: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    packs, known = Packs(state), state.part(Subjects).by_id
    program = packs.get(data["pack"]).tests.get(data["test"]) if data["pack"] in packs.ids() else None
    given = {**data.get("given", {}), **data.get("given_holders", {}), **data.get("given_gm", {})}
    inputs = program.spec.inputs.items() if program is not None else ()
    said = [
        (spec.title or titled(name), told(packs.get(data["pack"]), spec, given[name], lambda i: known[i].name))
        for name, spec in inputs
        if name in given
    ]
    return tuple((title, words) for title, words in said if words)


def _results(state: State, seat: Seat, since: datetime | None = None) -> Iterable[Result]:
    kinds = RESULTS[1:] if seat.is_watcher else RESULTS[:1]
    for entry in _entries(state, seat, since):
        if entry.view["type"] in kinds:
            yield result_of(state, seat, line_of(entry))


def _entries(state: State, seat: Seat, since: datetime | None) -> Iterable[feed.Entry]:
    """What this seat sees, newest first, as far back as pages look (written after ``since``)."""
    before, looked, page = state.position + 1, 0, 20
    while looked < FAR_BACK:
        entries = feed.older(state, seat.viewer, before, page)
        for entry in entries:
            if since is not None and datetime.fromisoformat(entry.view["recorded"]) <= since:
                return
            yield entry
        if len(entries) < page:
            return
        looked, before, page = looked + len(entries), entries[-1].position, 100
