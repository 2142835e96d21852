"""Why a rating is what it is: where it began, and every change since, with its occasion.

A rating goes by ``rating:<pair>`` (of the first side) or ``rating:<pair>/<side>``.
"""

from __future__ import annotations

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.registry import Why, explains
from campaigns.state import State
from campaigns.store import read
from identity.models import PairChange
from identity.parts import pairs as p
from identity.reads.pairs import in_words, sees_all
from rules import pairs as rp
from rules.refusal import Refused

PREFIX = "rating:"


@explains
def why_rating(state: State, viewer: Viewer, subject: str, name: str) -> Why | None:
    """Of a side of a pair; for those who may see ratings. Refused alike for others and for what is not there."""
    if not name.startswith(PREFIX):
        return None
    pair_id, _, side_id = name.removeprefix(PREFIX).partition("/")
    own = state.part(rp.PairsState).subjects.get(subject)
    if own is None or not sees_all(viewer, subject) or pair_id not in own.ratings:
        raise Refused("not_found", "There is no such value.", field="name", value=name)
    rules = p.pair_rules(state)
    pair = rp.pair_named(rp.kind_named(rules, own.kind), pair_id)
    side = next((one for one in pair.sides if one.id == (side_id or pair.sides[0].id)), None)
    if side is None:
        raise Refused("not_found", "There is no such side.", field="name", value=name)
    rating = rp.both_ratings(rules, pair, own.ratings[pair_id])[side.id]
    return Why(
        label=side.title,
        value=rating,
        how=f"Both sides of a pair come to {rules.total} together.",
        parts=_parts(state, viewer, subject, pair_id, rules.total if side is not pair.sides[0] else 0, rating),
    )


def _parts(state: State, viewer: Viewer, subject: str, pair: str, mirrored: int, rating: int) -> tuple[Why, ...]:
    """Of the changes up to this state: what each came to for the side (``mirrored``: both sides' sum, for a second
    side)."""
    rows = list(
        PairChange.objects.filter(
            campaign_id=viewer.campaign_id, subject=subject, pair=pair, position__lte=state.position
        ).order_by("position", "seq")
    )
    names = name_finder(state)
    views = {
        event.position: view_event(event, viewer, names)
        for event in read.events_at(viewer.campaign_id, sorted({row.position for row in rows}))
    }
    parts: list[Why] = []
    sum_so_far = 0
    for row in rows:
        if row.change is None:
            value = mirrored - row.rating if mirrored else row.rating
            shown, sum_so_far = f"to {value}" if parts else str(value), value
        else:
            value = -row.change if mirrored else row.change
            shown, sum_so_far = f"{value:+d}", sum_so_far + value
        view = views.get(row.position)
        parts.append(Why(label=view["says"] if view else "A change", value=shown, how=in_words(state, row.happened_at)))
    if parts and sum_so_far != rating:
        parts.append(
            Why(label="What was taken back, or stopped at an end of the scale", value=f"{rating - sum_so_far:+d}")
        )
    return tuple(parts)
