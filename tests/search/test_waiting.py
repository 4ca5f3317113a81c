"""Nodes in two orders, against lists that are sorted anew each time."""

from __future__ import annotations

import math
from random import Random

from small_grammars import random_sketch
from tabulated import random_case

from nearstar.search.frontier import Holes
from nearstar.search.protocol import Node
from nearstar.search.waiting import Waiting


def nodes_of(seed: int, number: int) -> list[Node]:
    random = Random(seed)
    programs = [random_sketch(random, each) for each in random_case(seed, least=30).programs()]
    return [
        Node(random.choice(programs), None, g=random.random(), estimate=random.random())
        for _ in range(number)
    ]


def correction(holes: Holes) -> float:
    return 0.1 * holes.vectors + 0.2 * holes.sequences


def test_both_orders_hold_whatever_is_taken_out_and_however_f_rises() -> None:
    for seed in range(40):
        random = Random(seed)
        waiting, model = Waiting(), []
        for node in nodes_of(seed, 40):
            waiting.add(node)
            model.append(node)
            action = random.random()
            if action < 0.2:
                best = waiting.pop(correction)
                least = min(each.rank + correction(Holes.of(each.program)) for each in model)
                assert best is not None
                assert abs(best.rank + correction(Holes.of(best.program)) - least) < 1e-8
                model.remove(best)
            elif action < 0.4:
                broad = waiting.pop_broadly()
                assert broad is not None
                size = broad.program.size
                assert broad.rank <= min(n.rank for n in model if n.program.size == size) + 1e-8
                model.remove(broad)
            elif action < 0.6:
                risen = random.choice(model)
                risen.error = (risen.error or 0.0) + 0.1
            elif action < 0.7:
                fallen = random.choice(model)
                fallen.known = 0.05
                waiting.sort()
            assert len(waiting) == len(model)
            least_f = min((each.f for each in model), default=math.inf)
            assert math.isclose(waiting.least_f(), least_f, abs_tol=1e-8)
        kept = len(model) // 2
        evicted = waiting.evict(kept)
        assert len(waiting) == kept and len(evicted) == len(model) - kept
        worst = max((n.rank for n in model if n in waiting), default=0.0)
        assert all(each.rank >= worst - 1e-8 for each in evicted)
        assert set(waiting.clear()) == set(model) - set(evicted) and not len(waiting)


def test_small_programs_are_taken_more_often() -> None:
    waiting = Waiting()
    for node in nodes_of(1, 400):
        waiting.add(node)
    sizes = [node.program.size for _ in range(60) if (node := waiting.pop_broadly())]
    counts = {size: sizes.count(size) for size in set(sizes)}
    assert len(counts) > 2 and counts[min(counts)] >= counts[max(counts)]
