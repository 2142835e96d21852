"""Take in an exported campaign: ``manage.py import_campaign FILE --owner USERNAME``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from campaigns.transfer.importing import import_campaign
from rules.refusal import Refused


class Command(BaseCommand):
    """Checked whole before anything is written."""

    help = "Import a campaign from a file that export_campaign wrote."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, metavar="USERNAME", help="who gets the owner's seat here")
        parser.add_argument(
            "--match-usernames", action="store_true", help="seat the other members' namesakes of this server too"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        owner = get_user_model()._default_manager.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"Nobody here is called {options['owner']}.")
        try:
            done = import_campaign(options["file"], owner.pk, match_names=options["match_usernames"])
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror or error}") from None
        except Refused as refused:
            raise CommandError(f"{options['file']}: {refused}") from None
        self.stdout.write(f"{done.campaign_id}: {done.events} events; {len(done.seated)} members have an account here.")
