"""Folded states: the newest one of each campaign a process works with, snapshots, and states of the past.

A state is changed in place, so only one thread may hold it: :func:`held` gives it under the campaign's lock of this
process. Whoever fails half-way calls :func:`forget`; the next one folds afresh.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import msgspec

from campaigns import state as folding
from campaigns.events import Draw, decode
from campaigns.models import Campaign, Snapshot
from campaigns.parts.seeds import Seeds, count
from campaigns.parts.voids import EventsVoided, VoidLifted, Voids
from campaigns.state import State
from campaigns.store import read

KEPT = 256
SNAPSHOT_EVERY = 500

_states: OrderedDict[UUID, State] = OrderedDict()
_locks: dict[UUID, threading.RLock] = {}
_guard = threading.Lock()
_dice = msgspec.json.Decoder(tuple[Draw, ...])


@contextmanager
def campaign_lock(campaign_id: UUID) -> Iterator[None]:
    """Lets one thread of this process at a time work with a campaign's state."""
    with _guard:
        lock = _locks.setdefault(campaign_id, threading.RLock())
    with lock:
        yield


def forget(campaign_id: UUID) -> None:
    """Throws the kept state away, because it may be half changed."""
    with _guard:
        _states.pop(campaign_id, None)


def keep(campaign_id: UUID, state: State) -> None:
    """Keeps a state as the newest known one; the least used of many is dropped."""
    with _guard:
        _states[campaign_id] = state
        _states.move_to_end(campaign_id)
        while len(_states) > KEPT:
            _states.popitem(last=False)


def current(campaign_id: UUID, position: int) -> State:
    """The state as of the head's ``position``; caller holds :func:`campaign_lock`."""
    with _guard:
        state = _states.get(campaign_id)
    if state is not None and state.position <= position and _catch_up(state, campaign_id, position):
        return state
    state = fold(campaign_id, position)
    keep(campaign_id, state)
    return state


@contextmanager
def held(campaign_id: UUID) -> Iterator[State]:
    """The newest committed state, for reading under the campaign's lock. Raises Campaign.DoesNotExist."""
    with campaign_lock(campaign_id):
        head = Campaign.objects.values_list("position", flat=True).get(id=campaign_id)
        yield current(campaign_id, head)


def fold(campaign_id: UUID, position: int) -> State:
    """The state as of a position, from the nearest usable snapshot and the events behind it."""
    schema = folding.schema_version()
    newest = (
        Snapshot.objects.filter(campaign_id=campaign_id, position__lte=position, schema=schema)
        .order_by("-position")
        .first()
    )
    state = State() if newest is None else folding.thaw(zlib.decompress(bytes(newest.state)), newest.position)
    if not _catch_up(state, campaign_id, position):
        # Only as-of states of before a void meet this: a later snapshot would hold what was voided since.
        state = State()
        _fold_range(state, campaign_id, position, _voided_upto(campaign_id, 0, position, {}))
    return state


def snapshot(campaign_id: UUID, state: State) -> None:
    """Keeps the state beside the stream, where the next process finds it."""
    Snapshot.objects.bulk_create(
        [
            Snapshot(
                campaign_id=campaign_id,
                position=state.position,
                schema=folding.schema_version(),
                state=zlib.compress(folding.freeze(state), 1),
            )
        ],
        ignore_conflicts=True,
    )


def drop_snapshots(campaign_id: UUID, since: int) -> None:
    """Drops snapshots at or behind a position whose event was voided or stands again."""
    Snapshot.objects.filter(campaign_id=campaign_id, position__gte=since).delete()


def _voided_upto(campaign_id: UUID, after: int, upto: int, known: dict[int, int]) -> dict[int, int]:
    voids = Voids(dict(known))
    for position, name, version, data in read.bodies_of_types(
        campaign_id, after, upto, ("events.voided", "void.lifted")
    ):
        event = decode(name, version, data)
        if isinstance(event, EventsVoided):
            voids.by.update(dict.fromkeys(event.positions, position))
        elif isinstance(event, VoidLifted):
            for lifted in event.positions:
                voids.by.pop(lifted, None)
    return voids.by


def _catch_up(state: State, campaign_id: UUID, position: int) -> bool:
    """Folds what is behind the state up to ``position``; False where a void reaches into what is already folded."""
    if state.position == position:
        return True
    known = state.part(Voids).by
    voided = _voided_upto(campaign_id, state.position, position, known)
    changed = voided.keys() ^ known.keys()
    if any(p <= state.position for p in changed):
        return False
    _fold_range(state, campaign_id, position, voided)
    return True


def _fold_range(state: State, campaign_id: UUID, upto: int, voided: dict[int, int]) -> None:
    seeds = state.part(Seeds)
    for position, name, version, data, dice in read.bodies(campaign_id, state.position, upto):
        if position not in voided:
            state.evolve(decode(name, version, data), position)
        if dice != "[]":
            count(seeds, _dice.decode(dice))
    state.position = upto
