"""The live page outlives what goes wrong: in its server, and in itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from report import examples
from report.browsing import Showing

from nearstar.report.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUNNING = {"state": "running", "text": "Running."}


class Told(Server):
    """Serves what it is given, or fails with it."""

    answer: dict[str, Any] | Exception

    def page(self, **have: Any) -> dict[str, Any]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """It is meant to fail."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Told]:
    with Told(tmp_path) as server:
        server.answer = examples.small() | {"live": RUNNING, "search": None}
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _says(page: Page, state: str, text: str) -> None:
    page.locator(f"#live[data-state={state}]", has_text=text).wait_for()


def _goes_on(page: Page, server: Told) -> None:
    server.answer = examples.small() | {"live": RUNNING, "search": None, "subtitle": "goes on"}
    page.locator("#subtitle", has_text="goes on").wait_for()
    _says(page, "running", "Running.")
    page.goto("about:blank")  # before the server ends


def test_a_server_that_fails_is_told_from_one_that_has_ended(show: Showing, server: Told) -> None:
    page = show.visit(server.address)
    _says(page, "running", "Running.")
    server.answer = RuntimeError("no page")
    _says(page, "lost", "nearstar watch cannot show the run (500)")
    assert page.locator("#program").is_visible()  # as it was
    page.route("**/state*", lambda route: route.abort())
    _says(page, "lost", "nearstar watch has ended")
    page.unroute("**/state*")
    _goes_on(page, server)
    assert all("Failed to load" in each for each in show.problems)
    show.problems.clear()


def test_what_cannot_be_drawn_does_not_stop_it(show: Showing, server: Told) -> None:
    page = show.visit(server.address)
    server.answer = {**server.answer, "front": [None], "live": RUNNING | {"text": "Still running."}}
    _says(page, "running", "Still running.")
    _goes_on(page, server)
    assert show.problems and all(each.startswith("threw Cannot read") for each in show.problems)
    show.problems.clear()
