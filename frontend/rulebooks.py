"""The packs a campaign plays by, as plain values for templates: versions, house rules, settings with their rulings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from campaigns.fitting import OpenTest, held_up, under_way, unfit
from campaigns.packs import Packs
from campaigns.parts.packs import PacksState
from campaigns.state import State
from campaigns.upgrading import SubjectPreview, preview
from frontend.numbers import number_or_text
from rules.cli.diff import Change, diff, entries
from rules.packs import Pack, load_pack, pack_ids
from rules.packs.schema import Setting
from rules.packs.wording import sentence, setting_said, setting_title, spaced, titled


@dataclass(frozen=True)
class SettingLine:
    """A setting of a pack: its value here, also in words (``said``), the pack's own, what may be chosen (with titles),
    and the ruling behind it."""

    name: str
    title: str
    says: str
    ruling: str
    kind: str
    value: Any
    own: bool
    said: str = ""
    options: tuple[tuple[str, str], ...] = ()
    low: int | None = None
    high: int | None = None

    @property
    def place(self) -> str:
        """Its name as a part of an address."""
        return place_of(self.name)


def place_of(setting: str) -> str:
    """A setting's name as a part of an address."""
    return setting.replace(".", "-")


def setting_at(page: str, pack: str, setting: str) -> str:
    """The address of a setting on the page of the rules, unfolded."""
    return f"{page}?{urlencode({'pack': pack, 'setting': setting})}#set-{pack}-{place_of(setting)}"


@dataclass(frozen=True)
class Book:
    """A pack as the campaign plays it. ``newer`` is the version that waits where it is another content, ``warnings``
    what is not wrong but looks like a slip, with its place."""

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
    is_own: bool
    warnings: tuple[str, ...]


def books(state: State) -> list[Book]:
    """Every pack of the campaign, in its order."""
    packs = Packs(state)
    return [_book(state, packs, pack_id) for pack_id in packs.ids()]


def _book(state: State, packs: Packs, pack_id: str) -> Book:
    pack, plain = packs.get(pack_id), packs.plain(pack_id)
    overlay = state.part(PacksState).overlays.get(pack_id)
    waiting = packs.waiting(pack_id)
    return Book(
        id=pack_id,
        title=pack.manifest.title,
        version=pack.version,
        summary=pack.manifest.summary,
        source=pack.manifest.source,
        rights=pack.manifest.rights,
        settings=tuple(_setting(pack, plain, name, spec) for name, spec in pack.manifest.settings.items()),
        overlay=overlay.title if overlay else "",
        overlay_lines=changes_said(plain, packs.played(pack_id)) if overlay else (),
        newer=waiting.version if waiting is not None else "",
        tests=tuple((test_id, program.spec.title) for test_id, program in pack.tests.items()),
        is_own=pack_id in state.part(PacksState).own,
        warnings=warnings_of(pack),
    )


def warnings_of(pack: Pack) -> tuple[str, ...]:
    """What the checker warned of: place and sentence."""
    return tuple(f"{w.file}:{w.line}:{w.column}: {w.message}" for w in pack.warnings)


def _setting(pack: Pack, plain: Pack, name: str, spec: Setting) -> SettingLine:
    value = pack.setting_values[name]
    return SettingLine(
        name=name,
        title=setting_title(name, spec),
        says=spec.text if spec.title else "",
        ruling=spec.ruling,
        kind={"flag": "flag", "name": "name", "int": "int"}.get(spec.type, "text"),
        value=value,
        own=value != plain.setting_values.get(name),
        said=_said(spec, value),
        options=tuple((option, sentence(title)) for option, title in spec.titles().items()),
        low=spec.min,
        high=spec.max,
    )


def _said(spec: Setting, value: Any) -> str:
    """A value as people read it; nothing where the ruling says it all, for nothing else can be chosen."""
    return "" if spec.type == "name" and len(spec.titles()) < 2 else setting_said(spec, value)


def to_add(state: State) -> list[tuple[str, str]]:
    """Packs on the shelf that the campaign does not play yet: (id, title)."""
    played = Packs(state).ids()
    return [(i, load_pack(i).manifest.title) for i in pack_ids() if i not in played]


@dataclass(frozen=True)
class Changing:
    """What other rules would change: in the rules, for each subject, for open tests; and what is odd about them.
    ``begun`` are tests that stand in the way, ``held_up``
    what else does, ``closed`` those that would be closed along with the change."""

    title: str
    before: str
    version: str
    digest: str
    changes: tuple[str, ...]
    subjects: tuple[SubjectPreview, ...]
    begun: tuple[OpenTest, ...]
    held_up: tuple[str, ...]
    closed: tuple[OpenTest, ...]
    warnings: tuple[str, ...]


def upgrading(state: State, pack_id: str) -> Changing | None:
    """The preview of an upgrade; None where there is nothing to move to."""
    packs = Packs(state)
    new = packs.waiting(pack_id)
    return None if new is None else _changing(state, packs.plain(pack_id), new, new.manifest.title)


def laying(state: State, pack_id: str, after: Pack, title: str) -> Changing:
    """The preview of house rules that were compiled already."""
    return _changing(state, Packs(state).played(pack_id), after, title)


def _changing(state: State, before: Pack, after: Pack, title: str) -> Changing:
    return Changing(
        title=title,
        before=before.version,
        version=after.version,
        digest=after.digest,
        changes=changes_said(before, after),
        subjects=tuple(preview(state, before, after)),
        begun=tuple(under_way(state, before.id)),
        held_up=tuple(held_up(state, before.id)),
        closed=tuple(unfit(state, before, after)),
        warnings=warnings_of(after),
    )


def changes_said(before: Pack, after: Pack) -> tuple[str, ...]:
    """What is different between two packs, entry by entry, by titles instead of ids."""
    old, new = entries(before), entries(after)
    return tuple(
        _change_said(one, new.get((one.section, one.id)) or old.get((one.section, one.id)))
        for one in diff(before, after)
    )


def _change_said(change: Change, entry: Any) -> str:
    title = entry.get("title") if isinstance(entry, dict) else ""
    what = titled(change.section)
    name = "" if change.section == change.id else f" {title or titled(change.id)}"
    details = "; ".join(map(_detail_said, change.details))
    return f"{what}{name}: {change.what}{'. ' + sentence(details) if details else ''}"


def _detail_said(detail: str) -> str:
    """``steps.0.dice d10 -> d12`` as people read it: step 1, dice: d10 becomes d12."""
    path, _, rest = detail.partition(" ")
    if path == "now":
        return detail
    words: list[str] = []
    for part in path.split("."):
        if part.isdigit() and words:
            words[-1] = f"{words[-1].removesuffix('s')} {int(part) + 1}"
        else:
            words.append(spaced(part))
    old, arrow, new = rest.partition(" -> ")
    told = f"{old} becomes {new}" if arrow else rest
    return f"{', '.join(words)}: {told}"


def typed_value(line: SettingLine, text: str) -> bool | int | str:
    """A setting's value out of a form; what does not fit stays text, for the entrance to refuse by name."""
    if line.kind == "flag":
        return text == "on"
    return number_or_text(text) if line.kind == "int" else text
