"""How a campaign's dice have fallen: ``manage.py dice_statistics CAMPAIGN``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand

from campaigns.dice_statistics import tallies


class Command(BaseCommand):
    """Faces seen and expected, and whether the deviation is remarkable."""

    help = "Show how often each face of each kind of die has come up in a campaign."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID)

    def handle(self, *_args: Any, **options: Any) -> None:
        found = tallies(options["campaign"])
        if not found:
            self.stdout.write("No dice have fallen yet.")
        for tally in found:
            self.stdout.write(f"{tally.name}: {tally.total} dice, {tally.expected:.1f} of each face expected")
            self.stdout.write("  " + "  ".join(f"{face}: {seen}" for face, seen in tally.faces.items()))
            self.stdout.write(f"  {tally.says}")
