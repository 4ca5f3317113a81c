"""Trees of classes: hard ifs down to leaves that name one; how they grow and are cut back."""

from __future__ import annotations

from collections.abc import Iterator

from nearstar.language.choosing import places
from nearstar.language.deciding import can_name, decides
from nearstar.language.grammar import Grammar
from nearstar.language.operators import Last, Map
from nearstar.language.program import (
    Apply,
    Hole,
    Program,
    applied,
    first_hole,
    node_at,
    open_up,
    replace,
    walk,
)
from nearstar.language.types import Signature


def is_tree(program: Program) -> bool:
    """Whether it tells classes by hard ifs alone, with conditions that choose their terms."""
    leaves = [(decides(program, path), node) for path, node in walk(program) if not node.arguments]
    answers = [node for answers, node in leaves if answers]
    conditions = [node for answers, node in leaves if not answers]
    return (
        all(map(can_name, answers))
        and all(isinstance(each, Apply) and each.operation.chooses_terms for each in conditions)
        and len(conditions) == len(answers) - 1 > 0  # a condition is a leaf, and nothing else
    )


def giving_up(program: Program) -> int:
    """How many leaves read everything at first and then give up terms, which takes long; none of a
    tree, whose conditions start with one term each."""
    return 0 if is_tree(program) else len(places(program))


def smallest_tree(grammar: Grammar) -> Program | None:
    """The program that names one class for all there is; None if the grammar has none."""
    program: Program = Hole(grammar.root)
    while (path := first_hole(program)) is not None:
        _, opened = grammar.openings(program, None)
        around = [each for each in opened if isinstance(_operation(each), Map | Last)]
        found = next(filter(can_name, opened), None) or next(iter(around), None)
        if found is None:
            return None
        program = replace(program, path, found)
    return program


def choice(grammar: Grammar, signature: Signature) -> Apply | None:
    """An ``if`` between two classes, by the leaf that may choose of most; None if there is none."""
    for rule in grammar.rules(signature):
        if rule.operation.is_hard:
            opened = open_up(rule.operation, signature)
            asked, *others = opened.arguments
            leaves = [each.operation for each in grammar.rules(asked.signature)]
            leaves = [each for each in leaves if each.chooses_terms]
            answers = (open_up(each.operation, signature) for each in grammar.rules(signature))
            answer = next(filter(can_name, answers), None)
            if leaves and answer is not None:
                most = max(leaves, key=lambda each: len(each.columns(asked.signature)))
                return opened.on((open_up(most, asked.signature), *(answer for _ in others)))
    return None


def split(program: Program, grammar: Grammar) -> Iterator[Program]:
    """The tree with a choice of two classes in the place of each of its answers."""
    for path, node in walk(program):
        if can_name(node) and (found := choice(grammar, node.signature)) is not None:
            yield replace(program, path, found)


def cut_back(program: Program) -> Iterator[Program]:
    """The tree with a class in the place of each of its choices, but the first one."""
    answer = next(filter(can_name, applied(program)), None)
    choices = [path for path, node in walk(program) if _is_choice(node)]
    for path in choices[1:]:
        if answer is not None and node_at(program, path).signature == answer.signature:
            yield replace(program, path, answer)


def _is_choice(node: Program) -> bool:
    return isinstance(node, Apply) and node.operation.is_hard


def _operation(program: Program) -> object:
    return program.operation if isinstance(program, Apply) else None
