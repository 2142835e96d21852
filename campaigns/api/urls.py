"""Addresses of the API: fixed ones, then one for each registered read and command."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path, re_path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from campaigns import registry
from campaigns.api import picture_files, transfers, views
from campaigns.api.access import Address
from campaigns.api.reading import Read, reads
from campaigns.api.schema import command_operation, read_operation
from campaigns.api.sending import SendCommand, Sent, UnknownCommand
from campaigns.registry import CommandType

app_name = "api"
ONE = "campaigns/<uuid:campaign>"


def described(base: type[Address], method: str, operation: dict[str, Any], **given: Any) -> type[Address]:
    """A view class of its own for one command or read, so that the description can tell them apart."""

    def answer(self: Address, request: Request, *args: Any, **kwargs: Any) -> Any:
        return getattr(base, method)(self, request, *args, **kwargs)

    return type(base.__name__, (base,), {**given, method: extend_schema(**operation)(answer)})


def _read_address(entry: Read) -> URLPattern:
    view = described(views.ReadView, "get", read_operation(entry), entry=entry)
    return path(f"{ONE}/{entry.path}" if entry.path else ONE, view.as_view(), name=f"read_{entry.name}")


def _command_address(kind: CommandType) -> URLPattern:
    view = described(SendCommand, "post", command_operation(kind, Sent), kind=kind)
    return path(f"{ONE}/commands/{kind.name}", view.as_view(), name=f"send_{kind.name}")


# Starting makes a campaign, so it is no command to one.
STARTS = "campaign.start"

urlpatterns = [
    path("campaigns", views.CampaignsView.as_view(), name="campaigns"),
    path("campaigns/import", transfers.ImportView.as_view(), name="import"),
    path(f"{ONE}/check", transfers.CheckView.as_view(), name="check"),
    path(f"{ONE}/export", transfers.ExportView.as_view(), name="export"),
    path(f"{ONE}/pictures/upload", picture_files.UploadView.as_view(), name="upload_picture"),
    path(f"{ONE}/pictures/<str:picture>/file", picture_files.PictureFileView.as_view(), name="picture_file"),
    path("commands", views.CommandsView.as_view(), name="commands"),
    path("tokens", views.TokensView.as_view(), name="tokens"),
    path("tokens/<int:token>", views.TokenView.as_view(), name="token"),
    path("schema", views.SchemaView.as_view(), name="schema"),
    *(_read_address(entry) for entry in reads.values()),
    *(_command_address(kind) for kind in registry.commands.values() if kind.name != STARTS),
    path(f"{ONE}/commands/<str:name>", extend_schema(exclude=True)(UnknownCommand).as_view(), name="send_unknown"),
    re_path("", extend_schema(exclude=True)(views.NotFound).as_view(), name="nowhere"),
]
