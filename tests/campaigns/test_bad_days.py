"""Bad days: processes killed, connections cut, disks full, clocks set back, everybody at once."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import OperationalError, connection, transaction

from campaigns import entrance, models
from campaigns.commands.starting import RenameCampaign
from campaigns.store import read, states
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.outside import finish, start
from tests.campaigns.tables import Table
from tests.campaigns.throwing import Throw, Throws

# Every step of the entrance, by the name in `campaigns.entrance` whose call is the step; "+" is right behind it.
STEPS = ["_lock", "_context", "with_dice", "append", "append+", "project+", "take_in+", "announce"]

KILLED = """
from campaigns import entrance
def mortal(name):
    behind, name = name.endswith("+"), name.rstrip("+")
    step = getattr(entrance, name)
    def killed(*arguments):
        if behind:
            step(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(entrance, name, killed)
done = execute(campaign_id, Throw(name="before"), actor, command_id=uuid4())
for line in sys.stdin:
    mortal(line.strip())
    break
execute(campaign_id, Throw(name="killed", events=3), actor, command_id=UUID(sys.argv[3]))
"""


@pytest.mark.parametrize("step", STEPS)
def test_a_process_killed_at_any_step_leaves_the_command_whole_or_not_at_all(table: Table, step: str) -> None:
    command_id, committed = uuid4(), step == "announce"
    code, _ = finish(start(KILLED, table.campaign_id, table.users["pia"], command_id), step + "\n")
    assert code == -9
    found = read.events_of_command(table.campaign_id, command_id)
    assert len(found) == (3 if committed else 0)
    # The stream is sound, nobody is kept waiting, and the same command, sent again, is done once.
    assert verify_campaign(table.campaign_id).sound
    again = table.send("pia", Throw(name="killed", events=3), command_id)
    assert again.again is committed and len(again.events) == 3
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 4
    positions = list(models.Event.objects.order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, len(positions) + 1))


RACER = """
sys.stdin.readline()
answers = []
for i in range(int(sys.argv[3])):
    given = UUID(sys.argv[4]) if len(sys.argv) > 4 else uuid4()
    answer = execute(campaign_id, Throw(name="race", events=1 + i % 3), actor, command_id=given)
    answers.append([str(e.id) for e in answer.events] + [answer.again])
import json
print(json.dumps(answers))
"""


def test_processes_with_the_same_command_id_do_it_once_and_answer_alike(table: Table) -> None:
    command_id = uuid4()
    racers = [start(RACER, table.campaign_id, table.users["pia"], 1, command_id) for _ in range(3)]
    answers = [json.loads(finish(racer, "go\n")[1])[0] for racer in racers]
    assert len({tuple(ids) for *ids, _again in answers}) == 1
    assert sorted(again for *_ids, again in answers) == [False, True, True]
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 1


def test_a_reader_under_four_writers_loses_nothing_and_sees_nothing_backwards(table: Table) -> None:
    writers = [start(RACER, table.campaign_id, table.users["pia"], 40) for _ in range(4)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    seen: list[int] = []
    while True:
        over = all(writer.poll() is not None for writer in writers)
        page = read.events_after(table.campaign_id, seen[-1] if seen else 0, 50)
        seen += [event.position for event in page]
        with states.held(table.campaign_id) as state:
            # A state is never ahead of or behind what it says it is.
            assert state.position >= (seen[-1] if seen else 0)
        if over and not page:
            break
    for writer in writers:
        finish(writer)
    assert seen == list(range(1, models.Campaign.objects.get().position + 1))
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 4 * sum(1 + i % 3 for i in range(40))
        assert states.refold(table.campaign_id, state.position).parts == state.parts
    assert verify_campaign(table.campaign_id).sound


def test_campaigns_do_not_wait_for_each_other(table: Table) -> None:
    """On PostgreSQL the lock is one campaign's; SQLite has one writer, who never waits for long."""
    if connection.vendor != "postgresql":
        assert connection.settings_dict["OPTIONS"]["timeout"] >= 10
        return
    from tests.campaigns.tables import make_table

    other = make_table()
    script = """
from django.db import transaction
from campaigns.store.append import lock_head
with transaction.atomic():
    lock_head(campaign_id)
    print("locked", flush=True)
    sys.stdin.readline()
"""
    holder = start(script, table.campaign_id, table.users["pia"])
    assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
    other.send("pia", Throw(name="free"))
    # What looks across campaigns walks their heads: it sees the free one move and the held one stand.
    heads = dict(models.Campaign.objects.values_list("id", "position"))
    assert heads[other.campaign_id] == len(read.events_after(other.campaign_id, 0))
    finish(holder, "\n")


def test_a_slow_transaction_hides_nothing_that_a_walker_passed(table: Table) -> None:
    """Whoever walks the heads can never pass an event that is not committed yet: positions are given under the lock."""
    script = """
from campaigns import entrance
project = entrance.project
def slow(*arguments):
    project(*arguments)
    print("appended", flush=True)
    sys.stdin.readline()
entrance.project = slow
execute(campaign_id, Throw(name="slow"), actor, command_id=uuid4())
"""
    before = models.Campaign.objects.get().position
    slow = start(script, table.campaign_id, table.users["pia"])
    assert slow.stdout is not None and slow.stdout.readline() == "appended\n"
    assert models.Campaign.objects.get().position == before
    assert read.events_after(table.campaign_id, before) == []
    finish(slow, "\n")
    table.send("pia", Throw(name="after"))
    assert [e.position for e in read.events_after(table.campaign_id, before)] == [before + 1, before + 2]


def fails_once(monkeypatch: pytest.MonkeyPatch, name: str, fail: object) -> list[int]:
    """Lets a step of the entrance fail the first time it is reached."""
    step, calls = getattr(entrance, name), []

    def failing(*arguments: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            fail()
        return step(*arguments)

    monkeypatch.setattr(entrance, name, failing)
    return calls


class _StateError(Exception):
    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


@pytest.mark.parametrize("sqlstate", ["40001", "40P01", "57P01", "08006"])
def test_deadlocks_and_serialization_failures_are_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch, sqlstate: str
) -> None:
    def fail() -> None:
        raise OperationalError("could not serialize") from _StateError(sqlstate)

    calls = fails_once(monkeypatch, "project", fail)
    table.send("pia", Throw(name="a"))
    assert len(calls) == 2
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 1
    assert verify_campaign(table.campaign_id).sound


def test_other_failures_are_not_tried_again_and_leave_no_trace(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("no such thing")

    before = models.Campaign.objects.get().position
    calls = fails_once(monkeypatch, "project", fail)
    with pytest.raises(OperationalError):
        table.send("pia", Throw(name="a"))
    assert len(calls) == 1 and models.Campaign.objects.get().position == before
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 0


def test_a_connection_cut_in_the_middle_is_opened_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut() -> None:
        if connection.vendor != "postgresql":
            raise OperationalError("the connection is closed")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    command_id = uuid4()
    fails_once(monkeypatch, "project", cut)
    table.send("pia", Throw(name="a"), command_id)
    assert len(read.events_of_command(table.campaign_id, command_id)) == 1
    assert verify_campaign(table.campaign_id).sound


def test_a_clock_set_back_does_not_turn_history_around(table: Table) -> None:
    table.send("pia", Throw(name="a"))
    with time_machine.travel(datetime.now(UTC) - timedelta(days=3)):
        table.send("pia", Throw(name="b"))
    table.send("pia", Throw(name="c"))
    times = [event.recorded_at for event in read.events_after(table.campaign_id, 0)]
    assert times == sorted(times)
    assert verify_campaign(table.campaign_id).sound


def test_a_full_disk_gives_a_clear_refusal_and_an_intact_file(table: Table) -> None:
    if connection.vendor != "sqlite":
        # PostgreSQL says 53100 then; what becomes of it is the same code.
        from campaigns.store.troubles import refuse_if_full

        error = OperationalError("could not extend file")
        error.__cause__ = _StateError("53100")
        with pytest.raises(Refused) as caught:
            refuse_if_full(error)
        assert caught.value.code == "storage_full"
        return
    before = models.Campaign.objects.get().position
    with connection.cursor() as cursor:
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    try:
        with pytest.raises(Refused) as caught:
            for _ in range(300):
                table.send("pia", Throw(name="x", note="n" * 4000, events=5))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")
    assert caught.value.code == "storage_full" and caught.value.right
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert verify_campaign(table.campaign_id).sound
    assert models.Campaign.objects.get().position >= before
    table.send("olga", RenameCampaign(name="Room again"))


def test_a_command_inside_somebody_elses_transaction_is_refused(table: Table) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        table.send("pia", Throw(name="a"))


def test_a_command_while_the_state_is_held_is_a_mistake_that_says_so(table: Table) -> None:
    with pytest.raises(RuntimeError, match="held"), states.held(table.campaign_id):
        table.send("pia", Throw(name="a"))


def test_locks_of_campaigns_nobody_works_with_are_forgotten(table: Table) -> None:
    table.send("pia", Throw(name="a"))
    assert table.campaign_id not in states._locks
