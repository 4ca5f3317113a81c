"""The paper's results, against its table as text."""

from __future__ import annotations

import re

import pytest

from nearstar.language.domain import Domain
from nearstar.reproduce.algorithms import ALL, ALONE, CLASSIC
from nearstar.reproduce.published import PUBLISHED, SIZES
from nearstar.reproduce.tasks import TASKS

COLUMNS = ("sniff", "other", "fly", "basketball")
# Accuracy / F1 / depth (standard deviation of F1).
TABLE = {
    "enumeration": ".851/.221/3 (.105) | .707/.762/2 (.011) | .819/.863/2 (.012) | "
    ".844/.857/6.3 (.009)",
    "montecarlo": ".843/.281/7 (.127) | .630/.715/1 (.031) | .833/.852/4 (.018) | "
    ".841/.853/6 (.012)",
    "mcts": ".745/.338/8.7 (.076) | .666/.749/1 (.036) | .817/.857/4.7 (.009) | .711/.729/8 (.002)",
    "genetic": ".829/.181/1.7 (.015) | .727/.768/3 (.004) | .850/.868/6 (.030) | "
    ".843/.853/6.7 (.019)",
    "idsbb": ".829/.446/6 (.056) | .729/.768/1.3 (.005) | .876/.892/4 (.016) | .889/.903/8 (.006)",
    "astar": ".821/.369/6 (.114) | .706/.764/2.7 (.010) | .872/.885/4 (.004) | .906/.918/8 (.034)",
    "rnn": ".889/.481 (.019) | .756/.785 (.002) | .963/.964 (.005) | .945/.950 (.001)",
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("algorithm", TABLE)
def test_the_numbers_are_those_of_the_table(column: str, algorithm: str) -> None:
    cell = TABLE[algorithm].split(" | ")[COLUMNS.index(column)]
    numbers = [float(number) for number in re.findall(r"[.\d]+", cell)]
    found = PUBLISHED[column][algorithm]
    given = [found.accuracy, found.f1, found.depth, found.f1_deviation]
    assert [number for number in given if number is not None] == numbers
    assert (found.depth is None) == (algorithm == "rnn")


def test_every_column_has_every_algorithm_and_a_task() -> None:
    assert tuple(PUBLISHED) == COLUMNS
    ours = {ALONE, *CLASSIC}
    papers = [name for name in ALL if name not in ours]
    assert all([*column] == papers for column in PUBLISHED.values())
    assert [kind.column for kind in TASKS.values() if kind.column] == list(COLUMNS)
    assert all((kind.column is None) != (kind.stands_in_for is None) for kind in TASKS.values())


def test_sizes_are_known_for_the_papers_domains() -> None:
    assert {name for name in Domain.built_in_names() if Domain.built_in(name).paper} == set(SIZES)
