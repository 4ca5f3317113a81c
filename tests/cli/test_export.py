"""``export``: what is written stands on its own, and answers as ``predict`` does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli.calling import ROLES, fit, nearstar, rows, table, written

from nearstar.model.model import Model


def test_exported_python_answers_as_predict_does(tmp_path: Path) -> None:
    path = written(table(1, 60), tmp_path / "mice.csv")
    fit(path, *ROLES, "--out", tmp_path / "run", "--require", "mapprefix", "--trainings", "99")
    assert not nearstar("export", tmp_path / "run", "--to", "python", "--out", tmp_path / "own.py")
    assert (tmp_path / "own.py").read_text("utf-8") == nearstar(
        "export", tmp_path / "run", "--to", "python"
    )
    ended = subprocess.run(
        [sys.executable, "own.py", "mice.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == nearstar("predict", tmp_path / "run", path)


def test_latex_and_json(run: Path) -> None:
    model = Model.load(run / "model.json")
    assert "\\begin{align*}" in nearstar("export", run, "--to", "latex")
    exported = json.loads(nearstar("export", run, "--to", "json"))
    assert exported["features"] == list(model.domain.features)


def test_onnx_answers_as_predict_does(run: Path, mice: Path, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    nearstar("export", run, "--to", "onnx", "--out", tmp_path / "own.onnx")
    session = runtime.InferenceSession(str(tmp_path / "own.onnx"))
    frame = table()
    features = list(Model.load(run / "model.json").domain.features)  # columns that it reads
    frames = frame[features].to_numpy(np.float32)
    codes = [session.run(["label"], {"x": frames[i : i + 8]})[0] for i in range(0, len(frame), 8)]
    labels = np.array(Model.load(run / "model.json").labels)[np.concatenate(codes)]
    assert labels.tolist() == rows("predict", run, mice)["prediction"].tolist()
