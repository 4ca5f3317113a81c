"""The parameters of the estimator, checked and ready for use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import joblib
from sklearn.utils import check_random_state

from nearstar.data.conversion import unnamed
from nearstar.data.derived import read_derived
from nearstar.data.format import DataFormat
from nearstar.fit.fitting import load_domain, read_search
from nearstar.fit.layouts import check_layout
from nearstar.fit.reader import Reader
from nearstar.run.finals import Finalists
from nearstar.run.limits import Limits
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm
from nearstar.training.budget import Budget
from nearstar.util.checks import check_switch, check_whole, is_number
from nearstar.util.errors import NearstarError

_SWITCHES = ("warm_start", "tune_threshold", "verbose")
_FORMAT = (
    *("sequence", "frame", "label", "group", "per", "features", "unlabelled", "missing"),
    *("window", "hop"),
)
_USUAL_TRAININGS = 1000


@dataclass(frozen=True, eq=False)
class Settings:
    """What the parameters stand for, as far as no data are needed to say so."""

    algorithm: Algorithm
    limits: Limits
    constraints: Constraints
    workers: int
    reader: Reader
    derived: Mapping[str, str]
    finalists: Finalists | None


def read_settings(given: Mapping[str, Any]) -> Settings:
    """Read and check the parameters by name, before any work starts."""
    for name in _SWITCHES:
        check_switch(name, given[name])
    check_layout(given["layout"])
    _check_budget(given["budget"])
    _check_validation(given["validation"])
    derived = {name: each.text for name, each in read_derived(given["derive"]).items()}
    return Settings(
        algorithm=read_search(given["search"]),
        limits=_limits(given["time_limit"], given["trainings"]),
        constraints=_constraints(given["constraints"], given["max_depth"]),
        workers=_workers(given["n_jobs"]),
        reader=_reader(given, derived),
        derived=derived,
        finalists=_finalists(given["finalists"]),
    )


def _finalists(programs: Any) -> Finalists | None:
    check_whole("finalists", programs, least=0)
    return Finalists(int(programs)) if programs else None


def _limits(seconds: Any, trainings: Any) -> Limits:
    """A search by name goes on as long as it may, so that there is always a limit."""
    if seconds is not None and not is_number(seconds):
        raise NearstarError(f"time_limit is a number of seconds, or None, not {seconds!r}")
    limits = Limits(seconds=seconds, trainings=trainings)
    return Limits(trainings=_USUAL_TRAININGS) if limits == Limits() else limits


def read_seed(random_state: Any, earlier: int | None = None) -> int:
    """A whole number as it is; else the earlier seed, or a random one if there is none."""
    generator = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(2**31 - 1)) if earlier is None else earlier


def _reader(given: Mapping[str, Any], derived: Mapping[str, str]) -> Reader:
    format = DataFormat(**{name: given[name] for name in _FORMAT})
    if given["domain"] is None:
        return Reader(given["layout"], format, None, derived)
    domain = load_domain(given["domain"])
    if derived:
        domain = replace(domain, derived={**domain.derived, **derived})
    # A domain without real names takes the columns that there are, and so do explicit features.
    features = None if unnamed(domain.features) or format.features else domain.features
    return Reader(given["layout"], format, features, domain.derived)


def _constraints(constraints: Any, max_depth: Any) -> Constraints:
    if constraints is None:
        constraints = Constraints()
    if not isinstance(constraints, Constraints):
        raise NearstarError(
            f"constraints must be Constraints, such as Constraints(forbid=['fold']), not "
            f"{constraints!r}"
        )
    return constraints if max_depth is None else replace(constraints, max_depth=max_depth)


def _check_budget(budget: Any) -> None:
    if budget is not None and not isinstance(budget, Budget):
        raise NearstarError(
            f"budget must be a Budget, such as Budget(symbolic_epochs=20), not {budget!r}"
        )


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
