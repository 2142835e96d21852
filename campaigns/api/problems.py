"""Refusals as answers: RFC 9457 problems, with the field, its value and what would be right."""

from __future__ import annotations

from typing import Any

import msgspec
import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from rules.refusal import Refused, plain

MEDIA_TYPE = "application/problem+json"
_log = structlog.get_logger(__name__)


class Problem(msgspec.Struct, omit_defaults=True):
    """Why nothing was done. `field`, `value` and `right` name the wrong input and what would have been accepted."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str | None = None
    value: Any = None
    right: str | None = None


TITLES = {
    400: "A value is wrong",
    401: "Sign in first",
    403: "Not yours to do",
    404: "Not found",
    405: "Not possible here",
    406: "Not in this form",
    409: "Not as things stand",
    413: "Too large",
    415: "Not JSON",
    429: "Too many requests",
    500: "A fault of the server",
    503: "Busy",
}
# Codes whose status does not follow from what else a refusal says; apps add theirs by `family`.
_statuses: dict[str, int] = {
    "busy": 503,
    "sign_in": 401,
    "no_such_campaign": 404,
    "not_a_member": 404,
    "unknown_command": 404,
    "not_found": 404,
    "not_yet_written": 404,
    "moved_on": 409,
    "command_id_used": 409,
    "already_started": 409,
    "too_large": 413,
    "here_already": 409,
    "being_checked": 409,
    "being_written": 409,
    "put_away": 409,
    "in_the_middle": 409,
}


def family(status: int, *codes: str) -> None:
    """Declares the status of refusals by their code, where what :func:`status_of` finds would be wrong."""
    _statuses.update(dict.fromkeys(codes, status))


def status_of(refused: Refused) -> int:
    """403 where the sender is what is wrong, 400 where an input is, 409 where neither: things stand against it."""
    if refused.code in _statuses:
        return _statuses[refused.code]
    if refused.field == "actor":
        return 403
    return 409 if refused.field is None else 400


def problem(status: int, code: str, detail: str, **more: Any) -> Response:
    """The answer that carries a problem."""
    title = TITLES.get(status, "Not done")
    body = Problem(f"urn:problem-type:tidebook:{code}", title, status, code, detail, **more)
    return Response(msgspec.to_builtins(body), status=status, content_type=MEDIA_TYPE)


def of_refusal(refused: Refused) -> Response:
    """The answer to a command or read that was refused."""
    field, value = refused.field, plain(refused.value)
    return problem(status_of(refused), refused.code, refused.message, field=field, value=value, right=refused.right)


_BUILT_IN: list[tuple[type[Exception], int, str, str]] = [
    (Http404, 404, "not_found", "There is nothing at this address."),
    (PermissionDenied, 403, "not_allowed", "This is not yours to do."),
    (RequestDataTooBig, 413, "too_large", "The body is too large."),
    (SuspiciousOperation, 400, "wrong_request", "The request is malformed."),
    (OperationalError, 503, "busy", "The database is busy; try again with the same Idempotency-Key."),
]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler: everything that goes wrong leaves as a problem."""
    if isinstance(error, Refused):
        return of_refusal(error)
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    for kind, status, code, detail in _BUILT_IN:
        if isinstance(error, kind):
            if status == 503:
                _log.warning("api.busy", exc_info=error)
            return problem(status, code, detail)
    if settings.DEBUG:
        return None
    # Django's own page would be HTML; whoever listens for faults (error reporters, tests) is told all the same.
    got_request_exception.send(sender=None, request=context["request"])
    _log.error("api.fault", exc_info=error)
    return problem(500, "fault", "Something went wrong here; it is in the log.")


def _of_framework(error: exceptions.APIException) -> Response:
    code, status = error.get_codes(), error.status_code
    answer = problem(status, code if isinstance(code, str) else "wrong_request", str(error.detail))
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        answer["Retry-After"] = str(int(wait) + 1)
    return answer
