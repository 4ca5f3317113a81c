"""Data on its way in: sequences, their scale, and built-in examples."""

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.data.synthetic import HIDDEN_RULE, two_animals, two_animals_split
from nearstar.data.watch import watch_exercises

__all__ = [
    "HIDDEN_RULE",
    "Scale",
    "Sequences",
    "two_animals",
    "two_animals_split",
    "watch_exercises",
]
