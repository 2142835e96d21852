"""An instant comes: in a fight, or where none runs for everybody at the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.board import Board, Scene
from rules.dice.sources import DiceSource
from rules.fight.order import Instant
from rules.packs.pack import Pack
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held, Subject
from rules.tests.effects import apply_to_sheet, expiry, undo_effect
from rules.tests.passing import ending, expire_on, heard, pass_over, still, triggered
from rules.tests.result import Effect
from rules.tests.runtime import Pending, RequirementFailed, Runtime
from rules.tests.trace import TraceStep
from rules.tests.triggers import TriggerPlan
from rules.tests.uses import put
from rules.tests.verb_areas import lifted


class Happened(Struct, kw_only=True):
    """Subjects as they stand after it, the effects in order, the faces that were rolled, and what can be read of it."""

    subjects: dict[str, Subject]
    effects: list[Effect]
    faces: list[int]
    trace: list[TraceStep]


class Acted(Struct, kw_only=True):
    """What one card did by itself on its holder. ``failed`` says why it could not: then nothing of it is done."""

    subject: str
    held: Held
    effects: list[Effect]
    trace: list[TraceStep]
    failed: str = ""


def happen(pack: Pack, subjects: Mapping[str, Subject], instant: Instant, dice: DiceSource) -> Happened:
    """Triggers act in the order of the subjects and of what each holds."""
    return happen_all(pack, subjects, [instant], dice)


def happen_all(pack: Pack, subjects: Mapping[str, Subject], instants: Iterable[Instant], dice: DiceSource) -> Happened:
    """Several instants, one after the other, where no fight runs. What cannot be done raises; nothing waits."""
    board = Board(pack, Scene(), subjects)
    rt = Runtime(plain_frame(board), dice, {}, tracing=True)
    sheets = sheets_of(board, subjects)
    try:
        for instant in instants:
            pass_over(rt, instant.at, instant.of, sheets)
    except Pending as exc:
        raise RulesError(f"{exc.ask.id} is asked where nobody waits", code="nobody_waits") from None
    except RequirementFailed as exc:
        raise Refused(exc.refusal.reason, exc.refusal.text or "This cannot happen.") from None
    after = {name: board.sheets[name].subject() if name in board.sheets else subjects[name] for name in subjects}
    return Happened(subjects=after, effects=rt.effects, faces=rt.faces, trace=rt.trace or [])


def plain_frame(board: Board) -> dict[str, Any]:
    return {"setting": board.pack.settings, "asker": "server", "@board": board}


def sheets_of(board: Board, names: Iterable[str]) -> list[Sheet]:
    """The sheets of those of these subjects whom the pack knows."""
    return [board.sheet(name) for name in names if board.subjects[name].kind in board.pack.kinds]


class AtTable:
    """Instants as they come at a table, one after the other, over the sheets of one pack. Each card acts on its own:
    one that cannot is left out, and the rest go on.

    ``dice_for(subject, held)`` gives the dice of a card that is about to act; ``tell`` and ``ended`` are told of what
    comes, in order.
    """

    def __init__(
        self,
        pack: Pack,
        subjects: Mapping[str, Subject],
        dice_for: Callable[[str, Held], DiceSource],
        tell: Callable[[Acted], None],
        ended: Callable[[Effect], None],
    ) -> None:
        self.board = Board(pack, Scene(), subjects)
        self.rt = Runtime(plain_frame(self.board), NoDice(), {}, tracing=True)
        self.dice_for, self.tell = dice_for, tell
        self.ended = ended

    def bring(self, instant: Instant, reached: Sequence[str], *, acting: bool = True) -> None:
        """The instant comes for these subjects; without ``acting`` things only end."""
        self.rt.steps = 0
        sheets = sheets_of(self.board, reached)
        if acting:
            pass_over(self.rt, instant.at, instant.of, sheets, self)
            return
        for sheet in ending(sheets, instant.at):
            for effect in expire_on(self.rt, sheet, instant.at, instant.of):
                self.ended(effect)

    def act(self, rt: Runtime, plan: TriggerPlan, sheet: Sheet, held: Held, prefix: str) -> None:
        """One card acts, whole or not at all."""
        effects, trace = len(rt.effects), len(rt.trace or ())
        outer = rt.frame, rt.prefix, rt.depth, list(rt.passing)
        rt.dice, failed = self.dice_for(sheet.id, held), ""
        rt.faces = []
        try:
            plan.act(rt, sheet, held, prefix)
        except (RulesError, Refused, RequirementFailed, Pending, ZeroDivisionError) as exc:
            failed = why(exc)
            rt.frame, rt.prefix, rt.depth, rt.passing = outer
            self.undo(effects)
        found = Acted(
            subject=sheet.id,
            held=held,
            effects=rt.effects[effects:],
            trace=(rt.trace or [])[trace:],
            failed=failed,
        )
        if found.effects or found.failed or any(step.dice for step in found.trace):
            self.tell(found)

    def undo(self, upto: int) -> None:
        """Takes back what has been done since."""
        for effect in reversed(self.rt.effects[upto:]):
            back = undo_effect(effect)
            if back is not None and effect.subject in self.board.sheets:
                apply_to_sheet(self.board.sheets[effect.subject], back)
        del self.rt.effects[upto:]


def why(exc: Exception) -> str:
    """Why a card could not act, in a sentence."""
    if isinstance(exc, RequirementFailed):
        return exc.refusal.text or exc.refusal.reason
    if isinstance(exc, Pending):
        return f"It asks for {exc.ask.title or exc.ask.id} where nobody waits."
    if isinstance(exc, ZeroDivisionError):
        return "It divides by zero."
    return str(exc)


class NoDice:
    """The dice of nobody: every card that acts brings its own."""

    def roll(self, _sides: int) -> int:
        raise RulesError("no dice here", code="no_dice")


class Ahead(Struct, frozen=True, kw_only=True):
    """What an instant would do to a card: it acts, ends, or comes nearer to its end."""

    subject: str
    held: Held
    does: str
    """acts, ends, counts"""


def ahead(pack: Pack, subjects: Mapping[str, Subject], instants: Sequence[Instant]) -> list[Ahead]:
    """What these instants would do as things stand, as far as it can be told without dice."""
    board = Board(pack, Scene(), subjects)
    frame = plain_frame(board)
    found: list[Ahead] = []
    for instant in instants:
        plans = pack.triggers_at.get(instant.at, {})
        for sheet in sheets_of(board, subjects):
            for late in (False, True):
                for held, plan in heard(sheet, plans, late):
                    if plan.hears(held, sheet.id, instant.at, instant.of) and plan.would_act(frame, sheet, held):
                        found.append(Ahead(subject=sheet.id, held=held, does="acts"))
            for held in sheet.held:
                ends = held.ends
                if ends is not None and ends.at == instant.at and ends.of in ("", instant.of):
                    found.append(Ahead(subject=sheet.id, held=held, does="ends" if ends.count <= 1 else "counts"))
    return found


def pass_instant(rt: Runtime, instant: Instant, sheets: Sequence[Sheet]) -> None:
    """In a fight: what cards do when an instant comes, what ends with it, and what late triggers do after that."""
    board = rt.board
    fights = bool(board.scene.order)
    passing = Effect(verb="pass", key=instant.at, subject=instant.of)
    if fights and instant.at != "encounter_end":
        put(rt, passing)
    tell(rt, instant, sheets, fights, late=False)
    together, key = board.together, ("ends", instant.at)
    waiting = together.get(key)
    if waiting is None:
        waiting = together[key] = ending(sheets, instant.at)
    for sheet in waiting:
        expire_on(rt, sheet, instant.at, instant.of)
    for area in list(board.scene.areas.values()):
        for effect in expiry_of(area, instant):
            if effect.verb == "end":
                put(rt, lifted(area), f"{area.card} is gone")
            else:
                put(rt, again(lifted(area), effect))
    tell(rt, instant, sheets, fights, late=True)
    if fights and instant.at == "encounter_end":
        put(rt, passing)


def tell(rt: Runtime, instant: Instant, sheets: Sequence[Sheet], fights: bool, late: bool) -> None:
    """The cards of those who take part hear of it (where no fight runs, everybody's). Who listens is remembered until
    cards change; where an act changes some, those behind it are asked anew."""
    at, of, board = instant.at, instant.of, rt.board
    if not fights:
        triggered(rt, at, of, sheets, late)
        return
    key, together, order = (at, late), board.together, board.scene.order
    found: Hearing | None = together.get(key)
    if found is None:
        if key not in board.pack.hearing:
            return
        found = together[key] = hearing(board, at, sheets, late)
    for sheet, cards in found.whose(of):
        for place, (held, plan, prefix) in enumerate(cards):
            plan.act(rt, sheet, held, prefix)
            if together.get(key) is not found:
                for held, plan, prefix in cards[place + 1 :]:
                    if still(sheet, held):
                        plan.act(rt, sheet, held, prefix)
                behind = sheets[sheets.index(sheet) + 1 :]
                triggered(rt, at, of, [one for one in behind if one.id in order], late)
                return


Ears = Sequence[tuple[Held, TriggerPlan, str]]
"""cards of one sheet that hear an instant, each with what begins the names of what it asks"""
Group = tuple[Sheet, Ears]


class Hearing:
    """Who hears an instant, whosever it is. By holder, in their order: what hears one of theirs, what may hear one of
    nobody, what may hear somebody else's."""

    __slots__ = ("at", "every", "others", "own")

    def __init__(self, at: str) -> None:
        self.at = at
        self.own: dict[str, Group] = {}
        self.every: dict[str, Group] = {}
        self.others: dict[str, Group] = {}

    def whose(self, of: str) -> Sequence[Group]:
        """What hears the one of somebody, or of nobody."""
        if of and not self.others:
            return (self.own[of],) if of in self.own else ()
        found: list[Group] = []
        for name, group in self.every.items():
            if name == of:
                found.append(self.own[name])
            elif not of or name in self.others:
                sheet, cards = self.others[name] if of else group
                found.append((sheet, listening(cards, self.at, name, of)))
        return found


def listening(cards: Ears, at: str, holder: str, of: str) -> Ears:
    return [card for card in cards if card[1].hears(card[0], holder, at, of)]


def hearing(board: Board, at: str, sheets: Sequence[Sheet], late: bool) -> Hearing:
    """The cards of those who take part that hear such an instant, or may, according to whose it is."""
    out, order = Hearing(at), board.scene.order
    key = f"@{at}.{late}"
    for sheet in sheets:
        name = sheet.id
        if name in order:
            ears = sheet.get(key)
            if ears is None:  # a sheet remembers what hears an instant, until its cards change
                ears = sheet[key] = ears_of(board, at, sheet, late)
            own, every, others = ears
            if every:
                out.own[name], out.every[name] = (sheet, own), (sheet, every)
            if others:
                out.others[name] = (sheet, others)
    return out


def ears_of(board: Board, at: str, sheet: Sheet, late: bool) -> tuple[Ears, Ears, Ears]:
    """What a sheet holds that hears an instant of its own, that may hear one of nobody, that may hear another's."""
    name = sheet.id
    every, others = [
        [(held, plan, f"{at}.{name}.{held.id}.") for held, plan in heard(sheet, plans, late)]
        for plans in board.pack.hearing[at, late]
    ]
    return listening(every, at, name, name), every, others


def expiry_of(area: Any, instant: Instant) -> list[Effect]:
    """What the instant does to an area."""
    return expiry("", [area], instant.at, instant.of)


def again(gone: Effect, effect: Effect) -> Effect:
    """An area that must see the instant more often is put back with one time less to go."""
    return replace(gone, verb="place", ends=effect.ends)
