"""How days and instants are said to people, everywhere alike: "Monday, 7 December 2026"."""

import datetime as dt


def day_said(day: dt.date) -> str:
    """A day with its weekday."""
    return f"{day:%A}, {day.day} {day:%B %Y}"


def time_said(at: dt.datetime) -> str:
    """An instant in its own zone: "Monday, 7 December 2026, 20:30"."""
    return f"{day_said(at)}, {at:%H:%M}"
