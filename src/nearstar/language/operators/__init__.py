"""The built-in operations of the language, one file a family."""

from nearstar.language.operators.combinators import Fold, Map, MapPrefix
from nearstar.language.operators.functions import (
    ADD,
    BUILT_IN,
    DIFFERENCE,
    HARD,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    If,
    if_then_else,
)
from nearstar.language.operators.leaves import Affine, Constant, Few, Group, Input, Select, Terms
from nearstar.language.operators.memory import Memory
from nearstar.language.operators.windows import Last, Window

__all__ = [
    "ADD",
    "BUILT_IN",
    "DIFFERENCE",
    "HARD",
    "MAXIMUM",
    "MINIMUM",
    "MULTIPLY",
    "Affine",
    "Constant",
    "Few",
    "Fold",
    "Group",
    "If",
    "Input",
    "Last",
    "Map",
    "MapPrefix",
    "Memory",
    "Select",
    "Terms",
    "Window",
    "if_then_else",
]
