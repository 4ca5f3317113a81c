"""Running a study: which trials there are, in which order, how long, and going on with them."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from nearstar.reproduce import Experiment, Plan, Study, Trial, load, reproduce
from nearstar.reproduce.algorithms import ALL, BASELINES, CLASSIC, NEAR
from nearstar.reproduce.running import TRIAL, TrialKey
from nearstar.util.errors import NearstarError

pytestmark = pytest.mark.slow
"""Whole studies, however small, take long; tests/cli/test_reproduce.py has one in short."""
QUICK = Plan(seconds=0.2, seeds=(0, 1), weights=(1.0, 8.0), finalists=1)


@pytest.fixture(scope="module")
def small() -> Experiment:
    """The hidden rule with few sequences, and a small RNN."""
    whole = load("hidden-rule", None)
    rnn = {"units": 4, "epochs": 2, "learning_rate": 0.01, "batch_size": 6}
    domain = dataclasses.replace(whole.domain, paper={**whole.domain.paper, "rnn": rnn})
    few = {part: getattr(whole, part).subset(np.arange(12)) for part in ("train", "valid", "test")}
    return dataclasses.replace(whole, **few, units=whole.units[:12], domain=domain)


@pytest.fixture(scope="module")
def made(small: Experiment, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("made") / "study"
    return reproduce(small, QUICK, folder, workers=2, command="nearstar reproduce"), folder


def test_every_algorithm_has_a_trial_for_each_seed(made: tuple[Study, Path]) -> None:
    study, folder = made
    assert {(each.algorithm, each.seed) for each in study.trials} == {
        (name, seed) for name in ALL for seed in QUICK.seeds
    }
    assert [(each.seed, each.weight) for each in study.sweep] == [
        (seed, weight) for seed in QUICK.seeds for weight in QUICK.weights
    ]
    assert all(each.test is not None for each in study.trials)
    for name in ("results.md", "index.html", "table.csv", "trials.csv", "lambda.svg"):
        assert (folder / name).stat().st_size > 100


def test_scores_are_those_of_the_saved_model_and_units_sum_up(
    made: tuple[Study, Path], small: Experiment
) -> None:
    from nearstar import Model, parse

    study, folder = made
    for each in study.trials:
        assert each.test is not None
        np.testing.assert_array_equal(each.by_unit.sum(axis=0), each.test.confusion)
        if each.algorithm in CLASSIC:
            continue
        model = Model.load(folder / "runs" / f"{each.algorithm}-{each.seed}" / "model.json")
        assert model.evaluate(small.test) == each.test
        if each.program is not None:
            assert (
                each.depth
                == parse(each.program, small.domain, model.program.signature).program.size
            )
            assert each.path_cost is not None and each.curve[-1][1] >= each.path_cost


def test_baselines_have_as_much_time_as_near_took(made: tuple[Study, Path]) -> None:
    study, _ = made
    for seed in QUICK.seeds:
        by = {each.algorithm: each for each in study.trials if each.seed == seed}
        near = max(by[name].seconds for name in NEAR)
        for name in BASELINES:
            assert by[name].seconds >= near or by[name].ended in ("exhausted", "finished")


def test_going_on_makes_nothing_again_and_adds_seeds(
    made: tuple[Study, Path], small: Experiment, tmp_path: Path
) -> None:
    study, before = made
    folder = tmp_path / "copy"
    shutil.copytree(before, folder)
    shutil.rmtree(folder / "runs" / "mcts-1")
    told: list[TrialKey] = []

    def listen(key: TrialKey, trial: Trial) -> None:
        told.append(key)

    more = dataclasses.replace(QUICK, seeds=(0, 1, 2), algorithms=("mcts", "astar", "logistic"))
    again = reproduce(small, more, folder, told=listen)
    assert set(told) == set(more.trials)
    for name in ("astar", "logistic"):
        for old, new in zip(study.of(name), again.of(name), strict=False):
            assert json.dumps(old.to_dict()) == json.dumps(new.to_dict())
    assert len(again.of("mcts")) == 3


def test_another_study_in_the_same_folder_is_refused(
    made: tuple[Study, Path], small: Experiment, tmp_path: Path
) -> None:
    _, folder = made
    longer = dataclasses.replace(QUICK, seconds=9.0)
    with pytest.raises(NearstarError, match=r"was 0\.2, and is 9\.0 now.*another --out"):
        reproduce(small, longer, folder)
    other = dataclasses.replace(small, test=small.valid)
    with pytest.raises(NearstarError, match="the test data are not the same"):
        reproduce(other, QUICK, folder)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(NearstarError, match="is no study"):
        reproduce(small, QUICK, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_trial_that_cannot_be_read_is_named(
    made: tuple[Study, Path], small: Experiment, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(made[1], folder)
    broken = folder / "runs" / "astar-0" / TRIAL
    broken.write_text("{}")
    with pytest.raises(NearstarError, match=r"astar-0.*remove it"):
        reproduce(small, QUICK, folder)


def test_trials_are_plain_json(made: tuple[Study, Path]) -> None:
    study, _ = made
    for each in (*study.trials, *study.sweep):
        plain = json.loads(json.dumps(each.to_dict()))
        assert Trial.from_dict(plain).to_dict() == each.to_dict()


def test_what_others_wait_for_comes_first() -> None:
    keys = Plan().trials
    names = [key.algorithm for key in keys if key.weight is None]
    assert set(names[: 3 * 3]) == set(NEAR)
    assert len(keys) == len(set(keys)) == 10 * 3 + 7 * 3
    assert len({key.folder for key in keys}) == len(keys)


def test_the_time_it_took_is_kept_with_every_trial(small: Experiment, tmp_path: Path) -> None:
    folder, kept = tmp_path / "study", []

    def told(key: TrialKey, trial: Trial) -> None:
        kept.append(json.loads((folder / "study.json").read_text("utf-8"))["elapsed"])

    plan = dataclasses.replace(QUICK, algorithms=("logistic",))
    reproduce(small, plan, folder, workers=1, told=told)
    assert 0 < kept[0] < kept[1]


@pytest.mark.parametrize("paper", [True, False])
def test_a_study_of_one_algorithm_needs_no_others(
    small: Experiment, tmp_path: Path, paper: bool
) -> None:
    plan = Plan(("enumeration",), (3,), seconds=0.3, paper=paper)
    study = reproduce(small, plan, tmp_path / "one")
    (only,) = study.trials
    assert (only.algorithm, only.seed, study.sweep) == ("enumeration", 3, ())
