"""What is not there, or not for whoever asks: within a campaign its own frame says so, with the ways on."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from campaigns.models import Campaign
from frontend import pages
from frontend.seat import Gone, Stranger, look
from rules.refusal import Refused

OF_CAMPAIGNS = "/c/"


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what is not found. What is hidden and what never was read alike."""
    found = _in_frame(request, 404, "pages/lost.html", gone=exception if isinstance(exception, Gone) else None)
    return found or render(request, "404.html", status=404)


def denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what is not for this seat."""
    return _in_frame(request, 403, "pages/lost.html", denied=True) or render(request, "403.html", status=403)


def _in_frame(request: HttpRequest, status: int, template: str, **more: object) -> HttpResponse | None:
    """The page in the frame of the campaign that was asked for; None for who has no seat in it, and for a dialog."""
    asked = request.resolver_match.kwargs.get("campaign_id") if request.resolver_match else None
    if not isinstance(asked, UUID) or not request.path.startswith(OF_CAMPAIGNS) or getattr(request, "htmx", False):
        return None
    try:
        with timezone.override(None):
            with look(request, asked) as (state, seat):
                context = {**pages.frame(state, seat, ""), **more}
            return render(request, template, context, status=status)
    except (Stranger, Campaign.DoesNotExist, Refused):
        return None
