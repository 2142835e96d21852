"""The `eventsourcing` library doing the ledger's work. A worker of `ledger`, run in the rivals' environment."""

import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eventsourcing.application import Application  # noqa: E402
from eventsourcing.domain import Aggregate, event  # noqa: E402

from tests.bench.works import PAYLOAD, body, rolls_of, work  # noqa: E402


class Bench(Application):
    name = "bench"
    is_snapshotting_enabled = True


class Encounter(Aggregate):
    @event("Started")
    def __init__(self):
        self.rolls = 0
        self.passes = 0
        self.marks = {}
        self.hp = {}

    @event("Noted")
    def note(self, actor: str, die: int, face: int, mod: int, dc: int, passed: bool, note: str):
        self.rolls += 1
        self.passes += passed

    @event("Rolled")
    def rolled(self, actor: str, die: int, face: int, mod: int, dc: int, passed: bool):
        self.rolls += 1
        self.passes += passed

    @event("Marked")
    def marked(self, actor: str, trait: str, week: int):
        key = actor + trait
        self.marks[key] = self.marks.get(key, 0) + 1

    @event("Hurt")
    def hurt(self, actor: str, amount: int):
        self.hp[actor] = self.hp.get(actor, 0) - amount

    @event("Healed")
    def healed(self, actor: str, amount: int):
        self.hp[actor] = self.hp.get(actor, 0) + amount


def application(url, create="n"):
    to = urlsplit(url)
    return Bench(
        env={
            "PERSISTENCE_MODULE": "eventsourcing.postgres",
            "POSTGRES_DBNAME": to.path[1:],
            "POSTGRES_HOST": to.hostname,
            "POSTGRES_PORT": str(to.port),
            "POSTGRES_USER": to.username,
            "POSTGRES_PASSWORD": "x",
            "CREATE_TABLE": create,
        }
    )


def prepare(url):
    # Once for all: several processes that create the tables at a time fail.
    application(url, "y").close()


def append(url, count, batch, go):
    """Saves an aggregate with `batch` new events, until there are `count`."""
    app, encounter = application(url), Encounter()
    app.save(encounter)
    go()
    for _ in range(count // batch):
        for _ in range(batch):
            encounter.note(**PAYLOAD)
        app.save(encounter)
    app.close()
    return count


def replay(url, count, go):
    """Gets an aggregate of `count` events from its repository."""
    app, encounter = application(url), Encounter()
    for i in range(count):
        name, fields = body(i)
        getattr(encounter, name)(**fields)
        if i % 1000 == 999:
            app.save(encounter)
    app.save(encounter)
    go()
    assert app.repository.get(encounter.id).rolls == rolls_of(count)
    app.close()
    return count


def reopen(url, tail, times, go):
    """Gets an aggregate with a snapshot and `tail` events behind it, `times` times."""
    app, encounter = application(url), Encounter()
    for i in range(1000 + tail):
        name, fields = body(i)
        getattr(encounter, name)(**fields)
        if i % 500 == 499:
            app.save(encounter)
    app.save(encounter)
    app.take_snapshot(encounter.id, version=1001)
    go()
    for _ in range(times):
        app.repository.get(encounter.id)
    app.close()
    return times


if __name__ == "__main__":
    work({"prepare": prepare, "append": append, "replay": replay, "reopen": reopen})
