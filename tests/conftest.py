"""Settings of all tests, and a browser for those of pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from report.browsing import Showing, launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Compiling the engine, once, must not count as a slow example; machines are shared and noisy.
settings.register_profile(
    "nearstar",
    max_examples=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
settings.load_profile("nearstar")


@pytest.hookimpl(tryfirst=True)  # before the slow ones are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is shown in a browser is among the slow tests."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as running:
        yield running


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Showing]:
    """Opens pages; the test fails if anything goes wrong in them."""
    with Showing(browser, tmp_path) as showing:
        yield showing
