"""The section `invocations` of a pack: where pairs may be invoked, what it takes, what it gives."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from rules.faults import Fault, nearest
from rules.pairs.rules import PairRules


class ContainerKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of container that the table opens and closes; ``within`` names kinds it may be part of."""

    id: str
    title: str
    ties: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


class Eligibility(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a kind of pairs applies: anywhere, or in a container tied to the holder by one of ``ties``.

    ``reason`` is the code of the refusal where the container has none of them, ``text`` says it to people.
    """

    kind: str
    anywhere: bool = False
    ties: tuple[str, ...] = ()
    reason: str = ""
    text: str = ""


class InvocationRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it. ``test`` is the pack's test of a pair, with its role and inputs; ``extra`` names the flag inputs that
    give an extra die to the first and to the second side. ``sides`` is the fact that names the side to express,
    ``succeeded`` the outcome-fact that says whether a side succeeded (true) or not.
    """

    test: str
    role: str
    pair: str
    extra: tuple[str, str]
    side: str
    succeeded: str
    containers: tuple[ContainerKind, ...]
    ties: dict[str, str]
    eligibility: tuple[Eligibility, ...]
    stakes: dict[str, str]
    die: int = 4
    retest: bool = False
    nesting: Literal["shared", "own"] = "shared"
    scope: Literal["holder", "player", "container"] = "holder"
    spent_at: Literal["first_roll"] = "first_roll"
    participant: bool = True
    alignment: Literal["gm_confirms"] = "gm_confirms"
    recast: Literal["gm_confirms", "never"] = "gm_confirms"
    settings: dict[str, str] = {}

    def eligibility_of(self, kind: str) -> Eligibility | None:
        """The line of a kind of pairs."""
        return next((line for line in self.eligibility if line.kind == kind), None)


def check_invocations(rules: InvocationRules, pairs: PairRules | None, tests: Collection[str]) -> list[Fault]:
    """What is wrong with the section: unknown kinds, ties, containers and tests."""
    faults = []
    kinds = {kind.id for kind in pairs.kinds} if pairs else set()
    if rules.test not in tests:
        faults.append(_unknown("test", "test", rules.test, tests))
    container_kinds = [container.id for container in rules.containers]
    for at, container in enumerate(rules.containers):
        faults += [
            _unknown(f"containers.{at}.ties", "tie", t, rules.ties) for t in container.ties if t not in rules.ties
        ]
        faults += [
            _unknown(f"containers.{at}.within", "container", c, container_kinds)
            for c in container.within
            if c not in container_kinds
        ]
    for at, line in enumerate(rules.eligibility):
        where = f"eligibility.{at}"
        if line.kind not in kinds:
            faults.append(_unknown(f"{where}.kind", "kind of pairs", line.kind, kinds))
        faults += [_unknown(f"{where}.ties", "tie", t, rules.ties) for t in line.ties if t not in rules.ties]
        if not line.anywhere and not (line.ties and line.reason):
            faults.append(Fault(path=where, message="it can never apply", right="anywhere: true, or ties and a reason"))
    faults += [
        Fault(
            path="eligibility", message=f"no line for the pairs called {kind!r}", right="a line for each kind of pairs"
        )
        for kind in sorted(kinds - {line.kind for line in rules.eligibility})
    ]
    return faults


def _unknown(path: str, what: str, name: str, known: Collection[str]) -> Fault:
    return Fault(path=path, message=f"no {what} is called {name!r}", right=nearest(name, known))
