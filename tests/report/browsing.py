"""A real browser for tests of pages: what it complains about fails them."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from nearstar.report.html_page import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

SCHEMES = ("light", "dark")
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def launched() -> Iterator[Browser]:
    """The system's Chromium, headless; without it, or Playwright, the test is skipped."""
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    executable = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if executable is None:
        pytest.skip(f"needs a browser: none of {', '.join(_CHROMIUM)} is installed")
    # Chromium's own sandbox refuses root, as whom containers run.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        _resume(browser)
        browser.close()


class Showing:
    """Opens pages, and collects what goes wrong in them.

    As a context manager, it fails at the end if a page logged an error or a warning, threw one, or
    asked for anything but itself: a file for nothing, a served page for nothing elsewhere.
    """

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self._contexts: list[BrowserContext] = []
        self.problems: list[str] = []

    def __enter__(self) -> Showing:
        _resume(self._browser)
        return self

    def __exit__(self, *failure: object) -> None:
        for context in self._contexts:
            context.close()
        _pause()
        if failure[0] is None:
            assert not self.problems, "\n".join(self.problems)

    def __call__(self, page: Mapping[str, Any], **settings: Any) -> Page:
        """The report page of these data, opened from its file."""
        return self.html(render(page), **settings)

    def html(self, html: str, **settings: Any) -> Page:
        """This page, opened from a file."""
        path = self._folder / f"page{len(self._contexts)}.html"
        path.write_text(html, "utf-8")
        return self.visit(path.as_uri(), **settings)

    def visit(
        self, url: str, *, width: int = 1200, height: int = 900, scheme: str = "light"
    ) -> Page:
        """The page there, in a window of this size."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        self._contexts.append(context)
        opened = context.new_page()
        opened.set_default_timeout(20_000)
        opened.on("console", self._heard)
        opened.on("pageerror", lambda error: self.problems.append(f"threw {error}"))
        opened.on("request", lambda request: self._asked(request, url))
        opened.goto(url)
        return opened

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _asked(self, request: Request, url: str) -> None:
        asked, own = urlsplit(request.url), urlsplit(url)
        allowed = request.url == url if own.scheme == "file" else asked.netloc == own.netloc
        if not allowed and asked.scheme != "data":
            self.problems.append(f"asked for {request.url}")


def _resume(browser: Browser) -> None:
    asyncio._set_running_loop(browser._loop)


def _pause() -> None:
    # Between its calls Playwright leaves its event loop marked as running; other tests in this
    # process would take it for their own.
    asyncio._set_running_loop(None)


def assert_accessible(page: Page, *within: str) -> None:
    """Axe finds nothing to complain about on the page, or within selectors, in either scheme."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs Axe").Axe()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = axe.run(page, [*within]).response["violations"]
        assert not found, f"in {scheme}:\n" + "\n".join(map(_told, found))


def _told(violation: Mapping[str, Any]) -> str:
    places = [
        f"  {' '.join(map(str, node['target']))}: {node['html'][:150]}\n"
        + "\n".join(
            f"    {each['message']}" for each in (*node["any"], *node["all"], *node["none"])
        )
        for node in violation["nodes"][:5]
    ]
    return "\n".join(
        [f"{violation['id']} ({len(violation['nodes'])}): {violation['help']}", *places]
    )
