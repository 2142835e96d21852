"""Checking a ledger on a member's wish, while others play: one check of a campaign at a time, and none done twice.

A check reads the whole stream, so its answer is kept for as long as nothing new was recorded.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from django.core.cache import cache

from campaigns.audience import Viewer
from campaigns.events import GM, WATCHER
from campaigns.store.append import head_of
from campaigns.store.checking import Finding, Report
from campaigns.verifying import verify_campaign, verify_seen
from rules.refusal import Refused

KEPT = 60 * 60
LONGEST = 15 * 60


def check_ledger(viewer: Viewer) -> Report:
    """The report for a member: a GM's names what is wrong anywhere, a player's what they may see. Refused to watchers,
    and while another check of the same campaign runs."""
    if viewer.role == WATCHER or not viewer.member:
        raise Refused("not_allowed", "Members check their ledger.", field="actor", right="a seat at the table")
    head = head_of(viewer.campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign")
    who = f"{viewer.audience_key}|{sorted(viewer.plays)}|{head.position}|{head.digest.hex()}"
    key = f"checked:{viewer.campaign_id.hex}:{hashlib.sha256(who.encode()).hexdigest()}"
    kept = cache.get(key)
    if kept is not None:
        return _thawed(kept)
    running = f"checking:{viewer.campaign_id.hex}"
    if not cache.add(running, 1, LONGEST):
        raise Refused("being_checked", "This ledger is being checked already.", right="a moment's patience")
    try:
        report = verify_campaign(viewer.campaign_id) if viewer.role == GM else verify_seen(viewer)
        cache.set(key, asdict(report), KEPT)
    finally:
        cache.delete(running)
    return report


def _thawed(kept: dict[str, Any]) -> Report:
    return Report(**{**kept, "findings": [Finding(**finding) for finding in kept["findings"]]})


def said(report: Report, viewer: Viewer) -> str:
    """The report in words for this viewer: positions, and how much is hidden, are the game master's to know."""
    if viewer.role == GM:
        return report.says()
    seen = report.events - report.hidden
    what = f"{seen} entries that you see, {report.dice} dice of {report.seeds} seeds"
    waits = f"; {report.sealed_says()}" if report.sealed else ""
    typed = f"; {report.typed} dice were typed in by hand" if report.typed else ""
    if report.sound:
        return f"In order: {what}{waits}{typed}. Nothing was changed, left out or put in between."
    return f"Broken: not everything is as it was recorded. Tell your game master, who sees where. Checked: {what}."
