"""The bare machine doing the ledger's work with psycopg and msgspec: the floors. A worker of `ledger`."""

import uuid

import msgspec
import psycopg

from tests.bench.works import RAW, body, rolls_of, work

DDL = """
CREATE TABLE IF NOT EXISTS floor_head (stream uuid PRIMARY KEY, version bigint NOT NULL);
CREATE TABLE IF NOT EXISTS floor_event (
    stream uuid NOT NULL, version bigint NOT NULL, kind text NOT NULL, data jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (stream, version));
"""
APPEND = (
    "WITH h AS (UPDATE floor_head SET version = version + %(n)s WHERE stream = %(s)s RETURNING version - %(n)s AS base)"
    " INSERT INTO floor_event (stream, version, kind, data)"
    " SELECT %(s)s, h.base + u.k, 'rolled', u.d FROM h, unnest(%(d)s::jsonb[]) WITH ORDINALITY AS u(d, k)"
)


class Rolled(msgspec.Struct, tag="rolled", tag_field="kind"):
    actor: str
    die: int
    face: int
    mod: int
    dc: int
    passed: bool


class Marked(msgspec.Struct, tag="marked", tag_field="kind"):
    actor: str
    trait: str
    week: int


class Hurt(msgspec.Struct, tag="hurt", tag_field="kind"):
    actor: str
    amount: int


class Healed(msgspec.Struct, tag="healed", tag_field="kind"):
    actor: str
    amount: int


class Raw(psycopg.adapt.Loader):
    """jsonb as the bytes that the server sends."""

    def load(self, data: psycopg.abc.Buffer) -> bytes:
        return bytes(data)


def prepare(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(DDL)


def append(url: str, count: int, batch: int, go) -> int:
    """Appends `count` events, `batch` a statement, gap-free in a stream of its own."""
    with psycopg.connect(url, autocommit=True) as connection:
        stream, cursor = uuid.uuid4(), connection.cursor()
        cursor.execute("INSERT INTO floor_head VALUES (%s, 0)", (stream,))
        parameters = {"s": stream, "n": batch, "d": [RAW] * batch}
        go()
        for _ in range(count // batch):
            cursor.execute(APPEND, parameters, prepare=True)
    return count


def replay(url: str, count: int, go) -> int:
    """Reads a stream of `count` jsonb events and folds it."""
    stream = uuid.uuid4()
    decode = msgspec.json.Decoder(Rolled | Marked | Hurt | Healed).decode
    with psycopg.connect(url, autocommit=True) as connection:
        with (
            connection.cursor() as cursor,
            cursor.copy("COPY floor_event (stream, version, kind, data) FROM STDIN") as to,
        ):
            for i in range(count):
                name, fields = body(i)
                to.write_row((stream, i, name, msgspec.json.encode({"kind": name, **fields}).decode()))
        connection.execute("ANALYZE floor_event")
        connection.adapters.register_loader("jsonb", Raw)
        go()
        rolls, marks, hp = 0, {}, {}
        sql = "SELECT data FROM floor_event WHERE stream = %s ORDER BY version"
        for (data,) in connection.execute(sql, (stream,)).fetchall():
            event = decode(data)
            if type(event) is Rolled:
                rolls += 1
            elif type(event) is Marked:
                key = event.actor, event.trait
                marks[key] = marks.get(key, 0) + 1
            else:
                sign = -1 if type(event) is Hurt else 1
                hp[event.actor] = hp.get(event.actor, 0) + sign * event.amount
    assert rolls == rolls_of(count)
    return count


if __name__ == "__main__":
    work({"prepare": prepare, "append": append, "replay": replay})
