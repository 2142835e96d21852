"""Members and subjects of a campaign as one seat may see them: plain values for the templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.urls import reverse

from campaigns.events import GM, PLAYER, WATCHER
from campaigns.packs import Packs
from campaigns.parts.pictures import portrait_of
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects, SubjectState
from campaigns.parts.table import Table
from campaigns.rolling import subject_of
from campaigns.state import State
from frontend.seat import Seat
from rules.board import Board, Scene
from rules.packs import Pack

ORDER = (GM, PLAYER, WATCHER)


@dataclass(frozen=True)
class Person:
    """One at the table; ``acts`` says what this seat may do about them (role, owner, remove)."""

    member: str
    name: str
    role: str
    is_owner: bool
    acts: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubjectLine:
    """One subject in a list: who plays it, by name and by member id; ``face`` is the address of its portrait."""

    id: str
    kind: str
    name: str
    players: tuple[str, ...]
    player_ids: tuple[str, ...]
    hidden: bool
    face: str = ""
    away: bool = False


@dataclass(frozen=True)
class OpenLink:
    """A link that still lets people in; the address, its secret, is empty where it is not this seat's to know."""

    id: str
    role: str
    expires_at: datetime | None
    uses_left: int | None
    address: str = field(repr=False)


def _acts(seat: Seat, member: str, role: str, owner: str) -> tuple[str, ...]:
    if member == owner:
        # An owner who plays can always run the game again.
        return ("role",) if seat.is_owner and role != GM else ()
    if not (seat.is_gm or seat.is_owner) or member == seat.viewer.member:
        return ()
    if seat.is_owner:
        acts = ("role", "owner", "remove") if role == GM else ("role", "remove")
        return acts if seat.is_gm else acts[:-1]
    return () if role == GM else ("role", "remove")


def people(state: State, seat: Seat) -> list[Person]:
    """Everybody who sits at the table, game masters first."""
    table = state.part(Table)
    found = [
        Person(i, m.name, m.role, i == table.owner, _acts(seat, i, m.role, table.owner))
        for i, m in table.members.items()
        if m.role
    ]
    return sorted(found, key=lambda one: (ORDER.index(one.role), not one.is_owner, one.name.casefold()))


def players(state: State, seat: Seat) -> list[Person]:
    """Those who may play a subject."""
    return [one for one in people(state, seat) if one.role != WATCHER]


def sees_subject(seat: Seat, subject: str, found: SubjectState) -> bool:
    """Whether a subject exists for this seat: a hidden one does for game masters and its own players."""
    return not found.hidden or seat.is_gm or subject in seat.viewer.knows


def knows(state: State, seat: Seat, subject: str) -> bool:
    """Whether a subject is there for this seat in a state."""
    found = state.part(Subjects).by_id.get(subject)
    return found is not None and sees_subject(seat, subject, found)


def subject_line(state: State, subject: str, found: SubjectState, face: str = "") -> SubjectLine:
    """A subject with the names of its players."""
    members = state.part(Table).members
    names = tuple(members[i].name for i in found.players if i in members)
    return SubjectLine(subject, found.kind, found.name, names, tuple(found.players), found.hidden, face, found.away)


def face_of(state: State, seat: Seat, subject: str, now: State | None = None) -> str:
    """The address of a subject's portrait, where this seat may see one; ``state`` may be one of the past."""
    picture = portrait_of(state, seat.viewer, subject, now)
    return reverse("picture_bytes", args=[seat.campaign_id, picture]) if picture else ""


def subjects(state: State, seat: Seat, now: State | None = None, *, away: bool = False) -> list[SubjectLine]:
    """Every subject that is here for this seat (or was put away), by kind and name; a watcher is not told who plays
    whom."""
    known = [(i, s) for i, s in state.part(Subjects).by_id.items() if s.away == away]
    found = [subject_line(state, i, s, face_of(state, seat, i, now)) for i, s in known if sees_subject(seat, i, s)]
    if seat.is_watcher:
        found = [SubjectLine(one.id, one.kind, one.name, (), (), False, one.face) for one in found]
    return sorted(found, key=lambda one: (one.kind, one.name.casefold()))


def own_subjects(state: State, seat: Seat) -> list[SubjectLine]:
    """Those this player plays; for game masters and watchers all that they see: first those of kinds that are made step
    by step, such as characters; for game masters, who fell in a fight comes last."""
    every = subjects(state, seat)
    if seat.viewer.role == PLAYER:
        return [one for one in every if one.id in seat.viewer.plays]
    made = {kind for pack in Packs(state).all() for kind in pack.creations}
    out = out_of_action(state) if seat.is_gm else frozenset()
    return sorted(every, key=lambda one: (one.kind not in made, one.id in out))


def out_of_action(state: State) -> frozenset[str]:
    """Those whom nobody plays and who, by the rules of some pack's fights, count no more: they lie where they fell."""

    def looked_for() -> frozenset[str]:
        known = [(i, s) for i, s in state.part(Subjects).by_id.items() if not s.players and not s.away]
        packs = [pack for pack in Packs(state).all() if pack.tactics is not None]
        return frozenset(i for i, s in known for pack in packs if _is_out(state, pack, i, s.kind))

    found: frozenset[str] = state.once("those who are out of action", looked_for)
    return found


def _is_out(state: State, pack: Pack, subject: str, kind: str) -> bool:
    if kind not in pack.encounter.kinds or not state.part(Sheets).begun(subject, pack.id):
        return False
    known = subject_of(state, subject, pack.id)
    board = Board(pack, Scene(), {subject: known})
    frame = {"user": board.sheet(subject), "@board": board, "setting": pack.settings, "asker": "server"}
    return pack.tactics is not None and bool(pack.tactics.out.run(frame))
