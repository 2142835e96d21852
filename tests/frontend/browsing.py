"""Pages in a browser for those who take part, signed in."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.services.chromium import SIZES
from tests.services.site import Site

# A session as signing in makes one; that the form does so is tested with the accounts.
SIGN_IN = """
from django.contrib.auth.models import User
from django.test import Client
browser = Client()
browser.force_login(User.objects.get(username="{name}"), backend="django.contrib.auth.backends.ModelBackend")
print(browser.session.session_key)
"""


def new_page(browser: Browser, size: str) -> Page:
    """A page in a context of its own, of the size of a phone or a desktop."""
    context = browser.new_context(viewport=SIZES[size], has_touch=size == "phone")  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    return context.new_page()


def sign_in(site: Site, page: Page, name: str) -> None:
    """Signs a page's context in, and shows the person's campaigns."""
    session = site.run(SIGN_IN.format(name=name)).strip()
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    page.goto(f"{site.url}/")
