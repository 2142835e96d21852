"""The guided creation as templates draw it, made from what a pack says: steps, choices, numbers. Names no pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from campaigns import feed
from campaigns.commands.making import NAME, can_be_made, mark_of, standing_of
from campaigns.packs import Packs
from campaigns.parts.making import HalfMade, Making
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.sections import section
from campaigns.sheet_reading import GroupRead, groups_of, shown_stats, shown_value
from campaigns.state import State
from frontend.seat import Seat
from rules.creation import ChoiceStanding, Standing, Wrong
from rules.creation.options import starting
from rules.creation.plan import StepPlan
from rules.packs import Pack
from rules.packs.schema import Ready
from rules.packs.wording import titled
from rules.pairs import ArrayStart, PairRules

FIRST, FINISH = "first", "finish"
MANY = 20
"""options beyond which those not taken are folded away"""


@dataclass(frozen=True)
class Maker:
    """A kind that a pack makes, with its ready-made ones. ``own`` is where: another page makes it."""

    pack: str
    pack_title: str
    kind: str
    kind_title: str
    title: str
    text: str
    ready: tuple[tuple[str, Ready], ...]


@dataclass(frozen=True)
class Elsewhere:
    """What a kind gets on its own page once it is made, and not step by step."""

    kind: str
    title: str
    gist: str


@dataclass(frozen=True)
class DraftLine:
    """A character half made, in a list."""

    id: str
    name: str
    kind: str
    pack_title: str
    by: str
    left: int


@dataclass(frozen=True)
class StepView:
    """One step of the way. ``state``: done, open, wrong."""

    id: str
    title: str
    number: int
    state: str
    current: bool


@dataclass(frozen=True)
class OptionView:
    id: str
    title: str
    text: str
    says: tuple[str, ...]
    chosen: bool
    times: int
    warns: tuple[str, ...] = ()


@dataclass(frozen=True)
class NumberView:
    """One number to be set."""

    key: str
    title: str
    value: Any
    low: int | None
    high: int | None


@dataclass(frozen=True)
class ChoiceView:
    """One choice of the step. ``says`` is how many are chosen and how many may be; ``closed`` why it cannot be made."""

    id: str
    title: str
    text: str
    type: str
    state: str
    optional: bool
    again: bool
    options: tuple[OptionView, ...]
    numbers: tuple[NumberView, ...]
    value: Any
    longest: int
    says: str
    right: str
    closed: str
    wrong: tuple[Wrong, ...]

    @property
    def taken(self) -> list[OptionView]:
        return [one for one in self.options if one.chosen]

    @property
    def left(self) -> list[OptionView]:
        return [one for one in self.options if not one.chosen]

    @property
    def many(self) -> bool:
        """Whether what is not taken is folded away at first."""
        return len(self.options) > MANY


@dataclass(frozen=True)
class Shown:
    """A number as it stands; ``parts`` are those of a stat that has one for each card."""

    stat: str
    title: str
    value: str
    parts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class DraftView:
    """The page of one draft at one step."""

    id: str
    name: str
    new: bool
    kind: str
    pack_title: str
    title: str
    text: str
    by: str
    steps: tuple[StepView, ...]
    step: StepView
    was: str
    step_text: str
    choices: tuple[ChoiceView, ...]
    numbers: tuple[Shown, ...]
    wrong: tuple[Wrong, ...]
    all_wrong: tuple[tuple[str, str, tuple[Wrong, ...]], ...]
    groups: tuple[GroupRead, ...]
    before: str
    after: str


def makers(state: State) -> list[Maker]:
    """Every kind that the campaign's packs make."""
    return [
        Maker(
            pack.id,
            pack.manifest.title,
            kind,
            pack.kinds[kind].title,
            plan.spec.title or f"A new {pack.kinds[kind].title}",
            plan.spec.text or pack.manifest.summary,
            tuple(plan.spec.ready.items()),
        )
        for pack in Packs(state).all()
        for kind, plan in pack.creations.items()
    ]


def elsewhere(state: State, kind: str = "") -> list[Elsewhere]:
    """The opposed pairs that subjects (of a kind) roll for on pages of their own."""
    found = section(state, "pairs", PairRules)
    every = found[1].kinds if found is not None else ()
    return [
        Elsewhere(one.holder, one.title, one.gist)
        for one in every
        if isinstance(one.start, ArrayStart) and kind in ("", one.holder)
    ]


def drafts(state: State, seat: Seat) -> list[DraftLine]:
    """Characters half made: one's own; a GM sees everybody's."""
    table, packs = state.part(Table), Packs(state)
    found = []
    for draft_id, draft in state.part(Making).drafts.items():
        if draft_of(state, seat, draft_id) is None:
            continue
        pack = packs.get(draft.pack)
        member = table.members.get(draft.member)
        found.append(
            DraftLine(
                draft_id,
                _name(state, draft),
                pack.kinds[draft.kind].title,
                pack.manifest.title,
                member.name if member else "",
                len(standing_of(state, draft, pack).wrong),
            )
        )
    return found


def _name(state: State, draft: HalfMade) -> str:
    subject = state.part(Subjects).by_id.get(draft.subject)
    return subject.name if subject is not None else draft.name


def draft_of(state: State, seat: Seat, draft_id: str) -> HalfMade | None:
    """A draft that exists for this seat, and that the campaign's rules of today still make."""
    draft = state.part(Making).drafts.get(draft_id)
    if draft is None or not (seat.is_gm or draft.member == seat.viewer.member):
        return None
    if draft.subject and not state.part(Subjects).is_here(draft.subject):
        return None
    return draft if can_be_made(state, draft) else None


def finished_as(state: State, seat: Seat, draft_id: str) -> str:
    """Whom a draft became, looked for in the newer lines of what this seat sees; "" for nobody."""
    before = state.position + 1
    for _ in range(6):
        entries = feed.older(state, seat.viewer, before, 100)
        for entry in entries:
            if entry.view["type"] == "draft.finished" and entry.view["data"].get("draft") == draft_id:
                subject: str = entry.view["data"]["subject"]
                return subject if subject in state.part(Subjects).by_id else ""
        if len(entries) < 100:
            break
        before = entries[-1].position
    return ""


def draft_view(
    state: State, seat: Seat, draft_id: str, draft: HalfMade, asked: str, *, untouched: bool = False
) -> DraftView:
    """The page at a step; without one, at the first that is not done. ``untouched``: somebody comes to it, and is not
    yet told what is open in what they have not begun."""
    pack = Packs(state).get(draft.pack)
    plan, found = pack.creations[draft.kind], standing_of(state, draft, pack)
    steps = steps_of(found, [(step.spec.id, step.spec.title) for step in plan.steps], asked)
    current = next(step for step in steps if step.current)
    step = next((one for one in plan.steps if one.spec.id == current.id), None)
    ids = [one.id for one in steps]
    at = ids.index(current.id)
    shown = shown_stats(pack.kinds[draft.kind], "gm" if seat.is_gm else "holders")
    member = state.part(Table).members.get(draft.member)
    stats = dict.fromkeys([*plan.spec.shows, *(step.spec.shows if step else ())])
    return DraftView(
        id=draft_id,
        name=_name(state, draft),
        new=not draft.subject,
        kind=draft.kind,
        pack_title=pack.manifest.title,
        title=plan.spec.title or f"A new {pack.kinds[draft.kind].title}",
        text=plan.spec.text,
        by=member.name if member is not None and member.name != seat.name else "",
        steps=tuple(steps),
        step=current,
        was=_marks(draft, step),
        step_text=step.spec.text if step else "",
        choices=tuple(_offered(found.choices[c.id], found, seat, untouched) for c in step.choices) if step else (),
        numbers=tuple(shown_number(pack, found, stat) for stat in stats if stat in shown),
        wrong=tuple(w for w in found.wrong_in(current.id) if not w.choice and not (untouched and w.still_open)),
        all_wrong=tuple((one.id, one.title, tuple(found.wrong_in(one.id))) for one in steps if found.wrong_in(one.id)),
        groups=() if step else _laid_out(pack, found, seat),
        before=ids[at - 1] if at else "",
        after=ids[at + 1] if at + 1 < len(ids) else "",
    )


def _marks(draft: HalfMade, step: StepPlan | None) -> str:
    """From which choices, and which name, a form of this step starts."""
    marks = {NAME: mark_of(draft.name)} | {
        c.id: mark_of(draft.choices.get(c.id)) for c in (step.choices if step else ())
    }
    return " ".join(f"{name}={mark}" for name, mark in marks.items())


def _laid_out(pack: Pack, found: Standing, seat: Seat) -> tuple[GroupRead, ...]:
    """The whole sheet as it will stand, outside any fight."""
    return tuple(groups_of(pack, found.sheet, "gm" if seat.is_gm else "holders", metered=pack.modes is None))


def steps_of(found: Standing, named: list[tuple[str, str]], asked: str) -> list[StepView]:
    """The way with its last station, where the whole is looked over."""
    states = {}
    for step, _ in named:
        wrong = found.wrong_in(step)
        states[step] = "wrong" if any(not w.still_open for w in wrong) else "open" if wrong else "done"
    every = [*named, (FINISH, "Look it over")]
    states[FINISH] = "open"
    ids = [step for step, _ in every]
    if asked == FIRST:
        asked = ids[0]
    current = asked if asked in ids else next((step for step in ids if states[step] != "done"), FINISH)
    return [StepView(step, title, n, states[step], step == current) for n, (step, title) in enumerate(every, 1)]


def _offered(one: ChoiceStanding, found: Standing, seat: Seat, untouched: bool) -> ChoiceView:
    """A choice of the step; one that is not begun says nothing of being open to who comes to it."""
    view = choice_view(one, found, seat)
    if not untouched or one.value:
        return view
    return replace(view, wrong=tuple(w for w in view.wrong if not w.still_open))


def choice_view(one: ChoiceStanding, found: Standing, seat: Seat) -> ChoiceView:
    """One choice as the form draws it."""
    spec = one.plan.spec
    closed = ""
    if one.state == "waits":
        closed = "Waits for " + " and ".join(found.choices[c].plan.spec.title for c in one.waits_for) + "."
    elif spec.by == "gm" and not seat.is_gm:
        closed = "The game master decides this."
    return ChoiceView(
        id=spec.id,
        title=spec.title,
        text=spec.text,
        type=spec.type,
        state=one.state,
        optional=spec.optional,
        again=spec.again,
        options=tuple(option_views(one, found)),
        numbers=tuple(number_views(one)),
        value=_typed_value(one),
        longest=spec.longest,
        says=how_many(one),
        right=one.right,
        closed=closed,
        wrong=tuple(w for w in found.wrong if w.choice == spec.id and w.reason != "waits"),
    )


def _typed_value(one: ChoiceStanding) -> Any:
    """What stands in the field: lines of texts one below the other."""
    if one.plan.spec.type == "texts":
        return "\n".join(one.value or [])
    return one.value if one.value is not None else ""


def option_views(one: ChoiceStanding, found: Standing) -> Iterable[OptionView]:
    """What is offered, and what is chosen though it is not offered any more."""
    kind = one.plan.spec.card or ""
    chosen = list(one.value or []) if one.plan.several else [one.value]
    for option in one.options:
        times = chosen.count(option.id)
        warns = tuple(found.sheet.warned(kind, option.id)) if kind else ()
        yield OptionView(option.id, option.title, option.text, option.says, times > 0, times, warns)


def number_views(one: ChoiceStanding) -> Iterable[NumberView]:
    plan = one.plan
    if plan.spec.type == "number":
        yield NumberView("", plan.spec.title, one.value, one.least, one.most)
    for key in plan.keys:
        value = (one.value or starting(plan)).get(key, 0)
        yield NumberView(key, plan.titles[key], value, one.least, one.most)


def how_many(one: ChoiceStanding) -> str:
    """How many are chosen, and how many may be."""
    if not one.plan.several or one.state in ("waits", "absent"):
        return ""
    many = len(one.value or [])
    if one.least == one.most and one.most is not None:
        return f"{many} of {one.most}"
    if one.most is not None:
        return f"{many}, {one.most} at most"
    return f"{many}" if many else ""


def shown_number(pack: Pack, found: Standing, stat: str) -> Shown:
    """A stat as it stands."""
    plan = found.sheet.kind.stats[stat]
    title = plan.spec.title or titled(stat)
    if plan.keys is None:
        return Shown(stat, title, shown_value(pack, found.sheet[stat]))
    parts = [(pack.card(key)[1].title, found.sheet[stat][key]) for key in plan.keys]
    kept = [(name, shown_value(pack, value)) for name, value in parts if value or len(parts) <= 8]
    return Shown(stat, title, "", tuple(kept))


def chosen_in(post: QueryDict, choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that a form sent, in the form of their types; what cannot be read is left for the entrance to say."""
    found = {}
    for name in post.getlist("asked"):
        if name in choices:
            found[name] = _value(post, choices[name], f"c-{name}")
    return found


def _value(post: QueryDict, plan: Any, field: str) -> Any:
    spec = plan.spec
    if spec.type == "flag":
        return post.get(field) == "on"
    if spec.type in ("cards", "names"):
        if spec.again:
            return [card for card in plan.titles for _ in range(_count(post.get(f"{field}-{card}", "")))]
        return post.getlist(field)
    if spec.type == "texts":
        return [line for line in post.get(field, "").splitlines() if line.strip()]
    if spec.type == "numbers":
        return {key: number(text) for key in plan.keys if (text := post.get(f"{field}-{key}", "").strip())}
    text = post.get(field, "").strip()
    if spec.type == "number":
        return number(text) if text else None
    return text or None


def _count(text: str) -> int:
    return min(int(text), 50) if text.strip().isdecimal() else 0


def number(text: str) -> int | str:
    """A whole number; anything else stays text, for the entrance to refuse."""
    bare = text.replace("\N{MINUS SIGN}", "-")
    return int(bare) if bare.lstrip("+-").isdecimal() and len(bare) < 15 else text
