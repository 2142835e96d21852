"""Settings: every one has a value, and formulas read them as `setting.section.name`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rules.formulas.types import Record
from rules.packs.builder import Builder
from rules.packs.schema import Setting
from rules.packs.source import ID
from rules.packs.values import Misfit, default_of, fit
from rules.problems import RulesError

if TYPE_CHECKING:
    from rules.packs.pack import Pack


def build_settings(b: Builder) -> None:
    """Every setting has a value; formulas read them as `setting.section.name`."""
    fields: dict[str, Any] = {}
    b.words.cards = {kind: list(cards) for kind, cards in b.source.sections["cards"].items()}
    for kind in b.source.sections["card_types"]:
        b.words.cards.setdefault(kind, [])
    for name, setting in b.source.manifest.settings.items():
        path = ("manifest", "settings", name)
        if not all(ID.match(part) for part in name.split(".")) or name.count(".") > 1:
            b.source.report(path, f"{name!r} is no setting: write section.name in lower-case words")
            continue
        *section, last = name.split(".")
        if section[:1] and not isinstance(fields.get(section[0], {}), dict) or not section and last in fields:
            b.source.report(path, f"{name!r} is a setting beside a section of settings called the same: rename one")
            continue
        kind = b.spec_type(setting, path)
        setting_value(b, name, setting, path)
        (fields.setdefault(section[0], {}) if section else fields)[last] = kind
    b.scope.names["setting"] = Record(
        "setting", {k: Record(f"setting.{k}", v) if isinstance(v, dict) else v for k, v in fields.items()}
    )


def setting_value(b: Builder, name: str, setting: Setting, path: tuple[Any, ...]) -> None:
    value = default_of(setting)
    if value is None:
        b.source.report(path, "a setting needs a default")
        return
    try:
        b.setting_values[name] = fit(setting, value, b.words)
    except Misfit as exc:
        b.source.report((*path, "default"), exc.message, exc.suggestion)


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """{"a.b": 1} as {"a": {"b": 1}}."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        *section, last = name.split(".")
        (out.setdefault(section[0], {}) if section else out)[last] = value
    return out


def fitted_settings(pack: Pack, values: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for name, value in values.items():
        spec = pack.setting(name)
        try:
            out[name] = fit(spec, value, pack.words)
        except Misfit as exc:
            raise RulesError(
                f"setting {name}: {exc.message}", code="setting_value", field=name, right=exc.suggestion or None
            ) from None
    return out
