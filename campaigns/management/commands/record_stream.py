"""Record a campaign's stream for the tests: ``manage.py record_stream CAMPAIGN FILE``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from campaigns.recording import record
from rules.refusal import Refused


class Command(BaseCommand):
    """For those who work on Tidebook: see tests/campaigns/streams."""

    help = "Write a campaign's events and state as a recorded stream, to be kept in the tests."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID)
        parser.add_argument("file", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with options["file"].open("w", encoding="utf-8") as target:
                count = record(options["campaign"], target)
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{count} events recorded in {options['file']}.")
