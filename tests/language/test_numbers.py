"""Numbers to read, against a count of those that are printed."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import domains, programs, signatures

import nearstar as ns
from nearstar.language.deciding import can_name
from nearstar.language.numbers import numbers_of
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Program, is_complete, walk


def printed(program: Program, theta: np.ndarray) -> int:
    """Numbers in the text of a program but for weights of 0."""
    text, count = ns.to_text(program, theta), 0
    for leaf in re.findall(r"\[([^\]]*)\]", text):
        for output in leaf.split("|"):
            *weights, bias = output.split(";")
            shown = ",".join(weights).split(",") if weights else []
            count += sum(float(each) != 0 for each in shown) + len(bias.split(","))
    for sums in re.findall(r"\((-?[0-9.][^()]*)\)", text):
        for total in sums.split(" | "):
            *weights, _ = re.split(r" [-+] ", total)
            count += sum(float(each.partition("·")[0]) != 0 for each in weights) + 1
    return count + len(re.findall(r'"class \d"', text))


@given(st.data())
def test_against_a_count_of_what_is_printed(data: st.DataObject) -> None:
    domain = data.draw(domains())
    signature = data.draw(signatures(domain))
    program = data.draw(programs(domain.grammar(signature), holes=True))
    if not is_complete(program):
        assert numbers_of(program) is None
        return
    size = size_of(layout(program))
    numbers = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e-9])
    theta = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)))
    theta[[block.offset for block in layout(program) if block.is_half_life]] = 12.5
    assert numbers_of(program, theta) == printed(program, theta)
    named = [node.signature.output.size for _, node in walk(program) if can_name(node)]
    assert (
        numbers_of(program) == numbers_of(program, np.ones(size)) == size - sum(named) + len(named)
    )


def test_the_examples_of_the_specification() -> None:
    domain = ns.Domain.of_size(3)
    for outputs, expected in ((1, 4), (5, 20)):
        signature = domain.signature(outputs, per_frame=True)
        assert (
            numbers_of(ns.parse("map (fun t. Affine(t)) x", domain, signature).program) == expected
        )
