"""Studies made by hand and at random, for tests of what is written of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nearstar.reproduce import algorithms
from nearstar.reproduce.published import Published
from nearstar.reproduce.study import Study, Trial
from nearstar.training.metrics import Metrics

PAPERS = ("enumeration", "montecarlo", "mcts", "genetic", "idsbb", "astar")
SEARCHES = (*PAPERS, "astar-alone")
PROGRAM = "map (fun x_t. if DistAffine(x_t) > 0 then AccAffine(x_t) else DistAffine(x_t)) x"
LEARNED = (
    "map (fun x_t. if DistAffine[.0217; -.2785](x_t) > 0 then AccAffine[-.0007, .0055, .0051, "
    "-.0025; 3.7426](x_t) else DistAffine[-.2143; 1.822](x_t)) x"
)
HOSTILE = "</style><script>alert('x')</script> | `a` *b* _c_ <img src=x onerror=alert(1)> & $d$"


def trial(algorithm: str = "astar", seed: int = 0, f1: float = 0.5, **given: Any) -> Trial:
    """A trial of two classes whose F1 on the test data is about this, with two equal units."""
    right = round(50 * f1)  # F1 = 2 · right / (2 · right + (50 - right) + (50 - right))
    unit = np.array([[50 + right, 50 - right], [50 - right, right]])
    metrics = Metrics.from_confusion(2 * unit)
    program = {
        "program": PROGRAM,
        "learned": LEARNED,
        "canonical": PROGRAM,
        "features": ("distance", "acceleration"),
        "depth": 4,
        "height": 3,
        "structural_cost": 0.05,
        "path_cost": 1.05 - metrics.f1,
        "curve": ((1.0, 0.9), (5.0, 1.05 - metrics.f1)),
        "trained": 40,
        "ended": "exhausted",
    }
    values = {**(program if algorithm in SEARCHES else {}), **given}
    made = {
        "valid": metrics,
        "test": metrics,
        "by_unit": np.array([unit, unit]),
        "seconds": 10.0,
        **values,
    }
    return Trial(algorithm, seed, **made)


def nothing(algorithm: str, seed: int = 0, **given: Any) -> Trial:
    """A trial that found no program."""
    none = np.zeros((2, 2, 2), np.int64)
    values = {"seconds": 10.0, "ended": "time", "trained": 7, **given}
    return Trial(algorithm, seed, valid=None, test=None, by_unit=none, **values)


def study(*trials: Trial, **given: Any) -> Study:
    values: dict[str, Any] = {
        "task": "rat-social",
        "title": "Which frames are social",
        "paper": False,
        "classes": ("not social", "social"),
        "unit": "video",
        "made": {"command": "nearstar reproduce rat-social", "time": "2 h on 2 cores"},
    }
    return Study(trials=trials, **{**values, **given})


def full(n_classes: int = 2, seeds: int = 3) -> Study:
    """A study with everything: all algorithms, several seeds, a sweep, published results."""
    random = np.random.default_rng(0)
    names = (*algorithms.ALL,)
    true = random.integers(20, 60, (6, n_classes))
    trials = [_drawn(name, n, true, random) for name in names for n in range(seeds)]
    if seeds > 1:
        trials[names.index("mcts") * seeds + 1] = nothing("mcts", 1, seconds=300.0)
    sweep = [
        replace(_drawn("astar", n, true, random), weight=weight, depth=max(1, 9 - 3 * place - n))
        for place, weight in enumerate((0.0, 0.5, 1.0, 8.0))
        for n in range(seeds)
    ]
    published = {name: Published(0.8, 0.4, 6.0, 0.05) for name in PAPERS}
    return study(
        *trials,
        sweep=tuple(sweep),
        published={**published, "rnn": Published(0.889, 0.481, None, 0.019)},
        classes=tuple(f"class {code}" for code in range(n_classes)),
        paper=True,
    )


def _drawn(algorithm: str, seed: int, true: np.ndarray, random: np.random.Generator) -> Trial:
    """A trial with scores, times and a curve drawn at random, for these counts of true labels."""
    n_classes = true.shape[1]
    skill = random.uniform(0.4, 0.9)
    guess = skill * np.eye(n_classes) + (1 - skill) / n_classes
    by_unit = np.array(
        [[random.multinomial(n, guess[code]) for code, n in enumerate(unit)] for unit in true]
    )
    metrics = Metrics.from_confusion(by_unit.sum(axis=0))
    given: dict[str, Any] = {"valid": metrics, "test": metrics, "by_unit": by_unit}
    if algorithm in SEARCHES:
        steps = int(random.integers(2, 9))
        times = np.sort(10 ** random.uniform(-0.5, 2.4, steps))
        costs = np.sort(random.uniform(1 - metrics.f1, 1.0, steps))[::-1]
        near = algorithm in algorithms.NEAR
        given |= {
            "curve": tuple(zip(times.tolist(), costs.tolist(), strict=True)),
            "path_cost": float(costs[-1]),
            "depth": int(random.integers(1, 9)),
            "trained": int(random.integers(20, 900)),
            "ended": "exhausted" if near else "finished",
            "gap": float(random.uniform(0, 0.05)) if near else None,
            "epsilon": float(random.uniform(0, 0.05)) if near else None,
            "violations": float(random.uniform(0, 0.2)) if near else None,
            "correlation": float(random.uniform(-0.2, 0.9)) if near else None,
            "features": tuple(random.choice(["speed", "distance", "angle", "nose"], 2).tolist()),
            "canonical": PROGRAM if random.random() < 0.6 else f"other {random.random()}",
        }
    return trial(algorithm, seed, **given, seconds=float(random.uniform(250, 300)))


def hostile() -> Study:
    """A study whose every text would like to be mark-up."""
    own = {
        "program": HOSTILE,
        "learned": f"``` \n{HOSTILE}",
        "canonical": HOSTILE,
        "ended": HOSTILE,
        "features": (HOSTILE, "|"),
    }
    trials = [trial(name, seed, **own) for name in SEARCHES for seed in (0, 1)]
    return study(
        *trials,
        trial("rnn"),
        sweep=(trial(weight=2.0, **own),),
        task=HOSTILE,
        title=HOSTILE,
        classes=(HOSTILE, "b"),
        unit="<b>unit",
        made={HOSTILE: HOSTILE},
    )


def curves() -> st.SearchStrategy[tuple[tuple[float, float], ...]]:
    """Times in order and costs that fall, as a search has them; or nothing."""
    times = st.floats(0, 100, width=32)
    costs = st.floats(0, 1, width=32)
    return st.lists(st.tuples(times, costs), max_size=6).map(
        lambda points: tuple(
            zip(
                sorted(time for time, _ in points),
                sorted((cost for _, cost in points), reverse=True),
                strict=True,
            )
        )
    )
