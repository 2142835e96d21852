"""What the ledger says of the calendar reads as a person writes a date."""

import pytest

from campaigns.events import type_named
from campaigns.parts import calendar  # noqa: F401  (registers the events)


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        (
            "calendar.started",
            {"starts_on": "2026-11-16", "zone": "Europe/Lisbon"},
            "The calendar begins on 16 November 2026, in the time of Europe/Lisbon.",
        ),
        (
            "calendar.paused",
            {"from_date": "2026-12-07", "until": "2026-12-21"},
            "The calendar pauses from 7 December 2026 until 21 December 2026.",
        ),
        ("calendar.paused", {"from_date": "2026-12-07", "until": None}, "The calendar pauses from 7 December 2026 on."),
        ("calendar.resumed", {"from_date": "2026-12-07"}, "The calendar goes on from 7 December 2026."),
        (
            "calendar.stretched",
            {"title": "Year 1, Spring", "weeks": -1, "ends": "2026-12-07"},
            "Year 1, Spring becomes shorter and ends before 7 December 2026.",
        ),
        (
            "calendar.zone_changed",
            {"zone": "Asia/Tokyo", "from_date": "2026-12-07"},
            "The calendar follows the time of Asia/Tokyo from 7 December 2026.",
        ),
    ],
)
def test_dates_are_said_in_words(kind, data, said):
    assert type_named(kind).says(data, str) == said
