"""Ready-made characters: each must come out whole under the pack's own rules, or the pack does not load."""

from __future__ import annotations

from rules.creation.standing import standing
from rules.packs.pack import Pack


def check_ready(pack: Pack) -> None:
    """Report every ready-made character that its own creation would refuse."""
    for kind, plan in pack.creations.items():
        for name, ready in plan.spec.ready.items():
            for wrong in standing(pack, kind, ready.choices).wrong:
                where = ("creation", kind, "ready", name, "choices")
                right = f"; right would be: {wrong.right}" if wrong.right else ""
                path = (*where, wrong.choice) if wrong.choice in ready.choices else where
                pack.source.report(path, f"{wrong.message} ({wrong.reason}){right}")
