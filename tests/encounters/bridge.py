"""The fight at the toll bridge, as its pack tells it in a case, set up in a campaign by commands.

Who plays whom: ``plays`` maps names of the case to the users of a table. Ids are found by name in :attr:`Bridge.ids`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from encounters.commands.preparing import BeginEncounter, JoinEncounter, PrepareEncounter
from rules.packs import folder

PACK = "frontiers-fantasy"
WIDTH, HEIGHT = 18, 8
ORDER = ("rell", "captain", "roadman_2", "roadman_3", "roadman_1", "wren", "bryn", "osk")
Tell = Callable[[str, Any], Any]


def case() -> dict[str, Any]:
    """The case as it is written: ``subjects``, ``scene`` and ``cases``."""
    found: dict[str, Any] = yaml.safe_load((folder.SHELF / PACK / "cases" / "toll-bridge.yaml").read_text())
    return found


def script() -> list[dict[str, Any]]:
    """Its steps from the first to the last blow."""
    found: list[dict[str, Any]] = case()["cases"][0]["script"]
    return found


@dataclass
class Bridge:
    """The fight: ``tell`` sends a command as one of the users and answers its first event."""

    tell: Tell
    gm: str
    plays: Mapping[str, str]
    campaign: str = ""
    encounter: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    def make(self, **more: Any) -> Bridge:
        """Everybody with their sheets, on the squares of the case; ``more`` is for the encounter."""
        found = case()
        for name, one in found["subjects"].items():
            self._subject(name, one)
        ready = {"title": "The toll bridge", "pack": PACK, "width": WIDTH, "height": HEIGHT, **more}
        self.encounter = self.tell(self.gm, PrepareEncounter(**ready)).encounter
        for side, names in found["scene"]["sides"].items():
            for name in names:
                x, y = found["scene"]["places"][name]
                self.tell(
                    self.gm,
                    JoinEncounter(encounter=self.encounter, subject=self.ids[name], side=side, x=x, y=y),
                )
        return self

    def _subject(self, name: str, one: dict[str, Any]) -> None:
        made = CreateSubject(kind=one["kind"], name=name.replace("_", " ").title())
        self.ids[name] = self.tell(self.plays.get(name, self.gm), made).subject
        self.tell(self.gm, ChangeSheet(subject=self.ids[name], pack=PACK, values=one["values"]))
        for held in one.get("held", []):
            card = {"card": held} if isinstance(held, str) else held
            if card["card"] == "in_flock":
                continue  # named in the fight
            apply = ApplyCard(
                subject=self.ids[name],
                pack=PACK,
                card=card["card"],
                values=card.get("values", {}),
                secret=one["kind"] == "adversary",
            )
            self.tell(self.gm, apply)

    def begin(self) -> Bridge:
        """In the order of the case."""
        initiative = {self.ids[name]: 30 - place for place, name in enumerate(ORDER)}
        self.tell(self.gm, BeginEncounter(encounter=self.encounter, initiative=initiative))
        return self
