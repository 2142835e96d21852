"""The demo campaign: three people, two characters, a house, a faction and a season under way, all made by commands; and
a fight in a second one (:mod:`deploy.demo.fight`).

Every command has an id that follows from its place in the story, so that building the demo again changes nothing, and
a demo that was interrupted half-way is finished by the next start.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid5

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from campaigns.commands.affiliations import BeginAffiliation
from campaigns.commands.calendar import StartCalendar
from campaigns.commands.calls import CallTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.starting import ChangeSetting, StartCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.context import Actor
from campaigns.entrance import Answer, execute, found
from campaigns.links import token_of
from campaigns.models import Event
from campaigns.registry import Command
from deploy.demo import fight
from identity.commands.marks import AwardMark
from identity.commands.pairs import EnterPairs

DEMO = UUID("0198a000-7de0-7000-8000-000000000001")
PACK = "spindrift-identity"
PASSWORD = "high-water"  # noqa: S105  (of demo accounts alone, on a server that answers this machine only)
PEOPLE = {"marin": "Marin", "tal": "Tal", "bryn": "Bryn"}

TALYNE = {"bold": 14, "trusting": 8, "merciful": 12, "forthright": 13, "open": 7, "passionate": 15, "proud": 11}
TALYNE |= {"dutiful": 9, "patient": 6, "conventional": 10}
BRYN = {"bold": 8, "trusting": 12, "merciful": 14, "forthright": 7, "open": 11, "passionate": 6, "proud": 5}
BRYN |= {"dutiful": 15, "patient": 13, "conventional": 12}
MERROW = {"dynastic": 15, "ancestral": 12, "insular": 9, "stewarding": 13, "harmonious": 11}
LAMPS = {"traditional": 7, "hierarchical": 5, "open": 12, "idealistic": 14, "insular": 6}


@dataclass
class Story:
    """Sends the commands of the demo, each under an id named after its place."""

    users: dict[str, User]
    campaign: UUID = DEMO

    def tell(self, place: str, who: str, command: Command) -> Answer:
        """Sends one command as one of the people."""
        actor = Actor(user=self.users[who].pk)
        send = found if isinstance(command, StartCampaign) else execute
        return send(self.campaign, command, actor, command_id=uuid5(self.campaign, place))

    def join(self, who: str) -> None:
        """Lets a player in by an invitation."""
        made = self.tell(f"invite {who}", "marin", MakeLink(role="player", days=None, uses=1)).events[0].event
        link: str = made.link  # type: ignore[attr-defined]
        self.tell(f"join {who}", who, JoinByLink(link=link, token=token_of(DEMO, link), name=PEOPLE[who]))

    def subject(self, who: str, kind: str, name: str, ratings: dict[str, int]) -> str:
        """Makes a subject with its pairs; answers its id."""
        made = self.tell(f"subject {name}", who, CreateSubject(kind=kind, name=name)).events[0].event
        subject: str = made.subject  # type: ignore[attr-defined]
        self.tell(f"pairs {name}", "marin", EnterPairs(subject=subject, ratings=ratings))
        return subject


def build() -> bool:
    """Makes what of the demo is not there yet; whether anything was missing."""
    users = {name: _user(name, shown) for name, shown in PEOPLE.items()}
    fight.build(Story(users, fight.FIGHT), PEOPLE)
    if Event.objects.filter(campaign_id=DEMO, command_id=uuid5(DEMO, "the end")).exists():
        return False
    story = Story(users)
    story.tell("start", "marin", StartCampaign(name="The Lantern Coast", owner_name="Marin", packs={PACK: ""}))
    for who in ("tal", "bryn"):
        story.join(who)
    story.tell("watchers", "marin", MakeLink(role="watcher", days=None))
    story.tell("publish", "marin", ChangeSetting(setting="publish_tests", value=True))
    story.tell("calendar", "marin", StartCalendar(zone="Europe/Lisbon", starts_on=_monday(weeks_ago=2)))
    talyne = story.subject("tal", "character", "Talyne", TALYNE)
    bryn = story.subject("bryn", "character", "Corin Ashe", BRYN)
    merrow = story.subject("marin", "house", "House Merrow", MERROW)
    lamps = story.subject("marin", "faction", "The Lamplighters", LAMPS)
    story.tell("talyne belongs", "marin", BeginAffiliation(subject=talyne, body=merrow, standing="Second daughter"))
    story.tell("corin belongs", "marin", BeginAffiliation(subject=bryn, body=lamps, standing="Keeper of a light"))
    _play(story, talyne, bryn, merrow, lamps)
    story.tell("the end", "marin", ChangeSetting(setting="typed_dice", value=True))
    return True


def _play(story: Story, talyne: str, bryn: str, merrow: str, lamps: str) -> None:
    """A first evening: a session, a deed, two marks, and a test that waits for its dice."""
    story.tell("session", "marin", OpenContainer(kind="session", title="The Drowned Stair"))
    story.tell("scene", "marin", OpenContainer(kind="scene", title="At the harbour wall", participants=(talyne, bryn)))
    # Of last week, so that whoever ends the season at once sees it roll.
    last_week = datetime.now(UTC) - timedelta(days=7)
    for place, who, side in (("mark talyne", talyne, "passionate"), ("mark bryn", bryn, "dutiful")):
        story.tell(place, "marin", AwardMark(subject=who, side=side, at=last_week, consequential=True))
    test = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": talyne},
        given={"pair": "bold_cautious"},
        decision="Wait, or face Captain Vael on the wall tonight?",
    )
    story.tell("test talyne", "marin", test)


def _user(name: str, shown: str) -> User:
    user, made = User.objects.get_or_create(username=name, defaults={"first_name": shown})
    if made:
        user.set_password(PASSWORD)
        user.save()
    EmailAddress.objects.filter(user=user).update(verified=True)
    return user


def _monday(weeks_ago: int) -> date:
    today = datetime.now(UTC).date()
    return today - timedelta(days=today.weekday(), weeks=weeks_ago)


def signing_in() -> str:
    """How to sign in, for people."""
    return (
        f'The demo campaigns "The Lantern Coast" and "The Toll Bridge" (a fight under way) are ready. Sign in as\n'
        f"  marin  the GM                            password {PASSWORD}\n"
        f"  tal    plays Talyne; has the first turn  password {PASSWORD}\n"
        f"  bryn   plays Corin Ashe                  password {PASSWORD}"
    )
