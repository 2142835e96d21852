"""What watchers are told of tests: as the campaign is set, or scene by scene by the GM's word. Ledger: SPI-140."""

from __future__ import annotations

from campaigns.context import Context
from campaigns.events import ALL, TABLE, Draft
from campaigns.packs import Packs
from campaigns.parts.calls import TestPublished, TestResolved
from campaigns.parts.containers import LATELY, Container, ContainerOpened, ContainerPublished, Containers
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.registry import Command, decides
from campaigns.state import State
from rules.refusal import Refused


class PublishContainer(Command):
    """Tells watchers what was and will be tested in a container that is open or ended lately; or (``published`` False)
    no more of it. What they were told stays told."""

    container: str
    published: bool = True


def is_published(state: State, container: str) -> bool:
    """Whether watchers are told tests in a container: as the campaign is set, or by the GM's word about it or one that
    holds it (SPI-140)."""
    everything = bool(state.part(Table).setting("publish_tests", False))
    return everything or any(one.published for one in state.part(Containers).holders(container))


def published(state: State, done: TestResolved, holders: tuple[str, ...], cause: int | None) -> Draft:
    """What watchers are told of a test: whose, about what, and what came of it."""
    subjects, tests = state.part(Subjects).by_id, Packs(state).get(done.pack).tests
    names = tests[done.test].spec.published if done.test in tests else ()
    event = TestPublished(
        call=done.call,
        title=done.title,
        holders=tuple(subjects[subject].name for subject in done.roles.values() if subject in subjects),
        decision=done.decision,
        result=done.outcome_title,
        facts={name: done.facts[name] for name in names if name in done.facts},
    )
    return Draft(event, audience=ALL, holders=holders, cause=cause)


@decides(PublishContainer, "container.publish", roles=["gm"], title="Publishing a scene")
def publish(state: State, command: PublishContainer, context: Context) -> list[Draft]:
    """Secret tests stay secret; each test is told once (SPI-140)."""
    found = state.part(Containers).known(command.container)
    if found is None:
        message, right = "It is neither open nor ended lately.", f"one of the last {LATELY} that ended"
        raise Refused("not_open", message, field="container", value=command.container, right=right)
    if found.hidden:
        raise Refused("still_hidden", "It is hidden from the table.", field="container", right="one that all may see")
    if found.published == command.published:
        return []
    event = ContainerPublished(container=command.container, title=found.title, published=command.published)
    return [
        Draft(event, audience=ALL),
        *(_untold(state, command.container, found, context) if command.published else []),
    ]


def _untold(state: State, container: str, found: Container, context: Context) -> list[Draft]:
    """What watchers have not been told of the open tests that were made in a container and all within it."""
    inside, told, tests = {container}, set(), []
    for recorded in context.events_of(("container.opened", "test.resolved", "test.published"), found.opened - 1):
        event = recorded.event
        if isinstance(event, ContainerOpened) and event.parent in inside and not event.hidden:
            inside.add(event.container)
        elif isinstance(event, TestPublished):
            told.add(event.call)
        elif isinstance(event, TestResolved) and event.container in inside and recorded.audience in (ALL, TABLE):
            tests.append((recorded, event))
    return [
        published(state, event, recorded.holders, recorded.position)
        for recorded, event in tests
        if event.call not in told
    ]
