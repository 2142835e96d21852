"""One fight that nobody plays, from beginning to end, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rules.board import Board, Cell, Scene, copy_scene
from rules.dice.seeded import SeededDice
from rules.fight import Fight, FightTable, commands, events
from rules.packs.pack import Pack
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Subject
from rules.simulation.tactics import MOST_ACTS, Tactician, choose
from rules.tests.result import Ask, Effect

MOST_ROUNDS = 30
"""a fight that is not over by then is undecided"""
Places = Mapping[str, Cell]


class Blow(Struct):
    """What acts against foes came to: how many there were, how many landed, what they took, and that in ten thousandths
    of the most that each who was harmed can have."""

    acts: int = 0
    landed: int = 0
    took: int = 0
    harmed: int = 0
    shares: int = 0


class FightOver(Struct, kw_only=True):
    """``won`` is the side that stands (empty: neither, or nobody); ``length`` in hundredths of a round, the last one
    counted as far as its turns had come; ``out`` who is out at the end; ``fell`` how often each went out; ``lost``
    what each side lost, by round; ``blows`` by who dealt them."""

    rounds: int
    length: int
    won: str
    out: list[str]
    fell: dict[str, int]
    lost: dict[str, list[int]]
    blows: dict[str, Blow] = field(default_factory=dict)


class Arena:
    """A pack, those who fight, and their sides. Everything that fights have in common is worked out once."""

    def __init__(
        self,
        pack: Pack,
        subjects: Sequence[Subject],
        sides: Mapping[str, str],
        places: Places | None = None,
        initiative: Mapping[str, int] | None = None,
        most_acts: Mapping[str, int] | None = None,
        ground: Scene | None = None,
    ) -> None:
        """``ground`` is what lies there and how far those without places are apart; who stands on it is not read."""
        self.pack, self.sides, self.places = pack, dict(sides), dict(places or {})
        self.ground = ground or Scene()
        # Where the rules leave initiative to the game master, all are equal and roll off.
        equal = {} if pack.encounter.initiative is not None else dict.fromkeys(self.sides, 0)
        self.initiative, self.most_acts = {**equal, **(initiative or {})}, dict(most_acts or {})
        self.order = list(dict.fromkeys(self.sides.values()))
        self.dice = SeededDice(b"trying out")
        self.never = frozenset(pack.tactics.spec.never) if pack.tactics is not None else frozenset()
        self.asked: dict[str, Sheet] = {}
        self.tactician = Tactician(pack, self.dice, self.answer)
        self.track, self.most = self.tactician.track, dict[str, int]()
        self.subjects = {one.id: self.full(one) for one in subjects}
        self.try_out()

    def answer(self, ask: Ask) -> Any:
        """What is answered where the kernel would wait."""
        return choose(self.pack.tactics, self.never, self.asked, ask)

    def full(self, subject: Subject) -> Subject:
        """A number that reads less than it was kept as, for its top, is kept as it reads: what falls off it is lost."""
        sheet = Sheet(subject, self.pack.kinds[subject.kind], self.pack.settings)
        top = self.pack.source.sections["kinds"][subject.kind].sheet.tracks.get(self.track)
        self.most[subject.id] = max(1, sheet[top] if top else sheet[self.track])
        kept = {plan.name: sheet[plan.name] for plan in sheet.kind.topped}
        return replace(subject, values={**subject.values, **kept, self.track: sheet[self.track]})

    def try_out(self) -> None:
        """What everybody's actions are worth, as it stands when a fight begins and it is their turn."""
        table = self.begun(SeededDice(b"trying out"))[0]
        for name in self.sides:
            # Everybody in reach of everybody: where they stand decides later whether an act can be done, not its worth.
            scene = replace(table.fight.scene, turn=name, places={}, areas={}, apart={}, usual=1)
            board = Board(self.pack, scene, table.subjects)
            self.asked = board.sheets
            if name in scene.order:
                self.tactician.worthwhile(board.sheet(name), board, board.foes(board.sheet(name)))

    def begun(self, dice: SeededDice) -> tuple[FightTable, Watched]:
        """A fight that has just begun."""
        table = FightTable(self.pack, self.subjects, Fight(scene=self.laid()), self.answer)
        for name, side in self.sides.items():
            table.do(commands.Join(subject=name, side=side, place=self.places.get(name)), dice)
        told = Watched(self)
        told.hear(table.do(commands.Begin(initiative=self.initiative), dice), 1)
        return table, told

    def laid(self) -> Scene:
        """The ground as it lies when a fight begins."""
        one = copy_scene(self.ground)
        return Scene(areas=one.areas, apart=one.apart, usual=one.usual, numbered=one.numbered)

    def fight(self, seed: str, most: int = MOST_ROUNDS) -> FightOver:
        """One fight; the same seed makes the same one. Undecided after `most` rounds."""
        dice = SeededDice(seed.encode())
        self.tactician.dice = dice
        table, told = self.begun(dice)
        while table.fight.scene.round <= most and table.fight.order is not None:
            board = self.board(table)
            standing = self.standing(board, told)
            if len(standing) < 2:
                return told.over(table.fight.scene.round, came_to(table), standing)
            self.turn(table, dice, told)
        return told.over(most, 100 * most, [])

    def board(self, table: FightTable) -> Board:
        """The fight to look at."""
        board = Board(self.pack, table.fight.scene, table.subjects, warm=table.warm)
        self.asked = board.sheets
        return board

    def standing(self, board: Board, told: Watched) -> list[str]:
        """The sides of which not all are out; notes who has gone out since."""
        there = set(board.scene.order)
        up = {name for name in there if not self.tactician.out(board.sheet(name), board)}
        told.note_out({name for name in self.sides if name not in up})
        return [side for side in self.order if any(self.sides[name] == side for name in up)]

    def turn(self, table: FightTable, dice: SeededDice, told: Watched) -> None:
        """Somebody's turn: as many acts as they can do and want to, then its end."""
        who, round_now = table.fight.scene.turn, table.fight.scene.round
        used: dict[str, int] = {}
        for _ in range(self.most_acts.get(self.subjects[who].kind, MOST_ACTS)):
            if not self.one_act(table, dice, told, who, used):
                break
            if table.fight.scene.turn != who or table.fight.scene.round != round_now:
                return
        if table.fight.scene.turn == who and not self.is_over(table, told):
            told.hear(table.do(commands.EndTurn(), dice), round_now)

    def is_over(self, table: FightTable, told: Watched) -> bool:
        """Whether only one side stands: then the turn in which that came about is the last."""
        return len(self.standing(self.board(table), told)) < 2

    def one_act(self, table: FightTable, dice: SeededDice, told: Watched, who: str, used: dict[str, int]) -> bool:
        """The first act that can be done of those that somebody would do; False where there is none."""
        board = self.board(table)
        if who not in board.scene.order:
            return False
        user = board.sheet(who)
        if self.tactician.out(user, board) or len(self.standing(board, told)) < 2:
            return False
        wanted = (
            [*self.tactician.acts(user, board, used)] if board.scene.places else self.tactician.acts(user, board, used)
        )
        # What is wanted and cannot be done from here may be once they stand nearer.
        acts = [*wanted, *self.tactician.nearer(user, board)]
        for act in acts:
            used[act.action] = used.get(act.action, 0) + 1
            try:
                came = table.do(commands.Use(act=act), dice)
            except (Refused, RulesError):
                continue
            told.hear(came, board.scene.round)
            return True
        return False


class Watched:
    """What is seen of a fight while it goes on."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.lost: dict[str, list[int]] = {side: [] for side in arena.order}
        self.fell: dict[str, int] = {}
        self.out: set[str] = set()
        self.blows: dict[str, Blow] = {}

    def note_out(self, out: set[str]) -> None:
        for name in out - self.out:
            self.fell[name] = self.fell.get(name, 0) + 1
        self.out = out

    def hear(self, came: Sequence[Any], round_now: int) -> None:
        """Counts what was lost."""
        for event in came:
            if isinstance(event, events.Done):
                for effect in event.effects:
                    if effect.verb == "set" and effect.stat == self.arena.track and effect.after < effect.before:
                        self.lose(self.arena.sides[effect.subject], effect.before - effect.after, round_now)
                if event.doing.act is not None:
                    self.weigh(event)

    def lose(self, side: str, count: int, round_now: int) -> None:
        rounds = self.lost[side]
        rounds.extend([0] * (round_now - len(rounds)))
        rounds[round_now - 1] += count

    def weigh(self, event: events.Done) -> None:
        """An act that was aimed at a foe, or took something off one."""
        act, sides, track = event.doing.act, self.arena.sides, self.arena.track
        assert act is not None
        own = sides[act.user]
        took = [e for e in event.effects if is_loss(e, track) and sides[e.subject] != own]
        aimed = any(sides.get(one) not in (None, own) for chosen in act.roles.values() for one in several(chosen))
        if not took and not aimed:
            return
        blow = self.blows.setdefault(act.user, Blow())
        outcomes = self.arena.pack.actions[act.action].spec.outcomes
        said = outcomes[event.outcome].success if event.outcome in outcomes else None
        blow.acts += 1
        blow.landed += bool(took) if said is None else said
        blow.harmed += len(took)
        for effect in took:
            blow.took += effect.before - effect.after
            blow.shares += 10_000 * (effect.before - effect.after) // self.arena.most[effect.subject]

    def over(self, rounds: int, length: int, standing: list[str]) -> FightOver:
        won = standing[0] if len(standing) == 1 else ""
        return FightOver(
            rounds=rounds,
            length=length,
            won=won,
            out=sorted(self.out),
            fell=self.fell,
            lost=self.lost,
            blows=self.blows,
        )


def came_to(table: FightTable) -> int:
    """How far a fight has come, in hundredths of a round."""
    order = table.fight.order
    if order is None:
        return 100 * table.fight.scene.round
    return 100 * (order.round - 1) + 100 * (order.at + 1) // len(order.slots)


def is_loss(effect: Effect, track: str) -> bool:
    return effect.verb == "set" and effect.stat == track and bool(effect.after < effect.before)


def several(chosen: str | list[str]) -> list[str]:
    return [chosen] if isinstance(chosen, str) else chosen
