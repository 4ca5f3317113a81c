"""FixedList: exactly the programs of the list, all at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import complete_programs, hashed, plain_space, run, spaces

from nearstar import Domain, Hole, NearstarError, ProgramError, parse
from nearstar.search import FixedList
from nearstar.search.space import Space


@settings(max_examples=30)
@given(data=st.data(), space=spaces(prices=True))
def test_asks_for_the_list_in_one_round(data: st.DataObject, space: Space) -> None:
    everything = complete_programs(space.grammar, space.constraints.max_depth)
    listed = data.draw(st.lists(st.sampled_from(everything), min_size=1, max_size=8))
    error = hashed(space)
    result = run(FixedList(tuple(listed)), space, error=error)
    assert result.batches == [list(dict.fromkeys(listed))] and result.ended is None
    for node in result.nodes:
        assert node.f == pytest.approx(space.cost(node.program) + error(node.program))


def test_what_cannot_be_listed() -> None:
    space = plain_space()
    for bad in ((), "map", (Hole(space.grammar.root),), ("map (fun x_t. Affine(x_t)) x",)):
        with pytest.raises(NearstarError, match="programs must be"):
            FixedList(bad)  # type: ignore[arg-type]
    other = Domain.of_size(7)
    foreign = parse("map (fun x_t. Affine(x_t)) x", other, other.signature(1, per_frame=True))
    with pytest.raises(ProgramError, match="no program of this domain"):
        next(FixedList((foreign.program,)).search(space, 0))
