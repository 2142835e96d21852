"""For programs: the API described on a page, and the personal tokens that let them in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaigns import tokens as personal
from campaigns.entrance import utc_now
from campaigns.models import ApiToken
from frontend import reference
from frontend.numbers import number, number_or_text
from rules.refusal import Refused

LASTS = ((30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until it is revoked"))


def docs(request: HttpRequest) -> HttpResponse:
    """Every address of the API and every command, for anybody."""
    context = {
        "nav_docs": True,
        "base": request.build_absolute_uri("/api"),
        "addresses": reference.addresses(),
        "sendables": reference.sendables(),
    }
    return render(request, "pages/api_docs.html", context)


@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens; a new one is shown on this answer and never again, so making one does not redirect."""
    made, refusal = None, None
    if request.method == "POST" and "revoke" in request.POST:
        return _revoke(request)
    if request.method == "POST":
        try:
            made = _make(request)
        except Refused as found:
            refusal = found
    context = {
        "nav_account": True,
        "tokens": ApiToken.objects.filter(user_id=request.user.pk).order_by("-pk"),
        "made": made,
        "refusal": refusal,
        "lasts": LASTS,
        "now": utc_now(),
    }
    answer = render(request, "pages/tokens.html", context, status=422 if refusal else 200)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _make(request: HttpRequest) -> str:
    post = request.POST
    days = number(post.get("days", "90"), "days")
    assert request.user.pk is not None
    _, token = personal.make(request.user.pk, post.get("name", ""), days or None, post.get("may") == "send", utc_now())
    return token


def _revoke(request: HttpRequest) -> HttpResponse:
    """Revoking what is revoked already says the same: it opens nothing."""
    given = number_or_text(request.POST["revoke"])
    if isinstance(given, int):
        ApiToken.objects.filter(user_id=request.user.pk, pk=given).delete()
    messages.success(request, "The token is revoked; what used it is shut out at once.")
    return redirect("tokens")
