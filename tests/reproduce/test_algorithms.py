"""Which algorithms a study has, and with which settings."""

from __future__ import annotations

import dataclasses

import pytest
from reproduce.studies import study, trial

from nearstar.language.domain import Domain
from nearstar.reproduce import Plan
from nearstar.reproduce.algorithms import ALL, ALONE, BASELINES, NEAR, algorithm, called
from nearstar.reproduce.contents import contents
from nearstar.reproduce.study_tables import guarantee_table, main_table
from nearstar.reproduce.table import to_csv
from nearstar.search import IDSBB, MCTS, AStar, Genetic
from nearstar.search.restarts import Restarts

CRIM13 = Domain.built_in("crim13")


def test_a_star_alone_differs_from_a_star_in_what_is_trained_beside() -> None:
    usual, alone = (
        algorithm(name, CRIM13, 100, longer=1, paper=False) for name in ("astar", ALONE)
    )
    assert isinstance(usual, AStar) and usual.exploration > 0
    assert alone == dataclasses.replace(usual, exploration=0)


def test_published_a_star_is_alone_already_and_has_one_row() -> None:
    published, alone = (
        algorithm(name, CRIM13, 100, longer=1, paper=True) for name in ("astar", ALONE)
    )
    assert alone == published == AStar.paper(CRIM13)
    assert Plan().names == tuple(ALL)
    assert Plan(paper=True).names == tuple(name for name in ALL if name != ALONE)
    asked = Plan(algorithms=("astar", ALONE), paper=True, seeds=(0,), weights=())
    assert [key.algorithm for key in asked.trials] == ["astar", ALONE]


def test_it_is_a_search_of_near_that_baselines_have_as_long_as() -> None:
    plan = Plan(seeds=(0,))
    (key,) = (key for key in plan.trials if key.algorithm == "genetic")
    assert {need.algorithm for need in plan.needs(key)} == set(NEAR) == {"astar", "idsbb", ALONE}


def test_it_stands_beside_a_star_in_tables_without_a_published_row() -> None:
    own = study(trial(ALONE), trial("astar"), trial("genetic"))
    assert own.algorithms == ("genetic", "astar", ALONE)
    assert called(ALONE) == "A* NEAR, heuristic alone"
    for table in (main_table(own), guarantee_table(own)):
        assert 'astar-alone,"A* NEAR, heuristic alone"' in to_csv(table)
    (notes,) = (
        part
        for section in contents(own, {}).sections
        for part in section.parts
        if isinstance(part, str) and part.startswith("Accuracy")
    )
    assert "A* NEAR, heuristic alone, trains only what its heuristic leads to" in notes


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_of_our_own_studies_have_published_sizes_and_our_steps(name: str) -> None:
    ours, papers = (algorithm(name, CRIM13, 100, longer=1, paper=paper) for paper in (False, True))
    assert isinstance(papers, Restarts)
    assert not papers.algorithm.deduplicate
    if name != "enumeration":
        assert isinstance(ours, Restarts)
        assert ours.algorithm == type(papers.algorithm).sized(CRIM13)


def test_what_the_paper_does_otherwise_is_switched_by_it() -> None:
    made = {
        name: [algorithm(name, CRIM13, 100, longer=1, paper=paper) for paper in (False, True)]
        for name in ("mcts", "genetic", "idsbb")
    }
    assert [each.algorithm.rollouts for each in made["mcts"]] == [True, False]
    assert [each.algorithm.elitism for each in made["genetic"]] == [True, False]
    assert [each.bound_dives for each in made["idsbb"]] == [True, False]
    assert MCTS().rollouts and Genetic().elitism and IDSBB().bound_dives
