"""Making seeds and faces: what only the server can do, because only it knows its secret key."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from uuid import UUID

import msgspec
from django.conf import settings

from campaigns.events import Draft, Draw
from campaigns.parts.seeds import FIXED, Seed, Seeds
from rules.refusal import Refused


def _key() -> bytes:
    return _key_of(settings.DICE_KEY)


@lru_cache(1)
def _key_of(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"tidebook dice seeds", hashlib.sha256)


def seed_bytes(campaign_id: UUID, audience: str, number: int, nonce: str) -> bytes:
    """The seed itself (32 bytes). The database alone does not give it away: the server's key goes in."""
    text = f"{campaign_id}|{audience}|{number}|{nonce}".encode()
    return hmac.digest(_key(), text, hashlib.sha256)


def make(campaign_id: UUID, audience: str, number: int) -> tuple[str, str]:
    """A fresh (nonce, commitment) for a seed; the commitment is the SHA-256 of the seed, in hex."""
    nonce = secrets.token_hex(32)
    return nonce, hashlib.sha256(seed_bytes(campaign_id, audience, number, nonce)).hexdigest()


def face(seed: bytes, counter: int, sides: int) -> int:
    """The face (1 to ``sides``) that a seed gives at a counter: HMAC-SHA256, numbers past the last whole multiple of
    ``sides`` rejected and drawn anew, so that every face is equally likely."""
    limit = (1 << 64) - (1 << 64) % sides
    attempt = 0
    while True:
        block = _keyed(seed).copy()
        block.update(counter.to_bytes(8, "big") + attempt.to_bytes(4, "big"))
        number = int.from_bytes(block.digest()[:8], "big")
        if number < limit:
            return number % sides + 1
        attempt += 1


@lru_cache(64)
def _keyed(seed: bytes) -> hmac.HMAC:
    """The function of a seed, which has taken its key in and is copied for each face."""
    return hmac.new(seed, digestmod=hashlib.sha256)


def fixed_counter(label: str) -> int:
    """The counter that a label stands for: 62 bits of its SHA-256, above every counter that is counted."""
    return FIXED | int.from_bytes(hashlib.sha256(label.encode()).digest()[:8], "big") >> 2


class DiceBox:
    """Draws faces for the deciders of one command and remembers what it drew, for the record."""

    def __init__(self, campaign_id: UUID, seeds: Seeds, *, typed: bool = False) -> None:
        self._campaign_id = campaign_id
        self._seeds = seeds
        self._typed = typed
        self._next: dict[str, int] = {}
        self._open: list[Draw] = []
        self._opened: set[str] = set()
        self._known: dict[str, tuple[Seed, bytes]] = {}

    def source(self, audience: str) -> Callable[[int], int]:
        """A function from sides to a face, drawn from the running seed of ``audience``."""
        running, seed = self._running(audience)

        def roll(sides: int) -> int:
            counter = self._next.get(audience, running.next)
            self._next[audience] = counter + 1
            shown = face(seed, counter, sides)
            self._note(Draw(audience=audience, seed=running.number, first=counter, sides=(sides,), faces=(shown,)))
            return shown

        return roll

    def fixed(self, audience: str, label: str, *, veiled: bool = False) -> Callable[[int], int]:
        """Like :meth:`source`, but the counter follows from the label, so that the same label gives the same faces
        again. Such counters lie beyond all that are counted. ``veiled``: from the label and the server's key, so that
        who knows the label and, one day, the seed still does not know the face."""
        running, seed = self._running(audience)
        counter = fixed_counter(hmac.digest(_key(), label.encode(), hashlib.sha256).hex() if veiled else label)

        def roll(sides: int) -> int:
            nonlocal counter
            shown = face(seed, counter, sides)
            self._note(Draw(audience=audience, seed=running.number, first=counter, sides=(sides,), faces=(shown,)))
            counter += 1
            return shown

        return roll

    def opened(self, audience: str) -> str:
        """The running seed of an audience, in hex, for the event that reveals it. It serves no die after that."""
        seed = self._running(audience)[1].hex()
        self._opened.add(audience)
        return seed

    def drawn(self, audience: str) -> int:
        """How many dice the running seed of an audience has given, those of this command included."""
        running = self._seeds.running.get(audience)
        return self._next.get(audience, running.next) if running else 0

    def _running(self, audience: str) -> tuple[Seed, bytes]:
        if audience in self._opened:
            raise RuntimeError(f"the seed of {audience} was opened and cannot serve any more")
        running = self._seeds.running.get(audience)
        known = self._known.get(audience)
        if known is not None and known[0] is running:
            return known
        if running is None:
            raise Refused(
                "no_seed", "No dice seed has been promised to this audience yet.", field="audience", value=audience
            )
        seed = seed_bytes(self._campaign_id, audience, running.number, running.nonce)
        if hashlib.sha256(seed).hexdigest() != running.commitment:
            raise Refused(
                "seed_lost",
                "The server's dice key has changed, so the promised seed cannot be opened.",
                field="audience",
                value=audience,
                right="the key that was in force (TIDEBOOK_DICE_KEY)",
            )
        self._known[audience] = running, seed
        return running, seed

    def _note(self, draw: Draw) -> None:
        """Joins an unbroken run of one seed to one entry."""
        last = self._open[-1] if self._open else None
        if last is None or last.typed or (last.audience, last.first + len(last.faces)) != (draw.audience, draw.first):
            self._open.append(draw)
            return
        self._open[-1] = msgspec.structs.replace(
            last, sides=(*last.sides, *draw.sides), faces=(*last.faces, *draw.faces)
        )

    def enter(self, audience: str, sides: Sequence[int], faces: Sequence[int]) -> None:
        """Notes faces of physical dice. Refused where the campaign does not permit them or a face cannot be."""
        if not self._typed:
            raise Refused(
                "no_typed_dice",
                "This campaign rolls its dice here.",
                field="faces",
                value=list(faces),
                right="no faces, or the setting typed_dice turned on by a GM",
            )
        if len(sides) != len(faces) or not faces:
            raise Refused("wrong_dice", "Type one face for each die.", field="faces", right=f"{len(sides)} faces")
        for side, shown in zip(sides, faces, strict=True):
            if not 1 <= shown <= side:
                raise Refused("wrong_face", "A die has no such face.", field="faces", value=shown, right=f"1 to {side}")
        self._open.append(Draw(audience=audience, seed=0, first=0, sides=tuple(sides), faces=tuple(faces), typed=True))

    def take(self) -> tuple[Draw, ...]:
        """What was drawn since the last call, one entry an unbroken run of one seed."""
        draws = tuple(self._open)
        self._open.clear()
        return draws


def with_dice(drafts: list[Draft], box: DiceBox) -> list[Draft]:
    """No die is drawn off the record: what the decider left unclaimed stands on its last draft."""
    left = box.take()
    if not left:
        return drafts
    if not drafts:
        raise RuntimeError("dice were drawn but no event tells of them")
    last = drafts[-1]
    return [*drafts[:-1], replace(last, dice=(*last.dice, *left))]
