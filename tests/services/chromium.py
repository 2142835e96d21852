"""Debian's Chromium under Playwright, kept from calling home, and pictures of pages as people see them."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.services.packages import program, require

RESULTS = Path(__file__).resolve().parents[2] / "test-results"
SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 800}}
SCHEMES = ("light", "dark")
CLOSING = 15.0  # seconds that a browser gets to close
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """Start a headless browser and close it at the end.

    Playwright's loop counts as a running one for as long as it lives, so that Django would refuse every query of the
    thread; the refusal is lifted for just that long.
    """
    chromium = require("chromium", program("chromium", "chromium-browser", "google-chrome"))
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(chromium), args=ARGUMENTS)
            process = process_of(browser)
            browser.on("context", lambda context: bound(context, process))
            try:
                yield browser
            finally:
                with ended_in_time(process):
                    browser.close()
    finally:
        if before is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


def process_of(browser: Browser) -> int:
    """The id of the browser's own process."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return next(int(one["id"]) for one in found if one["type"] == "browser")


def bound(context: BrowserContext, process: int) -> None:
    """Has a context close in time, or the browser ended."""
    close = context.close

    def closed(**more: Any) -> None:
        with ended_in_time(process):
            close(**more)

    context.close = closed  # type: ignore[method-assign]


@contextlib.contextmanager
def ended_in_time(process: int) -> Iterator[None]:
    """What still shows a notification may wait with its end for somebody to look at it: then the browser is ended."""
    ended = threading.Event()

    def end() -> None:
        ended.set()
        kill(process)

    impatient = threading.Timer(CLOSING, end)
    impatient.start()
    try:
        yield
    except PlaywrightError:
        if not ended.is_set():
            raise
    finally:
        impatient.cancel()


def kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def complaints(page: Page) -> list[str]:
    """A list that from now on gathers the page's console errors, policy violations and uncaught exceptions."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def screenshots(browser: Browser, url: str, name: str, storage_state: Any = None) -> list[Path]:
    """Pictures of `url` on a phone and a desktop, light and dark: test-results/NAME-SIZE-SCHEME.png.

    `storage_state` is that of a signed-in context (`context.storage_state()`).
    """
    RESULTS.mkdir(exist_ok=True)
    made = []
    for size, viewport in SIZES.items():
        for scheme in SCHEMES:
            context = browser.new_context(viewport=viewport, color_scheme=scheme, storage_state=storage_state)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(url)
            page.wait_for_load_state("load")
            path = RESULTS / f"{name}-{size}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
            context.close()
            made.append(path)
    return made
