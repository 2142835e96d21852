"""The board of an encounter for one viewer, as plain values for the templates. Shows no more than the board's read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from campaigns.audience import Viewer
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from encounters.board_reading import ActionRead, BoardRead, FighterRead, FlagRead, HeldRead, TrackRead, board_of
from encounters.parts.encounters import Encounter, Encounters
from encounters.seeing import Since
from frontend.fights.grid import Grid, grid_of
from rules.board import Scene
from rules.board.scene import apart
from rules.packs import Pack
from rules.packs.wording import counted

MOST_PIPS = 12
SEEN_TRACKS = 4


@dataclass(frozen=True)
class Bar:
    """A number with its most. ``share`` is in percent; ``pips`` are its dots, where they can be counted."""

    title: str
    value: int | None
    most: int | None
    words: str
    share: int | None
    pips: tuple[bool, ...] = ()

    @property
    def low(self) -> bool:
        """Whether little is left."""
        return self.share is not None and self.share <= 25


@dataclass(frozen=True)
class Fighter:
    """Somebody on the board: ``first`` is what keeps them standing, as far as it is known."""

    read: FighterRead
    mark: str
    first: Bar | None
    rest: tuple[Bar, ...]
    budgets: tuple[Bar, ...]


@dataclass(frozen=True)
class ActView:
    """An action, and what it costs in words; ``of`` is the card that it comes from, "" where all have that one."""

    read: ActionRead
    cost: tuple[str, ...]
    of: str = ""


@dataclass(frozen=True)
class Actor:
    """Somebody the viewer acts for: what they can do now, and what they cannot, with the reason."""

    subject: str
    name: str
    turn: bool
    ready: tuple[ActView, ...]
    not_now: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """by the reason, what it bars: titles, each with the action where it can be done all the same, to one's own side"""
    budgets: tuple[Bar, ...]
    stands: tuple[Bar, ...] = ()
    """what keeps them standing, and what wears them down"""
    cards: tuple[HeldRead, ...] = ()
    flags: tuple[FlagRead, ...] = ()

    @property
    def bars(self) -> int:
        """How much cannot be done now."""
        return sum(len(titles) for _, titles in self.not_now)


@dataclass(frozen=True)
class Near:
    """Those who are equally far from whoever acts, where there is no grid."""

    units: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class BoardView:
    """A board: ``turn`` is who acts now (None: nobody that the viewer sees), ``acting`` from whom distances count."""

    read: BoardRead
    fighters: tuple[Fighter, ...]
    actors: tuple[Actor, ...]
    turn: Fighter | None
    grid: Grid | None
    sides: tuple[str, ...]
    acting: str
    mine: bool
    near: tuple[Near, ...] = ()


def found_encounter(state: State, encounter: str) -> tuple[Encounter, Pack]:
    """The encounter and the pack it is fought by; call it after the board's read, which says who may know of it."""
    found = state.part(Encounters).open[encounter]
    return found, Packs(state).get(found.pack)


def board_view(state: State, viewer: Viewer, encounter: str, since: Since | None = None) -> BoardView:
    """The board for a viewer, now or (with what came ``since``) of a past state. Refused where the encounter does not
    exist for them."""
    read = board_of(state, viewer, encounter, since)
    fighters = tuple(_fighter(one) for one in read.fighters)
    turn = next((one for one in fighters if one.read.turn and read.status in ("running", "paused")), None)
    found, pack = found_encounter(state, encounter)
    kinds = {one.subject: state.part(Subjects).by_id[one.subject].kind for one in read.actors}
    actors = tuple(_actor(one, read, fighters, pack, kinds[one.subject]) for one in read.actors)
    mine = since is None and turn is not None and turn.read.mine and not read.over
    acting = turn.read.subject if turn is not None and mine else next((a.subject for a in actors), "")
    return BoardView(
        read=read,
        fighters=fighters,
        actors=actors,
        turn=turn,
        grid=grid_of(viewer.campaign_id, read, found.fight.scene, {one.read.subject: one for one in fighters}),
        sides=tuple(dict.fromkeys(one.side for one in read.fighters)),
        acting=acting or (turn.read.subject if turn is not None else ""),
        mine=mine,
        near=near(read, found.fight.scene, acting or (turn.read.subject if turn is not None else "")),
    )


def near(read: BoardRead, scene: Scene, of: str) -> tuple[Near, ...]:
    """Who is how far from somebody by the GM's word, the nearest first; nothing where there is a grid."""
    if (read.width and read.height) or not of:
        return ()
    far: dict[int, list[str]] = {}
    for one in read.fighters:
        if one.subject != of:
            far.setdefault(apart(scene, of, one.subject), []).append(one.name)
    return tuple(Near(units, tuple(names)) for units, names in sorted(far.items()))


def _fighter(read: FighterRead) -> Fighter:
    metered = {one.stat for one in read.budgets}
    tracks = [bar(one) for one in read.tracks if one.stat not in metered]
    return Fighter(
        read=read,
        mark=mark(read.name),
        first=tracks[0] if tracks else None,
        rest=tuple(tracks[1:SEEN_TRACKS]),
        budgets=tuple(bar(one) for one in read.budgets),
    )


def _actor(read: Any, board: BoardRead, fighters: tuple[Fighter, ...], pack: Pack, kind: str) -> Actor:
    own = next((one for one in fighters if one.read.subject == read.subject), None)
    usual = {pack.card(card)[1].title for card in (*pack.encounter.holds, *pack.source.sections["kinds"][kind].holds)}
    return Actor(
        subject=read.subject,
        name=read.name,
        turn=read.subject == board.turn,
        ready=tuple(
            ActView(one, costs(pack, kind, one), "" if one.card in usual else one.card)
            for one in read.actions
            if not one.hindered
        ),
        not_now=barred(read.actions),
        budgets=own.budgets if own else (),
        stands=((own.first,) if own.first else ()) + own.rest if own else (),
        cards=tuple(own.read.cards) if own else (),
        flags=tuple(own.read.flags) if own else (),
    )


def barred(actions: Iterable[ActionRead]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """What cannot be done now, by the reason."""
    by: dict[str, list[tuple[str, str]]] = {}
    for one in actions:
        if one.hindered:
            by.setdefault(one.hindered if one.hindered.endswith(".") else f"{one.hindered}.", []).append(
                (one.title, one.action if on_friends(one) else "")
            )
    return tuple((why, tuple(titles)) for why, titles in by.items())


def on_friends(action: ActionRead) -> bool:
    """Whether nothing bars an action but that no foe can be chosen, where somebody else can be."""
    lacking = [role for role in action.roles if role.nobody]
    return bool(lacking) and action.hindered == lacking[0].nobody and all(role.can_be for role in lacking)


def costs(pack: Pack, kind: str, action: ActionRead) -> tuple[str, ...]:
    """What an action costs, by what the pack calls it."""
    stats = pack.kinds[kind].stats
    return tuple(counted(stats[stat].spec, stat, amount) for stat, amount in {**action.cost, **action.besides}.items())


def bar(track: TrackRead) -> Bar:
    """A track as it is drawn."""
    value, most = track.value, track.most
    share = max(0, min(100, 100 * value // most)) if value is not None and most else None
    dots = value is not None and most is not None and value >= 0 and max(value, most) <= MOST_PIPS
    pips = tuple(n < (value or 0) for n in range(max(value or 0, most or 0))) if dots else ()
    return Bar(track.title, value, most, track.words, share, pips)


def mark(name: str) -> str:
    """Two signs that stand for somebody on the grid: initials, or the first with the number that is in a name."""
    words = [word for word in name.split() if word[:1].isalnum()] or ["?"]
    number = next((word for word in words[1:] if word.isdigit()), "")
    return (words[0][:1] + (number[:2] or (words[-1][:1] if len(words) > 1 else words[0][1:2]))).upper()
