"""The mode of play: what acts it allows, as the section `modes` of a pack has it.

The mode is a stat of a subject that stands for the table. Nothing of a test reads it: whoever calls one asks `barred`
before its first step, and a game master may do it all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.formulas import Formula
from rules.formulas.types import Text
from rules.packs.schema import Modes, ModeUse
from rules.packs.values import default_of
from rules.problems import nearest
from rules.sheets.subject import Subject
from rules.tests.flow import Flow, Path, Shared
from rules.tests.result import Refusal
from rules.tests.texts import Template, template

if TYPE_CHECKING:
    from rules.packs.builder import Builder
    from rules.packs.pack import Pack
    from rules.tests.program import Program


@dataclass(frozen=True)
class UseOfMode:
    """When a kind of act may be used (None: always), and what is said where it may not."""

    spec: ModeUse
    when: Formula | None
    text: Template


@dataclass(frozen=True)
class ModesPlan:
    """`usual` is the mode where nobody stands for the table."""

    spec: Modes
    usual: str
    uses: dict[str, UseOfMode]


def build_modes(b: Builder) -> None:
    """Check the section, and that the kinds of acts which tests name are its own."""
    spec: Modes | None = b.source.sections["modes"]
    uses = spec.uses if spec is not None else {}
    named = {test.use for test in b.source.sections["tests"].values()}
    for name, test in b.source.sections["tests"].items():
        if test.use is not None and test.use not in uses:
            hint = nearest(test.use, uses)
            b.source.report(("tests", name, "use"), f"the section `modes` has no use {test.use!r}", hint)
    if spec is None or (kind := _stat(b, spec)) is None:
        return
    flow = Flow(Shared(b, ("modes",)), b.scope.child())
    flow.scope.names["mode"] = kind
    for name in uses:
        if name not in named:
            b.source.report(("modes", "uses", name), f"no test is a {name!r}", warning=True)
    stat = b.kind_plans[spec.kind].stats[spec.stat].spec
    b.modes = ModesPlan(spec, str(default_of(stat)), {name: _use(flow, name, one) for name, one in uses.items()})


def _use(flow: Flow, name: str, spec: ModeUse) -> UseOfMode:
    path: Path = ("modes", "uses", name)
    when = flow.condition(spec.when, (*path, "when"))
    return UseOfMode(spec, when, template(flow, spec.text, (*path, "text"))[0])


def _stat(b: Builder, spec: Modes) -> Text | None:
    """The type of the stat that says which mode is in force; None after reporting what is wrong with it."""
    plan = b.kind_plans.get(spec.kind)
    if plan is None:
        hint = nearest(spec.kind, b.kind_plans)
        b.source.report(("modes", "kind"), f"no kind of subject is called {spec.kind!r}", hint)
        return None
    found = plan.stats.get(spec.stat)
    kind = b.spec_type(found.spec, ("modes", "stat")) if found is not None else None
    if found is None or not isinstance(kind, Text) or found.formula is not None or found.keys is not None:
        hint = nearest(spec.stat, plan.stats)
        b.source.report(("modes", "stat"), f"{spec.kind} keeps no single name or card {spec.stat!r}", hint)
        return None
    opened = b.source.sections["kinds"][spec.kind]
    if found.spec.seen != "all" or (opened.made_by == "gm" and spec.stat not in opened.sheet.open):
        message = "everybody learns the mode by what it allows: the stat is for all to see, and under `open`"
        b.source.report(("modes", "stat"), message)
    if spec.fight is not None and kind.options is not None and spec.fight not in kind.options:
        hint = nearest(spec.fight, kind.options)
        b.source.report(("modes", "fight"), f"{spec.fight!r} is no mode: {', '.join(sorted(kind.options))}", hint)
    return kind


# ------------------------------------------------------------------------------------------------ asking


def modes_of(pack: Pack, everybody: Iterable[Subject], *, fights: bool) -> list[str]:
    """The modes in force for somebody: that of a fight for whoever takes part in one, else those of all who stand for
    the table. Empty where the pack has none."""
    if pack.modes is None:
        return []
    if fights and pack.modes.spec.fight is not None:
        return [pack.modes.spec.fight]
    of, stat = pack.modes.spec.kind, pack.modes.spec.stat
    return [str(one.values.get(stat, pack.modes.usual)) for one in everybody if one.kind == of] or [pack.modes.usual]


def barred(pack: Pack, program: Program, modes: Sequence[str]) -> Refusal | None:
    """Why a test may not be used in any of the modes in force; None where it may in one of them."""
    use = pack.modes.uses.get(program.spec.use or "") if pack.modes is not None else None
    if use is None or use.when is None:
        return None
    frames = [{"setting": pack.settings, "mode": pack.current_id(mode)} for mode in modes]
    if not frames or any(use.when.run(frame) for frame in frames):
        return None
    return Refusal(use.spec.reason, use.text(frames[0]))
