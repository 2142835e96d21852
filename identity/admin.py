"""The admin of `identity`: pairs and marks to read; on a campaign's page the calendar, marks and closes to command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from campaigns.admin_base import CampaignModelAdmin, InCampaign, Send, campaign_sends
from campaigns.commands.calendar import next_close
from campaigns.forms import Choices
from campaigns.models import Campaign, Subject
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.parts.subjects import Subjects
from campaigns.sections import section
from campaigns.state import State
from campaigns.store import states
from identity import models
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp


def _close(row: Campaign) -> Choices:
    """The period that closes next, over or not; where it is not, the refusal says from when it can be closed."""
    with states.held(row.pk) as state:
        ahead = next_close(state) if state.part(Calendar).clock.start else None
        if ahead is None:
            return {"rung": [], "number": [], "attempt": []}
        name = _name(state, ahead.period.rung, ahead.period.number)
        rung, number, attempt = ahead.period.rung, ahead.period.number, ahead.attempt
        return {"rung": [(rung, rung)], "number": [(number, f"{number}: {name}")], "attempt": [(attempt, str(attempt))]}


def _take_back(row: Campaign) -> Choices:
    """The last close of each rung."""
    with states.held(row.pk) as state:
        last = [(rung, number) for rung, number in state.part(Calendar).clock.closed.items() if number]
        return {
            "rung": [(rung, rung) for rung, _ in last],
            "number": [(number, f"{number}: {_name(state, rung, number)}") for rung, number in last],
        }


def _name(state: State, rung: str, number: int) -> str:
    rules = calendar_rules(state)
    return rc.period_name(rules, state.part(Calendar).clock, rung, number) if rules else ""


def _award(row: Campaign) -> Choices:
    """Subjects that have pairs, their sides by kind, and what a mark may come of."""
    with states.held(row.pk) as state:
        rules, growth = section(state, "pairs", rp.PairRules), section(state, "development", rd.DevelopmentRules)
        ready = {i: own.kind for i, own in state.part(rp.PairsState).subjects.items() if own.ready}
        named = state.part(Subjects).here()
        kinds = [kind for kind in rules[1].kinds if kind.id in ready.values()] if rules else []
        sides = _sides(kinds)
        return {
            "subject": [(i, named[i].name) for i in ready if i in named],
            "side": sides,
            "source": [("", "as usual"), *((s.id, s.title) for s in (growth[1].sources if growth else ()))],
            "tested": [("", "no test"), *sides],
        }


def _sides(kinds: Sequence[rp.PairKind]) -> list[tuple[str, str]]:
    return [
        (f"{kind.id}.{side.id}", f"{kind.title}: {side.title}")
        for kind in kinds
        for pair in kind.pairs
        for side in pair.sides
    ]


campaign_sends += [
    Send("mark.award", "Award a mark", choices=_award),
    Send("period.close", "Close the season", choices=_close),
    Send("period.take_back", "Take a close back", choices=_take_back),
    Send("calendar.end_early", "End the season early"),
    Send("calendar.lift_end", "Let a season go on that was ended early"),
    Send("calendar.start", "Start the calendar"),
    Send("calendar.pause", "Pause the calendar"),
    Send("calendar.resume", "Resume the calendar"),
    Send("calendar.stretch", "Stretch the season"),
    Send("calendar.change_zone", "Change the time zone"),
]


class OfSubject(CampaignModelAdmin):
    """Rows about a subject, with its name."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Each row with the name of its subject as ``holder_name``."""
        subject = Subject.objects.filter(campaign_id=OuterRef("campaign_id"), subject=OuterRef("subject"))
        rows: QuerySet[Any] = super().get_queryset(request)
        named: QuerySet[Any] = rows.annotate(holder_name=Subquery(subject.values("name")[:1]))
        return named

    @admin.display(description="Holder", ordering="holder_name")
    def holder(self, row: Any) -> str:
        """The subject's name."""
        return str(row.holder_name or row.subject)


def _own_sides(row: models.Pair) -> Choices:
    """The two sides of a pair."""
    with states.held(row.campaign_id) as state:
        found = section(state, "pairs", rp.PairRules)
        kind = rp.kind_named(found[1], row.kind) if found else None
        sides = rp.pair_named(kind, row.pair).sides if kind else ()
        return {"side": [(side.id, side.title) for side in sides]}


@admin.register(models.Pair)
class PairAdmin(OfSubject):
    """Opposed pairs with their ratings."""

    list_display = ("holder", "first_side", "first_rating", "second_side", "second_rating", "campaign")
    list_filter = (InCampaign, "kind")
    list_select_related = ("campaign",)
    search_fields = ("first_side", "second_side")
    ordering = ("campaign_id", "subject", "place")
    fields = ("campaign", "holder", "kind", "first_side", "first_rating", "second_side", "second_rating")
    readonly_fields = ("holder",)
    sends = (
        Send("mark.award", "Award a mark", fixed={"subject": "subject"}, choices=_own_sides),
        Send("pairs.set_rating", "Set a rating", fixed={"subject": "subject"}, choices=_own_sides),
    )


@admin.register(models.Mark)
class MarkAdmin(OfSubject):
    """Marks that are not settled yet, and proposals that wait."""

    list_display = ("holder", "side", "state", "happened_at", "sealed", "note", "campaign")
    list_filter = (InCampaign, "state", "sealed")
    list_select_related = ("campaign",)
    search_fields = ("side", "note")
    ordering = ("campaign_id", "happened_at")
    fields = ("campaign", "holder", "side", "state", "happened_at", "sealed", "source", "note")
    readonly_fields = ("holder",)

    def get_sends(self, row: Any) -> Sequence[Send]:
        """A mark can be voided, a proposal answered."""
        if row.state == models.Mark.AWARDED:
            return (Send("mark.void", "Take the mark back", fixed={"mark": "mark"}),)
        return (
            Send("mark.accept", "Award the mark", fixed={"proposal": "mark"}),
            Send("mark.decline", "Decline", fixed={"proposal": "mark"}),
        )
