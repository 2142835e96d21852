"""The demo's fight, in a campaign of its own: four ready-made characters against robbers, one of them unseen.

It has begun, and the first turn is a player's, so that whoever signs in finds a board that waits for them.
"""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID, uuid5

from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting, StartCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.entrance import Answer
from campaigns.links import token_of
from campaigns.models import Event
from campaigns.packs import Packs
from campaigns.registry import Command
from campaigns.store import states
from encounters.commands.preparing import BeginEncounter, JoinEncounter, PrepareEncounter
from rules.sizing.foes import numbers_of

FIGHT = UUID("0198a000-7de0-7000-8000-000000000002")
PACK = "frontiers-fantasy"
WIDTH, HEIGHT = 16, 9
# Ready-made character, who plays it, its square and initiative.
PARTY = (
    ("blade", "tal", 4, 3, 17),
    ("flame", "tal", 2, 4, 12),
    ("wall", "bryn", 4, 5, 10),
    ("shepherd", "bryn", 3, 6, 8),
)
# Card, name, square, initiative, unseen.
ROAD = (
    ("roadman_captain", "Captain Hask", 11, 4, 14, False),
    ("roadman", "Roadman 1", 9, 3, 11, False),
    ("roadman", "Roadman 2", 9, 5, 11, False),
    ("roadman", "Roadman 3", 10, 6, 11, False),
    ("roadman", "The one below the bridge", 6, 8, 5, True),
)


class Story(Protocol):
    """Sends a command of the demo under an id named after its place in it."""

    def tell(self, place: str, who: str, command: Command) -> Answer:
        """Answers what came of it."""


def build(story: Story, people: dict[str, str]) -> None:
    """Makes what of it is not there yet. ``people`` are names by account, the game master's first."""
    if Event.objects.filter(campaign_id=FIGHT, command_id=uuid5(FIGHT, "begin")).exists():
        return
    gm, *players = people
    story.tell("start", gm, StartCampaign(name="The Toll Bridge", owner_name=people[gm], packs={PACK: ""}))
    for who in players:
        link = _came(story.tell(f"invite {who}", gm, MakeLink(role="player", days=None, uses=1))).link
        story.tell(f"join {who}", who, JoinByLink(link=link, token=token_of(FIGHT, link), name=people[who]))
    story.tell("watchers", gm, MakeLink(role="watcher", days=None))
    story.tell("typed", gm, ChangeSetting(setting="typed_dice", value=True))
    ready = PrepareEncounter(title="Who pays the toll", pack=PACK, foes="words", seconds=60, width=WIDTH, height=HEIGHT)
    encounter = _came(story.tell("prepare", gm, ready)).encounter
    order: dict[str, int] = {}
    for name, who, x, y, initiative in PARTY:
        subject = _character(story, name, who)
        order[subject] = initiative
        join = JoinEncounter(encounter=encounter, subject=subject, side="party", x=x, y=y)
        story.tell(f"in {name}", gm, join)
    for card, name, x, y, initiative, hidden in ROAD:
        subject = _foe(story, gm, card, name, hidden)
        order[subject] = initiative
        join = JoinEncounter(encounter=encounter, subject=subject, side="road", x=x, y=y, hidden=hidden)
        story.tell(f"in {name}", gm, join)
    story.tell("begin", gm, BeginEncounter(encounter=encounter, initiative=order))


def _came(answer: Answer) -> Any:
    return answer.events[0].event


def _character(story: Story, name: str, who: str) -> str:
    begun = _came(story.tell(f"draft {name}", who, BeginDraft(pack=PACK, kind="character", ready=name)))
    done = story.tell(f"finish {name}", who, FinishDraft(draft=begun.draft))
    return next(str(one.event.subject) for one in done.events if hasattr(one.event, "subject"))


def _foe(story: Story, gm: str, card: str, name: str, hidden: bool) -> str:
    made = story.tell(f"foe {name}", gm, CreateSubject(kind="adversary", name=name, hidden=hidden))
    subject = str(_came(made).subject)
    with states.held(FIGHT) as state:
        numbers = numbers_of(Packs(state).get(PACK), "adversary", card)
    story.tell(f"numbers {name}", gm, ChangeSheet(subject=subject, pack=PACK, values=numbers))
    story.tell(f"card {name}", gm, ApplyCard(subject=subject, pack=PACK, card=card, secret=True))
    return subject
