"""Which periods are over and wait to be closed, in what order, and when the next one will be."""

import datetime as dt
from collections.abc import Iterator

from rules.calendar.geometry import first_week, instant_of, next_counted, period
from rules.calendar.state import CalendarState, DuePeriod, period_key


def due_periods(state: CalendarState, now: dt.datetime, limit: int | None = None) -> list[DuePeriod]:
    """The periods that are over at `now` and not closed, earliest end first, a shorter rung before a longer one.

    Each is a close of its own with its own dates: after a month's outage four weeks and a season. `limit` bounds the
    list for a caller who closes a few at a time.
    """
    due: list[DuePeriod] = []
    for ahead in upcoming(state):
        ends_at = ahead.period.ends_at
        if ends_at is None or ends_at > now or (limit is not None and len(due) >= limit):
            break
        due.append(ahead)
    return due


def next_due_at(state: CalendarState) -> dt.datetime | None:
    """The instant from which something is to be closed (it may be past); None in a pause without end."""
    ends = [end for _, _, end in _heads(state, dict(state.closed))]
    return instant_of(state, min(ends)) if ends else None


def upcoming(state: CalendarState) -> Iterator[DuePeriod]:
    """Every close still to come, in order, without end (or up to a pause without end)."""
    closed = dict(state.closed)
    while heads := _heads(state, closed):
        place, number, _ = min(heads, key=lambda head: (head[2], head[0]))
        rung = state.rungs[place]
        ahead = period(state, rung, number)
        if ahead is None:
            return
        yield DuePeriod(period=ahead, attempt=next_attempt(state, rung, number))
        closed[rung] = number


def next_attempt(state: CalendarState, rung: str, number: int) -> int:
    """The number that the next close of a period has."""
    return state.attempts.get(period_key(rung, number), 0) + 1


def _heads(state: CalendarState, closed: dict[str, int]) -> list[tuple[int, int, int]]:
    """For each rung whose next close has a known end: place of the rung, number of the period, week after its end."""
    if state.start is None:
        return []
    heads = []
    for place, rung in enumerate(state.rungs):
        number = closed.get(rung, 0) + 1
        if place == 0:
            week = next_counted(state, number - 1)
            if week is not None:
                heads.append((0, week + 1, week + 1))
            continue
        end = first_week(state, place, number + 1)
        if end is not None:
            heads.append((place, number, end))
    return heads
