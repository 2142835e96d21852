"""Bring a pack of a table's own: ``manage.py bring_pack CAMPAIGN PATH --as USERNAME``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from campaigns.commands.own_packs import BringPack
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.parts.packs import PackBrought
from campaigns.parts.table import Table
from campaigns.rule_files import as_text, uploaded
from campaigns.store import states
from rules.packs.source import read_folder
from rules.problems import PackError
from rules.refusal import Refused


class Command(BaseCommand):
    """The same as a game master does on the page Rules; a folder is taken as well."""

    help = "Bring a pack of a table's own into its campaign, from a folder, a zip or one YAML file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID)
        parser.add_argument("path", type=Path)
        parser.add_argument("--as", required=True, dest="username", metavar="USERNAME", help="a game master's account")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = get_user_model()._default_manager.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"Nobody here is called {options['username']}.")
        path: Path = options["path"]
        try:
            command = BringPack(files=_files(path))
            sent = execute(options["campaign"], command, Actor(user=user.pk), command_id=uuid4())
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror or error}") from None
        except (PackError, Refused) as error:
            raise CommandError(str(error)) from None
        self._say(options["campaign"], [event.event for event in sent.events])

    def _say(self, campaign: UUID, events: list[Any]) -> None:
        brought = next((event for event in events if isinstance(event, PackBrought)), None)
        if brought is None:
            self.stdout.write("This very content was brought before.")
            return
        with states.held(campaign) as state:
            played = state.part(Table).packs.get(brought.pack) == brought.version
        stands = "is played now" if played else "waits on the page Rules, to be moved to"
        self.stdout.write(f"{brought.pack} {brought.version} {stands}.")


def _files(path: Path) -> dict[str, str]:
    """The files of a folder, a zip or one YAML file."""
    return as_text(read_folder(path)) if path.is_dir() else uploaded(path.name, path.read_bytes())
