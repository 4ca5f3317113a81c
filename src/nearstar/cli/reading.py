"""Options that say how data files are read, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearstar.cli import values
from nearstar.cli.options import Option, OptionGroup
from nearstar.data.format import DataFormat
from nearstar.data.sequences import Sequences
from nearstar.data.windows import cut

# fmt: off
COLUMNS = OptionGroup(
    "columns of a table",
    (
        Option("sequence", values.text,
               "names the sequence (video, game, trial) of each row; without it all rows are one",
               "COLUMN"),
        Option("frame", values.text, "frame numbers; without it rows are in order", "COLUMN"),
        Option("label", values.text, "labels; an empty cell means unlabelled", "COLUMN"),
        Option("split_by", values.text,
               "animals, games or subjects: none stands both in training and in validation",
               "COLUMN"),
        Option("parts", values.text, "says train, valid or test", "COLUMN"),
        Option("features", values.names,
               "names or patterns with commas between, such as 'nose_*,speed'; for arrays also "
               "places, such as 0-18 (all columns of numbers that have no other role)", "NAMES"),
    ),
)

MEANING = OptionGroup(
    "what is in the data",
    (
        Option("per", values.text,
               "whether a label is of a frame or of a whole sequence (of a sequence, if it never "
               "changes within one)", choices=("frame", "sequence")),
        Option("positive", values.label,
               "learn this label against all others", "LABEL"),
        Option("unlabelled", values.labels,
               "labels that mean none, with commas between, such as -1", "LABELS"),
        Option("missing", values.text, "what to do with missing values (error)",
               choices=("error", "interpolate")),
        Option("window", values.whole, "cut sequences into windows of so many frames", "FRAMES"),
        Option("hop", values.whole,
               "frames from the start of a window to that of the next (no overlap)", "FRAMES"),
    ),
)
# fmt: on

_ROLES = {"split_by": "group", "parts": "part"}
"""Options whose name in DataFormat is another."""


def data_format(settings: Mapping[str, Any]) -> DataFormat:
    """How data are read, by the settings of a command."""
    options = (*COLUMNS.options, *MEANING.options)
    given = {
        _ROLES.get(option.name, option.name): settings[option.name]
        for option in options
        if settings.get(option.name) is not None
    }
    return DataFormat(**given)


def changed(format: DataFormat, settings: Mapping[str, Any]) -> DataFormat:
    """The format of a model with what the command line says otherwise."""
    given = data_format(settings)
    fresh = DataFormat()
    changes = {
        name: getattr(given, name)
        for name in DataFormat.__dataclass_fields__
        if getattr(given, name) != getattr(fresh, name)
    }
    return DataFormat(**{**vars(format), **changes})


def in_windows(sequences: Sequences, format: DataFormat) -> Sequences:
    """The sequences in windows, if the format says so."""
    if format.window is None:
        return sequences
    return cut(sequences, format.window, format.hop).sequences
