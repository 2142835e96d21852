"""From the kernel's events to the campaign's: what a step of a fight changes on sheets, who is told what. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from campaigns.events import ALL, GM_ONLY, TABLE, Draft
from campaigns.parts.subjects import Subjects
from campaigns.rolling import dice_of, shown_of, told_effect
from campaigns.state import State
from encounters.parts.encounters import Encounter, EncounterMoved, Step
from rules.fight import effects_of, events
from rules.fight.evolve import SHEETS
from rules.fight.state import Doing
from rules.packs import Pack
from rules.tests import TestRun
from rules.tests.trace import TraceStep, line

SOMEBODY = "Somebody unseen"
PLAIN: dict[type, str] = {
    events.Joined: "takes part",
    events.Left: "is gone from the fight",
    events.Ranked: "stands elsewhere in the order",
}


class Teller:
    """Tells the steps of one encounter; ``secret``: to GMs alone, whatever they are about."""

    def __init__(
        self, state: State, encounter: str, found: Encounter, pack: Pack, now: datetime, *, secret: bool = False
    ) -> None:
        self.encounter, self.found, self.pack, self.now, self.secret = encounter, found, pack, now, secret
        self.subjects = state.part(Subjects).by_id
        self.hidden = {name for name, member in found.fight.members.items() if member.hidden}
        self.hidden |= {n for n in found.fight.members if n in self.subjects and self.subjects[n].hidden}

    def drafts(self, came: Sequence[events.Event], runs: Sequence[TestRun]) -> list[Draft]:
        """The drafts of what a command came to. ``runs`` are those of the steps that ran a program, in order."""
        left, drafts = list(runs), list[Draft]()
        for event in came:
            ran = left.pop(0) if isinstance(event, events.Done | events.Waited) and left else None
            drafts += self.told(event, ran)
        return drafts

    def told(self, event: Any, ran: TestRun | None) -> list[Draft]:
        """The step's own event, then what it does to sheets."""
        user, audience = self._user(event), self._audience(event)
        seen = ran is not None and audience != GM_ONLY
        trace = self._trace(event, ran)
        shown = shown_of(trace) if ran is not None else {}
        whole = dice_of(trace, "gm")[0]
        hidden_dice = whole if whole != shown.get("dice", {}) else {}
        facts, facts_gm = self._facts(event)
        outcome = event.outcome or "" if isinstance(event, events.Done) else ""
        spec = self._outcome(event)
        step = EncounterMoved(
            encounter=self.encounter,
            step=_bare(event),
            words=self.words(event),
            user=user,
            outcome=outcome,
            outcome_title=spec.title if spec else "",
            success=spec.success if spec else None,
            dice=shown.get("dice", {}),
            dice_gm=hidden_dice,
            facts=facts,
            facts_gm=facts_gm,
            lines=shown.get("lines", ()),
            lines_gm=shown.get("lines_gm", ()) if seen else shown.get("lines", ()),
            deadline=self._deadline(event),
        )
        drafts = [Draft(step, audience=audience, holders=(user,) if user else ())]
        reason = self.words(event) if audience != GM_ONLY else self.found.title
        for effect in effects_of(event):
            told = told_effect(self.pack, effect, reason) if effect.verb in SHEETS else None
            if told is not None:
                seen_by = GM_ONLY if self.secret or effect.subject in self.hidden else told[1]
                drafts.append(Draft(told[0], audience=seen_by, holders=told[2]))
        return drafts

    def _trace(self, event: Any, ran: TestRun | None) -> Sequence[TraceStep]:
        """The steps of a run; those that are about a hidden one, or name it, are the GM's, and all of a turn that is
        one's own: what happens in it tells of its numbers."""
        if ran is None or not self.hidden:
            return () if ran is None else ran.trace
        doing = getattr(event, "doing", None)
        own_turn = isinstance(doing, Doing) and doing.act is None and any(i.of in self.hidden for i in doing.instants)
        return [replace(step, seen="gm") if own_turn or self._tells_of_hidden(step) else step for step in ran.trace]

    def _tells_of_hidden(self, step: TraceStep) -> bool:
        if step.about:
            return step.about in self.hidden
        said = line(step)
        return any(one in said or self._called(one) in said for one in self.hidden)

    def _called(self, subject: str) -> str:
        known = self.subjects.get(subject)
        return known.name if known is not None else subject

    def _user(self, event: Any) -> str:
        doing = getattr(event, "doing", None)
        if isinstance(doing, Doing) and doing.act is not None:
            return doing.act.user
        return getattr(event, "subject", "")

    def _audience(self, event: Any) -> str:
        """Nobody but GMs knows of what is prepared, nor of what a hidden one does."""
        if self.secret or not self.found.begun or self._user(event) in self.hidden:
            return GM_ONLY
        return ALL if self.found.public else TABLE

    def _deadline(self, event: Any) -> datetime | None:
        asks_several = isinstance(event, events.Waited) and event.ask.kind == "window"
        if not asks_several or not self.found.seconds:
            return None
        waiting = self.found.fight.waiting
        if waiting is not None and waiting.ask.id == event.ask.id and self.found.deadline is not None:
            return self.found.deadline  # the same moment still: one answer gives the others no more time
        return self.now + timedelta(seconds=self.found.seconds)

    def _outcome(self, event: Any) -> Any:
        if not isinstance(event, events.Done) or event.outcome is None or event.doing.act is None:
            return None
        return self.pack.action(event.doing.act.action).spec.outcomes.get(event.outcome)

    def _facts(self, event: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        if not isinstance(event, events.Done):
            return {}, {}
        plain: dict[str, Any] = msgspec.to_builtins(event.facts)
        hidden = {name for name, seen in event.facts_seen.items() if seen != "all"}
        hidden |= {name for name, value in plain.items() if self._is_hidden(value)}
        return {n: v for n, v in plain.items() if n not in hidden}, plain

    def _is_hidden(self, value: Any) -> bool:
        return any(one in self.hidden for one in (value if isinstance(value, list) else [value]))

    def name(self, subject: str) -> str:
        """A name for those at the table."""
        if subject in self.hidden and self.found.begun:
            return SOMEBODY
        known = self.subjects.get(subject)
        return known.name if known is not None else SOMEBODY

    def words(self, event: Any) -> str:
        """A step in a sentence."""
        match event:
            case events.Done() | events.Waited() | events.Cancelled():
                return self._act(event.doing) + self._end(event)
            case events.Ordered():
                order = [slot.subject for slot in event.order.slots if slot.subject not in self.hidden]
                return "The order: " + ", ".join(self.name(one) for one in order) + "."
            case events.Paused():
                return "The fight is paused." if event.paused else "The fight goes on."
            case events.Adjusted():
                return f"By the GM's hand: {event.reason}" if event.reason else "The GM moves somebody."
            case events.Shown():
                return f"{self.name(event.subject)} is {'out of sight' if event.hidden else 'seen'}."
        return f"{self.name(event.subject)} {PLAIN[type(event)]}."

    def _end(self, event: Any) -> str:
        if isinstance(event, events.Waited):
            return f": {event.ask.title or 'a choice'}?"
        if isinstance(event, events.Cancelled):
            return ": not done after all."
        spec = self._outcome(event)
        return f": {spec.title}." if spec else "."

    def _act(self, doing: Doing) -> str:
        """Who does what to whom, or that time passes."""
        if doing.act is None:
            return self._time(doing)
        title = self.pack.action(doing.act.action).spec.title
        chosen = [one for r in doing.act.roles.values() for one in ([r] if isinstance(r, str) else r)]
        at = f" ({', '.join(self.name(one) for one in chosen)})" if chosen else ""
        return f"{self.name(doing.act.user)}: {title}{at}"

    def _time(self, doing: Doing) -> str:
        if doing.ends:
            return "The last turn is over"
        last = next((i for i in reversed(doing.instants) if i.at == "turn_start"), None)
        if last is None:
            return "Time passes"
        return f"{self.name(last.of)}'s turn" if last.of not in self.hidden else "A turn passes"


def _bare(event: Any) -> Step:
    """The step without what the sheets' own events tell."""
    if isinstance(event, events.Done | events.Adjusted | events.Waited):
        kept = [] if isinstance(event, events.Waited) else [e for e in event.effects if e.verb not in SHEETS]
        return replace(event, effects=kept)
    step: Step = event
    return step
