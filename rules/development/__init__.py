"""Development of opposed pairs: marks for conduct, and their settling when a period of the calendar closes.

Everything reads one `Standing` (rules and the states of calendar, pairs and marks) and changes nothing:

    standing = Standing(rules=..., calendar_rules=..., pair_rules=..., calendar=..., pairs=..., marks=MarksState())

    eligibility(standing, "talyne", "bold_cautious", now)        # possible, or why not and from which date
    decide(standing, AwardMark(mark="m1", subject="talyne", side="bold", consequential=True), now, "gm", dice)
    # -> [MarkAwarded]; by "holder": [MarkProposed], answered by AwardMark(proposal=...) or DeclineProposal

    plan = plan_close(standing, period_at(calendar, "season", now))          # the preview
    plan.lines[0].needed, plan.lines[0].chance                               # 14, Fraction(7, 20)

    for due in due_periods(calendar, now):
        close_period(standing, ClosePeriod(rung=..., number=..., attempt=...), now, dice)
        # -> [PeriodClosed, SubjectSettled, ...]: one event a subject, holding every roll and shift

`evolve(marks, event)` and `evolve_pairs(pairs, event)` apply these events in place; `rules.calendar.evolve` takes
`PeriodClosed`. `dice(FaceKey)` gives the face of one advancement die; it must follow from the key alone, so that a
close taken back and done again rolls the same. Taking a close back is `rules.calendar.TakeBackClose` for the calendar,
and voiding the SubjectSettled (and AdvancementRolled) events of that period and attempt: a fold without them has the
marks and ratings back.

With the roller `owner_player` a close opens rolls: RollAdvancement makes one, `rolls_due` lists those whose grace is
over, `next_roll_due_at` says when to look.

Sealed marks take no part in any limit that is answered before the close; at the close the conduct that came first
counts, and what is beyond the limit is `surplus`.
"""

from rules.development.commands import AwardMark, DeclineProposal, DevelopmentCommand, RollAdvancement, VoidMark
from rules.development.decide import after, close_period, decide, rolls_due
from rules.development.events import (
    AdvancementRolled,
    DevelopmentEvent,
    MarkAwarded,
    MarkProposed,
    MarkVoided,
    PairResult,
    ProposalDeclined,
    SubjectSettled,
)
from rules.development.evolve import evolve, evolve_pairs
from rules.development.limits import Eligibility, eligibility, marks_in, next_roll_due_at
from rules.development.marking import By
from rules.development.plan import ClosePlan, PlanLine, advancement_chance, mark_bonus, plan_close
from rules.development.rules import Cycle, DevelopmentRules, Source, check_development, cycle_of
from rules.development.settling import Dice, FaceKey, resolve_close
from rules.development.state import Mark, MarksState, OpenRoll, Standing, roll_key

__all__ = [
    "AdvancementRolled",
    "AwardMark",
    "By",
    "ClosePlan",
    "Cycle",
    "DeclineProposal",
    "DevelopmentCommand",
    "DevelopmentEvent",
    "DevelopmentRules",
    "Dice",
    "Eligibility",
    "FaceKey",
    "Mark",
    "MarkAwarded",
    "MarkProposed",
    "MarkVoided",
    "MarksState",
    "OpenRoll",
    "PairResult",
    "PlanLine",
    "ProposalDeclined",
    "RollAdvancement",
    "Source",
    "Standing",
    "SubjectSettled",
    "VoidMark",
    "advancement_chance",
    "after",
    "check_development",
    "close_period",
    "cycle_of",
    "decide",
    "eligibility",
    "evolve",
    "evolve_pairs",
    "mark_bonus",
    "marks_in",
    "next_roll_due_at",
    "plan_close",
    "resolve_close",
    "roll_key",
    "rolls_due",
]
