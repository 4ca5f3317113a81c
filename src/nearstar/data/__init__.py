"""Data on its way in: sequences, files and tables, labels, and built-in examples."""

from nearstar.data.examples.synthetic import (
    HIDDEN_RULE,
    tracking_table,
    two_animals,
    two_animals_split,
)
from nearstar.data.examples.watch import watch_exercises
from nearstar.data.files import Dataset, load_table, read_file
from nearstar.data.format import DataFormat
from nearstar.data.hold_out import hold_out, split_indices
from nearstar.data.labels import Label, class_names, encode
from nearstar.data.recordings import Recordings
from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.data.tables import feature_columns, read_table
from nearstar.data.windows import Windows, cut

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
    "feature_columns",
    "hold_out",
    "load_table",
    "read_file",
    "read_table",
    "split_indices",
    "tracking_table",
    "two_animals",
    "two_animals_split",
    "watch_exercises",
]
