"""Tidebook's own store doing the ledger's work. A worker of `ledger`."""

import os
import resource
import sys
from datetime import UTC, datetime
from uuid import uuid4

import django
import msgspec

from tests.bench.works import PAYLOAD, body, rolls_of, work

os.environ["DATABASE_URL"] = sys.argv[2]
os.environ.setdefault("TIDEBOOK_SECRET_KEY", "for benchmarks only " * 3)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, models  # noqa: E402

from campaigns import registry  # noqa: E402
from campaigns.commands.starting import StartCampaign  # noqa: E402
from campaigns.commands.subjects import CreateSubject, RenameSubject  # noqa: E402
from campaigns.context import Actor  # noqa: E402
from campaigns.entrance import execute, found  # noqa: E402
from campaigns.events import Draft, Event, Stamp, event_type  # noqa: E402
from campaigns.models import Campaign  # noqa: E402
from campaigns.models import Event as StoredEvent  # noqa: E402
from campaigns.rebuilding import rebuild as rebuilding  # noqa: E402
from campaigns.store import states  # noqa: E402
from campaigns.store.append import Head, Origin  # noqa: E402
from campaigns.store.append import append as appending  # noqa: E402


class Tally(msgspec.Struct):
    rolls: int = 0
    passes: int = 0
    marks: dict[str, int] = {}
    hp: dict[str, int] = {}


part = registry.part("bench", Tally)


class Noted(Event):
    actor: str
    die: int
    face: int
    mod: int
    dc: int
    passed: bool
    note: str


class Rolled(Event):
    actor: str
    die: int
    face: int
    mod: int
    dc: int
    passed: bool


class Marked(Event):
    actor: str
    trait: str
    week: int


class Hurt(Event):
    actor: str
    amount: int


class Healed(Event):
    actor: str
    amount: int


for one in (Noted, Rolled, Marked, Hurt, Healed):
    event_type(f"bench.{one.__name__.lower()}", shows={"gm": ("*",)}, says=lambda d, names: "")(one)


@part.evolves(Noted, Rolled)
def _rolled(tally, event, _position):
    tally.rolls += 1
    tally.passes += event.passed


@part.evolves(Marked)
def _marked(tally, event, _position):
    key = event.actor + event.trait
    tally.marks[key] = tally.marks.get(key, 0) + 1


@part.evolves(Hurt)
def _hurt(tally, event, _position):
    tally.hp[event.actor] = tally.hp.get(event.actor, 0) - event.amount


@part.evolves(Healed)
def _healed(tally, event, _position):
    tally.hp[event.actor] = tally.hp.get(event.actor, 0) + event.amount


def prepare(_url):
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def new_head():
    head = Head(uuid4(), 0, b"", datetime.now(UTC))
    models.QuerySet(Campaign).bulk_create([Campaign(id=head.campaign_id, recorded_at=head.recorded_at)])
    return head


def origin():
    return Origin("member:bench", uuid4(), bytes(32), datetime.now(UTC), "")


def append(_url, count, batch, go):
    """Bare appends of `batch` events until there are `count`, in a campaign of its own."""
    head, stamps = new_head(), [Stamp()] * batch
    go()
    for _ in range(count // batch):
        drafts = [Draft(Noted(**PAYLOAD)) for _ in range(batch)]
        head, _ = appending(head, drafts, origin(), stamps)
    return count


def entrance(_url, count, go):
    """Commands through the whole entrance: authorised, decided, appended, projected, announced."""
    user = User.objects.create_user(uuid4().hex)
    campaign_id, actor = uuid4(), Actor(user=user.pk)
    found(campaign_id, StartCampaign(name="Bench", owner_name="Olga"), actor, command_id=uuid4())
    made = execute(campaign_id, CreateSubject(kind="character", name="A"), actor, command_id=uuid4())
    subject = made.events[0].event.subject
    go()
    for i in range(count):
        execute(campaign_id, RenameSubject(subject=subject, name=f"Name {i}"), actor, command_id=uuid4())
    return count


def stream(count, size=500):
    """A campaign with `count` events to replay; its id."""
    head = new_head()
    for start in range(0, count, size):
        drafts = []
        for i in range(start, min(count, start + size)):
            name, fields = body(i)
            drafts.append(Draft(KINDS[name](**fields)))
        head, _ = appending(head, drafts, origin(), [Stamp()] * len(drafts))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaigns_event")
    return head.campaign_id


KINDS = {"rolled": Rolled, "marked": Marked, "hurt": Hurt, "healed": Healed}


def replay(_url, count, go):
    """Folds a stream of `count` events from its beginning."""
    campaign_id = stream(count)
    go()
    assert states.refold(campaign_id, count).part(Tally).rolls == rolls_of(count)
    return count


def reopen(_url, tail, times, go):
    """Opens a campaign with a snapshot and `tail` events behind it, `times` times, nothing kept in the process."""
    campaign_id = stream(1000 + tail)
    states.snapshot(campaign_id, states.refold(campaign_id, 1000))
    go()
    for _ in range(times):
        states.forget(campaign_id)
        with states.held(campaign_id):
            pass
    return times


def long_stream(count):
    """A campaign of `count` events made by the server itself, with a snapshot 100 events before its end; its id."""
    campaign_id = stream(1)
    with connection.cursor() as cursor:
        names = [f.column for f in StoredEvent._meta.concrete_fields]
        others = ", ".join(n for n in names if n not in ("id", "position", "command_id"))
        # The server's patience is for people, not for a million rows.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute(
            f"INSERT INTO campaigns_event (id, position, command_id, {others})"
            f" SELECT gen_random_uuid(), n, gen_random_uuid(), {others} FROM campaigns_event, generate_series(2, %s) n"
            " WHERE campaign_id = %s AND position = 1",
            [count, campaign_id],
        )
        cursor.execute("UPDATE campaigns_campaign SET position = %s WHERE id = %s", [count, campaign_id])
        cursor.execute("ANALYZE campaigns_event")
    state = states.refold(campaign_id, min(1000, count - 100))
    state.position = count - 100
    states.snapshot(campaign_id, state)
    return campaign_id


def open_long(_url, count, times, go):
    """Opens a campaign of `count` events `times` times."""
    campaign_id = long_stream(count)
    go()
    for _ in range(times):
        states.forget(campaign_id)
        with states.held(campaign_id):
            pass
    return times


def rebuild(_url, count, go):
    """Rebuilds a campaign of `count` events; answers the peak of memory that it added, in KiB."""
    campaign_id = long_stream(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    go()
    for _ in rebuilding(campaign_id):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


if __name__ == "__main__":
    work(
        {
            "prepare": prepare,
            "append": append,
            "entrance": entrance,
            "replay": replay,
            "reopen": reopen,
            "open_long": open_long,
            "rebuild": rebuild,
        }
    )
