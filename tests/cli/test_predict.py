"""``predict``: a row for each frame as the table has them, or for each sequence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.bad_input import good_model, per_sequence_model
from cli.calling import ROLES, fit, nearstar, refused, rows, table, written

from nearstar.data.cutting import cut
from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.runs import smooth
from nearstar.model.model import Model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Says run where the speed is above 0."""
    path = tmp_path / "model.json"
    good_model().save(path)
    return path


def expected(frame: pd.DataFrame) -> list[str]:
    return np.where(frame["speed"] > 0, "run", "sit").tolist()


def test_a_row_for_each_row_in_their_order(model: Path, tmp_path: Path) -> None:
    frame = table()
    for order in (np.arange(96), np.arange(96)[::-1], np.random.default_rng(0).permutation(96)):
        mixed = frame.iloc[order]
        predicted = rows("predict", model, written(mixed, tmp_path / "mice.csv"))
        assert list(predicted) == ["video", "frame", "prediction"]
        assert predicted["prediction"].tolist() == expected(mixed)
        assert predicted[["video", "frame"]].to_numpy().tolist() == (
            mixed[["video", "frame"]].to_numpy().tolist()
        )


def test_columns_that_predicting_does_not_need_may_be_absent(run: Path, tmp_path: Path) -> None:
    # The model was learned with labels, and split by animal.
    bare = table(3, seed=1)[["video", "frame", "speed", "nose_y", "nose_x"]]
    full = table(3, seed=1)
    one = rows("predict", run, written(bare, tmp_path / "bare.csv"))
    assert one.equals(rows("predict", run, written(full, tmp_path / "full.csv")))
    parts = full.assign(part=np.repeat(["train", "valid", "test"], 8))
    folder = tmp_path / "parts-run"
    fit(written(parts, tmp_path / "parts.csv"), *ROLES, "--parts", "part", "--out", folder)
    assert len(rows("predict", folder, tmp_path / "bare.csv")) == 24
    assert "'part'" in refused("predict", folder, tmp_path / "bare.csv", "--parts", "part")


def test_other_names_of_columns(model: Path, tmp_path: Path) -> None:
    frame = table(3).rename(columns={"video": "film", "frame": "t"})
    path = written(frame, tmp_path / "films.csv")
    predicted = rows("predict", model, path, "--sequence", "film", "--frame", "t")
    assert list(predicted) == ["film", "t", "prediction"]
    assert predicted["prediction"].tolist() == expected(frame)


def test_probabilities(model: Path, run: Path, mice: Path, tmp_path: Path) -> None:
    predicted = rows("predict", model, mice, "--probabilities")
    assert list(predicted)[3:] == ["p(sit)", "p(run)"]
    np.testing.assert_allclose(predicted["p(run)"], 1 / (1 + np.exp(-table()["speed"])), rtol=1e-4)
    np.testing.assert_allclose(predicted["p(sit)"] + predicted["p(run)"], 1, atol=1e-6)
    three = written(table(12, classes=("a", "b", "c")), tmp_path / "three.csv")
    fit(three, *ROLES, "--out", tmp_path / "three-run")
    predicted = rows("predict", tmp_path / "three-run", three, "--probabilities")
    chances = predicted[["p(a)", "p(b)", "p(c)"]]
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)
    best = np.array(["a", "b", "c"])[chances.to_numpy().argmax(axis=1)]
    assert predicted["prediction"].tolist() == best.tolist()


@pytest.mark.parametrize("least", [1, 3, 8])
def test_short_bouts_are_taken_into_their_neighbours(model: Path, mice: Path, least: int) -> None:
    codes = np.array([label == "run" for label in expected(table())], np.int64)
    smoothed = smooth(codes, np.arange(0, 97, 8), least)
    predicted = rows("predict", model, mice, "--min-bout", least)["prediction"]
    assert predicted.tolist() == ["run" if code else "sit" for code in smoothed]


def test_a_row_for_each_sequence(tmp_path: Path, mice: Path) -> None:
    per_sequence_model().save(tmp_path / "model.json")
    predicted = rows("predict", tmp_path / "model.json", mice, "--probabilities")
    last = table().groupby("video")["speed"].apply(lambda speed: speed.tail(5).mean())
    assert predicted["video"].tolist() == last.index.tolist()
    assert predicted["prediction"].tolist() == np.where(last > 0, "run", "sit").tolist()


def test_windows_are_put_together_again(tmp_path: Path) -> None:
    path = written(table(2, 50), tmp_path / "long.csv")
    options = ("--window", "12", "--hop", "5", "--bank", "none")
    alone = ("--program", "map (fun x_t. SpeedAffine(x_t)) x")
    fit(path, *ROLES, *options, *alone, "--out", tmp_path / "alone")
    fit(path, *ROLES, *options, "--require", "mapprefix", "--out", tmp_path / "prefixes")
    for name in ("alone", "prefixes"):
        model = Model.load(tmp_path / name / "model.json")
        assert model.format is not None and model.format.window == 12
        bare = DataFormat(sequence="video", frame="frame")
        sequences = read_file(path, bare, features=model.domain.features).parts["all"].sequences
        windows = cut(sequences, 12, 5)
        found = model.outputs(windows.sequences)[:, 0]
        mean = np.array([found[windows.frames == frame].mean() for frame in range(100)])
        predicted = rows("predict", tmp_path / name, path, "--probabilities")
        chances = predicted[f"p({model.class_names[1]})"]
        np.testing.assert_allclose(chances, 1 / (1 + np.exp(-mean)), atol=1e-6)
        expected = [model.labels[int(score > 0)] for score in mean]
        assert predicted["prediction"].tolist() == expected
        # Other windows may be asked for; where each frame is by itself, they change nothing.
        other = rows("predict", tmp_path / name, path, "--probabilities", "--hop", "3")
        assert np.allclose(other["p(run)"], predicted["p(run)"], atol=1e-6) == (name == "alone")


def test_windows_of_recordings_that_have_one_label(tmp_path: Path) -> None:
    frame = table(8, 30)
    frame["does"] = np.repeat(["run", "sit"] * 4, 30)
    path = written(frame, tmp_path / "mice.csv")
    program = (
        "--program",
        "SlidingWindowAverage10(SpeedAffine[1; 0](x))",
        "--bank",
        "none",
        "--learning-rate",
        "1e-9",
    )
    fit(path, *ROLES, "--window", "10", *program, "--out", tmp_path / "run")
    predicted = rows("predict", tmp_path / "run", path, "--per", "frame")
    assert predicted[["video", "frame"]].equals(frame[["video", "frame"]])
    means = frame["speed"].to_numpy().reshape(-1, 10).mean(axis=1)
    second = Model.load(tmp_path / "run" / "model.json").labels
    assert predicted["prediction"].tolist() == [
        second[int(mean > 0)] for mean in means for _ in range(10)
    ]
    whole = rows("predict", tmp_path / "run", path)
    assert whole["video"].tolist() == list(dict.fromkeys(frame["video"]))
    assert whole["prediction"].tolist() == [
        second[int(mean > 0)] for mean in means.reshape(-1, 3).mean(axis=1)
    ]
    per_sequence = (tmp_path / "run", path, "--per")
    assert "did you mean 'frame'" in refused("predict", *per_sequence, "frames")


def test_answers_that_a_model_does_not_give(model: Path, mice: Path) -> None:
    assert "labels frames" in refused("predict", model, mice, "--per", "sequence")


def test_parts_are_told_apart(model: Path, tmp_path: Path) -> None:
    frame = table(4).assign(part=np.repeat(["test", "train", "train", "valid"], 8))
    path = written(frame, tmp_path / "parts.csv")
    predicted = rows("predict", model, path, "--parts", "part")
    assert predicted.columns[0] == "part" and len(predicted) == 32
    by_video = predicted.drop_duplicates("video").set_index("video")["part"]
    assert by_video.to_dict() == {"v00": "test", "v01": "train", "v02": "train", "v03": "valid"}
    assert len(rows("predict", model, path, "--parts", "part", "--part", "train")) == 16


def test_files_of_predictions(model: Path, mice: Path, tmp_path: Path) -> None:
    printed = rows("predict", model, mice, "--probabilities")
    assert not nearstar("predict", model, mice, "--probabilities", "--out", tmp_path / "p.csv")
    assert pd.read_csv(tmp_path / "p.csv").equals(printed)
    pytest.importorskip("pyarrow")
    nearstar("predict", model, mice, "--probabilities", "--out", tmp_path / "p.parquet")
    stored = pd.read_parquet(tmp_path / "p.parquet")
    assert stored["prediction"].tolist() == printed["prediction"].tolist()
    np.testing.assert_allclose(stored["p(run)"], printed["p(run)"], rtol=1e-6)


def test_labels_of_two_types_are_texts_in_a_column(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = written(table(12, classes=(0, 1, 2)), tmp_path / "mice.csv")
    fit(path, *ROLES, "--positive", "1", "--out", tmp_path / "one")
    nearstar("predict", tmp_path / "one", path, "--out", tmp_path / "p.parquet")
    assert set(pd.read_parquet(tmp_path / "p.parquet")["prediction"]) <= {"not 1", "1"}
    fit(path, *ROLES, "--out", tmp_path / "all")
    nearstar("predict", tmp_path / "all", path, "--out", tmp_path / "q.parquet")
    assert pd.read_parquet(tmp_path / "q.parquet")["prediction"].dtype.kind == "i"
