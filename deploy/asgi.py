"""ASGI entry: sockets when hosted, everything when embedded."""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from deploy.pages import get_pages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
# First: it fills the app registry that the imports below need.
_pages = get_pages()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import re_path  # noqa: E402

from deploy.memory import settle  # noqa: E402
from deploy.processes import die_with_parent  # noqa: E402

# The web server runs the site in a child of its own; neither may outlive the supervisor.
if os.environ.get("TIDEBOOK_SUPERVISED"):
    die_with_parent()


async def _refuse(scope: Any, receive: Any, send: Any) -> None:
    """Answer a socket to an address that does not exist by closing it, instead of by a traceback in the log."""
    await receive()
    await send({"type": "websocket.close", "code": 4404})


def _socket_routes() -> list[Any]:
    if find_spec("encounters.routing") is None:
        return []
    return list(import_module("encounters.routing").websocket_urlpatterns)


_unknown: Any = re_path(r"", _refuse)  # type: ignore[arg-type]
_sockets = URLRouter([*_socket_routes(), _unknown])
application = ProtocolTypeRouter(
    {"http": _pages, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(_sockets))}
)
settle()
