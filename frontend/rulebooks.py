"""The packs a campaign plays by, as plain values for templates: versions, house rules, settings with their rulings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from campaigns.packs import Packs
from campaigns.parts.packs import PacksState
from campaigns.state import State
from campaigns.upgrading import SubjectPreview, preview
from frontend.calls import worded
from frontend.numbers import number_or_text
from rules.cli.diff import diff
from rules.packs import Pack, load_pack, pack_ids
from rules.packs.schema import Setting


@dataclass(frozen=True)
class SettingLine:
    """A setting of a pack: its value here, the pack's own, what may be chosen, and the ruling behind it."""

    name: str
    title: str
    says: str
    ruling: str
    kind: str
    value: Any
    own: bool
    options: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Book:
    """A pack as the campaign plays it. ``newer`` is the version on the shelf where it is another content."""

    id: str
    title: str
    version: str
    summary: str
    source: str
    rights: str
    settings: tuple[SettingLine, ...]
    overlay: str
    overlay_lines: tuple[str, ...]
    newer: str
    tests: tuple[tuple[str, str], ...]


def books(state: State) -> list[Book]:
    """Every pack of the campaign, in its order."""
    packs = Packs(state)
    return [_book(state, packs, pack_id) for pack_id in packs.ids()]


def _book(state: State, packs: Packs, pack_id: str) -> Book:
    pack, plain = packs.get(pack_id), packs.plain(pack_id)
    overlay = state.part(PacksState).overlays.get(pack_id)
    shelf = load_pack(pack_id) if pack_id in pack_ids() else None
    return Book(
        id=pack_id,
        title=pack.manifest.title,
        version=pack.version,
        summary=pack.manifest.summary,
        source=pack.manifest.source,
        rights=pack.manifest.rights,
        settings=tuple(_setting(pack, plain, name, spec) for name, spec in pack.manifest.settings.items()),
        overlay=overlay.title if overlay else "",
        overlay_lines=tuple(str(change) for change in diff(plain, packs.played(pack_id))) if overlay else (),
        newer=shelf.version if shelf is not None and shelf.digest != plain.digest else "",
        tests=tuple((test_id, program.spec.title) for test_id, program in pack.tests.items()),
    )


def _setting(pack: Pack, plain: Pack, name: str, spec: Setting) -> SettingLine:
    value = pack.setting_values[name]
    return SettingLine(
        name=name,
        title=worded(name.rpartition(".")[2]).capitalize(),
        says=spec.text,
        ruling=spec.ruling,
        kind={"flag": "flag", "name": "name", "int": "int"}.get(spec.type, "text"),
        value=value,
        own=value != plain.setting_values.get(name),
        options=tuple(spec.options or ()),
        low=spec.min,
        high=spec.max,
    )


def to_add(state: State) -> list[tuple[str, str]]:
    """Packs on the shelf that the campaign does not play yet: (id, title)."""
    played = Packs(state).ids()
    return [(i, load_pack(i).manifest.title) for i in pack_ids() if i not in played]


@dataclass(frozen=True)
class Upgrading:
    """What moving to the shelf's version would change: in the rules, and for each subject."""

    title: str
    before: str
    version: str
    changes: tuple[str, ...]
    subjects: tuple[SubjectPreview, ...]


def upgrading(state: State, pack_id: str) -> Upgrading | None:
    """The preview of an upgrade; None where there is nothing to move to."""
    plain = Packs(state).plain(pack_id)
    if pack_id not in pack_ids() or load_pack(pack_id).digest == plain.digest:
        return None
    new = load_pack(pack_id)
    changes = tuple(str(change) for change in diff(plain, new))
    subjects = tuple(preview(state, plain, new))
    return Upgrading(new.manifest.title, plain.version, new.version, changes, subjects)


def typed_value(line: SettingLine, text: str) -> bool | int | str:
    """A setting's value out of a form; what does not fit stays text, for the entrance to refuse by name."""
    if line.kind == "flag":
        return text == "on"
    return number_or_text(text) if line.kind == "int" else text
