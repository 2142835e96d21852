"""Fights that nobody plays: the kernel of `rules.fight` with tactics, once or by the thousand.

    arena = Arena(pack, subjects, {"ana": "party", "wolf": "foes"})
    arena.fight(seed)                                   # one fight: rounds, who won, who was out, what was lost when
    for tally in simulate(arena, 1000, seed): ...       # a tally after every so many fights; the last is the whole

The same seed makes the same fights. What somebody does comes from the pack's `tactics`; where these say nothing, from
what has done foes most harm for its cost when it was tried out beforehand.
"""

from rules.simulation.arena import Arena, FightOver, Places
from rules.simulation.tally import Tally, merged, simulate

__all__ = ["Arena", "FightOver", "Places", "Tally", "merged", "simulate"]
