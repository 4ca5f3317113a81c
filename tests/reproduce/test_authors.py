"""Data in the layout of the paper's code, written here and read back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearstar.reproduce.tasks import load
from nearstar.util.errors import DataError, NearstarError

PARTS = ("train", "val", "test")
SIZES = (6, 4, 5)
FORMS = {
    "crim13-sniff": (19, 2, True),
    "crim13-other": (19, 2, True),
    "fly": (53, 7, False),
    "basketball": (22, 6, True),
}
"""Features, classes, and whether each frame has a label."""
Arrays = dict[str, NDArray[Any]]


def arrays(task: str = "crim13-sniff", frames: int = 8, codes: int | None = None) -> Arrays:
    """Random data and labels by what their files are called, all classes in every part."""
    features, known, per_frame = FORMS[task]
    random, codes = np.random.default_rng(0), codes or known
    made: Arrays = {}
    for part, n in zip(PARTS, SIZES, strict=True):
        n = max(n, codes)
        made[f"{part}_mice_data"] = random.normal(size=(n, frames, features))
        labels = np.arange(n * frames).reshape(n, frames) % codes
        made[f"{part}_mice_labels"] = labels if per_frame else np.arange(n) % codes
    return made


def write(folder: Path, files: Arrays) -> Path:
    for name, array in files.items():
        np.save(folder / f"{name}.npy", array)
    return folder


@pytest.mark.parametrize("task", FORMS)
@settings(max_examples=15)
@given(
    frames=st.integers(2, 12),
    kind=st.sampled_from([np.float32, np.float64]),
    whole=st.sampled_from([np.int64, np.uint8, np.float32]),
    column=st.booleans(),
    called=st.sampled_from(["val", "valid"]),
    name=st.sampled_from(["crim13", "a_b", "x"]),
)
def test_what_is_written_is_read(
    task: str, frames: int, kind: type, whole: type, column: bool, called: str, name: str
) -> None:
    """Labels may have a last dimension of one, and be of any type of numbers."""
    files = arrays(task, frames)
    renamed = {}
    for key, array in files.items():
        part, _, what = key.split("_")
        array = array.astype(kind if what == "data" else whole)
        array = array[..., None] if what == "labels" and column else array
        renamed[f"{called if part == 'val' else part}_{name}_{what}"] = array
    with tempfile.TemporaryDirectory() as folder:
        experiment = load(task, write(Path(folder), renamed))
    for part, data in zip(
        PARTS, (experiment.train, experiment.valid, experiment.test), strict=True
    ):
        X, y = files[f"{part}_mice_data"], files[f"{part}_mice_labels"]
        np.testing.assert_array_equal(data.frames, X.astype(np.float32).reshape(-1, X.shape[-1]))
        np.testing.assert_array_equal(data.labels, y.reshape(-1))
        assert data.per_frame == FORMS[task][2]
        assert data.n_classes == FORMS[task][1]
        assert data.feature_names == experiment.domain.features
    assert experiment.unit == "sequence"
    assert len(np.unique(experiment.units)) == len(experiment.test)
    assert (experiment.kind.longer, experiment.kind.stands_in_for) == (1, None)


def test_the_published_class_weights_and_scaling(tmp_path: Path) -> None:
    write(tmp_path, arrays())
    sniff, other = load("crim13-sniff", tmp_path), load("crim13-other", tmp_path)
    weights = sniff.domain.paper["class_weights"]
    for experiment, name in ((sniff, "sniff"), (other, "other")):
        assert experiment.budget(paper=True).class_weights == tuple(weights[name])
        assert experiment.budget(paper=False).loss == "f1"
        for paper in (True, False):
            assert experiment.task(paper).standardised == (not paper)
        assert experiment.train.class_names == (f"not {name}", name)
        assert experiment.budget(True).symbolic_steps == 15


@pytest.mark.parametrize("task", ["crim13-sniff", "fly"])
@given(seed=st.integers(0, 1000), padding=st.sampled_from([0.0, -1.0, np.nan]))
@settings(max_examples=10)
def test_padding_is_not_read(task: str, seed: int, padding: float) -> None:
    files, random = arrays(task), np.random.default_rng(seed)
    expected = {}
    for part in PARTS:
        X, y = files[f"{part}_mice_data"], files[f"{part}_mice_labels"]
        lengths = random.integers(4, X.shape[1] + 1, size=len(X))
        expected[part] = np.concatenate([x[:n] for x, n in zip(X, lengths, strict=True)])
        for i, n in enumerate(lengths):
            X[i, n:] = padding
            if y.ndim > 1:
                y[i, n:] = 99
        files[f"{part}_mice_lengths"] = lengths
    with tempfile.TemporaryDirectory() as folder:
        experiment = load(task, write(Path(folder), files))
    for part, data in zip(
        PARTS, (experiment.train, experiment.valid, experiment.test), strict=True
    ):
        np.testing.assert_array_equal(data.frames, expected[part].astype(np.float32))
        np.testing.assert_array_equal(data.lengths, files[f"{part}_mice_lengths"])


@pytest.mark.parametrize("positive", range(4))
def test_one_of_several_behaviours_is_told_from_the_others(tmp_path: Path, positive: int) -> None:
    files = arrays(codes=4)
    files["train_mice_labels"][0, 0] = -1
    experiment = load("crim13-sniff", write(tmp_path, files), positive=positive)
    expected = (files["train_mice_labels"] == positive).astype(int)
    expected[0, 0] = -1
    np.testing.assert_array_equal(experiment.train.labels, expected.reshape(-1))
    assert experiment.train.class_names == ("not sniff", "sniff")


def without(*names: str) -> Callable[[Arrays], Any]:
    return lambda files: [files.pop(name) for name in names]


def changed(name: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Callable[[Arrays], Any]:
    return lambda files: files.update({name: change(files[name])})


def labelled(name: str, label: object) -> Callable[[Arrays], Any]:
    def change(labels: NDArray[Any]) -> NDArray[Any]:
        labels = labels.astype(type(label))
        labels[1, 2] = label
        return labels

    return changed(name, change)


def pickled(array: NDArray[Any]) -> NDArray[Any]:
    """An array of objects, which only a pickle can hold."""
    return np.array([*map(list, array), None], dtype=object)[:-1]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without("train_mice_data"), "has no train_NAME_data.npy"),
        (without("val_mice_data", "val_mice_labels"), "no val_mice_data.npy; .* have valid data"),
        (without("test_mice_data", "test_mice_labels"), "has no test_mice_data.npy"),
        (without("train_mice_labels"), "no train_mice_labels.npy, the labels of train_mice_data"),
        (without("val_mice_labels"), "no val_mice_labels.npy, the labels of val_mice_data"),
        (lambda files: files.update(train_rats_data=np.zeros(1)), "several data sets: .*rats"),
        (lambda files: files.update(valid_mice_data=np.zeros(1)), "has both val_.* and valid_"),
        (changed("val_mice_data", lambda X: X[..., :18]), "the valid data have 18 features; .* 19"),
        (changed("train_mice_data", lambda X: X[:, 0]), "labels of .*train_mice_data"),
        (changed("test_mice_data", lambda X: X[:-1]), r"labels of .* shape \(5, 8\)"),
        (
            changed("test_mice_labels", lambda y: y[:, 0]),
            "one for each sequence; expected .* frame",
        ),
        (labelled("test_mice_labels", 2), "the labels are 0, 1, 2, more than two; .*positive"),
        (labelled("test_mice_labels", 0.5), "the test labels are 0.0, 0.5, 1.0; expected whole"),
        (labelled("val_mice_labels", -3), "the valid labels are -3, 0, 1; expected whole"),
        (changed("val_mice_labels", lambda y: y.astype(str)), "the valid labels are '0', '1';"),
        (changed("train_mice_labels", lambda y: y * 0), "which the training part does not"),
        (changed("train_mice_data", lambda X: X + np.inf), "infinite; the first is inf at train"),
        (changed("train_mice_data", lambda X: pickled(X[..., 0])), "pickled objects"),
        (changed("val_mice_labels", pickled), "pickled objects"),
        (lambda files: files.update(test_mice_lengths=np.full(5, 9)), "test_mice_lengths.* 1 to 8"),
        (lambda files: files.update(test_mice_lengths=np.ones(4, int)), "expected 5 integers"),
        (
            lambda files: files.update(test_mice_lengths=pickled(np.ones((5, 2)))),
            "test_mice_lengths.npy: Object arrays cannot be loaded",
        ),
    ],
)
def test_what_is_wrong_is_said_with_what_is_expected(
    tmp_path: Path, spoil: Callable[[Arrays], Any], message: str
) -> None:
    files = arrays()
    spoil(files)
    write(tmp_path, files)
    with pytest.raises(DataError, match=message) as caught:
        load("crim13-sniff", tmp_path)
    text = str(caught.value)
    assert str(tmp_path) in text
    assert "\nExpected a folder with train_NAME_data.npy (sequences × 100 × 19)" in text
    assert "12404 / 3077 / 2953" in text and "--data" in text


def test_labels_beyond_the_classes(tmp_path: Path) -> None:
    files = arrays("basketball")
    files["val_mice_labels"][1, 2] = 6
    with pytest.raises(DataError, match="label 6 at valid sequence 1, frame 2 is none"):
        load("basketball", write(tmp_path, files))


def test_a_positive_label_that_cannot_be(tmp_path: Path) -> None:
    write(tmp_path, arrays(codes=3))
    with pytest.raises(DataError, match="no label is 3, the positive one; there are 0, 1, 2"):
        load("crim13-other", tmp_path, positive=3)
    with pytest.raises(NearstarError, match="positive is 1, but the classes of fly are fixed"):
        load("fly", tmp_path, positive=1)


@pytest.mark.parametrize("task", FORMS)
def test_no_folder(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEARSTAR_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"do not come with this package\.\nExpected .*--data"):
        load(task, None)
    with pytest.raises(DataError, match="nowhere does not exist"):
        load(task, tmp_path / "nowhere")
    (tmp_path / "file.npz").touch()
    with pytest.raises(DataError, match=r"file.npz is no folder"):
        load(task, str(tmp_path / "file.npz"))
