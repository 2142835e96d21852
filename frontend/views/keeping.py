"""Safe keeping: checking the ledger, downloading it, bringing one in from another server."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from campaigns import checks
from campaigns.transfer.downloads import download
from campaigns.transfer.uploads import MOST_BYTES, import_upload
from frontend import pages
from frontend.seat import at_table, look
from rules.refusal import Refused


@at_table
def keeping(request: HttpRequest, campaign_id: UUID) -> HttpResponseBase:
    """Check and download, for members."""
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher:
            raise Http404
        context: dict[str, Any] = {**pages.frame(state, seat, "keeping")}
    act, refusal = request.POST.get("act") if request.method == "POST" else None, None
    try:
        if act == "check":
            report = checks.check_ledger(seat.viewer)
            context |= {"report": report, "said": checks.said(report, seat.viewer)}
        elif act in ("seen", "whole"):
            assert request.user.pk is not None
            return download(request, campaign_id, request.user.pk, whole=act == "whole")
    except Refused as found:
        refusal = found
    return pages.show(request, "pages/keeping.html", context, refusal)


@login_required
def bring_in(request: HttpRequest) -> HttpResponse:
    """A whole export becomes a campaign here, owned by whoever brings it."""
    refusal = None
    if request.method == "POST":
        try:
            return _bring_in(request, request.FILES.get("file"))
        except Refused as found:
            refusal = found
    context = {"refusal": refusal, "most": MOST_BYTES >> 20, "nav_campaigns": True}
    return render(request, "pages/bring_in.html", context, status=422 if refusal else 200)


def _bring_in(request: HttpRequest, file: UploadedFile | None) -> HttpResponse:
    if file is None:
        raise Refused("empty", "Choose the file.", field="file", right="a whole export of a campaign")
    assert request.user.pk is not None
    with tempfile.NamedTemporaryFile(suffix=".tidebook.gz") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
        kept.flush()
        done = import_upload(Path(kept.name), request.user.pk)
    messages.success(request, f"The campaign is here, with {done.events} entries. The others need invitations.")
    return HttpResponseRedirect(reverse("campaign", args=[done.campaign_id]))
