"""A browser, and pages opened in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from report.browsing import Showing, launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as running:
        yield running


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Showing]:
    """Opens pages; the test fails if anything goes wrong in them."""
    with Showing(browser, tmp_path) as showing:
        yield showing
