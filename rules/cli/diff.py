"""`rules diff`: what changes from one version of a pack to another."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rules.packs import Pack


class Change(Struct, frozen=True, order=True):
    """One entry that was added, removed, changed or renamed; `details` are the parts that differ."""

    section: str
    id: str
    what: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        details = f": {', '.join(self.details)}" if self.details else ""
        return f"{self.what} {self.section} {self.id}{details}"


def diff(old: Pack, new: Pack) -> list[Change]:
    """Every difference between two packs, entry by entry."""
    renamed = new.manifest.renamed
    out: list[Change] = []
    before, after = entries(old), entries(new)
    for key, value in before.items():
        section, name = key
        moved = (section, renamed.get(name, name))
        if moved not in after:
            out.append(Change(section, name, "removed"))
        elif moved != key:
            out.append(Change(section, name, "renamed", (f"now {moved[1]}", *differences(value, after[moved]))))
        elif value != after[moved]:
            out.append(Change(section, name, "changed", tuple(differences(value, after[moved]))))
    arrived = {(section, renamed.get(name, name)) for section, name in before}
    out += [Change(section, name, "added") for section, name in after if (section, name) not in arrived]
    return sorted(out)


def entries(pack: Pack) -> dict[tuple[str, str], Any]:
    """All entries of a pack as plain values, by section and id; cards by their type."""
    out: dict[tuple[str, str], Any] = {}
    for name, setting in pack.manifest.settings.items():
        out["setting", name] = msgspec.to_builtins(setting)
    for section, found in pack.source.sections.items():
        plain = msgspec.to_builtins(found)
        if section == "cards":
            out |= {(kind, card): value for kind, cards in plain.items() for card, value in cards.items()}
        elif section == "index":
            out |= {("rule", rule["id"]): rule for rule in plain}
        elif found is None or isinstance(found, Struct):
            out |= {} if found is None else {(section, section): plain}
        else:
            out |= {(section.removesuffix("s"), name): value for name, value in plain.items()}
    return out


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """The places at which two plain values differ, as dotted paths with both values where they are short."""
    if isinstance(old, dict) and isinstance(new, dict):
        out = []
        for key in [*old, *(key for key in new if key not in old)]:
            out += differences(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
        return out
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            line for at, pair in enumerate(zip(old, new, strict=True)) for line in differences(*pair, f"{path}.{at}")
        ]
    if isinstance(old, list) and isinstance(new, list):
        return shorter_or_longer(old, new, path)
    if old == new:
        return []
    return [f"{path or 'value'} {brief(old)} -> {brief(new)}"]


def shorter_or_longer(old: list[Any], new: list[Any], path: str) -> list[str]:
    """What two lists of different length differ in, beside what they begin and end with alike."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if old[at] != new[at]), most)
    last = next((at for at in range(most - first) if old[-1 - at] != new[-1 - at]), most - first)
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    out = [f"{path}.{first + at} without {brief(item)}" for at, item in enumerate(gone)]
    return out + [f"{path}.{first + at} with {brief(item)}" for at, item in enumerate(come)]


def brief(value: Any) -> str:
    """A value as YAML writes it in one line, cut off where it is long."""
    text = flow(value)
    return text if len(text) <= 60 else text[:57] + "..."


def flow(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {flow(item)}" for name, item in value.items() if item is not None) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value)
