"""What is one step away from a program; and sketches around it, for a search to start from."""

from __future__ import annotations

from nearstar.language.program import Apply, Hole, Program, open_up, replace, walk
from nearstar.search.space import Space


def neighbours(space: Space, program: Program) -> list[Program]:
    """The program itself, then sketches with one of its parts opened again, or grown."""
    sketches = dict.fromkeys((*opened(space, program), *grown(space, program)))
    return [program, *(sketch for sketch in sketches if space.allows(sketch))]


def opened(space: Space, program: Program) -> list[Program]:
    """With a hole for each part in turn; not for the whole, which would be another search."""
    return [replace(program, path, Hole(node.signature)) for path, node in walk(program) if path]


def grown(space: Space, program: Program) -> list[Program]:
    """With each rule around each part: α becomes ``add(α, ??)``, ``if ?? > 0 then α else ??``, …"""
    grown: list[Program] = []
    for path, node in walk(program):
        for rule in space.grammar.rules(node.signature):
            around = open_up(rule.operation, node.signature)
            for index, argument in enumerate(around.arguments):
                if argument.signature == node.signature:
                    grown.append(replace(program, path, replace(around, (index,), node)))
    return grown


def swapped(space: Space, program: Program) -> list[Program]:
    """With another rule in the place of each, on the same arguments: add becomes multiply, …"""
    swapped: list[Program] = []
    for path, node in walk(program):
        if not isinstance(node, Apply):
            continue
        for rule in space.grammar.rules(node.signature):
            other = open_up(rule.operation, node.signature)
            same_arguments = other.production.arguments == node.production.arguments
            if same_arguments and other.operation != node.operation:
                swapped.append(replace(program, path, other.on(node.arguments)))
    return swapped


def dropped(space: Space, program: Program) -> list[Program]:
    """Without each rule, with one of its arguments in its place: add(α, β) becomes α, or β."""
    return [
        replace(program, path, argument)
        for path, node in walk(program)
        for argument in node.arguments
        if argument.signature == node.signature
    ]


STEPS = (opened, grown, swapped, dropped)
"""All kinds of steps; each gives programs and sketches, also such as a space does not allow."""
