"""Every component on one page, with made-up content: for those who design, and for screenshots."""

from typing import Any

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from frontend.drawing import ChartPoint, shifts


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


ENTRIES = [
    {
        "kind": "dice",
        "icon": "die",
        "at": "20:14",
        "says": "Marit's harbour test: a 9 against 14. She acts the brave way.",
        "by": "Ana",
        "dice": [(20, 9, "")],
    },
    {
        "kind": "mark",
        "icon": "mark",
        "at": "20:11",
        "says": "Marit has earned a mark toward Brave.",
        "by": "Ola, game master",
    },
    {
        "kind": "gm",
        "icon": "undo",
        "at": "20:02",
        "says": "Tor pays the ferryman with the seal of his house.",
        "by": "Ben",
        "voided": True,
    },
    {"kind": "people", "icon": "members", "at": "19:58", "says": "Ben has come to the table.", "by": "Ben"},
    {
        "kind": "time",
        "icon": "season",
        "at": "Mon",
        "says": "Autumn has closed: two pairs moved, one held.",
        "by": "the calendar",
    },
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
            _pair(("Devout", 20, 0), ("Doubting", 0, 0)),
        ],
        "history": _history(),
        "why": [("Laid down when she was made", "12"), ("Summer of year 1", "+1"), ("Autumn of year 1", "+1")],
        "refusal": {
            "message": "This pair already has its mark of the week.",
            "right": "The next one is possible from Monday 30 November 2026.",
        },
        "entries": ENTRIES,
        "dice": [(4, 3), (6, 5), (8, 7), (10, 10), (12, 11), (20, 17)],
        "roles": ["owner", "gm", "player", "watcher"],
    }
    return render(request, "pages/gallery.html", context)
