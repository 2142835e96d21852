"""Folded states: the newest one of each campaign a process works with, snapshots, and states of the past.

A state is changed in place, so only one thread may hold it: :func:`held` gives it under the campaign's lock of this
process. Whoever fails half-way calls :func:`forget`; the next one folds afresh.

A snapshot at a position is the state as it was known there: voids that came later are later facts. So none is ever
wrong, whatever is voided; a void that reaches behind one makes the fold start from an older one.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

import msgspec
import structlog
from django.db import DatabaseError, connection, transaction

from campaigns import registry
from campaigns import state as folding
from campaigns.events import Draw, decoder_of, type_named
from campaigns.models import Campaign
from campaigns.parts.seeds import Seeds, count
from campaigns.parts.voids import EventsVoided, VoidLifted, Voids
from campaigns.state import State
from campaigns.store import append, read, rows
from rules.formulas.effort import budget
from rules.problems import BudgetExceeded
from rules.refusal import Refused

KEPT = 256
SNAPSHOT_EVERY = 500
# Of older snapshots one in so many stays, for states of the past.
OLD_SNAPSHOTS = 10
VOIDING = ("events.voided", "void.lifted")

_states: OrderedDict[UUID, State] = OrderedDict()
_locks: WeakValueDictionary[UUID, Any] = WeakValueDictionary()
_guard = threading.Lock()
_mine = threading.local()
_dice = msgspec.json.Decoder(tuple[Draw, ...])
_log = structlog.get_logger(__name__)


@contextmanager
def campaign_lock(campaign_id: UUID) -> Iterator[None]:
    """Lets one thread of this process at a time work with a campaign's state."""
    with _guard:
        lock = _locks.get(campaign_id)
        if lock is None:
            lock = _locks[campaign_id] = threading.RLock()
    with lock:
        held_here = _mine.__dict__.setdefault("campaigns", [])
        held_here.append(campaign_id)
        try:
            yield
        finally:
            held_here.remove(campaign_id)
    if not held_here:
        _write_offers()


def is_held_here(campaign_id: UUID) -> bool:
    """Whether this very thread is inside the campaign's lock."""
    return campaign_id in _mine.__dict__.get("campaigns", ())


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


def keep_if_newer(campaign_id: UUID, state: State) -> None:
    """Like :func:`keep`, unless a newer state is kept."""
    with _guard:
        kept = _states.get(campaign_id)
    if kept is None or kept.position < state.position:
        keep(campaign_id, state)


def is_kept(campaign_id: UUID) -> bool:
    """Whether some state of the campaign is kept."""
    return campaign_id in _states


def take_out(campaign_id: UUID, position: int) -> State | None:
    """The kept state, if it is as of ``position``; it is not kept any more. Caller holds :func:`campaign_lock`."""
    with _guard:
        state = _states.get(campaign_id)
        return _states.pop(campaign_id) if state is not None and state.position == position else None


def current(campaign_id: UUID, position: int) -> State:
    """The state as of the head's ``position``; caller holds :func:`campaign_lock`. A failure forgets it."""
    with _guard:
        state = _states.get(campaign_id)
        if state is not None:
            _states.move_to_end(campaign_id)
    if state is not None and state.position == position:
        return state
    forget(campaign_id)
    if state is None or state.position > position or _catch_up(state, campaign_id, position):
        state = fold(campaign_id, position)
        if position > SNAPSHOT_EVERY and not _has_snapshot(campaign_id, position - SNAPSHOT_EVERY):
            # After an upgrade or a void the way was long; the next process finds it short.
            offer_snapshot(campaign_id, state)
    keep(campaign_id, state)
    return state


@contextmanager
def bounded() -> Iterator[None]:
    """Within it the rules' formulas may walk so much and no more (:mod:`rules.formulas.effort`); refused beyond that,
    since nobody else can use the campaign meanwhile."""
    try:
        with budget():
            yield
    except BudgetExceeded as error:
        message = f"The rules of this campaign are too much work here: {error}."
        raise Refused("too_much_work", message, right="house rules or a pack that ask for less") from error


@contextmanager
def held(campaign_id: UUID, reached: int = 0) -> Iterator[State]:
    """The newest committed state, for reading under the campaign's lock. Raises Campaign.DoesNotExist.

    Whoever has just brought the stream to ``reached`` and minds no newer event says so: where this process has kept
    that very state, nobody is asked. Keep it short, and send no command inside: commands of this campaign wait. What
    the rules' formulas may walk meanwhile is bounded.
    """
    with campaign_lock(campaign_id), bounded():
        kept = _states.get(campaign_id) if reached else None
        if kept is not None and kept.position == reached:
            yield kept
            return
        head = append.head_of(campaign_id)
        if head is None:
            raise Campaign.DoesNotExist(f"There is no campaign {campaign_id}.")
        yield current(campaign_id, head.position)


def fold(campaign_id: UUID, position: int) -> State:
    """The state as of a position, as it was known then: from the nearest usable snapshot and the events behind it."""
    below = position
    while True:
        state = _from_snapshot(campaign_id, below)
        reached = _catch_up(state, campaign_id, position)
        if not reached:
            return state
        below = reached - 1


def refold(campaign_id: UUID, position: int) -> State:
    """The state as of a position from the events alone, whatever snapshots say."""
    state = State()
    _catch_up(state, campaign_id, position)
    return state


def fold_as_if(campaign_id: UUID, position: int, voided: dict[int, int], since: int) -> State:
    """The state as of a position if just the ``voided`` positions were void; ``since`` is the lowest that differs."""
    state = _from_snapshot(campaign_id, since - 1)
    fold_range(state, campaign_id, position, voided)
    return state


def _from_snapshot(campaign_id: UUID, below: int) -> State:
    if below < SNAPSHOT_EVERY:
        # A stream as short as this has none.
        return State()
    found = rows.fetch(
        "SELECT position, state FROM campaigns_snapshot WHERE campaign_id = %s AND schema = %s AND position <= %s"
        " ORDER BY position DESC LIMIT 1",
        [rows.adapt(campaign_id), folding.schema_version(), below],
    )
    return folding.thaw(zlib.decompress(bytes(found[0][1])), found[0][0]) if found else State()


def _has_snapshot(campaign_id: UUID, since: int) -> bool:
    found = rows.fetch(
        "SELECT 1 FROM campaigns_snapshot WHERE campaign_id = %s AND schema = %s AND position >= %s LIMIT 1",
        [rows.adapt(campaign_id), folding.schema_version(), since],
    )
    return bool(found)


def snapshot(campaign_id: UUID, state: State) -> None:
    """Keeps the state beside the stream, where the next process finds it, and thins out older ones."""
    _write_snapshot(campaign_id, state.position, zlib.compress(folding.freeze(state), 1))


def _write_snapshot(campaign_id: UUID, position: int, body: bytes) -> None:
    schema = folding.schema_version()
    rows.run(
        "INSERT INTO campaigns_snapshot (campaign_id, position, schema, state) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (campaign_id, position, schema) DO UPDATE SET state = excluded.state",
        [rows.adapt(campaign_id), position, schema, body],
    )
    old = position - 2 * SNAPSHOT_EVERY
    if old > 0:
        # Snapshots lie just behind multiples of SNAPSHOT_EVERY; every tenth of them stays, of today's shape alone.
        rows.run(
            "DELETE FROM campaigns_snapshot WHERE campaign_id = %s AND position < %s"
            f" AND (schema <> %s OR (position / {SNAPSHOT_EVERY}) %% {OLD_SNAPSHOTS} <> 0)",
            [rows.adapt(campaign_id), old, schema],
        )


def offer_snapshot(campaign_id: UUID, state: State) -> None:
    """Has the state kept as a snapshot once this thread has left the campaign's lock.

    Not inside it: on SQLite a writer may wait for the lock while it keeps everybody from writing.
    """
    body = zlib.compress(folding.freeze(state), 1)
    _mine.__dict__.setdefault("offers", []).append((campaign_id, state.position, body))


def _write_offers() -> None:
    offers = _mine.__dict__.pop("offers", ())
    if not offers or connection.in_atomic_block:
        return
    for campaign_id, position, body in offers:
        try:
            with transaction.atomic():
                _write_snapshot(campaign_id, position, body)
        except DatabaseError:
            _log.warning("snapshot.failed", campaign=str(campaign_id), position=position, exc_info=True)


def is_due(before: int, after: int) -> bool:
    """Whether a snapshot is due when a stream has gone from one position to another."""
    return before // SNAPSHOT_EVERY != after // SNAPSHOT_EVERY


def void_changes(campaign_id: UUID, after: int, upto: int, known: dict[int, int]) -> dict[int, int]:
    """Which positions are voided as of ``upto`` (by the position of the void), given those ``known`` at ``after``."""
    return _void_changes(known, read.bodies_of_types(campaign_id, after, upto, VOIDING))


def _void_changes(known: dict[int, int], bodies: Iterable[Sequence[Any]]) -> dict[int, int]:
    voids = Voids(dict(known))
    for position, name, version, data, *_ in bodies:
        event = decoder_of(name, version)(data)
        assert isinstance(event, EventsVoided | VoidLifted)
        voids.take_in(event, position)
    return voids.by


def catch_up(state: State, campaign_id: UUID, position: int) -> bool:
    """Folds what is behind the state up to ``position``; False, with nothing done, where a void since reaches into
    what it holds."""
    return not _catch_up(state, campaign_id, position)


def _catch_up(state: State, campaign_id: UUID, position: int) -> int:
    """Folds what is behind the state up to ``position``.

    Where a void reaches into what is already folded nothing is done, and the lowest such position is returned; else 0.
    """
    if state.position == position:
        return 0
    known = state.part(Voids).by
    pages: Iterable[list[read.Body]] = read.bodies(campaign_id, state.position, position)
    if position - state.position <= SNAPSHOT_EVERY:
        # So little is read at once, voids and all.
        pages = list(pages)
        voided = _void_changes(known, (body for page in pages for body in page if body[1] in VOIDING))
    else:
        voided = void_changes(campaign_id, state.position, position, known)
    reached = min((p for p in voided.keys() ^ known.keys() if 1 <= p <= state.position), default=0)
    if not reached:
        fold_pages(state, pages, voided)
        state.position = position
    return reached


def fold_range(state: State, campaign_id: UUID, upto: int, voided: dict[int, int]) -> None:
    """Folds the events behind the state up to ``upto`` into it, those at ``voided`` positions left out."""
    fold_pages(state, read.bodies(campaign_id, state.position, upto), voided)
    state.position = upto


def fold_pages(state: State, pages: Iterable[list[read.Body]], voided: Container[int]) -> None:
    """Folds pages of stored bodies, those at ``voided`` positions left out; the inner loop of every replay."""
    seeds = state.part(Seeds)
    plans: dict[str, dict[int, _Plan]] = {}
    for page in pages:
        for position, name, version, data, dice in page:
            try:
                decode, steps = plans[name][version]
            except KeyError:
                decode, steps = plans.setdefault(name, {})[version] = _plan_of(state, name, version)
            if steps and position not in voided:
                event = decode(data)
                for part, evolver in steps:
                    evolver(part, event, position)
            if dice is not None:
                # Dice of voided events count all the same: no counter serves twice.
                count(seeds, _dice.decode(dice))
        state.position = page[-1][0]


def fold_bodies(state: State, bodies: list[read.Body]) -> None:
    """Folds a whole stream that lies in memory, voids and all, into an empty state."""
    fold_tail(state, bodies)


def fold_tail(state: State, bodies: list[read.Body]) -> bool:
    """Folds what lies in memory behind the state, voids and all; False, with nothing done, where a void in it reaches
    into what the state holds."""
    known = state.part(Voids).by
    voided = _void_changes(known, (body for body in bodies if body[1] in VOIDING))
    if any(1 <= position <= state.position for position in voided.keys() ^ known.keys()):
        return False
    if bodies:
        fold_pages(state, [bodies], voided)
    return True


_Plan = tuple[Any, list[tuple[msgspec.Struct, registry.Evolver]]]


def _plan_of(state: State, name: str, version: int) -> _Plan:
    """How events of one type and version are folded into this state: their decoder, and each part with its evolver."""
    steps = [(state.parts[kind], evolver) for kind, evolver in registry.evolvers_of(type_named(name).body)]
    return decoder_of(name, version), steps
