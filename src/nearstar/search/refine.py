"""Refining a program: sketches around it, for a search to start from."""

from __future__ import annotations

from nearstar.program import Hole, Program, open_up, replace, walk
from nearstar.search.space import Space


def neighbours(space: Space, program: Program) -> list[Program]:
    """The program itself, then sketches with one of its parts opened again, or grown.

    A part is opened by putting a hole in its place, which any other part may fill; it is grown by
    putting a rule around it: α becomes ``add(α, ??)``, ``if ?? > 0 then α else ??``, and so on.
    """
    around = [_opened(program), _grown(space, program)]
    sketches = dict.fromkeys(sketch for group in around for sketch in group)
    return [program, *(sketch for sketch in sketches if space.allows(sketch))]


def _opened(program: Program) -> list[Program]:
    """With a hole for each part in turn; not for the whole, which would be another search."""
    return [replace(program, path, Hole(node.signature)) for path, node in walk(program) if path]


def _grown(space: Space, program: Program) -> list[Program]:
    """With each rule around each part, as any of the rule's arguments of its type."""
    grown: list[Program] = []
    for path, node in walk(program):
        for rule in space.grammar.rules(node.signature):
            around = open_up(rule.operation, node.signature)
            for index, argument in enumerate(around.arguments):
                if argument.signature == node.signature:
                    grown.append(replace(program, path, replace(around, (index,), node)))
    return grown
