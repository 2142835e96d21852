"""`rules simulate` and `rules designs`: fights that nobody plays, and printed numbers worked out again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rules.packs import Pack
from rules.packs.schema import Design
from rules.problems import GivenError
from rules.refusal import Refused
from rules.sheets import Subject
from rules.simulation import Arena, Tally
from rules.simulation.arena import Blow
from rules.simulation.designs import FOES, PARTY, Measured, levelled, measure, rows_of
from rules.simulation.tally import whole
from rules.sizing import Chosen
from rules.sizing.sized import made

Say = Callable[[str], object]


def chosen(words: Sequence[str]) -> list[Chosen]:
    """``wolf:3`` as three wolves; ``wolf:3:hp=9`` with another number."""
    out = []
    for word in words:
        card, _, rest = word.partition(":")
        count, _, numbers = rest.partition(":")
        pairs = dict(part.split("=", 1) for part in numbers.split(",") if "=" in part)
        try:
            out.append(Chosen(card, int(count or 1), {name: int(number) for name, number in pairs.items()}))
        except ValueError:
            raise GivenError("foes", f"{word!r} is not written like card:3 or card:3:stat=9") from None
    return out


def ready_party(pack: Pack, words: Sequence[str], level: int) -> list[Subject]:
    """Ready-made ones by their names, or as many as the pack's first design has; each at the level."""
    known = {name: kind for kind, plan in pack.creations.items() for name in plan.spec.ready}
    names = list(words) or list(known)[:4]
    for name in names:
        if name not in known:
            raise GivenError("party", f"nobody ready-made is called {name!r}", ", ".join(known))
    plain = Design(title="", measure="won", party={}, rows=[])
    return [levelled(pack, plain, known[name], name, level) for name in names]


def simulate_fights(  # noqa: PLR0913
    pack: Pack, party: Sequence[str], level: int, foes: Sequence[str], fights: int, seed: str, say: Say
) -> bool:
    """So many fights, and what they came to."""
    own, theirs = ready_party(pack, party, level), made(pack, chosen(foes))
    if not theirs:
        raise Refused("missing", "Say against whom: --foes card:count", field="foes")
    sides = {**{one.id: PARTY for one in own}, **{one.id: FOES for one in theirs}}
    arena = Arena(pack, [*own, *theirs], sides)
    began = time.process_time()
    tally = whole(arena, fights, seed)
    spent = max(time.process_time() - began, 1e-9)
    for line in told(tally, {one.id: one.title or one.id for one in [*own, *theirs]}):
        say(line)
    say(f"{tally.fights / spent:.0f} fights a second of one core; seed {seed}")
    return True


def told(tally: Tally, names: dict[str, str]) -> list[str]:
    """A tally as lines."""
    lines = [f"{tally.fights} fights, {tally.mean_rounds():.2f} rounds each"]
    for side in sorted(tally.lost):
        lines.append(f"{side}: wins {tally.share_won(side):.1f} %, loses {tally.lost_a_round(side):.1f} a round")
    lines.append("rounds: " + ", ".join(f"{r}: {tally.rounds[r]}" for r in sorted(tally.rounds)))
    for who, name in names.items():
        blow = tally.blows.get(who, Blow())
        down = 100 * tally.out.get(who, 0) / max(1, tally.fights)
        lines.append(
            f"  {name:24} out at the end {down:5.1f} %, lands {100 * blow.landed / max(1, blow.acts):5.1f} %, "
            f"takes {blow.took / max(1, tally.fights):6.1f} a fight"
        )
    return lines


def report_designs(pack: Pack, only: str, fights: int, seed: str, say: Say) -> bool:
    """Every printed number beside the one that the fights came to."""
    designs, before = pack.source.sections["designs"], ""
    for name, at in rows_of(pack, only):
        if name != before:
            if before and designs[before].why:
                say(f"    {designs[before].why}")
            say(f"{designs[name].title} ({', '.join(designs[name].rules)})")
            before = name
        say(line_of(measure(pack, name, at, fights, seed)))
    if before and designs[before].why:
        say(f"    {designs[before].why}")
    return True


def line_of(one: Measured) -> str:
    """A measured number as a line."""
    printed, found = (f"{n / one.parts:g}" for n in (one.printed, one.found))
    mark = "borne out" if one.bears else "differs"
    return f"  {one.row:28} printed {printed:>6}  measured {found:>6}  {mark}: {one.words}"
