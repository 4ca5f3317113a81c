"""Calling the command line, and data to call it with."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nearstar.cli import main

COMMAND = [
    sys.executable,
    "-c",
    # Where tests run in the background, shells have interrupts ignored.
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "import sys; from nearstar.cli import main; sys.exit(main())",
]
"""The command in a process of its own."""
QUICK = (
    *("--trainings", "30", "--steps", "24", "--neural-steps", "16"),
    *("--restarts", "1", "--workers", "1", "--finalists", "0"),
)
ROLES = ("--sequence", "video", "--frame", "frame", "--label", "does")


def nearstar(*arguments: object, code: int = 0) -> str:
    """What a command prints; it must end with the code, and say nothing else if that is 0."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        ended = main([str(each) for each in arguments])
    assert ended == code, err.getvalue()
    assert code or not err.getvalue(), err.getvalue()
    return out.getvalue()


def refused(*arguments: object) -> str:
    """What is said of a command that cannot be done."""
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        assert main([str(each) for each in arguments]) == 1
    return err.getvalue()


def fit(*arguments: object) -> dict[str, Any]:
    """The JSON of a quick fit."""
    report: dict[str, Any] = json.loads(nearstar("fit", *QUICK, *arguments, "--json"))
    return report


def rows(*arguments: object) -> pd.DataFrame:
    """The table that a command prints."""
    return pd.read_csv(io.StringIO(nearstar(*arguments)), keep_default_na=False, na_values=[""])


def table(
    n_videos: int = 12, length: int = 8, classes: tuple[Any, ...] = ("sit", "run"), seed: int = 0
) -> pd.DataFrame:
    """Videos of mice that run where they are fast; the last of more classes is the fastest."""
    rng = np.random.default_rng(seed)
    n = n_videos * length
    speed = rng.normal(size=n).round(3)
    edges = np.quantile(speed, np.arange(1, len(classes)) / len(classes) + 0.1 / len(classes))
    return pd.DataFrame(
        {
            "video": np.repeat([f"v{i:02}" for i in range(n_videos)], length),
            "frame": np.tile(np.arange(length), n_videos),
            "animal": np.repeat([f"m{i % 4}" for i in range(n_videos)], length),
            "nose_x": rng.normal(size=n).round(3),
            "nose_y": rng.normal(size=n).round(3),
            "speed": speed,
            "does": np.array(classes, object)[np.searchsorted(edges, speed)],
        }
    )


def written(frame: pd.DataFrame, path: Path) -> Path:
    """The table as a file."""
    frame.to_csv(path, index=False)
    return path
