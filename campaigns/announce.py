"""Telling the live feed that a campaign moved on: "campaign c is at n", nothing more.

Listeners of this process are called at once; other processes are told through the channel layer from one background
loop, so that no command waits for it. A nudge that is lost only delays an update.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from uuid import UUID

import structlog
from channels.layers import BaseChannelLayer, InMemoryChannelLayer, get_channel_layer

Listener = Callable[[UUID, int], None]
SECONDS = 5.0
_log = structlog.get_logger(__name__)
_listeners: list[Listener] = []
# The newest position of each campaign that the layer has not been told yet: while the layer is slow or away, many
# commands come to one nudge a campaign.
_untold: dict[UUID, int] = {}
_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def group_of(campaign_id: UUID) -> str:
    """The channel layer group of a campaign."""
    return f"campaign.{campaign_id.hex}"


def layer_between_processes() -> BaseChannelLayer | None:
    """The channel layer, if there is one that reaches other processes."""
    layer = get_channel_layer()
    return None if isinstance(layer, InMemoryChannelLayer) else layer


def listen(listener: Listener) -> Callable[[], None]:
    """Calls ``listener(campaign id, position)`` after every commit of this process; returns how to stop."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def announce(campaign_id: UUID, position: int) -> None:
    """To be called after commit. Never fails and never waits."""
    for listener in list(_listeners):
        try:
            listener(campaign_id, position)
        except Exception:
            _log.exception("announce.listener_failed", campaign=str(campaign_id))
    layer = layer_between_processes()
    if layer is not None:
        _tell_later(layer, campaign_id, position)


def _tell_later(layer: BaseChannelLayer, campaign_id: UUID, position: int) -> None:
    global _loop
    with _guard:
        waiting = campaign_id in _untold
        _untold[campaign_id] = max(position, _untold.get(campaign_id, 0))
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="announce", daemon=True).start()
    if not waiting:
        asyncio.run_coroutine_threadsafe(_tell(layer, campaign_id), _loop)


async def _tell(layer: BaseChannelLayer, campaign_id: UUID) -> None:
    with _guard:
        position = _untold.pop(campaign_id)
    message = {"type": "head", "campaign": campaign_id.hex, "position": position}
    try:
        await asyncio.wait_for(layer.group_send(group_of(campaign_id), message), SECONDS)
    except Exception as error:
        _log.warning("announce.layer_silent", campaign=str(campaign_id), error=repr(error))


def _after_fork() -> None:
    """The thread stays behind in the parent: the child makes its own when it needs one."""
    global _loop, _guard
    _loop, _guard = None, threading.Lock()
    _untold.clear()


os.register_at_fork(after_in_child=_after_fork)
