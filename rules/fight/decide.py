"""Deciding what a command does to a fight: pure, from the fight and the sheets to events, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.board import Warm, copy_scene
from rules.dice.sources import DiceSource
from rules.fight import commands as cmd
from rules.fight import events as ev
from rules.fight.adjusting import adjusted, apart_adjusted, placed
from rules.fight.evolve import changed, effects_of, evolve
from rules.fight.order import Change, Instant, add, end, move, next_turn, remove, whose_turn
from rules.fight.running import run_doing, told
from rules.fight.starting import ordered, with_second_turns
from rules.fight.state import Doing, Fight
from rules.packs.pack import Pack
from rules.refusal import Refused
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Subject
from rules.tests.result import TestRun
from rules.tests.runtime import Policy

Events = list[ev.Event]


class Context(Struct, frozen=True):
    """What a decision reads besides the fight. `policy` answers what is asked, where nobody is to be waited for."""

    pack: Pack
    subjects: Mapping[str, Subject]
    dice: DiceSource
    policy: Policy | None = None
    runs: list[TestRun] | None = None
    """gathers every run with its trace, for those who want to read it"""
    warm: Warm | None = None
    """sheets between decisions, for those who apply the events of each before they ask for the next"""


def decide(command: object, fight: Fight, ctx: Context) -> Events:
    """The events of a command. Raises Refused; changes nothing."""
    kind = type(command)
    if kind not in known:
        known[kind] = deciding.dispatch(kind)
    return known[kind](command, fight, ctx)


known: dict[type, Callable[[Any, Fight, Context], Events]] = {}
"""what decides a command, by its class: quicker than asking again and again"""


@singledispatch
def deciding(command: object, fight: Fight, ctx: Context) -> Events:
    """A command of others."""
    raise TypeError(f"no fight knows {type(command).__name__}")


def member(fight: Fight, subject: str) -> None:
    if subject not in fight.members or not fight.members[subject].present:
        raise Refused("nobody", "Nobody of that name takes part.", field="subject", value=subject)


def running(fight: Fight) -> None:
    """Something may be begun: the fight runs and nothing is waited for."""
    if fight.status != "running" or fight.order is None:
        raise Refused("not_running", "The fight does not run.", field="status", value=fight.status)
    if fight.waiting is not None:
        raise Refused("waits", "Something waits for an answer.", field="waiting", right="answer, close or cancel it")


def carry_out(
    fight: Fight, ctx: Context, doing: Doing, faces: list[int] | None = None, choices: Mapping[str, Any] | None = None
) -> Events:
    """Run something. Where the one whose turn it is leaves the fight by it, the turn passes."""
    traced = ctx.runs is not None
    found = run_doing(
        ctx.pack,
        fight,
        ctx.subjects,
        doing,
        ctx.dice,
        faces or [],
        choices or {},
        policy=ctx.policy,
        trace=traced,
        warm=ctx.warm,
    )
    if ctx.runs is not None:
        ctx.runs.append(found)
    event = told(doing, found, choices or {})
    order = doing.order or fight.order
    gone = left_by(event)
    if not gone or order is None or doing.ends or whose_turn(order) not in gone:
        return [event]
    after = copied(fight)
    subjects = {**ctx.subjects, **changed(ctx.subjects, event)}
    evolve(event, after)
    if after.order is None or not any(slot.present for slot in after.order.slots):
        return [event]
    next_order, came = turn_passes(ctx.pack, after, subjects)
    return [event, *carry_out(after, replace(ctx, subjects=subjects), Doing(instants=came, order=next_order))]


def left_by(event: ev.Event) -> list[str]:
    """Those who leave the fight by an event."""
    effects = effects_of(event)
    return [effect.subject for effect in effects if effect.verb == "leave"] if effects else []


def turn_passes(pack: Pack, fight: Fight, subjects: Mapping[str, Subject], warm: Warm | None = None) -> Change:
    """The next turn; as a round begins, who has a second turn in it is found anew."""
    assert fight.order is not None
    order, came = next_turn(fight.order)
    if order.round > fight.order.round:
        order = with_second_turns(pack, fight, subjects, order, warm)
    return order, came


def copied(fight: Fight) -> Fight:
    """A fight that can be changed without the other one knowing."""
    members = {name: replace(found) for name, found in fight.members.items()}
    return replace(fight, members=members, scene=copy_scene(fight.scene))


@deciding.register
def _(command: cmd.Join, fight: Fight, ctx: Context) -> Events:
    known = fight.members.get(command.subject)
    if known is not None and known.present:
        raise Refused("takes_part", "They take part already.", field="subject", value=command.subject)
    if command.subject not in ctx.subjects or ctx.subjects[command.subject].kind not in ctx.pack.encounter.kinds:
        raise Refused("cannot_fight", "Nobody of that name can take part.", field="subject", value=command.subject)
    order = None
    if fight.order is not None:
        if command.initiative is None:
            raise Refused("no_initiative", "Say their initiative.", field="initiative")
        order = add(fight.order, command.subject, command.initiative)[0]
    return [
        ev.Joined(
            subject=command.subject,
            side=command.side,
            hidden=command.hidden,
            place=command.place,
            initiative=command.initiative,
            order=order,
            size=size_of(ctx.pack, ctx.subjects[command.subject]),
        )
    ]


def size_of(pack: Pack, subject: Subject) -> int:
    """Squares a side that somebody takes up who comes, as the pack says."""
    stat = pack.encounter.size
    return 1 if stat is None else int(Sheet(subject, pack.kinds[subject.kind], pack.settings)[stat])


@deciding.register
def _(command: cmd.Show, fight: Fight, ctx: Context) -> Events:
    member(fight, command.subject)
    if fight.members[command.subject].hidden == command.hidden:
        raise Refused("as_it_is", "It is so already.", field="hidden", value=command.hidden)
    return [ev.Shown(subject=command.subject, hidden=command.hidden)]


@deciding.register
def _(command: cmd.Leave, fight: Fight, ctx: Context) -> Events:
    member(fight, command.subject)
    if fight.order is None:
        return [ev.Left(subject=command.subject)]
    running(fight)
    order, came = remove(fight.order, command.subject)
    if not came:
        return [ev.Left(subject=command.subject, order=order)]
    # it was their turn: the next one's begins, and their going is part of it
    left = ev.Left(subject=command.subject)
    return [left, *carry_out(fight, ctx, Doing(instants=came, order=order))]


@deciding.register
def _(command: cmd.Begin, fight: Fight, ctx: Context) -> Events:
    if fight.status != "prepared":
        raise Refused("has_begun", "The fight has begun.", field="status", value=fight.status)
    event, doing = ordered(ctx.pack, fight, ctx.subjects, command, ctx.dice, ctx.warm)
    after = copied(fight)
    evolve(event, after)
    return [event, *carry_out(after, ctx, doing)]


@deciding.register
def _(command: cmd.Use, fight: Fight, ctx: Context) -> Events:
    running(fight)
    member(fight, command.act.user)
    return carry_out(fight, ctx, Doing(act=command.act), choices=command.choices)


@deciding.register
def _(command: cmd.EndTurn, fight: Fight, ctx: Context) -> Events:
    running(fight)
    assert fight.order is not None
    order, came = turn_passes(ctx.pack, fight, ctx.subjects, ctx.warm)
    return carry_out(fight, ctx, Doing(instants=came, order=order))


@deciding.register
def _(command: cmd.Answer, fight: Fight, ctx: Context) -> Events:
    waiting = fight.waiting
    if waiting is None:
        raise Refused("waits_for_nothing", "Nothing waits for an answer.", field="answer")
    if fight.status != "running":
        raise Refused("paused", "The fight is paused.", field="answer", right="wait until it goes on")
    ask = waiting.ask
    answer = command.answer
    if ask.kind == "window":
        if command.subject not in ask.asked:
            raise Refused("not_asked", "This moment does not ask them.", field="subject", value=command.subject)
        before = waiting.choices.get(ask.id, {})
        if command.subject in before:
            raise Refused("answered", "They have answered.", field="subject", value=command.subject)
        answer = {**before, command.subject: command.answer}
    return carry_out(fight, ctx, waiting.doing, waiting.faces, {**waiting.choices, ask.id: answer})


@deciding.register
def _(command: cmd.Close, fight: Fight, ctx: Context) -> Events:
    waiting = fight.waiting
    if waiting is None or waiting.ask.kind != "window":
        raise Refused("no_moment", "No moment waits for answers.", field="waiting")
    answers = {**{who: [] for who in waiting.ask.asked}, **waiting.choices.get(waiting.ask.id, {})}
    return carry_out(fight, ctx, waiting.doing, waiting.faces, {**waiting.choices, waiting.ask.id: answers})


@deciding.register
def _(command: cmd.Cancel, fight: Fight, ctx: Context) -> Events:
    if fight.waiting is None:
        raise Refused("waits_for_nothing", "Nothing waits for an answer.", field="waiting")
    if fight.waiting.doing.act is None:
        raise Refused("time_passes", "A turn that passes cannot be cancelled.", field="waiting", right="answer it")
    return [ev.Cancelled(doing=fight.waiting.doing)]


@deciding.register
def _(command: cmd.Pause, fight: Fight, ctx: Context) -> Events:
    wanted = "running" if command.paused else "paused"
    if fight.status != wanted:
        raise Refused("as_it_is", "It is so already.", field="paused", value=command.paused)
    return [ev.Paused(paused=command.paused)]


@deciding.register
def _(command: cmd.Rank, fight: Fight, ctx: Context) -> Events:
    running(fight)
    assert fight.order is not None
    order, _ = move(fight.order, command.subject, command.initiative)
    return [ev.Ranked(subject=command.subject, initiative=command.initiative, order=order)]


@deciding.register
def _(command: cmd.Put, fight: Fight, ctx: Context) -> Events:
    member(fight, command.subject)
    free_hand(fight)
    return [placed(fight, command)]


@deciding.register
def _(command: cmd.Apart, fight: Fight, ctx: Context) -> Events:
    member(fight, command.one)
    member(fight, command.other)
    free_hand(fight)
    return [apart_adjusted(fight, command)]


@deciding.register
def _(command: cmd.Adjust, fight: Fight, ctx: Context) -> Events:
    free_hand(fight)
    return [adjusted(ctx.pack, fight, ctx.subjects, command)]


def free_hand(fight: Fight) -> None:
    """What is changed by hand while something waits would change what it comes to."""
    if fight.waiting is not None:
        raise Refused("waits", "Something waits for an answer.", field="waiting", right="answer, close or cancel it")


@deciding.register
def _(command: cmd.End, fight: Fight, ctx: Context) -> Events:
    if fight.order is None:
        raise Refused("not_running", "The fight does not run.", field="status", value=fight.status)
    free_hand(fight)
    came: list[Instant] = end(fight.order)
    return carry_out(fight, ctx, Doing(instants=came, ends=True))


def their_turn(fight: Fight) -> str:
    """Whose turn runs; empty before and after the fight."""
    return "" if fight.order is None else whose_turn(fight.order)
