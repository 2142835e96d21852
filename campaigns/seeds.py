"""Making seeds and faces: what only the server can do, because only it knows its secret key."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from uuid import UUID

from django.conf import settings

from campaigns.events import Draw
from campaigns.parts.seeds import FIXED, Seed, Seeds
from rules.refusal import Refused


def _key() -> bytes:
    return hmac.digest(settings.DICE_KEY.encode(), b"tidebook dice seeds", hashlib.sha256)


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
        block = hmac.digest(seed, counter.to_bytes(8, "big") + attempt.to_bytes(4, "big"), hashlib.sha256)
        number = int.from_bytes(block[:8], "big")
        if number < limit:
            return number % sides + 1
        attempt += 1


def fixed_counter(label: str) -> int:
    """The counter that a label stands for: 62 bits of its SHA-256, above every counter that is counted."""
    return FIXED | int.from_bytes(hashlib.sha256(label.encode()).digest()[:8], "big") >> 2


class DiceBox:
    """Draws faces for the deciders of one command and remembers what it drew, for the record."""

    def __init__(self, campaign_id: UUID, seeds: Seeds) -> None:
        self._campaign_id = campaign_id
        self._seeds = seeds
        self._next: dict[str, int] = {}
        self._open: list[tuple[str, Seed, int, int, int]] = []

    def source(self, audience: str) -> Callable[[int], int]:
        """A function from sides to a face, drawn from the running seed of ``audience``."""
        running, seed = self._running(audience)

        def roll(sides: int) -> int:
            counter = self._next.get(audience, running.next)
            self._next[audience] = counter + 1
            shown = face(seed, counter, sides)
            self._open.append((audience, running, counter, sides, shown))
            return shown

        return roll

    def fixed(self, audience: str, label: str) -> Callable[[int], int]:
        """Like :meth:`source`, but the counter follows from the label, so that the same label gives the same faces
        again. Such counters lie beyond all that are counted."""
        running, seed = self._running(audience)
        counter = fixed_counter(label)

        def roll(sides: int) -> int:
            nonlocal counter
            shown = face(seed, counter, sides)
            self._open.append((audience, running, counter, sides, shown))
            counter += 1
            return shown

        return roll

    def opened(self, audience: str) -> str:
        """The running seed of an audience, in hex, for the event that reveals it."""
        return self._running(audience)[1].hex()

    def _running(self, audience: str) -> tuple[Seed, bytes]:
        running = self._seeds.running.get(audience)
        if running is None:
            raise Refused(
                "no_seed", "No dice seed has been promised to this audience yet.", field="audience", value=audience
            )
        return running, seed_bytes(self._campaign_id, audience, running.number, running.nonce)

    def take(self) -> tuple[Draw, ...]:
        """What was drawn since the last call, one entry an unbroken run of one seed."""
        draws: list[Draw] = []
        for audience, running, counter, sides, shown in self._open:
            last = draws[-1] if draws else None
            if last and last.audience == audience and last.first + len(last.faces) == counter:
                draws[-1] = Draw(
                    audience=audience,
                    seed=last.seed,
                    first=last.first,
                    sides=(*last.sides, sides),
                    faces=(*last.faces, shown),
                )
            else:
                draws.append(
                    Draw(audience=audience, seed=running.number, first=counter, sides=(sides,), faces=(shown,))
                )
        self._open.clear()
        return tuple(draws)
