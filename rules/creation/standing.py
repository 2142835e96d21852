"""A half-made character as it stands: which choices are made, what is still wrong, what may be chosen, and the sheet.

Pure: the same choices give the same standing. Nothing is remembered but the choices themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.creation.options import default_of_choice, fitted
from rules.creation.plan import ChoicePlan, CreationPlan, Deed
from rules.dice import ChosenDice
from rules.formulas import Formula
from rules.packs.pack import Pack
from rules.packs.values import Misfit
from rules.problems import RulesError, nearest
from rules.refusal import Refused
from rules.sheets import Sheet, Subject
from rules.tests.fuse import run_steps
from rules.tests.runtime import RequirementFailed, Runtime

OPEN = frozenset({"missing", "too_few", "waits"})
"""reasons that say only that something is still to come"""
FEW = 8
"""how many options a refusal lists"""


@dataclass(frozen=True)
class Wrong:
    """What keeps a character from being finished: in which step, at which choice (empty: the step as a whole), a stable
    reason, what is wrong, and what would be right."""

    step: str
    choice: str
    reason: str
    message: str
    right: str = ""

    @property
    def still_open(self) -> bool:
        """Whether nothing is wrong but that something is still to be chosen."""
        return self.reason in OPEN

    @property
    def wanted(self) -> str:
        """What is still to be done, as a sentence; "" where it waits for something else, or nothing is to be chosen."""
        if self.reason not in ("missing", "too_few") or not self.right:
            return ""
        return f"{'Write' if self.right.startswith('a text') else 'Choose'} {self.right}."

    def refusal(self) -> Refused:
        """The same as an answer to a command."""
        field = f"choices.{self.choice}" if self.choice else "choices"
        return Refused(self.reason, self.message, field=field, right=self.right or None)


@dataclass(frozen=True)
class Option:
    """Something that may be chosen now."""

    id: str
    title: str
    text: str = ""
    says: tuple[str, ...] = ()
    """what it is, in a few words each"""


@dataclass
class ChoiceStanding:
    """One choice. `state`: made, open (to be made), waits (for other choices), absent (not there for this character).

    `least` and `most` are bounds of a number, or of how many may be chosen; None where there is none.
    """

    plan: ChoicePlan
    state: str
    value: Any = None
    options: Sequence[Option] = ()
    least: int | None = None
    most: int | None = None
    right: str = ""
    waits_for: Sequence[str] = ()


@dataclass
class Standing:
    """All of it: choices by id, what is wrong, and the sheet with every grant of what is chosen so far."""

    sheet: Sheet
    choices: dict[str, ChoiceStanding] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return not self.wrong

    def wrong_in(self, step: str) -> list[Wrong]:
        return [wrong for wrong in self.wrong if wrong.step == step]

    def made(self) -> dict[str, Any]:
        """The choices that count, in their own form: what is kept of a character that is finished."""
        return {name: choice.value for name, choice in self.choices.items() if choice.state == "made"}


class Making:
    """Walks through choices in order, doing what each grants on one sheet."""

    def __init__(self, pack: Pack, sheet: Sheet, given: Mapping[str, Any], seat: str, extra: Mapping[str, Any]) -> None:
        self.pack, self.sheet, self.given, self.seat = pack, sheet, given, seat
        self.frame: dict[str, Any] = {"holder": sheet, "setting": pack.settings, "asker": seat, **extra}
        self.standing = Standing(sheet)
        self.step = ""

    def wrong(self, choice: str, reason: str, message: str, right: str = "") -> None:
        self.standing.wrong.append(Wrong(self.step, choice, reason, message, right))

    def missing(self, needs: Iterable[str]) -> list[str]:
        """Which of the choices that something reads have no value yet."""
        return [name for name in needs if name not in self.frame]

    def title(self, name: str) -> str:
        return self.standing.choices[name].plan.spec.title if name in self.standing.choices else name

    def read(self, formula: Formula | None, **more: Any) -> Any:
        return None if formula is None else formula({**self.frame, **more})

    # ------------------------------------------------------------------ one choice

    def choose(self, plan: ChoicePlan) -> None:
        """Look at one choice and do what it grants."""
        given = self.given.get(plan.id)
        lacking = self.missing(plan.needs)
        if lacking:
            self.standing.choices[plan.id] = ChoiceStanding(plan, "waits", given, waits_for=lacking)
            names = " and ".join(self.title(name) for name in lacking)
            self.wrong(plan.id, "waits", f"{plan.spec.title} waits for {names}.", f"{names} first")
            return
        if plan.when is not None and not self.read(plan.when):
            self.standing.choices[plan.id] = ChoiceStanding(plan, "absent")
            self.frame[plan.id] = plan.nothing
            if given is not None and given != plan.nothing:
                self.wrong(plan.id, "not_asked", f"{plan.spec.title} is no choice of this character's.", "none")
            return
        self.offer(plan, given)

    def offer(self, plan: ChoicePlan, given: Any) -> None:
        """What may be chosen, and whether it was chosen well."""
        options = [o for o in options_of(plan, self.pack) if plan.where is None or self.read(plan.where, option=o.id)]
        right = "" if plan.right is None else plan.right(self.frame)
        least, most = self.read(plan.least), self.read(plan.most)
        found = ChoiceStanding(plan, "open", given, options, least, most, right)
        self.standing.choices[plan.id] = found
        if plan.spec.by == "gm" and self.seat != "gm" and given not in (None, plan.nothing, default_of_choice(plan)):
            self.wrong(plan.id, "gm_only", f"{plan.spec.title}: the game master decides this.", "a game master")
        value = self.value_of(plan, given)
        if value is None:
            if plan.spec.optional:
                self.frame[plan.id] = plan.nothing
            return
        before = len(self.standing.wrong)
        value = self.legal(plan, value, found)
        found.state, found.value, self.frame[plan.id] = "made", value, value
        # A number that cannot be is no number to go on with: what would follow from it is left undone.
        if not any(wrong.reason == "out_of_bounds" for wrong in self.standing.wrong[before:]):
            self.do(plan.id, plan.deed)

    def value_of(self, plan: ChoicePlan, given: Any) -> Any:
        """The value given, or the default; None, and a word about it, where there is none that fits."""
        spec, found = plan.spec, self.standing.choices[plan.id]
        if isinstance(given, str) and spec.type in ("card", "name", "text"):
            given = given.strip()
        if given is None or (given in ("", [], "none") and spec.type != "flag"):
            value = default_of_choice(plan)
            if value is None and plan.several and not spec.optional and (found.least or 0) <= 0:
                return []
            if value is None and not spec.optional:
                self.wrong(plan.id, "missing", f"{spec.title}: still to be chosen.", self.legal_words(plan))
            return value
        try:
            return fitted(plan, given)
        except Misfit as misfit:
            right = f"perhaps {misfit.suggestion}" if misfit.suggestion else self.legal_words(plan)
            self.wrong(plan.id, "wrong_value", f"{spec.title}: {misfit.message}.", right)
            return None

    def legal(self, plan: ChoicePlan, value: Any, found: ChoiceStanding) -> Any:
        """The part of a value that the rules allow; what they do not is said."""
        spec = plan.spec
        if spec.type in ("card", "cards", "name", "names"):
            value = self.offered(plan, value, found)
        if plan.several:
            self.count(plan, len(value), found)
        for key, number in value.items() if spec.type == "numbers" else [("", value)] if spec.type == "number" else []:
            self.bounds(plan, key, number, found)
        return value

    def offered(self, plan: ChoicePlan, value: Any, found: ChoiceStanding) -> Any:
        ids = {option.id for option in found.options}
        refused = [item for item in (value if plan.several else [value]) if item not in ids]
        for item in dict.fromkeys(refused):
            message = f"{plan.titles[item]} cannot be chosen here."
            self.wrong(plan.id, "not_offered", message, self.legal_words(plan, how_many=False))
        return [item for item in value if item in ids] if plan.several else value

    def count(self, plan: ChoicePlan, many: int, found: ChoiceStanding) -> None:
        right = self.legal_words(plan)
        chosen = "none is" if many == 0 else "1 is" if many == 1 else f"{many} are"
        if found.least is not None and many < found.least:
            self.wrong(plan.id, "too_few", f"{plan.spec.title}: {chosen} chosen.", right)
        elif found.most is not None and many > found.most:
            self.wrong(plan.id, "too_many", f"{plan.spec.title}: {chosen} chosen.", right)

    def legal_words(self, plan: ChoicePlan, how_many: bool = True) -> str:
        """What would be legal, in words: how many, and of what."""
        found, spec = self.standing.choices[plan.id], plan.spec
        number = between(found.least, found.most) if spec.type not in ("card", "name") and how_many else ""
        what = found.right
        if not what and found.options and (len(found.options) <= FEW or not number):
            what = "one of " + ", ".join(option.title for option in found.options[:FEW])
            what += f" and {len(found.options) - FEW} more" if len(found.options) > FEW else ""
        if spec.type in ("text", "texts"):
            what = what or f"a text of at most {spec.longest} characters"
        if spec.type == "flag":
            what = what or "true or false"
        if spec.type == "numbers":
            what = what or "a whole number for each of " + ", ".join(plan.titles[key] for key in plan.keys[:FEW])
        if not (number and what):
            return number or what
        what = what.removeprefix("one ") if what.startswith("one of ") else what
        joint = " " if what.startswith("of ") else ", " if what.startswith("a ") else ": "
        return f"{number}{joint}{what}"

    def bounds(self, plan: ChoicePlan, key: str, number: int, found: ChoiceStanding) -> None:
        low, high = found.least, found.most
        if (low is None or number >= low) and (high is None or number <= high):
            return
        name = plan.titles.get(key, plan.spec.title)
        self.wrong(plan.id, "out_of_bounds", f"{name} cannot be {number}.", between(low, high))

    # ------------------------------------------------------------------ what follows

    def do(self, choice: str, deed: Deed) -> None:
        """The steps of a choice or of a step, then its limits; nothing while a choice that they read is open."""
        if self.missing(deed.needs):
            return
        try:
            run_steps(Runtime(dict(self.frame), ChosenDice([]), {}, tracing=False), deed.steps)
        except RequirementFailed as no:
            self.wrong(choice, no.refusal.reason, no.refusal.text or "The rules do not allow it.")
            return
        for limit in deed.limits:
            if not self.read(limit.holds):
                message = f"{self.title(choice)}: this is not allowed." if choice else "This is not allowed."
                self.wrong(choice, limit.spec.reason, message, limit.text(self.frame))


def between(low: int | None, high: int | None) -> str:
    """Bounds in words."""
    if low is None or high is None:
        return "" if low is None and high is None else f"{low} or more" if high is None else f"{high} or fewer"
    return str(low) if low == high else f"{low} to {high}"


def options_of(plan: ChoicePlan, pack: Pack) -> list[Option]:
    if plan.spec.type in ("card", "cards", "name", "names"):
        says = pack.says if plan.spec.card else {}
        return [Option(n, title, plan.texts.get(n, ""), says.get(n, ())) for n, title in plan.titles.items()]
    return []


def creation_of(pack: Pack, kind: str) -> CreationPlan:
    """How a pack makes a kind of subject; refused where it does not say."""
    if kind not in pack.creations:
        right = nearest(kind, pack.creations) or " or ".join(pack.creations) or "a pack that does"
        raise RulesError(f"{pack.id} does not say how a {kind} is made", code="no_creation", field="kind", right=right)
    return pack.creations[kind]


def standing(
    pack: Pack, kind: str, choices: Mapping[str, Any], *, seat: str = "gm", base: Subject | None = None
) -> Standing:
    """A character half made (or whole) from the choices given. ``base`` is what the sheet held before."""
    plan = creation_of(pack, kind)
    sheet = Sheet(base or Subject(id="new", kind=kind), pack.kinds[kind], pack.settings)
    making = Making(pack, sheet, choices, seat, {})
    known = plan.choices
    for step in plan.steps:
        making.step = step.spec.id
        for choice in step.choices:
            making.choose(choice)
        making.do("", step.deed)
    making.step = ""
    for name in choices:
        if name not in known:
            making.wrong(name, "unknown_choice", f"Nothing is chosen under the name {name!r}.", nearest(name, known))
    return making.standing
