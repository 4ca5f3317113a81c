"""``fit``: what is reported, what is in the folder, and that a run can be repeated."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.calling import QUICK, ROLES, fit, nearstar, refused, rows, table, written
from sklearn.metrics import accuracy_score, f1_score

from nearstar.data.files import read_file
from nearstar.model.model import Model

KEYS = ("program", "structural_cost", "error", "path_cost", "gap", "f1", "accuracy", "trained")
PROGRAM = "map (fun x_t. SpeedAffine(x_t)) x"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_report_and_the_folder_agree(mice: Path, noisy: Path) -> None:
    report = fit(mice, *ROLES)
    # The rule is found at once, and nothing larger can be better: it ends before its limit.
    assert report["trained"] < 30 and report["ended"] == "exhausted"
    report = fit(noisy, *ROLES, "--out", "run")
    assert set(KEYS) | {"seconds", "model"} <= set(report)
    assert report["trained"] == 30 and report["gap"] >= 0
    assert report["path_cost"] == report["structural_cost"] + report["error"]
    assert report["error"] == pytest.approx(1 - report["f1"])
    assert report["model"] == "run/model.json" and report["classes"] == ["sit", "run"]
    assert report["sizes"] == {"train": 9, "valid": 3, "test": 0} and "test" not in report
    assert json.loads(Path("run/result.json").read_text("utf-8")) == report
    best = Model.load(report["model"])
    assert best.text() == report["program"] and best.labels == ("sit", "run")
    costs = []
    for each in report["front"]:
        model = Model.load(each["model"])
        assert model.text() == each["program"]
        costs.append((each["structural_cost"], -each["error"]))
    assert costs == sorted(costs)
    assert best.text() in [each["program"] for each in report["front"]]
    assert fit(mice, *ROLES)["model"] == "mice-run-2/model.json"


def test_what_a_person_reads(mice: Path) -> None:
    text = nearstar("fit", mice, *ROLES, *QUICK)
    model = Model.load("mice-run/model.json")
    assert model.text() in text and "nearstar show mice-run" in text
    assert "tells, for each frame: sit, run; above 0 is run" in text
    assert "learned from 9 sequences, compared on 3" in text
    text = nearstar("fit", mice, *ROLES[:2], *ROLES[4:], *QUICK)
    assert "note: 'frame' goes up by 1" in text


def test_the_same_settings_give_the_same_bytes(mice: Path) -> None:
    fit(mice, *ROLES, "--out", "one", "--seed", "7", "--group", "p=nose_*", "--forbid", "fold")
    settings = tomllib.loads(Path("one/settings.toml").read_text("utf-8"))
    assert settings["data"] == str(mice) and "out" not in settings and "json" not in settings
    nearstar("fit", "--config", "one/settings.toml", "--out", "two")
    nearstar("fit", "--config", "one/settings.toml", "--workers", "2", "--out", "three")
    for name in ("model.json", *(f"front/{path.name}" for path in Path("one/front").iterdir())):
        one = Path("one", name).read_bytes()
        assert one == Path("two", name).read_bytes() == Path("three", name).read_bytes()
    assert Path("one/settings.toml").read_bytes() == Path("two/settings.toml").read_bytes()
    fit(mice, *ROLES, "--out", "four", "--seed", "8", "--group", "p=nose_*", "--forbid", "fold")
    assert Path("one/model.json").read_bytes() != Path("four/model.json").read_bytes()


def test_parts_of_a_file_and_test_metrics(mice: Path) -> None:
    frame = table(12)
    frame["part"] = np.repeat(["train"] * 6 + ["validation"] * 3 + ["test"] * 3, 8)
    report = fit(written(frame, Path("mice.csv")), *ROLES, "--parts", "part")
    assert report["sizes"] == {"train": 6, "valid": 3, "test": 3}
    predicted = rows("predict", "mice-run", "mice.csv", "--part", "test")["prediction"]
    truth = frame["does"][frame["part"] == "test"]
    assert report["test"]["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
    assert report["test"]["f1"] == pytest.approx(f1_score(truth, predicted, pos_label="run"))
    scores = json.loads(nearstar("evaluate", "mice-run", "mice.csv", "--json"))
    assert scores["part"] == "test" and scores["accuracy"] == report["test"]["accuracy"]
    # A test file of its own counts the same.
    written(frame[frame["part"] == "test"].drop(columns="part"), Path("test.csv"))
    rest = written(frame[frame["part"] != "test"], Path("rest.csv"))
    other = fit(rest, *ROLES, "--parts", "part", "--test", "test.csv")
    assert other["test"] == report["test"]


def test_arrays_with_parts_and_positions_for_names() -> None:
    rng = np.random.default_rng(0)
    parts: dict[str, Any] = {}
    for name, n in (("train", 12), ("valid", 6), ("test", 5)):
        parts[f"X_{name}"] = rng.normal(size=(n, 6, 4))
        parts[f"y_{name}"] = np.digitize(parts[f"X_{name}"][..., 1], [-0.5, 0.5])
    np.savez("toy.npz", **parts)
    report = fit("toy.npz", "--features", "0-2", "--group", "a=0-1", "--group", "b=2")
    assert report["sizes"] == {"train": 12, "valid": 6, "test": 5} and report["classes"] == [
        0,
        1,
        2,
    ]
    assert Model.load(report["model"]).domain.features == ("x0", "x1", "x2")
    predicted = rows("predict", "toy-run", "toy.npz", "--part", "test")["prediction"]
    truth = parts["y_test"].reshape(-1)
    assert report["test"]["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
    weighted = f1_score(truth, predicted, average="weighted")
    assert report["test"]["f1"] == pytest.approx(weighted)
    one = fit("toy.npz", "--positive", "2", "--out", "two")
    assert one["classes"] == ["not 2", 2]


def test_exactly_the_program_that_is_given(mice: Path) -> None:
    report = fit(mice, *ROLES, "--program", PROGRAM, "--steps", "240", "--learning-rate", "0.1")
    model = Model.load(report["model"])
    assert report["trained"] == 1 and report["gap"] is None and report["f1"] > 0.8
    assert report["program"].startswith("map (fun x_t. SpeedAffine[")
    # Numbers are where it starts: with next to no training they stay.
    near = fit(
        *(mice, *ROLES, "--program", "map (fun x_t. SpeedAffine[3; -.5](x_t)) x"),
        *("--learning-rate", "1e-9", "--out", "near"),
    )
    np.testing.assert_allclose(Model.load(near["model"]).theta, [3, -0.5], atol=1e-5)
    # What was learned can be edited and trained again.
    again = fit(mice, *ROLES, "--program", model.text(), "--learning-rate", "1e-9", "--out", "re")
    assert again["f1"] == pytest.approx(report["f1"], abs=0.05)


def test_a_sketch_is_completed(mice: Path) -> None:
    report = fit(mice, *ROLES, "--sketch", "map (fun x_t. add(SpeedAffine(x_t), ??)) x")
    assert report["program"].startswith("map (fun x_t. add(SpeedAffine[")
    assert "??" not in report["program"]


def test_a_tuned_threshold_is_better_on_validation_data(mice: Path) -> None:
    written(table(9, seed=3), Path("held.csv"))
    # A rate at which nothing is learned leaves a threshold that is far off.
    program = ("--program", "map (fun x_t. SpeedAffine[1; -2](x_t)) x", "--learning-rate", "1e-9")
    common = (mice, *ROLES, "--validation", "held.csv", *program)
    plain = fit(*common, "--out", "plain")
    tuned = fit(*common, "--out", "tuned", "--threshold", "tuned")
    assert tuned["f1"] > plain["f1"] + 0.1
    one, other = (Model.load(each["model"]) for each in (plain, tuned))
    assert one.offsets is None and other.offsets is not None and other.offsets[0] > 1
    assert np.array_equal(one.theta, other.theta)
    for name, report in (("plain", plain), ("tuned", tuned)):
        scores = json.loads(nearstar("evaluate", name, "held.csv", "--json"))
        assert (scores["f1"], scores["accuracy"]) == (report["f1"], report["accuracy"])
    assert "added to the scores" in nearstar("show", "tuned")


def test_weights_of_classes_shift_the_answers(mice: Path) -> None:
    more = [
        fit(
            *(mice, *ROLES, "--out", name, "--program", PROGRAM, "--steps", "240"),
            *("--class-weight", weights),
        )
        for name, weights in (("few", "run=0.01"), ("many", "run=100"), ("even", "balanced"))
    ]
    counts = [
        (rows("predict", Path(each["model"]).parent, mice)["prediction"] == "run").sum()
        for each in more
    ]
    assert counts[0] < counts[2] < counts[1]


def test_labels_of_whole_sequences() -> None:
    frame = table(16)
    frame["speed"] += np.repeat(np.tile([3.0, -3.0], 8), 8)
    frame["does"] = np.repeat(np.tile(["hunt", "rest"], 8), 8)
    report = fit(written(frame, Path("mice.csv")), *ROLES)
    assert Model.load(report["model"]).format.per == "sequence"  # type: ignore[union-attr]
    predicted = rows("predict", "mice-run", "mice.csv")
    assert list(predicted) == ["video", "prediction"] and len(predicted) == 16
    assert "tells, for each sequence: hunt, rest" in nearstar("show", "mice-run")


def test_windows_of_one_long_recording() -> None:
    written(table(1, 200), Path("long.csv"))
    report = fit("long.csv", "--frame", "frame", "--label", "does", "--window", "20", "--hop", "10")
    assert report["sizes"] == {"train": 14, "valid": 4, "test": 0}
    assert len(rows("predict", "long-run", "long.csv")) == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda good: good.assign(speed=1.0, nose_x=0.0),
        lambda good: good.assign(speed=good["speed"] * 1e30),
        lambda good: good.assign(nose_x=1e38),
        lambda good: good.assign(video=np.arange(len(good)), frame=0),
        lambda good: good.assign(does=good["does"].where(np.arange(len(good)) % 5 > 0)),
        lambda good: good.rename(columns={"speed": "größe [cm/s]", "nose_x": "速度"}),
        lambda good: good.assign(does=good["does"].map({"sit": "ünter", "run": "走る"})),
        lambda good: good.assign(does=np.where(good["does"] == "run", 1.5, -2.0)),
        lambda good: good.assign(does=good["does"] == "run"),
        lambda good: good.iloc[::-1],
        lambda good: good.drop(columns=["nose_x", "nose_y"]),
    ],
    ids=[
        *("constant", "1e30", "1e38", "length-1", "unlabelled", "names", "labels", "floats"),
        *("booleans", "backwards", "one-feature"),
    ],
)
def test_odd_data_that_can_be_learned_from(change: Any) -> None:
    frame = change(table())
    report = fit(written(frame, Path("odd.csv")), *ROLES)
    predicted = rows("predict", "odd-run", "odd.csv", "--probabilities")
    assert len(predicted) == len(frame)
    assert set(predicted["prediction"]) <= set(frame["does"].dropna())
    assert np.isfinite(predicted.filter(like="p(").to_numpy()).all()
    labelled = frame["does"].notna().to_numpy()
    right = predicted["prediction"].to_numpy()[labelled] == frame["does"].to_numpy()[labelled]
    scores = json.loads(nearstar("evaluate", "odd-run", "odd.csv", "--json"))
    assert scores["accuracy"] == pytest.approx(right.mean())
    assert report["program"] in nearstar("show", "odd-run")


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_full_disk_is_noticed_before_the_search(
    mice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nearstar.cli.fit.write_whole", _full)
    said = refused("fit", mice, *ROLES, *QUICK, "--out", "a/b/c")
    assert "No space left" in said and "a/b/c" in said
    assert not list(Path().iterdir())


def test_a_disk_that_fills_up_leaves_the_run_and_tells_the_program(
    mice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("nearstar.model.file.write_whole", _full)
        said = refused("fit", mice, *ROLES, *QUICK, "--out", "a/b/c")
    assert "No space left" in said and "a/b/c" in said
    # Whoever has waited for it gets the program all the same.
    assert "map (fun x_t. (" in said
    assert "nearstar resume a/b/c goes on" in refused("show", "a/b/c")
    resumed = json.loads(nearstar("resume", "a/b/c", "--json"))
    assert resumed["program"] in said and Model.load("a/b/c/model.json")


def test_a_search_through_everything_has_no_bound_left(mice: Path) -> None:
    report = fit(
        mice,
        *ROLES,
        "--max-depth",
        "2",
        "--forbid",
        "mapprefix",
        "--trainings",
        "99",
        "--bank",
        "none",
    )
    assert report["ended"] == "exhausted" and report["gap"] == 0 and report["bound"] is None


def test_a_network_in_place_of_a_program(mice: Path) -> None:
    report = fit(mice, *ROLES, "--search", "rnn", "--units", "3,3")
    assert report["program"] == "??" and report["trained"] == 1
    assert len(rows("predict", "mice-run", mice)) == 96
    assert "network" in nearstar("show", "mice-run")
    for command in (("explain", "mice-run", mice), ("export", "mice-run", "--to", "python")):
        assert "network" in refused(*command)


def test_derived_features_are_computed_again_for_new_data(mice: Path) -> None:
    fit(mice, *ROLES, "--derive", "fast = speed(nose)", "--features", "nose_*", "--bank", "none")
    model = Model.load("mice-run/model.json")
    assert model.domain.features == ("nose_x", "nose_y", "fast")
    new = table(3, seed=5)
    predicted = rows("predict", "mice-run", written(new.drop(columns="does"), Path("new.csv")))
    read = read_file(
        "new.csv",
        model.format.__class__(sequence="video", frame="frame"),
        features=model.domain.features,
        derived=model.domain.derived,
    )
    codes = model.predict(read.parts["all"].sequences)
    assert predicted["prediction"].tolist() == [model.labels[code] for code in codes]
    nose = new[["nose_x", "nose_y"]].groupby(new["video"]).diff()
    expected = np.hypot(nose["nose_x"], nose["nose_y"]).fillna(0)
    np.testing.assert_allclose(read.parts["all"].sequences.frames[:, 2], expected, rtol=1e-5)


def test_parquet_is_read_as_csv_is(mice: Path) -> None:
    pytest.importorskip("pyarrow")
    pd.read_csv(mice).to_parquet("mice.parquet")
    one, other = fit(mice, *ROLES, "--out", "a"), fit("mice.parquet", *ROLES, "--out", "b")
    assert one["program"] == other["program"]


def test_a_domain_and_further_features(tmp_path: Path, mice: Path) -> None:
    """As the estimator has it: what is derived comes after the domain's own."""
    domain = tmp_path / "mine.toml"
    domain.write_text('name = "mine"\nfeatures = ["speed"]\n', "utf-8")
    derived = ("--derive", "fast = speed(nose)")
    found = fit(mice, *ROLES, "--domain", domain, *derived, "--out", tmp_path / "run")
    assert Model.load(found["model"]).domain.features == ("speed", "fast")
