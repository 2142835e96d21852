"""A campaign full of hidden things, each marked by a word that occurs nowhere else, and everybody around it.

To extend: a function marked ``@hides`` puts something hidden into the world and says by which words it would be known
again and who may see them. Everything else follows by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import time_machine
from django.contrib.auth.models import User

from campaigns.commands.affiliations import BeginAffiliation
from campaigns.commands.containers import OpenContainer
from campaigns.commands.making import BeginDraft, ChooseDraft
from campaigns.commands.notices import AddHook
from campaigns.commands.packs import AddPack
from campaigns.commands.pictures import AddPicture, DescribePicture
from campaigns.commands.pursuits import AdvancePursuit, ClaimAdvance, WritePursuit
from campaigns.commands.seats import MakeLink, RemoveMember
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject, PutAwaySubject
from campaigns.links import token_of
from campaigns.notices.telling import tell
from campaigns.parts.containers import Containers
from campaigns.store import read, states
from campaigns.tokens import make as make_token
from tests.campaigns.photos import handout, photo, portrait
from tests.campaigns.tables import Table
from tests.identity.season import START, Season, make_season, utc

# Kinds of viewers. "host" is a superuser without a seat, "staff" enters the admin and runs nothing.
OWNER, GM2, PIA, PAUL, WIM = "owner", "gm2", "pia", "paul", "wim"
LINK, GONE, STRANGER, NOBODY, STAFF, HOST = "link", "gone", "stranger", "nobody", "staff", "host"
VIEWERS = (OWNER, GM2, PIA, PAUL, WIM, LINK, GONE, STRANGER, NOBODY, STAFF, HOST)
GMS = frozenset({OWNER, GM2})
NOW = utc(2026, 1, 20, 12)
OTHERS = tuple(v for v in VIEWERS if v not in GMS and v != HOST)


@dataclass(frozen=True)
class Canary:
    """A word that only these viewers may ever be answered with."""

    what: str
    word: str
    seen_by: frozenset[str]


@dataclass
class World:
    """The campaign, who is who, the canaries, and ids by the names that addresses and commands use for them."""

    season: Season
    users: dict[str, int]
    watch: tuple[str, str]
    canaries: list[Canary] = field(default_factory=list)
    ids: dict[str, list[str]] = field(default_factory=dict)

    @property
    def table(self) -> Table:
        return self.season.table

    def hide(self, what: str, word: str, seen_by: frozenset[str] = GMS | {HOST}) -> None:
        """Notes a word that must reach nobody but these."""
        self.canaries.append(Canary(what, word, seen_by))

    def know(self, name: str, some_id: str) -> None:
        """Notes an id that addresses and commands call by this name."""
        self.ids.setdefault(name, []).append(some_id)


Hide = Callable[[World], None]
_hides: list[Hide] = []


def hides(function: Hide) -> Hide:
    """Decorator of what puts something hidden into the world."""
    _hides.append(function)
    return function


def word() -> str:
    """A canary: it looks like nothing that occurs by itself."""
    return f"Canary{uuid4().hex[:12]}"


def make_world() -> World:
    """The whole campaign, before anything hidden; :func:`hide_all` adds that."""
    season = make_season()
    table = season.table
    with time_machine.travel(START, tick=False):
        for name in ("gus", "rita"):
            table.users[name] = User.objects.create_user(f"{name}-{uuid4().hex[:8]}").pk
        table.seat("gus", "gm")
        gone = table.seat("rita", "player")
        table.send("olga", RemoveMember(member=gone))
        made: Any = table.send("olga", MakeLink(role="watcher", days=None)).events[0].event
    staff = User.objects.create_user(f"staff-{uuid4().hex[:8]}", is_staff=True).pk
    host = User.objects.create_superuser(f"host-{uuid4().hex[:8]}").pk
    who = {OWNER: "olga", GM2: "gus", PIA: "pia", PAUL: "paul", WIM: "wim", GONE: "rita", STRANGER: "stan"}
    users = {kind: table.users[name] for kind, name in who.items()} | {STAFF: staff, HOST: host}
    world = World(season, users, (made.link, token_of(table.campaign_id, made.link)))
    for name in ("olga", "pia", "paul"):
        world.know("member", table.member(name))
    for subject in (season.talyne, season.house):
        world.know("subject", subject)
    with time_machine.travel(START, tick=False):
        table.send("olga", AddPack(pack="wake"))
        world.know("subject", table.character("pia", "Rell", "sailor"))
        made = table.send("pia", WritePursuit(kind="joint", words="The vault")).events[0].event
        world.know("pursuit", made.pursuit)
    return world


def hide_all(world: World) -> None:
    """Adds everything hidden, and lets whom it concerns be told; time stands at :data:`NOW`."""
    for function in _hides:
        function(world)
    tell(world.table.campaign_id)


@hides
def a_hidden_subject(world: World) -> None:
    """Its name, and the id it goes by."""
    name = word()
    made: Any = world.table.send("olga", CreateSubject(kind="character", name=name, hidden=True)).events[0].event
    world.hide("name of a hidden subject", name)
    world.hide("id of a hidden subject", made.subject)
    world.know("subject", made.subject)


@hides
def a_hidden_subject_put_away(world: World) -> None:
    """That somebody hidden was put away, and why."""
    name, reason = word(), word()
    made: Any = world.table.send("olga", CreateSubject(kind="character", name=name, hidden=True)).events[0].event
    world.table.send("olga", PutAwaySubject(subject=made.subject, reason=reason))
    for what, said in (("name", name), ("id", made.subject), ("reason of putting away", reason)):
        world.hide(f"{what} of a hidden subject put away", said)
    world.know("subject", made.subject)


@hides
def a_hidden_scene(world: World) -> None:
    """Its title, and the id it goes by."""
    title = word()
    world.table.send("olga", OpenContainer(kind="scene", title=title, hidden=True))
    world.hide("title of a hidden scene", title)
    with states.held(world.table.campaign_id) as state:
        found = next(i for i, c in state.part(Containers).open.items() if c.title == title)
    world.hide("id of a hidden scene", found)
    world.know("container", found)


@hides
def a_webhook(world: World) -> None:
    """Its address is shown to nobody; what it is called and told is the GMs'."""
    name, secret = word(), word()
    command = AddHook(name=name, address=f"https://chat.example/{secret}", reads="player")
    made: Any = world.table.send("olga", command).events[0].event
    world.hide("name of a webhook", name)
    world.hide("id of a webhook", made.hook)
    world.hide("address of a webhook", secret, frozenset())
    world.hide("sealed address of a webhook", made.sealed, frozenset())
    world.know("hook", made.hook)


@hides
def a_hidden_body(world: World) -> None:
    """Who belongs to a body that nobody knows of, and as what."""
    name, standing = word(), word()
    made: Any = world.table.send("olga", CreateSubject(kind="faction", name=name, hidden=True)).events[0].event
    command = BeginAffiliation(subject=world.season.talyne, body=made.subject, standing=standing)
    belongs: Any = world.table.send("olga", command).events[0].event
    world.hide("name of a hidden body", name)
    world.hide("what somebody is in a hidden body", standing)
    world.know("affiliation", belongs.affiliation)
    world.know("body", made.subject)


@hides
def links(world: World) -> None:
    """Tokens of invitations; that for a GM is the owner's alone. Where a link is told, its token need not be."""
    for role, seen_by in (("player", GMS), ("gm", frozenset({OWNER}))):
        made: Any = world.table.send("olga", MakeLink(role=role)).events[0].event
        world.hide(f"token of a {role}'s invitation", token_of(world.table.campaign_id, made.link), seen_by)
        world.hide(f"id of a {role}'s invitation", made.link)
        world.know("link", made.link)
    world.hide("token of the watcher's link", world.watch[1], GMS | {LINK})


@hides
def seeds(world: World) -> None:
    """What dice seeds are derived from leaves to nobody before its end."""
    for event in read.events_after(world.table.campaign_id, 0):
        if event.type == "seed.committed":
            body: Any = event.event
            world.hide(f"nonce of the seed of {body.audience}", body.nonce, frozenset())


@hides
def accounts(world: World) -> None:
    """By which name and address people sign in, and their tokens, is theirs and the host's."""
    for kind, user in world.users.items():
        name, address = word(), f"{word()}@example.org"
        User.objects.filter(pk=user).update(username=name, email=address)
        world.hide(f"{kind}'s sign-in name", name, frozenset({kind, HOST}))
        world.hide(f"{kind}'s e-mail address", address, frozenset({kind, HOST}))
        world.hide(f"{kind}'s API token", make_token(user, "bot", None, True, START)[1], frozenset())


@hides
def a_sealed_mark(world: World) -> None:
    """A mark kept from the player of the character it is for."""
    note = word()
    mark = world.season.award("bold", 2026, 1, 6, sealed=True, note=note)
    world.hide("note of a sealed mark", note)
    world.hide("id of a sealed mark", mark)
    world.know("mark", mark)


@hides
def an_open_mark(world: World) -> None:
    """A mark that its player knows and the rest of the table does not."""
    note = word()
    mark = world.season.award("cautious", 2026, 1, 13, note=note)
    world.hide("note of a mark", note, GMS | {PIA, HOST})
    world.know("mark", mark)


@hides
def a_private_pursuit(world: World) -> None:
    """What a character is after, how it goes, and what the GM weighs of it, are its player's and the GMs'."""
    words, note, claim = word(), word(), word()
    rell = world.ids["subject"][2]
    made: Any = world.table.send("pia", WritePursuit(kind="own", owner=rell, words=words)).events[0].event
    world.table.send("olga", AdvancePursuit(pursuit=made.pursuit, note=note))
    world.table.send("pia", ClaimAdvance(pursuit=made.pursuit, note=claim))
    own = GMS | {HOST, PIA}
    world.hide("note of a private Pursuit", words, own)
    world.hide("how a private Pursuit advanced", note, own)
    world.hide("what is claimed for a private Pursuit", claim, own)
    world.know("pursuit", made.pursuit)


@hides
def sheets(world: World) -> None:
    """A character half made, a value of a sheet that its player knows, and a condition that nobody is told of."""
    table = world.table
    for pack in ("trait-tests", "frontiers-fantasy"):
        table.send("olga", AddPack(pack=pack))
    name, words = word(), word()
    begun: Any = table.send("pia", BeginDraft(pack="trait-tests", kind="character", name=name)).events[0].event
    table.send("pia", ChooseDraft(draft=begun.draft, choices={"concepts": [words]}))
    for what, canary in (("name", name), ("choice", words), ("id", begun.draft)):
        world.hide(f"{what} of a character half made", canary, GMS | {PIA, HOST})
    world.know("draft", begun.draft)
    pursuit = word()
    values = {"pursuit": pursuit}
    table.send("pia", ChangeSheet(subject=world.season.talyne, pack="frontiers-fantasy", values=values))
    world.hide("value of a sheet for its player alone", pursuit, GMS | {PIA, HOST})
    secret = ApplyCard(subject=world.season.talyne, pack="trait-tests", card="inspired", secret=True)
    applied: Any = table.send("olga", secret).events[0].event
    world.hide("id of a secret condition", applied.held)
    world.know("held", applied.held)
    world.know("pack", "trait-tests")


@hides
def pictures(world: World) -> None:
    """A map for the game master alone, a letter for one player, a hidden foe's face: their words, ids and bytes."""
    table = world.table
    made: Any = table.send("olga", CreateSubject(kind="character", name=word(), hidden=True)).events[0].event
    own = {GMS: "gm", GMS | {PIA}: "holders"}
    for seen_by, audience in own.items():
        title, alt = word(), word()
        shown_to = (world.season.talyne,) if audience == "holders" else ()
        letter = handout(photo(40, 20 + len(seen_by)), title=title, alt=alt, audience=audience, shown_to=shown_to)
        _hide_picture(world, letter, title, alt, seen_by | {HOST})
    face = word()
    _hide_picture(world, portrait(made.subject, photo(33, 44), title=face), face, "", GMS | {HOST})


def _hide_picture(world: World, command: AddPicture, title: str, alt: str, seen_by: frozenset[str]) -> None:
    event: Any = world.table.send("olga", command).events[0].event
    world.know("picture", event.picture)
    world.hide(f"title of a picture for {len(seen_by)}", title, seen_by)
    world.hide(f"id of a picture for {len(seen_by)}", event.picture, seen_by)
    world.hide(f"digest of a picture for {len(seen_by)}", event.digest, seen_by)
    if alt:
        world.hide(f"what is to be seen on a picture for {len(seen_by)}", alt, seen_by)
    anew = word()
    world.table.send("olga", DescribePicture(picture=event.picture, title=anew))
    world.hide(f"later title of a picture for {len(seen_by)}", anew, seen_by)
