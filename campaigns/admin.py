"""The admin of `campaigns`: campaigns, members, subjects and events to read, and commands to send about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from campaigns import models
from campaigns.admin_base import CampaignModelAdmin, InCampaign, Send, campaign_sends
from campaigns.audience import Viewer, name_finder, view_event
from campaigns.commands.starting import SETTINGS
from campaigns.events import GM, Draw, Recorded, Stamp, decode, event_types
from campaigns.forms import Choices
from campaigns.parts.pursuits import pursuit_rules
from campaigns.parts.table import ROLES, Table
from campaigns.parts.voids import Voids
from campaigns.store import states
from rules.refusal import Refused

_stamp = msgspec.json.Decoder(Stamp)
_texts = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])
# The one that gives most comes last, where nobody picks it by accident.
ROLE_CHOICES = [(role, role) for role in reversed(ROLES)]


def members_of(row: Any) -> list[tuple[str, str]]:
    """(id, name) of those who sit at the table of a row's campaign, for a choice."""
    campaign_id = row.pk if isinstance(row, models.Campaign) else row.campaign_id
    seated = models.Member.objects.filter(campaign_id=campaign_id).exclude(role="").order_by("name")
    return [(m.member, f"{m.name} ({m.role})") for m in seated]


def subjects_of(row: models.Campaign) -> list[tuple[str, str]]:
    """(id, name) of a campaign's subjects that are here, for a choice."""
    found = models.Subject.objects.filter(campaign_id=row.pk, away=False).order_by("name")
    return [(s.subject, s.name) for s in found]


def links_of(row: models.Campaign) -> list[tuple[str, str]]:
    """(id, what it is for) of a campaign's links, for a choice."""
    with states.held(row.pk) as state:
        links = state.part(Table).links
        return [(i, f"{k.role}, until {k.expires_at:%Y-%m-%d}" if k.expires_at else k.role) for i, k in links.items()]


def _new_link(_row: Any) -> Choices:
    return {"role": ROLE_CHOICES}


def _old_link(row: Any) -> Choices:
    return {"link": links_of(row)}


def _setting(_row: Any) -> Choices:
    return {"setting": [(name, name) for name in sorted(SETTINGS)]}


def _role(_row: Any) -> Choices:
    return {"role": ROLE_CHOICES}


def _players(row: Any) -> Choices:
    return {"players": members_of(row)}


def _owners(row: Any) -> Choices:
    with states.held(row.pk) as state:
        found = pursuit_rules(state)
        kinds = [kind for kind in found[1].kinds if kind.without == "gm_award"] if found else []
    return {"owner": subjects_of(row), "kind": [(kind.id, kind.title) for kind in kinds]}


def _belonging(row: Any) -> Choices:
    every = subjects_of(row)
    return {"subject": every, "body": every}


for _send in (
    Send("campaign.rename", "Rename"),
    Send("setting.change", "Change a setting", choices=_setting),
    Send("link.make", "Make a link", choices=_new_link),
    Send("link.revoke", "Revoke a link", choices=_old_link),
    Send("subject.create", "Make a subject", choices=_players),
    Send("affiliation.begin", "Take somebody in", choices=_belonging),
    Send("pursuit.award", "Give without a Pursuit", choices=_owners),
):
    campaign_sends.append(_send)


@admin.register(models.Campaign)
class CampaignAdmin(CampaignModelAdmin):
    """Campaigns, with the way to all that belongs to each."""

    campaign_path = "pk"
    list_display = ("name", "calendar", "recorded_at", "due_at", "deleted_at")
    search_fields = ("name",)
    ordering = ("-recorded_at", "pk")
    fields = ("id", "name", "calendar", "due_at", "recorded_at", "deleted_at", "belongs")
    readonly_fields = ("belongs",)

    def get_sends(self, row: Any) -> Sequence[Send]:
        """Those of every app."""
        return campaign_sends

    @admin.display(description="Belonging to it")
    def belongs(self, row: models.Campaign) -> str:
        """Links to the lists of what belongs to the campaign."""
        lists = [(m._meta.verbose_name_plural, f"{m._meta.app_label}_{m._meta.model_name}") for m in self._belonging()]
        links = [
            format_html('<a href="{}?campaign={}">{}</a>', reverse(f"admin:{name}_changelist"), row.pk, title)
            for title, name in sorted((str(t), n) for t, n in lists)
        ]
        return format_html(" | ".join(["{}"] * len(links)), *links)

    def _belonging(self) -> list[Any]:
        """Models of this admin whose lists can be narrowed to one campaign."""
        return [m for m, a in self.admin_site._registry.items() if InCampaign in (a.list_filter or ())]


@admin.register(models.Member)
class MemberAdmin(CampaignModelAdmin):
    """Seats, also those that were left."""

    list_display = ("name", "campaign", "role", "is_owner")
    list_filter = (InCampaign, "role", "is_owner")
    list_select_related = ("campaign",)
    search_fields = ("name",)
    ordering = ("campaign_id", "name")
    sends = (
        Send("member.change_role", "Change the role", fixed={"member": "member"}, choices=_role),
        Send("member.remove", "Remove", fixed={"member": "member"}),
        Send("owner.hand_over", "Make owner", fixed={"member": "member"}),
    )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Sequence[str]:
        """By which name somebody signs in is the host's to know, not the GM's."""
        shown = ("campaign", "member", "name", "role", "is_owner")
        return (*shown, "user") if request.user.is_superuser else shown


@admin.register(models.Subject)
class SubjectAdmin(CampaignModelAdmin):
    """Anything with a sheet."""

    list_display = ("name", "kind", "campaign", "hidden", "away")
    list_filter = (InCampaign, "hidden", "away")
    list_select_related = ("campaign",)
    search_fields = ("name",)
    ordering = ("campaign_id", "name")
    fields = ("campaign", "subject", "kind", "name", "hidden", "away", "players", "sheet")
    sends = (
        Send("subject.rename", "Rename", fixed={"subject": "subject"}),
        Send("subject.hand_over", "Hand over", fixed={"subject": "subject"}, choices=_players),
        Send("subject.reveal", "Reveal", fixed={"subject": "subject"}),
        Send("subject.put_away", "Put away", fixed={"subject": "subject"}),
        Send("subject.bring_back", "Bring back", fixed={"subject": "subject"}),
    )


@admin.register(models.Affiliation)
class AffiliationAdmin(CampaignModelAdmin):
    """Who belongs to which body now."""

    list_display = ("who", "belongs_to", "standing", "since", "campaign")
    list_filter = (InCampaign,)
    list_select_related = ("campaign",)
    search_fields = ("standing",)
    ordering = ("campaign_id", "body", "since")
    fields = ("campaign", "who", "belongs_to", "standing", "since")
    readonly_fields = ("who", "belongs_to")
    sends = (Send("affiliation.end", "Let go", fixed={"affiliation": "affiliation"}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the names of both."""
        named = models.Subject.objects.filter(campaign_id=OuterRef("campaign_id"))
        rows = super().get_queryset(request)
        found: QuerySet[Any] = rows.annotate(
            subject_name=Subquery(named.filter(subject=OuterRef("subject")).values("name")[:1]),
            body_name=Subquery(named.filter(subject=OuterRef("body")).values("name")[:1]),
        )
        return found

    @admin.display(description="Who", ordering="subject_name")
    def who(self, row: Any) -> str:
        """The member's name."""
        return str(row.subject_name or row.subject)

    @admin.display(description="Belongs to", ordering="body_name")
    def belongs_to(self, row: Any) -> str:
        """The body's name."""
        return str(row.body_name or row.body)


@admin.register(models.Pursuit)
class PursuitAdmin(CampaignModelAdmin):
    """What subjects and parties have set out to do; what comes of it is the GM's to say."""

    list_display = ("words", "kind", "whose", "state", "shared", "campaign")
    list_filter = (InCampaign, "state", "kind")
    list_select_related = ("campaign",)
    search_fields = ("words",)
    ordering = ("campaign_id", "kind", "pursuit")
    fields = ("campaign", "words", "kind", "whose", "state", "shared")
    readonly_fields = ("whose",)
    sends = tuple(
        Send(name, title, fixed={"pursuit": "pursuit"})
        for name, title in (
            ("pursuit.advance", "It advanced"),
            ("pursuit.decline", "It did not advance"),
            ("pursuit.complete_stage", "A stage is done"),
            ("pursuit.resolve", "Resolve it"),
            ("pursuit.abandon", "Give it up"),
            ("pursuit.agree", "Agree to it"),
        )
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the owner's name."""
        named = models.Subject.objects.filter(campaign_id=OuterRef("campaign_id"), subject=OuterRef("owner"))
        found: QuerySet[Any] = super().get_queryset(request).annotate(owner_name=Subquery(named.values("name")[:1]))
        return found

    @admin.display(description="Whose", ordering="owner_name")
    def whose(self, row: Any) -> str:
        """The owner's name."""
        return str(row.owner_name or "the party's")


@admin.register(models.Delivery)
class DeliveryAdmin(CampaignModelAdmin):
    """Mails and messages to webhooks, and what became of them; never what they say, nor where they go."""

    list_display = ("kind", "channel", "made_at", "tries", "next_at", "done_at", "trouble", "campaign")
    list_filter = (InCampaign, "channel")
    list_select_related = ("campaign",)
    ordering = ("-made_at",)
    fields = ("campaign", "kind", "channel", "target", "made_at", "tries", "next_at", "done_at", "trouble")


class OfType(admin.SimpleListFilter):
    """Narrows to one type of event; the choices come from the program and not from the table."""

    title = "type"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every declared type."""
        return [(kind.name, kind.name) for kind in event_types()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The events of the chosen type."""
        return queryset.filter(type=self.value()) if self.value() else queryset


@admin.register(models.Event)
class EventAdmin(CampaignModelAdmin):
    """Events as the GM may see them: through the audience filter, never the stored body, which holds seeds' nonces."""

    list_display = ("position", "type", "said", "recorded_at", "audience")
    list_filter = (InCampaign, OfType)
    search_fields = ("^type",)
    search_help_text = "Beginning of a type, such as member"
    ordering = ("-campaign_id", "-position")
    fields = (
        "campaign", "position", "type", "version", "said", "by", "shown", "standing",
        "recorded_at", "happened_at", "audience", "packs",
    )  # fmt: skip
    readonly_fields = ("said", "by", "shown", "standing")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without what is only for verifying."""
        return super().get_queryset(request).defer("salt", "digest", "command_hash")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Tells the rows of one page at once."""
        changelist = super().get_changelist_instance(request)
        _tell(changelist.result_list)
        return changelist

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The event, told."""
        row = super().get_object(request, object_id, from_field)
        _tell([row] if row is not None else [])
        return row

    @admin.display(description="What happened")
    def said(self, row: Any) -> str:
        """Its sentence."""
        return str(row.view.get("says", row.type))

    @admin.display(description="By")
    def by(self, row: Any) -> str:
        """Who did it."""
        return str(row.view.get("actor", {}).get("name", ""))

    @admin.display(description="Shown")
    def shown(self, row: Any) -> str:
        """The fields that a GM may see."""
        text = msgspec.json.format(msgspec.json.encode(row.view.get("data", {}))).decode()
        return format_html("<pre>{}</pre>", text)

    @admin.display(description="Standing")
    def standing(self, row: Any) -> str:
        """Whether it was taken back."""
        return "taken back" if row.view.get("voided") else "stands"


def _tell(rows: Iterable[Any]) -> None:
    """Puts on each event row ``view``, what a GM may know of it; empty where this program does not know its type."""
    by_campaign: dict[UUID, list[Any]] = defaultdict(list)
    for row in rows:
        by_campaign[row.campaign_id].append(row)
    for campaign_id, its in by_campaign.items():
        with states.held(campaign_id) as state:
            names, voids = name_finder(state), state.part(Voids).by
            viewer = Viewer(campaign_id, GM)
            for row in its:
                try:
                    row.view = view_event(_recorded(row), viewer, names, voided=row.position in voids) or {}
                except Refused:
                    row.view = {}


def _recorded(row: models.Event) -> Recorded:
    return Recorded(
        campaign_id=row.campaign_id,
        position=row.position,
        id=row.id,
        type=row.type,
        version=row.version,
        event=decode(row.type, row.version, row.data),
        actor=row.actor,
        command_id=row.command_id,
        cause=row.cause,
        recorded_at=row.recorded_at,
        happened_at=row.happened_at,
        stamp=_stamp.decode(row.stamp),
        packs=row.packs,
        audience=row.audience,
        holders=_texts.decode(row.holders),
        dice=_dice.decode(row.dice),
    )
