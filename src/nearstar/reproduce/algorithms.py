"""The algorithms of the paper's table and one of our own, with its settings or with ours."""

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
ALONE = "astar-alone"
"""A* that trains nothing but what its heuristic leads to: its merit is not that of enumeration."""
ALL: Mapping[str, str] = MappingProxyType(
    {
        "enumeration": "enumeration",
        "montecarlo": "Monte Carlo",
        "mcts": "MCTS",
        "genetic": "genetic",
        "idsbb": "IDS-BB NEAR",
        "astar": "A* NEAR",
        ALONE: "A* NEAR, heuristic alone",
        "rnn": "RNN",
        **CLASSIC,
    }
)
"""All as they are called in tables, those of the paper in the order of its own table."""
NEAR = ("astar", "idsbb", ALONE)
BASELINES = ("enumeration", "montecarlo", "mcts", "genetic")
SEARCHES = (*BASELINES, *NEAR)
"""Those that look for programs."""

_ALL = 1_000_000_000
"""More programs than any time is enough for."""
_PATIENCE = 20
"""Looks at which our RNN may be no better before its training ends."""
_OURS: Mapping[str, Algorithm] = {
    "enumeration": Enumeration(max_programs=_ALL),
    "idsbb": IDSBB(),
    "astar": AStar(persist=True),
    ALONE: AStar(persist=True, exploration=0),
}
"""Those of ours that have nothing of the published settings."""
_PUBLISHED: Mapping[str, type[Enumeration | MonteCarlo | MCTS | Genetic | IDSBB | AStar]] = {
    "enumeration": Enumeration,
    "montecarlo": MonteCarlo,
    "mcts": MCTS,
    "genetic": Genetic,
    "idsbb": IDSBB,
    "astar": AStar,
    ALONE: AStar,
}


def usual(paper: bool) -> tuple[str, ...]:
    """The algorithms of a study that names none: all, each once.

    In the paper's settings A* has nothing but its heuristic: a second row would be the same.
    """
    return tuple(name for name in ALL if not paper or name != ALONE)


def called(name: str) -> str:
    """An algorithm's name in tables."""
    return ALL.get(name, name)


def algorithm(
    name: str, domain: Domain, n_sequences: int, *, longer: int, paper: bool
) -> Algorithm:
    """An algorithm with its settings for a domain, and so many sequences to train on; networks are
    trained for ``longer`` × as long.

    The baselines have as much time as NEAR's searches took: the sampling ones begin anew, where
    they come to their end before.
    """
    if name == "rnn":
        patience = None if paper else _PATIENCE
        return RNN.paper(domain, longer * n_sequences, patience=patience)
    if not paper and name in _OURS:
        return _OURS[name]
    kind = _PUBLISHED[name]
    published = kind.paper(domain) if paper else kind.sized(domain)
    return Restarts(algorithm=published) if name in BASELINES else published
