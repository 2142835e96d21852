"""Every component on one page, with made-up content: for those who design, and for screenshots."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns.sheet_reading import GroupRead, HeldRead, RowRead, TableRead, ValueRead
from frontend.drawing import ChartPoint, shifts
from frontend.entries import Line


class ExampleForm(forms.Form):
    """A form with each kind of field."""

    name = forms.CharField(help_text="As the others at the table know it.")
    decision = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), required=False)
    weight = forms.IntegerField(max_value=20, error_messages={"max_value": "21 is too much: a whole number up to 20."})
    place = forms.ChoiceField(choices=[("harbour", "The harbour"), ("mill", "The mill")])
    secret = forms.BooleanField(required=False, label="Only the game master sees this")


def _pair(left: tuple[str, int, int], right: tuple[str, int, int]) -> dict[str, Any]:
    return dict(zip(("name_a", "rating_a", "marks_a", "name_b", "rating_b", "marks_b"), (*left, *right), strict=True))


def _history() -> list[ChartPoint]:
    values = [12, 12, 13, 14, 14, 13, 14, 15]
    names = [f"Year {1 + i // 4}, {('Spring', 'Summer', 'Autumn', 'Winter')[i % 4]}" for i in range(len(values))]
    return [ChartPoint(name, value, moved) for name, value, moved in zip(names, values, shifts(values), strict=True)]


def _line(kind: str, icon: str, hour: int, says: str, by: str, **more: Any) -> Line:
    at = datetime(2026, 11, 17, hour, 14, tzinfo=UTC)
    return Line("", "", kind, icon, says, by, at, None, more.get("voided", False), more.get("dice", ()))


STEPS = [
    {"id": "who", "title": "Who", "number": 1, "state": "done"},
    {"id": "numbers", "title": "Numbers", "number": 2, "state": "wrong", "current": True},
    {"id": "gear", "title": "Gear", "number": 3, "state": "open"},
]
CHOICES = [
    {
        "id": "scores",
        "title": "Scores",
        "type": "numbers",
        "text": "Six points to spread.",
        "numbers": [{"key": "arm", "title": "Arm", "value": 12, "low": 8, "high": 14}],
        "wrong": [{"message": "Scores: 5 points are spread.", "right": "6 points"}],
    },
    {
        "id": "knacks",
        "title": "Knacks",
        "type": "cards",
        "says": "1 of 2",
        "options": [
            {"id": "sail", "title": "Sailing", "text": "Wind, rope and tide.", "chosen": True},
            {"id": "read", "title": "Reading", "text": "", "chosen": False},
        ],
        "wrong": [{"message": "Knacks: 1 is chosen.", "right": "2", "still_open": True}],
    },
]
GROUP = GroupRead(
    title="Body",
    values=[
        ValueRead(stat="breath", title="Breath", value=17, most=24, shown="17"),
        ValueRead(stat="arm", title="Arm", value=2, shown="2"),
        ValueRead(stat="whispers", title="Whispers", value=3, shown="3", seen="gm"),
    ],
    tables=[
        TableRead(
            title="Knack",
            columns=["Degree", "Bonus"],
            rows=[
                RowRead(
                    key="sailing",
                    title="Sailing",
                    cells=[
                        ValueRead(stat="degree", title="Degree", value="learnt", shown="learnt"),
                        ValueRead(stat="bonus", title="Bonus", value=2, shown="2"),
                    ],
                )
            ],
        )
    ],
    cards=[
        HeldRead(
            held="cold",
            card="cold",
            kind="What weighs on them",
            title="Cold",
            says=["Depth: 2"],
            does=["Shiver: 1 breath"],
            ends="until the end of the scene",
            text="One less on all that needs a steady hand.",
        )
    ],
)
LINES = [
    _line(
        "dice",
        "die",
        20,
        "Marit's test at the harbour: 9 against 14. She acts the brave way.",
        "Ana",
        dice=[(20, 9, "")],
    ),
    _line("mark", "mark", 20, "Marit has earned a mark toward Brave.", "Ola"),
    _line("gm", "undo", 19, "Tor pays the ferryman with the seal of his house.", "Ben", voided=True),
    _line("people", "members", 19, "Ben joined as a player.", "Ben"),
    _line("time", "season", 0, "Autumn has closed: two pairs moved, one held.", "Tidebook"),
]


def gallery(request: HttpRequest) -> HttpResponse:
    """Shown to staff, and to anybody while the server runs in debug mode."""
    if not (settings.DEBUG or getattr(request.user, "is_staff", False)):
        raise Http404
    wrong = ExampleForm({"name": "", "decision": "Wait for the fog to lift", "weight": 21, "place": "mill"})
    context = {
        "form": wrong,
        "pairs": [
            _pair(("Brave", 14, 2), ("Wary", 6, 1)),
            _pair(("Generous", 10, 0), ("Thrifty", 10, 0)),
            _pair(("Plain-spoken", 3, 0), ("Roundabout", 17, 4)),
            _pair(("Faithful", 20, 0), ("Doubting", 0, 0)),
        ],
        "history": _history(),
        "why": [("Laid down when she was made", "12"), ("Summer of year 1", "+1"), ("Autumn of year 1", "+1")],
        "refusal": {
            "message": "This pair already has its mark of the week.",
            "right": "The next one is possible from Monday 30 November 2026.",
        },
        "lines": LINES,
        "steps": STEPS,
        "choices": CHOICES,
        "group": GROUP,
        "dice": [(4, 3), (6, 5), (8, 7), (10, 10), (12, 11), (20, 17)],
        "roles": ["owner", "gm", "player", "watcher"],
    }
    return render(request, "pages/gallery.html", context)
