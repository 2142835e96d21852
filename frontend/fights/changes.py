"""What a step of a fight changed on sheets, as the ledger says it, without what only meters the fight."""

from __future__ import annotations

import re
from typing import Any

from campaigns.packs import Packs
from campaigns.state import State
from campaigns.wording import is_bookkeeping
from encounters.parts.encounters import Encounters
from rules.packs import Pack

_SET = re.compile(r"(?:\w+\.)?(\w+)(?:\[\w+\])?: .* -> ")


class Changes:
    """Reads the sheets' events of one encounter. What :mod:`campaigns.wording` calls bookkeeping is not told: it stands
    on the board, or nowhere."""

    def __init__(self, state: State, encounter: str) -> None:
        found = state.part(Encounters).open.get(encounter)
        self.pack: Pack | None = Packs(state).get(found.pack) if found is not None else None
        self.title = found.title if found is not None else ""

    def is_of_it(self, view: dict[str, Any]) -> bool:
        """Whether a change came of the encounter: one of which people are not told the step bears its title."""
        return bool(self.title) and view["data"].get("reason") == self.title

    def said(self, view: dict[str, Any]) -> list[str]:
        """The line of one event, as its viewer sees it; none where it is bookkeeping."""
        data = view["data"]
        if view["type"] == "sheet.changed" and (data.get("quiet") or self._is_plain(data)):
            return []
        return [view["says"]]

    def _is_plain(self, data: dict[str, Any]) -> bool:
        """Whether events from before they said so themselves are bookkeeping alone."""
        if self.pack is None or data.get("words") or data.get("pack") != self.pack.id:
            return False
        return all(is_bookkeeping(self.pack, change["stat"]) for change in data["changes"])

    def is_metering(self, line: str) -> bool:
        """Whether a line of the reckoning says no more than how a budget or the pack's bookkeeping went on."""
        found = _SET.match(line)
        return found is not None and self.pack is not None and is_bookkeeping(self.pack, found[1])
