"""Ready-made characters: each must come out whole under the pack's own rules."""

from __future__ import annotations

from rules.creation.standing import standing
from rules.packs.pack import Pack
from rules.problems import Problem


def ready_problems(pack: Pack) -> list[Problem]:
    """What the pack's own creation would refuse of its ready-made characters, each at its place."""
    found = []
    for kind, plan in pack.creations.items():
        for name, ready in plan.spec.ready.items():
            for wrong in standing(pack, kind, ready.choices).wrong:
                where = ("creation", kind, "ready", name, "choices")
                path = (*where, wrong.choice) if wrong.choice in ready.choices else where
                file, line, column = pack.source.place(*path)
                right = f"; right would be: {wrong.right}" if wrong.right else ""
                message = f"{wrong.message} ({wrong.reason}){right}"
                found.append(Problem(file=file, line=line, column=column, message=message))
    return found
