"""How well programs do that a person can read: test F1 by how many numbers there are to read.

    python benchmarks/reading.py                        five tasks of real data, watch, hidden-rule
    python benchmarks/reading.py --task social --seeds 1 --seconds 30 --json out.json
    python benchmarks/reading.py --contestant programs --contestant RNN

Programs are the front of `nearstar fit` as it comes; of those with at most so many numbers the one
of least validation error counts. Beside them, **on the same terms**: a CART tree, whose numbers are
its thresholds and leaves, and an L1 regression, by its weights that are not 0 and its biases, both
chosen by validation error too; boosting; the RNN, programs with leaves that name a class
(`--trees`), and programs over groups of features with smooth ifs (`--bank none`). Test data choose
nothing.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from search_tasks import TASKS, available
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import nearstar as ns
from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.fit.bank import Bank
from nearstar.fit.fit import fit
from nearstar.fit.options import changed
from nearstar.fit.prepare import prepare
from nearstar.fit.settings import FitSettings
from nearstar.run.limits import Limits
from nearstar.training.decision import best_offsets
from nearstar.training.metrics import Metrics

CONTESTANTS = ("programs", "with trees", "groups", "RNN", "baselines")
SIZES = (8, 16, 32, 64, 128)
"""Numbers to read, at most."""
LEAVES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
STRENGTHS = np.geomspace(3e-5, 0.3, 20)
"""C of the L1 regressions."""
FRAMES = 40_000
"""Labelled frames, at most, that baselines learn from: regressions take long."""

Parts = tuple[Sequences, Sequences, Sequences]


class Reached(NamedTuple):
    """What one classifier reaches."""

    numbers: int
    valid: float
    """F1 on validation data."""
    test: float
    accuracy: float


def tasks() -> dict[str, Callable[[], Parts]]:
    """The data by name: those of the searches, and the watch."""
    found: dict[str, Callable[[], Parts]] = {name: _parts(name) for name in available()}
    return {**found, "watch": ns.watch_exercises}


def _parts(name: str) -> Callable[[], Parts]:
    def load() -> Parts:
        setting = TASKS[name]()
        return setting.train, setting.valid, setting.test

    return load


# Programs


def programs(parts: Parts, seconds: float, seed: int, **asked: Any) -> Any:
    """The programs of a fit's front, with what they reach; ``asked`` are settings beside time and
    seed."""
    recordings = dict(zip(("train", "valid", "test"), map(Recordings.of, parts), strict=True))
    asked = {"time": seconds, "seed": seed, **asked}
    if asked.get("search") == "rnn":  # one training, which is to end
        asked |= {"time": None, "otherwise": Limits()}
    fitted = fit(prepare(changed(FitSettings(), asked), recordings), progress=False)
    for model in fitted.models:
        scores = model.facts["metrics"]
        valid, test = scores["validation"], scores["test"]
        yield Reached(model.numbers or 0, valid["f1"], test["f1"], test["accuracy"]), str(model)


# Baselines on the same terms


def baselines(parts: Parts, seed: int) -> Iterator[tuple[str, Reached]]:
    """Trees, regressions and boosting on the terms of the bank."""
    bank = Bank.of(parts[0], {})
    (x, y), valid, test = (_elements(bank.computed(part)) for part in parts)
    chosen = np.random.default_rng(seed).permutation(len(y))[:FRAMES]
    mean, std = x.mean(axis=0), x.std(axis=0) + 1e-9
    x, y = (x[chosen] - mean) / std, y[chosen]
    (vx, vy), (tx, ty) = (((each - mean) / std, codes) for each, codes in (valid, test))
    n = parts[0].n_classes
    weights = "balanced" if n == 2 else None

    def reached(name: str, model: Any, numbers: int) -> tuple[str, Reached]:
        # As programs do, two classes aim at their F1: the threshold is the best in validation.
        outputs = np.log(np.clip(model.predict_proba(vx), 1e-6, 1))
        offsets, _, on_valid = best_offsets(outputs, vy, n)
        scores = np.log(np.clip(model.predict_proba(tx), 1e-6, 1)) + offsets
        on_test = Metrics.from_codes(ty, scores.argmax(axis=1), n)
        return name, Reached(numbers, on_valid.f1, on_test.f1, on_test.accuracy)

    for leaves in LEAVES:
        tree = DecisionTreeClassifier(
            max_leaf_nodes=leaves, class_weight=weights, random_state=seed
        ).fit(x, y)
        yield reached("tree", tree, 2 * int(tree.get_n_leaves()) - 1)
    few = slice(None, 10_000)
    for strength in STRENGTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            lasso = LogisticRegression(
                l1_ratio=1,
                C=strength,
                class_weight=weights,
                solver="saga",
                max_iter=100,
                random_state=seed,
            ).fit(x[few], y[few])
        yield reached("L1", lasso, int(np.count_nonzero(lasso.coef_)) + len(lasso.intercept_))
    boosting = HistGradientBoostingClassifier(class_weight=weights, random_state=seed).fit(x, y)
    yield reached("boosting", boosting, 0)


def _elements(data: Sequences) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    codes = np.asarray(data.labels, np.int64)
    return data.frames[codes >= 0].astype(np.float64), codes[codes >= 0]


# The table


def best_within(found: list[Reached], most: int) -> Reached | None:
    """The one of least validation error with at most so many numbers."""
    return max(
        (each for each in found if each.numbers <= most), key=lambda r: r.valid, default=None
    )


def measure(
    parts: Parts, seconds: float, seed: int, contestants: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Test F1 and accuracy of each contestant, by the most numbers; beside them all of them, and
    the programs by their numbers."""
    found: dict[str, list[Reached]] = {}
    texts: dict[str, str] = {}
    if "programs" in contestants:
        for reached, text in programs(parts, seconds, seed):
            found.setdefault("programs", []).append(reached)
            texts[f"{reached.numbers}"] = text
    if "with trees" in contestants:
        for reached, _ in programs(parts, seconds, seed, trees=True):
            found.setdefault("with trees", []).append(reached)
    if "groups" in contestants:
        for reached, _ in programs(parts, seconds, seed, bank="none"):
            found.setdefault("groups", []).append(reached)
    if "RNN" in contestants:
        for reached, _ in programs(parts, seconds, seed, bank="none", search="rnn"):
            found.setdefault("RNN", []).append(reached._replace(numbers=0))
    if "baselines" in contestants:
        for name, reached in baselines(parts, seed):
            found.setdefault(name, []).append(reached)
    table: dict[str, dict[str, Any]] = {}
    for name, several in found.items():
        sizes = (*SIZES, 10**9) if name not in ("boosting", "RNN") else (10**9,)
        rows = {most: best_within(several, most) for most in sizes}
        table[name] = {
            "any" if most == 10**9 else str(most): each and each._asdict()
            for most, each in rows.items()
        }
    every = {name: [each._asdict() for each in several] for name, several in found.items()}
    return {**table, "texts": texts, "all": every}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    known = tasks()
    parser.add_argument("--task", action="append", choices=known, help="one of them (all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each fit (60)")
    parser.add_argument("--seeds", type=int, default=3, help="how many (3)")
    parser.add_argument("--contestant", action="append", choices=CONTESTANTS, help="some (all)")
    parser.add_argument("--json", help="where to write all of it, too")
    asked = parser.parse_args()
    results: dict[str, list[dict[str, Any]]] = {}
    sizes = [*map(str, SIZES), "any"]
    print(f"| task | classifier | {' | '.join(sizes)} |\n|---|---|{'---|' * len(sizes)}")
    for name in asked.task or known:
        parts = known[name]()
        contestants = asked.contestant or CONTESTANTS
        results[name] = [
            measure(parts, asked.seconds, seed, contestants) for seed in range(asked.seeds)
        ]
        for kind in (key for key in results[name][0] if key not in ("texts", "all")):
            cells = [_cell([each[kind].get(size) for each in results[name]]) for size in sizes]
            print(f"| {name} | {kind} | {' | '.join(cells)} |", flush=True)
        if asked.json:
            with open(asked.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)


def _cell(found: list[dict[str, Any] | None]) -> str:
    """Mean test F1 over the seeds, with its standard error, and mean accuracy."""
    known = [each for each in found if each is not None]
    if not known:
        return ""
    scores = np.array([each["test"] for each in known])
    accuracy = np.mean([each["accuracy"] for each in known])
    error = scores.std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else 0.0
    return f"{scores.mean():.3f} ± {error:.3f} ({accuracy:.3f})"


if __name__ == "__main__":
    main()
