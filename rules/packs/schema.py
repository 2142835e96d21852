"""The one definition of the pack format. The published JSON Schema and the loader both come from these structs.

Ids are lower_snake words. Wherever `Formula` stands, a formula of the language in `rules.formulas` is meant (a bare
number or true/false is one too). Every struct refuses unknown fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from rules.calendar.rules import CalendarRules
from rules.development.rules import DevelopmentRules
from rules.invocations.rules import InvocationRules
from rules.pairs.rules import PairRules

Formula = str | int | bool
Seat = Literal["gm", "player", "watcher", "server"]
Seen = Literal["all", "holders", "gm"]
Ids = list[str]
Short = Annotated[str, Meta(max_length=200)]


class Base(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every part of a pack shares: unknown fields are refused."""


# ------------------------------------------------------------------------------------------------ values


class Spec(Base, frozen=True, kw_only=True):
    """The type of a value: an input, a stat, a field of a card, a parameter."""

    type: Literal["int", "flag", "name", "text", "card", "list", "record", "modifiers", "subject"] = "int"
    title: Short = ""
    text: str = ""
    min: int | None = None
    max: int | None = None
    options: Ids | None = None
    """for `name`: the closed set"""
    card: str | None = None
    """for `card`: the card type"""
    optional: bool = False
    """for `card` and `name`: `none` may be given"""
    of: Spec | None = None
    """for `list`: what it holds"""
    fields: dict[str, Spec] = {}
    """for `record`: its fields"""
    kinds: Ids = []
    """for `subject`: the kinds allowed"""
    each: str | None = None
    """one value for each card of this type"""
    default: Any = None


class Input(Spec, frozen=True, kw_only=True):
    """A value that is given when a test is called. `by` says who gives it (server: other rules, from what waits for the
    test; nobody types it), `seen` who may see it."""

    by: Literal["asker", "gm", "roller", "server"] = "asker"
    seen: Seen = "all"


class Stat(Spec, frozen=True, kw_only=True):
    """A value on a subject's sheet: kept (with `default`) or derived (with `formula`)."""

    formula: Formula | None = None
    at_most: Formula | None = None
    """for a kept number: never read above this, and cut down to it when this falls"""
    holds: bool = False
    """for a kept card, or a list of cards: they are in force as if they were held"""
    stacking: Literal["sum", "best_per_type", "best_and_worst_per_type"] = "sum"
    bounds: Literal["clamp", "refuse"] = "refuse"
    seen: Seen = "all"
    rules: Ids = []


class Kind(Base, frozen=True, kw_only=True):
    """A kind of subject and its stats."""

    title: Short
    text: str = ""
    stats: dict[str, Stat] = {}


# ------------------------------------------------------------------------------------------------ the manifest


class Setting(Spec, frozen=True, kw_only=True):
    """A choice of the table. Where the source leaves something open, `ruling` says what we take and why."""

    ruling: str = ""
    rules: Ids = []


class Manifest(Base, frozen=True, kw_only=True):
    id: str
    version: str
    title: Short
    summary: str = ""
    source: str
    rights: str
    needs: dict[str, str] = {}
    """other packs: id to version range, such as `>=1.0 <2`"""
    settings: dict[str, Setting] = {}
    renamed: dict[str, str] = {}
    """old id to new id, so that what was stored under the old one is still found"""


class Overlay(Base, frozen=True, kw_only=True):
    """House rules on top of a pinned version of a pack (`overlay.yaml`)."""

    on: str
    version: str
    title: Short = ""
    text: str = ""
    settings: dict[str, Any] = {}
    replaces: Ids = []
    """entries of the pack that the overlay brings anew, such as `tests.climb` or `cards.skill.climbing`"""
    removes: Ids = []


# ------------------------------------------------------------------------------------------------ cards and tables


class Modifier(Base, frozen=True, kw_only=True):
    """A card in force changes a stat of its holder by `add`, under `when`. Both may read `card` (the card itself) and
    `token` (what the held one carries)."""

    stat: str
    key: str | None = None
    """for a stat that has a value for each card: which card's"""
    add: Formula
    kind: str = ""
    """the type of bonus, for stacking"""
    when: Formula = True


class CardType(Base, frozen=True, kw_only=True):
    title: Short
    text: str = ""
    held: dict[str, Spec] = {}
    """values that a held card of this type carries; `tokens(subject, 'card')` lists them"""
    by_hand: bool = False
    """the GM gives such cards by hand: that no rule gives them is no mistake"""
    fields: dict[str, Spec] = {}
    modifiers: list[Modifier] = []
    """what every card of the type does"""


class Trigger(Base, frozen=True, kw_only=True):
    """What a held card does by itself when an instant comes: steps over `holder` and `token` (the values it carries).

    `of` says whose instant: the holder's, that of the subject which caused the card, or anyone's. Triggers act before
    anything ends with the same instant.
    """

    at: str
    of: Literal["holder", "source", "anyone"] = "holder"
    kinds: Ids
    """kinds of subject that can hold the card"""
    when: Formula = True
    steps: list[Step]
    rules: Ids = []


class Grant(Base, frozen=True, kw_only=True):
    """A card that comes with holding another, as long as `when` holds."""

    card: str
    when: Formula = True


class Card(Base, frozen=True, kw_only=True):
    """Anything with a name that a rule can point to: a pair of traits, a skill, a condition, a token, a spell."""

    title: Short
    text: str = ""
    rules: Ids = []
    tags: Ids = []
    values: dict[str, Any] = {}
    modifiers: list[Modifier] = []
    grants: list[str | Grant] = []
    """cards that come with holding this one; one that is held once is there once, whoever grants it"""
    stacks: Literal["once", "count"] = "once"
    """held once (a second one changes nothing) or counted"""
    triggers: list[Trigger] = []


class Row(Base, frozen=True, kw_only=True):
    at: int
    value: Formula


class Table(Base, frozen=True, kw_only=True):
    """Number to number: the row with the highest `at` that the number reaches; `below` for less than the first."""

    title: Short = ""
    rows: list[Row]
    below: Formula | None = None
    rules: Ids = []


class Func(Base, frozen=True, kw_only=True):
    """A formula with a name and parameters, usable in every other formula."""

    takes: dict[str, Spec] = {}
    value: Formula
    text: str = ""
    rules: Ids = []


# ------------------------------------------------------------------------------------------------ programs


class Line(Base, frozen=True, kw_only=True):
    """One line of a `pick`: the name taken when its condition holds."""

    name: str = field(name="is")
    when: Formula | None = None


class Until(Base, frozen=True, kw_only=True):
    """When something ends by itself: an instant of the closed vocabulary, whose, and how many times it must come."""

    at: str
    of: str | None = None
    count: Formula = 1


class Step(Base, frozen=True, kw_only=True):
    """One step of a program: exactly one verb, its companions, and what every step may carry."""

    # what every step may carry
    when: Formula | None = None
    text: str | None = None
    """a sentence for the trace; `{formula}` in braces is filled in"""
    seen: Seen | None = None
    """reveals (or hides) what this step makes, whatever it was made from"""

    # verbs
    let: dict[str, Formula] | None = None
    roll: str | None = None
    keep: str | None = None
    drop: str | None = None
    reroll: str | None = None
    cancel: str | None = None
    adjust: str | None = None
    ask: str | None = None
    pick: str | None = None
    call: str | None = None
    do: list[Step] | None = None
    repeat: Formula | None = None
    each: str | None = None
    require: Formula | None = None
    set: dict[str, Formula] | None = None
    change: dict[str, Formula] | None = None
    insert: str | None = None
    update: str | None = None
    remove: str | None = None
    apply: str | None = None
    end: str | None = None
    happens: str | None = None
    narrate: str | None = None
    outcome: str | None = None

    # companions
    dice: str | None = None
    count: Formula | None = None
    sides: Formula | None = None
    highest: Formula | None = None
    lowest: Formula | None = None
    where: Formula | None = None
    die: Formula | None = None
    against: Formula | None = None
    by: Formula | None = None
    aim: Formula | None = None
    best: Literal["high", "low"] | None = None
    protect: Formula | None = None
    into: str | None = None
    who: str | None = None
    options: Ids | None = None
    card: str | None = None
    flag: bool | None = None
    roll_of: str | None = None
    min: Formula | None = None
    max: Formula | None = None
    otherwise: Formula | None = None
    title: Short | None = None
    lines: list[Line] | None = field(name="from", default=None)
    args: dict[str, Formula] | None = field(name="with", default=None)
    other: list[Step] | None = field(name="else", default=None)
    steps: list[Step] | None = None
    name: str | None = field(name="as", default=None)
    reason: str | None = None
    of: str | None = None
    until: Until | None = None
    values: dict[str, Formula] | None = None
    value: Formula | None = None
    facts: dict[str, Formula] | None = None


class RoleSpec(Base, frozen=True, kw_only=True):
    """A subject that takes part in a test."""

    kinds: Ids
    title: Short = ""
    text: str = ""


class Outcome(Base, frozen=True, kw_only=True):
    title: Short
    text: str = ""
    success: bool | None = None
    rules: Ids = []


class Procedure(Base, frozen=True, kw_only=True):
    """Steps with a name: takes values, gives values back. Tests and other procedures call it."""

    takes: dict[str, Spec] = {}
    steps: list[Step]
    gives: Ids = []
    text: str = ""
    rules: Ids = []


class Test(Base, frozen=True, kw_only=True):
    """Something that can be called at the table: inputs, roles, steps, and the outcomes it can come to."""

    title: Short
    text: str = ""
    rules: Ids = []
    called_by: tuple[Seat, ...] = ("gm", "player")
    rolled_by: Literal["owner", "gm", "anyone", "server"] = "owner"
    decision: Literal["optional", "required"] = "optional"
    """whether what is at stake must be named when the test is called"""
    roles: dict[str, RoleSpec] = {}
    inputs: dict[str, Input] = {}
    steps: list[Step]
    outcomes: dict[str, Outcome] = {}
    facts: dict[str, Formula] = {}
    """typed values for others, worked out when the test is over"""
    published: Ids = []
    """the facts that watchers are told where the campaign publishes its tests"""


class Rule(Base, frozen=True, kw_only=True):
    """One entry of the pack's rule index."""

    id: str
    gist: str
    runs: bool = True
    setting: str | None = None
    why: str = ""
    """for an entry that is told, not computed: why; for one that runs but that no case can show: where it is proved"""


class PackFile(Base, frozen=True, kw_only=True):
    """One YAML file of a pack. Every section may be spread over several files; ids must stay unique."""

    kinds: dict[str, Kind] = {}
    card_types: dict[str, CardType] = {}
    cards: dict[str, dict[str, Card]] = {}
    tables: dict[str, Table] = {}
    functions: dict[str, Func] = {}
    procedures: dict[str, Procedure] = {}
    tests: dict[str, Test] = {}
    pairs: PairRules | None = None
    """opposed pairs; each becomes a `pair` card, and its holders get the stat `rating` (of the first side)"""
    calendar: CalendarRules | None = None
    development: DevelopmentRules | None = None
    invocations: InvocationRules | None = None
    index: list[Rule] = []
