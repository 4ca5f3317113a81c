"""A search of a day: 100,000 evaluations, with trainings left out, and its resume."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "journal.py"


@pytest.mark.slow
@pytest.mark.parametrize("evaluations", [2_000, 100_000])
def test_a_long_run_fits_and_resumes_without_training(evaluations: int) -> None:
    ended = subprocess.run(
        [sys.executable, BENCHMARK, "day", "--evaluations", str(evaluations)],
        capture_output=True,
        text=True,
        check=True,
    )
    search, resume = map(json.loads, ended.stdout.splitlines())
    assert search["trained"] == search["evaluations"] == resume["evaluations"] == evaluations
    assert resume["trained"] == 0 and resume["errors"] == search["errors"]
    # Some MB for whatever else Python does.
    assert search["memory_mb"] - search["memory_before_mb"] < 50 + evaluations * 0.003
    assert resume["memory_mb"] - search["memory_mb"] < 50
    assert search["journal_mb"] < 10 + evaluations * 0.01
