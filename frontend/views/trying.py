"""Trying a test by hand with chosen dice, and its exact odds. Nothing is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.state import State
from frontend import asking, pages
from frontend.numbers import number, number_or_text
from frontend.people import subjects
from frontend.seat import Seat, at_table, look
from rules.dice import ChosenDice, RecordedDice, SystemDice
from rules.packs import Pack
from rules.packs.wording import sentence, spaced, titled
from rules.refusal import Refused
from rules.sheets import Subject
from rules.tests import ChoiceNeeded, TestRun, odds, run
from rules.tests.result import Ask
from rules.tests.trace import line

NEW = "new"
"""stands for somebody whose every value is at its start"""
CHOOSE = "choose-"
PLAIN = {"true": True, "false": False}
BEST = (("best", "As well as can be"),)


@dataclass(frozen=True)
class Question:
    """What the test asks on its way, as a field: ``options`` (value, words), or a number from ``low`` to ``high``."""

    name: str
    title: str
    options: tuple[tuple[str, str], ...] = ()
    low: int | None = None
    high: int | None = None


@at_table
def try_out(request: HttpRequest, campaign_id: UUID, pack: str, test: str) -> HttpResponse:
    """The form, and what came of it; for game masters, who see all."""
    with look(request, campaign_id) as (state, seat):
        packs = Packs(state)
        if not seat.is_gm or pack not in packs.ids() or test not in packs.get(pack).tests:
            raise Http404
        played, asked = packs.get(pack), request.GET
        roles = _roles(state, seat, played, test, asked)
        known = {name.removeprefix("given-"): value for name, value in asked.items()}
        context: dict[str, Any] = {
            **pages.frame(state, seat, "rules"),
            "book": played.manifest.title,
            "pack": pack,
            "test": played.test(test).spec,
            "roles": roles,
            "fields": asking.fields_of(seat, played, test, "", known, every=True),
            "faces": asked.get("faces", ""),
            "chosen": [(n, _words(n), v, _answered(v)) for n, v in asked.items() if n.startswith(CHOOSE)],
        }
        if asked.get("go"):
            cast = {one["role"]: _subject(state, played, one) for one in roles}
            context |= _tried(played, test, asking.given(played, test, asked.dict()), cast, asked)
    return pages.show(request, "pages/try.html", context, context.pop("refusal", None))


def _roles(state: State, seat: Seat, pack: Pack, test: str, asked: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each role with all who are of its kinds, whether they play by the pack yet or not, and somebody new."""
    found = []
    for role, spec in pack.test(test).spec.roles.items():
        able = [(one.id, one.name) for one in subjects(state, seat) if one.kind in spec.kinds]
        known = asked.get(f"role-{role}", "")
        takers = [*able, (NEW, "Somebody new")]
        value = known if known else takers[0][0]
        title = spec.title or titled(role)
        found.append({"role": role, "name": f"role-{role}", "title": title, "takers": takers, "value": value})
        found[-1]["kind"] = spec.kinds[0]
    return found


def _subject(state: State, pack: Pack, role: Mapping[str, Any]) -> Subject | None:
    if role["value"] == NEW:
        return Subject(id=f"{NEW}-{role['role']}", kind=role["kind"], title="Somebody new")
    known = state.part(Subjects).by_id
    return subject_of(state, role["value"], pack.id) if role["value"] in known else None


def _tried(
    played: Pack, test: str, given: dict[str, Any], cast: Mapping[str, Subject | None], asked: Mapping[str, str]
) -> dict[str, Any]:
    """The run with its trace, or the odds; what is asked first; or why there is none."""
    subjects = {role: one for role, one in cast.items() if one is not None}
    choices = {n.removeprefix(CHOOSE): _typed(v) for n, v in asked.items() if n.startswith(CHOOSE) and v}
    try:
        if asked["go"] == "odds":
            return _odds(played, test, given, choices, subjects)
        words = asked.get("faces", "").replace(",", " ").split()
        faces = [number(word, "faces") for word in words]
        # Behind a choice the dice that fell before it stand, and new ones fall.
        known = RecordedDice(faces, SystemDice()) if choices else ChosenDice(faces)
        dice = known if faces else SystemDice()
        result = run(played, test, given, dice, choices, subjects=subjects)
    except Refused as refused:
        return {"refusal": refused}
    except ValueError:
        message = "These are no faces of dice."
        return {"refusal": Refused("wrong_value", message, field="faces", right="whole numbers such as 14 3")}
    return _told(played, test, result)


def _odds(
    played: Pack, test: str, given: dict[str, Any], choices: dict[str, Any], subjects: Mapping[str, Subject]
) -> dict[str, Any]:
    try:
        found = odds(played, test, given, choices, subjects=subjects)
    except ChoiceNeeded as needed:
        return {"question": _question(needed.ask), "of_odds": True}
    outcomes = played.test(test).spec.outcomes
    table = [
        (outcomes[name].title if name in outcomes else titled(name), float(chance) * 100, found.ways(name))
        for name, chance in sorted(found.outcomes.items(), key=lambda item: -item[1])
    ]
    return {"odds": table, "of": found.of}


def _told(played: Pack, test: str, result: TestRun) -> dict[str, Any]:
    """What a run came to. One that waits is taken up again with the same dice."""
    outcome = played.test(test).spec.outcomes.get(result.outcome or "")
    found = {
        "run": result,
        "lines": [line(step) for step in result.trace],
        "outcome": outcome.title if outcome else "",
    }
    if result.pending is not None:
        found |= {"question": _question(result.pending), "faces": " ".join(map(str, result.faces))}
    return found


def _question(ask: Ask) -> Question:
    name, title = CHOOSE + ask.id, ask.title or _words(CHOOSE + ask.id)
    if ask.kind == "adjust":
        return Question(name, title, BEST)
    if ask.kind == "flag":
        return Question(name, title, (("true", "Yes"), ("false", "No")))
    if ask.kind == "int":
        return Question(name, title, low=ask.min, high=ask.max)
    return Question(
        name, title, tuple((str(one.id), one.title or sentence(spaced(str(one.id)))) for one in ask.options)
    )


def _words(name: str) -> str:
    """What a choice is about, by the last part of its id."""
    return titled(name.removeprefix(CHOOSE).rpartition(".")[2])


def _answered(value: str) -> str:
    return {"true": "Yes", "false": "No"}.get(value) or dict(BEST).get(value) or sentence(spaced(value))


def _typed(text: str) -> Any:
    return PLAIN[text] if text in PLAIN else number_or_text(text)
