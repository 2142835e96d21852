"""The grid of a board as a drawing: squares of ten units, tokens, areas. Numbers for an SVG, no styles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.urls import reverse

from encounters.board_reading import BoardRead
from rules.board import Area, Cell, Scene
from rules.board.scene import covers_cell

SQUARE = 10


@dataclass(frozen=True)
class Token:
    """Somebody on a square. ``x``, ``y`` is the square, ``cx``, ``cy`` its middle; ``arc`` what is left, in percent,
    ``face`` the address of their portrait, ``out`` whether they are down, or whatever flag their pack shows."""

    subject: str
    name: str
    mark: str
    says: str
    x: int
    y: int
    cx: float
    cy: float
    size: int
    friend: bool
    turn: bool
    hidden: bool
    arc: int | None
    mine: bool
    face: str = ""
    out: bool = False


@dataclass(frozen=True)
class Ground:
    """An area: its squares as one path, where its name stands, and whether nobody gets in."""

    area: str
    title: str
    path: str
    cx: float
    cy: float
    blocks: bool = False


@dataclass(frozen=True)
class GroundPicture:
    """The picture under the grid, in the drawing's units; most of it may lie outside the grid."""

    source: str
    alt: str
    x: int
    y: int
    width: int
    height: float


@dataclass(frozen=True)
class Grid:
    """A grid with what stands and lies on it. ``columns`` and ``rows`` are where lines run."""

    width: int
    height: int
    view_width: int
    view_height: int
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    tokens: tuple[Token, ...]
    areas: tuple[Ground, ...]
    diagonal: str
    picture: GroundPicture | None = None

    @property
    def faces(self) -> bool:
        """Whether anybody on it has a portrait."""
        return any(one.face for one in self.tokens)


def grid_of(campaign_id: UUID, read: BoardRead, scene: Scene, fighters: Mapping[str, Any]) -> Grid | None:
    """The grid of an encounter; None where it is played without one."""
    if not read.width or not read.height:
        return None
    return Grid(
        width=read.width,
        height=read.height,
        view_width=read.width * SQUARE,
        view_height=read.height * SQUARE,
        columns=tuple(range(SQUARE, read.width * SQUARE, SQUARE)),
        rows=tuple(range(SQUARE, read.height * SQUARE, SQUARE)),
        tokens=tuple(_token(campaign_id, one, scene) for one in fighters.values() if one.read.x is not None),
        areas=tuple(
            ground(scene, scene.areas[one.area], one.title, read.width, read.height)
            for one in read.areas
            if one.area in scene.areas
        ),
        diagonal=scene.diagonal,
        picture=_picture(campaign_id, read),
    )


def _picture(campaign_id: UUID, read: BoardRead) -> GroundPicture | None:
    laid = read.map
    if laid is None:
        return None
    width = laid.across * SQUARE
    return GroundPicture(
        source=_address(campaign_id, laid.picture),
        alt=laid.alt,
        x=laid.left * SQUARE,
        y=laid.top * SQUARE,
        width=width,
        height=round(width * laid.height / laid.width, 2),
    )


def _address(campaign_id: UUID, picture: str) -> str:
    return reverse("picture_bytes", args=[campaign_id, picture])


def _token(campaign_id: UUID, fighter: Any, scene: Scene) -> Token:
    """Somebody on the grid; who takes up several squares a side stands in the middle of all of them."""
    read, first = fighter.read, fighter.first
    size = scene.sizes.get(read.subject, 1)
    says = [read.name, read.side, f"column {read.x + 1}, row {read.y + 1}"]
    says += [flag.title for flag in read.flags]
    if first is not None:
        says.append(first.words or f"{first.title} {first.value} of {first.most}")
    return Token(
        subject=read.subject,
        name=read.name,
        mark=fighter.mark,
        says=", ".join(says),
        x=read.x,
        y=read.y,
        cx=(read.x + size / 2) * SQUARE,
        cy=(read.y + size / 2) * SQUARE,
        size=size,
        friend=read.friend,
        turn=read.turn,
        hidden=read.hidden,
        arc=first.share if first is not None else None,
        mine=read.mine,
        face=_address(campaign_id, read.portrait) if read.portrait else "",
        out=bool(read.flags),
    )


def ground(scene: Scene, area: Area, title: str, width: int, height: int) -> Ground:
    """An area as squares of the grid."""
    found = outlined(area.id, title, [cell for cell in _cells(width, height) if covers_cell(scene, area, cell)])
    return replace(found, blocks=area.blocks)


def outlined(name: str, title: str, cells: Iterable[Cell]) -> Ground:
    """Squares as one path, with a name in their middle."""
    found = list(cells)
    count = len(found) or 1
    path = " ".join(f"M{x * SQUARE} {y * SQUARE}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x, y in found)
    middle = [SQUARE * (sum(cell[axis] for cell in found) / count + 0.5) for axis in (0, 1)]
    return Ground(name, title, path, middle[0], middle[1])


def _cells(width: int, height: int) -> Iterable[Cell]:
    return ((x, y) for y in range(height) for x in range(width))
