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
from rules.pursuits.rules import PursuitRules

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

    type: Literal["int", "flag", "name", "text", "card", "list", "record", "modifiers", "subject", "place"] = "int"
    title: Short = ""
    text: str = ""
    min: int | None = None
    max: int | None = None
    options: Ids | dict[str, Short] | None = None
    """for `name`: the closed set; or, for people, with the title of each: `{up: Rounded up, down: Rounded down}`"""
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

    def titles(self) -> dict[str, str]:
        """What each option is called, by its id: its title, or its own word."""
        if isinstance(self.options, dict):
            return self.options
        return {option: option.replace("_", " ") for option in self.options or ()}


class Input(Spec, frozen=True, kw_only=True):
    """A value that is given when a test is called. `by` says who gives it (server: other rules, from what waits for the
    test; nobody types it), `seen` who may see it.

    `asked` (`by: gm`): whether a player's call waits for the game master to give it. Without it, it does where the
    value is hidden from the player or has no default."""

    by: Literal["asker", "gm", "roller", "server"] = "asker"
    seen: Seen = "all"
    asked: Literal["always", "never"] | None = None
    where: Formula = True
    """for `card` and `name`: what a form offers, over the first role and `option`; the steps say what is legal"""
    among: Formula | None = None
    """for `text` and `int`: a list of texts or numbers over the first role, of which a form offers one"""
    reads: str = ""
    """for `int` with `among`: how a number that is offered reads, a sentence over `option` with formulas in braces"""
    first: Formula = False
    """for `card`: which options stand first in a form, over the first role and `option`"""
    beside: str = ""
    """for `card`: what stands behind an option in a form, over the same: a sentence with formulas in braces"""
    more: bool = False
    """wanted seldom: a form folds it away"""


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
    one: Short = ""
    """what a single one of it is called, where its title names several: 2 Free Actions, 1 Free Action"""
    rules: Ids = []


class SheetGroup(Base, frozen=True, kw_only=True):
    """One part of a sheet as people read it: stats in order, and the cards in force of some types."""

    title: Short
    text: str = ""
    stats: Ids = []
    cards: Ids = []
    """card types of which the cards in force are listed here"""
    only: Literal["all", "changed"] = "all"
    """changed: what is at its default is left out"""
    when: Formula = True
    """over the subject's own stats: whether it stands on the sheet at all"""


class SheetSpec(Base, frozen=True, kw_only=True):
    """How a sheet is laid out. A stat that no group names is shown last, under bookkeeping."""

    groups: list[SheetGroup] = []
    tracks: dict[str, str] = {}
    """a number: the stat that is its most; the two are shown as one bar"""
    left_out: Ids = []
    """stats that are not shown at all"""
    open: Ids = []
    """of a kind that game masters let in: the stats that everybody may know; the others are for whoever plays it"""


class Kind(Base, frozen=True, kw_only=True):
    """A kind of subject and its stats."""

    title: Short
    text: str = ""
    made_by: Literal["player", "gm"] = "player"
    """who lets one in: players too, or game masters alone"""
    members: Ids = []
    """kinds of subject that can belong to one of this kind"""
    stats: dict[str, Stat] = {}
    holds: Ids = []
    """cards that everyone of this kind holds, always"""
    sheet: SheetSpec = SheetSpec()


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


class Saying(Base, frozen=True, kw_only=True):
    """A few words of a card about itself, with formulas over `card` in braces."""

    text: Short
    when: Formula = True


class CardType(Base, frozen=True, kw_only=True):
    title: Short
    text: str = ""
    says: list[Saying] = []
    """what a card of the type says of itself in one line, where one is chosen; without it, its fields one by one"""
    besides: dict[str, Formula] = {}
    """what the actions of such cards take in their steps, by stat of the user, over `user` and `card`"""
    held: dict[str, Spec] = {}
    """values that a held card of this type carries; `tokens(subject, 'card')` lists them"""
    warns: list[Saying] = []
    """what somebody should know of such a card who holds or chooses it, over their own stats and `card`"""
    by_hand: bool = False
    """the GM gives such cards by hand: that no rule gives them is no mistake"""
    fields: dict[str, Spec] = {}
    modifiers: list[Modifier] = []
    """what every card of the type does"""


class Trigger(Base, frozen=True, kw_only=True):
    """What a held card does by itself when an instant comes: steps over `holder` and `token` (the values it carries).

    `of` says whose instant: the holder's, that of the subject which caused the card, or anyone's. Triggers act before
    anything ends with the same instant, those that are `late` after it. `enter` and `leave` are instants of those who
    come to stand in an area, or to stand in it no more.
    """

    at: str
    of: Literal["holder", "source", "anyone"] = "holder"
    late: bool = False
    kinds: Ids
    """kinds of subject that can hold the card"""
    when: Formula = True
    steps: list[Step]
    rules: Ids = []


class Grant(Base, frozen=True, kw_only=True):
    """A card that comes with holding this one, for as long as it is held and `when` (over the holder's stats) holds."""

    card: str
    when: Formula = True


class UseLimit(Base, frozen=True, kw_only=True):
    """How often something may be used: `times` in every turn of the user, every round, or every encounter; with `of`
    (a role) counted apart for each subject in that role."""

    per: Literal["turn", "round", "encounter"]
    times: int = 1
    of: str | None = None


class Uses(Base, frozen=True, kw_only=True):
    """What actions and reactions share: who may use them, when, for what, and how often."""

    title: Short
    text: str = ""
    rules: Ids = []
    kinds: Ids = []
    """kinds of subject that can use it; left out: those of the section `encounter`"""
    tags: Ids = []
    when: Formula = True
    cost: dict[str, Formula] = {}
    """stat of the user to what is taken off it: checked before anything else, and paid first"""
    limit: UseLimit | None = None
    always: bool = False
    """usable whatever the section `encounter` says in `acts` and `reacts`"""


class Action(Uses, frozen=True, kw_only=True):
    """What a card lets its holder (`user`) do: a program like a test's."""

    roles: dict[str, RoleSpec] = {}
    inputs: dict[str, Input] = {}
    steps: list[Step]
    outcomes: dict[str, Outcome] = {}
    facts: dict[str, Formula] = {}
    published: Ids = []
    stands: Formula = True
    """over the user's own stats: whether it stands among what they can do at all; `when` says whether it can be done"""
    besides: dict[str, Formula] | None = None
    """what its steps take, where that is not what the card type says"""


class Reaction(Uses, frozen=True, kw_only=True):
    """What a card lets its holder (`user`) do at a moment. `of` says how the holder stands to those in the moment's
    roles (self, ally, friend: self or ally, foe, other: anyone else). With `asks: false` it acts by itself."""

    at: str
    of: dict[str, Literal["self", "ally", "friend", "foe", "other"]] = {}
    asks: bool = True
    steps: list[Step]


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
    blocks: bool = False
    """as an area: nobody goes into it, and no line goes through it"""
    triggers: list[Trigger] = []
    actions: dict[str, Action] = {}
    reactions: dict[str, Reaction] = {}


class Moment(Base, frozen=True, kw_only=True):
    """Something that happens inside a program and that others may answer: the roles in it and the values that answers
    may change. The first role is the actor: answers take effect in the order of turns after them."""

    title: Short
    text: str = ""
    roles: dict[str, RoleSpec] = {}
    values: dict[str, Spec] = {}
    rules: Ids = []


class ExtraTurn(Base, frozen=True, kw_only=True, omit_defaults=False):
    """A second turn in every round for those of whom `when` (over `user`) holds as the round begins, at an initiative
    `lower` by so much."""

    when: Formula
    lower: int = 10


class Figure(Base, frozen=True, kw_only=True, omit_defaults=False):
    """A number worked out while a fight is put together; later ones may read earlier ones."""

    value: Formula
    title: Short = ""
    parts: Annotated[int, Meta(ge=1)] = 1
    """how many of it make one: 100 for a number in hundredths"""
    shown: bool = True
    rules: Ids = []


class Caution(Base, frozen=True, kw_only=True, omit_defaults=False):
    """What a game master is told of a fight that is put together so."""

    text: str
    when: Formula = True
    rules: Ids = []


class Sizing(Base, frozen=True, kw_only=True, omit_defaults=False):
    """How fights are sized. Formulas read `party` and `foes`, lists of subjects, and the dials."""

    party: Ids
    """kinds of subject that make up a party"""
    foes: Ids
    """card types that foes are made of: given by hand, with fields named like the stats of a kind that takes part"""
    dials: dict[str, Spec] = {}
    figures: dict[str, Figure]
    budget: str
    """the figure that says how much there may be"""
    used: str
    """the figure that says how much there is"""
    text: str = ""
    cautions: list[Caution] = []
    rules: Ids = []


class Preference(Base, frozen=True, kw_only=True, omit_defaults=False):
    """What somebody who is not played does before anything that stands below it, if it can be done."""

    action: str | None = None
    tag: str | None = None
    """any action with this tag, in the order of the pack"""
    kinds: Ids = []
    """kinds of those who do it; left out: all that can take part"""
    when: Formula = True
    """over `user`"""
    whom: Literal["foe", "ally", "friend", "self"] = "foe"
    where: Formula = True
    """over `user` and `option`: who may be chosen, besides what the action itself wants"""
    best: Formula | None = None
    """over `user` and `option`: whoever it is highest for is chosen; else by the aim of the user's kind"""
    given: dict[str, Formula] = {}
    """inputs, over `user`"""
    times: Annotated[int, Meta(ge=0)] = 0
    """so often in a turn; 0: as often as it can be paid"""


class Approach(Base, frozen=True, kw_only=True, omit_defaults=False):
    """How somebody comes nearer where nobody is in reach."""

    action: str
    place: str
    """the input that takes the square"""
    reach: Formula
    """over `user`: units that they can go"""


class Tactics(Base, frozen=True, kw_only=True, omit_defaults=False):
    """How those act whom nobody plays, in simulated fights."""

    out: Formula
    """over `user`: who counts no more; a side of which all are out has lost"""
    track: str
    """the number of which losses are counted"""
    aim: dict[str, Literal["weakest", "strongest", "nearest", "first", "random"]] = {}
    """by kind: whom they turn to; `weakest` has least left of the track"""
    acts: list[Preference] = []
    """in this order; below them what has done foes most harm for its cost, as tried out beforehand"""
    never: Ids = []
    """actions and reactions that are not used"""
    choices: dict[str, Formula] = {}
    """what is answered to a question, by its name; over `user`, whom it is asked of"""
    approach: Approach | None = None


class DesignRow(Base, frozen=True, kw_only=True, omit_defaults=False):
    """One printed number: by whom it was meant, against whom."""

    level: Annotated[int, Meta(ge=1)] = 1
    foes: dict[str, int]
    """cards that foes are made of, and how many"""
    numbers: dict[str, int] = {}
    """other numbers than the cards'"""
    title: Short = ""
    printed: int
    """as the source has it, in hundredths where `parts` says so"""


class Design(Base, frozen=True, kw_only=True, omit_defaults=False):
    """Numbers that the source prints and that simulated fights work out again."""

    title: Short
    measure: Literal["dealt_a_round", "taken_a_round", "rounds", "share_of_a_blow", "won", "landed"]
    """what the foes lose a round; what the party loses a round; rounds until no foe stands; percent of its most that a
    blow takes off somebody of the party; percent of fights that the party wins; percent of its blows that hit"""
    party: dict[str, Ids]
    """by kind: who of those that are ready-made"""
    gains: dict[str, dict[str, int]] = {}
    """by who of them: what a level more adds to kept numbers, such as bought attributes (`score.vigor: 1`)"""
    acts: dict[str, int] = {}
    """by kind: how much those do in a turn at most"""
    first: Annotated[int, Meta(ge=0)] = 0
    """only so many rounds are fought; 0: until it is over"""
    rows: list[DesignRow]
    parts: Annotated[int, Meta(ge=1)] = 1
    most: bool = False
    """the printed number is a bound: less bears it out as well"""
    tolerance: Annotated[int, Meta(ge=0)] = 15
    """percent by which a measured number may be off and still bear the printed one out"""
    why: str = ""
    """where they differ, and why"""
    rules: Ids = []


class Measure(Base, frozen=True, kw_only=True, omit_defaults=False):
    """What a length is counted in, as people read it."""

    one: Short
    many: Short


class Encounter(Base, frozen=True, kw_only=True, omit_defaults=False):
    """What the pack says of fights."""

    kinds: Ids
    """kinds of subject that can take part"""
    holds: Ids = []
    """cards that everyone who takes part holds for as long as it lasts"""
    acts: Formula = True
    """over `user`: when somebody can use actions"""
    reacts: Formula = True
    """over `user`: when somebody can use reactions"""
    budgets: Ids = []
    """stats that meter what is done in a fight, such as action points: outside one, costs in them are not asked"""
    shows: Ids = []
    """card types that a board shows of those who take part, beside all that ends by itself"""
    initiative: str | None = None
    """a test with one role that gives the facts `initiative` and perhaps `tie` (higher first)"""
    flags: Ids = []
    """flags of those who take part that everybody sees where they are true, whatever they are worked out from: who lies
    on the ground lies there for all; with the flag's `text`"""
    size: str | None = None
    """a stat of everybody who can take part: how many squares a side they take up when they come"""
    extra_turn: ExtraTurn | None = None
    """who has a second turn in a round"""
    roll_off: Annotated[int, Meta(ge=0)] = 20
    """sides of the die that settles what is still equal; 0: they stand as they came"""
    rolls_off: Ids = []
    """kinds of subject that roll off: equals none of whom is of these stand as they came; empty for all kinds"""
    diagonal: Literal["one", "alternating"] = "one"
    unit: Measure = Measure(one="square", many="squares")
    """what distances are counted in, wherever people read one; a square of a grid is one of them"""
    settings: dict[str, str] = {}


class ModeUse(Base, frozen=True, kw_only=True):
    """A kind of act, and in which modes of play it may be used."""

    title: Short = ""
    when: Formula
    """over `mode`, the mode in force"""
    text: Short
    """what is said where it may not, with formulas over `mode` in braces"""
    reason: str = "not_in_this_mode"
    rules: Ids = []


class Modes(Base, frozen=True, kw_only=True):
    """The mode of play, and what acts it allows: `stat` of a subject of `kind`, which stands for the table, says which
    one is in force; the stat's default where there is no such subject."""

    kind: str
    stat: str
    """a kept name or card that everybody may know"""
    fight: str | None = None
    """the mode of whoever takes part in a fight that runs, whatever the table's is"""
    uses: dict[str, ModeUse] = {}


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
    say: str | None = None
    aside: bool | None = None
    """of `say`: the sentence belongs to how it came about, and not to the story of what was done"""
    outcome: str | None = None
    moment: str | None = None
    move: str | None = None
    place: str | None = None
    lift: str | None = None
    leave: str | None = None
    grow: str | None = None
    act: str | None = None

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
    protect_most: Formula | None = None
    per_die: Formula | None = None
    least: Formula | None = None
    into: str | None = None
    who: str | None = None
    options: Ids | dict[str, Short] | None = None
    card: str | None = None
    flag: bool | None = None
    roll_of: str | None = None
    min: Formula | None = None
    max: Formula | None = None
    otherwise: Formula | None = None
    first: Formula | None = None
    """of an ask for a card or a word, over `option`: which stand first, as what is usual"""
    beside: str | None = None
    """of the same: what is read behind each option; `{formula}` over `option` is filled in"""
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
    among: Formula | None = None
    cell: bool | None = None
    how: Literal["own", "forced", "teleport", "swap"] | None = None
    to: Formula | None = None
    toward: Formula | None = None
    away: Formula | None = None
    distance: Formula | None = None
    at: Formula | None = None
    on: str | None = None
    shape: Literal["burst", "line", "wall"] | None = None
    size: Formula | None = None
    slows: Formula | None = None


class RoleSpec(Base, frozen=True, kw_only=True):
    """A subject that takes part in a test, or (`many`, in actions) several, from `min` to `max`. `where` is a condition
    on `option`, somebody who is chosen. `meant: foe` keeps a form from offering one's own side as it offers others;
    nothing is forbidden by it."""

    kinds: Ids
    meant: Literal["whoever", "foe"] = "whoever"
    title: Short = ""
    text: str = ""
    many: bool = False
    min: int = 1
    max: int | None = None
    where: Formula = True


class AtCard(Base, frozen=True, kw_only=True):
    """An act that stands beside the cards on a sheet: the input that takes the card. It stands beside those that the
    input's `where` allows."""

    input: str
    says: Short = ""
    """what the button says, with formulas over the first role and `option`, the card, in braces; else the title"""


class Outcome(Base, frozen=True, kw_only=True):
    title: Short
    told: str = ""
    """how the ledger tells it, with facts in braces: `{side} decides`, or roles, which are called by name; facts that
    everybody sees, and watchers too where the test publishes any. Without it the title says all"""
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


class TakesDie(Base, frozen=True, kw_only=True):
    """How a test counts a die that other rules put on its roll. `sides` and `whose` are inputs (`by: server`, a number
    that is 0 where no die lies there, and a text), `face` is the fact that says what it showed, 0 where it did not
    fall."""

    sides: str
    whose: str
    face: str


class Test(Base, frozen=True, kw_only=True):
    """Something that can be called at the table: inputs, roles, steps, and the outcomes it can come to."""

    title: Short
    named: str = ""
    """the title of one call, with formulas over roles and inputs in braces, where it says more than `title`"""
    text: str = ""
    rules: Ids = []
    called_by: tuple[Seat, ...] = ("gm", "player")
    rolled_by: Literal["owner_or_gm", "owner", "sides", "gm", "anyone", "server"] = "owner_or_gm"
    """the players of the subject in the first role (a GM where it has none, or, for `owner`, whom a GM names then; the
    caller where no role is); `sides`: the players of all who take a role, whoever comes first"""
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
    shown: dict[str, Short] = {}
    """the facts that people read under an outcome, and what they are called there; what has no title is for machines"""
    main: bool | int = False
    """one of the tests that are called most: those are offered first; among them by their number, `true` being 1"""
    group: Short = ""
    """the heading under which it is offered"""
    offered: Literal["test", "act", "keeping", "never"] | None = None
    """test: something is decided, dice mostly; act: something is done, and that is all; keeping: bookkeeping, which is
    offered only to game masters who look for it; never: pages offer the same in another way, such as by growing. Left
    out: what has outcomes or is `main` is a test, else what players may call an act, and the rest keeping"""
    at: AtCard | None = None
    when: Formula = True
    """over the first role: whether it is offered to it at all"""
    takes_die: TakesDie | None = None
    """how it counts a die that other rules put on its roll; without it such a die only falls beside it"""
    use: str | None = None
    """what kind of act it is in the section `modes`, which says in which modes of play it may be used"""


# ------------------------------------------------------------------------------------------------ making and growing


class Limit(Base, frozen=True, kw_only=True):
    """What must hold once a choice is made. `text` says what would be legal; `{formula}` in braces is filled in."""

    require: Formula
    reason: str
    text: str
    rules: Ids = []


class Choice(Base, frozen=True, kw_only=True):
    """Something to be chosen when a character is made or grows. Formulas read `holder` (the sheet as it stands, with
    this choice's own steps done where they stand in `limits`), the choices before it by their ids, and settings.

    `card`, `cards`: cards of the type `card`; `name`, `names`: ids of `options`; `number`; `numbers`: one for each of
    `over`; `text`, `texts`: free text; `flag`. What `where` does not allow is not offered (`option` is the card or id).
    """

    id: str
    title: Short
    text: str = ""
    type: Literal["card", "cards", "name", "names", "number", "numbers", "text", "texts", "flag"]
    card: str | None = None
    options: dict[str, Short] = {}
    over: list[str] | str | None = None
    """for `numbers`: stats of the holder, or a card type"""
    min: Formula | None = None
    """for numbers the lowest value; for what is chosen several times the least count"""
    max: Formula | None = None
    count: Formula | None = None
    """exactly so many, in place of `min` and `max`"""
    again: bool = False
    """for `cards`: one card may be chosen several times"""
    longest: int = 200
    """for texts: how many characters"""
    where: Formula | None = None
    right: str = ""
    """says what `where` allows; `{formula}` in braces is filled in"""
    after: Ids = []
    """choices that must be made before, beside those that its formulas read"""
    when: Formula | None = None
    """the choice is there only while this holds"""
    by: Literal["player", "gm"] = "player"
    """gm: only a game master makes this choice"""
    optional: bool = False
    """may be left open"""
    default: Any = None
    sets: str | None = None
    """the holder's stat that keeps what was chosen (for `numbers` over cards: the stat that has one for each)"""
    holds: bool = False
    """the holder holds the chosen cards"""
    steps: list[Step] = []
    """what else follows: steps that write to `holder`"""
    limits: list[Limit] = []
    rules: Ids = []


class MakingStep(Base, frozen=True, kw_only=True):
    """One step of the guided creation."""

    id: str
    title: Short
    text: str = ""
    choices: list[Choice] = []
    shows: Ids = []
    """stats of which this step shows what they have become"""
    steps: list[Step] = []
    """what follows once the choices before are made"""
    limits: list[Limit] = []
    rules: Ids = []


class Ready(Base, frozen=True, kw_only=True):
    """A ready-made character: the name and all choices."""

    name: Short
    text: str = ""
    choices: dict[str, Any]


class Creation(Base, frozen=True, kw_only=True):
    """How a kind of subject is made: steps in order, and characters that are made already."""

    title: Short = ""
    text: str = ""
    steps: list[MakingStep]
    shows: Ids = []
    """stats that every step shows as they stand"""
    ready: dict[str, Ready] = {}
    rules: Ids = []


class Purchase(Base, frozen=True, kw_only=True):
    """Something that growing buys, or an award. `bought['id']` in its formulas says how often each was had."""

    title: Short
    text: str = ""
    cost: dict[str, Formula] = {}
    """stat of the holder: what is paid of it"""
    when: Formula | None = None
    """offered only while this holds"""
    most: Formula | None = None
    """how often it can be bought in all"""
    by: Literal["player", "gm"] = "player"
    choices: list[Choice] = []
    steps: list[Step] = []
    limits: list[Limit] = []
    rules: Ids = []


class LevelGrant(Base, frozen=True, kw_only=True):
    """What coming to one of the levels `at` brings: steps at once, or choices that wait to be made."""

    title: Short
    text: str = ""
    at: list[int]
    when: Formula | None = None
    choices: list[Choice] = []
    steps: list[Step] = []
    limits: list[Limit] = []
    rules: Ids = []


class Levels(Base, frozen=True, kw_only=True):
    """Levels: the stat that counts them, the highest, and what they bring by id."""

    stat: str
    most: Formula
    title: Short = "Level"
    steps: list[Step] = []
    """what every level does"""
    grants: dict[str, LevelGrant] = {}
    rules: Ids = []


class Advancement(Base, frozen=True, kw_only=True):
    """How a kind of subject grows."""

    title: Short = ""
    text: str = ""
    purchases: dict[str, Purchase] = {}
    awards: dict[str, Purchase] = {}
    """what is given: by a game master, or by something that the group has brought about"""
    levels: Levels | None = None
    rules: Ids = []


class Rule(Base, frozen=True, kw_only=True):
    """One entry of the pack's rule index."""

    id: str
    gist: str
    runs: bool = True
    setting: str | Ids = []
    """the settings that decide it, or that write down what was taken where the source is open"""
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
    encounter: Encounter | None = None
    modes: Modes | None = None
    """in which modes of play what may be done"""
    sizing: Sizing | None = None
    """how fights are sized for a party"""
    tactics: Tactics | None = None
    """how fights go that nobody plays"""
    designs: dict[str, Design] = {}
    """numbers of the source that simulated fights work out again"""
    moments: dict[str, Moment] = {}
    pursuits: PursuitRules | None = None
    """what somebody may set out to do, and what comes of it"""
    creation: dict[str, Creation] = {}
    """how each kind of subject is made"""
    advancement: dict[str, Advancement] = {}
    """how each kind of subject grows"""
    index: list[Rule] = []
