"""What a viewer asks the site: every address that can be built, by page and by command.

To extend: name the parts of new addresses in ``World.ids`` (see :func:`tests.secrets.world.hides`), or add a provider
with ``@asks``. An address that nothing builds makes a test fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from uuid import UUID, uuid4

from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from campaigns import registry
from campaigns.admin_base import CampaignModelAdmin
from tests.campaigns.api.shapes import body_of
from tests.secrets.world import LINK, World


@dataclass(frozen=True)
class Ask:
    """One request. ``told`` is what it says itself, which may come back."""

    method: str
    path: str
    data: Any = None

    @property
    def told(self) -> str:
        return self.path + repr(self.data)


# Rows of each table that are opened one by one; their lists show the rest.
MOST_ROWS = 12

Provider = Callable[[World], Iterator[Ask]]
providers: list[Provider] = []


def asks(function: Provider) -> Provider:
    """Decorator of a provider of requests that change nothing."""
    providers.append(function)
    return function


# Addresses that are not asked, by the beginning of their route, and why.
LEFT_OUT = {
    "admin/": "built from the models that the admin knows",
    "accounts/logout/": "would end the crawl",
    "metrics": "is for the host and holds numbers of the whole site",
}


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every route of the site with its pattern."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
        if isinstance(entry, URLResolver):
            yield from routes(entry, route.removeprefix("/"))
        else:
            yield route, entry


def values(world: World, name: str, converter: Any) -> list[str]:
    """What may stand for a part of an address: ids by its name, or something of its kind."""
    if name in ("campaign", "campaign_id"):
        return [str(world.table.campaign_id)]
    known = world.ids.get(name, [])
    kind = type(converter).__name__
    return known or [{"IntConverter": "1", "UUIDConverter": str(uuid4())}.get(kind, "x")]


def built(world: World, route: str, pattern: URLPattern) -> list[str]:
    """The paths of a route; none where it is a regular expression with groups."""
    converters = getattr(pattern.pattern, "converters", {})
    if "(?P" in route:
        return []
    names = [part.partition(">")[0].rpartition(":")[2] for part in route.split("<")[1:]]
    choices = [values(world, name, converters.get(name)) for name in names]
    found = []
    for chosen in product(*choices):
        path = route
        for value in chosen:
            path = path[: path.index("<")] + value + path[path.index(">") + 1 :]
        found.append("/" + path)
    return found


@asks
def every_address(world: World) -> Iterator[Ask]:
    """All routes of the site."""
    for route, pattern in routes():
        if not any(route.startswith(left) for left in LEFT_OUT):
            for path in built(world, route, pattern):
                yield Ask("GET", path)


@asks
def feed_pages(world: World) -> Iterator[Ask]:
    """The whole feed, either way."""
    address = f"/api/campaigns/{world.table.campaign_id}/feed"
    yield Ask("GET", address, {"limit": "200"})
    yield Ask("GET", address, {"limit": "200", "after": ""})


@asks
def admin_pages(world: World) -> Iterator[Ask]:
    """Lists, rows, histories and command forms of everything in the admin."""
    yield Ask("GET", "/admin/")
    for model, page in admin.site._registry.items():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield Ask("GET", reverse(f"admin:{name}_changelist"))
        for number, row in enumerate(model._default_manager.order_by("pk")[:MOST_ROWS]):
            yield Ask("GET", reverse(f"admin:{name}_change", args=[row.pk]))
            if isinstance(page, CampaignModelAdmin) and number == 0:
                for send in page.get_sends(row):
                    yield Ask("GET", page._address(send, str(row.pk)))


def commands(world: World) -> Iterator[Ask]:
    """Every command, about hidden things where it can be: for those who may not, last, since some may."""
    for kind in registry.commands.values():
        if kind.name in ("campaign.start", "member.leave", "member.join"):
            continue
        body = body_of(kind, {name: known[-1] for name, known in world.ids.items()})
        yield Ask("POST", f"/api/campaigns/{world.table.campaign_id}/commands/{kind.name}", body)


@dataclass
class Viewer:
    """One kind of viewer with a browser."""

    kind: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, ask: Ask, key: UUID | None = None) -> Any:
        """Sends a request as this viewer."""
        if ask.method == "GET":
            return self.client.get(ask.path, ask.data, headers=self.headers)
        headers = self.headers | {"Idempotency-Key": str(key or uuid4())}
        return self.client.post(ask.path, ask.data, "application/json", headers=headers)


def viewer(world: World, kind: str) -> Viewer:
    """A viewer of this kind, signed in, or come by the watcher's link."""
    made = Viewer(kind)
    if kind in world.users:
        made.client.force_login(_user(world.users[kind]), backend="django.contrib.auth.backends.ModelBackend")
    elif kind == LINK:
        made.client.get(reverse("join", args=[world.table.campaign_id, *world.watch]))
        made.headers = {"Authorization": f"Link {world.watch[0]}.{world.watch[1]}"}
    return made


def _user(pk: int) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(pk=pk)
