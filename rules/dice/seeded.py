"""Faces from a secret seed and a counter: whoever is later shown the seed can check every face."""

from __future__ import annotations

import hmac

from rules.dice.sources import fair_limit


def face(seed: bytes, counter: int, sides: int) -> int:
    """The face that `seed` gives for draw number `counter` on a die of `sides` sides.

    HMAC-SHA256(seed, counter as 8 bytes, attempt as 4 bytes), cut into 64-bit words, big-endian. The first word
    below the largest multiple of `sides` is taken modulo `sides`; when all four are above, the next attempt follows.
    """
    limit = fair_limit(sides)
    attempt = 0
    while True:
        block = hmac.digest(seed, counter.to_bytes(8, "big") + attempt.to_bytes(4, "big"), "sha256")
        for at in range(0, 32, 8):
            word = int.from_bytes(block[at : at + 8], "big")
            if word < limit:
                return word % sides + 1
        attempt += 1


class SeededDice:
    """A dice source over `face`: one counter step a die. `draws` lists (counter, sides, face) of what was rolled."""

    def __init__(self, seed: bytes, counter: int = 0) -> None:
        self.seed, self.counter = seed, counter
        self.draws: list[tuple[int, int, int]] = []

    def roll(self, sides: int) -> int:
        found = face(self.seed, self.counter, sides)
        self.draws.append((self.counter, sides, found))
        self.counter += 1
        return found
