"""Many campaigns whose season is over: one is played by commands, the others are copies of it with ids and dice seeds
of their own. The workers of `closes`.
"""

import hashlib
import os
import resource
import statistics
import sys
import time
import zlib
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import django
import msgspec
import psycopg
import time_machine

from tests.bench.works import work

os.environ["DATABASE_URL"] = sys.argv[2]
os.environ.setdefault("TIDEBOOK_SECRET_KEY", "for benchmarks only " * 3)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, models  # noqa: E402

from campaigns import state as folding  # noqa: E402
from campaigns.commands.calendar import ClosePeriod, StartCalendar, close_id  # noqa: E402
from campaigns.commands.starting import StartCampaign  # noqa: E402
from campaigns.commands.subjects import CreateSubject  # noqa: E402
from campaigns.context import Actor  # noqa: E402
from campaigns.entrance import execute, found  # noqa: E402
from campaigns.events import Draft, Stamp  # noqa: E402
from campaigns.models import Campaign, Event  # noqa: E402
from campaigns.parts.seeds import Seeds  # noqa: E402
from campaigns.parts.subjects import SubjectRenamed  # noqa: E402
from campaigns.registry import projections, trails  # noqa: E402
from campaigns.seeds import seed_bytes  # noqa: E402
from campaigns.store import states  # noqa: E402
from campaigns.store.append import Origin, append, head_of  # noqa: E402
from campaigns.tasks import BATCH, CAMPAIGNS_A_TICK, do_all, do_due, due_campaigns  # noqa: E402
from deploy.memory import settle  # noqa: E402
from identity.commands.marks import AwardMark  # noqa: E402
from identity.commands.pairs import EnterPairs  # noqa: E402

CHARACTERS, PAIRS = 6, 4
SIDES = ("bold", "patient", "proud", "open")
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
# The first season ends on Monday, 2 February 2026; its weeks have been closed as they came.
OVER = datetime(2026, 2, 2, 0, 0, 30, tzinfo=UTC)
EVENTS = "campaigns_event"


class Play:
    """A campaign played by its GM."""

    def __init__(self) -> None:
        self.id, self.actor = uuid4(), Actor(user=User.objects.create_user(uuid4().hex).pk)
        start = StartCampaign(name="Bench", owner_name="Olga", packs={"spindrift-identity": ""})
        found(self.id, start, self.actor, command_id=uuid4())

    def send(self, command):
        return execute(self.id, command, self.actor, command_id=uuid4())

    def live_on(self, subject: str, events: int) -> None:
        """So many events go by, a hundred a command, with the snapshots that the entrance would keep."""
        head = head_of(self.id)
        for start in range(0, events, 100):
            drafts = [
                Draft(SubjectRenamed(subject=subject, name=f"Name {i}", old_name=f"Name {i - 1}"))
                for i in range(start, min(start + 100, events))
            ]
            origin = Origin("member:bench", uuid4(), bytes(32), START, "spindrift-identity@1.0.0")
            head, _ = append(head, drafts, origin, [Stamp()] * len(drafts))
        if events:
            with states.held(self.id) as state:
                states.snapshot(self.id, state)


def played(extra: int) -> UUID:
    """A campaign of six characters with four marked pairs each at its season's end, and `extra` events of a past."""
    with time_machine.travel(START, tick=False):
        play = Play()
        play.send(StartCalendar(zone="Europe/London", starts_on=date(2026, 1, 5)))
        made = [play.send(CreateSubject(kind="character", name=f"C{i}")) for i in range(CHARACTERS)]
        subjects = [answer.events[0].event.subject for answer in made]
        for subject in subjects:
            play.send(EnterPairs(subject=subject, ratings=dict.fromkeys(SIDES, 12)))
        play.live_on(subjects[0], extra)
    for week, side in enumerate(SIDES):
        at = datetime(2026, 1, 6, 20, tzinfo=UTC) + timedelta(weeks=week)
        with time_machine.travel(at, tick=False):
            for subject in subjects:
                play.send(AwardMark(subject=subject, side=side, at=at, consequential=True))
        if week < len(SIDES) - 1:
            with time_machine.travel(at + timedelta(days=6), tick=False):
                assert do_all(play.id, at + timedelta(days=6)) == 1
    with time_machine.travel(OVER - timedelta(seconds=20), tick=False):
        close = ClosePeriod(rung="week", number=len(SIDES))
        execute(play.id, close, Actor(job="calendar"), command_id=close_id(play.id, "week", len(SIDES), 1))
    return play.id


class Copier:
    """Makes copies of a campaign: its rows with other ids, its dice seeds promised anew, for a seed knows its owner."""

    def __init__(self, template: UUID) -> None:
        self.template = template
        self.db = psycopg.connect(os.environ["DATABASE_URL"].replace("postgres://", "postgresql://"))
        names = [f.column for f in Event._meta.concrete_fields]
        self.columns = ", ".join(["campaign_id", "id", *(n for n in names if n not in ("campaign_id", "id"))])
        self.at = {name: place for place, name in enumerate(self.columns.split(", "))}
        sql = f"SELECT {self.columns} FROM {EVENTS} WHERE campaign_id = %s ORDER BY position"
        self.events = self.db.execute(sql, (template,)).fetchall()
        sql = "SELECT position, schema, state FROM campaigns_snapshot WHERE campaign_id = %s ORDER BY position DESC"
        self.snapshot = self.db.execute(sql, (template,)).fetchone()

    def copy(self, count: int) -> list[UUID]:
        """`count` copies; their ids."""
        made = [uuid4() for _ in range(count)]
        with self.db.cursor() as cursor:
            with cursor.copy(f"COPY {EVENTS} ({self.columns}) FROM STDIN") as to:
                for campaign in made:
                    for event in self.events:
                        to.write_row(self._event(campaign, event))
            for model in (Campaign, *(p.model for p in (*projections.values(), *trails.values()))):
                self._rows(cursor, model, made)
            if self.snapshot is not None:
                lines = [(campaign, *self.snapshot[:2], self._state(campaign)) for campaign in made]
                into = "INSERT INTO campaigns_snapshot (campaign_id, position, schema, state) VALUES (%s, %s, %s, %s)"
                cursor.executemany(into, lines)
        self.db.commit()
        return made

    def _event(self, campaign: UUID, event: tuple) -> tuple:
        row = [campaign, uuid4(), *event[2:]]
        if row[self.at["type"]] == "seed.committed":
            told = msgspec.json.decode(row[self.at["data"]])
            told["commitment"] = commitment(campaign, told["audience"], told["number"], told["nonce"])
            row[self.at["data"]] = msgspec.json.encode(told, order="deterministic").decode()
        return tuple(row)

    def _state(self, campaign: UUID) -> bytes:
        state = folding.thaw(zlib.decompress(bytes(self.snapshot[2])), self.snapshot[0])
        for audience, seed in state.part(Seeds).running.items():
            seed.commitment = commitment(campaign, audience, seed.number, seed.nonce)
        return zlib.compress(folding.freeze(state), 1)

    def _rows(self, cursor: psycopg.Cursor, model: type[models.Model], made: list[UUID]) -> None:
        own = "id" if model is Campaign else "campaign_id"
        copied = getattr(self, "_copied", set())
        if model._meta.db_table in copied:
            return
        self._copied = {*copied, model._meta.db_table}
        others = [f.column for f in model._meta.concrete_fields if f.column not in ("id", own)]
        columns = ", ".join(others)
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({own}, {columns})"
            f" SELECT made, {columns} FROM {model._meta.db_table}, unnest(%s::uuid[]) made WHERE {own} = %s",
            (made, self.template),
        )


def commitment(campaign: UUID, audience: str, number: int, nonce: str) -> str:
    """What promises a seed of this campaign."""
    return hashlib.sha256(seed_bytes(campaign, audience, number, nonce)).hexdigest()


def prepare(_url: str) -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def fill(_url: str, campaigns: int, extra: int, go) -> int:
    """Makes `campaigns` whose season is over, with `extra` events of a past; their ids lie in `bench_due`."""
    copier = Copier(played(extra))
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_due (place serial PRIMARY KEY, id uuid NOT NULL)")
        cursor.execute("TRUNCATE bench_due RESTART IDENTITY")
        go()
        for start in range(0, campaigns, 500):
            made = copier.copy(min(500, campaigns - start))
            copier._copied = set()
            cursor.execute("INSERT INTO bench_due (id) SELECT unnest(%s::uuid[])", [made])
        # What was made for other rounds is due no more.
        cursor.execute(
            "UPDATE campaigns_campaign SET due_at = NULL"
            " WHERE due_at IS NOT NULL AND id NOT IN (SELECT id FROM bench_due)"
        )
        cursor.execute("VACUUM ANALYZE")
    return len(copier.events)


def close(_url: str, worker: int, workers: int, go) -> dict[str, float]:
    """Closes what is due in this worker's share, in batches, as the job does it; how many, and memory on the way."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM bench_due WHERE place %% %s = %s ORDER BY place", [workers, worker])
        ids = [str(row[0]) for row in cursor.fetchall()]
    memory = []
    # As a worker does when it starts.
    settle()
    go()
    with time_machine.travel(OVER, tick=False):
        for start in range(0, len(ids), BATCH):
            do_due(ids[start : start + BATCH])
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return {"closed": len(ids), "early": memory[min(len(memory) - 1, 10)], "late": memory[-1]}


def search(_url: str, campaigns: int, go) -> float:
    """Finds the due among `campaigns`, of which one in a hundred is due; milliseconds of one search."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE campaigns_campaign CASCADE")
        cursor.execute(
            "INSERT INTO campaigns_campaign (id, position, digest, recorded_at, name, calendar, due_at)"
            " SELECT gen_random_uuid(), 0, '', now(), '', '', %s::timestamptz + make_interval(mins => n)"
            " FROM generate_series(1 - %s / 100, %s - %s / 100) n",
            [OVER, campaigns, campaigns, campaigns],
        )
        cursor.execute("VACUUM ANALYZE campaigns_campaign")
    due_campaigns(OVER, CAMPAIGNS_A_TICK)
    go()
    took = []
    for _ in range(20):
        began = time.perf_counter()
        found = due_campaigns(OVER, CAMPAIGNS_A_TICK)
        took.append(time.perf_counter() - began)
    assert len(found) == campaigns // 100, len(found)
    return statistics.median(took) * 1000


def floor(_url: str, go) -> int:
    """COPY of the events that the closes recorded, as they are, into a table with the same indexes; how many."""
    with psycopg.connect(os.environ["DATABASE_URL"].replace("postgres://", "postgresql://")) as db:
        db.execute("DROP TABLE IF EXISTS bench_floor")
        db.execute(f"CREATE TABLE bench_floor (LIKE {EVENTS} INCLUDING ALL)")
        mine = f"SELECT e.* FROM {EVENTS} e JOIN bench_due d ON d.id = e.campaign_id WHERE e.recorded_at >= %s"
        with db.cursor() as cursor:
            with cursor.copy(f"COPY ({mine} ORDER BY d.place, e.position) TO STDOUT (FORMAT binary)", (OVER,)) as out:
                blocks = [bytes(block) for block in out]
            db.commit()
            go()
            with cursor.copy("COPY bench_floor FROM STDIN (FORMAT binary)") as to:
                for block in blocks:
                    to.write(block)
            written = cursor.rowcount
        db.commit()
    return written


if __name__ == "__main__":
    work({"prepare": prepare, "fill": fill, "close": close, "search": search, "floor": floor})
