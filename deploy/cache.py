"""The cache of a hosted site. It holds nothing that is not looked up again, so a site without it goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

_log = structlog.get_logger(__name__)


def _or_else(name: str, lost: Callable[..., Any]) -> Callable[..., Any]:
    """The method of that name; where Redis does not answer, what ``lost`` gives for the same arguments."""
    really = getattr(RedisCache, name)

    @wraps(really)
    def method(self: RedisCache, *arguments: Any, **named: Any) -> Any:
        try:
            return really(self, *arguments, **named)
        except (RedisError, OSError) as error:
            _log.warning("cache.away", operation=name, error=repr(error))
            return lost(*arguments, **named)

    return method


class ForgettingCache(RedisCache):
    """Redis while it answers; else a cache that has forgotten all: nothing is found, and whoever would be the first to
    put something there is (what that guards may be done twice)."""

    get = _or_else("get", lambda _key, default=None, **_: default)
    get_many = _or_else("get_many", lambda *_, **__: {})
    has_key = _or_else("has_key", lambda *_, **__: False)
    add = _or_else("add", lambda *_, **__: True)
    touch = _or_else("touch", lambda *_, **__: False)
    delete = _or_else("delete", lambda *_, **__: False)
    set = _or_else("set", lambda *_, **__: None)
    set_many = _or_else("set_many", lambda data, *_, **__: list(data))
    delete_many = _or_else("delete_many", lambda *_, **__: None)
    incr = _or_else("incr", lambda _key, delta=1, **_: delta)
