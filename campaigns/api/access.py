"""Who asks, how often they may, and in which form: what every address of the API has in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import IO, Any, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from campaigns import tokens
from campaigns.api import problems
from campaigns.door import LinkKey
from campaigns.models import ApiToken
from rules.refusal import Refused

LONGEST_BODY, LONGEST_WITH_FILES = 256 * 1024, 1280 * 1024
"""bytes; the second for bodies that carry the files of a pack"""


def now() -> datetime:
    """The server's clock."""
    return datetime.now(UTC)


def _given(request: Request, scheme: str) -> str | None:
    """What follows this scheme in the Authorization header; None where it is another scheme."""
    words = get_authorization_header(request).decode("latin-1").split()
    if not words or words[0].lower() != scheme:
        return None
    return words[1] if len(words) == 2 else ""


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer tide_...``, a personal token."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        given = _given(request, "bearer")
        if given is None:
            return None
        row = tokens.find(given, now())
        if row is None:
            raise exceptions.AuthenticationFailed("This token is not, or no longer, valid.")
        return row.user, row

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class LinkAuthentication(BaseAuthentication):
    """``Authorization: Link <link>.<token>``, a watcher's link: reads without an account."""

    def authenticate(self, request: Request) -> tuple[Any, LinkKey] | None:
        given = _given(request, "link")
        if given is None:
            return None
        link, _, token = given.partition(".")
        return AnonymousUser(), LinkKey(link, token)


class SignedIn(BasePermission):
    """A user, by session or token; a token that may only read does not send."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        token = request.auth
        if isinstance(token, ApiToken) and not token.may_send and request.method not in ("GET", "HEAD"):
            raise exceptions.PermissionDenied("This token may only read.", "read_only_token")
        return True


class MayRead(BasePermission):
    """A user, or whoever holds a link; what they see is decided when the campaign is opened."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user.is_authenticated) or isinstance(request.auth, LinkKey)


class Throttle(SimpleRateThrottle):
    """So many requests a minute for each user, or address without one; reads and commands are counted apart."""

    def __init__(self) -> None:
        """Rates are read when asked, see :meth:`allow_request`."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        kind = "read" if request.method in ("GET", "HEAD") else "send"
        self.scope = f"api-{kind}" if request.user.is_authenticated else "api-nobody"
        self.rate = f"{settings.API_RATES[self.scope]}/min"
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: APIView) -> str:
        who = str(request.user.pk) if request.user.is_authenticated else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": who}


class AlwaysJson(BaseContentNegotiation):
    """There is one form of every answer, whatever a client says that it accepts."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        wanted = (request.content_type or "").partition(";")[0].strip().lower()
        return next((p for p in parsers if p.media_type == wanted), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type


class RawJson(BaseParser):
    """Leaves a JSON body as bytes: the command's own type decodes it."""

    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        longest: int = getattr((parser_context or {}).get("view"), "longest_body", LONGEST_BODY)
        body: bytes = stream.read(longest + 1)
        if len(body) > longest:
            right = f"at most {longest} bytes"
            raise Refused("too_large", "The body is too large.", field="body", right=right)
        return body


class Address(APIView):
    """Base of every address of the API."""

    authentication_classes: Sequence[type[BaseAuthentication]] = (TokenAuthentication, SessionAuthentication)
    permission_classes: Sequence[type[BasePermission]] = (SignedIn,)
    parser_classes: Sequence[type[BaseParser]] = (RawJson,)
    throttle_classes = (Throttle,)
    content_negotiation_class = AlwaysJson
    metadata_class = None

    def get_exception_handler(self) -> Any:
        """Refusals and faults leave as problems."""
        return problems.handle

    @property
    def body(self) -> bytes:
        """The JSON body of the request; empty where there is none."""
        data = self.request.data
        return data if isinstance(data, bytes) else b""

    @property
    def user(self) -> int:
        """Id of the user who asks."""
        return cast(int, self.request.user.pk)

    @property
    def who(self) -> int | LinkKey:
        """Who asks: a user's id, or a link."""
        if isinstance(self.request.auth, LinkKey):
            return self.request.auth
        return self.user

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """What one person may see is kept by nobody on the way."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
