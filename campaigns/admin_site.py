"""Who may enter the admin: members who are GM of a campaign, and staff; by the site's own sign-in alone."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.sites import UnfoldAdminSite

from campaigns.events import GM


def runs_a_campaign(user: Any) -> bool:
    """Whether somebody is GM of any campaign."""
    from campaigns.models import Member

    return Member.objects.filter(user_id=user.pk, role=GM).exists()


class CampaignAdminSite(UnfoldAdminSite):  # type: ignore[misc]
    """The admin. Which campaigns somebody sees there is decided by :mod:`campaigns.admin_base`."""

    site_title = site_header = "Tidebook"
    index_title = "Administration"

    def has_permission(self, request: HttpRequest) -> bool:
        """Staff; and GMs, where the host lets them."""
        user = request.user
        if not user.is_active or not user.is_authenticated:
            return False
        # Asked for every model that a page lists: one request, one answer.
        known: bool | None = getattr(request, "may_enter_admin", None)
        if known is None:
            known = bool(user.is_staff) or (settings.GM_ADMIN and runs_a_campaign(user))
            request.may_enter_admin = known  # type: ignore[attr-defined]
        return known

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The site's own sign-in, with its limits and second factor; the admin has no weaker one beside it."""
        if self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index", current_app=self.name))
