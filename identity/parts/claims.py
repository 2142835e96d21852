"""Waiting dice that players want on a roll, until the GM answers, the roll is made or the die is gone (SPI-049)."""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.parts.calls import TestAdvanced, TestDropped, TestResolved
from identity.parts.invocations import DieClaimAsked, DieClaimDeclined, DieClaimed, DieLapsed


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One die (``die``) that the member ``by`` wants on a roll (``roll``, the id of a call)."""

    die: str
    roll: str
    expresses: str
    name_of: str
    by: str


class Claims(msgspec.Struct):
    """Part of the state: the claims that wait for the GM's word, oldest first; ``refused`` are those, as (die, roll),
    that the GM has answered with no, for as long as the roll is open."""

    waiting: list[Claim] = []
    refused: list[tuple[str, str]] = []

    def of(self, die: str, roll: str) -> Claim | None:
        """The claim that puts this die on this roll."""
        return next((claim for claim in self.waiting if (claim.die, claim.roll) == (die, roll)), None)


part = registry.part("claims", Claims)


@part.evolves(DieClaimAsked)
def _asked(claims: Claims, event: DieClaimAsked, _position: int) -> None:
    if claims.of(event.die, event.roll) is None:
        claim = Claim(die=event.die, roll=event.roll, expresses=event.expresses, name_of=event.name_of, by=event.by)
        claims.waiting.append(claim)


@part.evolves(DieClaimDeclined)
def _declined(claims: Claims, event: DieClaimDeclined, _position: int) -> None:
    claims.waiting = [claim for claim in claims.waiting if (claim.die, claim.roll) != (event.die, event.roll)]
    if event.refused and (event.die, event.roll) not in claims.refused:
        claims.refused.append((event.die, event.roll))


@part.evolves(DieClaimed)
def _claimed(claims: Claims, event: DieClaimed, _position: int) -> None:
    """A die lies on one roll, and a roll takes one die."""
    claims.waiting = [claim for claim in claims.waiting if claim.die != event.die and claim.roll != event.roll]
    claims.refused = [one for one in claims.refused if one != (event.die, event.roll)]


@part.evolves(DieLapsed)
def _lapsed(claims: Claims, event: DieLapsed, _position: int) -> None:
    claims.waiting = [claim for claim in claims.waiting if claim.die != event.die]
    claims.refused = [one for one in claims.refused if one[0] != event.die]


@part.evolves(TestAdvanced, TestResolved, TestDropped)
def _rolled(claims: Claims, event: TestAdvanced | TestResolved | TestDropped, _position: int) -> None:
    """Once the first die of the roll has fallen nothing more is put on it."""
    claims.waiting = [claim for claim in claims.waiting if claim.roll != event.call]
    claims.refused = [one for one in claims.refused if one[1] != event.call]
