"""The options of ``nearstar fit``."""

from __future__ import annotations

from nearstar.cli import values
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.reading import COLUMNS, MEANING
from nearstar.fit.fitting import FINALISTS, SEARCHES
from nearstar.training.losses import LOSSES

# fmt: off
LANGUAGE = OptionGroup(
    "what programs are made of",
    (
        Option("domain", values.text,
               "features, groups and rules of a field: one of `nearstar domains`, or a TOML file",
               "NAME|FILE"),
        Option("group", values.assigned(values.names),
               "features that programs weigh together, such as 'position=*_x,*_y'; may be repeated "
               "(those whose names are alike)", "NAME=FEATURES", many=True),
        Option("derive", values.text,
               "a feature computed from tracked points, such as 'distance(nose, tail)', "
               "'speed(nose)' or 'gap = distance(nose1, nose2)'; may be repeated", "FEATURE",
               many=True, default=[]),
        Option("max_depth", values.whole(1), "most rules in a program", "RULES"),
        Option("forbid", values.names, "rules that programs may not use", "RULES", default=()),
        Option("require", values.names, "rules that programs must use", "RULES", default=()),
        Option("sketch", values.text, "a program with ?? for the parts to be found", "TEXT"),
        Option("program", values.text,
               "train exactly this program; numbers in it are where training starts", "TEXT"),
    ),
)

SEARCH = OptionGroup(
    "search",
    (
        Option("search", values.text, "how programs are found (astar)", default="astar",
               choices=tuple(SEARCHES)),
        Option("time", values.duration,
               "how long to search, such as 30s, 5m or 1h30m (1m, unless --trainings is given)",
               "TIME"),
        Option("trainings", values.whole(1),
               "most programs to train; the result is then the same on any machine", "NUMBER"),
        Option("weight", values.not_negative,
               "λ, what structure costs against errors: more gives shorter programs (1)", "NUMBER",
               default=1.0),
        Option("seed", values.whole(0), "of everything that is random (0)", "NUMBER", default=0),
        Option("audit", values.whole(0),
               "check so many parts that the search left, by training a random program of each (0)",
               "NUMBER", default=0),
        Option("finalists", values.whole(0),
               "train so many of the best programs again when the search has ended, for longer and "
               f"more often, before one is chosen ({FINALISTS})", "NUMBER", default=FINALISTS),
    ),
)

MACHINES = OptionGroup(
    "machines",
    (
        Option("workers", values.whole(1), "programs trained at a time (one for each core)",
               "NUMBER"),
        Option("cluster", values.text,
               "train on a Dask cluster: the address of its scheduler, such as tcp://host:8786, or "
               "its scheduler file", "ADDRESS"),
        Option("cache", values.text,
               "the folder of another run on the same data with the same seed, whose trainings are "
               "used again; may be repeated", "RUN", many=True, default=[]),
    ),
)

TRAINING = OptionGroup(
    "training",
    (
        Option("validation", values.text,
               "the share of the sequences that programs are compared on, or a file of them (0.25)",
               "SHARE|FILE"),
        Option("test", values.text, "a file to test the result on", "FILE"),
        Option("class_weight", values.class_weight,
               "weights of the labels in training, such as 'sniff=3,other=1', or balanced",
               "WEIGHTS"),
        Option("loss", values.text,
               "what training lowers; f1 weighs two labels as the best F1 needs it (f1 for two "
               "labels without weights, else cross-entropy)",
               choices=tuple(LOSSES)),
        Option("threshold", values.text,
               "tuned: choose on the validation data how readily each label is given (as trained)",
               choices=("trained", "tuned"), default="trained"),
        Option("epochs", values.whole(1), "for programs", "NUMBER"),
        Option("neural_epochs", values.whole(1), "for programs with networks in holes", "NUMBER"),
        Option("learning_rate", values.positive, "of Adam", "NUMBER"),
        Option("batch_size", values.whole(1), "sequences in a batch", "NUMBER"),
        Option("units", values.units, "most and least hidden units of a network",
               "MOST,LEAST"),
        Option("restarts", values.whole(1, 1000), "trainings of each program; the best one counts",
               "NUMBER"),
    ),
)

OUTPUT = OptionGroup(
    "output",
    (
        Option("out", values.text, "folder for the run (named after the data)", "DIR"),
        Option("json", values.switch, "print one JSON object, and nothing else", default=False),
        Option("quiet", values.switch, "no progress display", default=False),
    ),
)
# fmt: on

OPTIONS = (COLUMNS, MEANING, LANGUAGE, SEARCH, TRAINING, MACHINES, OUTPUT)
PASSING = ("cluster", "cache", "out", "json", "quiet")
"""Settings of which nothing that is found depends."""
FILES = ("data", "validation", "test", "domain")
"""Settings that may be paths of files."""
