"""Addresses of sockets."""

from typing import Any

from django.urls import path

from encounters.consumers import MemberFeed, WatcherFeed

_members: Any = MemberFeed.as_asgi()
_watchers: Any = WatcherFeed.as_asgi()
websocket_urlpatterns = [
    path("ws/campaigns/<uuid:campaign_id>/feed", _members),
    path("ws/watch/<uuid:campaign_id>/<str:link>/<str:token>/feed", _watchers),
]
