"""What pages and API may show of calendar, pairs, marks and closes, each as one viewer may know it (SPI-140).

All take the campaign's state (held by the caller) and a Viewer, and give structs of plain values:

    catching_up(state, now, zone, starts_on)             what a start in the past would close at once
    moved(state, now, command)                           which ends another length of a period would move
    calendar_info(state, viewer, now)                    where the calendar stands, in words and real dates
    subject_pairs(state, viewer, subject, now)           a subject's pairs, marks, proposals, open rolls, history
    closed_periods(viewer, rung)                         the closed periods, newest first
    period_report(state, viewer, rung, number)           what a close came to; None where it is not closed
    preview(state, viewer, now, rung)                    for the GM: who will roll for what, with exact chances
    rolls_owed(state, viewer)                            advancement rolls that a close left to players
    waiting(state, viewer)                               dice that wait, and what waits for the GM's word
    claimable(state, viewer, call)                       the dice that could go on an open roll
    refused(state, viewer, call)                         the dice that the GM has refused for an open roll
    die_named(state, viewer, die)                        a die that waits, whoever it is for
    lying(state, viewer, call)                           the die that was put on an open roll
    places(state, viewer)                                where something may be invoked now
    hindered(state, holder, container)                   why a holder can invoke nothing there
"""

from identity.reads.calendar import (
    CalendarInfo,
    CatchUp,
    EarlyEnd,
    EndMoved,
    LastClose,
    PeriodInfo,
    WaitingClose,
    calendar_info,
    catching_up,
    moved,
)
from identity.reads.closes import closed_periods, period_report
from identity.reads.invocations import (
    Place,
    Waiting,
    WaitingClaim,
    WaitingDie,
    WaitingInspiration,
    claimable,
    die_named,
    hindered,
    lying,
    places,
    refused,
    stated,
    waiting,
)
from identity.reads.pairs import (
    Creation,
    MarkRead,
    OpenRollRead,
    PairRead,
    Point,
    RollOwed,
    SideRead,
    SubjectPairsRead,
    rolls_owed,
    subject_pairs,
)
from identity.reads.previews import CardAhead, Preview, PreviewLine, preview
from identity.reads.reports import (
    CardTold,
    ClosedPeriod,
    MarkTold,
    PairReport,
    PauseTold,
    Report,
    SubjectReport,
)

__all__ = [
    "CalendarInfo",
    "CardAhead",
    "CardTold",
    "CatchUp",
    "ClosedPeriod",
    "EarlyEnd",
    "EndMoved",
    "moved",
    "Creation",
    "LastClose",
    "MarkRead",
    "MarkTold",
    "OpenRollRead",
    "PairRead",
    "PairReport",
    "PauseTold",
    "PeriodInfo",
    "Place",
    "Point",
    "Preview",
    "RollOwed",
    "rolls_owed",
    "PreviewLine",
    "Report",
    "SideRead",
    "SubjectPairsRead",
    "SubjectReport",
    "Waiting",
    "WaitingClaim",
    "WaitingClose",
    "WaitingDie",
    "WaitingInspiration",
    "calendar_info",
    "catching_up",
    "claimable",
    "lying",
    "closed_periods",
    "hindered",
    "period_report",
    "places",
    "refused",
    "die_named",
    "preview",
    "stated",
    "subject_pairs",
    "waiting",
]
