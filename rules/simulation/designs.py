"""Numbers that a source prints, worked out again by simulated fights and compared in words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from rules.creation import Growth, gain_level, standing
from rules.packs.pack import Pack
from rules.packs.schema import Design, DesignRow
from rules.problems import RulesError, nearest
from rules.sheets.subject import Subject
from rules.simulation.arena import MOST_ROUNDS, Arena, Blow
from rules.simulation.tally import Tally, whole
from rules.sizing import Chosen
from rules.sizing.sized import made

PARTY, FOES = "party", "foes"


class Measured(Struct, kw_only=True):
    """One printed number and what the fights came to, both in ``parts`` of one; ``bears`` it out or not, said in
    ``words``."""

    design: str
    title: str
    row: str
    parts: int
    printed: int
    found: int
    bears: bool
    words: str


def designs_of(pack: Pack) -> dict[str, Design]:
    """The numbers that the pack wants worked out again."""
    found: dict[str, Design] = pack.source.sections["designs"]
    return found


def rows_of(pack: Pack, only: str = "") -> list[tuple[str, int]]:
    """Every row of every design, or of one. Refused where there is no such one."""
    known = designs_of(pack)
    if only and only not in known:
        raise RulesError(f"{pack.id} has no design {only!r}", code="no_such_design", right=nearest(only, known))
    return [(name, at) for name, design in known.items() if only in ("", name) for at in range(len(design.rows))]


def measure(pack: Pack, name: str, at: int, fights: int, seed: str) -> Measured:
    """One row, by so many fights."""
    design = designs_of(pack)[name]
    row = design.rows[at]
    tally = whole(arena_of(pack, design, row), fights, f"{seed}:{name}:{at}", design.first or MOST_ROUNDS)
    found = round(design.parts * value(design.measure, tally, set(party_names(design))))
    return compared(name, design, row, found)


def arena_of(pack: Pack, design: Design, row: DesignRow) -> Arena:
    """Whom a number was meant for, against whom."""
    party = [levelled(pack, design, kind, who, row.level) for kind, names in design.party.items() for who in names]
    foes = made(pack, [Chosen(card, count, row.numbers) for card, count in row.foes.items()])
    sides = {**{one.id: PARTY for one in party}, **{one.id: FOES for one in foes}}
    return Arena(pack, [*party, *foes], sides, most_acts=design.acts)


def party_names(design: Design) -> Iterator[str]:
    for names in design.party.values():
        yield from names


def levelled(pack: Pack, design: Design, kind: str, who: str, level: int) -> Subject:
    """Somebody ready-made, brought to a level; what is to be chosen on the way is left open, but for what the design
    adds."""
    ready = pack.creations[kind].spec.ready[who]
    subject, growth = standing(pack, kind, ready.choices).sheet.subject(), Growth()
    for _ in range(level - 1):
        subject, growth, _ = gain_level(pack, subject, growth)
    values = dict(subject.values)
    for path, more in design.gains.get(who, {}).items():
        stat, _, key = path.partition(".")
        plan = pack.kinds[kind].stats.get(stat)
        if plan is None or plan.formula is not None:
            raise RulesError(f"a {kind} keeps no {stat!r}", code="no_such_stat", field=stat)
        if key:
            kept = dict(values.get(stat, {}))
            values[stat] = {**kept, key: kept.get(key, plan.default) + more * (level - 1)}
        else:
            values[stat] = values.get(stat, plan.default) + more * (level - 1)
    return replace(subject, id=who, values=values, title=ready.name)


def value(measure: str, tally: Tally, party: set[str]) -> float:
    """What the fights came to, by one measure."""
    own = [blow for who, blow in tally.blows.items() if who in party]
    theirs = [blow for who, blow in tally.blows.items() if who not in party]
    match measure:
        case "dealt_a_round":
            return tally.lost_a_round(FOES)
        case "taken_a_round":
            return tally.lost_a_round(PARTY)
        case "rounds":
            return tally.mean_rounds()
        case "won":
            return tally.share_won(PARTY)
        case "landed":
            return 100 * total(own, "landed") / max(1, total(own, "acts"))
    return total(theirs, "shares") / 100 / max(1, total(theirs, "harmed"))


def total(blows: list[Blow], part: str) -> int:
    return sum(getattr(blow, part) for blow in blows)


def compared(name: str, design: Design, row: DesignRow, found: int) -> Measured:
    off = 100 * (found - row.printed) / max(1, row.printed)
    below = design.most and found <= row.printed
    bears = below or abs(off) <= design.tolerance
    if abs(off) < 1:
        words = "as printed"
    elif below:
        words = f"{-off:.0f} % below the bound"
    else:
        words = f"{abs(off):.0f} % {'more' if off > 0 else 'less'} than printed"
    title = row.title or f"Level {row.level}"
    return Measured(
        design=name,
        title=design.title,
        row=title,
        parts=design.parts,
        printed=row.printed,
        found=found,
        bears=bears,
        words=words,
    )
