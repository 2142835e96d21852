"""Reading the environment: every wrong value is named together with what would be right.

A `Reader` is asked for each variable once; it collects what is wrong and `finish` raises it all at once, so that a host
mends a unit file in one go. `TABLE` lists every variable that is read, which is how a misspelt one is noticed.
"""

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

TABLE: dict[str, str] = {
    "DATABASE_URL": "postgres://user:password@host:5432/name; without it SQLite in the data folder",
    "TIDEBOOK_ALLOWED_HOSTS": "comma-separated host names this site answers to",
    "TIDEBOOK_CSRF_ORIGINS": "comma-separated origins with scheme, for example https://tidebook.example",
    "TIDEBOOK_DATA_DIR": "folder for everything an embedded server writes",
    "TIDEBOOK_DB_POOL": "most PostgreSQL connections a process; 0 opens one a thread instead",
    "TIDEBOOK_DB_STATEMENT_SECONDS": "longest a PostgreSQL statement may run; 0 is without limit",
    "TIDEBOOK_DEBUG": "Django's debug pages; never on a reachable server",
    "TIDEBOOK_DEMO": "whether serve builds the demo campaign; by default only where nobody else can reach it",
    "TIDEBOOK_EMAIL_FROM": "sender of outgoing mail",
    "TIDEBOOK_EMAIL_URL": "smtp+tls://user:password@host:587; without it mail is written to the log",
    "TIDEBOOK_ERASURE_GRACE_DAYS": "days in which an owner may take back the wish to have a campaign erased",
    "TIDEBOOK_GM_ADMIN": "whether GMs may enter the admin for their campaigns; embedded they may",
    "TIDEBOOK_HOST": "address the embedded server listens on",
    "TIDEBOOK_HTTPS": "whether people reach the site by https (secure cookies, HSTS, redirect)",
    "TIDEBOOK_LOG_FORMAT": "console or json",
    "TIDEBOOK_LOG_LEVEL": "debug, info, warning or error",
    "TIDEBOOK_METRICS_TOKEN": "bearer token that opens /metrics; without it only loopback may, and nobody when hosted",
    "TIDEBOOK_PAGES_PORT": "port of hosted pages (deploy/systemd/run)",
    "TIDEBOOK_PICTURES_MB": "megabytes that the pictures of one campaign may come to, all ever brought taken together",
    "TIDEBOOK_PORT": "port the embedded server listens on",
    "TIDEBOOK_PROXIES": "how many proxies stand before the site and set X-Forwarded-For",
    "TIDEBOOK_REDIS_URL": "redis://host:6379/0; its presence makes the set-up hosted",
    "TIDEBOOK_SECRET_KEY": "at least 32 characters; needed when hosted, made once when embedded",
    "TIDEBOOK_SIGN_UP": "who may make an account: open, invited (whoever holds an invitation) or closed",
    "TIDEBOOK_SITE_URL": "where people reach the site, for links in mails and webhooks: https://tidebook.example",
    "TIDEBOOK_SOCKETS_PORT": "port of hosted sockets (deploy/systemd/run)",
    "TIDEBOOK_SUPERVISED": "set by serve for its children",
    "TIDEBOOK_TEST_PG_PORT": "set by the test runner for its processes",
    "TIDEBOOK_TICK_SECONDS": "seconds between two looks for work that is due",
    "TIDEBOOK_WEBHOOK_PRIVATE": "whether webhooks may lead into private networks, and by plain http; embedded they may",
}
T = TypeVar("T")
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


class Reader:
    """Typed reads of `source`; a wrong value is remembered and its default stands in until `finish`."""

    def __init__(self, source: Mapping[str, str]) -> None:
        self.source = source
        self.problems: list[str] = []

    def _convert(self, name: str, default: T, convert: Callable[[str], T], right: str) -> T:
        text = self.source.get(name, "").strip()
        if not text:
            return default
        try:
            return convert(text)
        except ValueError:
            self.problem(name, right)
            return default

    def problem(self, name: str, right: str) -> None:
        """Remember that the value of `name` is wrong and what would be right; secrets are never repeated."""
        hidden = any(part in name for part in ("KEY", "TOKEN", "URL"))
        value = "(not shown)" if hidden else repr(self.source.get(name, ""))
        self.problems.append(f"{name}={value}: {right}")

    def text(self, name: str, default: str = "") -> str:
        return self._convert(name, default, str, "")

    def flag(self, name: str, default: bool) -> bool:
        def convert(text: str) -> bool:
            if text.lower() not in YES + NO:
                raise ValueError
            return text.lower() in YES

        return self._convert(name, default, convert, f"write one of {', '.join(YES + NO)}")

    def number(self, name: str, default: int, least: int, most: int) -> int:
        def convert(text: str) -> int:
            value = int(text)
            if not least <= value <= most:
                raise ValueError
            return value

        return self._convert(name, default, convert, f"write a whole number from {least} to {most}")

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        def convert(text: str) -> str:
            if text.lower() not in choices:
                raise ValueError
            return text.lower()

        return self._convert(name, default, convert, f"write one of {', '.join(choices)}")

    def items(self, name: str, default: Sequence[str] = ()) -> list[str]:
        return self._convert(
            name, list(default), lambda text: [item.strip() for item in text.split(",") if item.strip()], ""
        )

    def address(self, name: str, schemes: Sequence[str], default: str = "") -> str:
        """An address that begins with one of `schemes` followed by `://`."""

        def convert(text: str) -> str:
            scheme, mark, rest = text.partition("://")
            if scheme not in schemes or not mark or not rest:
                raise ValueError
            return text

        right = f"write an address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}"
        return self._convert(name, default, convert, right)

    def finish(self) -> None:
        """Raise ImproperlyConfigured naming every wrong value, if there was one."""
        if self.problems:
            lines = "".join(f"\n  {problem}" for problem in self.problems)
            raise ImproperlyConfigured(f"The environment holds {len(self.problems)} wrong value(s):{lines}")


def unknown_names(source: Mapping[str, str]) -> list[tuple[str, str]]:
    """Every TIDEBOOK_ variable that nothing reads, with the nearest name that something does ('' if none is near)."""
    found = []
    for name in sorted(source):
        if name.startswith("TIDEBOOK_") and name not in TABLE:
            near = difflib.get_close_matches(name, TABLE, n=1)
            found.append((name, near[0] if near else ""))
    return found
