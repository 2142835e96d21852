"""Which pairs apply where, how many invocations are left, and whether a decision may still be tested."""

from __future__ import annotations

from rules.invocations.rules import InvocationRules
from rules.invocations.scene import Scene
from rules.invocations.state import InvocationsState
from rules.refusal import Refused


def no_container(rules: InvocationRules) -> Refused:
    """The refusal of what needs a container and has none."""
    titles = " or ".join(kind.title for kind in rules.containers)
    return Refused("needs_container", f"This needs an open {titles}.", field="container", right=f"an open {titles}")


def eligible(rules: InvocationRules, kind: str, holder: str, scene: Scene | None) -> Refused | None:
    """Why a kind of pairs does not apply for a holder here; None where it does (SPI-023 to 026)."""
    line = rules.eligibility_of(kind)
    if line is None or line.anywhere:
        return None
    if scene is None or not any(container.id == scene.kind for container in rules.containers):
        return no_container(rules)
    if any(holder in scene.ties.get(tie, ()) for tie in line.ties):
        return None
    right = " or ".join(rules.ties[tie].lower() for tie in line.ties)
    return Refused(
        line.reason, line.text or "It does not apply here.", field="container", value=scene.container, right=right
    )


def lends_name(rules: InvocationRules, kind: str) -> bool:
    """Whether others act in the name of a holder with this kind of pairs: of a body, that is, which is tied to what is
    done, and of nobody whose own apply anywhere (SPI-054)."""
    line = rules.eligibility_of(kind)
    return line is not None and not line.anywhere


def spent_scope(rules: InvocationRules, scene: Scene) -> str:
    """The container whose allowance counts: the outermost one where nested ones share (SPI-028)."""
    return scene.lineage[-1] if rules.nesting == "shared" and scene.lineage else scene.container


def invocations_left(
    rules: InvocationRules, state: InvocationsState, holder: str, players: tuple[str, ...], scene: Scene
) -> int:
    """How many invocations a holder has here still: 1 or 0 (SPI-047, 048)."""
    scope = spent_scope(rules, scene)
    here = [spent for spent in state.spent if spent.container == scope]
    if rules.scope == "container":
        used = bool(here)
    elif rules.scope == "player":
        used = any(spent.holder == holder or set(spent.players) & set(players) for spent in here)
    else:
        used = any(spent.holder == holder for spent in here)
    return 0 if used else 1


def may_test(rules: InvocationRules, state: InvocationsState, holder: str, decision: str) -> Refused | None:
    """Why a holder's decision may not be tested again; None where it may (SPI-022)."""
    key = _said(decision)
    if rules.retest or not key or not any(h == holder and _said(d) == key for h, d, _ in state.tested):
        return None
    return Refused(
        "decision_already_tested",
        "This decision has been tested for this holder.",
        field="decision",
        value=decision,
        right="a new decision",
    )


def _said(decision: str) -> str:
    return " ".join(decision.casefold().split())
