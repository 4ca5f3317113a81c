"""Steps away from a program: each leads to what the grammar has, and another one leads back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import complete_programs, spaces

from nearstar.language.program import completes
from nearstar.language.text import to_text
from nearstar.search.space import Space
from nearstar.search.variation import STEPS, dropped, grown, neighbours, opened, swapped


@settings(max_examples=60)
@given(spaces(), st.data())
def test_one_step_leads_away_and_one_back(space: Space, data: st.DataObject) -> None:
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    program = data.draw(st.sampled_from(programs))
    for step in STEPS:
        found = step(space, program)
        assert program not in found
        assert all(each in space.grammar for each in found)
    assert all(completes(program, sketch) for sketch in opened(space, program))
    assert all(program in swapped(space, other) for other in swapped(space, program))
    for smaller in dropped(space, program):
        assert any(completes(program, sketch) for sketch in grown(space, smaller))
    for sketch in grown(space, program):
        assert program in dropped(space, sketch)


@settings(max_examples=20)
@given(spaces(), st.data())
def test_no_neighbour_is_missed(space: Space, data: st.DataObject) -> None:
    """What differs from a program in one part, or by one rule more, completes a sketch."""
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    program = data.draw(st.sampled_from(programs))
    near = neighbours(space, program)
    assert near[0] == program and len(set(near)) == len(near)
    for other in programs:
        inner = (sketch for sketch in opened(space, other) if completes(program, sketch))
        if program in dropped(space, other) or any(inner):
            assert any(completes(other, sketch) for sketch in near), to_text(other)
