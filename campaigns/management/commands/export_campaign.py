"""Write a campaign to a file: ``manage.py export_campaign CAMPAIGN FILE [--as USERNAME]``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from campaigns.transfer.exporting import export_seen, export_whole
from rules.refusal import Refused


class Command(BaseCommand):
    """Whole, or as one member sees the campaign."""

    help = "Export a campaign to one compressed file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID)
        parser.add_argument("file", type=Path)
        parser.add_argument("--as", dest="member", metavar="USERNAME", help="only what this member may see")

    def handle(self, *_args: Any, **options: Any) -> None:
        file: Path = options["file"]
        part = file.with_name(file.name + ".part")
        try:
            with part.open("wb") as target:
                if options["member"]:
                    header = export_seen(options["campaign"], target, _user(options["member"]))
                else:
                    header = export_whole(options["campaign"], target)
            part.replace(file)
        except Refused as refused:
            raise CommandError(str(refused)) from None
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"{header.name}: {header.position} events in {file}.")


def _user(name: str) -> int:
    user = get_user_model()._default_manager.filter(username=name).first()
    if user is None:
        raise CommandError(f"Nobody here is called {name}.")
    return int(user.pk)
