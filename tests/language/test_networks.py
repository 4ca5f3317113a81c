"""Sizes of the networks that stand in holes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import domains, programs, signatures

from nearstar.language.networks import Units, hidden_units
from nearstar.language.program import Apply, Hole, Program, first_hole, walk
from nearstar.util.errors import ProgramError

UNITS = st.tuples(st.integers(1, 100), st.integers(1, 100)).map(
    lambda pair: Units(max(pair), min(pair))
)


def published(units: Units, depth: int) -> int:
    """The formula; the root hole, whose depth is 0, has the most."""
    if depth == 0:
        return units.most
    return max(math.floor(units.most * 0.5 ** (depth - 1)), units.least)


@given(st.data(), UNITS)
def test_units_follow_the_derivation(data: st.DataObject, units: Units) -> None:
    domain = data.draw(domains())
    grammar = domain.grammar(data.draw(signatures(domain)))
    program: Program = Hole(grammar.root)
    opened_by = {(): 0}
    for depth in range(1, 9):
        assert hidden_units(program, units) == {
            path: published(units, place) for path, place in opened_by.items()
        }
        path = first_hole(program)
        if path is None:
            break
        program = data.draw(st.sampled_from(grammar.expansions(program)))
        del opened_by[path]
        node = dict(walk(program))[path]
        opened_by |= {(*path, index): depth for index in range(len(node.arguments))}


@given(st.data(), UNITS)
def test_units_of_a_sketch_are_a_function_of_its_text(data: st.DataObject, units: Units) -> None:
    """Holes may be anywhere: what stands before a hole's parent in the text decides."""
    domain = data.draw(domains())
    program = data.draw(programs(domain.grammar(data.draw(signatures(domain))), holes=True))
    nodes = list(walk(program))
    rules = [path for path, node in nodes if isinstance(node, Apply)]
    assert hidden_units(program, units) == {
        path: published(units, sum(rule <= path[:-1] for rule in rules) if path else 0)
        for path, node in nodes
        if isinstance(node, Hole)
    }


@pytest.mark.parametrize("sizes", [(4, 5), (4, 0), (0, 0), (-1, -2), (4.5, 2), (4, 2.0)])
def test_impossible_units(sizes) -> None:
    with pytest.raises(ProgramError, match="1 ≤ least ≤ most"):
        Units(*sizes)
