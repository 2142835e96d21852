"""Findings about what nothing uses: settings nobody reads, cards nobody can come by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.packs.build import Builder


def report_unused(builder: Builder) -> None:
    for name in builder.source.manifest.settings:
        if f"setting.{name}" not in builder.read:
            builder.source.report(("manifest", "settings", name), f"nothing reads the setting {name!r}", warning=True)
