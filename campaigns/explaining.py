"""Why a value of a sheet is what it is: base, operands of its formula, cards in force; as far as a viewer may know.

A value goes by ``stat:<pack>/<stat>``, or ``stat:<pack>/<stat>/<card>`` where a stat has one for each card.
"""

from __future__ import annotations

from typing import Any

from campaigns.audience import Viewer
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.registry import Why, explains
from campaigns.sheet_reading import audience_of, known_subject, shown_stats
from campaigns.state import State
from rules.formulas.prose import in_words
from rules.formulas.reads import walk
from rules.packs import Pack
from rules.packs.wording import titled
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets import Sheet, StatExplained, explain_stat
from rules.sheets.plan import KindPlan

PREFIX = "stat:"
_STACKING = {
    "best_per_type": "Of each kind only the best counts.",
    "best_and_worst_per_type": "Of each kind the best and the worst count.",
}


@explains
def why_stat(state: State, viewer: Viewer, subject: str, name: str) -> Why | None:
    """Of a sheet's value; refused alike where there is none and where it is not the viewer's to know."""
    if not name.startswith(PREFIX):
        return None
    pack_id, _, rest = name.removeprefix(PREFIX).partition("/")
    stat, _, key = rest.partition("/")
    audience = audience_of(viewer, subject)
    found, packs = state.part(Subjects).by_id.get(subject), Packs(state)
    plan = packs.get(pack_id).kinds.get(found.kind) if found is not None and pack_id in packs.ids() else None
    if plan is None or not audience or stat not in shown_stats(plan, audience):
        raise Refused("not_found", "There is no such value.", field="name", value=name)
    pack = packs.get(pack_id)
    sheet = Sheet(known_subject(state, subject, pack_id, audience), plan, pack.settings)
    try:
        explained = explain_stat(sheet, stat, key or None)
    except (RulesError, KeyError):
        raise Refused("not_found", "There is no such value.", field="name", value=name) from None
    title = plan.stats[stat].spec.title or titled(stat)
    if key:
        title = f"{title}: {pack.card(key)[1].title}"
    return _why(pack, plan, explained, title)


def _why(pack: Pack, plan: KindPlan, explained: StatExplained, title: str) -> Why:
    parts: list[Why] = []
    formula = plan.stats[explained.stat].formula
    if formula is not None:

        def called(source: str) -> str:
            return _operand_called(pack, plan, source)

        said = {formula.text.encode()[node.start : node.end].decode(): node for node in walk(formula.node)}
        operands = tuple(
            Why(label=in_words(said[part.source], called), value=plain(part.value)) for part in explained.parts
        )
        how = in_words(formula.node, called)
        parts.append(Why(label="Worked out", value=plain(explained.base), how=how, parts=operands))
    else:
        parts.append(Why(label="Written on the sheet", value=plain(explained.base)))
    for counted in explained.modifiers:
        how = titled(counted.kind) if counted.kind else ""
        parts.append(Why(label=counted.title, value=counted.value, how=how))
    how = _STACKING.get(explained.stacking, "") if explained.modifiers else ""
    return Why(label=title, value=plain(explained.value), how=how or _bounded(plan, explained), parts=tuple(parts))


def _operand_called(pack: Pack, plan: KindPlan, source: str) -> str:
    """What an operand is called: a stat by its title, with that of a card where it has a value for each; a setting by
    what it sets; a card by its own."""
    if source.endswith("']"):
        stat, _, key = source.removesuffix("']").partition("['")
        return f"{_operand_called(pack, plan, stat)} ({_operand_called(pack, plan, key)})"
    if source in plan.stats:
        return plan.stats[source].spec.title or titled(source)
    if any(source in cards for cards in pack.cards.values()):
        return pack.card(source)[1].title
    return titled(source.rpartition(".")[2])


def _bounded(plan: KindPlan, explained: StatExplained) -> str:
    """Says so where the parts come to more, or less, than the value can be."""
    if not isinstance(explained.base, int) or not isinstance(explained.value, int):
        return ""
    if explained.base + sum(m.value for m in explained.modifiers) == explained.value:
        return ""
    spec = plan.stats[explained.stat].spec
    ends = f"{'' if spec.min is None else spec.min} to {'' if spec.max is None else spec.max}".strip()
    return f"It is held within {ends}."


def plain(value: Any) -> bool | int | str | None:
    """A value as it can be written down."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(str(plain(one)) for one in value) or "none"
    return (
        ", ".join(f"{titled(str(k))} {plain(v)}" for k, v in value.items()) if isinstance(value, dict) else str(value)
    )
