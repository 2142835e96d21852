"""What every admin page of campaign data is built on: reading only, one's own campaigns only, changes by command only.

    @admin.register(models.Member)
    class MemberAdmin(CampaignModelAdmin):
        sends = (Send("member.remove", "Remove", fixed={"member": "member"}),)

``fixed`` fills fields of the command from attributes of the row; the other fields are asked for in a form made from the
command's type, and the command goes through the entrance as the signed-in user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold import widgets
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator

from campaigns import registry
from campaigns.context import Actor
from campaigns.entrance import Answer, execute
from campaigns.events import GM
from campaigns.forms import Choices, CommandForm, form_for
from campaigns.models import Campaign, Member
from rules.refusal import Refused

NO_FIXED: Mapping[str, str] = {}


def campaigns_of(request: HttpRequest) -> QuerySet[Member, UUID]:
    """Ids of the campaigns whose GM the signed-in user is, as a subquery."""
    return Member.objects.filter(user_id=request.user.pk or 0, role=GM).values_list("campaign_id", flat=True)


@dataclass(frozen=True)
class Send:
    """A button that sends a command. ``fixed``: field of the command -> attribute of the row; ``filled`` gives, for a
    row, the values of more fields that nobody is asked for.

    ``choices`` gives, for a row, what fields offer to choose from.
    """

    command: str
    label: str
    fixed: Mapping[str, str] = field(default_factory=lambda: NO_FIXED)
    choices: Callable[[Any], Choices] | None = None
    filled: Callable[[Any], Mapping[str, Any]] | None = None

    def form(self, row: Model) -> type[CommandForm]:
        """The form class of this command for a row."""
        fixed = {name: getattr(row, attribute) for name, attribute in self.fixed.items()}
        fixed |= self.filled(row) if self.filled else {}
        found: type[CommandForm] = form_for(
            registry.commands[self.command], fixed=fixed, choices=self.choices(row) if self.choices else None
        )
        return found


# Buttons of a campaign's own page; an app's admin.py adds its commands about the whole campaign.
campaign_sends: list[Send] = []


class CampaignModelAdmin(ModelAdmin):  # type: ignore[misc]
    """Read-only pages of one table; ``campaign_path`` is how a row leads to its campaign's id."""

    sends: tuple[Send, ...] = ()
    campaign_path = "campaign_id"
    actions = None
    show_full_result_count = False
    paginator = InfinitePaginator
    list_per_page = 50
    change_form_outer_before_template = "admin/campaigns/sends.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Superusers, who host the site, see every campaign; everybody else those whose GM they are."""
        rows: QuerySet[Any] = super().get_queryset(request)
        if request.user.is_active and request.user.is_superuser:
            return rows
        return rows.filter(**{f"{self.campaign_path}__in": campaigns_of(request)})

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whoever may enter the admin finds the page, with the rows that are theirs."""
        return bool(self.admin_site.has_permission(request))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows are filtered, so whoever finds one may see it."""
        return bool(self.admin_site.has_permission(request))

    def has_add_permission(self, request: HttpRequest, *_args: Any) -> bool:
        """Nothing is written but by commands."""
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The row, and above it the commands that may be sent about it."""
        row = self.get_object(request, object_id) if object_id else None
        sends = [(send.label, self._address(send, object_id)) for send in self.get_sends(row)] if row else []
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), "sends": sends})

    def get_sends(self, row: Any) -> Sequence[Send]:
        """The commands that may be sent about a row."""
        return self.sends

    def _address(self, send: Send, object_id: str | None) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_send"
        return reverse(name, args=[object_id, send.command], current_app=self.admin_site.name)

    def get_urls(self) -> list[URLPattern]:
        """One address more: the form of a command about a row."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_send"
        view = self.admin_site.admin_view(self.send_view)
        return [path("<path:object_id>/send/<str:command>/", view, name=name), *super().get_urls()]

    def send_view(self, request: HttpRequest, object_id: str, command: str) -> HttpResponse:
        """1. The row, if it is theirs.  2. The form.  3. The command through the entrance.  4. Back, and what came."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        send = next((s for s in self.get_sends(row) if s.command == command), None)
        if send is None:
            raise Http404
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        form = send.form(row)(request.POST or None)
        _dress(form)
        if request.method == "POST" and form.is_valid():
            try:
                answer = execute(
                    self.campaign_of(row), form.command, Actor(user=request.user.pk), command_id=form.command_id
                )
            except Refused as refused:
                form.refuse(refused)
            else:
                return self._done(request, send, answer)
        return self._form_page(request, send, row, form)

    def campaign_of(self, row: Any) -> UUID:
        """The campaign a row belongs to."""
        for attribute in self.campaign_path.split("__"):
            row = getattr(row, attribute)
        found: UUID = row
        return found

    def _done(self, request: HttpRequest, send: Send, answer: Answer) -> HttpResponse:
        said = "Done." if answer.events else "There was nothing to do."
        messages.success(request, f"{send.label}: {'done before; nothing was done again.' if answer.again else said}")
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        return HttpResponseRedirect(reverse(name, current_app=self.admin_site.name))

    def _form_page(self, request: HttpRequest, send: Send, row: Model, form: CommandForm) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": f"{send.label}: {row}",
            "opts": self.opts,
            "form": form,
            "label": send.label,
            "about": " ".join((form.kind.body.__doc__ or "").replace("``", "").split()),
            "back": reverse(
                f"admin:{self.opts.app_label}_{self.opts.model_name}_change",
                args=[row.pk],
                current_app=self.admin_site.name,
            ),
        }
        status = 422 if form.is_bound else 200
        return TemplateResponse(request, "admin/campaigns/send.html", context, status=status)


class InCampaign(admin.SimpleListFilter):
    """Narrows a list to one campaign; offers those that one may see, the newest first, and no more than fit a page."""

    title = "campaign"
    parameter_name = "campaign"
    most = 30

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """(id, name) of the campaigns offered."""
        seen = Campaign.objects.order_by("-recorded_at")
        if not request.user.is_superuser:
            seen = seen.filter(pk__in=campaigns_of(request))
        return [(str(c.pk), str(c)) for c in seen[: self.most]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen campaign; none where it is not a campaign's id."""
        if not self.value():
            return queryset
        try:
            return queryset.filter(campaign_id=UUID(self.value()))
        except ValueError:
            return queryset.none()


_WIDGETS: list[tuple[type[forms.Widget], type[forms.Widget]]] = [
    (forms.Textarea, widgets.UnfoldAdminTextareaWidget),
    (forms.CheckboxInput, widgets.UnfoldBooleanWidget),
    (forms.SelectMultiple, widgets.UnfoldAdminSelectMultipleWidget),
    (forms.Select, widgets.UnfoldAdminSelectWidget),
    (forms.NumberInput, widgets.UnfoldAdminIntegerFieldWidget),
    (forms.TextInput, widgets.UnfoldAdminTextInputWidget),
]


def _dress(form: forms.Form) -> None:
    """Gives the fields the admin's own widgets."""
    for one in form.fields.values():
        for plain, dressed in _WIDGETS:
            if type(one.widget) is plain:
                choices = getattr(one.widget, "choices", None)
                one.widget = dressed(attrs=dict(one.widget.attrs))
                one.widget.is_required = one.required
                if choices is not None:
                    one.widget.choices = choices
                break
