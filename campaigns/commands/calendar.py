"""Commands of the calendar: start, pause, resume, stretch, end early, go on, zone, names; close and take back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from campaigns.commands.seeds import renewal
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import ALL, Draft, Event
from campaigns.instants import Bringing, Moment, brought
from campaigns.job_ids import job_id
from campaigns.parts import calendar as c
from campaigns.parts.seeds import SeedCommitted, SeedRevealed, Seeds
from campaigns.parts.voids import EventsVoided
from campaigns.registry import (
    Closing,
    Command,
    Duty,
    checks_imports,
    closers,
    decides,
    does_due,
    followers,
    holders_of_seeds,
)
from campaigns.sections import section
from campaigns.state import State
from rules import calendar as rc
from rules.dates import time_said
from rules.refusal import Refused
from rules.sheets import end_of

# For so long a close that was taken back is left to the GM; then the job closes the period again.
LEFT_TO_GM = timedelta(days=1)
MOST_BEHIND = 20 * 53
"""weeks that a calendar that comes in a file may be behind, or ahead of, today"""


class StartCalendar(Command):
    """Starts the calendar on a Monday (local date) in an IANA zone. ``pack`` gives it; empty: the first with one."""

    zone: str
    starts_on: date
    pack: str = ""


class PauseCalendar(Command):
    """A break from a Monday on (default: the next), for some weeks or until further notice."""

    from_date: date | None = None
    weeks: int | None = None


class ResumeCalendar(Command):
    """Ends the break; ``from_date`` is the first Monday that counts again (default: that of the week that runs)."""

    from_date: date | None = None


class StretchPeriod(Command):
    """Makes a season longer by whole weeks (default: the one that runs)."""

    weeks: int
    number: int | None = None


class EndEarly(Command):
    """Lets the running season end on a Monday before its time (default: at the end of this week). The Monday with which
    this week began ends it at once: what happened this week then counts to the next season."""

    ends_on: date | None = None


class LiftEnd(Command):
    """Lets a season that was ended early go on as if it had not been (default: the last such). What closed it is taken
    back first."""

    number: int | None = None


class ChangeZone(Command):
    """Weeks follow another zone from the next week's beginning on."""

    zone: str


class NamePeriods(Command):
    """Names of the table's own for the periods of a rung; none: the pack's."""

    rung: str
    names: tuple[str, ...]


class ClosePeriod(Command):
    """Closes a period that is over. ``attempt`` is 1, and one more each time the close was taken back."""

    rung: str
    number: int
    attempt: int = 1


class TakeBackClose(Command):
    """The last close of a rung, with all that came of it, no longer holds."""

    rung: str
    number: int
    reason: str = ""


def close_id(campaign_id: UUID, rung: str, number: int, attempt: int) -> UUID:
    """The command id of a close: the same for every job, so that it is done once."""
    return job_id(campaign_id, f"close {rung}:{number}:{attempt}")


def seed_audience(calendar: c.Calendar, rung: str, number: int) -> str:
    """The audience whose seed rolls the close of a period: one a period of the second rung, taken at its last week."""
    return f"close.{_turn(calendar.clock, rung, number)}"


def _turn(clock: rc.CalendarState, rung: str, number: int) -> int:
    place = clock.rungs.index(rung)
    if place == 0 and len(clock.rungs) > 1:
        found = rc.period(clock, rung, number)
        season = rc.period_at(clock, clock.rungs[1], found.begins_at) if found else None
        return season.number if season else 1
    for count in clock.counts[2 : place + 1]:
        number *= count
    return number


def _decide(state: State, command: rc.CalendarCommand, context: Context) -> list[Any]:
    rules = c.calendar_rules(state)
    if rules is None:
        raise Refused("no_calendar", "None of the campaign's packs has a calendar.", right="a pack with a calendar")
    return list(rc.decide(rules, state.part(c.Calendar).clock, command, context.now))


def _plain(command: Command, kind: type[Any]) -> Any:
    return kind(**{name: getattr(command, name) for name in command.__struct_fields__})


def title_of(state: State, rung: str, number: int) -> str:
    """How a period is called."""
    rules = c.calendar_rules(state)
    assert rules is not None
    clock = state.part(c.Calendar).clock
    title: str = state.once(("period", rung, number), lambda: rc.period_name(rules, clock, rung, number))
    return title


def _told(event: Event) -> Draft:
    return Draft(event, audience=ALL)


@decides(StartCalendar, "calendar.start", roles=["gm"], title="Starting the calendar")
def start(state: State, command: StartCalendar, context: Context) -> list[Draft]:
    """Also promises the seed that the first close will roll from."""
    found = section(state, "calendar", rc.CalendarRules, command.pack)
    if found is None:
        right = "a pack of the campaign with a calendar"
        raise Refused("no_calendar", "There is no calendar.", field="pack", value=command.pack, right=right)
    clock = state.part(c.Calendar).clock
    plain = rc.StartCalendar(zone=command.zone, starts_on=command.starts_on)
    events = [c.typed(e, c.CalendarStarted, pack=found[0]) for e in rc.decide(found[1], clock, plain, context.now)]
    return [*map(_told, events), *_promise(state, 1, context)]


@decides(PauseCalendar, "calendar.pause", roles=["gm"], title="Pausing the calendar")
def pause(state: State, command: PauseCalendar, context: Context) -> list[Draft]:
    """Whole weeks only."""
    events = _decide(state, _plain(command, rc.PauseCalendar), context)
    return [_told(c.typed(event, c.CalendarPaused)) for event in events]


@decides(ResumeCalendar, "calendar.resume", roles=["gm"], title="Resuming the calendar")
def resume(state: State, command: ResumeCalendar, context: Context) -> list[Draft]:
    """Weeks of the pause that are over stay uncounted."""
    events = _decide(state, _plain(command, rc.ResumeCalendar), context)
    return [_told(c.typed(event, c.CalendarResumed)) for event in events]


@decides(StretchPeriod, "calendar.stretch", roles=["gm"], title="Stretching a period")
def stretch(state: State, command: StretchPeriod, context: Context) -> list[Draft]:
    """Later periods move along."""
    return _stretched(state, _decide(state, _plain(command, rc.StretchPeriod), context))


@decides(EndEarly, "calendar.end_early", roles=["gm"], title="Ending a period early")
def end_early(state: State, command: EndEarly, context: Context) -> list[Draft]:
    """At the end of a week; the close itself comes when that week is over, which may be now."""
    return _stretched(state, _decide(state, _plain(command, rc.EndEarly), context))


@decides(LiftEnd, "calendar.lift_end", roles=["gm"], title="Letting a period go on")
def lift_end(state: State, command: LiftEnd, context: Context) -> list[Draft]:
    """Everything after it moves back; refused, with what stands on it by name, while its close stands."""
    clock = state.part(c.Calendar).clock
    number = max(clock.cut, default=0) if command.number is None else command.number
    settled = clock.closed.get(clock.rungs[1], 0) if len(clock.rungs) > 1 else 0
    if number in clock.cut and number <= settled:
        raise Refused(
            "later_close_stands",
            f"{title_of(state, clock.rungs[1], number)} is closed.",
            field="number",
            value=number,
            right=_open_again(state, number),
        )
    events = _decide(state, _plain(command, rc.LiftEnd), context)
    return [_told(c.typed(e, c.EndLifted, title=title_of(state, e.rung, e.number))) for e in events]


def _open_again(state: State, number: int) -> str:
    """The closes, by name, that are to be taken back before a period of the second rung is open again, last one first;
    it cannot be once the dice of one are revealed."""
    calendar = state.part(c.Calendar)
    clock, running = calendar.clock, state.part(Seeds).running
    if seed_audience(calendar, clock.rungs[1], number) not in running:
        return "it as it stands: the dice of its close are open to all by now"
    standing = [
        (found.ends, place, title_of(state, rung, one))
        for place, rung in enumerate(clock.rungs[1:])
        for one in range(1 if place else number, clock.closed.get(rung, 0) + 1)
        if (found := rc.period(clock, rung, one)) and found.ends and _turn(clock, rung, one) >= number
    ]
    return "take back the close of " + ", then of ".join(title for *_, title in sorted(standing, reverse=True))


def _stretched(state: State, events: list[Any]) -> list[Draft]:
    return [_told(c.typed(e, c.PeriodStretched, title=title_of(state, e.rung, e.number))) for e in events]


@decides(ChangeZone, "calendar.change_zone", roles=["gm"], title="Changing the time zone")
def change_zone(state: State, command: ChangeZone, context: Context) -> list[Draft]:
    """No instant that is past changes its week."""
    events = _decide(state, _plain(command, rc.ChangeZone), context)
    return [_told(c.typed(event, c.ZoneChanged)) for event in events]


@decides(NamePeriods, "calendar.name", roles=["gm"], title="Naming periods")
def name_periods(state: State, command: NamePeriods, context: Context) -> list[Draft]:
    """As many names as there are places, or none."""
    names = tuple(cleaned("names", name, 60) for name in command.names)
    events = _decide(state, rc.NamePeriods(rung=command.rung, names=names), context)
    return [_told(c.typed(event, c.PeriodsNamed)) for event in events]


@decides(ClosePeriod, "period.close", roles=["gm"], title="Closing a period")
def close(state: State, command: ClosePeriod, context: Context) -> list[Draft]:
    """The close and what every app makes of it, whole or not at all.

    A job leaves a period whose close was taken back to the GM for a while. Seeds change hands last: their events stay
    when the close is taken back, or what was revealed would serve again.
    """
    calendar = state.part(c.Calendar)
    event = _decide(state, _plain(command, rc.ClosePeriod), context)[0]
    wait = calendar.waits.get(rc.period_key(command.rung, command.number))
    if wait is not None and wait > context.now and context.role == "job":
        raise Refused(
            "left_to_the_gm", "This close was taken back and waits for the GM.", right=f"after {time_said(wait)} UTC"
        )
    closing = Closing(
        rung=event.rung,
        number=event.number,
        attempt=event.attempt,
        position=state.position + 1,
        happened_at=event.ended_at - timedelta(seconds=1),
    )
    drafts = [draft for closer in closers for draft in closer(state, closing, context)]
    drafts += _instant(state, closing, context, drafts)
    title = title_of(state, command.rung, command.number)
    closed = c.typed(event, c.PeriodClosed, title=title, recorded=len(drafts) + 1)
    head = Draft(closed, audience=ALL, happened_at=closing.happened_at)
    return [head, *drafts, *_pass_on(state, command, context)]


def ends_with(state: State, rung: str, number: int) -> Moment:
    """The instant of the rules that the end of a period is."""
    return Moment(at=end_of(rung), words=f"{title_of(state, rung, number)} ends")


def _instant(state: State, closing: Closing, context: Context, before: list[Draft]) -> list[Draft]:
    """What cards do and what ends because the period does; its dice fall alike when it is closed again."""
    label, veiled = (dice_of(state, closing.rung, closing.number, context, veiled=v) for v in (False, True))
    how = Bringing(
        dice=lambda card, _subject: lambda seen: label(card) if seen == "all" else veiled(f"{card} {seen}"),
        closing=closing,
    )
    moment = ends_with(state, closing.rung, closing.number)
    return brought(state, [moment], context, before=before, how=how)[0]


def dice_of(
    state: State, rung: str, number: int, context: Context, *, veiled: bool = False
) -> Callable[[str], Callable[[int], int]]:
    """Dice of the close of a period: a function from a label to a function from sides to faces, which follow from the
    period and the label alone, so that a close taken back and done again rolls the same."""
    audience = seed_audience(state.part(c.Calendar), rung, number)
    key = rc.period_key(rung, number)
    return lambda label: context.fixed_dice(audience, f"{key} {label}", veiled=veiled)


def _pass_on(state: State, command: ClosePeriod, context: Context) -> list[Draft]:
    """At the end of a period of the second rung: promises the seed that the next one's close will roll from, reveals
    those of the ones before, whose closes can no longer be taken back, and changes the seeds of the table's rolls."""
    clock = state.part(c.Calendar).clock
    if clock.rungs.index(command.rung) != min(1, len(clock.rungs) - 1):
        return []
    drafts = _promise(state, command.number + 1, context)
    for audience, running in state.part(Seeds).running.items():
        if audience.startswith("close.") and running.number < command.number and not _needed(state, running.number):
            seed = context.open_seed(audience)
            event = SeedRevealed(audience=audience, number=running.number, seed=seed, drawn=running.next)
            drafts.append(Draft(event))
    return drafts + renewal(state, context)


def _needed(state: State, turn: int) -> bool:
    """Whether dice are still to be thrown from the seed of this turn, for a period of any rung that ended with it."""
    clock = state.part(c.Calendar).clock
    periods = [(rung, clock.closed.get(rung, 0)) for rung in clock.rungs]
    return any(
        holds(state, rung, number)
        for rung, number in periods
        if number and _turn(clock, rung, number) == turn
        for holds in holders_of_seeds
    )


def _promise(state: State, number: int, context: Context) -> list[Draft]:
    audience = f"close.{number}"
    if audience in state.part(Seeds).running:
        return []
    nonce, commitment = context.make_seed(audience, number)
    return [Draft(SeedCommitted(audience=audience, number=number, nonce=nonce, commitment=commitment))]


@decides(TakeBackClose, "period.take_back", roles=["gm"], title="Taking back a close")
def take_back(state: State, command: TakeBackClose, context: Context) -> list[Draft]:
    """Voids the close and everything that came of it; closing again rolls the same faces for the same pairs.

    Refused once the seed of its dice was revealed: whoever knows the faces must not choose again.
    """
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    plain = rc.TakeBackClose(rung=command.rung, number=command.number, reason=reason)
    event = _decide(state, plain, context)[0]
    calendar = state.part(c.Calendar)
    if seed_audience(calendar, command.rung, command.number) not in state.part(Seeds).running:
        raise Refused("dice_revealed", "The dice of this close are open to all by now.", field="number")
    title = title_of(state, command.rung, command.number)
    positions = {*calendar.closes.get(command.rung, [])}
    positions.update(p for follow in followers for p in follow(state, command.rung, command.number))
    reopened = c.typed(event, c.CloseTakenBack, title=title, until=context.now + LEFT_TO_GM)
    voided = EventsVoided(positions=tuple(sorted(positions)), reason=reason)
    return [Draft(voided), _told(reopened)]


def next_close(state: State) -> rc.DuePeriod | None:
    """The period that is to be closed next, due or not."""
    return next(rc.upcoming(state.part(c.Calendar).clock), None)


@checks_imports
def require_near(state: State, now: datetime) -> None:
    """Refuses a calendar that would have a whole age closed, or begins in another: a server is not off for so long."""
    clock = state.part(c.Calendar).clock
    if clock.start is None:
        return
    coming = next_close(state)
    due_at = coming.period.ends_at if coming is not None else None
    behind = (now - due_at).days // 7 if due_at is not None else 0
    if behind > MOST_BEHIND or (clock.start - now.date()).days // 7 > MOST_BEHIND:
        right = f"a calendar at most {MOST_BEHIND} weeks behind or ahead of today"
        message = "The file's calendar is too far from today."
        raise Refused("broken_file", message, field="file", value=str(clock.start), right=right)


@does_due
def due_closes(state: State, campaign_id: UUID, now: datetime) -> list[Duty]:
    """The next close, if it is due: one at a time, for each changes what is due after it."""
    calendar = state.part(c.Calendar)
    for due in rc.due_periods(calendar.clock, now, limit=1):
        wait = calendar.waits.get(due.period.key)
        if wait is None or wait <= now:
            rung, number = due.period.rung, due.period.number
            command = ClosePeriod(rung=rung, number=number, attempt=due.attempt)
            return [(command, close_id(campaign_id, rung, number, due.attempt))]
    return []
