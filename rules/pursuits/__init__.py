"""Pursuits: what somebody set out to do, written in a sentence, agreed to, moved on, resolved; and what that gives.

Kinds are rules as data (`PursuitRules`, the section `pursuits` of a pack). All decisions read rules, state and the
`Company` (who sits at the table, which subjects there are) and change nothing:

    company = Company(members={"olga": True, "pia": False}, subjects={"talyne": "character"})
    at = At(now=..., by="holder", position=41)
    decide(rules, state, WritePursuit(pursuit="p1", kind="own", owner="talyne", words="..."), company, at)
    # -> [PursuitWritten]; `evolve(state, event, position)` applies it in place

What is one subject's own gives to that subject at once; what is the party's leaves a `Due` in the state for a job.
An award is named after the Pursuit and the place in the stream of what it is given for (`award_key`).
"""

from rules.pursuits.clock import next_ripe, ripe_at
from rules.pursuits.commands import (
    AbandonPursuit,
    AdvancePursuit,
    AgreePursuit,
    AwardWithout,
    ClaimAdvance,
    CompleteStage,
    DeclineAdvance,
    PursuitCommand,
    ResolvePursuit,
    RewordPursuit,
    SharePursuit,
    WritePursuit,
)
from rules.pursuits.decide import At, By, Company, counted, decide, kind_named
from rules.pursuits.events import (
    AdvanceClaimed,
    AdvanceDeclined,
    AwardedWithout,
    PursuitAbandoned,
    PursuitAdvanced,
    PursuitAgreed,
    PursuitEvent,
    PursuitOpened,
    PursuitResolved,
    PursuitReworded,
    PursuitRipened,
    PursuitShared,
    PursuitWritten,
    StageCompleted,
)
from rules.pursuits.evolve import award_given, evolve, session_began
from rules.pursuits.rules import (
    Gift,
    Pace,
    PursuitKind,
    PursuitRules,
    Suggestion,
    check_gift,
    check_pursuits,
)
from rules.pursuits.state import Due, Pursuit, PursuitsState, award_key, session_key

__all__ = [
    "AbandonPursuit",
    "AdvanceClaimed",
    "AdvanceDeclined",
    "AdvancePursuit",
    "AgreePursuit",
    "At",
    "AwardWithout",
    "AwardedWithout",
    "By",
    "ClaimAdvance",
    "Company",
    "CompleteStage",
    "DeclineAdvance",
    "Due",
    "Gift",
    "Pace",
    "Pursuit",
    "PursuitAbandoned",
    "PursuitAdvanced",
    "PursuitAgreed",
    "PursuitCommand",
    "PursuitEvent",
    "PursuitKind",
    "PursuitOpened",
    "PursuitResolved",
    "PursuitReworded",
    "PursuitRipened",
    "PursuitRules",
    "PursuitShared",
    "PursuitWritten",
    "PursuitsState",
    "ResolvePursuit",
    "RewordPursuit",
    "SharePursuit",
    "StageCompleted",
    "Suggestion",
    "WritePursuit",
    "award_given",
    "award_key",
    "check_gift",
    "check_pursuits",
    "counted",
    "decide",
    "evolve",
    "kind_named",
    "next_ripe",
    "ripe_at",
    "session_began",
    "session_key",
]
