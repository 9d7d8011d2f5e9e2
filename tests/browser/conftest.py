"""Pages in a real Chromium: opened from a file, watched for errors and for requests that leave.

SECANT_REQUIRE_BROWSER=1 fails where no Chromium is found, which skips otherwise;
SECANT_SCREENSHOTS=1 writes the pictures of the documentation again.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
)
IMAGES = Path(__file__).parents[2] / "docs" / "images"
LARGEST = 300_000  # bytes of a screenshot


def absent(reason: str) -> None:
    if os.environ.get("SECANT_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{reason}, and SECANT_REQUIRE_BROWSER=1 requires it")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        absent("no Chromium was found")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Return a function that saves a result as a page and opens it.

    At the end no page has said anything on its console, and none has asked for anything.
    """
    contexts, troubles, requests = [], [], []

    def opened(document, fragment="", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **options})
        contexts.append(context)
        context.set_default_timeout(0)  # none: pytest's own is enough
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"uncaught: {error}"))
        page.on("dialog", lambda dialog: (troubles.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        path = document.save(tmp_path / f"page{len(contexts)}.html")
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
    assert requests, "the page itself is asked for"
    strangers = [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]
    assert strangers == []


@pytest.fixture
def photograph():
    """Return a function that writes a screenshot for the documentation if it is asked for."""

    def taken(page, name, **options):
        if os.environ.get("SECANT_SCREENSHOTS") != "1":
            return
        path = IMAGES / name
        path.parent.mkdir(exist_ok=True)
        page.screenshot(path=path, **options)
        assert path.stat().st_size < LARGEST

    return taken
