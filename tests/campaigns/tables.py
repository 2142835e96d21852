"""A table to test at: a campaign with an owner, a player, a watcher and a stranger, made by commands."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib.auth.models import User

from campaigns.audience import Viewer, viewer_of
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.starting import StartCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.context import Actor
from campaigns.entrance import Answer, execute, found
from campaigns.links import token_of
from campaigns.parts.table import Table as TablePart
from campaigns.registry import Command
from campaigns.store import states


@dataclass
class Table:
    """A campaign and the user ids of those around it."""

    campaign_id: UUID
    users: dict[str, int]

    def send(self, who: str, command: Command, command_id: UUID | None = None, expected: int | None = None) -> Answer:
        """Sends a command as one of the users, or as a job where ``who`` is ``job:<name>``."""
        actor = Actor(job=who[4:]) if who.startswith("job:") else Actor(user=self.users[who])
        return execute(self.campaign_id, command, actor, command_id=command_id or uuid4(), expected=expected)

    def member(self, who: str) -> str:
        """The member id of a user."""
        with states.held(self.campaign_id) as state:
            return state.part(TablePart).member_of(self.users[who])

    def viewer(self, who: str) -> Viewer:
        """How a user looks at the campaign; ``link`` is a watcher without account."""
        if who == "link":
            return Viewer(self.campaign_id, "watcher")
        with states.held(self.campaign_id) as state:
            return viewer_of(state, self.campaign_id, self.users[who])

    def seat(self, who: str, role: str) -> str:
        """Lets a user in by a link of this role; returns the member id."""
        made = self.send("olga", MakeLink(role=role)).events[0].event
        self.send(who, JoinByLink(link=made.link, token=token_of(self.campaign_id, made.link), name=who.title()))
        return self.member(who)

    def character(self, who: str, name: str = "Talyne", kind: str = "character") -> str:
        """Makes a character for a player; returns the subject id."""
        return self.send(who, CreateSubject(kind=kind, name=name)).events[0].event.subject


def make_table(packs: dict[str, str] | None = None) -> Table:
    """Olga owns and runs it, Pia and Paul play, Wim watches, Stan is a stranger."""
    names = ("olga", "pia", "paul", "wim", "stan")
    users = {name: User.objects.create_user(f"{name}-{uuid4().hex[:8]}").pk for name in names}
    table = Table(uuid4(), users)
    start = StartCampaign(name="The Long Tide", owner_name="Olga", packs=packs or {})
    found(table.campaign_id, start, Actor(user=users["olga"]), command_id=uuid4())
    for who, role in (("pia", "player"), ("paul", "player"), ("wim", "watcher")):
        table.seat(who, role)
    return table
