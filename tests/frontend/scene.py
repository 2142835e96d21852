"""A fight prepared in a campaign of its own for tests in browsers: run by `manage.py shell` of the site under test.

Marin runs it; Tal plays Ana, who stands beside one of two roadmen on a grid of 12 by 8; watchers come by a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.services.site import Site

SCENE = """
import json
from uuid import uuid4
from django.contrib.auth.models import User
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting, StartCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.context import Actor
from campaigns.entrance import execute, found
from campaigns.links import token_of
from encounters.commands.preparing import JoinEncounter, PrepareEncounter
campaign, pack = uuid4(), "frontiers-fantasy"
users = {name: Actor(user=User.objects.get(username=name).pk) for name in ("marin", "tal")}
def tell(who, command, send=execute):
    return send(campaign, command, users[who], command_id=uuid4()).events[0].event
tell("marin", StartCampaign(name="Low Water", owner_name="Marin", packs={pack: ""}), found)
link = tell("marin", MakeLink(role="player")).link
tell("tal", JoinByLink(link=link, token=token_of(campaign, link), name="Tal"))
watch = tell("marin", MakeLink(role="watcher", days=None)).link
tell("marin", ChangeSetting(setting="typed_dice", value=True))
ana = tell("tal", CreateSubject(kind="character", name="Ana")).subject
numbers = {"level": 2, "score": {"vigor": 14, "deft": 14, "resolve": 12}, "weapon_die": 8}
tell("marin", ChangeSheet(subject=ana, pack=pack, values=numbers))
ford = PrepareEncounter(title="At the ford", pack=pack, foes="words", seconds=60, width=12, height=8)
fight = tell("marin", ford).encounter
def join(subject, side, x, y):
    tell("marin", JoinEncounter(encounter=fight, subject=subject, side=side, x=x, y=y))
join(ana, "party", 3, 3)
names = {"Ana": ana}
for name, x, y in (("Reeve", 4, 3), ("Tollman", 9, 5)):
    names[name] = tell("marin", CreateSubject(kind="adversary", name=name)).subject
    tell("marin", ChangeSheet(subject=names[name], pack=pack, values={"tier": 1, "hp_max": 12, "pd": 13, "md": 12}))
    tell("marin", ApplyCard(subject=names[name], pack=pack, card="roadman", secret=True))
    join(names[name], "road", x, y)
print("SCENE " + json.dumps([str(campaign), fight, f"/join/{campaign}/{watch}/{token_of(campaign, watch)}/", names]))
"""


@dataclass
class Scene:
    """Where the fight is found; ``names`` are ids by name."""

    campaign: str
    encounter: str
    watch: str
    names: dict[str, str]

    @property
    def board(self) -> str:
        """The address of the board."""
        return f"/c/{self.campaign}/encounters/{self.encounter}/"


def prepare(site: Site) -> Scene:
    """Makes the scene on a site that has the demo's people."""
    import json

    said = site.run(SCENE)
    told = re.search(r"SCENE (.*)", said)
    assert told, said
    return Scene(*json.loads(told[1]))
