"""What tests of journals share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from run.store.forks import Forks


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with Forks() as running:
        yield running
