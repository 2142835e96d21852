"""Two lines of work: what is due waits for one piece of a simulation at most, however many stand in line."""

from __future__ import annotations

from pathlib import Path

from kombu import Connection, Message

from campaigns.tasks import do_due
from deploy.celery import app
from encounters.tasks import fight_on


def line_of(task: object) -> str:
    route = app.amqp.router.route({}, task.name)  # type: ignore[attr-defined]
    return str(route["queue"].name)


def test_simulations_stand_in_a_line_of_their_own() -> None:
    assert line_of(fight_on) == "simulations"
    assert line_of(do_due) == "celery"
    assert set(app.amqp.queues.consume_from) == {"celery", "simulations"}  # a worker told nothing takes from both


def test_a_worker_takes_from_both_lines_in_turn(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "control").mkdir()
    folders = {"data_folder_in": str(tmp_path / "queue"), "data_folder_out": str(tmp_path / "queue")}
    folders["control_folder"] = str(tmp_path / "control")
    with Connection(transport="deploy.broker:Transport", transport_options=folders) as connection:
        taken: list[str] = []
        queues = [app.amqp.queues[name](connection.default_channel) for name in ("simulations", "celery")]
        for queue in queues:
            queue.declare()
        for line in ("simulations",) * 4 + ("celery",):
            connection.Producer().publish({}, routing_key=line)

        def take(_: object, message: Message) -> None:
            taken.append(message.delivery_info["routing_key"])
            message.ack()

        with connection.Consumer(queues, callbacks=[take]):
            for _ in range(5):
                connection.drain_events(timeout=5)
    assert taken.index("celery") <= 1
