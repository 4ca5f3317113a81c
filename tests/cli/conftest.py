"""A table and a model of it, made once for all tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import ROLES, fit, table, written


@pytest.fixture(scope="session")
def mice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with labels for frames."""
    return written(table(), tmp_path_factory.mktemp("data") / "mice.csv")


@pytest.fixture(scope="session")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with some labels exchanged: no program is perfect, so that searches go on."""
    mice = table()
    mice.loc[::7, "does"] = mice.loc[::7, "does"].map({"sit": "run", "run": "sit"})
    return written(mice, tmp_path_factory.mktemp("data") / "mice.csv")


@pytest.fixture(scope="session")
def run(mice: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a fit of that table."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    fit(mice, *ROLES, "--split-by", "animal", "--out", folder)
    return folder
