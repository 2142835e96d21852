"""A stretch of play that sends most commands of `campaigns`: for recordings, and to compare ways to a state."""

from __future__ import annotations

from campaigns.commands.containers import CloseContainer, OpenContainer, PauseContainer
from campaigns.commands.seats import ChangeRole, HandOverOwnership, Leave, MakeLink, RevokeLink
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.starting import AskErasure, ChangeSetting, RenameCampaign, WithdrawErasure
from campaigns.commands.subjects import CreateSubject, HandOverSubject, RenameSubject, RevealSubject
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import cursor_of
from campaigns.registry import Command
from tests.campaigns.tables import Table


def entry(table: Table, position: int) -> str:
    return cursor_of(table.campaign_id, position)


def play(table: Table) -> None:
    """Every kind of event that the store, the seats, subjects and containers know, a void and its lifting included."""
    hero = table.character("pia", "Talyne")
    foe = table.send("olga", CreateSubject(kind="character", name="Wrack", hidden=True)).events[0].event.subject
    session = table.send("olga", OpenContainer(kind="session", title="One")).events[0].event.container
    scene = table.send("olga", OpenContainer(kind="scene", title="The quay")).events[0].event.container
    steps: list[tuple[str, Command]] = [
        ("olga", RenameCampaign(name="The Long Tide, again")),
        ("olga", ChangeSetting(setting="typed_dice", value=True)),
        ("pia", RenameSubject(subject=hero, name="Talyne of the Reeds")),
        ("pia", HandOverSubject(subject=hero, players=(table.member("pia"), table.member("paul")))),
        ("olga", RevealSubject(subject=foe)),
        ("olga", PauseContainer(container=scene)),
        ("olga", ChangeRole(member=table.member("paul"), role="gm")),
        ("olga", HandOverOwnership(member=table.member("paul"))),
        ("paul", AskErasure(name="The Long Tide, again")),
        ("paul", WithdrawErasure()),
        ("wim", Leave()),
        ("olga", RenewSeeds()),
    ]
    for who, command in steps:
        table.send(who, command)
    slip = table.send("pia", RenameSubject(subject=hero, name="Slip")).position
    table.send("olga", VoidAction(entry=entry(table, slip), reason="A slip of the pen"))
    other = table.send("pia", RenameSubject(subject=hero, name="Talyne the Grey")).position
    void = table.send("olga", VoidAction(entry=entry(table, other), reason="Not yet")).position
    table.send("olga", RestoreAction(entry=entry(table, void), reason="Now it is"))
    link = table.send("olga", MakeLink(role="player", uses=3)).events[0].event.link
    table.send("olga", RevokeLink(link=link))
    table.send("olga", CloseContainer(container=session))
