"""The estimator: forms of X and y, what it finds, scikit-learn's tools, and bad input."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import nearstar as ns
import nearstar.fit.fit as fitting
from nearstar.estimator import ProgramClassifier
from nearstar.run import trainer
from nearstar.util.errors import NearstarError

NAMES = ["nose_x", "nose_y", "heat"]
Rows = list[NDArray[Any]]


def quick(**settings: Any) -> ProgramClassifier:
    usual = {"trainings": 30, "random_state": 0, "n_jobs": 1, "finalists": 0}
    return ProgramClassifier(**{**usual, **settings})


def sequences(n: int = 24, seed: int = 0, equal: bool = False) -> tuple[Rows, Rows]:
    """Sequences of three features, and for each frame whether the first is above the second."""
    random = np.random.default_rng(seed)
    lengths = np.full(n, 6) if equal else random.integers(2, 9, n)
    X = [random.normal(size=(length, 3)) for length in lengths]
    return X, [(x[:, 0] > x[:, 1]).astype(int) for x in X]


def whole(X: Rows) -> NDArray[Any]:
    """One label for each sequence: whether the first feature is positive on average."""
    return np.array([int(x[:, 0].mean() > 0) for x in X])


def crossed(n: int = 200, noise: float = 0.0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vectors whose class is that of a product: a single leaf does badly, two multiplied well."""
    random = np.random.default_rng(1)
    X = random.normal(size=(n, 2))
    return X, (X[:, 0] * X[:, 1] + noise * random.normal(size=n) > 0).astype(int)


def table_of(X: Rows, y: Rows, seed: int | None = None) -> pd.DataFrame:
    """A row for each frame; with a seed, in random order."""
    parts = [
        pd.DataFrame(x, columns=NAMES).assign(
            video=f"v{i}", at=np.arange(len(x)), animal=f"a{i % 6}", what=labels
        )
        for i, (x, labels) in enumerate(zip(X, y, strict=True))
    ]
    table = pd.concat(parts, ignore_index=True)
    return table if seed is None else table.sample(frac=1, random_state=seed)


ROLES = {"sequence": "video", "frame": "at", "label": "what"}


# Forms of X and y


def test_an_array_a_list_and_other_layouts_are_the_same_data() -> None:
    X, y = sequences(equal=True)
    array, labels = np.stack(X), np.stack(y)
    listed = quick().fit(X, y)
    expected = np.stack(listed.predict(X))
    for layout, data in (("auto", array), ("features_frames", array.transpose(0, 2, 1))):
        model = quick(layout=layout).fit(data, labels)
        assert model.program_ == listed.program_
        np.testing.assert_array_equal(model.predict(data), expected)
    turned = [x.T for x in X]
    model = quick(layout="features_frames").fit(turned, y)
    np.testing.assert_array_equal(np.stack(model.predict(turned)), expected)
    three = quick().fit(array, labels[:, :, None])
    np.testing.assert_array_equal(three.predict(array), expected)


def test_series_are_sequences_of_one_feature() -> None:
    X = np.random.default_rng(0).normal(size=(20, 7))
    y = (X.mean(1) > 0).astype(int)
    series = quick(layout="series").fit(X, y)
    ragged = [row[: 3 + i % 4] for i, row in enumerate(X)]
    assert series.program_ == quick().fit(X[:, :, None], y).program_
    assert series.n_features_in_ == 1
    short = quick(layout="series").fit(ragged, y)
    np.testing.assert_array_equal(
        short.predict(ragged),
        quick().fit([x[:, None] for x in ragged], y).predict([x[:, None] for x in ragged]),
    )


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 100), st.booleans(), st.booleans())
def test_answers_have_the_form_of_the_labels(seed: int, equal: bool, per_frame: bool) -> None:
    X, y = sequences(seed=seed, equal=equal)
    given_y = y if per_frame else whole(X)
    model = quick().fit(X, given_y)
    new, _ = sequences(5, seed + 1)
    for answers, tail in ((model.predict(new), ()), (model.predict_proba(new), (2,))):
        if per_frame:
            assert isinstance(answers, list)
            assert [a.shape for a in answers] == [(len(x), *tail) for x in new]
        else:
            assert answers.shape == (5, *tail)
    array = np.stack([x[:2] for x in new])
    expected = (5, 2) if per_frame else (5,)
    assert model.predict(array).shape == expected
    assert model.decision_function(array).shape == expected
    assert model.predict_proba(array).shape == (*expected, 2)


LABELS = st.sampled_from(
    [
        np.array(["rest", "sniff"]),
        np.array(["b", "a"], dtype=object),
        np.array([3, 7], dtype=np.int32),
        np.array([-1.0, 1.0]),
        np.array([False, True]),
        np.array([10, 2], dtype=np.uint8),
    ]
)


@settings(max_examples=8, deadline=None)
@given(LABELS, st.sampled_from(["vectors", "array", "list"]))
@pytest.mark.slow
def test_labels_of_any_type_come_back_as_given(labels: NDArray[Any], form: str) -> None:
    X, _ = sequences(equal=True)
    data: Any = {"vectors": np.stack([x[0] for x in X]), "array": np.stack(X), "list": X}[form]
    y = labels[whole(X)]
    model = quick().fit(data, y)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    assert model.classes_.dtype == labels.dtype
    predicted = model.predict(data)
    assert predicted.dtype == labels.dtype
    order = np.argsort(labels)  # the codes that were learned
    plain = quick().fit(data, np.argsort(order)[whole(X)])
    np.testing.assert_array_equal(np.unique(labels)[plain.predict(data)], predicted)
    assert model.score(data, y) == np.mean(predicted == y)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, "?"])
def test_unlabelled_elements_are_no_class_and_do_not_count(gap: Any) -> None:
    X, codes = sequences()
    y = [np.where(row == 1, "up", "down").astype(object) for row in codes]
    for row in y:
        row[0] = gap
    unlabelled = ("?",) if isinstance(gap, str) else ()
    model = quick(unlabelled=unlabelled).fit(X, y)
    assert model.classes_.tolist() == ["down", "up"]
    flat, answers = np.concatenate(y), np.concatenate(model.predict(X))
    known = np.concatenate([np.arange(len(row)) > 0 for row in y])
    assert model.score(X, y) == pytest.approx(np.mean(flat[known] == answers[known]))
    # What the unlabelled ones would have been plays no part.
    coded = [np.where(np.arange(len(c)) > 0, c, -1) for c in codes]
    other = quick(unlabelled=(-1,)).fit(X, coded)
    np.testing.assert_array_equal(np.concatenate(other.predict(X)), answers == "up")


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_sequence_without_any_label_makes_no_class_of_it(gap: Any) -> None:
    X, y = sequences()
    named: list[Any] = [np.array(["no", "yes"])[labels] for labels in y]
    named[3] = [gap] * len(X[3])
    model = quick().fit(X, named)
    assert model.classes_.tolist() == ["no", "yes"]
    rest = [i for i in range(len(X)) if i != 3]
    assert model.score(X, named) == model.score([X[i] for i in rest], [named[i] for i in rest])


def test_a_column_of_labels_is_one_for_each() -> None:
    X, _ = sequences()
    column = pd.DataFrame({"is": whole(X)})
    with pytest.warns(UserWarning, match="column-vector"):
        model = quick().fit(X, column)
    np.testing.assert_array_equal(model.predict(X), quick().fit(X, whole(X)).predict(X))


def test_labels_are_scored_by_what_they_say() -> None:
    X, y = sequences()
    model = quick().fit(X, y)
    assert model.score(X, [labels.astype(str) for labels in y]) == model.score(X, y) > 0.5


def test_a_table_to_score_needs_its_labels() -> None:
    table = table_of(*sequences())
    model = quick(**ROLES).fit(table)
    with pytest.raises(NearstarError, match="give the labels as y"):
        model.score(table.drop(columns="what"))
    numbered = table.set_axis(range(table.shape[1]), axis=1)
    roles = {role: str(table.columns.get_loc(name)) for role, name in ROLES.items()}
    features = [str(place) for place in range(3)]
    by_number = quick(**roles, features=features).fit(numbered)
    assert by_number.score(numbered) == by_number.score(numbered, table["what"])


def test_minus_one_is_a_label_unless_somebody_says_otherwise() -> None:
    X, _ = crossed(30)
    y = np.resize([-1, 1], 30)
    assert quick().fit(X, y).classes_.tolist() == [-1, 1]


def test_labels_may_be_unseen_when_scored() -> None:
    X, y = crossed(40)
    model = quick().fit(X, y)
    other = np.where(np.arange(40) < 10, 5, y)
    assert model.score(X, other) == np.mean(model.predict(X) == other)
    assert model.score(X, np.full(40, 5)) == 0


# Tables


def test_a_table_is_the_same_data_in_any_order_of_rows() -> None:
    X, y = sequences()
    table = table_of(X, y).drop(columns="animal")
    model = quick(bank="none", **ROLES).fit(table)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 3
    # Frames from the last to the first; the order of sequences decides which are held out.
    turned = table.sort_values(["video", "at"], key=lambda c: -c if c.name == "at" else c)
    turned = pd.concat([turned[turned["video"] == f"v{i}"] for i in range(len(X))])
    listed = quick(bank="none", domain=model.domain_).fit(X, y)
    assert quick(bank="none", **ROLES).fit(turned).program_ == model.program_ == listed.program_
    shuffled = table.sample(frac=1, random_state=3)
    answers, expected = model.predict(shuffled), listed.predict(X)
    for answer, video, at in zip(answers, shuffled["video"], shuffled["at"], strict=True):
        assert answer == expected[int(video[1:])][at]
    # Further columns, another order of columns and missing labels do not matter.
    fewer = shuffled[["heat", "nose_y", "nose_x", "at", "video"]].assign(junk=1.0)
    np.testing.assert_array_equal(model.predict(fewer), answers)
    assert model.score(shuffled) == pytest.approx(np.mean(answers == shuffled["what"]))


def test_labels_of_a_table_as_its_column_or_as_y() -> None:
    X, y = sequences()
    table = table_of(X, y)
    column = quick(**ROLES).fit(table)
    beside = quick(sequence="video", frame="at").fit(table, table["what"])
    assert beside.program_ == column.program_
    assert "what" not in beside.feature_names_in_
    plain = quick(sequence="video", frame="at").fit(table.drop(columns="what"), np.concatenate(y))
    assert plain.program_ == column.program_
    np.testing.assert_array_equal(plain.predict(table.drop(columns="what")), column.predict(table))


def test_a_column_called_y_stays_a_feature() -> None:
    X, y = sequences()
    table = table_of(X, y).rename(columns={"nose_y": "y", "nose_x": "x"})
    labels = table.pop("what").to_numpy()
    model = quick(sequence="video").fit(table, labels)
    assert {"x", "y"} <= set(model.feature_names_in_)


def test_one_label_for_each_sequence_of_a_table() -> None:
    X, _ = sequences(equal=True)
    labels = np.where(whole(X) == 1, "warm", "cold")
    table = table_of(X, [np.full(len(x), label) for x, label in zip(X, labels, strict=True)])
    model = quick(bank="none", **ROLES).fit(table)
    one_each = quick(bank="none", domain=model.domain_).fit(X, labels)
    assert model.program_ == one_each.program_
    expected = np.repeat(one_each.predict(X), [len(x) for x in X])
    np.testing.assert_array_equal(model.predict(table), expected)
    assert model.predict_proba(table).shape == (len(table), 2)


def test_a_single_recording_is_split_in_time() -> None:
    long = np.random.default_rng(2).normal(size=(60, 3))
    table = pd.DataFrame(long, columns=NAMES).assign(what=np.where(long[:, 0] > 0, "a", "b"))
    model = quick(label="what").fit(table)
    assert model.predict(table.drop(columns="what")).shape == (60,)


def test_names_groups_and_derived_features_reach_the_program() -> None:
    X, y = sequences()
    table = table_of(X, y)
    model = quick(
        **ROLES,
        group="animal",
        derive=["speed(nose)", "warming = change(heat)"],
        groups={"place": ["nose_*"], "rest": ["speed_nose", "warming", 2]},
    ).fit(table)
    assert list(model.domain_.features) == [*NAMES, "speed_nose", "warming"]
    assert "PlaceAffine" in model.program_ or "RestAffine" in model.program_
    assert model.model_.domain.derived == {"speed_nose": "speed(nose)", "warming": "change(heat)"}
    assert model.predict(table).shape == (len(table),)


def test_a_table_without_roles_holds_vectors() -> None:
    X, y = crossed(60)
    frame = pd.DataFrame(X, columns=["left", "right"])
    model = quick(bank="none").fit(frame, y)
    assert model.feature_names_in_.tolist() == ["left", "right"]
    assert "LeftAffine" in model.program_ or "RightAffine" in model.program_


# Validation, seeds and workers


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[ns.Task]:
    """The tasks that are learned."""
    seen: list[ns.Task] = []

    def spy(task: ns.Task, *rest: Any, **more: Any) -> ns.Result:
        seen.append(task)
        return ns.learn(task, *rest, **more)

    monkeypatch.setattr(fitting, "learn", spy)
    return seen


def places(part: ns.Sequences, X: Rows) -> set[int]:
    """Which of the sequences are in a part."""
    first = {np.float32(x[0, 0]): i for i, x in enumerate(X)}
    return {first[part.sequence(i)[0, 0]] for i in range(len(part))}


@pytest.mark.slow
@pytest.mark.parametrize("as_table", [False, True])
def test_no_group_stands_on_both_sides(tasks: list[ns.Task], as_table: bool) -> None:
    X, y = sequences()
    groups = np.array([f"a{i % 6}" for i in range(len(X))])
    table = table_of(X, y)
    for seed in range(3):
        model = quick(random_state=seed, **(ROLES if as_table else {}))
        if not as_table:
            model.fit(X, y, groups=groups)
        elif seed == 0:
            model.fit(table, groups=table["animal"])
        else:
            model.set_params(group="animal").fit(table)
        train, valid = places(tasks[-1].train, X), places(tasks[-1].valid, X)
        assert train | valid == set(range(len(X)))
        assert not set(groups[list(train)]) & set(groups[list(valid)])


def test_validation_data_of_their_own_or_none(tasks: list[ns.Task]) -> None:
    X, y = sequences()
    own = quick(validation=(X[16:], y[16:])).fit(X[:16], y[:16])
    assert places(tasks[0].train, X) == set(range(16))
    assert places(tasks[0].valid, X) == set(range(16, 24))
    quick(validation=0).fit(X, y)
    assert tasks[1].train is tasks[1].valid
    quick(validation=0.5).fit(X, y)
    assert 8 <= len(tasks[2].valid) <= 16
    metrics = own.model_.facts["metrics"]["validation"]
    assert metrics["accuracy"] == pytest.approx(own.score(X[16:], y[16:]))


def test_the_same_seed_gives_the_same_result_with_any_number_of_workers() -> None:
    X, y = sequences()
    one = quick(trainings=12).fit(X, y)
    two = quick(trainings=12, n_jobs=2).fit(X, y)
    assert one.model_.text(None) == two.model_.text(None)
    pd.testing.assert_frame_equal(one.programs_, two.programs_)
    drawn = [quick(random_state=np.random.RandomState(5)).fit(X, y) for _ in range(2)]
    quick(random_state=np.random).fit(X, y)  # which scikit-learn takes for None
    assert drawn[0].model_.text(None) == drawn[1].model_.text(None)


@pytest.mark.parametrize(("search", "first"), [("astar", 15), ("mcts", 30)])
def test_warm_start_goes_on_with_the_same_search(
    monkeypatch: pytest.MonkeyPatch, search: str, first: int
) -> None:
    X, y = crossed(noise=2.0)
    calls = []
    train = trainer.train

    def counted(*rest: Any, **more: Any) -> Any:
        calls.append(1)
        return train(*rest, **more)

    monkeypatch.setattr(trainer, "train", counted)
    settings = {"random_state": 3, "weight": 0.01, "search": search}
    in_one = quick(trainings=60, **settings).fit(X, y)
    calls.clear()
    model = quick(trainings=first, warm_start=True, **settings).fit(X, y)
    assert len(calls) == first
    model.set_params(trainings=60).fit(X, y)
    assert len(calls) == model.result_.trained == in_one.result_.trained > first
    assert model.model_.text(None) == in_one.model_.text(None)
    pd.testing.assert_frame_equal(model.programs_, in_one.programs_)
    columns = ["rounds", "trained", "best", "bound", "gap"]
    pd.testing.assert_frame_equal(model.history_[columns], in_one.history_[columns])


def test_warm_start_draws_no_new_seed_and_survives_pickling() -> None:
    X, y = crossed(60)
    model = quick(warm_start=True, random_state=None, trainings=5).fit(X, y)
    before = model.result_.evaluations[0].error
    again = pickle.loads(pickle.dumps(model)).set_params(trainings=9).fit(X, y)
    assert again.result_.evaluations[0].error == before
    assert again.result_.trained == 9


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"weight": 0.5, "max_depth": 4}, "weight was .* constraints.max_depth was 10"),
        ({"groups": {"first": [0]}}, "groups"),
        ({"class_weight": "balanced"}, "budget.class_weights was None"),
        ({"search": "idsbb"}, "search was AStar, and is IDSBB now"),
        ({"start": "multiply(??, ??)"}, "start was None"),
        ({"random_state": 1}, "seed was 0, and is 1 now"),
        # Few sequences get smaller batches.
        ({"validation": 0.5}, "validation data are not the same; budget"),
    ],
)
def test_warm_start_of_another_search_is_an_error(change: dict[str, Any], named: str) -> None:
    X, y = crossed(120)
    model = quick(warm_start=True).fit(X, y)
    told = f"other .* settings: .*{named}.* or set warm_start=False"
    with pytest.raises(NearstarError, match=told):
        model.set_params(**change).fit(X, y)
    before = quick().get_params()
    model.set_params(**{name: before[name] for name in change})
    with pytest.raises(NearstarError, match="settings: the training data are not the same"):
        model.fit(X + 1, y)
    model.fit(X, y)
    model.set_params(warm_start=False).fit(X + 1, y)


def test_a_limit_of_time_ends_the_search() -> None:
    X, y = crossed(noise=2.0)
    model = quick(search=ns.MCTS(samples=10**6), trainings=None, time_limit=0.4).fit(X, y)
    assert model.result_.ended == "time"


# What is found


def test_probabilities_scores_and_labels_agree() -> None:
    X = np.random.default_rng(0).normal(size=(90, 2))
    for classes in (2, 3):
        y = np.digitize(X[:, 0], [0.0] if classes == 2 else [-0.5, 0.5])
        for tune in (False, True):
            model = quick(tune_threshold=tune).fit(X, y)
            scores, shares = model.decision_function(X), model.predict_proba(X)
            if classes == 2:
                np.testing.assert_allclose(shares[:, 1], expit(scores))
                np.testing.assert_array_equal(model.predict(X), scores > 0)
            else:
                np.testing.assert_allclose(shares, softmax(scores, axis=1))
                np.testing.assert_array_equal(model.predict(X), scores.argmax(1))
            np.testing.assert_allclose(shares.sum(1), 1)


def test_tables_of_programs_and_history_say_what_the_result_says() -> None:
    X, y = crossed()
    model = quick(trainings=40).fit(X, y)
    front = [candidate.evaluation for candidate in model.result_.front]
    programs = model.programs_
    assert list(programs) == [
        *("cost", "depth", "numbers", "f1", "accuracy", "score", "chosen", "program"),
    ]
    assert len(programs) == len(front) > 1
    assert programs["numbers"].is_monotonic_increasing  # which have a price: simplest first
    np.testing.assert_allclose(programs["f1"], [1 - each.error for each in front])
    np.testing.assert_allclose(programs["score"], programs["cost"] + 1 - programs["f1"])
    assert programs["depth"].tolist() == [each.program.size for each in front]
    (chosen,) = np.flatnonzero(programs["chosen"])
    assert programs["score"].idxmin() == chosen
    assert programs["program"][chosen] == model.program_ == model.model_.text()
    assert model.gap_ == model.result_.gap
    assert model.history_["trained"].iloc[-1] <= model.result_.trained
    assert model.history_["best"].dropna().is_monotonic_decreasing


def test_another_point_of_the_front_predicts_when_selected() -> None:
    X, y = crossed()
    model = quick(trainings=40).fit(X, y)
    best, programs = model.program_, model.programs_
    assert model.select(0) is model
    assert model.program_ == programs["program"][0] != best
    assert model.programs_["chosen"].tolist() == [place == 0 for place in range(len(programs))]
    simple = model.score(X, y)
    assert model.select().program_ == best
    assert model.score(X, y) > simple + 0.1
    for cost in programs["cost"]:
        allowed = programs[programs["cost"] <= cost]
        assert (
            model.select(max_cost=cost).program_ == programs["program"][allowed["score"].idxmin()]
        )
    for depth in programs["depth"]:
        allowed = programs[programs["depth"] <= depth]
        assert (
            model.select(max_depth=depth).program_ == allowed["program"][allowed["score"].idxmin()]
        )
    for within in (0.0, 0.05, 1.0):
        near = programs[programs["f1"] >= programs["f1"].max() - within - 1e-12]
        assert model.select(within=within).program_ == near["program"].iloc[0]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"index": 99}, "no program 99"),
        ({"index": 0, "within": 0.1}, "not both"),
        ({"max_cost": -1.0}, "max_cost"),
        ({"within": "a bit"}, "within"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_selecting_what_is_not_there(wanted: dict[str, Any], message: str) -> None:
    X, y = crossed(60)
    model = quick().fit(X, y)
    with pytest.raises(NearstarError, match=message):
        model.select(**wanted)


def test_a_program_to_start_from_and_rules_to_keep() -> None:
    X, y = crossed()
    sketch = quick(start="multiply(??, Affine(x))").fit(X, y)
    assert all(text.startswith("multiply(") for text in sketch.programs_["program"])
    first = quick(max_depth=1).fit(X, y)
    assert first.programs_["depth"].tolist() == [1]
    better = quick(start=first.model_, trainings=30).fit(X, y)
    assert better.programs_["score"].min() <= first.programs_["score"].min()
    plain = quick(trainings=30, constraints=ns.Constraints(forbid=("multiply",))).fit(X, y)
    assert not plain.programs_["program"].str.contains("multiply").any()
    heavy = quick(trainings=30, weight=50.0).fit(X, y)
    assert heavy.program_ == heavy.programs_["program"][0]


def test_weights_of_classes_shift_what_is_predicted() -> None:
    X = np.random.default_rng(0).normal(size=(200, 1))
    y = (X[:, 0] + np.random.default_rng(1).normal(size=200) > 1).astype(int)
    shares = [
        np.mean(quick(class_weight=weight).fit(X, y).predict(X))
        for weight in ({0: 10.0}, {0: 1.0}, {1: 10.0})
    ]
    assert shares[0] < shares[1] < shares[2]
    rare = quick(class_weight="balanced").fit(X, y)
    assert np.mean(rare.predict(X)) > shares[0]


def test_the_best_programs_are_trained_again(tmp_path: Path) -> None:
    X, y = crossed(noise=0.2)
    hasty = ns.Budget(symbolic_steps=8, neural_steps=16, restarts=1)
    plain = quick(bank="none", budget=hasty, trainings=20).fit(X, y)
    again = quick(bank="none", budget=hasty, trainings=20, finalists=3).fit(X, y, run=tmp_path)
    assert plain.result_.finals is None and again.result_.finals is not None
    assert again.result_.finals.trained == 3
    before, now = (each.programs_["score"].min() for each in (plain, again))
    assert now < before
    best = again.result_.best
    assert best is not None and again.model_.theta.tolist() == best.trained.theta.tolist()
    resumed = quick(bank="none", budget=hasty, trainings=20, finalists=3).fit(X, y, run=tmp_path)
    assert resumed.program_ == again.program_


def test_the_f1_loss_says_yes_more_often() -> None:
    X = np.random.default_rng(0).normal(size=(200, 1))
    y = (X[:, 0] + np.random.default_rng(1).normal(size=200) > 1.5).astype(int)
    last = ns.Budget(symbolic_steps=240, select="last")
    shares = [
        np.mean(quick(budget=last, loss=loss).fit(X, y).predict(X))
        for loss in ("cross-entropy", None, "f1")
    ]
    assert shares[0] == shares[1] < shares[2]
    with pytest.raises(NearstarError, match="two classes, and there are 3"):
        quick(loss="f1").fit(X, np.arange(200) % 3)


def test_a_tuned_threshold_is_no_worse_in_validation_and_is_saved(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = np.where(X[:, 0] + random.normal(size=300) > 1.8, "rare", "common")
    valid = (X[200:], y[200:])
    hasty = ns.Budget(symbolic_steps=16, neural_steps=16)
    common = {"validation": valid, "budget": hasty, "bank": "none"}
    plain = quick(**common).fit(X[:200], y[:200])
    tuned = quick(**common, tune_threshold=True).fit(X[:200], y[:200])
    f1 = [m.model_.facts["metrics"]["validation"]["f1"] for m in (plain, tuned)]
    assert f1[1] > f1[0]
    tuned.model_.save(tmp_path / "model.json")
    loaded = ns.Model.load(tmp_path / "model.json")
    assert loaded.labels == ("common", "rare")
    codes = loaded.predict(ns.Sequences.from_arrays(X))
    np.testing.assert_array_equal(tuned.classes_[codes], tuned.predict(X))


def test_explanations_name_the_sequences_and_frames_of_a_table() -> None:
    X, y = sequences()
    table = table_of(X, y, seed=1)
    table["at"] = 100 + 5 * table["at"]
    model = quick(**ROLES).fit(table)
    explained = model.explain(table)
    assert len(explained) == len(table)
    both = explained.merge(
        table.assign(answer=model.predict(table)),
        left_on=["sequence", "frame"],
        right_on=["video", "at"],
    )
    assert len(both) == len(table)
    assert (both["prediction"] == both["answer"]).all()
    beside = table.join(explained["prediction"])  # by the index
    assert beside["prediction"].tolist() == model.predict(table).tolist()
    listed = model.explain(X)
    assert listed["sequence"].tolist() == np.repeat(range(len(X)), [len(x) for x in X]).tolist()


def test_functions_of_ones_own_work_in_copies_too() -> None:
    @ns.function("product", takes=(), gives=1)
    def product(x: Any) -> Any:
        return x[0] * x[1]

    X, y = crossed()
    domain = ns.Domain.of_size(2).with_functions(product)
    model = quick(domain=domain, warm_start=True).fit(X, y)
    assert model.program_ == "product(x)"
    assert model.score(X, y) == 1
    again = pickle.loads(pickle.dumps(model)).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), clone(model).fit(X, y).predict(X))


def test_missing_values_are_filled_in_on_request() -> None:
    X, y = sequences(equal=True)
    holed = [x.copy() for x in X]
    filled = [x.copy() for x in X]
    for x, full in zip(holed, filled, strict=True):
        x[2:4, 1] = np.nan
        full[2:4, 1] = np.interp([2, 3], [1, 4], x[[1, 4], 1])
    model = quick(missing="interpolate").fit(holed, y)
    plain = quick().fit(filled, y)
    # Both fill in the same, but for rounding.
    assert model.model_.program == plain.model_.program
    np.testing.assert_allclose(model.model_.theta, plain.model_.theta, rtol=1e-3)
    np.testing.assert_array_equal(
        np.concatenate(model.predict(holed)), np.concatenate(plain.predict(filled))
    )


def test_a_network_can_be_learned_for_comparison() -> None:
    X, y = sequences()
    model = quick(search=ns.RNN(units=4, steps=24)).fit(X, y)
    assert model.program_ == "??"
    assert model.score(X, y) > 0.4


# scikit-learn's tools


@pytest.mark.slow
@pytest.mark.parametrize("three", [False, True])
def test_pipelines_searches_and_cross_validation(three: bool) -> None:
    X: Any
    if three:
        rows, _ = sequences(equal=True)
        X, y = np.stack(rows), whole(rows)
        first: Any = FunctionTransformer(np.tanh)
    else:
        X, y = crossed(80)
        first = StandardScaler()
    pipe = make_pipeline(first, quick())
    assert pipe.fit(X, y).predict(X).shape == (len(X),)
    grid = GridSearchCV(pipe, {"programclassifier__weight": [0.5, 2.0]}, cv=2).fit(X, y)
    assert grid.best_params_["programclassifier__weight"] in (0.5, 2.0)
    scores = cross_val_score(quick(), X, y, cv=2, scoring="f1_macro")
    assert scores.shape == (2,) and np.isfinite(scores).all()


def test_groups_go_through_cross_validation(tasks: list[ns.Task]) -> None:
    rows, _ = sequences(equal=True)
    X, y = np.stack(rows), whole(rows)
    groups = np.arange(len(X)) % 6
    with config_context(enable_metadata_routing=True):
        model = quick(bank="none").set_fit_request(groups=True)
        cross_val_score(model, X, y, cv=GroupKFold(2), params={"groups": groups})
    assert len(tasks) == 2
    for task in tasks:
        train, valid = places(task.train, rows), places(task.valid, rows)
        assert not set(groups[list(train)]) & set(groups[list(valid)])


def test_tables_go_through_cross_validation_by_group() -> None:
    X, y = sequences()
    table = table_of(X, y)
    scores = cross_val_score(
        quick(sequence="video", frame="at"),
        table,
        table["what"],
        groups=table["video"],
        cv=GroupKFold(2),
        scoring="accuracy",
    )
    assert (scores > 0.5).all()


def test_sequences_may_be_the_groups_of_a_table(tasks: list[ns.Task]) -> None:
    X, y = sequences()
    table = table_of(X, y)
    quick(bank="none", **ROLES).fit(table, groups=table["video"])
    train, valid = places(tasks[0].train, X), places(tasks[0].valid, X)
    assert train | valid == set(range(len(X)))
    assert tasks[0].train.feature_names == tuple(NAMES)


def test_copies_are_the_same_estimator(tmp_path: Path) -> None:
    X, y = sequences()
    model = quick(domain=ns.Domain.of_size(3), budget=ns.Budget(symbolic_steps=40)).fit(X, y)
    fresh = clone(model)
    assert not hasattr(fresh, "classes_")
    assert fresh.get_params() == model.get_params()
    assert fresh.fit(X, y).program_ == model.program_
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(
            np.concatenate(copy.predict_proba(X)), np.concatenate(model.predict_proba(X))
        )
        assert copy.select(0).program_ == model.programs_["program"][0]


# Bad input

X2, Y2 = crossed(20)
X3, Y3 = sequences(8, equal=True)
ARRAY, LABELS3 = np.stack(X3), np.stack(Y3)
TABLE = table_of(X3, Y3)


def holed(value: float) -> NDArray[Any]:
    X = ARRAY.copy()
    X[3, 2, 1] = value
    return X


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (X2[:, 0], Y2, "2D array"),
        (np.empty((0, 3)), [], "0 sample"),
        (np.empty((3, 0)), [0, 1, 0], "0 feature"),
        ([], [], "empty|2D"),
        (np.zeros((2, 3, 4, 5)), [0, 1], r"shape \(2, 3, 4, 5\)"),
        (holed(np.nan), LABELS3, r"missing \(NaN\).*sequence 3, frame 2.*'x1'"),
        (holed(np.inf), LABELS3, "inf at sequence 3, frame 2.*'x1'"),
        (holed(1e300), LABELS3, "32-bit.*sequence 3, frame 2.*'x1'"),
        (np.where(X2 > 1, np.nan, X2), Y2, "missing.*vector"),
        (ARRAY.astype(str), LABELS3, "real numbers"),
        (X2.astype(str) + "a", Y2, "string|numeric"),
        (ARRAY * 1j, LABELS3, "real numbers"),
        ([X3[0], X3[1][:, :2]], Y3[:2], "sequence 1 of X has 2 features, sequence 0 has 3"),
        ([[1.0, 2.0], [3.0]], [0, 1], "rectangular"),
        (X3, Y3[:-1], "7 sequences; X holds 8"),
        (ARRAY, LABELS3[:, :-1], "5 labels per sequence; expected 6"),
        (X3, [*Y3[:-1], Y3[-1][:-1]], "labels of sequence 7"),
        (X2, Y2[:-1], "19"),
        (np.where(np.arange(20)[:, None] == 7, np.nan, X2), Y2, "at vector 7, column 'x0'"),
        (X2, None, "y to be passed"),
        (X2, [*Y2[:-1].tolist(), "b"], "mix texts"),
        (X2, X2[:, 0], "continuous"),
        (X2, np.full(20, np.nan), "no label"),
        (X2, np.full(20, "a"), "class.*'a'"),
        (X2, [{"a": 1}] * 20, "dict"),
        (X2, np.resize([0.0, np.inf], 20), "infinity"),
    ],
)
def test_bad_data_are_refused_with_their_place(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick().fit(X, y)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"search": "a-star"}, "did you mean 'astar'"),
        ({"search": ns.AStar}, "AStar"),
        ({"layout": "frame_features"}, "did you mean 'frames_features'"),
        ({"domain": "crim"}, "did you mean 'crim13'"),
        ({"domain": "nowhere.toml"}, "nowhere.toml"),
        ({"domain": 3}, "domain must be"),
        ({"domain": "crim13"}, "19 features, the data have 3"),
        ({"groups": {"a": ["y*"]}}, "no feature matches 'y\\*'"),
        ({"groups": ["a"]}, "groups must be"),
        ({"budget": 5}, "budget"),
        ({"weight": -1.0}, "weight"),
        ({"constraints": "no fold"}, "constraints"),
        ({"constraints": ns.Constraints(forbid=("flod",))}, "flod"),
        ({"max_depth": 0}, "max_depth"),
        ({"start": "map (fun x_t. Afine(x_t)) x"}, "Affine"),
        ({"class_weight": "balance"}, "balanced"),
        ({"class_weight": {2: 1.0}}, "class_weight names 2"),
        ({"loss": "f2"}, "no loss 'f2'"),
        ({"finalists": -1}, "finalists must be a whole number from 0"),
        ({"finalists": "all"}, "finalists"),
        ({"validation": 1.0}, "validation"),
        ({"validation": "a third"}, "validation"),
        ({"validation": (X3, [np.full(6, 9)] * 8)}, "label 9"),
        ({"trainings": 0}, "trainings"),
        ({"trainings": 1.5}, "trainings"),
        ({"time_limit": -1.0}, "seconds"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": "all"}, "n_jobs"),
        ({"warm_start": "yes"}, "warm_start"),
        ({"missing": "fill"}, "missing"),
        ({"per": "video"}, "per"),
        ({"sequence": "video"}, "sequence.*table"),
        ({"features": ["x1"]}, "features.*table"),
        ({"derive": ["speed(nose)"]}, "derived.*table"),
        ({"derive": "speed(nose)"}, "list"),
        ({"random_state": "seed"}, "seed"),
    ],
)
def test_bad_settings_are_refused_by_name(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(**setting).fit(X3, Y3)


@pytest.mark.parametrize(
    ("settings", "table", "message"),
    [
        ({"sequence": "vidoe"}, TABLE, "did you mean 'video'"),
        ({"label": "wat"}, TABLE, "did you mean 'what'"),
        ({"features": ["noze_*"]}, TABLE, "noze"),
        ({"derive": ["sped(nose)"]}, TABLE, "did you mean 'speed'"),
        ({"derive": ["speed(nos)"]}, TABLE, "nose"),
        ({}, TABLE.assign(heat=np.nan), "missing.*heat"),
        ({}, TABLE.assign(at=0), "again"),
        ({}, TABLE.assign(what="a"), "class"),
        ({}, TABLE[:0], "no rows"),
        ({"group": "at"}, TABLE, "at"),
    ],
)
def test_bad_tables_are_refused(
    settings: dict[str, Any], table: pd.DataFrame, message: str
) -> None:
    with pytest.raises(NearstarError, match=message):
        quick(**{**ROLES, **settings}).fit(table)


def test_what_does_not_fit_the_training_data_is_refused() -> None:
    model = quick().fit(X3, Y3)
    with pytest.raises(NearstarError, match="2 features, but ProgramClassifier is expecting 3"):
        model.predict(ARRAY[:, :, :2])
    with pytest.raises(ValueError, match="4 features"):
        model.predict(np.zeros((3, 4)))
    with pytest.raises(NearstarError, match="vectors"):
        model.predict(np.zeros((3, 3)))
    with pytest.raises(NearstarError, match="y has 8 labels; expected 48"):
        model.score(X3, whole(X3))
    with pytest.raises(NearstarError, match="give the labels"):
        model.score(X3)
    tabled = quick(**ROLES).fit(TABLE)
    with pytest.raises(NearstarError, match="heat"):
        tabled.predict(TABLE.drop(columns="heat"))


def test_nothing_works_before_fit() -> None:
    for method in ("predict", "predict_proba", "decision_function", "explain", "score"):
        with pytest.raises(NotFittedError):
            getattr(quick(), method)(X3)
    with pytest.raises(NotFittedError):
        quick().select(0)
    failed = quick()
    with pytest.raises(ValueError, match="class"):
        failed.fit(X2, np.zeros(20))
    with pytest.raises(NotFittedError):
        failed.predict(X2)


def test_too_few_trainings_say_so() -> None:
    X, y = sequences()
    with pytest.raises(NearstarError, match="limit of 1 training"):
        quick(trainings=1, search=ns.AStar(probes=False)).fit(X, y)


@pytest.mark.parametrize("rare", ["attack", "sniff"])
def test_programs_are_judged_by_the_rarer_of_two_classes(rare: str) -> None:
    """Whether its name comes first in the alphabet or last."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 2))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=400) > 1.5, rare, "other")
    model = quick(validation=0).fit(X, y)
    assert model.classes_.tolist() == sorted(["other", rare])
    assert model.model_.labels == ("other", rare)
    predicted = model.predict(X)
    assert model.programs_.f1[model.programs_.chosen].item() == pytest.approx(
        f1_score(y, predicted, pos_label=rare)
    )
    above = model.decision_function(X) > 0
    np.testing.assert_array_equal(model.classes_[above.astype(int)], predicted)
    np.testing.assert_array_equal(
        model.classes_[np.argmax(model.predict_proba(X), axis=1)], predicted
    )


def test_the_rarer_of_two_classes_is_that_of_the_training_part(tasks: list[ns.Task]) -> None:
    """What is held out has no say in what programs are judged by, as on the command line."""
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = np.repeat(["a", "b", "a", "b"], [15, 5, 25, 35])  # in all as many of both
    model = quick().fit(X, y, groups=np.repeat(["small", "large"], [20, 60]))
    assert len(tasks[0].train) == 60 and model.model_.labels == ("b", "a")
    assert model.classes_.tolist() == ["a", "b"]
    predicted = model.predict(X)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(1)], predicted)
    other = quick(validation=0).fit(X, y)
    assert other.model_.labels == ("a", "b")


@pytest.mark.slow
def test_long_recordings_are_learned_from_in_windows_and_answered_whole() -> None:
    random = np.random.default_rng(0)
    X = [random.normal(size=(length, 2)).cumsum(axis=0) for length in (1201, 1700, 1600)]
    y = [np.where(x[:, 0] > 0, "right", "left") for x in X]
    model = quick().fit(X, y)
    assert model.model_.format.window == 500
    short = quick(window=100, hop=50).fit(X, y)
    assert (short.model_.format.window, short.model_.format.hop) == (100, 50)
    for each in (model, short):
        answers = each.predict(X)
        assert [len(answer) for answer in answers] == [len(x) for x in X]
        why = each.explain(X)
        assert why.frame.tolist() == np.concatenate([np.arange(len(x)) for x in X]).tolist()
    np.testing.assert_array_equal(
        model.explain(X).prediction, np.concatenate(model.predict(X)).tolist()
    )
    whole = quick().fit([x[:1000] for x in X], [each[:1000] for each in y])
    assert whole.model_.format.window is None


def test_a_table_with_an_index_of_levels_is_no_set_of_vectors() -> None:
    index = pd.MultiIndex.from_product([range(4), range(5)], names=["case", "time"])
    table = pd.DataFrame({"a": np.arange(20.0)}, index=index)
    with pytest.raises(NearstarError, match="reset_index"):
        quick().fit(table, np.tile([0, 1], 10))
