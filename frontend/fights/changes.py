"""What a step of a fight changed on sheets, by the names of the pack and without what only meters the fight."""

from __future__ import annotations

import re
from typing import Any

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.sheet_reading import known_subject
from campaigns.state import State
from campaigns.wording import word, worth_telling
from encounters.parts.encounters import Encounters
from rules.packs import Pack
from rules.sheets import Sheet
from rules.sheets.plan import StatPlan

_SET = re.compile(r"(?:\w+\.)?(\w+)(?:\[\w+\])?: .* -> ")


class Changes:
    """Reads the sheets' events of one encounter. Stats that the pack puts in no group of a sheet are its bookkeeping,
    and budgets are shown on the board: neither is told."""

    def __init__(self, state: State, encounter: str) -> None:
        self.state = state
        found = state.part(Encounters).open.get(encounter)
        self.pack: Pack | None = Packs(state).get(found.pack) if found is not None else None
        self.metered = frozenset(self.pack.encounter.budgets) if self.pack is not None else frozenset()
        self.worth = worth_telling(self.pack) if self.pack is not None else frozenset()
        self.kinds = {name: one.kind for name, one in state.part(Subjects).by_id.items()}
        self.names = {name: one.name for name, one in state.part(Subjects).by_id.items()}

    def said(self, view: dict[str, Any]) -> list[str]:
        """The lines of one event, as its viewer sees it."""
        data = view["data"]
        if view["type"] != "sheet.changed" or self.pack is None or data.get("pack") != self.pack.id:
            return [view["says"]]
        told = [self._change(data["subject"], change) for change in data["changes"]]
        return [f"{self.names.get(data['subject'], 'Somebody')}: {one}" for one in told if one]

    def _change(self, subject: str, change: dict[str, Any]) -> str:
        """One number that changed; empty where it is not worth a word."""
        plan = self._plan(subject, change["stat"])
        if plan is None or self._is_plain(plan):
            return ""
        before, after = change["before"], change["after"]
        most = self._most(subject, plan)
        if most is not None and isinstance(before, int) and before > most:
            if after == most:
                return ""  # cut to what it can be at most: it read so before
            before = most
        title = plan.spec.title or plan.name
        named = f"{title} ({word(self.pack, change['key'])})" if change.get("key") else title
        if isinstance(before, int) and not isinstance(before, bool):
            return f"{named} {before} \N{RIGHTWARDS ARROW} {after}"
        return f"{named}: {word(self.pack, after)}"

    def _plan(self, subject: str, stat: str) -> StatPlan | None:
        assert self.pack is not None
        kind = self.pack.kinds.get(self.kinds.get(subject, ""))
        return kind.stats.get(stat) if kind is not None else None

    def _is_plain(self, plan: StatPlan) -> bool:
        return plan.name in self.metered or plan.name not in self.worth

    def _most(self, subject: str, plan: StatPlan) -> int | None:
        """The bound of a number, where the pack works one out and whoever sees the number may see it as well."""
        if plan.at_most is None or self.pack is None:
            return None
        known = known_subject(self.state, subject, self.pack.id, "gm")
        return plan.at_most(Sheet(known, self.pack.kinds[known.kind], self.pack.settings))

    def is_metering(self, line: str) -> bool:
        """Whether a line of the reckoning says no more than how a budget or the pack's bookkeeping went on."""
        found = _SET.match(line)
        if found is None or self.pack is None:
            return False
        plans = [kind.stats[found[1]] for kind in self.pack.kinds.values() if found[1] in kind.stats]
        return bool(plans) and all(self._is_plain(plan) for plan in plans)
