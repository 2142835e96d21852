"""Which seats may call for a test, and which of its inputs they may give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.packs.schema import Seat, Test


def may_call(spec: Test, given: Mapping[str, Any], seat: Seat) -> bool:
    """Whether this seat may call for the test with these inputs; what is `by: gm` is nobody else's to give."""
    if seat not in spec.called_by:
        return False
    return seat == "gm" or not any(name in spec.inputs and spec.inputs[name].by == "gm" for name in given)
