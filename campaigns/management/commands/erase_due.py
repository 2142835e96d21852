"""Erase the campaigns whose owners asked for it and whose days of grace are over: ``manage.py erase_due``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from campaigns.erasing import erase_due


class Command(BaseCommand):
    """The same as the job does."""

    help = "Erase campaigns whose erasure was asked for and whose days of grace are over."

    def handle(self, *_args: Any, **_options: Any) -> None:
        for erasure in erase_due(timezone.now()):
            self.stdout.write(f"{erasure.campaign}: {erasure.name}, {erasure.events} events erased.")
