"""``evaluate``: the scores that scikit-learn gives to what ``predict`` says."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.bad_input import good_model, per_sequence_model
from cli.calling import ROLES, fit, nearstar, refused, rows, table, written
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
)


def evaluated(*arguments: object) -> dict[str, Any]:
    scores: dict[str, Any] = json.loads(nearstar("evaluate", *arguments, "--json"))
    return scores


@pytest.mark.parametrize("classes", [("sit", "run"), ("a", "b", "c"), (3, 1, 2), ("é", "ß", "x y")])
def test_scores_are_those_of_scikit_learn(classes: tuple[Any, ...], tmp_path: Path) -> None:
    frame = table(12, classes=classes)
    frame.loc[::7, "does"] = None
    path = written(frame, tmp_path / "mice.csv")
    fit(path, *ROLES, "--out", tmp_path / "run")
    scores = evaluated(tmp_path / "run", path)
    known = frame["does"].notna()
    truth = frame["does"][known].astype(str)
    guess = rows("predict", tmp_path / "run", path)["prediction"][known].astype(str)
    names = list(scores["per_class"])
    assert set(names) == set(map(str, classes)) and scores["elements"] == known.sum()
    assert scores["accuracy"] == pytest.approx(accuracy_score(truth, guess))
    average = {"pos_label": names[1]} if len(names) == 2 else {"average": "weighted"}
    assert scores["f1"] == pytest.approx(f1_score(truth, guess, labels=None, **average))
    assert scores["f1_macro"] == pytest.approx(
        f1_score(truth, guess, labels=names, average="macro", zero_division=0)
    )
    assert scores["confusion"] == confusion_matrix(truth, guess, labels=names).tolist()
    columns = precision_recall_fscore_support(truth, guess, labels=names, zero_division=0)
    for score, values in zip(("precision", "recall", "f1", "support"), columns, strict=True):
        found = [each[score] for each in scores["per_class"].values()]
        assert found == pytest.approx(values.tolist())


def test_bouts_are_runs_of_a_label(tmp_path: Path) -> None:
    good_model().save(tmp_path / "model.json")
    frame = table(4, 30)
    # What the model says, with some bouts lost and the rest exact.
    right = np.where(frame["speed"] > 0, "run", "sit")
    frame["does"] = np.where(frame["video"] == "v00", "sit", right)
    scores = evaluated(tmp_path / "model.json", written(frame, tmp_path / "mice.csv"))["bouts"]
    bouts: dict[str, dict[str, int]] = {"true": {}, "predicted": {}}
    for kind, labels in (("true", frame["does"]), ("predicted", pd.Series(right))):
        runs = [key for key, _ in groupby(zip(frame["video"], labels, strict=True))]
        for name in ("sit", "run"):
            bouts[kind][name] = sum(label == name for _, label in runs)
    for kind, counts in bouts.items():
        assert {name: scores["per_class"][name][kind] for name in counts} == counts
    found = scores["per_class"]["run"]
    assert found["recall"] == 1 and 0 < found["precision"] < 1


def test_smoothed_predictions_are_evaluated(tmp_path: Path, mice: Path) -> None:
    good_model().save(tmp_path / "model.json")
    smoothed = rows("predict", tmp_path / "model.json", mice, "--min-bout", "4")["prediction"]
    scores = evaluated(tmp_path / "model.json", mice, "--min-bout", "4")
    truth = table()["does"]
    assert scores["accuracy"] == pytest.approx(accuracy_score(truth, smoothed))
    loose = evaluated(tmp_path / "model.json", mice, "--min-bout", "4", "--overlap", "0.01")
    assert loose["bouts"]["f1_macro"] >= scores["bouts"]["f1_macro"]


def test_whole_sequences_have_no_bouts(tmp_path: Path) -> None:
    per_sequence_model().save(tmp_path / "model.json")
    frame = table().assign(does=np.repeat(["run", "sit"] * 6, 8))
    path = written(frame, tmp_path / "mice.csv")
    scores = evaluated(tmp_path / "model.json", path)
    guess = rows("predict", tmp_path / "model.json", path)["prediction"]
    assert scores["accuracy"] == np.mean(guess == np.array(["run", "sit"] * 6))
    assert scores["elements"] == 12 and "bouts" not in scores


def test_what_a_person_reads(run: Path, mice: Path) -> None:
    text = nearstar("evaluate", run, mice)
    scores = evaluated(run, mice)
    assert f"96 labelled frames: accuracy {scores['accuracy']:.3f}, F1 {scores['f1']:.3f}" in text
    lines = text.splitlines()
    assert lines[2].split()[:4] == ["label", "precision", "recall", "F1"]
    assert [line.split()[0] for line in lines[3:]] == ["sit", "run"]
    run_line = lines[4].split()
    assert run_line[1:4] == [
        f"{scores['per_class']['run'][score]:.3f}" for score in ("precision", "recall", "f1")
    ]


def test_labels_that_mean_none(run: Path, tmp_path: Path) -> None:
    frame = table()
    frame.loc[:9, "does"] = "?"
    path = written(frame, tmp_path / "mice.csv")
    assert evaluated(run, path, "--unlabelled", "?,-1")["elements"] == 86
    assert "'?'" in refused("evaluate", run, path)
