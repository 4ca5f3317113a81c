"""Errors carry the settings that they name; each face writes them in its own way."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from cli.calling import ROLES, refused, table, written

import nearstar as ns
from nearstar.cli.messages import as_flag
from nearstar.util.errors import DataError, NearstarError, Setting, message_of


@pytest.mark.parametrize(
    ("setting", "python", "flag"),
    [
        (Setting("class_weight"), "class_weight", "--class-weight"),
        (Setting("missing", "interpolate"), "missing='interpolate'", "--missing interpolate"),
        (Setting("features", ["0-18"]), "features=['0-18']", "--features 0-18"),
        (Setting("validation", 0), "validation=0", "--validation 0"),
    ],
)
def test_a_setting_in_python_and_as_a_flag(setting: Setting, python: str, flag: str) -> None:
    problem = DataError("there is a gap; ask for ", setting, ", please")
    assert str(problem) == f"there is a gap; ask for {python}, please"
    assert message_of(problem, as_flag) == f"there is a gap; ask for {flag}, please"
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is DataError and message_of(again, as_flag) == message_of(problem, as_flag)


def test_values_that_read_like_settings_stay_as_they_are(tmp_path: Path) -> None:
    frame = table().rename(columns={"nose_x": "missing='interpolate'"})
    path = written(frame.assign(**{"missing='interpolate'": np.nan}), tmp_path / "mice.csv")
    said = refused("fit", path, *ROLES)
    assert "\"missing='interpolate'\"" in said and "ask for --missing interpolate" in said


def test_the_same_error_in_both_faces(tmp_path: Path) -> None:
    frame = table()
    frame.loc[3, "speed"] = np.nan
    path = written(frame, tmp_path / "mice.csv")
    model = ns.ProgramClassifier(sequence="video", frame="frame", label="does")
    with pytest.raises(NearstarError) as told:
        model.fit(frame.drop(columns="animal"))
    assert str(told.value).endswith("or ask for missing='interpolate'")
    assert "ask for --missing interpolate" in refused("fit", path, *ROLES)
