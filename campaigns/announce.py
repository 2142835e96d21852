"""Telling the live feed that a campaign moved on: "campaign c is at n", nothing more.

Listeners of this process are called at once; other processes are told through the channel layer from one background
loop, so that no command waits for it. A nudge that is lost only delays an update.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from uuid import UUID

import structlog
from channels.layers import BaseChannelLayer, get_channel_layer

Listener = Callable[[UUID, int], None]
_listeners: list[Listener] = []
_log = structlog.get_logger(__name__)


def group_of(campaign_id: UUID) -> str:
    """The channel layer group of a campaign."""
    return f"campaign.{campaign_id.hex}"


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
    layer = get_channel_layer()
    if layer is not None and type(layer).__name__ != "InMemoryChannelLayer":
        asyncio.run_coroutine_threadsafe(_send(layer, campaign_id, position), _loop())


async def _send(layer: BaseChannelLayer, campaign_id: UUID, position: int) -> None:
    try:
        await asyncio.wait_for(
            layer.group_send(
                group_of(campaign_id), {"type": "head", "campaign": campaign_id.hex, "position": position}
            ),
            5,
        )
    except Exception:
        _log.warning("announce.layer_silent", campaign=str(campaign_id), exc_info=True)


_loop_made: asyncio.AbstractEventLoop | None = None
_loop_guard = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    global _loop_made
    with _loop_guard:
        if _loop_made is None:
            _loop_made = asyncio.new_event_loop()
            threading.Thread(target=_loop_made.run_forever, name="announce", daemon=True).start()
        return _loop_made
