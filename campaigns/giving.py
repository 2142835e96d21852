"""Giving what a Pursuit earns: to one subject at once, to the whole party together, whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from campaigns import registry
from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.packs import Packs
from campaigns.parts import pursuits as p
from campaigns.parts.containers import SESSION, ContainerClosed
from campaigns.parts.subjects import Subjects
from campaigns.registry import Award, closes_container
from campaigns.rolling import subject_of, told_effects
from campaigns.state import State
from rules.packs import Pack
from rules.problems import RulesError
from rules.pursuits import PursuitKind
from rules.refusal import Refused
from rules.sheets import Actor
from rules.tests import run

Withheld = dict[str, str]


@dataclass(frozen=True)
class Giving:
    """An award of a kind of Pursuits: of which pack, for which one (empty: none), with which inputs, told to whom."""

    pack: str
    kind: PursuitKind
    award: Award
    pursuit: str
    audience: str
    inputs: dict[str, Any]


def give(state: State, giving: Giving, context: Context) -> list[Draft]:
    """The award itself and what it does to the sheets; it says who gets nothing and why."""
    kind, award = giving.kind, giving.award
    drafts, withheld = _by_test(state, giving, context) if kind.gives.test else _by_grant(state, award, context)
    told = p.AwardGiven(
        award=award.id,
        pursuit=giving.pursuit,
        kind=kind.id,
        title=kind.gives.title,
        subjects=award.subjects,
        withheld=withheld,
    )
    return [Draft(told, audience=giving.audience, holders=award.subjects, cause=award.cause), *drafts]


def _by_grant(state: State, award: Award, context: Context) -> tuple[list[Draft], Withheld]:
    drafts: list[Draft] = []
    withheld: Withheld = {}
    for function in registry.granters:
        more, why = function(state, award, context)
        drafts += more
        withheld |= why
    return drafts, withheld


def _by_test(state: State, giving: Giving, context: Context) -> tuple[list[Draft], Withheld]:
    """Each subject does the pack's test; one whom the rules refuse gets nothing."""
    pack, drafts, withheld = context.packs.get(giving.pack), [], {}
    for subject in giving.award.subjects:
        try:
            drafts += _done(state, pack, giving, subject)
        except Refused as refused:
            withheld[subject] = refused.message
    return drafts, withheld


def _done(state: State, pack: Pack, giving: Giving, subject: str) -> list[Draft]:
    gift = giving.kind.gives
    drafts = done_alone(state, pack, gift.test, {gift.role: subject}, giving.inputs)
    return [replace(draft, cause=giving.award.cause) for draft in drafts]


def done_alone(state: State, pack: Pack, test: str, roles: dict[str, str], inputs: dict[str, Any]) -> list[Draft]:
    """What a test that rolls and asks nothing does to its subjects; refused where the rules refuse it."""
    cast = {role: subject_of(state, subject, pack.id) for role, subject in roles.items()}
    try:
        result = run(pack, test, inputs, NoDice(), {}, subjects=cast, actor=Actor(seat="gm"))
    except RulesError as error:
        raise Refused(error.code, error.message, right=error.right) from None
    if result.refused is not None:
        raise Refused(result.refused.reason, result.refused.text or "The rules do not allow it.")
    title = pack.test(test).spec.title
    told = told_effects(pack, result.effects, title)
    hidden = any(state.part(Subjects).by_id[subject].hidden for subject in roles.values())
    return [
        Draft(event, audience=GM_ONLY if hidden else audience, holders=holders) for event, audience, holders in told
    ]


@closes_container
def lapsed(state: State, closed: ContainerClosed) -> list[Draft]:
    """What was given and not used is gone with the session, where the pack says so."""
    found = p.pursuit_rules(state) if closed.kind == SESSION else None
    if found is None:
        return []
    pack, drafts = Packs(state).get(found[0]), []
    for kind in found[1].kinds:
        if not kind.gives.lapses:
            continue
        for subject, known in state.part(Subjects).here().items():
            if known.kind in kind.kinds:
                drafts += done_alone(state, pack, kind.gives.lapses, {kind.gives.role: subject}, {})
    return drafts


class NoDice:
    """A source for what rolls nothing."""

    def roll(self, _sides: int) -> int:
        """Says no."""
        raise Refused("rolls_dice", "What a Pursuit gives rolls no dice.")
