"""What the commands of `encounters` share: finding an encounter, deciding by the kernel, whose hand it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from campaigns.commands.subjects import known
from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.instants import Moment, brought
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.registry import holds_rules, holds_subject
from campaigns.rolling import Faces, subject_of
from campaigns.state import State
from encounters.parts.encounters import Encounter, EncounterEnded, Encounters
from encounters.telling import SOMEBODY, Teller
from encounters.waiting import held_up
from rules.fight import Context as FightContext
from rules.fight import decide, events
from rules.packs import Pack
from rules.refusal import Refused
from rules.sheets import Subject
from rules.tests import TestRun

_HAND = "its player or a GM"


def known_encounter(state: State, encounter: str, context: Context) -> Encounter:
    """The encounter, if it exists for the sender: what is prepared is the GM's."""
    found = state.part(Encounters).open.get(encounter)
    if found is None or not (found.begun or context.is_gm):
        right = "an encounter that is not over"
        raise Refused(
            "no_such_encounter", "There is no such encounter.", field="encounter", value=encounter, right=right
        )
    return found


def pack_of(found: Encounter, context: Context) -> Pack:
    """The pack by which an encounter is fought."""
    return context.packs.get(found.pack)


def in_it(state: State, found: Encounter, subject: str, context: Context, field: str = "subject") -> None:
    """Refuses who takes no part in it, and for players one whom they do not see there."""
    member = found.fight.members.get(subject)
    if member is None or (member.hidden and not _plays(state, subject, context)):
        raise Refused("not_in_it", "Nobody of that name takes part.", field=field, value=subject)
    known(state, subject, context, field, away=True)


def _plays(state: State, subject: str, context: Context) -> bool:
    return context.is_gm or context.member in state.part(Subjects).by_id[subject].players


def require_hand(state: State, found: Encounter, subject: str, context: Context) -> None:
    """Refuses unless the sender plays the subject or is GM: the GM may act and answer for anybody. Who is hidden is not
    named by it. Who was put away does nothing, however they came to be in it still."""
    known_one, member = state.part(Subjects).by_id[subject], found.fight.members.get(subject)
    hidden = known_one.hidden or (member is not None and member.hidden)
    name = "This" if hidden else known_one.name
    context.require(_plays(state, subject, context), "not_yours", f"{name} is not yours to play.", right=_HAND)
    if known_one.away:
        known(state, subject, context)


def fighters(state: State, found: Encounter) -> dict[str, Subject]:
    """Those who take part, as the pack's rules see them."""
    subjects = state.part(Subjects).by_id
    return {name: subject_of(state, name, found.pack) for name in found.fight.members if name in subjects}


def carried_out(  # noqa: PLR0913  (what is decided, and by whom)
    state: State,
    encounter: str,
    command: Any,
    context: Context,
    *,
    more: Sequence[str] = (),
    faces: tuple[int, ...] = (),
    hidden: bool = False,
    secret: bool = False,
    about: tuple[str, ...] = (),
    begins: bool = False,
) -> list[Draft]:
    """What a command of the kernel comes to. ``more`` are subjects that do not take part yet, ``faces`` dice thrown at
    the table; dice of what is ``hidden`` come from the GM's seed, so that the table's tells nothing of them.
    ``about`` are those to whom it is done by hand, ``begins``: it is told as of the moment at which the
    encounter has begun."""
    found = state.part(Encounters).open[encounter]
    if begins:
        found = replace(found, begun=True)
    pack, runs = pack_of(found, context), list[TestRun]()
    subjects = fighters(state, found) | {name: subject_of(state, name, found.pack) for name in more}
    audience = "gm" if hidden or not found.begun else "table"

    def seed_for(seen: str) -> str:
        return audience if seen == "all" else "gm"

    late = found.typed if state.part(Table).setting("typed_dice", False) else ()
    dice = Faces(
        (), (*late, *faces), lambda seen: context.dice(seed_for(seen)), blind=not context.is_gm, late=bool(late)
    )
    try:
        came = decide(command, found.fight, FightContext(pack, subjects, dice, None, runs))
    except Refused as refusal:
        raise (held_up_for(state, found, context) if refusal.code == "waits" else refusal) from None
    waits = bool(came) and isinstance(came[-1], events.Waited)
    if not waits:
        dice.check_used()
    for seen in dict.fromkeys(seen for seen, _, _ in dice.thrown):
        sides, thrown = zip(*((n, face) for who, n, face in dice.thrown if who == seen), strict=True)
        context.enter_dice(seed_for(seen), sides, thrown)
    teller = Teller(state, encounter, found, pack, context.now, secret=secret, about=about)
    teller.typed = dice.left if waits else ()
    drafts = teller.drafts(came, runs)
    draws = context.draws()
    if draws and drafts:
        drafts[0] = Draft(drafts[0].event, audience=drafts[0].audience, holders=drafts[0].holders, dice=draws)
    if any(isinstance(one, events.Done) and one.doing.ends for one in came):
        drafts.append(Draft(EncounterEnded(encounter=encounter, title=found.title), audience=drafts[0].audience))
        drafts += _over_for_others(state, encounter, found, context, secret=drafts[0].audience == GM_ONLY)
    return drafts


def held_up_for(state: State, found: Encounter, context: Context) -> Refused:
    """Why something has to wait, as far as the sender may know."""
    known = state.part(Subjects).by_id

    def sees(subject: str) -> bool:
        one, member = known.get(subject), found.fight.members.get(subject)
        if one is None or member is None:
            return False
        return _plays(state, subject, context) or not (member.hidden or one.hidden)

    def name(subject: str) -> str:
        return known[subject].name if sees(subject) else SOMEBODY

    return held_up(found, pack_of(found, context), name, sees, is_gm=context.is_gm)


def _over_for_others(state: State, encounter: str, found: Encounter, context: Context, *, secret: bool) -> list[Draft]:
    """What lasts until a fight is over ends for those too who were not in it, unless they are in another one."""
    every = state.part(Encounters).open.items()
    fighting = {name for key, one in every if key == encounter or one.begun for name in one.fight.members}
    others = frozenset(state.part(Subjects).here()) - fighting
    words = "" if secret else f"{found.title} is over"
    over = Moment(at="encounter_end", words=words, reached=others, acting=False, pack=found.pack)
    return brought(state, [over], context)[0]


@holds_subject
def _in_encounters(state: State, subject: str, gm: bool) -> list[str]:
    """The encounters that a subject is in; its players know of those that have begun, where it is not hidden."""
    return [
        found.title
        for found in state.part(Encounters).open.values()
        if (one := found.fight.members.get(subject)) is not None
        and one.present
        and (gm or (found.begun and not one.hidden))
    ]


@holds_rules
def _waits(state: State, pack: str) -> list[str]:
    """Encounters in which something is half done: an action asks, or a moment waits for answers."""
    running = state.part(Encounters).open.values()
    return [found.title for found in running if found.pack == pack and found.fight.waiting is not None]
