"""Cases about what takes time: a campaign's calendar, pairs and marks without a database, driven by the same deciders.

A step gives a command of `rules.calendar`, `rules.pairs` or `rules.development` by its name in lower snake
(`award_mark`, `close_period`), or asks something (`ASKS`). The answer is compared in the parts that are named.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args
from zoneinfo import ZoneInfo

import msgspec

from rules import calendar, development, invocations, pairs
from rules.bindings import with_settings
from rules.cases.schema import Case, CaseStep, SubjectSpec
from rules.packs.pack import Pack
from rules.problems import nearest
from rules.refusal import Refused

UTC_START = dt.datetime(2000, 1, 3, tzinfo=dt.UTC)


def _named(*unions: Any) -> dict[str, type]:
    structs = [struct for union in unions for struct in get_args(union)]
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", struct.__name__).lower(): struct for struct in structs}


TIME = _named(calendar.CalendarCommand)
PAIRS = _named(pairs.PairCommand)
MARKS = _named(development.DevelopmentCommand)
INVOKES = _named(invocations.InvocationCommand)
COMMANDS = {**TIME, **PAIRS, **MARKS, **INVOKES}


class Timeline:
    """The states of one case, and how its steps change them."""

    def __init__(
        self,
        calendar_rules: calendar.CalendarRules,
        pair_rules: pairs.PairRules,
        development_rules: development.DevelopmentRules,
        invocation_rules: invocations.InvocationRules | None = None,
    ) -> None:
        self.calendar_rules, self.pair_rules, self.rules = calendar_rules, pair_rules, development_rules
        self.calendar = calendar.CalendarState()
        self.pairs = pairs.PairsState()
        self.marks = development.MarksState()
        self.invocation_rules = invocation_rules
        self.invocations = invocations.InvocationsState()
        self.scenes: dict[str, invocations.Scene] = {}
        self.now = UTC_START
        self.faces: list[int] = []
        self.awarded = 0

    @property
    def standing(self) -> development.Standing:
        """What development reads, as it now stands."""
        return development.Standing(
            rules=self.rules,
            calendar_rules=self.calendar_rules,
            pair_rules=self.pair_rules,
            calendar=self.calendar,
            pairs=self.pairs,
            marks=self.marks,
        )

    def begin(self, zone: str, starts_on: dt.date) -> None:
        """Start the calendar, at the moment it starts."""
        self.now = calendar.midnight(starts_on, ZoneInfo(zone))
        self.command("start_calendar", {"zone": zone, "starts_on": starts_on})

    def put(self, subject: str, kind: str, ratings: Mapping[str, int], *, ready: bool = True) -> None:
        """A subject with first-side ratings by pair id; pairs not named stand even where creation is over."""
        own = pairs.kind_of(self.pair_rules, kind)
        low, high = self.pair_rules.first_bounds
        stand = {pair.id: self.pair_rules.total // 2 for pair in own.pairs} if ready else {}
        for pair in ratings:
            pairs.pair_named(own, pair)
        self.pairs.subjects[subject] = pairs.SubjectPairs(
            kind=own.id, low=low, high=high, ratings={**stand, **ratings}, ready=ready
        )

    def command(self, name: str, given: Mapping[str, Any], by: str = "gm") -> list[dict[str, Any]]:
        """Decide and apply one command; the events as plain values with their name under `event`. Raises Refused.

        `close_due` closes all that is due, each by its own command; `settle_test` tells that a test of a pair is over,
        `close_container` that a container is.
        """
        if name == "settle_test":
            return self.settle(given)
        if name == "close_container":
            told = self._apply(invocations.lapse(self.invocations, given["container"]))
            invocations.forget_container(self.invocations, given["container"])
            return told
        if name == "close_due":
            return [event for due in iter(self._first_due, None) for event in self._close(due)]
        command: Any = msgspec.convert(self._filled(name, given), COMMANDS[name])
        if name == "close_period":
            return self._apply(development.close_period(self.standing, command, self.now, self._face))
        if name in TIME:
            return self._apply(calendar.decide(self.calendar_rules, self.calendar, command, self.now))
        if name in INVOKES:
            return self._invoke(command, given)
        if name in PAIRS:
            return self._apply(pairs.decide(self.pair_rules, self.pairs, command, self._die))
        assert by in ("gm", "holder", "server")
        return self._apply(development.decide(self.standing, command, self.now, by, self._face))  # type: ignore[arg-type]

    def _invoke(self, command: Any, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A command about invocations, in the scene that the case calls by the command's `call` or `roll`."""
        scene = self.scenes.get(given.get("roll") or given.get("call") or "")
        new_die = f"die{len(self.invocations.dice) + len(self.invocations.claimed) + 1}"
        holders = invocations.Holders(self.pair_rules, {i: own.kind for i, own in self.pairs.subjects.items()})
        rules = self.invoking()
        return self._apply(invocations.decide(rules, self.invocations, command, scene, holders, new_die))

    def invoking(self) -> invocations.InvocationRules:
        """The section, which not every pack has."""
        if self.invocation_rules is None:
            raise Refused("no_such_section", "The pack has no invocations.")
        return self.invocation_rules

    def settle(self, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A test of a pair is over, in the scene of its call."""
        result = msgspec.convert(dict(given), invocations.TestResult)
        new_die = f"die{len(self.invocations.dice) + len(self.invocations.claimed) + 1}"
        scene = self.scenes.get(result.call)
        return self._apply(invocations.settle(self.invoking(), self.invocations, result, scene, new_die))

    def _filled(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """A mark needs an id and conduct worth one; a case says only what it is about."""
        if name != "award_mark":
            return dict(given)
        self.awarded += 1
        usual = {"mark": f"mark{self.awarded}", "consequential": True, "collective": True}
        return {**usual, **given}

    def _first_due(self) -> calendar.DuePeriod | None:
        return next(iter(calendar.due_periods(self.calendar, self.now, limit=1)), None)

    def _close(self, due: calendar.DuePeriod) -> list[dict[str, Any]]:
        given = {"rung": due.period.rung, "number": due.period.number, "attempt": due.attempt}
        return self.command("close_period", given)

    def _apply(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        told = []
        for event in events:
            calendar.evolve(self.calendar, event)
            pairs.evolve(self.pairs, event)
            development.evolve(self.marks, event)
            development.evolve_pairs(self.pairs, event)
            invocations.evolve(self.invocations, event)
            told.append({"event": type(event).__name__, **plain(event)})
        return told

    def _die(self, faces: int) -> int:
        if not self.faces:
            raise Refused("no_die_left", f"The case gives no face for this die of {faces}.")
        return self.faces.pop(0)

    def _face(self, key: development.FaceKey) -> int:
        return self._die(key.faces)

    def ratings(self, subject: str) -> dict[str, int]:
        """A subject's ratings by short side name."""
        own = pairs.pairs_of(self.pairs, subject)
        kind = pairs.kind_named(self.pair_rules, own.kind)
        found: dict[str, int] = {}
        for pair in kind.pairs:
            if pair.id in own.ratings:
                found |= pairs.both_ratings(self.pair_rules, pair, own.ratings[pair.id])
        return found

    def ask(self, what: str, given: Mapping[str, Any]) -> Any:
        """The answer to a question, as plain values. Raises Refused."""
        answer = ASKS[what](self, **given)
        return plain(answer)


def plain(value: Any) -> Any:
    """Structs, dates and tuples as what YAML holds."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _at(text: str) -> dt.datetime:
    return msgspec.convert(text, dt.datetime)


def _period(table: Timeline, rung: str, number: int) -> calendar.Period:
    found = calendar.period(table.calendar, rung, number)
    if found is None:
        raise Refused("unknown_yet", "It is not known when that period begins.")
    return found


def _plan(table: Timeline, rung: str, number: int, sealed_too: bool = True) -> Any:
    plan = development.plan_close(table.standing, _period(table, rung, number), sealed_too=sealed_too)
    lines = [{**plain(line), "chance": str(line.chance)} for line in plan.lines]
    return {**plain(plan), "lines": lines, "rolls": sum(line.outcome == "roll" for line in plan.lines)}


def _chance(table: Timeline, rating: int, bonus: int) -> Any:
    chance = development.advancement_chance(table.rules, rating, bonus)
    return {"shifts": int(chance * table.rules.die), "of": table.rules.die}


def _array(table: Timeline, holder: str) -> Any:
    start = pairs.kind_of(table.pair_rules, holder).start
    if not isinstance(start, pairs.ArrayStart):
        raise Refused("array_not_for_this_kind", "This kind has no array.")
    return pairs.array_counts(start)


def _kind(table: Timeline, holder: str) -> Any:
    kind = pairs.kind_of(table.pair_rules, holder)
    cycle = development.cycle_of(table.rules, kind.id)
    return {
        "kind": kind.id,
        "count": len(kind.pairs),
        "order": [pair.id for pair in kind.pairs],
        "sides": [[side.id for side in pair.sides] for pair in kind.pairs],
        "unit": cycle.unit if cycle else None,
        "settles": cycle.settles if cycle else None,
    }


def _all_sides(table: Timeline) -> Any:
    names = [side.id for kind in table.pair_rules.kinds for pair in kind.pairs for side in pair.sides]
    return {"sides": len(names), "distinct_names": len(set(names))}


def _check_pair(table: Timeline, holder: str, ratings: dict[str, Any]) -> Any:
    kind = pairs.kind_of(table.pair_rules, holder)
    pair, first = pairs.checked_pair(table.pair_rules, kind, ratings)
    return pairs.both_ratings(table.pair_rules, pair, first)


def _applies(table: Timeline, holder: str, call: str = "") -> Any:
    kind = pairs.pairs_of(table.pairs, holder).kind
    refusal = invocations.eligible(table.invoking(), kind, holder, table.scenes.get(call))
    return {"applies": refusal is None, "reason": refusal.code if refusal else None}


def _left(table: Timeline, holder: str, call: str) -> Any:
    scene = table.scenes[call]
    players = scene.players.get(holder, ())
    return invocations.invocations_left(table.invoking(), table.invocations, holder, players, scene)


def _may_test(table: Timeline, holder: str, decision: str) -> Any:
    refusal = invocations.may_test(table.invoking(), table.invocations, holder, decision)
    return {"may": refusal is None, "reason": refusal.code if refusal else None}


def _waiting(table: Timeline, holder: str, pair: str, call: str) -> Any:
    return sorted(invocations.waiting_sides(table.invocations, holder, pair, table.scenes.get(call)))


def _eligibility(table: Timeline, subject: str, pair: str, at: str, sealed_too: bool = False) -> Any:
    return development.eligibility(table.standing, subject, pair, _at(at), sealed_too=sealed_too)


ASKS: dict[str, Any] = {
    "stamp": lambda table, at: calendar.stamp_of(table.calendar_rules, table.calendar, _at(at)),
    "period": _period,
    "due": lambda table: [due.key for due in calendar.due_periods(table.calendar, table.now)],
    "eligibility": _eligibility,
    "applies": _applies,
    "invocations_left": _left,
    "may_test": _may_test,
    "waiting_sides": _waiting,
    "plan": _plan,
    "chance": _chance,
    "bonus": lambda table, remaining: development.mark_bonus(table.rules, remaining),
    "array": _array,
    "kind": _kind,
    "opposite": lambda table, side: pairs.side_keyed(table.pair_rules, side).opposite.key,
    "all_sides": _all_sides,
    "pair": _check_pair,
    "rating": lambda table, rating: pairs.checked_rating(table.pair_rules, rating),
}


def timeline_of(pack: Pack, specs: Mapping[str, SubjectSpec], case: Case) -> Timeline:
    """The timeline of a case under its settings, its calendar started and its subjects' pairs put in place."""
    sections = pack.source.sections
    missing = [name for name in ("calendar", "pairs", "development") if sections[name] is None]
    if missing:
        raise Refused("no_such_section", f"The pack has no {', '.join(missing)}.")
    table = Timeline(
        with_settings(sections["calendar"], pack.setting_values),
        with_settings(sections["pairs"], pack.setting_values),
        with_settings(sections["development"], pack.setting_values),
        None if sections["invocations"] is None else with_settings(sections["invocations"], pack.setting_values),
    )
    table.scenes = {call: msgspec.convert(scene, invocations.Scene) for call, scene in case.scenes.items()}
    if case.calendar is not None:
        table.begin(case.calendar.zone, case.calendar.starts_on)
    for name, spec in specs.items():
        table.put(name, spec.kind, spec.values.get("rating", {}), ready=name not in case.making)
    return table


def take_step(table: Timeline, step: CaseStep) -> list[str]:
    """Give a command or ask a question; the differences from what the step expects."""
    table.now = step.now or table.now
    table.faces = list(step.dice)
    known = (
        ASKS if step.ask is not None else {**COMMANDS, "close_due": None, "settle_test": None, "close_container": None}
    )
    name = step.ask or step.command or ""
    if name not in known:
        hint = nearest(name, known)
        return [f"nothing is called {name!r}: " + (f"did you mean {hint!r}?" if hint else ", ".join(sorted(known)))]
    refused, told = None, None
    try:
        told = table.ask(name, step.given) if step.ask is not None else table.command(name, step.given, step.by)
    except Refused as no:
        refused = no.code
    except (msgspec.ValidationError, TypeError) as error:
        return [f"given: {error}"]
    wanted = step.expect
    out = differences("refused", wanted.refused, refused)
    if table.faces and refused is None:
        out.append(f"{len(table.faces)} of the chosen dice were not rolled")
    if wanted.answer is not None and refused is None:
        out += differences("answer", wanted.answer, told)
    if wanted.settled is not None:
        results = [result for event in told or [] for result in event.get("results", [])]
        out += differences("settled", wanted.settled, results)
    if wanted.events is not None:
        out += differences("events", wanted.events, told or [])
    return out + _state_differences(table, step)


def _state_differences(table: Timeline, step: CaseStep) -> list[str]:
    out = []
    for subject, ratings in step.expect.ratings.items():
        out += differences(f"ratings.{subject}", ratings, table.ratings(subject))
    for subject, wanted in step.expect.marks.items():
        found: dict[str, int] = {}
        for mark in table.marks.marks.values():
            if mark.subject == subject:
                found[mark.side] = found.get(mark.side, 0) + 1
        if found != wanted:
            out.append(f"marks.{subject}: expected {wanted}, got {found}")
    return out


def differences(what: str, wanted: Any, found: Any) -> list[str]:
    """Each difference as a line: maps are compared in the keys named (an empty one is equal to an empty one alone),
    lists item by item."""
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted:
        out = []
        for key, part in wanted.items():
            out += differences(f"{what}.{key}", part, found.get(str(key), "(nothing)"))
        return out
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs_of_parts = enumerate(zip(wanted, found, strict=True))
        return [line for at, (one, other) in pairs_of_parts for line in differences(f"{what}.{at}", one, other)]
    if wanted == found and isinstance(wanted, bool) == isinstance(found, bool):
        return []
    return [f"{what}: expected {wanted!r}, got {found!r}"]
