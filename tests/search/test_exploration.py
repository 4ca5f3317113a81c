"""Programs besides those that h leads to: of the space, the smallest in order, others varied."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import complete_programs, hashed, of_size, plain_space, spaces

from nearstar.language.program import Program, applied, completes, is_complete
from nearstar.language.text import to_text
from nearstar.search.enumeration import ByCost
from nearstar.search.exploration import Proposals
from nearstar.search.sampling import completion
from nearstar.search.space import Space


def offered(space: Space, seed: int, first: Program, number: int) -> list[Program]:
    """What is offered, nothing twice, where programs have errors by a hash."""
    proposals, error = Proposals(space, space.form, seed), hashed(space, seed)
    proposals.note(first, space.cost(first) + error(first))
    for sketch in space.expanded(space.roots[0]):
        proposals.promise(sketch, space.cost(sketch))
    found: list[Program] = []
    for turn in range(number):
        offer = (proposals.smallest, proposals.variant, proposals.completion)[turn % 3]
        program = offer(lambda program: program not in found)
        if program is not None:
            found.append(program)
            proposals.note(program, space.cost(program) + error(program))
    return found


@settings(max_examples=60)
@given(spaces(), st.integers(0, 1000), st.data())
def test_offers_are_programs_of_the_space(space: Space, seed: int, data: st.DataObject) -> None:
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    first = data.draw(st.sampled_from(programs))
    found = offered(space, seed, first, 30)
    assert len(set(found)) == len(found)
    for program in found:
        assert is_complete(program) and program in space.grammar and space.allows(program)
        assert space.form(program) == program
    assert found == offered(space, seed, first, 30)


def test_the_smallest_come_in_order_and_none_is_missed() -> None:
    space = plain_space()
    by_cost = ByCost(space, space.form)
    smallest = [by_cost.pop() for _ in range(20)]
    first = completion(space, space.roots[0], np.random.default_rng(0))
    found = offered(space, 0, first, 60)
    assert set(found) >= {*smallest}
    # In their turn they come in order; a variant may have come before.
    in_turn = [program for program in found if program in smallest]
    assert in_turn[:1] == smallest[:1] and set(in_turn) == {*smallest}


@settings(max_examples=60)
@given(spaces(prices=True))
def test_small_programs_come_by_cost_then_by_rules_however_patient_one_is(space: Space) -> None:
    at_once = list(iter(ByCost(space, space.form).pop, None))
    keys = [(round(space.grammar.cost(program), 9), program.size) for program in at_once]
    assert keys == sorted(keys)
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    assert {*at_once} == {space.form(program) for program in programs}
    hasty, step_by_step = ByCost(space, space.form), []
    while len(hasty):
        program = hasty.pop(patience=0)
        step_by_step += [] if program is None else [program]
    assert step_by_step == at_once


def test_variants_lead_to_a_large_program_that_parts_of_it_tell_of() -> None:
    """Long before it would come by cost, or by chance."""
    space = plain_space(depth=8)
    root = space.grammar.root
    product = "multiply(BothAffine(x_t), LeftAffine(x_t))"
    text = f"map (fun x_t. if RightAffine(x_t) > 0 then RightAffine(x_t) else {product}) x"
    goal = next(each for each in of_size(space.grammar, root, 7) if to_text(each) == text)
    assert space.form(goal) == goal
    wanted = Counter(node.production for node in applied(goal))

    def cost(program: Program) -> float:
        has = Counter(node.production for node in applied(program))
        return space.cost(program) + 1 - (wanted & has).total() / (wanted | has).total()

    n_programs = len(complete_programs(space.grammar, space.constraints.max_depth))
    for seed in range(10):
        proposals = Proposals(space, space.form, seed)
        first = completion(space, space.roots[0], np.random.default_rng(seed))
        proposals.note(first, cost(first))
        seen = {first}
        while goal not in seen:
            program = proposals.variant(lambda program: program not in seen)  # noqa: B023
            if program is not None:
                seen.add(program)
                proposals.note(program, cost(program))
            assert len(seen) < n_programs / 20, f"seed {seed}"


def test_completions_are_of_what_promises_most_and_all_small_ones_come() -> None:
    space = plain_space()
    sketches = [each for each in space.expanded(space.roots[0]) if not is_complete(each)]
    best = sketches[0]
    proposals = Proposals(space, space.form, 0)
    for cost, sketch in enumerate(sketches):
        proposals.promise(sketch, float(cost))
    found: Counter[Program] = Counter()
    for _ in range(300):
        program = proposals.completion(lambda program: True)
        assert program is not None and is_complete(program) and space.allows(program)
        found[program] += 1
    of = {each: sum(n for p, n in found.items() if completes(p, each)) for each in sketches}
    assert max(of, key=lambda each: of[each]) == best
    least = best.size + space.grammar.closing_rules(best)
    programs = complete_programs(space.grammar, least)
    assert {each for each in programs if completes(each, best)} <= set(found)


def test_nothing_is_offered_before_a_program_is_known() -> None:
    space = plain_space()
    proposals = Proposals(space, space.form, 0)
    assert proposals.variant(lambda program: True) is None
    assert proposals.smallest(lambda program: True) is None
