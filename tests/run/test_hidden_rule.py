"""The searches find the rule that labelled the built-in data of two animals."""

from __future__ import annotations

import pytest

import nearstar as ns
from nearstar.data.examples.synthetic import HIDDEN_RULE

SEARCHES = [ns.AStar(margin=0.03), ns.IDSBB(margin=0.03)]


def finds_the_rule(search: ns.AStar | ns.IDSBB, seed: int) -> bool:
    """Whether the best program of data and run of this seed is the rule, or equivalent to it."""
    train, valid, _ = ns.two_animals_split(seed=seed)
    task = ns.Task(train, valid)
    domain = ns.Domain.built_in("crim13")
    rule = ns.parse(HIDDEN_RULE, domain, task.signature()).program
    result = ns.learn(
        task,
        domain,
        search,
        seed=seed,
        budget=ns.Budget(restarts=3),
        constraints=ns.Constraints(max_depth=6),
        progress=False,
    )
    assert result.best is not None and result.gap == 0
    grammar = domain.grammar(task.signature())
    found = result.best.evaluation.program
    return ns.canonical(found, grammar) == ns.canonical(rule, grammar)


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)
def test_the_rule_is_found_with_most_seeds(search: ns.AStar | ns.IDSBB) -> None:
    assert sum(finds_the_rule(search, seed) for seed in range(10)) >= 8
