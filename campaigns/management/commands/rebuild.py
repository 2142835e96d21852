"""Make states and projected tables anew from the events: ``manage.py rebuild [CAMPAIGN ...]``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from campaigns.models import Campaign
from campaigns.pictures import look_over
from campaigns.rebuilding import rebuild
from rules.refusal import Refused


class Command(BaseCommand):
    """Runs beside the server: a campaign waits only while its tables are written."""

    help = "Rebuild projections and snapshots of campaigns (all without arguments) from their events."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", nargs="*", type=UUID)

    def handle(self, *_args: Any, **options: Any) -> None:
        wanted = options["campaign"] or list(Campaign.objects.order_by("pk").values_list("pk", flat=True))
        for number, campaign_id in enumerate(wanted, 1):
            try:
                for done, of in rebuild(campaign_id):
                    self.stdout.write(f"[{number}/{len(wanted)}] {campaign_id}: {done} of {of} events")
            except Refused as refused:
                raise CommandError(str(refused)) from None
            for finding in filter(None, look_over(campaign_id, 1 << 62)):
                # Nothing makes these bytes anew: an export or a backup may still hold them.
                self.stderr.write(f"[{number}/{len(wanted)}] {campaign_id}: {finding}")
            self.stdout.write(f"[{number}/{len(wanted)}] {campaign_id}: done")
