"""An encounter as one viewer may see it: who is there, whose turn it is, what is known of them, what is asked of whom.

Who is hidden is not there for players and watchers, neither by name nor by a gap in the order. Numbers that the pack
hides stay hidden; of foes' tracks players are shown what the encounter says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from campaigns.audience import Viewer
from campaigns.events import GM, PLAYER
from campaigns.packs import Packs
from campaigns.parts import pictures
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.sheet_reading import HeldRead, audience_of, held_read, known_subject, shown_stats
from campaigns.state import State
from encounters.commands.common import fighters
from encounters.parts.encounters import Encounters
from encounters.reactions import said_reactions, said_values
from encounters.seeing import Since, exists, sees
from encounters.waiting import can_cancel, can_pass, done_meanwhile, due, in_act
from rules.fight import their_turn
from rules.packs import Pack
from rules.packs.wording import titled
from rules.refusal import Refused
from rules.sheets import Sheet, Subject
from rules.sheets.seen import LEVELS
from rules.tests.perform import Possible, possible
from rules.tests.result import Ask, Option
from rules.tests.run import needed

WORDS = ((1, 1, "unhurt"), (3, 4, "scratched"), (1, 2, "battered"), (1, 4, "badly battered"), (0, 1, "barely standing"))
DOWN = "down"
GAME_MASTER = "the game master"
TURNS = ("cannot_act", "not_now")
"""reasons that may be that it is somebody else's turn"""


class TrackRead(msgspec.Struct, kw_only=True):
    """A number with its most, such as what keeps somebody standing; in ``words`` alone where one may know no more."""

    stat: str
    title: str
    value: int | None = None
    most: int | None = None
    words: str = ""


class FlagRead(msgspec.Struct, kw_only=True):
    """What everybody sees of somebody, such as that they lie on the ground, and what that means."""

    flag: str
    title: str
    text: str = ""


class FighterRead(msgspec.Struct, kw_only=True):
    """Somebody who takes part. ``friend``: on a side that players play; ``mine``: the viewer acts for them."""

    subject: str
    name: str
    side: str
    friend: bool
    mine: bool
    turn: bool
    hidden: bool
    x: int | None = None
    y: int | None = None
    initiative: int | None = None
    tracks: list[TrackRead] = []
    budgets: list[TrackRead] = []
    flags: list[FlagRead] = []
    cards: list[HeldRead] = []
    portrait: str = ""


class MapRead(msgspec.Struct, kw_only=True):
    """The picture under the grid: its id, what it shows in words, its width in squares, where its upper left corner
    lies (in squares from the grid's), its size in pixels."""

    picture: str
    alt: str
    across: int
    left: int
    top: int
    width: int
    height: int


class AreaRead(msgspec.Struct, kw_only=True):
    """A card that lies on the ground."""

    area: str
    title: str
    shape: str
    size: int
    x: int | None = None
    y: int | None = None
    to_x: int | None = None
    to_y: int | None = None
    on: str = ""


class ApartRead(msgspec.Struct, kw_only=True):
    """How far two are from one another by the GM's word, where no grid says it."""

    one: str
    other: str
    units: int


class OptionRead(msgspec.Struct, kw_only=True):
    """Something that may be answered: what it does in ``text``, what it costs in ``cost``, in words; ``note`` stands
    behind the title, ``first`` before the others as what is usual."""

    id: str
    title: str
    text: str = ""
    cost: list[str] = []
    note: str = ""
    first: bool = False


class TurnedRead(msgspec.Struct, kw_only=True):
    """A die that may be turned: ``place`` counts from 1, ``to`` are the faces it can be turned to."""

    place: int
    sides: int
    face: int
    to: list[int]


class AskedRead(msgspec.Struct, kw_only=True):
    """A question that the viewer may answer, for ``subject`` (empty: as the GM). ``kind`` as in a test's questions, and
    ``window``: several reactions of ``options`` or none. ``about`` is what is known of it, in words. ``dice`` may be
    turned by ``steps`` in all, by ``least`` at least. ``theirs``: somebody else plays them and is asked as well."""

    subject: str
    name: str
    kind: str
    title: str
    text: str
    options: list[OptionRead]
    min: int | None = None
    max: int | None = None
    about: dict[str, str] = {}
    dice: list[TurnedRead] = []
    steps: int = 0
    least: int = 0
    theirs: bool = False


class WaitingRead(msgspec.Struct, kw_only=True):
    """What is waited for: ``of`` names those whose answer is still due, as far as the viewer sees them; ``mine``: the
    viewer is asked, for their own or as the GM; ``can_pass`` and ``can_cancel`` say which ways a GM has to go on
    without them."""

    title: str
    doing: str
    of: list[str]
    deadline: datetime | None
    asked: list[AskedRead]
    mine: bool = False
    can_pass: bool = False
    can_cancel: bool = False


class InputRead(msgspec.Struct, kw_only=True):
    """A value that is given with an action."""

    name: str
    title: str
    type: str
    min: int | None
    max: int | None
    default: Any
    options: list[OptionRead]


class RoleRead(msgspec.Struct, kw_only=True):
    """A role that somebody is chosen for; ``nobody`` says why nobody can be who must. ``meant`` is whom it is for:
    others may be chosen as well, with care."""

    name: str
    title: str
    many: bool
    min: int
    max: int | None
    can_be: list[str]
    nobody: str = ""
    meant: Literal["whoever", "foe"] = "whoever"


class ActionRead(msgspec.Struct, kw_only=True):
    """An action of somebody. ``hindered`` says why it cannot be done now (empty: it can)."""

    action: str
    title: str
    text: str
    card: str
    tags: list[str]
    cost: dict[str, int]
    besides: dict[str, int] = {}
    """what it takes in its course, which `cost` does not say"""
    hindered: str
    roles: list[RoleRead]
    inputs: list[InputRead]


class ActorRead(msgspec.Struct, kw_only=True):
    """Somebody for whom the viewer may act, with what they can do."""

    subject: str
    name: str
    actions: list[ActionRead]


class UnitRead(msgspec.Struct, kw_only=True):
    """What distances are counted in: a single one, and several."""

    one: str
    many: str


class BoardRead(msgspec.Struct, kw_only=True):
    """An encounter as the viewer may see it, those who take part in the order of turns. ``turn`` is who acts; while
    somebody acts whom the viewer does not see, whoever acted before them (``over``: their turn is over)."""

    encounter: str
    title: str
    pack: str
    status: str
    round: int
    turn: str
    width: int
    height: int
    foes: str
    seconds: int
    fighters: list[FighterRead]
    areas: list[AreaRead]
    apart: list[ApartRead]
    usual: int
    """how far apart those are of whom nothing was said, where there is no grid"""
    waiting: WaitingRead | None
    actors: list[ActorRead]
    map: MapRead | None = None
    unit: UnitRead
    over: bool = False


class LineRead(msgspec.Struct, kw_only=True):
    """An encounter in a list."""

    encounter: str
    title: str
    status: str
    fighters: int


def encounters_of(state: State, viewer: Viewer, since: Since | None = None) -> list[LineRead]:
    """Those the viewer may see: prepared ones are the GM's, and watchers follow what is public. ``state`` may be one of
    the past, of which ``since`` says what came after it."""
    return [
        LineRead(
            encounter=name,
            title=found.title,
            status=found.fight.status,
            fighters=len([s for s in found.fight.members if sees(state, viewer, name, s, since)]),
        )
        for name, found in state.part(Encounters).open.items()
        if exists(state, viewer, name, since)
    ]


def board_of(state: State, viewer: Viewer, encounter: str, since: Since | None = None) -> BoardRead:
    """The board of one encounter. Refused where it does not exist for the viewer. Of the past (see
    :func:`encounters_of`) it is to be read: nothing is asked there and nothing can be done."""
    if not exists(state, viewer, encounter, since):
        raise Refused("not_found", "There is no such encounter.", field="encounter", value=encounter)
    return _Board(state, viewer, encounter, since).read()


class _Board:
    """One reading of one encounter for one viewer."""

    def __init__(self, state: State, viewer: Viewer, encounter: str, since: Since | None) -> None:
        found = state.part(Encounters).open[encounter]
        self.state, self.viewer, self.encounter, self.found = state, viewer, encounter, found
        self.is_past = since is not None
        self.now = since.now if since else state
        # What was shown in error and taken back is not shown by looking back.
        self.foes = (since.corrected if since else state).part(Encounters).open.get(encounter, found).foes
        self.subjects = state.part(Subjects).by_id
        self.pack: Pack = Packs(state).get(found.pack)
        self.fight = found.fight
        order = [slot.subject for slot in self.fight.order.slots] if self.fight.order else list(self.fight.members)
        self.seen = [s for s in dict.fromkeys(order) if sees(state, viewer, encounter, s, since)]
        played = {m.side for s, m in self.fight.members.items() if s in self.subjects and self.subjects[s].players}
        self.friends = {s for s, m in self.fight.members.items() if m.side in played}

    def read(self) -> BoardRead:
        turn, round_ = self.turn_seen()
        return BoardRead(
            encounter=self.encounter,
            title=self.found.title,
            pack=self.found.pack,
            status=self.fight.status,
            round=round_,
            turn=turn,
            over=bool(turn) and turn != their_turn(self.fight),
            width=self.found.width,
            height=self.found.height,
            foes=self.found.foes if self.viewer.role == GM else "",
            seconds=self.found.seconds,
            fighters=[self.one(subject, turn) for subject in self.seen],
            areas=self.areas(),
            apart=self.apart(),
            usual=self.fight.scene.usual,
            waiting=self.waiting(),
            actors=self.actors(their_turn(self.fight)),
            map=self.map(),
            unit=UnitRead(one=self.pack.encounter.unit.one, many=self.pack.encounter.unit.many),
        )

    def turn_seen(self) -> tuple[str, int]:
        """Whose turn it is, and in which round; while somebody unseen acts, as it stood before: a turn that nobody sees
        leaves no gap."""
        order, round_ = self.fight.order, self.fight.scene.round
        if order is None or their_turn(self.fight) in self.seen:
            return their_turn(self.fight), round_
        before = [one.subject for one in order.slots[: order.at] if one.present and one.subject in self.seen]
        after = [one.subject for one in order.slots[order.at :] if one.present and one.subject in self.seen]
        if before or not after or round_ < 2:
            return before[-1] if before else "", round_
        return after[-1], round_ - 1

    def map(self) -> MapRead | None:
        """As it was laid then, where the viewer may see the picture today."""
        laid = self.found.map
        found = pictures.sees(self.now, self.viewer, laid.picture) if laid else None
        if laid is None or found is None:
            return None
        return MapRead(
            picture=laid.picture,
            alt=found.alt,
            across=laid.across,
            left=laid.left,
            top=laid.top,
            width=found.width,
            height=found.height,
        )

    def mine(self, subject: str) -> bool:
        return self.viewer.role == GM or (self.viewer.role == PLAYER and subject in self.viewer.plays)

    def one(self, subject: str, turn: str) -> FighterRead:
        member, place = self.fight.members[subject], self.fight.scene.places.get(subject)
        audience = audience_of(self.viewer, subject) or "all"
        sheet = Sheet(
            known_subject(self.state, subject, self.pack.id, audience),
            self.pack.kinds[self.subjects[subject].kind],
            self.pack.settings,
        )
        stats = shown_stats(sheet.kind, audience)
        return FighterRead(
            subject=subject,
            name=self.subjects[subject].name,
            side=member.side,
            friend=subject in self.friends,
            mine=self.mine(subject),
            turn=subject == turn,
            hidden=member.hidden or self.subjects[subject].hidden,
            x=place[0] if place else None,
            y=place[1] if place else None,
            initiative=member.initiative if self.mine(subject) or subject in self.friends else None,
            tracks=self.tracks(subject, sheet, stats),
            budgets=[self.track(sheet, b) for b in self.pack.encounter.budgets if b in stats]
            if self.mine(subject) or subject in self.friends
            else [],
            flags=self.flags(subject),
            cards=self.cards(sheet, subject),
            portrait=pictures.portrait_of(self.state, self.viewer, subject, self.now),
        )

    def tracks(self, subject: str, sheet: Sheet, stats: set[str]) -> list[TrackRead]:
        tops = self.pack.source.sections["kinds"][sheet.kind.id].sheet.tracks
        if self.mine(subject) or subject in self.friends:
            return [self.track(sheet, stat) for stat, most in tops.items() if stat in stats and most in stats]
        first = next(iter(tops), "")
        if not first or self.foes == "hidden":
            return []
        whole = self.whole_sheet(subject)
        known = self.track(whole, first)
        if self.foes == "numbers":
            return [known]
        words = in_words(known.value or 0, known.most or 1)
        return [TrackRead(stat=first, title=known.title, words=words)]

    def flags(self, subject: str) -> list[FlagRead]:
        """Those that are true, in the order of the pack."""
        whole = self.whole_sheet(subject)
        specs = {flag: whole.kind.stats[flag].spec for flag in self.pack.encounter.flags if whole[flag]}
        return [FlagRead(flag=flag, title=one.title or titled(flag), text=one.text) for flag, one in specs.items()]

    def whole_sheet(self, subject: str) -> Sheet:
        """The sheet as the GM knows it, of which no more leaves than the encounter says."""
        known = known_subject(self.state, subject, self.pack.id, "gm")
        return Sheet(known, self.pack.kinds[known.kind], self.pack.settings)

    def track(self, sheet: Sheet, stat: str) -> TrackRead:
        tops = self.pack.source.sections["kinds"][sheet.kind.id].sheet.tracks
        most = tops.get(stat)
        title = sheet.kind.stats[stat].spec.title or titled(stat)
        return TrackRead(stat=stat, title=title, value=sheet[stat], most=sheet[most] if most else None)

    def cards(self, sheet: Sheet, subject: str) -> list[HeldRead]:
        """What is in force and came or ends in play; what somebody is made of stands on their sheet."""
        names = {h.source: self.name(h.source) for h in sheet.held}
        unseen = self.state.part(Sheets).sheet(subject, self.pack.id).unseen
        shown = [h for h in sheet.held if h.ends is not None or self.is_condition(h.card)]
        return [held_read(self.pack, one, unseen, names) for one in shown]

    def is_condition(self, card: str) -> bool:
        """Whether a card is of a type that its pack shows on the board."""
        return self.pack.card(card)[0] in self.pack.encounter.shows

    def name(self, subject: str) -> str:
        known = self.subjects.get(subject)
        if known is None or (subject in self.fight.members and subject not in self.seen):
            return "Somebody unseen"
        return known.name

    def areas(self) -> list[AreaRead]:
        return [
            AreaRead(
                area=area.id,
                title=self.pack.card(area.card)[1].title,
                shape=area.shape,
                size=area.size,
                x=area.at[0] if area.at else None,
                y=area.at[1] if area.at else None,
                to_x=area.to[0] if area.to else None,
                to_y=area.to[1] if area.to else None,
                on=area.on,
            )
            for area in self.fight.scene.areas.values()
            if not area.on or area.on in self.seen
        ]

    def apart(self) -> list[ApartRead]:
        """Of those whom the viewer sees and who do not both stand on a grid."""
        scene = self.fight.scene
        pairs = [(key.partition("|"), units) for key, units in scene.apart.items()]
        return [
            ApartRead(one=one, other=other, units=units)
            for (one, _, other), units in pairs
            if one in self.seen and other in self.seen and not (one in scene.places and other in scene.places)
        ]

    def waiting(self) -> WaitingRead | None:
        waiting = self.fight.waiting
        if waiting is None:
            return None
        ask, act = waiting.ask, waiting.doing.act
        if act is not None and act.user not in self.seen and not any(self.mine(one) for one in ask.asked):
            return None
        whose = due(self.fight)
        asked = [self.asked(one) for one in whose if (self.mine(one) if one else self.viewer.role == GM)]
        seen = [self.name(one) if one else GAME_MASTER for one in whose if not one or one in self.seen]
        return WaitingRead(
            title=ask.title,
            doing=done_meanwhile(self.pack, waiting.doing, self.name),
            # Where somebody unseen alone is asked it is the game master who decides, as of much else.
            of=seen or [GAME_MASTER],
            deadline=None if self.is_past or not seen else self.found.deadline,
            asked=[] if self.is_past else asked,
            mine=not self.is_past and any(not one.theirs for one in asked),
            can_pass=can_pass(waiting),
            can_cancel=can_cancel(waiting),
        )

    def asked(self, subject: str) -> AskedRead:
        waiting = self.fight.waiting
        assert waiting is not None
        ask = waiting.ask
        options = ask.asked[subject] if ask.kind == "window" else ask.options
        options = [one for one in options if one.id not in self.fight.members or one.id in self.seen]
        return AskedRead(
            subject=subject,
            name=self.name(subject) if subject else "GM",
            kind=ask.kind,
            title=ask.title,
            text=ask.text,
            options=self.reactions(ask, subject, options) if ask.kind == "window" else self.options(options),
            min=ask.min,
            max=ask.max,
            about=said_values(self.pack, ask, self.name, in_act(waiting.doing))
            if self.may_know(ask.seen, subject)
            else {},
            dice=turned(ask),
            steps=ask.steps,
            least=ask.least,
            theirs=bool(subject) and bool(set(self.subjects[subject].players) - {self.viewer.member}),
        )

    def options(self, options: list[Option]) -> list[OptionRead]:
        return [OptionRead(id=o.id, title=self.option_title(o), note=o.note, first=o.first) for o in options]

    def reactions(self, ask: Ask, subject: str, options: list[Option]) -> list[OptionRead]:
        """What may be answered to a moment, with what it does and what it costs whoever does it."""
        told = said_reactions(self.pack, self.fight.scene, fighters(self.state, self.found), ask, subject)
        return [
            OptionRead(id=o.id, title=self.option_title(o), text=told[o.id].text, cost=list(told[o.id].cost))
            for o in options
            if o.id in told
        ]

    def may_know(self, seen: str, subject: str) -> bool:
        """Whether the viewer may know what a moment is about: it may rest on numbers that are hidden."""
        audience = audience_of(self.viewer, subject) if subject else "gm"
        return LEVELS.index(seen) <= LEVELS.index(audience or "all")

    def option_title(self, option: Option) -> str:
        if option.title:
            return str(option.title)
        return self.name(option.id) if option.id in self.subjects else titled(option.id)

    def actors(self, turn: str) -> list[ActorRead]:
        """The viewer's own; for GMs the one whose turn it is."""
        if self.is_past or self.fight.status != "running" or self.fight.waiting is not None:
            return []
        wanted = [turn] if self.viewer.role == GM else [s for s in self.seen if self.mine(s)]
        subjects = fighters(self.state, self.found)
        return [
            ActorRead(subject=one, name=self.name(one), actions=self.actions(one, subjects))
            for one in wanted
            if one in self.seen
        ]

    def actions(self, user: str, subjects: dict[str, Subject]) -> list[ActionRead]:
        """What somebody has, with why it cannot be done now: first that it is not their turn, where that alone bars it;
        that nobody can be chosen, where somebody must be."""
        scene = self.fight.scene
        found = possible(self.pack, scene, subjects, user)
        near: dict[str, dict[str, list[str]]] = {}
        free: set[str] = set()
        if any(p.hindrance is not None and p.hindrance.reason in TURNS for p in found) and scene.turn != user:
            theirs = possible(self.pack, replace(scene, turn=user), subjects, user)
            now = {p.action: p.hindrance.reason for p in found if p.hindrance is not None}
            free = {p.action for p in theirs if p.hindrance is None or p.hindrance.reason != now.get(p.action)}
        if any(self.lacks(p, user) for p in found):
            here = replace(scene, places={}, apart={}, usual=0)
            near = {p.action: p.targets for p in possible(self.pack, here, subjects, user)}
        mine = [p for p in found if self.viewer.role == GM or not self.is_gms(p)]
        return [self.action(p, user, p.action in free, near.get(p.action, {})) for p in mine]

    def is_gms(self, found: Possible) -> bool:
        """Whether only a game master can do it, who alone says something that it needs."""
        inputs = self.pack.action(found.action).spec.inputs.values()
        return any(one.by == "gm" and one.default is None and needed(one) for one in inputs)

    def lacks(self, found: Possible, user: str) -> list[str]:
        """The roles for which somebody must be chosen, and nobody whom they mean and the viewer sees can be."""
        roles = self.pack.action(found.action).spec.roles
        wanted = [name for name, role in roles.items() if not role.many or role.min]
        return [name for name in wanted if not self.could_be(found, name, user, found.targets)]

    def could_be(self, found: Possible, role: str, user: str, targets: Mapping[str, list[str]]) -> set[str]:
        """Those whom the viewer sees that are meant by a role and could be chosen: of what is for foes no friend."""
        seen = set(self.seen) & set(targets.get(role, []))
        if self.pack.action(found.action).spec.roles[role].meant == "foe":
            sides = self.fight.scene.sides
            seen = {one for one in seen if sides.get(one, "") != sides.get(user, "")}
        return seen

    def nobody(self, found: Possible, role: str, user: str, near: Mapping[str, list[str]]) -> str:
        """Why nobody can be chosen: whether somebody could, if they were near."""
        whom = "No foe" if self.pack.action(found.action).spec.roles[role].meant == "foe" else "Nobody"
        return f"{whom} is near enough." if self.could_be(found, role, user, near) else f"{whom} here can be chosen."

    def hindered(self, found: Possible, user: str, turn: bool, near: Mapping[str, list[str]]) -> str:
        if turn and found.hindrance is not None:
            return f"It is not {self.name(user)}'s turn."
        if found.hindrance is not None:
            return found.hindrance.text or titled(found.hindrance.reason)
        return next((self.nobody(found, role, user, near) for role in self.lacks(found, user)), "")

    def action(self, found: Possible, user: str, turn: bool, near: Mapping[str, list[str]]) -> ActionRead:
        spec = self.pack.action(found.action).spec
        lacks = self.lacks(found, user)
        return ActionRead(
            action=found.action,
            title=found.title,
            text=own_words(self.pack, self.whole_sheet(user), spec.text or self.pack.card(found.card)[1].text),
            card=self.pack.card(found.card)[1].title,
            tags=list(spec.tags),
            cost={s: n for s, n in found.cost.items() if n},
            besides={s: n for s, n in found.besides.items() if n},
            hindered=self.hindered(found, user, turn, near),
            roles=[
                RoleRead(
                    name=name,
                    title=role.title or titled(name),
                    many=role.many,
                    min=role.min if role.many else 1,
                    max=role.max if role.many else 1,
                    can_be=[one for one in found.targets.get(name, []) if one in self.seen],
                    nobody=self.nobody(found, name, user, near) if name in lacks else "",
                    meant=role.meant,
                )
                for name, role in spec.roles.items()
            ],
            inputs=[
                InputRead(
                    name=name,
                    title=one.title or titled(name),
                    type=one.type,
                    min=one.min,
                    max=one.max,
                    default=one.default,
                    options=[OptionRead(id=o, title=title) for o, title in one.titles().items()],
                )
                for name, one in spec.inputs.items()
                if one.by != "gm" or self.viewer.role == GM
            ],
        )


def own_words(pack: Pack, sheet: Sheet, text: str) -> str:
    """A text without what it says of modes that somebody is not in just now: "Ice: it slows." is for who is in Ice."""
    modes = {n: p.spec.card for n, p in sheet.kind.stats.items() if p.spec.card and p.spec.holds}
    own = {pack.cards[card][sheet[n]].title for n, card in modes.items() if sheet[n] in pack.cards[card]}
    titles = {one.title for card in modes.values() for one in pack.cards[card].values()}
    if not titles or ": " not in text:
        return text
    parts = re.split(rf"(?:^|(?<=[.] ))(?=(?:{'|'.join(map(re.escape, sorted(titles)))}): )", text)
    kept = [part for part in parts if (label := part.partition(": ")[0]) not in titles or label in own]
    return "".join(kept).strip()


def turned(ask: Any) -> list[TurnedRead]:
    """The dice of a question that may be turned, each with the faces it can come to."""
    way = -1 if ask.direction == "down" else 1
    room = dict(zip(ask.movable, ask.room, strict=False))
    dice = [(place, ask.dice[place - 1], room.get(place, ask.steps)) for place in ask.movable]
    return [
        TurnedRead(
            place=p, sides=d.sides, face=d.face, to=[d.face + way * n for n in range(1, min(free, ask.steps) + 1)]
        )
        for p, d, free in dice
    ]


def in_words(value: int, most: int) -> str:
    """How somebody stands, without a number."""
    if value <= 0:
        return DOWN
    return next(words for part, of, words in WORDS if value * of >= most * part)
