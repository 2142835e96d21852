"""What a page has dozens of is drawn by Jinja: the parts of a sheet, lines of a ledger, dice, meters.

Its templates are compiled to Python and take a tenth of the time; they lie in ``frontend/jinja2`` and get plain values,
never a request. Like the others they escape every value, and a name that is not there is an error.
"""

from __future__ import annotations

from datetime import UTC
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus

from django.template import engines
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from jinja2 import Environment, StrictUndefined


def environment(**options: Any) -> Environment:
    """Jinja's environment, for the settings."""
    from frontend.templatetags import tide

    made = Environment(**{**options, "undefined": StrictUndefined})
    made.globals |= {name: getattr(tide, name) for name in ("die", "icon", "meter", "nav_item", "why_address")}
    made.globals |= {"address": address, "most": tide.most_name, "named": tide.stat_name}
    made.filters |= {"capfirst": capfirst, "quoted": quoted, "utc": lambda at: at.astimezone(UTC)}
    return made


def drawn(template: str, **values: Any) -> SafeString:
    """A template of ``frontend/jinja2`` with these values."""
    text: str = _template(template).render(values)
    # Quotes as Django's templates write them, so that nobody who reads a page has to know who drew what.
    return mark_safe(text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;"))


@lru_cache(maxsize=64)
def _template(name: str) -> Any:
    return engines["jinja2"].env.get_template(name)  # type: ignore[attr-defined]


@lru_cache(maxsize=4096)
def address(name: str, *arguments: Any) -> str:
    """The address of a page."""
    return reverse(name, args=arguments)


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """Text as part of a query."""
    return quote_plus(text)
