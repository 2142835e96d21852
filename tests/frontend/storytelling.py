"""Text of Python that begins a campaign on a site under test, to be run there (`Site.run`) with what follows.

It leaves `campaign`, `users` (ids by name), `tell(who, command)` (answers the first event), `started(name, *packs)` and
`joined(who, name)`, which lets a player in.
"""

STORY = """
import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from django.contrib.auth.models import User
from campaigns.commands.calendar import StartCalendar
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.starting import AskErasure, StartCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.context import Actor
from campaigns.entrance import execute, found
from campaigns.links import token_of

campaign, users = uuid4(), {name: User.objects.get(username=name).pk for name in ("marin", "tal")}

def tell(who, command, send=execute):
    return send(campaign, command, Actor(user=users[who]), command_id=uuid4()).events[0].event

def started(name, *packs):
    return tell("marin", StartCampaign(name=name, owner_name="Marin", packs=dict.fromkeys(packs, "")), found)

def joined(who, name):
    link = tell("marin", MakeLink(role="player")).link
    return tell(who, JoinByLink(link=link, token=token_of(campaign, link), name=name))
"""
