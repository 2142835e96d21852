"""Pages that belong to no campaign: theme, account."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.http import url_has_allowed_host_and_scheme

from frontend.seat import presses_only

THEMES = ("light", "auto", "dark")
A_YEAR = 60 * 60 * 24 * 365


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Who you are here, and light or dark."""
    return render(request, "pages/account.html", {"nav_account": True})


def favicon(_request: HttpRequest) -> HttpResponse:
    """For browsers that ask for it without looking at the page."""
    return HttpResponseRedirect(static("frontend/img/mark.svg"))


@presses_only
def theme(request: HttpRequest) -> HttpResponse:
    """Remembers light or dark in a cookie and goes back; an unknown wish is taken as "auto"."""
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = "/"
    response = HttpResponseRedirect(back)
    wish = request.POST.get("theme", "auto")
    response.set_cookie(
        "tide_theme", wish if wish in THEMES else "auto", max_age=A_YEAR, samesite="Lax", secure=request.is_secure()
    )
    return response
