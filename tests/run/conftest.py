"""Trainings that are counted."""

from __future__ import annotations

import pytest
from run.driving import Trainings

from nearstar.run import trainer


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    trainer.compile_engine()
    return Trainings(monkeypatch)
