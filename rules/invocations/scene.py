"""Where something is invoked, as plain values: the container, what holds it, who takes part, what it is tied to."""

from __future__ import annotations

import msgspec


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """``lineage`` runs from the container outward; ``ties`` maps tie names to subject ids. ``acting_for`` maps a
    collective subject to the participants that act for it, ``players`` a subject to the members who play it."""

    container: str
    kind: str = ""
    lineage: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    ties: dict[str, tuple[str, ...]] = {}
    acting_for: dict[str, tuple[str, ...]] = {}
    players: dict[str, tuple[str, ...]] = {}

    def takes_part(self, subject: str) -> bool:
        """Whether a subject, or somebody acting for it, takes part."""
        return subject in self.participants or bool(self.acting_for.get(subject))
