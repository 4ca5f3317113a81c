"""The built-in operations of the language, one file a family."""

from nearstar.library.combinators import Fold, Map, MapPrefix
from nearstar.library.functions import (
    ADD,
    BUILT_IN,
    DIFFERENCE,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    if_then_else,
)
from nearstar.library.leaves import Affine, Constant, Group, Input, Select
from nearstar.library.windows import Window

__all__ = [
    "ADD",
    "BUILT_IN",
    "DIFFERENCE",
    "MAXIMUM",
    "MINIMUM",
    "MULTIPLY",
    "Affine",
    "Constant",
    "Fold",
    "Group",
    "Input",
    "Map",
    "MapPrefix",
    "Select",
    "Window",
    "if_then_else",
]
