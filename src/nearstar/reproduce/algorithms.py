"""The seven algorithms of the paper's table, with its settings or with ours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nearstar.language.domain import Domain
from nearstar.search import IDSBB, MCTS, RNN, AStar, Enumeration, Genetic, MonteCarlo
from nearstar.search.protocol import Algorithm
from nearstar.search.restarts import Restarts

CLASSIC: Mapping[str, str] = MappingProxyType(
    {"logistic": "logistic regression", "boosting": "gradient boosting"}
)
"""The classifiers without programs."""
ALL: Mapping[str, str] = MappingProxyType(
    {
        "enumeration": "enumeration",
        "montecarlo": "Monte Carlo",
        "mcts": "MCTS",
        "genetic": "genetic",
        "idsbb": "IDS-BB NEAR",
        "astar": "A* NEAR",
        "rnn": "RNN",
        **CLASSIC,
    }
)
"""All as they are called in tables: first the paper's, in the order of its own table."""
NEAR = ("astar", "idsbb")
BASELINES = ("enumeration", "montecarlo", "mcts", "genetic")
SEARCHES = (*BASELINES, *NEAR)
"""Those that look for programs."""

_ALL = 1_000_000_000
"""More programs than any time is enough for."""
_PATIENCE = 20
"""Epochs for which our RNN may be no better before its training ends."""
_OURS: Mapping[str, Algorithm] = {
    "enumeration": Enumeration(max_programs=_ALL),
    "idsbb": IDSBB(),
    "astar": AStar(persist=True),
}
"""Those of ours that have nothing of the published settings."""
_PUBLISHED: Mapping[str, type[Enumeration | MonteCarlo | MCTS | Genetic | IDSBB | AStar]] = {
    "enumeration": Enumeration,
    "montecarlo": MonteCarlo,
    "mcts": MCTS,
    "genetic": Genetic,
    "idsbb": IDSBB,
    "astar": AStar,
}


def called(name: str) -> str:
    """An algorithm's name in tables."""
    return ALL.get(name, name)


def algorithm(name: str, domain: Domain, *, longer: int, paper: bool) -> Algorithm:
    """An algorithm with its settings for a domain; networks are trained for ``longer`` × as long.

    The baselines have as much time as NEAR's searches took: the sampling ones begin anew, where
    they come to their end before.
    """
    if name == "rnn":
        epochs = RNN.paper(domain).epochs * longer
        return RNN.paper(domain, epochs=epochs, patience=None if paper else _PATIENCE)
    if not paper and name in _OURS:
        return _OURS[name]
    kind = _PUBLISHED[name]
    published = kind.paper(domain) if paper else kind.sized(domain)
    return Restarts(algorithm=published) if name in BASELINES else published
