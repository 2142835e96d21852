"""From the kernel's events to the campaign's: what a step of a fight changes on sheets, who is told what. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from campaigns.events import ALL, GM_ONLY, HOLDERS, TABLE, Draft
from campaigns.parts.subjects import Subjects
from campaigns.rolling import Told, dice_of, hidden_beyond, shown_of, told_changes, told_effects
from campaigns.state import State
from encounters.parts.encounters import Encounter, EncounterMoved, Step
from rules.fight import effects_of, events
from rules.fight.evolve import SHEETS
from rules.fight.state import Doing
from rules.packs import Pack
from rules.tests import TestRun
from rules.tests.result import Ask, Effect
from rules.tests.trace import ASIDE, SAY, TraceStep, line

SOMEBODY = "Somebody unseen"
PLAIN: dict[type, str] = {
    events.Joined: "takes part",
    events.Left: "is gone from the fight",
    events.Ranked: "stands elsewhere in the order",
}


class Teller:
    """Tells the steps of one encounter; ``secret``: to GMs alone, whatever they are about. ``about`` are those
    to whom something is done by hand."""

    def __init__(  # noqa: PLR0913  (where and when it is told, and to whom)
        self,
        state: State,
        encounter: str,
        found: Encounter,
        pack: Pack,
        now: datetime,
        *,
        secret: bool = False,
        about: tuple[str, ...] = (),
    ) -> None:
        self.encounter, self.found, self.pack, self.now, self.secret = encounter, found, pack, now, secret
        self.about, self.said = about, 0
        # Faces typed for dice that fall only after the question that is waited for.
        self.typed: tuple[int, ...] = ()
        self.subjects = state.part(Subjects).by_id
        self.hidden = {name for name, member in found.fight.members.items() if member.hidden}
        self.hidden |= {n for n in found.fight.members if n in self.subjects and self.subjects[n].hidden}
        # Those whom the people that a step is told to may not know of.
        self.unseen = self.hidden

    def drafts(self, came: Sequence[events.Event], runs: Sequence[TestRun]) -> list[Draft]:
        """The drafts of what a command came to. ``runs`` are those of the steps that ran a program, in order."""
        left, drafts = list(runs), list[Draft]()
        self.said = self.found.said if self.found.fight.waiting is not None else 0
        for event in came:
            ran = left.pop(0) if isinstance(event, events.Done | events.Waited) and left else None
            drafts += self.told(event, ran)
            self.said = 0
        return drafts

    def told(self, event: Any, ran: TestRun | None) -> list[Draft]:
        """The step's own event, then what it does to sheets."""
        user, audience = self._user(event), self._audience(event)
        passes = self._passes_out_of_sight(event, ran) if audience in (ALL, TABLE) else None
        if passes is not None:
            audience = self._of_hidden(passes)
        self.unseen = set() if audience == GM_ONLY else self.hidden - {user} if audience == HOLDERS else self.hidden
        trace = self._trace(event, ran)
        shown = shown_of(trace) if ran is not None else {}
        whole = dice_of(trace, "gm")[0]
        hidden_dice = whole if whole != shown.get("dice", {}) else {}
        facts, facts_gm = self._facts(event)
        story, story_gm = self._story(trace)
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
            lines_gm=shown.get("lines_gm", ()),
            account=shown.get("account", ()),
            account_gm=shown.get("account_gm", ()) or shown.get("account_holders", ()),
            told=story,
            told_gm=story_gm if story_gm != story else (),
            said=self.said + len(story_gm) if isinstance(event, events.Waited) else 0,
            deadline=self._deadline(event),
            quiet=_only_passes(event) and not story and not shown.get("dice"),
            typed=self.typed if isinstance(event, events.Waited) else (),
        )
        drafts = [Draft(step, audience=audience, holders=(passes,) if passes else self._whose(event))]
        # What is done to a sheet may be told to more people than the step is: they are not told by whom.
        reason = self.words(event) if audience not in (GM_ONLY, HOLDERS) else self.found.title
        for told, seen, holders in self._changes(event, reason):
            drafts.append(Draft(told, audience=self._narrowed(seen, holders), holders=holders))
        return drafts

    def _changes(self, event: Any, reason: str) -> list[Told]:
        """What a step does to sheets: all values of somebody that the same people may know of in one event."""
        told: list[Told | list[Effect]] = []
        joined: dict[tuple[str, str, str], list[Effect]] = {}
        effects = effects_of(event)
        cards = [effect for effect in effects if effect.verb in ("apply", "end")]
        alone = iter(told_effects(self.pack, cards, reason))
        for effect in effects:
            if effect.verb == "set":
                key = (effect.subject, effect.seen, hidden_beyond(self.pack, effect))
                if key not in joined:
                    joined[key] = []
                    told.append(joined[key])
                joined[key].append(effect)
            elif effect.verb in ("apply", "end"):
                told.append(next(alone))
        return [told_changes(self.pack, one, reason) if isinstance(one, list) else one for one in told]

    def _narrowed(self, seen: str, holders: tuple[str, ...]) -> str:
        """Who is told of what is done to a sheet: of a hidden one's, its players at most."""
        if self.secret:
            return GM_ONLY
        return seen if seen == GM_ONLY or self.hidden.isdisjoint(holders) else self._of_hidden(holders[0])

    def _of_hidden(self, subject: str) -> str:
        known = self.subjects.get(subject)
        return HOLDERS if known is not None and known.players and self.found.begun else GM_ONLY

    def _trace(self, event: Any, ran: TestRun | None) -> Sequence[TraceStep]:
        """The steps of a run; those that are about somebody unseen, or name them, are the GM's, and all of a turn that
        is theirs: what happens in it tells of their numbers."""
        if ran is None or not self.unseen:
            return () if ran is None else ran.trace
        doing = getattr(event, "doing", None)
        own_turn = isinstance(doing, Doing) and doing.act is None and any(i.of in self.unseen for i in doing.instants)
        return [
            replace(step, seen="gm") if own_turn or self._tells_of_hidden(step, within) else step
            for step, within in _placed(ran.trace)
        ]

    def _story(self, trace: Sequence[TraceStep]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the rules say of a step, for everybody and for GMs, without what was told when it stopped to ask."""
        came = [step for step in trace if step.kind == SAY][self.said :]
        return tuple(step.text for step in came if step.seen == "all"), tuple(step.text for step in came)

    def _tells_of_hidden(self, step: TraceStep, within: Sequence[TraceStep]) -> bool:
        """Whether a step is about somebody unseen, names them, or is part of what they do in answer: their dice, and
        sentences that name nobody."""
        if step.about:
            return step.about in self.unseen
        of = step.of or next((one.of for one in reversed(within) if one.of), ())
        if step.kind in (SAY, ASIDE) and not self.unseen.isdisjoint(of):
            return True
        if any(one.kind == "react" and one.about in self.unseen for one in within) and not (
            step.kind in (SAY, ASIDE) and step.of
        ):
            return True
        said = line(step)
        return any(one in said or self._called(one) in said for one in self.unseen)

    def _called(self, subject: str) -> str:
        known = self.subjects.get(subject)
        return known.name if known is not None else subject

    def _user(self, event: Any) -> str:
        doing = getattr(event, "doing", None)
        if isinstance(doing, Doing) and doing.act is not None:
            return doing.act.user
        return getattr(event, "subject", self.about[0] if len(self.about) == 1 else "")

    def _whose(self, event: Any) -> tuple[str, ...]:
        """Whom a step is of; where it is done by hand to several, all of them."""
        user = self._user(event)
        return (user,) if user else self.about

    def _audience(self, event: Any) -> str:
        """Nobody but GMs knows of what is prepared; what a hidden one does is told to its players too. Turns that only
        hidden ones begin and end leave no count."""
        if self.secret or not self.found.begun:
            return GM_ONLY
        whose = self._whose(event)
        if whose and self.hidden.issuperset(whose):
            return HOLDERS if any(self._of_hidden(one) == HOLDERS for one in whose) else GM_ONLY
        doing = getattr(event, "doing", None)
        if isinstance(doing, Doing) and self._is_turn_between_hidden(doing):
            return GM_ONLY
        return ALL if self.found.public else TABLE

    def _passes_out_of_sight(self, event: Any, ran: TestRun | None) -> str | None:
        """Of a turn that passes to somebody unseen, and of which nothing else came that all may know: whose it was.
        They are told that it is over; for the others it is as if it went on, or the pause would tell that somebody is
        there."""
        doing = getattr(event, "doing", None)
        if not isinstance(event, events.Done) or not isinstance(doing, Doing) or doing.act is not None or doing.ends:
            return None
        ended, began = _turns(doing)
        if not ended or not began or began[-1] not in self.hidden:
            return None
        tells = ran is not None and any(step.kind == SAY or step.dice for step in ran.trace)
        if tells or any(effect.verb == "narrate" for effect in event.effects):
            return None
        return next((one for one in reversed(ended) if one not in self.hidden), "")

    def _deadline(self, event: Any) -> datetime | None:
        """When the time of a moment is up. It stands still while the fight is paused and begins anew afterwards."""
        waiting = self.found.fight.waiting
        goes_on = isinstance(event, events.Paused) and not event.paused and waiting is not None
        ask = waiting.ask if goes_on and waiting else event.ask if isinstance(event, events.Waited) else None
        if ask is None or ask.kind != "window" or not self.found.seconds:
            return None
        if not goes_on and waiting is not None and waiting.ask.id == event.ask.id and self.found.deadline is not None:
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
        return any(one in self.unseen for one in (value if isinstance(value, list) else [value]))

    def name(self, subject: str) -> str:
        """A name for those who are told."""
        if subject in self.unseen and self.found.begun:
            return SOMEBODY
        known = self.subjects.get(subject)
        return known.name if known is not None else SOMEBODY

    def words(self, event: Any) -> str:
        """A step in a sentence."""
        match event:
            case events.Done() | events.Waited() | events.Cancelled():
                return self._act(event.doing) + self._went(event) + self._end(event)
            case events.Ordered():
                order = [slot.subject for slot in event.order.slots if slot.subject not in self.unseen]
                return "The order: " + ", ".join(self.name(one) for one in order) + "."
            case events.Paused():
                return "The fight is paused." if event.paused else "The fight goes on."
            case events.Adjusted():
                return self._by_hand(event)
            case events.Shown():
                return f"{self.name(event.subject)} is {'out of sight' if event.hidden else 'seen'}."
        return f"{self.name(event.subject)} {PLAIN[type(event)]}."

    def _went(self, event: Any) -> str:
        """From which square to which whoever acts went by it; "" where they stayed, or no grid says so."""
        act = event.doing.act
        if act is None or not isinstance(event, events.Done):
            return ""
        ways = [
            (effect.before["places"].get(act.user), effect.after["places"].get(act.user))
            for effect in event.effects
            if effect.verb == "move" and "places" in effect.after and "places" in effect.before
        ]
        known = [(start, goal) for start, goal in ways if start and goal]
        if not known or known[0][0] == known[-1][1]:
            return ""
        return f", from {square(known[0][0])} to {square(known[-1][1])}"

    def _by_hand(self, event: events.Adjusted) -> str:
        laid = [effect for effect in event.effects if effect.verb in ("place", "lift")]
        ground = [self._on_ground(effect) for effect in laid if effect.after.get("on") not in self.unseen]
        if ground or event.reason or len(event.effects) != 1 or event.effects[0].verb != "move":
            names = list(dict.fromkeys(self.name(one.subject) for one in event.effects if one.subject))
            told = names and SOMEBODY not in names
            what = ", ".join(ground) or (f"The GM's hand on {', '.join(names)}" if told else "By the GM's hand")
            why = f": {event.reason}" if event.reason else ""
            return f"{what}{why}" + ("" if why and event.reason[-1] in ".!?" else ".")
        (effect,) = event.effects
        if "places" in effect.after:
            return f"The GM moves {self.name(effect.subject)}."
        one, _, other = next(iter(effect.after["apart"])).partition("|")
        return f"The GM says how far {self.name(one)} and {self.name(other)} are apart."

    def _on_ground(self, effect: Effect) -> str:
        """What came to lie where, or what lies there no more."""
        _, card = self.pack.card(effect.card)
        if effect.verb == "lift":
            return f"{card.title} is gone"
        at, on = effect.after.get("at"), effect.after.get("on")
        if at is not None:
            return f"{card.title} at {square(at)}"
        return f"{card.title} around {self.name(on)}" if on else card.title

    def _end(self, event: Any) -> str:
        if isinstance(event, events.Waited):
            return self._asked(event.ask)
        if isinstance(event, events.Cancelled):
            return ": not done after all."
        spec = self._outcome(event)
        return f": {spec.title}." if spec else "."

    def _asked(self, ask: Ask) -> str:
        """What is asked, and in a moment that asks several, of whom."""
        title = ask.title or "a choice"
        if ask.kind != "window":
            return f": {title}" + ("" if title.endswith(("?", "!", ".")) else "?")
        asked = [self.name(one) for one in ask.asked if one not in self.unseen]
        # Of a moment that asks none of those who are seen it is not told that it asks anybody.
        return f": {title}. {' and '.join(asked)} may answer." if asked else " …"

    def _act(self, doing: Doing) -> str:
        """Who does what to whom, or that time passes."""
        if doing.act is None:
            return self._time(doing)
        title = self.pack.action(doing.act.action).spec.title
        chosen = [one for r in doing.act.roles.values() for one in ([r] if isinstance(r, str) else r)]
        others = [one for one in dict.fromkeys(chosen) if one != doing.act.user] or chosen[:1]
        at = f" ({', '.join(self.name(one) for one in others)})" if others else ""
        return f"{self.name(doing.act.user)}: {title}{at}"

    def _time(self, doing: Doing) -> str:
        """Whose turn it is now. Of an unseen one's only that the turn before is over, as if nobody's came after it."""
        if doing.ends:
            return "The last turn is over"
        ended, began = _turns(doing)
        if not began:
            return "Time passes"
        anew = f"Round {doing.order.round}. " if doing.order is not None and self._first_seen(doing) else ""
        if began[-1] not in self.unseen:
            return f"{anew}{self.name(began[-1])}'s turn"
        over = [one for one in ended if one not in self.unseen]
        if over:
            return f"{self.name(over[-1])}'s turn is over"
        return anew.rstrip(". ") or "Time passes"

    def _first_seen(self, doing: Doing) -> bool:
        """Whether the round begins, or the first turn in it that is seen."""
        if _begins_round(doing) or doing.order is None or doing.order.round < 2:
            return _begins_round(doing)
        before = doing.order.slots[: doing.order.at]
        return all(slot.subject in self.unseen for slot in before if slot.present)

    def _is_turn_between_hidden(self, doing: Doing) -> bool:
        ended, began = _turns(doing)
        whose = {*ended, *began}
        return bool(whose) and whose <= self.hidden and not doing.ends and not _begins_round(doing)


def _only_passes(event: Any) -> bool:
    """Whether one turn ended and the next began; by what everybody is told, or it would tell of what is hidden."""
    doing = getattr(event, "doing", None)
    return isinstance(event, events.Done) and isinstance(doing, Doing) and doing.act is None and not doing.ends


def _turns(doing: Doing) -> tuple[list[str], list[str]]:
    """Whose turns ended and began."""
    came = doing.instants
    return [i.of for i in came if i.at == "turn_end"], [i.of for i in came if i.at == "turn_start"]


def _begins_round(doing: Doing) -> bool:
    return any(i.at == "round_start" for i in doing.instants)


def _placed(trace: Sequence[TraceStep]) -> Iterator[tuple[TraceStep, Sequence[TraceStep]]]:
    """Each step with the calls and answers within which it was taken, the outermost first."""
    within: list[TraceStep] = []
    for step in trace:
        while within and within[-1].depth >= step.depth:
            within.pop()
        yield step, tuple(within)
        if step.kind in ("call", "react", "act"):
            within.append(step)


def square(cell: Sequence[int]) -> str:
    """A square as people count them: from 1."""
    return f"column {cell[0] + 1}, row {cell[1] + 1}"


def _bare(event: Any) -> Step:
    """The step without what the sheets' own events tell."""
    if isinstance(event, events.Done | events.Adjusted | events.Waited):
        kept = [] if isinstance(event, events.Waited) else [e for e in event.effects if e.verb not in SHEETS]
        return replace(event, effects=kept)
    step: Step = event
    return step
