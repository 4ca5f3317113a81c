"""What a run remembers: the answers to what its search asked."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import NamedTuple

from nearstar.program import Program
from nearstar.search.protocol import Node
from nearstar.train import Trained


class Question(NamedTuple):
    """All that decides a training, besides task, budget and seed, which are those of the run."""

    program: Program
    goal: float | None
    start: Program | None
    """The program whose parameters it starts from."""

    @classmethod
    def of(cls, node: Node) -> Question:
        return cls(node.program, node.goal, None if node.start is None else node.start.program)


Memory = MutableMapping[Question, Trained]
"""Answers by their questions. With the memory of an earlier run, a search comes to where that one
stopped without training anything again."""
