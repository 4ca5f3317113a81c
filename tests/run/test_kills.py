"""Runs that are killed, kill -9, at random moments end as if they had not been."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from run.killing import WORKERS


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "seed"), [(8, 1), (104, 2)])
def test_killed_runs_of_all_algorithms_end_the_same(kills: int, seed: int) -> None:
    script = Path(__file__).with_name("killing.py")
    ended = subprocess.run(
        [sys.executable, script, str(kills), str(seed)], capture_output=True, text=True, check=True
    )
    assert not ended.stderr
    runs = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sum(run["kills"] for run in runs) >= kills
    for run in runs:
        assert run["ended"] and run["same"], run
        assert run["most_lost"] <= WORKERS, run
        # Idle workers train some that are never asked for.
        assert min(run["reached"][2::3]) >= run["trained"], run
