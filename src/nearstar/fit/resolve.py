"""Names, paths and tables in settings as the searches, domains and weights that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import unnamed
from nearstar.data.labels import Label, class_names
from nearstar.data.sequences import Sequences
from nearstar.language.domain import Domain
from nearstar.search import IDSBB, MCTS, RNN, AStar, Enumeration, Genetic, MonteCarlo
from nearstar.search.protocol import Algorithm
from nearstar.training.budget import Budget
from nearstar.util.checks import is_number
from nearstar.util.errors import DomainError, NearstarError
from nearstar.util.nearest import suggestion

SEARCHES: Mapping[str, Callable[[], Algorithm]] = MappingProxyType(
    {
        "astar": partial(AStar, persist=True),
        "idsbb": IDSBB,
        "enumeration": Enumeration,
        "montecarlo": MonteCarlo,
        "mcts": MCTS,
        "genetic": Genetic,
        "rnn": RNN,
    }
)
"""The searches by name, each with its usual settings. A* goes on as long as the limits allow."""


def read_search(search: str | Algorithm) -> Algorithm:
    """A search by name, or one with settings of its own, such as ``AStar(frontier=100)``."""
    if isinstance(search, str):
        if search not in SEARCHES:
            raise NearstarError(f"no search {search!r}; {suggestion(search, SEARCHES)}")
        return SEARCHES[search]()
    if isinstance(search, type) or not callable(getattr(search, "search", None)):
        raise NearstarError(
            f"search must be one of {', '.join(SEARCHES)}, or a search with its settings, such as "
            f"AStar(), not {search!r}"
        )
    return search


DomainSource = Domain | str | Path
"""A domain, the name of a built-in one, or the path of a TOML file."""


def read_domain(
    domain: Domain | None,
    data: Sequences,
    groups: Mapping[str, Any] | None = None,
    derived: Mapping[str, str] | None = None,
) -> Domain:
    """The domain of these data, with further groups.

    None: one of the features' names, of which some are derived; where labels are of whole
    sequences, with windows as long as the longest of them, since the usual rules fold a sequence or
    see no more than its end. Groups are lists of columns by index, name or pattern; those given
    with a domain are added to its own, or stand in the place of one of the same name.
    """
    given = _listed(groups)
    if domain is None:
        return Domain.of_features(data.feature_names, given, derived, **_whole_windows(data))
    _check_features(domain, data.feature_names)
    if not given:
        return domain
    new = Domain.of_features(domain.features, given).groups
    kept = tuple(group for group in domain.groups if group.name not in given)
    return replace(domain, groups=kept + new)


def _whole_windows(data: Sequences) -> dict[str, Any]:
    if data.per_frame or data.vectors:
        return {}
    windows = [f"SlidingWindow{kind}{data.lengths.max()}" for kind in ("Average", "Max", "Min")]
    return {"summaries": tuple(dict.fromkeys(["fold", "if", *windows, "SlidingWindowAverage10"]))}


def load_domain(domain: DomainSource) -> Domain:
    """A domain as it is, the built-in one of this name, or that of a TOML file."""
    if isinstance(domain, Domain):
        return domain
    if not isinstance(domain, str | Path):
        raise DomainError(
            "domain must be a Domain, the name of a built-in one or the path of a TOML file, not "
            f"a {type(domain).__name__}"
        )
    # A name has no dot and no slash in it; a file that has none either is meant as ./file.
    if isinstance(domain, Path) or any(sign in domain for sign in "./\\"):
        try:
            return Domain.load(domain)
        except OSError as problem:
            raise DomainError(
                f"the domain {str(domain)!r} cannot be read: {problem.strerror or problem}"
            ) from None
        except DomainError as problem:
            raise DomainError(f"{domain}: {problem}") from None
    return Domain.built_in(domain)


def read_budget(
    train: Sequences,
    labels: Sequence[Label],
    class_weight: str | Mapping[Any, float] | None,
    budget: Budget | None = None,
    loss: Any = None,
    **changes: Any,
) -> Budget:
    """How programs are trained on these data, with weights of classes as in `read_class_weight`.

    A budget is taken as it is; without one, it is made by the size of the data, with changes, and
    two classes are trained for their F1, unless they are weighted. A loss takes the place of the
    budget's.
    """
    weights = read_class_weight(class_weight, np.asarray(train.labels), labels)
    usual = Budget.for_size(len(train), **changes) if budget is None else budget
    if loss is None and budget is None and weights is None and len(labels) == 2:
        loss = "f1"
    if loss is not None:
        usual = replace(usual, loss=loss)
    if weights is not None:
        if budget is None and class_weight != "balanced":
            # The look of the best F1, which weighs all classes alike, would undo the weights.
            usual = replace(usual, select="last")
        usual = replace(usual, class_weights=weights)
    usual.check_classes(len(labels))
    return usual


def read_class_weight(
    spec: str | Mapping[Any, float] | None, codes: NDArray[Any], labels: Sequence[Label]
) -> tuple[float, ...] | None:
    """A weight for each class in the loss, from what scikit-learn takes as ``class_weight``.

    "balanced" is examples / (classes × examples of the class), and 1 for a class without any; in a
    table of weights by label, those not named weigh 1.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        if spec != "balanced":
            raise NearstarError(
                f"class_weight must be 'balanced', a table of weights by label, or None, not "
                f"{spec!r}"
            )
        return _balanced(np.asarray(codes), len(labels))
    if not isinstance(spec, Mapping):
        raise NearstarError(
            f"class_weight must be 'balanced' or a table such as {{{labels[0]!r}: 2.0}}, not "
            f"{spec!r}"
        )
    places = {label: place for place, label in enumerate(labels)}
    weights = [1.0] * len(labels)
    for label, weight in spec.items():
        if label not in places:
            known = class_names(labels)
            raise NearstarError(
                f"class_weight names {label!r}, which is no class; {suggestion(str(label), known)}"
            )
        if not is_number(weight) or weight < 0:
            raise NearstarError(
                f"the class weight of {label!r} must be a number from 0, not {weight!r}"
            )
        weights[places[label]] = float(weight)
    return tuple(weights)


def _balanced(codes: NDArray[Any], n_classes: int) -> tuple[float, ...]:
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    present = counts > 0
    weights = np.ones(n_classes)
    weights[present] = counts.sum() / (present.sum() * counts[present].astype(float))
    return tuple(weights.tolist())


def _listed(groups: Mapping[str, Any] | None) -> dict[str, list[Any]] | None:
    """Groups with their columns as lists, whatever they were given as."""
    if groups is None:
        return None
    if not isinstance(groups, Mapping):
        raise DomainError(
            "groups must be a table of names and columns, such as {'position': ['x', 'y']}, not "
            f"{groups!r}"
        )
    listed = {}
    for name, columns in groups.items():
        alone = isinstance(columns, str | int)
        items = [columns] if alone else np.asarray(columns, dtype=object).tolist()
        listed[name] = [int(item) if isinstance(item, np.integer) else item for item in items]
    return listed


def _check_features(domain: Domain, features: tuple[str, ...]) -> None:
    ours, theirs = len(domain.features), len(features)
    if ours != theirs:
        raise DomainError(f"the domain {domain.name} has {ours} features, the data have {theirs}")
    if domain.features == features or unnamed(domain.features) or unnamed(features):
        return
    place, name = next(
        (place, name)
        for place, (name, own) in enumerate(zip(features, domain.features, strict=True))
        if name != own
    )
    raise DomainError(
        f"feature {place} of the data is {name!r}, that of the domain {domain.name} is "
        f"{domain.features[place]!r}; bring the columns into the domain's order, or leave the "
        "domain out"
    )
