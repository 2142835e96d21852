"""Findings about what nothing uses. A setting with one option is a ruling written down: nothing has to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.packs.build import Builder


def report_unused(builder: Builder) -> None:
    for name, setting in builder.source.manifest.settings.items():
        decides = setting.type != "name" or len(setting.options or ()) + setting.optional > 1
        if decides and f"setting.{name}" not in builder.read:
            builder.source.report(("manifest", "settings", name), f"nothing reads the setting {name!r}", warning=True)
