"""What packs need of one another."""

from __future__ import annotations

from collections.abc import Iterable

from rules.packs.pack import Pack
from rules.packs.ranges import in_range
from rules.problems import nearest


def unmet(packs: Iterable[Pack]) -> list[str]:
    """A sentence for every need of these packs that none of them meets."""
    found = {pack.id: pack for pack in packs}
    out = []
    for pack in found.values():
        for need, wanted in pack.manifest.needs.items():
            if need not in found:
                hint = nearest(need, found)
                out.append(f"{pack.id} needs {need} {wanted}" + (f" (did you mean {hint!r}?)" if hint else ""))
            elif not in_range(found[need].version, wanted):
                out.append(f"{pack.id} needs {need} {wanted}; here it is {found[need].version}")
    return out
