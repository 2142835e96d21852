"""How opposed pairs develop, as pack data: who can be marked how often, when marks are settled, and by what roll."""

from typing import Annotated, Literal

import msgspec

from rules.calendar import CalendarRules
from rules.faults import Fault, nearest, repeated
from rules.pairs import PairRules

Natural = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a mark may come of. `side`: any side, only the one a test was rolled on, or only the one opposite it."""

    id: str
    title: str
    side: Literal["any", "tested", "opposite"] = "any"


class Cycle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How fast some kinds of pairs move.

    A pair takes at most `limit` marks in one period of the rung `unit`; what it has is settled when the period of the
    rung `settles` closes. `collective`: only what the holder did as a body counts.
    """

    id: str
    title: str
    kinds: tuple[str, ...]
    unit: str
    settles: str
    limit: Positive = 1
    collective: bool = False


class DevelopmentRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pack's development. The first source is the one taken when none is named.

    consequential  whether conduct without consequences earns nothing
    awarder        who gives marks; a mark from anyone else is a proposal ("gm"), or whoever plays the holder may too
    mark_time      whether the time of the conduct counts, or that of the record
    cancel         how marks on both sides of a pair meet before the roll
    die, beats     one roll a marked pair: the die plus the bonus has to be over (or at least) the marked side's rating
    free_marks     marks left that allow the roll and add nothing; each further one adds 1, up to bonus_cap
    shift_by       points that a successful roll moves the pair
    at_cap         what becomes of marks on a side that can rise no further
    clear          which marks are gone once the period is settled
    reads          which rating the roll is compared with: the one at the time of the roll
    roller         who rolls: the server at the close, or the holder's player until `grace_days` are over
    settings       value paths to keys of pack settings (see `rules.bindings`)
    """

    cycles: tuple[Cycle, ...]
    sources: tuple[Source, ...]
    consequential: bool = True
    awarder: Literal["gm", "holder"] = "gm"
    mark_time: Literal["occurred_at", "recorded_at"] = "occurred_at"
    cancel: Literal["one_for_one"] = "one_for_one"
    die: Positive = 20
    beats: Literal["over", "at_least"] = "over"
    free_marks: Natural = 1
    bonus_cap: Natural = 3
    shift_by: Positive = 1
    at_cap: Literal["no_roll_clear", "roll_clear"] = "no_roll_clear"
    clear: Literal["all"] = "all"
    reads: Literal["current"] = "current"
    roller: Literal["server", "owner_player"] = "server"
    grace_days: Natural = 7
    settings: dict[str, str] = {}


def cycle_of(rules: DevelopmentRules, kind: str) -> Cycle | None:
    """The cycle by which a kind of pairs develops; None when it does not."""
    return next((cycle for cycle in rules.cycles if kind in cycle.kinds), None)


def check_development(rules: DevelopmentRules, calendar: CalendarRules, pairs: PairRules) -> list[Fault]:
    """Everything wrong with development in a pack with this calendar and these pairs."""
    faults = []
    if not rules.sources:
        faults.append(Fault(path="sources", message="marks come of nothing", right="at least one source"))
    for name in repeated(source.id for source in rules.sources):
        faults.append(Fault(path="sources", message=f"two sources are called {name!r}", right="one id for each"))
    for name in repeated(cycle.id for cycle in rules.cycles):
        faults.append(Fault(path="cycles", message=f"two cycles are called {name!r}", right="one id for each"))
    for name in repeated(kind for cycle in rules.cycles for kind in cycle.kinds):
        faults.append(Fault(path="cycles", message=f"{name!r} develops by two cycles", right="one cycle a kind"))
    if rules.sources and rules.sources[0].side != "any":
        faults.append(Fault(path="sources.0.side", message="the usual source binds the side", right="any"))
    for place, cycle in enumerate(rules.cycles):
        faults += _check_cycle(cycle, f"cycles.{place}", calendar, pairs)
    return faults


def _check_cycle(cycle: Cycle, path: str, calendar: CalendarRules, pairs: PairRules) -> list[Fault]:
    faults = []
    kinds = [kind.id for kind in pairs.kinds]
    for place, name in enumerate(cycle.kinds):
        if name not in kinds:
            faults.append(Fault(path=f"{path}.kinds.{place}", message=f"no kind {name!r}", right=nearest(name, kinds)))
    rungs = [rung.id for rung in calendar.ladder]
    for field, name in (("unit", cycle.unit), ("settles", cycle.settles)):
        if name not in rungs:
            faults.append(Fault(path=f"{path}.{field}", message=f"no period {name!r}", right=nearest(name, rungs)))
    known = cycle.unit in rungs and cycle.settles in rungs
    if known and rungs.index(cycle.unit) > rungs.index(cycle.settles):
        faults.append(
            Fault(
                path=f"{path}.unit",
                message=f"a {cycle.unit} is longer than the {cycle.settles} that settles it",
                right=", ".join(rungs[: rungs.index(cycle.settles) + 1]),
            )
        )
    return faults
