"""What every response carries: a content security policy and the id its log lines share."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponseBase

Respond = Callable[[HttpRequest], HttpResponseBase]

_SITE = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
# The admin's theme evaluates the expressions in its markup (Alpine's ordinary build: without it a closed dialog covers
# every page) and sets style attributes. Only staff works there, and nothing that players write is put there unescaped.
_ADMIN = _SITE | {"script-src": "'self' 'unsafe-eval'", "style-src": "'self' 'unsafe-inline'"}

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


def _render(policy: dict[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in policy.items())


SITE_POLICY = _render(_SITE)
ADMIN_POLICY = _render(_ADMIN)


def content_security_policy(respond: Respond) -> Respond:
    """Nothing from elsewhere, nothing inline; the admin's pages alone get the wider policy said above."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        policy = ADMIN_POLICY if request.path.startswith("/admin/") else SITE_POLICY
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


SIGNED_OUT = "signed_out"
"""set on the request that signs somebody out; who asks would have to be looked up for every request else"""


def private_pages(respond: Respond) -> Respond:
    """No cache between keeps a page; the browser asks again before it shows one, and forgets all at signing out."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Cache-Control", "private, no-cache")
        if getattr(request, SIGNED_OUT, False):
            response.headers.setdefault("Clear-Site-Data", '"cache"')
        return response

    return middleware


def request_context(respond: Respond) -> Respond:
    """Every log line of a request carries its id: the proxy's X-Request-ID when it is harmless, else a new one."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if REQUEST_ID.match(given) else uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = respond(request)
        response.headers["X-Request-ID"] = request_id
        return response

    return middleware
