"""The tasks that can be reproduced: their data, and the settings they are trained with.

Files of the form are made here; real ones are used where they are at hand, in the folder
NEARSTAR_DATA, or shared/data beside the project.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nearstar.data import two_animals_split, watch_exercises
from nearstar.data.examples import exercises
from nearstar.language.domain import Domain
from nearstar.reproduce.published import SIZES
from nearstar.reproduce.stand_ins import Archive
from nearstar.reproduce.tasks import TASKS, Experiment, load
from nearstar.util.errors import DataError, NearstarError

FOLDER = Path(os.environ.get("NEARSTAR_DATA", Path(__file__).parents[3] / "shared" / "data"))
PARTS = ("train", "valid", "test")
FORMS = {
    "rat-social": (24, 3, True),
    "rat-other": (24, 3, True),
    "rat-aggression": (24, 3, True),
    "rat-bouts": (24, 6, False),
    "nba": (22, 6, True),
}
"""Columns, labels, and whether each frame has one."""
POSITIVE = {"rat-other": 0, "rat-social": 1, "rat-aggression": 2}
Arrays = dict[str, NDArray[Any]]


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEARSTAR_DATA", raising=False)


def arrays(task: str = "nba", frames: int = 9) -> Arrays:
    columns, codes, per_frame = FORMS[task]
    random = np.random.default_rng(1)
    made: Arrays = {}
    for part, n in zip(PARTS, (10, 6, 7), strict=True):
        made[f"X_{part}"] = random.normal(size=(n, frames, columns)).astype(np.float32)
        y = np.arange(n * frames).reshape(n, frames) if per_frame else np.arange(n)
        made[f"y_{part}"] = y % codes
    return made


def save(folder: Path, files: Arrays, name: str = "own.npz") -> Path:
    np.savez(folder / name, **files)  # type: ignore[arg-type]
    return folder / name


def parts_of(experiment: Experiment) -> dict[str, Any]:
    return {part: getattr(experiment, part) for part in PARTS}


@pytest.mark.parametrize("task", FORMS)
def test_a_file_of_the_form(task: str, tmp_path: Path) -> None:
    files = arrays(task)
    experiment = load(task, save(tmp_path, files))
    used = len(experiment.domain.features)
    for part, data in parts_of(experiment).items():
        X, y = files[f"X_{part}"], files[f"y_{part}"]
        np.testing.assert_array_equal(data.frames, X[..., :used].reshape(-1, used))
        expected = y == POSITIVE[task] if task in POSITIVE else y
        np.testing.assert_array_equal(data.labels, expected.reshape(-1))
        assert data.feature_names == experiment.domain.features
        assert data.per_frame == FORMS[task][2]
    name = task.removeprefix("rat-")
    if task in POSITIVE:
        assert experiment.train.class_names == (f"not {name}", name)
    assert (experiment.kind.name, experiment.kind.title) == (task, TASKS[task].title)
    assert experiment.unit == "sequence" and len(set(experiment.units)) == len(experiment.test)


def test_columns_after_those_in_use_may_be_missing(tmp_path: Path) -> None:
    files = arrays("rat-social")
    whole = load("rat-social", save(tmp_path, files))
    for part in PARTS:
        files[f"X_{part}"] = files[f"X_{part}"][..., :19]
    cut = load("rat-social", save(tmp_path, files))
    assert cut.train.fingerprint() == whole.train.fingerprint()


@pytest.mark.parametrize("unit", ["game", "video", "subject", "cage", "groups"])
def test_units_come_from_the_array_of_their_name(unit: str, tmp_path: Path) -> None:
    files = arrays("rat-bouts")
    for part in PARTS:
        n = len(files[f"X_{part}"])
        files[f"{unit}_{part}"] = np.array([f"no {i // 2}" for i in range(n)])
        files[f"lengths_{part}"] = np.arange(n) % 9 + 1
        files[f"y_rare_{part}"] = np.zeros(n)
        files[f"places_{part}"] = np.zeros((n, 2))
    experiment = load("rat-bouts", save(tmp_path, files))
    assert experiment.unit == unit.removesuffix("s")
    assert list(experiment.units) == [f"no {i // 2}" for i in range(7)]
    np.testing.assert_array_equal(experiment.test.lengths, files["lengths_test"])


def test_games_go_before_other_arrays(tmp_path: Path) -> None:
    files = arrays()
    files |= {"minute_test": np.arange(7), "game_test": np.arange(7) % 2}
    experiment = load("nba", save(tmp_path, files))
    assert experiment.unit == "game" and list(experiment.units) == [0, 1, 0, 1, 0, 1, 0]


def test_names_of_classes_in_the_file(tmp_path: Path) -> None:
    names = np.array(["a", "b", "c", "d", "e", "f"])
    files = {**arrays(), "class_names": names}
    experiment = load("nba", save(tmp_path, files))
    assert experiment.train.class_names == tuple(names)
    np.testing.assert_array_equal(experiment.train.labels, files["y_train"].reshape(-1))
    files = {**arrays("rat-social"), "class_names": names[:3]}
    experiment = load("rat-social", save(tmp_path, files))
    assert experiment.train.class_names == ("not social", "social")
    np.testing.assert_array_equal(experiment.train.labels, files["y_train"].reshape(-1) == 1)


def test_the_file_is_found_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, arrays(), "nba_ballhandler.npz")
    given = load("nba", str(tmp_path)).train.fingerprint()
    monkeypatch.setenv("NEARSTAR_DATA", str(tmp_path))
    assert load("nba", None).train.fingerprint() == given
    with pytest.raises(DataError, match=r"in NEARSTAR_DATA, has no file rat_bouts\.npz; there are"):
        load("rat-bouts", None)
    monkeypatch.setenv("NEARSTAR_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="the folder in NEARSTAR_DATA, does not exist"):
        load("nba", None)


@pytest.mark.parametrize("task", FORMS)
def test_without_data_it_is_said_what_to_give(task: str, tmp_path: Path) -> None:
    for data in (None, tmp_path, tmp_path / "nowhere.npz"):
        with pytest.raises(DataError) as caught:
            load(task, data)
        text = str(caught.value)
        for part in (TASKS[task].needs, "X_train (sequences ×", "y_train", "--data"):
            assert part in text
        assert data is None or str(data) in text


def without(name: str) -> Callable[[Arrays], Any]:
    return lambda files: files.pop(name)


def changed(name: str, change: Callable[[NDArray[Any]], Any]) -> Callable[[Arrays], Any]:
    return lambda files: files.update({name: change(files[name])})


def added(**more: Any) -> Callable[[Arrays], Any]:
    return lambda files: files.update(more)


def labelled(name: str, label: int) -> Callable[[Arrays], Any]:
    return lambda files: files[name].__setitem__((1, 2), label)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without("X_train"), "there are no train data"),
        (without("X_valid"), "there are no valid data"),
        (without("y_test"), "there are no test labels"),
        (lambda files: [files.pop(f"X_{part}") for part in PARTS], "has the arrays y_train"),
        (changed("X_test", lambda X: X[..., :21]), "the test data have 21 features; expected 22"),
        (changed("X_test", lambda X: X[:-1]), r"labels of .*X_test have shape \(7, 9\)"),
        (changed("y_valid", lambda y: y[:, :-1]), r"labels of .*X_valid have shape \(6, 8\)"),
        (changed("y_train", lambda y: y[:, 0]), "train labels are one for each sequence; .* frame"),
        (
            lambda files: files.update(X_train=files["X_train"][:, 0], y_train=np.arange(10) % 6),
            "train data have two dimensions; expected sequences × 25 × 22",
        ),
        (labelled("y_train", 6), "label 6 at train sequence 1, frame 2 is none of the classes"),
        (labelled("y_test", -2), "label -2 at test sequence 1, frame 2"),
        (changed("y_train", lambda y: y * 0), "which the training part does not have"),
        (changed("X_valid", lambda X: X * np.float32(np.nan)), "missing"),
        (changed("X_valid", lambda X: X.astype(object)), "pickled objects"),
        (changed("X_valid", lambda X: X.astype(str)), "expected real numbers"),
        (added(lengths_test=np.arange(7)), "sequence 0 has length 0; expected 1 to 9"),
        (added(length_test=np.arange(7)), r"did you mean 'lengths_test'\?\nExpected"),
        (added(game_test=np.arange(6)), "game_test has 6 entries for 7 test sequences"),
        (added(a_test=np.arange(7), b_test=np.arange(7)), "any of a_test, b_test may say"),
        (added(class_names=np.array(list("abcdefg"))), "names for 7 classes; expected 6"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_expected(
    tmp_path: Path, spoil: Callable[[Arrays], Any], message: str
) -> None:
    files = arrays()
    spoil(files)
    path = save(tmp_path, files)
    with pytest.raises(DataError, match=message) as caught:
        load("nba", path)
    text = str(caught.value)
    assert str(path) in text and "\nExpected nba_ballhandler.npz" in text


def test_one_class_only(tmp_path: Path) -> None:
    files = arrays("rat-social")
    for part in PARTS:
        files[f"y_{part}"][:] = 2
    with pytest.raises(DataError, match="one class only"):
        load("rat-social", save(tmp_path, files))


@pytest.mark.parametrize("content", ["not arrays", "cut off", "one array"])
def test_files_that_are_no_archives(tmp_path: Path, content: str) -> None:
    path = save(tmp_path, arrays())
    if content == "not arrays":
        path.write_text("X,y")
    elif content == "cut off":
        path.write_bytes(path.read_bytes()[:-2000])
    else:
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    with pytest.raises(DataError, match=r"own\.npz (holds|cannot be read)"):
        load("nba", path)


def test_a_damaged_archive(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "own.npz", **arrays())  # type: ignore[arg-type]
    path = tmp_path / "own.npz"
    content = bytearray(path.read_bytes())
    content[2000:3000] = bytes(1000)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"own\.npz[\s\S]*Expected nba"):
        load("nba", path)


def test_names_and_settings_that_do_not_fit() -> None:
    with pytest.raises(NearstarError, match="no task 'rat-socail'; did you mean 'rat-social'"):
        load("rat-socail", None)
    with pytest.raises(NearstarError, match="the classes of nba are fixed"):
        load("nba", None, positive=1)
    for task in ("hidden-rule", "watch"):
        with pytest.raises(DataError, match="somewhere is given as data for a task that has its"):
            load(task, "somewhere")


def test_the_hidden_rule_needs_nothing() -> None:
    experiment = load("hidden-rule", None)
    expected = two_animals_split(seed=0)
    for data, other in zip(parts_of(experiment).values(), expected, strict=True):
        assert data.fingerprint() == other.fingerprint()
    assert experiment.unit == "sequence"
    assert experiment.units.tolist() == list(range(100))
    budget = experiment.budget(paper=True)
    # 18 and 45 epochs of 6 batches.
    assert math.ceil(len(experiment.train) / budget.batch_size) == 6
    assert (budget.neural_steps, budget.symbolic_steps) == (18 * 6, 45 * 6)
    assert (budget.stages, budget.schedule, budget.restarts) == (1, "constant", 1)
    assert (budget.learning_rate, budget.select, budget.reshuffle) == (0.02, "last", False)
    assert experiment.budget(paper=False).restarts == 3
    assert experiment.constraints.max_depth == 10
    assert not experiment.task(paper=True).standardised
    assert experiment.task(paper=False).standardised


def test_every_kind_says_what_it_is() -> None:
    expected = "crim13-sniff crim13-other fly basketball rat-social rat-other rat-aggression "
    expected += "rat-bouts nba watch hidden-rule"
    assert list(TASKS) == expected.split()
    for name, kind in TASKS.items():
        assert kind.name == name and kind.title and kind.needs
        domain = kind.domain()
        if isinstance(kind.source, Archive):
            assert kind.source.file == kind.needs
            assert min(kind.source.form.columns) == len(domain.features)


def test_rare_attacks_weigh_more_in_the_papers_loss_and_find_their_weight_in_ours(
    tmp_path: Path,
) -> None:
    path = save(tmp_path, arrays("rat-aggression"))
    for name, weight in (("social", 1.0), ("other", 1.0), ("aggression", 3.0)):
        experiment = load(f"rat-{name}", path)
        assert experiment.budget(paper=True).class_weights == (1.0, weight)
        assert experiment.budget(paper=True).loss == "cross-entropy"
        ours = experiment.budget(paper=False)
        assert (ours.loss, ours.class_weights) == ("f1", None)


def test_who_wears_the_watch() -> None:
    try:
        train, valid, test = exercises.watch_subjects()
    except DataError as error:
        pytest.skip(str(error))
    parts = watch_exercises()
    assert [len(part) for part in parts] == [len(train), len(valid), len(test)]
    people = [set(part.tolist()) for part in (train, valid, test)]
    assert [len(part) for part in people] == [5, 2, 3]
    assert set.union(*people) == set(range(1, 11))
    experiment = load("watch", None)
    assert experiment.unit == "subject"
    np.testing.assert_array_equal(experiment.units, test)
    # The windows of a person, cut again from the recordings, are those at his places.
    recordings = exercises._load(exercises._locate())
    for person in people[2]:
        cut = [
            window
            for signal, subject in zip(recordings["X"], recordings["subject"], strict=True)
            if subject == person
            for window in exercises._windows(signal)
        ]
        own = experiment.test.subset(test == person)
        np.testing.assert_array_equal(own.frames.reshape(-1, 100, 6), np.stack(cut))


# The domain of the paper that each stands in for.
PAPERS = {
    "nba": "basketball",
    "rat-social": "crim13",
    "rat-bouts": "fly",
    "watch": "fly",
}


@cache
def available(task: str) -> Experiment:
    source = TASKS[task].source
    if isinstance(source, Archive) and not (FOLDER / source.file).is_file():
        pytest.skip(f"no {source.file}")
    try:
        return load(task, FOLDER if isinstance(source, Archive) else None)
    except DataError as error:
        if isinstance(source, Archive):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("task", PAPERS)
def test_about_as_many_steps_as_the_papers(task: str) -> None:
    experiment = available(task)
    paper, budget = Domain.built_in(PAPERS[task]).paper, experiment.budget(paper=True)
    assert budget.batch_size == paper["batch_size"]
    batches = math.ceil(SIZES[PAPERS[task]][0] / paper["batch_size"])
    for kind in ("neural", "symbolic"):
        ratio = getattr(budget, f"{kind}_steps") / (paper[f"{kind}_epochs"] * batches)
        assert 0.8 <= ratio <= 1.2


def test_all_tasks_of_a_file_are_trained_as_long() -> None:
    assert {TASKS[task].longer for task in POSITIVE} == {TASKS["rat-social"].longer}


@pytest.mark.parametrize(
    ("task", "sizes", "unit"),
    [
        ("nba", (1628, 256, 479), "game"),
        ("rat-aggression", (2284, 480, 720), "video"),
        ("rat-bouts", (2546, 614, 948), "video"),
    ],
)
def test_real_files(task: str, sizes: tuple[int, ...], unit: str) -> None:
    experiment = available(task)
    assert tuple(len(part) for part in parts_of(experiment).values()) == sizes
    assert experiment.unit == unit
    assert 1 < len(np.unique(experiment.units)) < len(experiment.test)
    if task == "rat-aggression":
        assert np.mean(experiment.train.labels == 1) == pytest.approx(0.09, abs=0.03)
