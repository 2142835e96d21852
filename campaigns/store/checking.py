"""Checking a stream, wherever it lies: the hash chain, and every die against the seed that was promised for it.

Works on what is there to be seen: on the server's table and on a whole export everything, on a player's export the
leaves that it shows. Memory does not grow with the stream.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from campaigns.events import Draw
from campaigns.parts.seeds import FIXED
from campaigns.seeds import face
from campaigns.store import chain
from campaigns.store.chain import Stored

MOST_FINDINGS = 100
MOVED = "another server"
_draw = msgspec.json.Decoder(Draw)
_text = msgspec.json.Decoder(str)


class Shown(NamedTuple):
    """One event as a checker may see it: the hash of its body, and the bytes of the leaves that are shown, by name.

    ``digest`` is the one it was recorded with. ``broken`` says why the body cannot even be read.
    """

    position: int
    digest: bytes
    body: bytes
    leaves: Mapping[str, bytes]
    broken: str = ""


def shown(position: int, event: Stored, digest: bytes) -> Shown:
    """A stored event with nothing left out."""
    try:
        leaves = chain.leaves(event)
    except (msgspec.MsgspecError, ValueError) as error:
        return Shown(position, digest, b"", {}, f"its data cannot be read: {error}")
    return Shown(position, digest, chain.body_hash(chain.leaf_hashes(event.salt, leaves)), dict(leaves))


@dataclass(frozen=True)
class Finding:
    """Something that is not as it was recorded: where, what kind, and a sentence."""

    position: int
    code: str
    says: str

    def __str__(self) -> str:
        return f"position {self.position}: {self.says}"


@dataclass
class Report:
    """What a check found. ``sealed`` dice wait for their seed's reveal and could not be checked yet; ``waiting`` counts
    them by whose seed it is (``MOVED``: another server's, which serves no more)."""

    events: int = 0
    dice: int = 0
    sealed: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    typed: int = 0
    seeds: int = 0
    hidden: int = 0
    pictures: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether everything is as it was recorded."""
        return not self.findings

    @property
    def first_break(self) -> Finding | None:
        """The finding nearest the beginning."""
        return min(self.findings, key=lambda finding: finding.position, default=None)

    def add(self, position: int, code: str, says: str) -> None:
        """Notes a finding; beyond a hundred they tell nothing new."""
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Finding(position, code, says))

    def says(self) -> str:
        """The report in a sentence or two."""
        what = f"{self.events} events, {self.dice} dice of {self.seeds} seeds checked"
        what += f", {self.sealed_says()}" if self.sealed else ""
        what += f", {self.typed} dice typed in by hand" if self.typed else ""
        what += f", {self.hidden} events hidden from this view" if self.hidden else ""
        what += f", {self.pictures} pictures" if self.pictures else ""
        first = self.first_break
        if first is None:
            return f"In order: {what}."
        others = f" ({len(self.findings)} findings in all)" if len(self.findings) > 1 else ""
        return f"Broken at {first}{others}. {what[0].upper()}{what[1:]}."

    def sealed_says(self) -> str:
        """Which dice could not be checked yet, why, and when they will be."""
        reasons: dict[str, int] = {}
        for audience, count in self.waiting.items():
            reason = self._reason(audience)
            reasons[reason] = reasons.get(reason, 0) + count
        return f"{self.sealed} dice still sealed ({'; '.join(f'{n} {reason}' for reason, n in reasons.items())})"

    def _reason(self, audience: str) -> str:
        if audience == MOVED:
            return "from a seed that the server this campaign came from has never revealed: it alone can check them"
        kind, _, number = audience.partition(".")
        if kind == "close" and number:
            return (
                f"of the calendar's close {number}, whose seed stays closed until the period after it closes, so that "
                "the same faces fall if it is taken back and closed again; checked when it opens then"
            )
        whose = {"table": "of the table's", "gm": "of the game master's"}.get(audience, "of a member's own")
        return f"{whose} dice, whose seed still serves; checked when it is revealed"


@dataclass
class _Seed:
    """What is known of one seed while the stream is walked: its promise, how far it was used, when it was revealed."""

    commitment: str
    secret: bytes | None
    next: int = 0
    revealed: bool = False


SeedKey = tuple[str, int]
Opener = Callable[[str, int, str, str], bytes | None]


def check(
    stream: Callable[[], Iterable[Shown]],
    head: tuple[int, bytes],
    *,
    reveals: Iterable[Shown] | None = None,
    opener: Opener = lambda *_: None,
    whole: bool = True,
) -> Report:
    """Walks a stream twice: once for the revealed seeds, once for everything.

    ``head`` is (position, digest) where it has to end. ``reveals`` are the events that reveal seeds, where they are at
    hand. ``opener(audience, number, nonce, commitment)`` gives a seed
    that is not revealed yet, where the server's key can. Without ``whole`` bodies may be hidden, so that a counter may
    be used out of sight.
    """
    revealed = dict(_revealed(stream() if reveals is None else reveals))
    walk = _Walk(Report(), revealed, opener, whole)
    position, digest = 0, chain.START
    for event in stream():
        position, digest = walk.step(event, position, digest), event.digest
    if (position, digest if position else b"") != (head[0], head[1] if head[0] else b""):
        walk.report.add(position, "head", f"the stream ends here, its head says {head[0]}")
    walk.report.seeds = len(walk.seeds)
    return walk.report


def _revealed(stream: Iterable[Shown]) -> Iterator[tuple[SeedKey, bytes]]:
    for event in stream:
        # One that cannot be read is found when the walk comes to it.
        with suppress(msgspec.MsgspecError, ValueError, TypeError, IndexError):
            if type_of(event) == "seed.revealed" and "data.seed" in event.leaves:
                key = _seed_key(event)
                if key is not None:
                    yield key, bytes.fromhex(_text.decode(event.leaves["data.seed"]))


def type_of(event: Shown) -> str:
    """The type of an event, empty where it is hidden."""
    envelope = event.leaves.get("envelope")
    return str(msgspec.json.decode(envelope)[1]) if envelope is not None else ""


def _seed_key(event: Shown) -> SeedKey | None:
    audience, number = event.leaves.get("data.audience"), event.leaves.get("data.number")
    if audience is None or number is None:
        return None
    return _text.decode(audience), int(number)


@dataclass
class _Walk:
    report: Report
    revealed: Mapping[SeedKey, bytes]
    opener: Opener
    whole: bool
    seeds: dict[SeedKey, _Seed] = field(default_factory=dict)
    moved: set[SeedKey] = field(default_factory=set)

    def step(self, event: Shown, before: int, digest: bytes) -> int:
        """Checks one event behind ``before`` and its digest; returns its position."""
        report, position = self.report, event.position
        report.events += 1
        if position != before + 1:
            report.add(position, "gap", f"behind position {before} comes {position}")
        if event.broken:
            report.add(position, "unreadable", event.broken)
        elif chain.digest(digest, position, event.body) != event.digest:
            report.add(position, "digest", "the event is not as it was recorded, or what lies before it is not")
        if "envelope" not in event.leaves:
            report.hidden += not event.broken
            return position
        try:
            self._dice(event)
        except (msgspec.MsgspecError, ValueError, TypeError, IndexError, OverflowError) as error:
            report.add(position, "unreadable", f"what it says of dice cannot be read: {error}")
        return position

    def _dice(self, event: Shown) -> None:
        """Follows the seeds and checks what was drawn. Raises what decoding raises where a leaf is no longer itself."""
        position, kind = event.position, type_of(event)
        if kind == "seed.committed":
            self._promise(event)
        elif kind == "seed.revealed":
            self._reveal(event)
        elif kind == "campaign.imported":
            # Another server's open seeds cannot serve here, and may be promised anew.
            self.moved.update(key for key, seed in self.seeds.items() if not seed.revealed)
            waiting = sum(self.report.waiting.values())
            self.report.waiting = {MOVED: waiting} if waiting else {}
        for name, value in event.leaves.items():
            if name.startswith("dice."):
                self._draw(position, _draw.decode(value))

    def _promise(self, event: Shown) -> None:
        key, commitment = _seed_key(event), event.leaves.get("data.commitment")
        if key is None or commitment is None:
            return
        if key in self.seeds and key not in self.moved:
            self.report.add(event.position, "seed_twice", f"seed {key[1]} of {key[0]} is promised twice")
        self.moved.discard(key)
        promised, secret = _text.decode(commitment), self.revealed.get(key)
        if secret is not None and hashlib.sha256(secret).hexdigest() != promised:
            secret = None
        if secret is None and "data.nonce" in event.leaves:
            secret = self.opener(*key, _text.decode(event.leaves["data.nonce"]), promised)
        self.seeds[key] = _Seed(promised, secret)

    def _reveal(self, event: Shown) -> None:
        key = _seed_key(event)
        seed = self.seeds.get(key) if key else None
        if seed is None or key is None:
            self.report.add(event.position, "seed_unknown", "a seed is revealed that was never promised")
            return
        if seed.secret is None:
            self.report.add(event.position, "commitment", f"seed {key[1]} of {key[0]} is not the one that was promised")
        seed.revealed = True

    def _draw(self, position: int, draw: Draw) -> None:
        if draw.typed:
            self.report.typed += len(draw.faces)
            return
        name = f"seed {draw.seed} of {draw.audience}"
        seed = self.seeds.get((draw.audience, draw.seed))
        if seed is None:
            self.report.add(position, "seed_unknown", f"dice were drawn from {name} before it was promised")
            return
        if seed.revealed:
            self.report.add(position, "seed_spent", f"dice were drawn from {name} after it was revealed")
        self._count(position, draw, seed, name)
        if seed.secret is None:
            self._sealed(draw)
            return
        for i, (sides, was) in enumerate(zip(draw.sides, draw.faces, strict=True)):
            right = face(seed.secret, draw.first + i, sides)
            if was != right:
                says = f"die {i + 1} (d{sides}) shows {was}, but {name} gives {right} at counter {draw.first + i}"
                self.report.add(position, "face", says)
        self.report.dice += len(draw.faces)

    def _sealed(self, draw: Draw) -> None:
        report, count = self.report, len(draw.faces)
        report.sealed += count
        report.waiting[draw.audience] = report.waiting.get(draw.audience, 0) + count

    def _count(self, position: int, draw: Draw, seed: _Seed, name: str) -> None:
        """No counter serves twice and none is passed over, those that stand for a label apart."""
        if draw.first >= FIXED:
            seed.next += len(draw.faces)
            return
        if draw.first < seed.next:
            self.report.add(position, "counter_twice", f"counter {draw.first} of {name} serves a second time")
        elif draw.first > seed.next and self.whole:
            self.report.add(position, "counter_skipped", f"counter {seed.next} of {name} was passed over")
        seed.next = max(seed.next, draw.first + len(draw.faces))
