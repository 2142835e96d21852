"""The published JSON Schema of the pack format, made from the structs that the loader reads by."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.cases.schema import CaseFile
from rules.packs.schema import Manifest, Overlay, PackFile
from rules.tests.verbs import COMMON, VERBS

KINDS: dict[str, type[msgspec.Struct]] = {
    "manifest": Manifest,
    "file": PackFile,
    "cases": CaseFile,
    "overlay": Overlay,
}

WITH_SECTIONS = ("manifest", "overlay")
"""what may hold sections beside its own fields"""


def schema(kind: str) -> dict[str, Any]:
    """JSON Schema of `manifest` (pack.yaml), `file` (every other file), `cases` or `overlay`."""
    wanted = [KINDS[kind]] if kind not in WITH_SECTIONS else [KINDS[kind], PackFile]
    (top, *_), parts = msgspec.json.schema_components(wanted, ref_template="#/$defs/{name}")
    if kind in WITH_SECTIONS:
        parts[KINDS[kind].__name__]["properties"] |= parts[PackFile.__name__]["properties"]
    if "Step" in parts:
        parts["Step"] = one_verb(parts["Step"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **top, "$defs": parts}


def one_verb(step: dict[str, Any]) -> dict[str, Any]:
    """A step has exactly one verb and only the words that go with it, as the loader says."""
    choices = [
        {"required": [verb], "propertyNames": {"enum": sorted({verb, *COMMON, *extra})}}
        for verb, extra in VERBS.items()
    ]
    return {**step, "oneOf": choices}
