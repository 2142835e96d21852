"""Growing by the rules of a pack: buying, awards, levels and the choices that they bring."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from campaigns.commands.subjects import known, require_player
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.differing import drafts_between
from campaigns.events import GM_ONLY, TABLE, Draft, Event
from campaigns.packs import Packs
from campaigns.parts import growth as g
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import SubjectBroughtBack, SubjectPutAway, Subjects, SubjectState
from campaigns.registry import Award, Choice, Command, decides, grants, provided, waits_for_choice
from campaigns.rolling import subject_of
from campaigns.state import State
from rules.creation import Growth, advancement_of, gain_level, levels_of, take
from rules.creation.build import LEVEL
from rules.packs import Pack
from rules.refusal import Refused
from rules.sheets import Sheet, Subject


class TakeGrowth(Command):
    """Buys something of the menu, or makes the choices that a level brought (``offer`` is its id)."""

    subject: str
    pack: str
    offer: str
    choices: dict[str, Any] = {}


class AwardGrowth(Command):
    """A GM gives an award of the pack, with a reason."""

    subject: str
    pack: str
    offer: str
    reason: str = ""


class GainLevel(Command):
    """A subject comes to its next level; choices that the level brings wait for its player."""

    subject: str
    pack: str
    reason: str = ""


@decides(TakeGrowth, "growth.take", roles=["gm", "player"], title="Growing")
def take_growth(state: State, command: TakeGrowth, context: Context) -> list[Draft]:
    """By its player or a GM; taken whole, or refused with what would be right."""
    subject = known(state, command.subject, context)
    require_player(subject, context)
    pack = context.packs.get(command.pack)
    before = subject_of(state, command.subject, pack.id)
    growth = state.part(g.Growths).growth(command.subject, pack.id)
    plan = advancement_of(pack, before.kind)
    if command.offer in plan.awards:
        raise Refused(
            "is_award", "This is given, not bought.", field="offer", value=command.offer, right="growth.award"
        )
    seat = "gm" if context.is_gm else "player"
    after, grown, made = take(pack, before, growth, command.offer, command.choices, seat=seat)
    event = g.GrowthTaken(
        subject=command.subject,
        pack=pack.id,
        offer=command.offer,
        title=plan.offers[command.offer].title,
        growth=grown,
        choices=made,
    )
    given = state.part(g.Growths).given.get(command.subject, {}).get(pack.id)
    drafts = told(state, pack, subject, before, after, event)
    return [replace(draft, cause=given.position) for draft in drafts] if given is not None else drafts


def told(state: State, pack: Pack, subject: SubjectState, before: Subject, after: Subject, event: Event) -> list[Draft]:
    """The event of a growth, and those of what it did to the sheet."""
    elsewhere = provided(state, after.id, pack.id)
    for stat in elsewhere:
        if after.values.get(stat) != before.values.get(stat):
            raise Refused("kept_elsewhere", "This value has commands of its own.", field=f"values.{stat}")
    title: str = getattr(event, "title", "")
    audience = GM_ONLY if subject.hidden else TABLE
    return [
        Draft(event, audience=audience, holders=(after.id,)),
        *drafts_between(pack, subject, before, after, title, state.part(Sheets).sheet(after.id, pack.id).unseen),
    ]


def award(
    state: State, pack: Pack, subject_id: str, offer: str, reason: str, now: datetime, award_id: str = ""
) -> list[Draft]:
    """The drafts of an award: one of the pack's, or ``level``. Refused where a limit forbids it."""
    subject, before = state.part(Subjects).by_id[subject_id], subject_of(state, subject_id, pack.id)
    growth = state.part(g.Growths).growth(subject_id, pack.id)
    event: Event
    if offer == LEVEL:
        after, grown, level = gain_level(pack, before, growth)
        event = g.GrowthLevelled(
            subject=subject_id,
            pack=pack.id,
            title=levels_of(pack, before.kind).spec.title,
            level=level,
            growth=grown,
            at=now,
            due=tuple(due for due in grown.due if due.level == level),
            reason=reason,
            award=award_id,
            lapsed=lost_between(pack, before, after),
        )
        return told(state, pack, subject, before, after, event)
    plan = advancement_of(pack, before.kind)
    if offer not in plan.awards:
        right = "one of " + ", ".join(plan.awards) if plan.awards else "none: the pack has no awards"
        raise Refused("unknown_offer", "The pack has no such award.", field="offer", value=offer, right=right)
    after, grown, _ = take(pack, before, growth, offer, {})
    event = g.GrowthAwarded(
        subject=subject_id,
        pack=pack.id,
        offer=offer,
        title=plan.awards[offer].title,
        growth=grown,
        at=now,
        reason=reason,
        award=award_id,
    )
    return told(state, pack, subject, before, after, event)


@decides(AwardGrowth, "growth.award", roles=["gm"], title="Giving an award")
def award_growth(state: State, command: AwardGrowth, context: Context) -> list[Draft]:
    """The GM's hand; refused where the pack's limits are reached."""
    known(state, command.subject, context)
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    return award(state, context.packs.get(command.pack), command.subject, command.offer, reason, context.now)


@decides(GainLevel, "growth.level", roles=["gm"], title="A level more")
def gain(state: State, command: GainLevel, context: Context) -> list[Draft]:
    """One level; refused at the highest."""
    known(state, command.subject, context)
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    return award(state, context.packs.get(command.pack), command.subject, LEVEL, reason, context.now)


@grants
def granted(state: State, given: Award, context: Context) -> tuple[list[Draft], dict[str, str]]:
    """What a gift brings to each of its subjects; who cannot have it gets nothing, and why is said."""
    pack = context.packs.get(given.pack)
    drafts: list[Draft] = []
    withheld: dict[str, str] = {}
    for subject in given.subjects:
        try:
            found = award(state, pack, subject, given.grant, given.reason, context.now, given.id)
        except Refused as no:
            withheld[subject] = no.message + (f" Right would be: {no.right}." if no.right else "")
            continue
        drafts += [replace(draft, cause=given.cause) for draft in found]
    return drafts, withheld


@waits_for_choice(g.GrowthTaken, g.GrowthAwarded, g.GrowthLevelled, SubjectPutAway, SubjectBroughtBack)
def waiting_choices(state: State) -> list[Choice]:
    """Choices that levels brought, and what was awarded to be spent and is not."""
    found = []
    for subject, by_pack in state.part(g.Growths).given.items():
        known_subject = state.part(Subjects).here().get(subject)
        for pack_id, given in by_pack.items():
            if known_subject is None or pack_id not in Packs(state).ids():
                continue
            pack = Packs(state).get(pack_id)
            titles = choices_due(
                pack, subject_of(state, subject, pack_id), state.part(g.Growths).growth(subject, pack_id)
            )
            lapses = _lapsing(state, pack, subject) if titles else {}
            found += [
                Choice(f"{pack_id}:{name}", subject, title, given.at, pack_id, lapses.get(name, ""))
                for name, title in titles.items()
            ]
    return found


def _lapsing(state: State, pack: Pack, subject_id: str) -> dict[str, str]:
    """What the next level would take from a subject unused: stat -> what such a level is called."""
    before, growth = subject_of(state, subject_id, pack.id), state.part(g.Growths).growth(subject_id, pack.id)
    try:
        after = gain_level(pack, before, growth)[0]
    except Refused:
        return {}
    title = levels_of(pack, before.kind).spec.title
    return dict.fromkeys(_fallen(pack, before, after), title)


def _to_spend(pack: Pack, subject: Subject) -> dict[str, int]:
    """What awards have given a subject and was not used yet, by stat."""
    plan = pack.advancements.get(subject.kind)
    if plan is None or not plan.awards:
        return {}
    sheet = Sheet(subject, pack.kinds[subject.kind], pack.settings)
    stats = sorted({stat for offer in plan.purchases.values() for stat in offer.cost})
    return {stat: count for stat in stats if (count := sheet.base(stat)) > 0}


def _fallen(pack: Pack, before: Subject, after: Subject) -> dict[str, int]:
    left = _to_spend(pack, after)
    return {stat: had - left.get(stat, 0) for stat, had in _to_spend(pack, before).items() if left.get(stat, 0) < had}


def _stat_title(pack: Pack, kind: str, stat: str) -> str:
    return pack.kinds[kind].stats[stat].spec.title or stat.replace("_", " ")


def lost_between(pack: Pack, before: Subject, after: Subject) -> dict[str, int]:
    """What had been awarded and was not used, and is no longer there, by what it is called; of stats that everybody may
    know."""
    stats = pack.kinds[before.kind].stats
    fallen = {stat: n for stat, n in _fallen(pack, before, after).items() if stats[stat].spec.seen == "all"}
    return {_stat_title(pack, before.kind, stat): count for stat, count in fallen.items()}


def choices_due(pack: Pack, subject: Subject, growth: Growth) -> dict[str, str]:
    """What waits for a subject's player, by a name of its own: title."""
    plan = pack.advancements.get(subject.kind)
    if plan is None:
        return {}
    found = {f"{d.grant}:{d.level}": plan.offers[d.grant].title for d in growth.due if d.grant in plan.offers}
    for stat, count in _to_spend(pack, subject).items():
        found[stat] = f"{_stat_title(pack, subject.kind, stat)}: {count} to spend"
    return found
