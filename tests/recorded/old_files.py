"""Runs and models in ``old/``, written before the insides of nearstar were changed.

``python tests/recorded/old_files.py`` wrote them, and ``expected.json`` with what came of them: of
runs, when they were resumed with higher limits; of models, their outputs. They are never to be
written again: what they are for is to be old.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from recorded import models
from recorded.commands import ROLES, call, mice
from recorded.exact import exact
from recorded.material import small_domain, task

import nearstar as ns

FOLDER = Path(__file__).with_name("old")
DATA = FOLDER / "mice.csv"
INPUTS = FOLDER / "inputs.npz"
EXPECTED = FOLDER / "expected.json"

# Runs of the command line; small networks make small journals

_FIT = (
    f"{ROLES} --features speed,nose_x,nose_y --epochs 3 --neural-epochs 2 --restarts 1 "
    "--workers 1 --units 3,2 --weight 0.2 --trainings 8"
)
FITS = {
    "fit-astar": "--finalists 0",
    "fit-idsbb": "--finalists 0 --search idsbb",
    "fit-genetic": "--finalists 0 --search genetic",
    "fit-audit": "--finalists 0 --audit 3",
    "fit-sketch": "--finalists 0 --sketch 'map (fun t. if SpeedAffine(t) > 0 then ?? else ??) x'",
    "fit-finals": "--finalists 2",
}


def begin_fit(name: str, folder: Path) -> None:
    """A fit that is ended by its number of trainings."""
    code, _, err = call(f"fit {DATA} {_FIT} {FITS[name]} --out {folder} --json")
    assert code == 0, err


def go_on_with_fit(folder: Path) -> dict[str, Any]:
    code, out, err = call(f"resume {folder} --data {DATA} --trainings 20 --workers 1 --json")
    if code:
        return {"code": code, "err": err.replace(str(folder.parent), "DIR")}
    report = json.loads(out)
    wanted = ("program", "path_cost", "error", "trained", "ended", "gap")
    front = [[each["program"], each["path_cost"]] for each in report["front"]]
    exactly = ns.Model.load(folder / "model.json").text(digits=None)
    return {**{key: report[key] for key in wanted}, "exactly": exactly, "front": front}


# Runs of `learn`

_START = (
    "map (fun x_t. if LeftAffine[1, 0.5; -1](x_t) > 0 then RightAffine[0.25, -2; 1](x_t) "
    "else LeftAffine[0, 1e-3; 2](x_t)) x"
)
LEARNS: dict[str, dict[str, Any]] = {
    "learn-astar": {"algorithm": ns.AStar(persist=True)},
    "learn-warm": {"algorithm": ns.AStar(warm_start=True, margin=0.2)},
    "learn-idsbb": {"algorithm": ns.IDSBB(initial_depth=3)},
    "learn-genetic": {"algorithm": ns.Genetic(population=5, select=3, mutation=0.4)},
    "learn-mcts": {"algorithm": ns.MCTS(samples=5)},
    "learn-start": {"algorithm": ns.AStar(), "start": _START},
    "learn-audit": {"algorithm": ns.AStar(margin=0.1), "audit_samples": 3},
    "learn-finals": {"algorithm": ns.AStar(persist=True)},
}
FINALISTS = {"learn-finals": ns.Finalists(2, 2, 2)}
BUDGET = ns.Budget(2, 3, batch_size=8, units=ns.Units(3, 2))


def learn_in(name: str, folder: Path, trainings: int) -> ns.Result:
    """The run of `learn`, begun or resumed; with finals, if it has any."""
    data, domain = task("frames", 2, 50), small_domain()
    settings: dict[str, Any] = {"budget": BUDGET, "workers": 1, "progress": False, "seed": 3}
    limits = ns.Limits(trainings=trainings)
    more = LEARNS[name]
    result = ns.learn(data, domain, weight=0.2, run=folder, limits=limits, **settings, **more)
    if name in FINALISTS:
        result = ns.final(data, domain, result, FINALISTS[name], run=folder, **settings)
    return result


def go_on_with_learn(name: str, folder: Path) -> dict[str, Any]:
    result = learn_in(name, folder, 25)
    assert result.best is not None
    return {
        "program": result.best.text(digits=None),
        "path_cost": result.best.evaluation.path_cost,
        "trained": result.trained,
        "ended": result.ended,
        "bound": result.bound,
        "errors": np.array([each.error for each in result.evaluations]),
        "front": [each.text() for each in result.front],
    }


RUNS = (*FITS, *LEARNS)


def begin(name: str, folder: Path) -> None:
    """Make a run that can go on."""
    if name in FITS:
        begin_fit(name, folder)
    else:
        learn_in(name, folder, 8)


def gone_on_with(name: str, folder: Path) -> dict[str, Any]:
    """What comes of a run in a folder when it goes on: the folder changes."""
    make: Callable[[], dict[str, Any]] = (
        partial(go_on_with_fit, folder) if name in FITS else partial(go_on_with_learn, name, folder)
    )
    found: dict[str, Any] = exact(make())
    return found


# Models

MODELS = {
    "model-map": "frames, map of all",
    "model-if": "frames, map of an if",
    "model-sequences": "frames, if of if",
    "model-windows": "frames, windows",
    "model-hole": "frames, holes in an if",
    "model-fold": "sequences, fold of an if",
    "model-summaries": "sequences, if of summaries",
    "model-lifted": "sequences, lifted functions",
    "model-hole-in-fold": "sequences, hole beside leaves in a fold",
    "model-vectors": "vectors, arithmetic",
    "model-min-max": "vectors, min and max",
    "model-functions": "vectors, mix and greater",
}


def inputs(kind: str) -> ns.Sequences:
    """The data that outputs are expected for."""
    with np.load(INPUTS) as stored:
        if kind == "vectors":
            return ns.Sequences.from_arrays(stored["vectors"])
        return ns.Sequences.from_arrays(np.split(stored["frames"], stored["starts"]))


def answers(name: str) -> dict[str, Any]:
    """What a stored model says about the inputs."""
    model = ns.Model.load(FOLDER / f"{name}.json")
    data = inputs(MODELS[name].split(",")[0])
    outputs = model.outputs(data)
    return {
        "text": model.text(),
        "bits": exact(outputs),
        "outputs": outputs.tolist(),
        "predicted": model.predict(data).tolist(),
    }


# Making them


def expected() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(EXPECTED.read_text("utf-8"))
    return stored


def make() -> None:
    """Write everything anew."""
    FOLDER.mkdir()
    mice().to_csv(DATA, index=False)
    random = np.random.default_rng(60)
    frames = random.normal(1, 2, (28, 4)).astype(np.float32)
    vectors = random.normal(1, 2, (9, 4)).astype(np.float32)
    np.savez(INPUTS, frames=frames, starts=np.array([1, 3, 6, 13]), vectors=vectors)
    for name, text in MODELS.items():
        models.model_of(*models.TEXTS[text]).save(FOLDER / f"{name}.json")
    for name in RUNS:
        begin(name, FOLDER / name)
    found = {
        "models": {name: answers(name) for name in MODELS},
        "runs": {name: _resumed_copy(name) for name in RUNS},
    }
    EXPECTED.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")


def _resumed_copy(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(FOLDER / name, Path(folder) / name)
        return gone_on_with(name, Path(folder) / name)


if __name__ == "__main__":
    make()
