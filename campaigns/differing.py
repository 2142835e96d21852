"""What rules made of a sheet, as events: kept values that changed, cards that came and went. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from campaigns.events import GM_ONLY, HOLDERS, TABLE, Draft
from campaigns.parts import sheets as s
from campaigns.parts.subjects import SubjectState
from campaigns.wording import changes_said
from rules.packs import Pack
from rules.sheets import Subject
from rules.sheets.seen import own_level

SEEN_BY = {"all": TABLE, "holders": HOLDERS, "gm": GM_ONLY}


def changes_between(pack: Pack, before: Subject, after: Subject) -> dict[str, list[s.Change]]:
    """The kept values that differ, by who may see the stat."""
    found: dict[str, list[s.Change]] = {}
    for stat, value in after.values.items():
        plan = pack.kinds[after.kind].stats[stat]
        old = before.values.get(stat, {} if plan.keys is not None else plan.default)
        if plan.keys is None:
            changes = [] if old == value else [s.Change(stat=stat, before=old, after=value)]
        else:
            changes = [
                s.Change(stat=stat, key=key, before=old.get(key, plan.default), after=item)
                for key, item in value.items()
                if old.get(key, plan.default) != item
            ]
        if changes:
            found.setdefault(own_level(pack.kinds[after.kind], stat), []).extend(changes)
    return found


def drafts_between(
    pack: Pack,
    subject: SubjectState,
    before: Subject,
    after: Subject,
    reason: str,
    unseen: Mapping[str, str] | None = None,
) -> list[Draft]:
    """The events that lead from one to the other. ``unseen``: held cards that not everybody may know of -> who may."""
    unseen = unseen or {}
    drafts: list[Draft] = []

    def tell(event: Any, seen: str = "all") -> None:
        audience = GM_ONLY if subject.hidden else SEEN_BY[seen]
        drafts.append(Draft(event, audience=audience, holders=(after.id,)))

    for seen, changes in changes_between(pack, before, after).items():
        words = changes_said(pack, changes)
        changed = s.SheetChanged(subject=after.id, pack=pack.id, changes=tuple(changes), reason=reason, words=words)
        tell(changed, seen)
    kept = {held.id for held in after.held}
    for held in before.held:
        if held.id not in kept:
            title = pack.card(held.card)[1].title
            tell(s.CardEnded(subject=after.id, pack=pack.id, held=held.id, title=title), unseen.get(held.id, "all"))
    known = {held.id for held in before.held}
    for held in after.held:
        if held.id not in known:
            card = pack.card(held.card)[1]
            tell(
                s.CardApplied(
                    subject=after.id,
                    pack=pack.id,
                    held=held.id,
                    card=held.card,
                    title=card.title,
                    values=held.values,
                    ends=held.ends,
                    source=held.source,
                )
            )
    return drafts
