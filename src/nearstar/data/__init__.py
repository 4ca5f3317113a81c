"""Data on its way in: from files, tables and arrays to sequences.

A file is given to its reader (`readers`), which makes a table with a row for each frame, or arrays
by part. Either becomes `Raw`: columns of numbers, where sequences begin, labels of any type. Then
gaps are filled, features derived and labels numbered, which makes `Recordings`: `Sequences`, which
all the rest works on, with what the source called them. They are split, and cut to windows.
"""

from nearstar.data.cutting import Windows, cut
from nearstar.data.examples.exercises import watch_exercises
from nearstar.data.examples.synthetic import (
    HIDDEN_RULE,
    tracking_table,
    two_animals,
    two_animals_split,
)
from nearstar.data.files import Dataset, read_file
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, class_names, encode
from nearstar.data.recordings import Recordings
from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.data.splits import hold_out, split_indices
from nearstar.data.tables import read_table

__all__ = [
    "HIDDEN_RULE",
    "DataFormat",
    "Dataset",
    "Label",
    "Recordings",
    "Scale",
    "Sequences",
    "Windows",
    "class_names",
    "cut",
    "encode",
    "hold_out",
    "read_file",
    "read_table",
    "split_indices",
    "tracking_table",
    "two_animals",
    "two_animals_split",
    "watch_exercises",
]
