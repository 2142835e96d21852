"""Parts of pages that are drawn once for all who see the same.

Nothing but a state and a *sight* goes into such a part, and the sight is its key: all about the viewer that the part
depends on, as plain values. So nobody is handed what was drawn for another sight. A part is kept for as long as the
state in which it was drawn is the newest; a change, a removal of the campaign, or a state that is thrown away leaves it
behind, where nothing asks for it again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

from django.utils.safestring import SafeString

from campaigns.state import State

# Characters that one process keeps; the page of a full sheet has some 40,000.
MOST = 24_000_000

S = TypeVar("S", bound=Hashable)
Key = tuple[object, Callable[..., SafeString], Hashable]

_parts: OrderedDict[Key, SafeString] = OrderedDict()
_guard = threading.Lock()
_size = 0


def kept(state: State, draw: Callable[[State, S], SafeString], sight: S) -> SafeString:
    """``draw(state, sight)``, drawn once for as long as the state stays as it is. Caller holds the state."""
    key: Key = (state.once("kept", object), draw, sight)
    with _guard:
        found = _parts.get(key)
        if found is not None:
            _parts.move_to_end(key)
            return found
    drawn = draw(state, sight)
    _keep(key, drawn)
    return drawn


def _keep(key: Key, drawn: SafeString) -> None:
    global _size
    with _guard:
        _size += len(drawn) - len(_parts.pop(key, ""))
        _parts[key] = drawn
        while _size > MOST:
            _size -= len(_parts.popitem(last=False)[1])
