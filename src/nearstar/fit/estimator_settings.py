"""The parameters of the estimator as the settings of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import joblib
from sklearn.utils import check_random_state

from nearstar.fit.options import changed, options_of
from nearstar.fit.settings import FitSettings
from nearstar.run.arguments import check_arguments
from nearstar.run.limits import Limits
from nearstar.util.checks import check_switch, check_whole, is_number
from nearstar.util.errors import NearstarError

_OPTIONS = {option.keyword or option.name: option for option in options_of(FitSettings)}
USUAL: Mapping[str, Any] = {name: option.usual for name, option in _OPTIONS.items()}
"""The defaults of parameters that say what an option does."""


def read_parameters(given: Mapping[str, Any]) -> FitSettings:
    """The settings that parameters stand for; what needs neither data nor `learn` is checked."""
    for name in ("warm_start", "tune_threshold", "verbose"):
        check_switch(name, given[name])
    objects = {name: given[name] for name in ("budget", "constraints")}
    check_arguments(**{name: each for name, each in objects.items() if each is not None})
    _check_validation(given["validation"])
    check_whole("finalists", given["finalists"], least=0)
    if given["time_limit"] is not None and not is_number(given["time_limit"]):
        seconds = given["time_limit"]
        raise NearstarError(f"time_limit is a number of seconds, or None, not {seconds!r}")
    same = {_OPTIONS[name].name: value for name, value in given.items() if name in _OPTIONS}
    other = {
        "validation": given["validation"] if is_number(given["validation"]) else None,
        "workers": _workers(given["n_jobs"]),
        "threshold": "tuned" if given["tune_threshold"] else "trained",
        "seed": 0,  # until `read_seed` knows
        "quiet": not given["verbose"],
        "finalists": int(given["finalists"]),
        "budget": given["budget"],
        "rules": given["constraints"],
        "otherwise": Limits(trainings=1000),
    }
    return changed(FitSettings(), {**same, **other})


def read_seed(random_state: Any, earlier: int | None = None) -> int:
    """A whole number as it is; else the earlier seed, or a random one if there is none."""
    generator = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(2**31 - 1)) if earlier is None else earlier


def _workers(n_jobs: Any) -> int:
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise NearstarError(
            f"n_jobs must be a whole number from 1, -1 for all cores, or None, not {n_jobs!r}"
        )
    return int(joblib.effective_n_jobs(n_jobs))


def _check_validation(validation: Any) -> None:
    if isinstance(validation, tuple | list):
        if len(validation) != 2:
            raise NearstarError(f"validation data are a pair (X, y), not {len(validation)} things")
    elif not is_number(validation) or not 0 <= validation < 1:
        raise NearstarError(
            "validation must be a share from 0 up to 1 of the sequences, or a pair (X, y), not "
            f"{validation if is_number(validation) else type(validation).__name__}"
        )
