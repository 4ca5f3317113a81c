"""Where the value of a part is the answer by itself: under maps, at ends, in branches of hard ifs.

A constant there does nothing but name the class of its largest component, so it is printed as that
name and counts as one number to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from nearstar.language.operation import Operation
from nearstar.language.operators import BUILT_IN, Constant, Last, Map, MapPrefix
from nearstar.language.parameters import Block, Theta, layout
from nearstar.language.program import Apply, Path, Program, applied, node_at, walk
from nearstar.language.template import KEYWORDS, VARIABLES, WORD, begins_leaf

_RESERVED = {*KEYWORDS, *VARIABLES, "if", "then", "else", "last", "class"}
_RESERVED |= {function.form[0].text for function in BUILT_IN}


def decides(program: Program, path: Path) -> bool:
    """Whether what stands at a path, or will in the place of a hole, is the answer by itself."""
    for index in path:
        if not isinstance(program, Apply) or index not in passed_on(program.operation):
            return False
        program = program.arguments[index]
    return True


def passed_on(operation: Operation) -> tuple[int, ...]:
    """The arguments whose values are that of an operation as they are."""
    if operation.is_hard:
        return (1, 2)
    return (0,) if isinstance(operation, Map | MapPrefix | Last) else ()


def names_class(program: Program, path: Path) -> bool:
    """Whether a leaf that names a class stands there, and decides."""
    leaf = node_at(program, path)
    return can_name(leaf) and decides(program, path)


def is_misplaced(program: Program) -> bool:
    """Whether a leaf that is to name a class stands where it would not decide."""
    return any(can_name(node) and not decides(program, path) for path, node in walk(program))


def named(program: Program, theta: Theta) -> dict[Path, str]:
    """The classes that leaves name, by path."""
    return {block.path: leaf.named(block.of(theta)[0]) for block, leaf in _naming(program)}


def with_names(program: Program, theta: Theta) -> Theta:
    """The same parameters with those of leaves that name a class made as short as can be."""
    result = np.array(theta, np.float64)
    for block, leaf in _naming(program):
        name = leaf.named(block.of(result)[0])
        block.of(result)[:] = leaf.numbers_of(name, block.outputs)
    return result


@lru_cache(maxsize=4096)
def written_class(name: str) -> str:
    """The name of a class as it stands in text: quoted, if it would be read as something else."""
    plain = re.fullmatch(WORD, name) and name not in _RESERVED and not begins_leaf(name)
    return name if plain else json.dumps(name, ensure_ascii=False)


def _naming(program: Program) -> Iterator[tuple[Block, Constant]]:
    for block in layout(program):
        if names_class(program, block.path):
            leaf = node_at(program, block.path)
            assert isinstance(leaf, Apply) and isinstance(leaf.operation, Constant)
            yield block, leaf.operation


def can_name(node: Program) -> bool:
    """Whether it is a leaf that is to name a class."""
    return isinstance(node, Apply) and is_class(node.operation)


def is_class(operation: Operation) -> bool:
    """Whether it is the leaf that is to name a class."""
    return isinstance(operation, Constant) and bool(operation.classes)


def names_all(program: Program, path: Path = ()) -> bool:
    """Whether what stands at a path is an answer, and is never anything but the name of a class."""
    if not decides(program, path):
        return False
    node = node_at(program, path)
    if not isinstance(node, Apply) or not node.arguments:
        return can_name(node)
    inner = passed_on(node.operation)
    return bool(inner) and all(names_all(program, (*path, index)) for index in inner)


def classes_named(program: Program) -> tuple[str, ...]:
    """The classes that its leaves choose of; none where no leaf names a class."""
    leaves = (node.operation for node in applied(program) if is_class(node.operation))
    return next((each.classes for each in leaves if isinstance(each, Constant)), ())
