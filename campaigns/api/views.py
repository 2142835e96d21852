"""Addresses that are neither a registered command nor a registered read: one's campaigns, tokens, the catalogue."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import registry, tokens
from campaigns.api.access import Address, LinkAuthentication, MayRead, TokenAuthentication, now
from campaigns.api.bodies import from_json, from_query
from campaigns.api.reading import Ask, Read
from campaigns.api.schema import KEY_HEADER, failures
from campaigns.api.sending import Sent, start_campaign
from campaigns.commands.starting import StartCampaign
from campaigns.door import opened
from campaigns.models import ApiToken, Member
from rules.refusal import Refused


class ReadView(Address):
    """Answers one registered read."""

    authentication_classes = (TokenAuthentication, LinkAuthentication, SessionAuthentication)
    permission_classes = (MayRead,)
    entry: Read

    def get(self, request: Request, campaign: UUID, **path: Any) -> Response:
        """1. Who looks?  2. Does the read exist for them?  3. What they see."""
        instant = now()
        with opened(campaign, self.who, instant) as (state, viewer):
            if viewer.role not in self.entry.roles:
                right = " or ".join(sorted(self.entry.roles))
                raise Refused(
                    "not_allowed", "This is not yours to read.", field="actor", value=viewer.role, right=right
                )
            # Only now: who may not read learns nothing of what could be asked.
            query = from_query(request.query_params.dict(), self.entry.query)
            answer = self.entry.function(Ask(campaign, state, viewer, path, query, instant))
            return Response(msgspec.to_builtins(answer))


class MyCampaign(msgspec.Struct):
    """A campaign one has a seat in."""

    campaign: str
    name: str
    role: str
    is_owner: bool
    member: str
    calendar: str
    erase_asked_at: datetime | None


class MyCampaigns(msgspec.Struct):
    """One's campaigns, by name."""

    campaigns: list[MyCampaign]


class CampaignsView(Address):
    """The campaigns one has a seat in, and the beginning of new ones."""

    @extend_schema(operation_id="campaigns", summary="My campaigns", responses={200: MyCampaigns, **failures(401, 429)})
    def get(self, request: Request) -> Response:
        """Those at whose table you sit."""
        seats = Member.objects.filter(user_id=self.user).exclude(role="").select_related("campaign")
        found = [
            MyCampaign(
                str(s.campaign_id), s.campaign.name, s.role, s.is_owner, s.member, s.campaign.calendar,
                s.campaign.deleted_at,
            )
            for s in seats.order_by("campaign__name", "campaign_id")
        ]  # fmt: skip
        return Response(msgspec.to_builtins(MyCampaigns(found)))

    @extend_schema(
        operation_id="start_campaign",
        summary="Start a campaign",
        parameters=[KEY_HEADER],
        request=StartCampaign,
        responses={201: Sent, **failures(400, 401, 403, 409, 413, 415, 429)},
    )
    def post(self, request: Request) -> Response:
        """The sender becomes its owner and first GM. The same Idempotency-Key begins one campaign only."""
        return start_campaign(request, self.user, self.body)


class TokenRead(msgspec.Struct):
    """A personal token. `token` itself is given once, when it is made."""

    id: int
    name: str
    may_send: bool
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    token: str | None = None


class TokensRead(msgspec.Struct):
    """One's personal tokens."""

    tokens: list[TokenRead]


class MakeToken(msgspec.Struct, forbid_unknown_fields=True):
    """A new personal token; `days` until it expires, null for never."""

    name: str
    days: int | None = 90
    may_send: bool = True


def _token_read(row: ApiToken, token: str | None = None) -> TokenRead:
    return TokenRead(row.pk, row.name, row.may_send, row.created_at, row.expires_at, row.used_at, token)


def _by_session(request: Request) -> None:
    """A token that was lost must not be able to make others or hide itself."""
    if isinstance(request.auth, ApiToken):
        right = "a signed-in browser session"
        raise Refused("not_allowed", "Tokens are made and revoked by their owner.", field="actor", right=right)


class TokensView(Address):
    """One's personal tokens."""

    @extend_schema(operation_id="tokens", summary="My API tokens", responses={200: TokensRead, **failures(401, 429)})
    def get(self, request: Request) -> Response:
        """Without their secrets, which nobody keeps."""
        rows = ApiToken.objects.filter(user_id=self.user).order_by("pk")
        return Response(msgspec.to_builtins(TokensRead([_token_read(row) for row in rows])))

    @extend_schema(
        operation_id="make_token",
        summary="Make an API token",
        request=MakeToken,
        responses={201: TokenRead, **failures(400, 401, 403, 409, 413, 415, 429)},
    )
    def post(self, request: Request) -> Response:
        """The answer holds the token, for this one time."""
        _by_session(request)
        asked = from_json(self.body, MakeToken)
        row, token = tokens.make(self.user, asked.name, asked.days, asked.may_send, now())
        return Response(msgspec.to_builtins(_token_read(row, token)), status=201)


class TokenView(Address):
    """One personal token."""

    @extend_schema(
        operation_id="revoke_token",
        summary="Revoke an API token",
        responses={204: OpenApiResponse(description="Revoked"), **failures(401, 403, 404, 429)},
    )
    def delete(self, request: Request, token: int) -> Response:
        """It opens nothing any more."""
        _by_session(request)
        gone, _ = ApiToken.objects.filter(user_id=self.user, pk=token).delete()
        if not gone:
            raise Refused("not_found", "You have no such token.", field="token", value=token)
        return Response(status=204)


class CommandRead(msgspec.Struct):
    """A command that may be sent: `body` is the JSON Schema of its fields, `roles` who may send it."""

    name: str
    title: str
    roles: list[str]
    body: dict[str, Any]


class CommandsRead(msgspec.Struct):
    """Every command there is."""

    commands: list[CommandRead]


class CommandsView(Address):
    """The catalogue of commands, for programs that build their forms from it."""

    @extend_schema(operation_id="commands", summary="All commands", responses={200: CommandsRead, **failures(401, 429)})
    def get(self, request: Request) -> Response:
        """Each with the JSON Schema of its body."""
        kinds = sorted(registry.commands.values(), key=lambda kind: kind.name)
        found = [CommandRead(k.name, k.title, sorted(k.roles), msgspec.json.schema(k.body)) for k in kinds]
        return Response(msgspec.to_builtins(CommandsRead(found)))


@lru_cache(maxsize=1)
def described() -> bytes:
    """The OpenAPI document, JSON. Made once a process: it takes a second and depends on the program alone."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    text: bytes = OpenApiJsonRenderer().render(document, renderer_context={})
    return text


class SchemaView(Address):
    """The OpenAPI description of all this, for anybody."""

    permission_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """As JSON."""
        return HttpResponse(described(), content_type="application/json")


class NotFound(Address):
    """Every other address below the API's."""

    permission_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request, **_path: Any) -> Response:
        """Says so as a problem."""
        raise Refused("not_found", "There is nothing at this address.")

    post = put = patch = delete = get
