"""The order in which waiting nodes come up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import plain_space, sketches

from nearstar.language.program import Program, walk
from nearstar.search.frontier import Frontier, Holes
from nearstar.search.protocol import Node

SPACE = plain_space(depth=4)


def kinds(program: Program) -> Holes:
    """Its holes by kind, by looking at every part."""
    open_ = [part.signature for _, part in walk(program) if not part.size]
    sequences = sum("seq" in str(signature.input).lower() for signature in open_)
    return Holes(len(open_) - sequences, sequences)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(sketches(SPACE), st.floats(0, 1, width=16)), min_size=1, max_size=12),
    st.floats(0, 1, width=16),
    st.floats(0, 1, width=16),
)
def test_the_least_f_with_what_the_holes_add_comes_first(
    given: list[tuple[Program, float]], of_vectors: float, of_sequences: float
) -> None:
    def rise(holes: Holes) -> float:
        return of_vectors * holes.vectors + of_sequences * holes.sequences

    nodes = [Node(program, None, g=0.0, error=h) for program, h in given]
    frontier = Frontier()
    frontier.add(nodes)
    expected = sorted(node.f + rise(kinds(node.program)) for node in nodes)
    taken = [frontier.pop(rise) for _ in nodes]
    ranks = [node.f + rise(kinds(node.program)) for node in taken]
    assert ranks == pytest.approx(expected, abs=1e-8)
    assert not frontier
