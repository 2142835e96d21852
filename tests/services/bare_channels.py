"""The rival of the fan-out benchmark: a bare Channels consumer, a group member a socket, over Redis."""

from __future__ import annotations

import os
from typing import Any

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="for benchmarks only",
    INSTALLED_APPS=["channels"],
    LOGGING_CONFIG=None,
    CHANNEL_LAYERS={
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [os.environ["TIDEBOOK_REDIS_URL"]]},
        }
    },
)
django.setup()

from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402


class Table(AsyncWebsocketConsumer):
    """Joins the group and hands on what the group hears."""

    async def connect(self) -> None:
        """Joins."""
        await self.channel_layer.group_add("table", self.channel_name)
        await self.accept()
        await self.send('{"kind":"hello"}')

    async def disconnect(self, code: int) -> None:
        """Leaves."""
        await self.channel_layer.group_discard("table", self.channel_name)

    async def table_event(self, event: dict[str, Any]) -> None:
        """Hands one message on."""
        await self.send(event["text"])


application = Table.as_asgi()
