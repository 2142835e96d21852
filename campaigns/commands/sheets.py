"""Changing sheets by hand: values, and cards that come into force or end."""

from __future__ import annotations

from typing import Any

from campaigns import registry
from campaigns.commands.subjects import known, require_player
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, HOLDERS, TABLE, Draft
from campaigns.parts import sheets as s
from campaigns.registry import Command, decides
from campaigns.rolling import subject_of
from campaigns.state import State
from campaigns.wording import changes_said
from rules.packs import Pack
from rules.packs.values import Misfit, fit
from rules.problems import nearest
from rules.refusal import Refused
from rules.sheets import Sheet
from rules.sheets.seen import own_level

_SEEN_BY = {"all": TABLE, "holders": HOLDERS, "gm": GM_ONLY}


class ChangeSheet(Command):
    """Gives kept values of a subject's sheet: stat -> value, or stat -> {card: value} where it has one for each. With
    none at all a subject that did not play by the pack does from now on, every value at its start."""

    subject: str
    pack: str
    values: dict[str, Any]
    reason: str = ""


class ApplyCard(Command):
    """Puts a card in force on a subject: a condition, a token, a mode."""

    subject: str
    pack: str
    card: str
    values: dict[str, Any] = {}
    secret: bool = False
    """for game masters alone to know of"""


class EndCard(Command):
    """Ends a card that is in force on a subject; ``held`` is its id there."""

    subject: str
    pack: str
    held: str


@decides(ChangeSheet, "sheet.change", roles=["gm", "player"], title="Changing a sheet")
def change_sheet(state: State, command: ChangeSheet, context: Context) -> list[Draft]:
    """By its player or a GM; every value must fit its stat, and all are taken or none."""
    subject = known(state, command.subject, context)
    require_player(subject, context)
    pack = context.packs.get(command.pack)
    plan = pack.kinds.get(subject.kind)
    if plan is None:
        raise Refused("wrong_kind", f"{pack.manifest.title} has no sheet for a {subject.kind}.", field="subject")
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    provided = registry.provided(state, command.subject, pack.id)
    for stat in provided.keys() & command.values.keys():
        message = "This value has commands of its own."
        raise Refused("kept_elsewhere", message, field=f"values.{stat}", right="those commands")
    sheet = Sheet(subject_of(state, command.subject, pack.id), plan, pack.settings)
    by_seen: dict[str, list[s.Change]] = {}
    for stat, value in command.values.items():
        seen, changes = _changes(pack, sheet, stat, value, sees_all=context.is_gm)
        by_seen.setdefault(GM_ONLY if subject.hidden else _SEEN_BY[seen], []).extend(changes)
    if not command.values and not state.part(s.Sheets).begun(command.subject, pack.id):
        begins = s.SheetChanged(
            subject=command.subject,
            pack=pack.id,
            changes=(),
            reason=reason,
            words=f"plays by the rules of {pack.manifest.title} now",
        )
        return [Draft(begins, audience=GM_ONLY if subject.hidden else TABLE, holders=(command.subject,))]
    return [
        Draft(
            s.SheetChanged(
                subject=command.subject,
                pack=pack.id,
                changes=tuple(changes),
                reason=reason,
                words=changes_said(pack, changes),
            ),
            audience=audience,
            holders=(command.subject,),
        )
        for audience, changes in by_seen.items()
        if changes
    ]


def _changes(pack: Pack, sheet: Sheet, stat: str, value: Any, *, sees_all: bool) -> tuple[str, list[s.Change]]:
    """Who may see a stat, and the changes that giving it this value comes to. What is the GM's alone does not exist
    for a player: the answer would tell whether it had that value."""
    stats = {name: plan for name, plan in sheet.kind.stats.items() if sees_all or plan.spec.seen != "gm"}
    field, plan = f"values.{stat}", stats.get(stat)
    if plan is None:
        near = nearest(stat, stats) or "one of " + ", ".join(stats)
        raise Refused("unknown_stat", "The sheet has no such value.", field=field, value=value, right=near)
    if plan.formula is not None:
        raise Refused(
            "derived", "This is worked out from other values.", field=field, value=value, right="change those"
        )
    whole = {**sheet.kept.get(stat, {}), **value} if plan.keys is not None and isinstance(value, dict) else value
    try:
        fitted = fit(plan.spec, whole, pack.words)
    except Misfit as error:
        raise Refused("wrong_value", error.message, field=field, value=value, right=error.suggestion or None) from None
    seen = own_level(sheet.kind, stat)
    if plan.keys is None:
        before = sheet.base(stat)
        return seen, [] if before == fitted else [s.Change(stat=stat, before=before, after=fitted)]
    old = sheet.kept.get(stat, {})
    return seen, [
        s.Change(stat=stat, key=key, before=old.get(key, plan.default), after=fitted[key])
        for key in value
        if old.get(key, plan.default) != fitted[key]
    ]


@decides(ApplyCard, "card.apply", roles=["gm"], title="Applying a condition")
def apply_card(state: State, command: ApplyCard, context: Context) -> list[Draft]:
    """The GM's hand; rules apply cards through tests and actions."""
    subject = known(state, command.subject, context)
    pack = context.packs.get(command.pack)
    kind, card = pack.card(command.card)
    event = s.CardApplied(
        subject=command.subject,
        pack=pack.id,
        held=context.new_id(),
        card=command.card,
        title=card.title,
        values=_held_values(pack, kind, command.values),
        seen="gm" if command.secret else "all",
    )
    audience = GM_ONLY if subject.hidden or command.secret else TABLE
    return [Draft(event, audience=audience, holders=(command.subject,))]


def _held_values(pack: Pack, kind: str, values: dict[str, Any]) -> dict[str, Any]:
    """What a card in force carries, each value fitted to what cards of its type declare."""
    declared, fitted = pack.card_types[kind].held, {}
    for name, value in values.items():
        field = f"values.{name}"
        if name not in declared:
            right = nearest(name, declared) or ("one of " + ", ".join(declared) if declared else "none")
            raise Refused("unknown_value", "The card carries no such value.", field=field, value=value, right=right)
        try:
            fitted[name] = fit(declared[name], value, pack.words)
        except Misfit as error:
            near = error.suggestion or None
            raise Refused("wrong_value", error.message, field=field, value=value, right=near) from None
    return fitted


@decides(EndCard, "card.end", roles=["gm"], title="Ending a condition")
def end_card(state: State, command: EndCard, context: Context) -> list[Draft]:
    """Ending what is not in force is refused, so that a second press says so."""
    subject = known(state, command.subject, context)
    pack = context.packs.get(command.pack)
    sheet = state.part(s.Sheets).sheet(command.subject, pack.id)
    held = next((h for h in sheet.held if h.id == command.held), None)
    if held is None:
        raise Refused("not_held", "This is not in force.", field="held", value=command.held)
    event = s.CardEnded(subject=command.subject, pack=pack.id, held=command.held, title=pack.card(held.card)[1].title)
    audience = GM_ONLY if subject.hidden else _SEEN_BY[sheet.unseen.get(command.held, "all")]
    return [Draft(event, audience=audience, holders=(command.subject,))]
