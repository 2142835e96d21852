"""An invitation that somebody opened before signing in: the session keeps where to go back to."""

from __future__ import annotations

from django.http import HttpRequest

KEY = "invitation"


def remember(request: HttpRequest) -> None:
    """To be called by the page of a valid invitation; signing in or up will lead back to it."""
    request.session[KEY] = request.path


def remembered(request: HttpRequest) -> str:
    """Path of the invitation's page, or an empty string."""
    path: str = request.session.get(KEY, "")
    return path


def forget(request: HttpRequest) -> None:
    """To be called once the invitation was followed."""
    request.session.pop(KEY, None)
