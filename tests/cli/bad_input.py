"""Bad inputs of the command line: how each is made, and words that its message must have.

``python tests/cli/bad_input.py`` prints what is said about each.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import resource
import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nearstar.cli import main
from nearstar.data.format import DataFormat
from nearstar.language.domain import Domain
from nearstar.model.model import Model

FIT = "fit mice.csv --sequence video --frame frame --label does --trainings 3"
PLAIN = "fit bad.csv --sequence video --frame frame --label does --trainings 3"
ARRAYS = "fit bad.npz --trainings 3"


@dataclass(frozen=True)
class Case:
    """A command that cannot do what it is asked for."""

    name: str
    command: str
    words: tuple[str, ...]
    """Parts of the message."""
    make: Callable[[], object] = lambda: None
    """Makes what is bad, in the working directory."""
    code: int = 1

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command)


def good_table() -> pd.DataFrame:
    """Six videos of eight frames, with labels that alternate."""
    rng = np.random.default_rng(0)
    n = 48
    speed = rng.normal(size=n)
    return pd.DataFrame(
        {
            "video": np.repeat([f"v{i}" for i in range(6)], 8),
            "frame": np.tile(np.arange(8), 6),
            "animal": np.repeat([f"m{i}" for i in range(3)], 16),
            "nose_x": rng.normal(size=n).round(3),
            "nose_y": rng.normal(size=n).round(3),
            "speed": speed.round(3),
            "does": np.where(speed > 0, "run", "sit"),
        }
    )


def good_model(**changes: Any) -> Model:
    """A model of the table, made without training."""
    features = ("nose_x", "nose_y", "speed")
    domain = Domain.of_features(features, {"speed": ["speed"]})
    format = DataFormat(sequence="video", frame="frame", label="does", per="frame")
    return Model.from_text(
        "map (fun x_t. SpeedAffine[1; 0](x_t)) x",
        domain,
        domain.signature(1, per_frame=True),
        ("sit", "run"),
        format=format,
        **changes,
    )


def per_sequence_model() -> Model:
    """One that labels whole sequences."""
    domain = Domain.of_features(("nose_x", "nose_y", "speed"), {"speed": ["speed"]})
    return Model.from_text(
        "SlidingWindowAverage5(SpeedAffine[1; 0](x))",
        domain,
        domain.signature(1, per_frame=False),
        ("sit", "run"),
        format=DataFormat(sequence="video", frame="frame", label="does", per="sequence"),
    )


@contextlib.contextmanager
def workshop() -> Iterator[Path]:
    """A folder with a good table and a good model, which is the working directory meanwhile."""
    before, limit = Path.cwd(), resource.getrlimit(resource.RLIMIT_FSIZE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            good_table().to_csv("mice.csv", index=False)
            good_model().save("model.json")
            yield Path(folder)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            os.chdir(before)


# Ways to make things bad


def text(path: str, content: str | bytes) -> Callable[[], object]:
    data = content.encode() if isinstance(content, str) else content
    return lambda: Path(path).write_bytes(data)


def table(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[], object]:
    return lambda: change(good_table()).to_csv("bad.csv", index=False)


def at(row: int, column: str, value: Any) -> Callable[[], object]:
    """The table with one value changed."""

    def change(good: pd.DataFrame) -> pd.DataFrame:
        changed = good.astype({column: object})
        changed.loc[row, column] = value
        return changed

    return table(change)


def set_to(column: str, value: Any) -> Callable[[], object]:
    return table(lambda good: good.assign(**{column: value}))


def npz(**arrays: Any) -> Callable[[], object]:
    return lambda: np.savez("bad.npz", **arrays)


def model_with(**changes: Any) -> Callable[[], object]:
    """The model's file with other contents."""

    def make() -> None:
        contents = json.loads(Path("model.json").read_text("utf-8"))
        Path("model.json").write_text(json.dumps({**contents, **changes}), "utf-8")

    return make


class Hostile:
    """Leaves a file behind where its pickle is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("executed"),)


def pickled() -> None:
    np.save("bad.npy", np.array([Hostile()], dtype=object), allow_pickle=True)


def folder_without_labels() -> None:
    Path("arrays").mkdir()
    np.save("arrays/train_data.npy", X)


def only_pickled() -> None:
    Path("bad.npy").write_bytes(pickle.dumps(Hostile()))


def full_disk() -> None:
    """Files may not grow beyond a few bytes; the workshop takes the limit back."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def folder_with_a_file() -> None:
    Path("full").mkdir()
    Path("full/mine.txt").touch()


def two_labels_in_two_sequences() -> None:
    good = good_table().iloc[:16]
    good.assign(does=np.repeat(["run", "sit"], 8)).to_csv("bad.csv", index=False)


X, Y = np.zeros((4, 5, 2)), np.arange(20).reshape(4, 5) % 2
TS = "@problemName toy\n@timeStamps {}\n@classLabel true a b\n@data\n"
DOMAIN = 'name = "mine"\nfeatures = ["nose_x", "nose_y", "speed"]\n'

CASES = (
    # Files
    Case("no such file", "fit mouse.csv --label does", ("no file", "mice.csv")),
    Case("a name that is no text", "fit '\udcff.csv'", ("UTF-8",)),
    Case("no such folder", "fit nowhere/mice.csv --label does", ("no directory", "nowhere")),
    Case("an empty file", PLAIN, ("bad.csv is empty",), text("bad.csv", "")),
    Case("a header alone", PLAIN, ("bad.csv", "no rows"), table(lambda good: good.iloc[:0])),
    Case("only blank lines", PLAIN, ("bad.csv", "empty"), text("bad.csv", "\n\n\n")),
    Case(
        "semicolons between fields",
        PLAIN,
        ("bad.csv", "semicolons"),
        text("bad.csv", "video;frame;does\na;1;run\n"),
    ),
    Case(
        "rows longer than the header",
        PLAIN,
        ("bad.csv", "cannot be read as a table"),
        text("bad.csv", "video,frame,does\na,1,run\na,2,run,7,8\n"),
    ),
    Case("not UTF-8", PLAIN, ("bad.csv", "UTF-8"), text("bad.csv", b"video,does\n\xff\xfe,a\n")),
    Case("binary data", PLAIN, ("bad.csv",), text("bad.csv", bytes(range(256)) * 4)),
    Case("a directory", "fit . --label does", ("directory", "_data.npy")),
    Case("below a file", "fit mice.csv/more.csv --label does", ("mice.csv", "no")),
    Case("an unknown ending", "fit bad.xlsx --label does", (".xlsx", ".csv"), text("bad.xlsx", "")),
    Case("no ending", "fit bad --label does", ("no ending", ".csv"), text("bad", "")),
    Case(
        "a Parquet file that is none",
        "fit bad.parquet --label does",
        ("bad.parquet", "Parquet"),
        text("bad.parquet", "video,does\n"),
    ),
    Case(
        "an archive that is none",
        "fit bad.csv.gz --label does",
        ("bad.csv.gz", "damaged"),
        text("bad.csv.gz", "video,does\n"),
    ),
    # Columns
    Case("a mistyped label column", FIT + " --label dose", ("'dose'", "did you mean 'does'?")),
    Case("a mistyped sequence", FIT + " --sequence vidoe", ("sequence", "did you mean 'video'?")),
    Case("a mistyped feature", FIT + " --features spede", ("'spede'", "did you mean 'speed'?")),
    Case("a pattern of nothing", FIT + " --features 'tail_*'", ("'tail_*'", "nose_x")),
    Case("a text column as feature", FIT + " --features animal", ("'animal'", "numbers")),
    Case("the label as feature", FIT + " --features does", ("'does'", "label")),
    Case("one column for two roles", FIT + " --split-by video", ("'video'", "sequence")),
    Case("no label column given", "fit mice.csv --sequence video", ("--label COLUMN",)),
    Case(
        "columns called the same",
        PLAIN,
        ("two columns", "'speed'"),
        text("bad.csv", "video,frame,does,speed,speed\na,0,run,1,2\n"),
    ),
    Case(
        "no features at all",
        PLAIN,
        ("no columns of numbers",),
        table(lambda good: good[["video", "frame", "animal", "does"]]),
    ),
    # Values
    Case(
        "a missing value",
        PLAIN,
        ("missing", "'v1'", "frame 2", "'speed'", "--missing interpolate"),
        at(10, "speed", np.nan),
    ),
    Case(
        "a column that is empty",
        PLAIN + " --missing interpolate",
        ("'speed'", "nothing to interpolate"),
        set_to("speed", np.nan),
    ),
    Case("an infinite value", PLAIN, ("infinite", "'v1'", "'speed'"), at(10, "speed", np.inf)),
    Case("text among numbers", PLAIN, ("'speed'", "'fast'", "row 11"), at(10, "speed", "fast")),
    Case("values of 1e39", PLAIN, ("32-bit", "1e+39", "'speed'"), at(10, "speed", 1e39)),
    # Frames and sequences
    Case(
        "rows of a sequence apart",
        "fit bad.csv --sequence video --label does",
        ("'v0' continues", "sort", "frame numbers"),
        table(lambda good: pd.concat([good.iloc[4:], good.iloc[:4]])),
    ),
    Case("a frame twice", PLAIN, ("'v0', frame 2", "again"), at(3, "frame", 2)),
    Case("a gap", PLAIN, ("'v0', frame 2", "step of 2"), table(lambda good: good.drop(index=3))),
    Case("a frame without a number", PLAIN, ("'frame'", "row 4"), at(3, "frame", "third")),
    Case("a row of no sequence", PLAIN, ("'video'", "row 4"), at(3, "video", np.nan)),
    Case(
        "a group that changes",
        PLAIN + " --split-by animal",
        ("'animal' changes", "'v0', frame 3"),
        at(3, "animal", "m2"),
    ),
    Case(
        "all of one group",
        PLAIN + " --split-by animal",
        ("one group", "validation"),
        set_to("animal", "m0"),
    ),
    Case("an unknown part", FIT + " --parts animal", ("'animal'", "'m0'", "train, valid, test")),
    Case(
        "parts without training",
        PLAIN + " --parts animal",
        ("no training part", "valid"),
        set_to("animal", "valid"),
    ),
    Case(
        "a test label that training lacks",
        PLAIN + " --parts animal",
        ("test", "'jump'", "training"),
        table(
            lambda good: good.assign(
                animal=np.repeat(["train", "valid", "test"], 16),
                does=good["does"].where(good.index < 47, "jump"),
            )
        ),
    ),
    Case(
        "a share of a file that has parts",
        PLAIN + " --parts animal --validation 0.5",
        ("part for validation", "leave --validation out"),
        set_to("animal", np.repeat(["train", "valid", "test"], 16)),
    ),
    # Labels
    Case("one class", PLAIN, ("only one class, 'run'", "two"), set_to("does", "run")),
    Case("no label at all", PLAIN, ("no label",), set_to("does", None)),
    Case(
        "labels that are measurements",
        "fit bad.csv --label value",
        ("40000 different labels", "measurements"),
        lambda: pd.DataFrame({"value": np.arange(40_000) / 7, "x": 1.0}).to_csv(
            "bad.csv", index=False
        ),
    ),
    Case(
        "a label that changes in a sequence",
        FIT + " --per sequence",
        ("'v0'", "one label for the whole sequence", "--per frame"),
    ),
    Case("an unknown positive label", FIT + " --positive runs", ("'runs'", "did you mean 'run'?")),
    Case(
        "a weight for no label",
        FIT + " --class-weight runs=3",
        ("'runs'", "did you mean 'run'?"),
    ),
    Case("a weight that is none", FIT + " --class-weight run=lots", ("--class-weight", "number")),
    Case("a negative weight", FIT + " --class-weight run=-1", ("weight", "'run'", "-1")),
    Case("an unknown loss", FIT + " --loss f2", ("--loss", "'f2'", "f1", "cross-entropy")),
    Case(
        "the F1 of more than two labels",
        PLAIN + " --loss f1",
        ("'f1'", "two classes", "there are 3", "cross-entropy"),
        table(lambda t: t.assign(does=np.tile(["run", "sit", "jump"], 16))),
    ),
    Case("half a finalist", FIT + " --finalists 0.5", ("--finalists", "whole number", "0.5")),
    Case(
        "validation labels that training lacks",
        FIT + " --validation bad.csv",
        ("--validation", "bad.csv", "'jump'", "'v1', frame 2", "run"),
        at(10, "does", "jump"),
    ),
    Case(
        "one sequence of one frame",
        PLAIN,
        ("one class",),
        table(lambda good: good.iloc[:1]),
    ),
    Case(
        "one sequence for each label",
        "fit bad.csv --sequence video --frame frame --label does",
        ("only the label", "--validation 0"),
        two_labels_in_two_sequences,
    ),
    # Arrays
    Case("X that is flat", ARRAYS, ("X", "(7,)", "sequences, frames"), npz(X=np.zeros(7))),
    Case("labels for frames of vectors", ARRAYS, ("(4, 5)", "(4,)"), npz(X=X[:, 0], y=Y)),
    Case("labels of another length", ARRAYS, ("(4, 3)", "(4, 5)"), npz(X=X, y=Y[:, :3])),
    Case("fewer labels than sequences", ARRAYS, ("(3,)", "(4,)"), npz(X=X, y=Y[:3, 0])),
    Case("no X in the archive", ARRAYS, ("data", "X_train"), npz(data=X, y=Y)),
    Case("no labels in the archive", ARRAYS, ("no labels",), npz(X=X)),
    Case("no labels in a folder of arrays", "fit arrays", ("no labels",), folder_without_labels),
    Case("texts in X", ARRAYS, ("X", "real numbers"), npz(X=X.astype(str), y=Y)),
    Case("complex numbers in X", ARRAYS, ("complex", "real numbers"), npz(X=X + 1j, y=Y)),
    Case("NaN in X", ARRAYS, ("missing", "sequence 0, frame 0"), npz(X=X * np.nan, y=Y)),
    Case("no frames in X", ARRAYS, ("(4, 0, 2)",), npz(X=X[:, :0], y=Y[:, :0])),
    Case("lengths beyond X", ARRAYS, ("length 9", "1 to 5"), npz(X=X, y=Y, lengths=[9, 1, 1, 1])),
    Case("a place beyond the columns", ARRAYS + " --features 0-5", ("0-5", "2"), npz(X=X, y=Y)),
    Case(
        "parts with other features",
        ARRAYS,
        ("train", "valid", "features"),
        npz(X_train=X, y_train=Y, X_valid=X[..., :1], y_valid=Y),
    ),
    Case("an archive that is none (NumPy)", ARRAYS, ("bad.npz",), text("bad.npz", "PK\3\4")),
    Case("a pickled array", "fit bad.npy", ("pickled", "run code"), pickled),
    Case("a pickle", "fit bad.npy", ("pickled", "run code"), only_pickled),
    Case("labels without data", "fit a_labels.npy", ("a_data.npy",), text("a_labels.npy", "")),
    Case(
        "time stamps",
        "fit bad.ts",
        ("time stamps",),
        text("bad.ts", TS.format("true") + "(0,1):a\n"),
    ),
    Case(
        "an undeclared class",
        "fit bad.ts",
        ("line 5", "'c'", "a, b"),
        text("bad.ts", TS.format("false") + "1,2:c\n"),
    ),
    Case("no @data", "fit bad.ts", ("@data",), text("bad.ts", "1,2,3:a\n")),
    # The language
    Case("an unknown domain", FIT + " --domain crim14", ("'crim14'", "did you mean 'crim13'?")),
    Case("no such domain file", FIT + " --domain my.toml", ("my.toml", "cannot be read")),
    Case(
        "a domain that is no TOML",
        FIT + " --domain bad.toml",
        ("bad.toml", "not valid TOML"),
        text("bad.toml", "features = ["),
    ),
    Case(
        "a key of a domain",
        FIT + " --domain bad.toml",
        ("'feautures'", "did you mean 'features'?"),
        text("bad.toml", "feautures = 3"),
    ),
    Case(
        "a rule of a domain",
        FIT + " --domain bad.toml",
        ("mapp", "did you mean 'map'?"),
        text("bad.toml", DOMAIN + '[rules]\nsequences = ["mapp"]'),
    ),
    Case(
        "a domain of other features",
        FIT + " --domain crim13",
        ("feature", "x1"),
    ),
    Case(
        "a domain of more features",
        ARRAYS + " --domain crim13",
        ("2 features", "19", "--features"),
        npz(X=X, y=Y),
    ),
    Case("an unknown forbidden rule", FIT + " --forbid iff", ("'iff'", "did you mean 'if'?")),
    Case("an unknown required rule", FIT + " --require memry", ("did you mean 'memory'?",)),
    Case("nothing left to use", FIT + " --forbid map,mapprefix", ("forbidden", "no rule")),
    Case("too small a depth", FIT + " --max-depth 1", ("no program", "1 rule")),
    Case(
        "too few numbers",
        FIT + " --trees --numbers 2 --require if",
        ("at most 2 numbers to read", "least 3 numbers"),
    ),
    Case("no numbers", FIT + " --numbers 0", ("--numbers", "from 1", "'0'")),
    Case(
        "too few numbers for a program",
        FIT + " --numbers 3 --sketch 'map (fun x_t. if SpeedAffine(x_t) > 0 then ?? else ??) x'",
        ("no completion of the sketch", "at most 3 numbers to read"),
    ),
    Case(
        "too few numbers for a bank",
        FIT + " --bank terms --numbers 1",
        ("at most 1 number to read", "least 2 numbers"),
    ),
    Case(
        "too few numbers where no class can be named",
        FIT + " --trees --numbers 3 --require add",
        ("at most 3 numbers to read", "least 4 numbers"),
    ),
    Case(
        "classes with nothing to choose them by",
        FIT + " --trees --forbid affine --require if",
        ("no program", "no affine", "at least one if"),
    ),
    Case(
        "too few numbers for a given program",
        FIT + " --numbers 2 --program 'map (fun x_t. if speed > 1 then run else sit) x'",
        ("--numbers 2", "at least 3 numbers"),
    ),
    Case(
        "a class that there is not",
        FIT + " --sketch 'map (fun x_t. if ?? > 0 then rum else ??) x'",
        ("'rum'", "did you mean run?", "^"),
    ),
    Case("trees without a bank", FIT + " --trees --bank none", ("--trees", "--bank terms")),
    Case("no terms", FIT + " --bank terms --terms 0", ("--terms", "from 1", "'0'")),
    Case(
        "terms that nobody chooses", FIT + " --terms 3 --bank none", ("--terms 3", "--bank terms")
    ),
    Case(
        "a star that chooses nothing",
        FIT + " --bank terms --sketch 'map (fun x_t. Affine{*0}(x_t)) x'",
        ("whole number from 1 after '*'", "^"),
    ),
    Case(
        "a star without its end",
        FIT + " --bank terms --sketch 'map (fun x_t. Affine{*3, speed}(x_t)) x'",
        ("expected '}' after '*3'", "^"),
    ),
    Case(
        "a list of a group's features",
        FIT + " --sketch 'map (fun x_t. SpeedAffine{speed}(x_t)) x'",
        ("expected '*'", "Affine{…}", "^"),
    ),
    Case("a group without =", FIT + " --group speed", ("--group", "NAME=VALUE", "'speed'")),
    Case("a group of nothing", FIT + " --group 'a=tail*'", ("--group a", "'tail*'", "nose_x")),
    Case("a group's name", FIT + " --group '1a=speed'", ("'1a'", "letters")),
    Case(
        "a derived feature's syntax",
        FIT + " --derive 'distance(nose, '",
        ("distance(nose,", "^", "expected"),
    ),
    Case(
        "an unknown function",
        FIT + " --derive 'sped(nose)'",
        ("'sped'", "did you mean 'speed'?"),
    ),
    Case(
        "an unknown point",
        FIT + " --derive 'speed(noes)'",
        ("'noes'", "did you mean 'nose'?"),
    ),
    Case(
        "a derived feature called as a column",
        FIT + " --derive 'speed = speed(nose)'",
        ("'speed'", "another name"),
    ),
    Case(
        "a sketch of the wrong type",
        FIT + " --sketch 'map (fun x_t. fold (fun y. ??) c x_t) x'",
        ("^", "fold"),
    ),
    Case("a sketch that does not end", FIT + " --sketch 'map (fun x_t. ??'", ("^", "expected")),
    Case(
        "an unknown leaf",
        FIT + " --program 'map (fun x_t. SpedAffine(x_t)) x'",
        ("^", "did you mean SpeedAffine?"),
    ),
    Case("a program with a hole", FIT + " --program 'map (fun x_t. ??) x'", ("hole", "--sketch")),
    Case("a sketch and a program", FIT + " --sketch '??' --program '??'", ("give only one",)),
    Case("parameters too few", FIT + " --program 'map (fun x. SpeedAffine[1](x)) x'", ("^",)),
    # Flags and config files
    Case("no command", "", (), code=2),
    Case("an unknown command", "fti mice.csv", ("'fti'", "did you mean fit?"), code=2),
    Case("an unknown flag", FIT + " --tiem 5", ("--tiem", "did you mean --time?"), code=2),
    Case("a flag without value", FIT + " --time", ("--time needs a value",), code=2),
    Case("a value without flag", FIT + " speed", ("'speed' is too much",), code=2),
    Case("no data", "fit --label does", ("fit needs DATA",), code=2),
    Case("no model", "predict", ("predict needs MODEL, DATA",), code=2),
    Case("a time in words", FIT + " --time soon", ("--time", "'soon'", "5m")),
    Case("no time", FIT + " --time 0", ("--time", "above 0")),
    Case("a negative time", FIT + " --time=-5s", ("--time", "'-5s'")),
    Case("no trainings", FIT + " --trainings 0", ("--trainings", "from 1", "'0'")),
    Case("a negative seed", FIT + " --seed -1", ("--seed", "from 0", "'-1'")),
    Case("no workers", FIT + " --workers 0", ("--workers", "from 1")),
    Case("a negative price", FIT + " --weight -1", ("--weight", "from 0", "-1")),
    Case("a price that is none", FIT + " --weight nan", ("--weight", "finite")),
    Case("a learning rate of 0", FIT + " --learning-rate 0", ("--learning-rate", "above 0")),
    Case("an empty window", FIT + " --window 0", ("--window", "from 1")),
    Case("a hop without window", FIT + " --hop 2", ("hop", "window")),
    Case("a hop beyond the window", FIT + " --window 2 --hop 3", ("hop is 3", "window 2")),
    Case("one size for two", FIT + " --units 8", ("--units", "two whole numbers")),
    Case("sizes the wrong way round", FIT + " --units 2,8", ("units", "8")),
    Case("an unknown search", FIT + " --search atsar", ("--search", "did you mean 'astar'?")),
    Case("an unknown way", FIT + " --missing guess", ("--missing", "interpolate")),
    Case("too large a share", FIT + " --validation 1.5", ("--validation", "1.5")),
    Case("a share that is a word", FIT + " --validation some", ("--validation", "some")),
    Case("a test share", FIT + " --test 0.2", ("--test", "no file 0.2")),
    Case("no such config", FIT + " --config my.toml", ("my.toml", "cannot be read")),
    Case(
        "a config that is no TOML",
        FIT + " --config bad.toml",
        ("bad.toml", "not valid TOML"),
        text("bad.toml", "time = 5m"),
    ),
    Case(
        "an unknown setting",
        FIT + " --config bad.toml",
        ("'tiem'", "did you mean 'time'?"),
        text("bad.toml", "tiem = '5m'"),
    ),
    Case(
        "a setting of a wrong type",
        FIT + " --config bad.toml",
        ("--seed", "whole number", "'one'"),
        text("bad.toml", "seed = 'one'"),
    ),
    Case(
        "a table for a text",
        FIT + " --config bad.toml",
        ("--domain", "expected text"),
        text("bad.toml", "[domain]\nname = 'mine'"),
    ),
    # Where results go
    Case("a folder in use", FIT + " --out full", ("full", "not empty"), folder_with_a_file),
    Case("a file as folder", FIT + " --out mice.csv", ("mice.csv", "no folder")),
    Case("a folder below a file", FIT + " --out mice.csv/run", ("mice.csv/run", "Not a directory")),
    Case("predictions of an unknown kind", "predict model.json mice.csv --out a.xls", (".csv",)),
    Case("predictions into nowhere", "predict model.json mice.csv --out a/b.csv", ("a/b.csv",)),
    Case("predictions over data", "predict model.json mice.csv --out mice.csv", ("itself",)),
    Case(
        "a full disk",
        "predict model.json mice.csv --out full.csv",
        ("full.csv", "File too large"),
        full_disk,
    ),
    Case("an export into nowhere", "export model.json --to latex --out a/b.tex", ("a/b.tex",)),
    Case("a table that is there", "demo --table mice.csv", ("mice.csv", "already")),
    # Models
    Case("no such model", "show modle.json", ("modle.json", "model.json")),
    Case("a folder without model", "show full", ("full", "model.json"), folder_with_a_file),
    Case("a model that is no JSON", "show mice.csv", ("mice.csv", "not JSON")),
    Case(
        "a model that is another JSON",
        "show bad.json",
        ("bad.json", "nearstar-model"),
        text("bad.json", "{}"),
    ),
    Case("a newer model", "show model.json", ("version", "upgrade"), model_with(version=99)),
    Case("a damaged model", "show model.json", ("'theta'",), model_with(theta="many")),
    Case(
        "data of other columns",
        "predict model.json bad.csv",
        ("'speed'", "spede"),
        table(lambda good: good.rename(columns={"speed": "spede"})),
    ),
    Case(
        "data without the sequence",
        "predict model.json bad.csv",
        ("'video'", "sequence"),
        table(lambda good: good.drop(columns="video")),
    ),
    Case("arrays of other columns", "predict model.json bad.npz", ("2", "3"), npz(X=X, y=Y)),
    Case(
        "an unknown part to predict",
        "predict model.json mice.csv --part tset",
        ("not divided", "--part"),
    ),
    Case(
        "a part that is not there",
        "predict model.json bad.csv --parts animal --part tset",
        ("'tset'", "did you mean 'test'?"),
        set_to("animal", np.repeat(["train", "valid", "test"], 16)),
    ),
    Case(
        "values no program survives",
        "predict model.json bad.csv",
        ("infinite", "'speed'"),
        at(10, "speed", np.inf),
    ),
    Case(
        "labels that the model does not know",
        "evaluate model.json bad.csv",
        ("'jump'", "'v1', frame 2", "sit, run"),
        at(10, "does", "jump"),
    ),
    Case(
        "evaluating without labels",
        "evaluate model.json bad.csv",
        ("'does'", "label"),
        table(lambda good: good.drop(columns="does")),
    ),
    Case(
        "evaluating arrays without labels",
        "evaluate model.json bad.npz",
        ("no labels",),
        lambda: (
            good_model().save("model.json"),
            model_with(data_format=None)(),
            np.savez("bad.npz", X=np.zeros((2, 4, 3))),
        ),
    ),
    Case("an overlap of 0", "evaluate model.json mice.csv --overlap 0", ("overlap", "0")),
    Case("bouts of 0 frames", "predict model.json mice.csv --min-bout 0", ("--min-bout", "from 1")),
    Case(
        "bouts of whole sequences",
        "predict model.json mice.csv --min-bout 3",
        ("--min-bout", "labels sequences"),
        lambda: per_sequence_model().save("model.json"),
    ),
    Case("an unknown sequence", "explain model.json mice.csv --only v9", ("'v9'", "v0")),
    Case("an export of no kind", "export model.json", ("--to", "python")),
    Case("an export of another kind", "export model.json --to pyton", ("did you mean 'python'?",)),
    Case("ONNX on the screen", "export model.json --to onnx", ("--out FILE",)),
    Case(
        "a model to simplify without data", "simplify model.json", ("model.json DATA", "labelled")
    ),
    Case("a task that is none", "reproduce nbaa", ("nbaa", "did you mean 'nba'?")),
    Case("a task without its data", "reproduce nba", ("nba_ballhandler.npz", "X_train", "--data")),
    Case(
        "the paper's task without its data",
        "reproduce fly --data nowhere",
        ("nowhere", "train_", "labels.npy", "53"),
    ),
    Case(
        "an algorithm that is none",
        "reproduce hidden-rule --algorithms astar,mtcs",
        ("--algorithms", "mtcs", "did you mean 'mcts'?"),
    ),
    Case(
        "a negative weight of the figure",
        "reproduce hidden-rule --weights=-1",
        ("--weights", "from 0", "-1"),
    ),
    Case(
        "a folder that is no study",
        "reproduce hidden-rule --algorithms logistic --out .",
        ("no study", "another name"),
    ),
    Case(
        "simplifying at any price",
        "simplify model.json mice.csv --loss 1",
        ("--loss", "from 0 to below 1"),
    ),
    Case("numbers of no digits", "simplify model.json mice.csv --digits 0", ("--digits", "from 1")),
    Case("no if to harden", "simplify model.json mice.csv --harden", ("no if",)),
    Case(
        "a simplified model in place of the model",
        "simplify model.json mice.csv --out model.json",
        ("model.json is there already", "--out"),
    ),
    Case("a domain to describe", "domains fyl", ("'fyl'", "did you mean 'fly'?")),
)


def run(case: Case) -> tuple[int, str, str]:
    """The exit code, what was printed, and what was said on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(case.arguments)
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    for number, each in enumerate(CASES, 1):
        with workshop():
            each.make()
            said = run(each)[2]
        print(f"{number}. {each.name}: nearstar {each.command}".encode(errors="replace").decode())
        print("   ", said.removeprefix("nearstar: ").strip().replace("\n", "\n    "))
