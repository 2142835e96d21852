"""Check campaigns of this server, or an exported file: ``manage.py verify [CAMPAIGN|FILE ...]``."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from campaigns.models import Campaign
from campaigns.store.checking import Report
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign
from rules.refusal import Refused


class Command(BaseCommand):
    """Walks hash chains and recomputes dice; exit code 1 where anything is not as it was recorded."""

    help = "Check the history and the dice of campaigns (all without arguments) or of exported files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", nargs="*", help="campaign ids or exported files")

    def handle(self, *_args: Any, **options: Any) -> None:
        broken = 0
        for name, report in self._reports(options["what"]):
            self.stdout.write(f"{name}: {report.says()}")
            for finding in report.findings if len(report.findings) > 1 else ():
                self.stdout.write(f"  {finding}")
            broken += not report.sound
        if broken:
            raise CommandError(f"{broken} not in order.")

    def _reports(self, wanted: list[str]) -> Iterator[tuple[str, Report]]:
        for what in wanted or [str(pk) for pk in Campaign.objects.order_by("pk").values_list("pk", flat=True)]:
            try:
                yield what, verify_file(Path(what)) if Path(what).is_file() else verify_campaign(UUID(what))
            except ValueError:
                raise CommandError(f"{what} is neither a campaign's id nor a file.") from None
            except Refused as refused:
                raise CommandError(f"{what}: {refused}") from None
