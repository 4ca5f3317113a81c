"""``explain``: a row for each frame, under the names that the data have."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.bad_input import good_model
from cli.calling import ROLES, fit, table, written

from nearstar.cli import main


def explained(*arguments: object) -> tuple[pd.DataFrame, str]:
    """The table, and the listing of the program's parts."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main(["explain", *map(str, arguments)]) == 0, err.getvalue()
    return pd.read_csv(io.StringIO(out.getvalue())), err.getvalue()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    good_model().save(path)
    return path


def test_rows_are_named_as_in_the_data(model: Path, mice: Path) -> None:
    why, listing = explained(model, mice)
    frame = table()
    assert why[["video", "frame"]].equals(frame[["video", "frame"]])
    assert why["prediction"].tolist() == np.where(frame["speed"] > 0, "run", "sit").tolist()
    assert "2 SpeedAffine[1; 0]" in listing
    np.testing.assert_allclose(why["2 SpeedAffine"], frame["speed"], rtol=1e-5)


def test_one_sequence_in_whatever_part_it_is(model: Path, tmp_path: Path) -> None:
    frame = table(4).assign(part=np.repeat(["test", "train", "train", "valid"], 8))
    path = written(frame, tmp_path / "parts.csv")
    for video in ("v00", "v02", "v03"):
        why, _ = explained(model, path, "--parts", "part", "--only", video)
        assert why["video"].tolist() == [video] * 8
    why, _ = explained(model, path, "--parts", "part", "--part", "train")
    assert set(why["video"]) == {"v01", "v02"}


def test_windows_are_explained_once_for_each_frame(tmp_path: Path) -> None:
    frame = table(2, 31)
    path = written(frame, tmp_path / "long.csv")
    program = "mapprefix (fun x_t. SlidingWindowAverage5(SpeedAffine[1; 0](x_t))) x"
    windows = ("--window", "10", "--hop", "3", "--learning-rate", "1e-9")
    fit(path, *ROLES, *windows, "--program", program, "--out", tmp_path / "run")
    why, _ = explained(tmp_path / "run", path)
    assert why[["video", "frame"]].equals(frame[["video", "frame"]])
    # Windows begin at 0, 10, 20 and, to end with the recording, 21: means reach back no further.
    expected = [
        speed[max(at - 4, 21 if at >= 21 else at // 10 * 10) : at + 1].mean()
        for speed in frame["speed"].to_numpy().reshape(2, 31)
        for at in range(31)
    ]
    np.testing.assert_allclose(why["1 mapprefix"], expected, atol=1e-4)


def test_a_file_of_explanations(model: Path, mice: Path, tmp_path: Path) -> None:
    printed, _ = explained(model, mice)
    with contextlib.redirect_stderr(io.StringIO()):
        assert main(["explain", str(model), str(mice), "--out", str(tmp_path / "why.csv")]) == 0
    assert pd.read_csv(tmp_path / "why.csv").equals(printed)
