"""From a run's result to a trial: scores on the test data, and what the program is."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearstar.language.canonical import canonical
from nearstar.language.program import is_complete
from nearstar.language.text import to_text
from nearstar.model.model import Model
from nearstar.reproduce.agreement import features_of
from nearstar.reproduce.resampling import confusions_by_unit
from nearstar.reproduce.tasks import Experiment
from nearstar.reproduce.trial import Trial
from nearstar.run.results.result import Result
from nearstar.training.metrics import Metrics


def trial_of(
    algorithm: str, seed: int, result: Result, experiment: Experiment
) -> tuple[Trial, Model | None]:
    """The trial of a result, and the model that it found, if any."""
    audit = result.audit
    bests = [(each.engine_seconds, each.best) for each in result.trace if each.best is not None]
    known: dict[str, Any] = {
        "seconds": result.engine_seconds,
        "weight": result.evaluations[0].weight if result.evaluations else 1.0,
        "curve": tuple(
            point for i, point in enumerate(bests) if i == 0 or point[1] < bests[i - 1][1]
        ),
        "trained": result.trained,
        "ended": result.ended,
        "gap": result.gap,
        "epsilon": None if audit is None else audit.largest,
        "violations": None if audit is None else audit.violations,
        "correlation": None if audit is None else audit.correlation,
    }
    test, best = experiment.test, result.best
    n = test.n_classes
    if best is None:
        nothing = np.zeros((0, n, n), np.int64)
        return Trial(algorithm, seed, None, None, nothing, **known), None
    model = result.model(experiment.domain, experiment.train.class_names)
    predicted = model.predict(test)
    labels = np.asarray(test.labels, np.int64)
    program, evaluation = best.trained.program, best.evaluation
    if is_complete(program):
        grammar = experiment.domain.grammar(program.signature)
        known |= {
            "program": to_text(program),
            "learned": model.text(),
            "canonical": to_text(canonical(program, grammar)),
            "features": features_of(program, experiment.domain),
            "depth": program.size,
            "height": program.height,
            "structural_cost": evaluation.structural_cost,
            "path_cost": evaluation.path_cost,
        }
    by_unit = confusions_by_unit(labels, predicted, test, experiment.units)
    metrics = Metrics.from_codes(labels, predicted, n)
    return Trial(algorithm, seed, best.trained.metrics, metrics, by_unit, **known), model
