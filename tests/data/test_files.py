"""Files: what is written is read, whatever the kind of file, and bad files are explained."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nearstar.data.readers
from nearstar.data import DataFormat, read_file, read_table
from nearstar.data.readers import readers
from nearstar.data.readers.reader import Reader
from nearstar.language.domain import Domain
from nearstar.util.errors import DataError

FOLDER = Path(os.environ.get("NEARSTAR_DATA", Path(__file__).parents[3] / "shared" / "data"))
FORMAT = DataFormat(sequence="video", frame="t", label="does")


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "video": np.repeat(["a", "b", "c"], 4),
            "t": np.tile(np.arange(4), 3),
            "nose_x": np.arange(12) / 7,
            "nose_y": np.arange(12) ** 2,
            "does": ["sit", "run", "NA", "None"] * 3,
            "part": np.repeat(["train", "valid", "test"], 4),
        }
    )


# Tables


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "csv.gz", "CSV", "tsv.zip", "parquet"])
@pytest.mark.parametrize("part", [None, "part"])
def test_tables_of_every_kind(tmp_path: Path, ending: str, part: str | None) -> None:
    path = tmp_path / f"mice.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        table().to_parquet(path)
    else:
        table().to_csv(path, index=False, sep="," if "csv" in ending.lower() else "\t")
    format = DataFormat(**{**FORMAT.to_dict(), "part": part})
    parts = read_file(path, format).parts
    expected = read_table(table(), format)
    assert expected.labels == ("NA", "None", "run", "sit")
    assert list(parts) == (["all"] if part is None else ["train", "valid", "test"])
    for i, read in enumerate(parts.values()):
        same = expected if part is None else expected.subset([i])
        assert read.sequences.fingerprint() == same.sequences.fingerprint()
        assert (read.ids, read.labels) == (same.ids, same.labels)
        np.testing.assert_array_equal(read.rows, same.rows)


def test_only_empty_texts_are_missing_and_numbers_keep_their_gaps(tmp_path: Path) -> None:
    path = tmp_path / "mice.csv"
    path.write_text("v,u,does,code\nNA,1,nan,1\nNA,NA,,NA\nNA,3,run,2\n", encoding="utf-8")
    format = DataFormat(sequence="v", label="does", missing="interpolate", features=("u",))
    read = read_file(path, format).parts["all"]
    assert read.ids == ("NA",) and read.labels == ("nan", "run")
    assert read.sequences.frames[:, 0].tolist() == [1, 2, 3]
    assert read.sequences.labels is not None and read.sequences.labels.tolist() == [0, -1, 1]
    codes = read_file(path, DataFormat(label="code", features=("u",), missing="interpolate"))
    assert codes.parts["all"].labels == (1, 2)


def test_names_with_leading_zeros_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "mice.csv"
    path.write_text("v,u,a\n01,1,007\n01,2,007\n1,3,7\n1,4,7\n", encoding="utf-8")
    read = read_file(path, DataFormat(sequence="v", group="a")).parts["all"]
    assert (read.ids, read.groups) == (("01", "1"), ("007", "7"))
    path.write_text("v,u\n1,1\n2,2\n10,3\n", encoding="utf-8")
    assert read_file(path, DataFormat(sequence="v")).parts["all"].ids == (1, 2, 10)


def test_a_column_that_counts_rows_is_no_feature(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "mice.csv")
    read = read_file(tmp_path / "mice.csv", FORMAT).parts["all"]
    assert read.sequences.feature_names == ("nose_x", "nose_y")


@pytest.mark.parametrize("individuals", [False, True])
def test_tables_of_deeplabcut(tmp_path: Path, individuals: bool) -> None:
    lines = ["scorer,net,net,net,net,net,net"]
    lines += ["individuals,m1,m1,m1,m2,m2,m2"] * individuals
    lines += ["bodyparts,nose,nose,nose,tail,tail,tail"]
    lines += ["coords,x,y,likelihood,x,y,likelihood"]
    lines += ["0,1,2,.9,4,6,.8", "1,2,2,.9,5,6,.7"]
    path = tmp_path / "mice.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    nose, tail = ("m1_nose", "m2_tail") if individuals else ("nose", "tail")
    derived = [f"gap = distance({nose}, {tail})"]
    read = read_file(path, DataFormat(frame="frame"), derived=derived).parts["all"]
    ends = ("x", "y", "likelihood")
    names = [f"{point}_{end}" for point in (nose, tail) for end in ends]
    assert read.sequences.feature_names == (*names, "gap")
    assert read.sequences.frames[:, -1].tolist() == [5, 5]
    assert read.frames is not None and read.frames.tolist() == [0, 1]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "mice.csv"
    path.write_text("video,u\na,1\na,2\n", encoding="utf-8-sig")
    assert read_file(path, DataFormat(sequence="video")).parts["all"].ids == ("a",)


# Arrays


def arrays(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    contents: dict[str, Any] = {}
    for part, n in (("train", 5), ("valid", 3), ("test", 2)):
        contents[f"X_{part}"] = rng.normal(size=(n, 6, 4))
        contents[f"y_{part}"] = np.arange(n * 6).reshape(n, 6) % 3
        contents[f"lengths_{part}"] = rng.integers(1, 6, size=n, endpoint=True)
        contents[f"groups_{part}"] = np.arange(n) // 2
        contents[f"game_{part}"] = np.array([f"game {i}" for i in range(n)])
    return contents


def test_archives_with_parts(tmp_path: Path) -> None:
    contents = arrays()
    np.savez(tmp_path / "a.npz", **contents)
    parts = read_file(tmp_path / "a.npz").parts
    assert list(parts) == ["train", "valid", "test"]
    for name, part in parts.items():
        X, y, lengths = (contents[f"{kind}_{name}"] for kind in ("X", "y", "lengths"))
        assert part.labels == (0, 1, 2)
        assert part.sequences.lengths.tolist() == lengths.tolist()
        assert part.sequences.labels is not None
        for i, n in enumerate(lengths):
            np.testing.assert_array_equal(part.sequences.sequence(i), X[i, :n].astype(np.float32))
            start = part.sequences.offsets[i]
            assert part.sequences.labels[start : start + n].tolist() == y[i, :n].tolist()
        assert part.groups == tuple(contents[f"groups_{name}"])
        assert part.ids == tuple(range(len(X)))
    games = read_file(tmp_path / "a.npz", DataFormat(group="game")).parts["valid"].groups
    assert games == ("game 0", "game 1", "game 2")


def test_archives_with_names(tmp_path: Path) -> None:
    y = np.array([[0, 1], [1, -1]])
    X = np.arange(8.0).reshape(2, 2, 2)
    names = {"feature_names": ["nose_x", "nose_y"], "class_names": ["sit", "run", "fly"]}
    np.savez(tmp_path / "a.npz", X=X, y=y, **names)
    read = read_file(tmp_path / "a.npz", derived=["speed(nose)"]).parts["all"]
    assert read.labels == ("sit", "run", "fly")
    assert read.sequences.feature_names == ("nose_x", "nose_y", "speed_nose")
    assert read.sequences.labels is not None
    assert read.sequences.labels.tolist() == [0, 1, 1, -1]
    np.testing.assert_allclose(read.sequences.frames[:, 2], [0, 8**0.5, 0, 8**0.5])
    positive = read_file(tmp_path / "a.npz", DataFormat(positive="run")).parts["all"]
    assert positive.labels == ("not run", "run")


def test_choosing_columns_of_arrays(tmp_path: Path) -> None:
    X = np.arange(24.0).reshape(2, 3, 4)
    np.save(tmp_path / "x.npy", X)
    read = read_file(tmp_path / "x.npy", DataFormat(features=("2-3", "x0"))).parts["all"]
    np.testing.assert_array_equal(read.sequences.frames, X.reshape(6, 4)[:, [2, 3, 0]])
    assert read.sequences.feature_names == ("x2", "x3", "x0")
    assert read.sequences.labels is None and read.labels == ()
    # A domain's features are the names of columns without names.
    named = read_file(
        tmp_path / "x.npy",
        DataFormat(features=("1-2",)),
        features=["nose_x", "nose_y", "speed_nose"],
        derived={"speed_nose": "speed(nose)"},
    ).parts["all"]
    assert named.sequences.feature_names == ("nose_x", "nose_y", "speed_nose")
    np.testing.assert_array_equal(named.sequences.frames[:, :2], X.reshape(6, 4)[:, [1, 2]])


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 1), (3,), (3, 1)])
@pytest.mark.parametrize("where", ["train_mice_data.npy", ""])
def test_the_authors_files(tmp_path: Path, shape: tuple[int, ...], where: str) -> None:
    expected = {}
    for part in ("train", "valid", "test"):
        rng = np.random.default_rng(len(part))
        X = rng.normal(size=(3, 4, 2)).astype(np.float32)
        y = np.arange(np.prod(shape)).reshape(shape) % 2
        np.save(tmp_path / f"{part}_mice_data.npy", X)
        np.save(tmp_path / f"{part}_mice_labels.npy", y.astype(np.float64))
        expected[part] = X, y.reshape(-1)
    parts = read_file(tmp_path / where).parts
    assert list(parts) == list(expected)
    for name, (X, y) in expected.items():
        read = parts[name].sequences
        np.testing.assert_array_equal(read.frames, X.reshape(12, 2))
        assert read.labels is not None and read.labels.tolist() == y.tolist()
        assert read.per_frame == (len(y) == 12)
    alone = read_file(tmp_path / "test_mice_data.npy").parts
    assert list(alone) == ["all"] and alone["all"].labels == (0, 1)


def test_vectors(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.array(["a", "b", "a"]))
    read = read_file(tmp_path / "a.npz").parts["all"]
    assert read.sequences.vectors and not read.sequences.per_frame
    assert read.labels == ("a", "b")


def test_labels_per_frame_stay_so_though_they_do_not_change(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.zeros((2, 3, 1)), y=np.array([[0] * 3, [1] * 3]))
    assert read_file(tmp_path / "a.npz").parts["all"].sequences.per_frame
    per = read_file(tmp_path / "a.npz", DataFormat(per="sequence")).parts["all"].sequences
    assert not per.per_frame


def test_missing_values_of_arrays(tmp_path: Path) -> None:
    contents = arrays()
    contents["lengths_valid"][:] = 6
    contents["X_valid"][1, 2, 3] = np.nan
    np.savez(tmp_path / "a.npz", **contents)
    with pytest.raises(DataError, match="valid sequence 1, frame 2, column 'x3'"):
        read_file(tmp_path / "a.npz")
    read = read_file(tmp_path / "a.npz", DataFormat(missing="interpolate")).parts["valid"]
    around = contents["X_valid"][1, [1, 3], 3]
    assert read.sequences.sequence(1)[2, 3] == pytest.approx(around.mean(), rel=1e-6)


# Time series


def written_ts(path: Path, X: list[np.ndarray], y: list[str] | None) -> None:
    lines = ["# a comment", "@problemName Test", "@timeStamps false", "@univariate false"]
    lines += [f"@classLabel true {' '.join(sorted(set(y)))}" if y else "@classLabel false"]
    lines += ["@data"]
    for i, x in enumerate(X):
        channels = [",".join("?" if np.isnan(v) else repr(float(v)) for v in c) for c in x.T]
        lines.append(":".join([*channels, *([y[i]] if y else [])]))
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")


@pytest.mark.parametrize("labelled", [True, False])
def test_time_series(tmp_path: Path, labelled: bool) -> None:
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, 3)) for n in (4, 2, 5)]
    y = ["up", "down", "up"] if labelled else None
    written_ts(tmp_path / "a.ts", X, y)
    read = read_file(tmp_path / "a.ts").parts["all"]
    for i, x in enumerate(X):
        np.testing.assert_array_equal(read.sequences.sequence(i), x.astype(np.float32))
    assert read.labels == (("down", "up") if labelled else ())
    if labelled:
        assert read.sequences.labels is not None and not read.sequences.per_frame
        assert read.sequences.labels.tolist() == [1, 0, 1]


def test_time_series_in_two_files(tmp_path: Path) -> None:
    for part, value in (("TRAIN", 1.0), ("TEST", 2.0)):
        written_ts(tmp_path / f"A_{part}.ts", [np.full((3, 1), value)] * 2, ["1", "2"])
    for part in ("TRAIN", "TEST"):
        parts = read_file(tmp_path / f"A_{part}.ts").parts
        firsts = {name: read.sequences.frames[0, 0] for name, read in parts.items()}
        assert firsts == {"train": 1, "test": 2}
    (tmp_path / "A_TEST.ts").unlink()
    assert list(read_file(tmp_path / "A_TRAIN.ts").parts) == ["train"]


def test_gaps_in_time_series(tmp_path: Path) -> None:
    written_ts(tmp_path / "a.ts", [np.array([[1.0], [np.nan], [3.0]])] * 2, ["1", "2"])
    with pytest.raises(DataError, match="missing"):
        read_file(tmp_path / "a.ts")
    read = read_file(tmp_path / "a.ts", DataFormat(missing="interpolate")).parts["all"]
    assert read.sequences.frames[:, 0].tolist() == [1, 2, 3, 1, 2, 3]


def test_the_files_that_aeon_carries() -> None:
    aeon = pytest.importorskip("aeon")
    from aeon.datasets import load_japanese_vowels

    path = Path(aeon.__file__).parent / "datasets/data/JapaneseVowels/JapaneseVowels_TRAIN.ts"
    parts = read_file(path).parts
    for name, part in parts.items():
        X, y = load_japanese_vowels(split=name)
        assert len(X) == len(part)
        for i, x in enumerate(X):
            np.testing.assert_array_equal(part.sequences.sequence(i), x.T.astype(np.float32))
        assert part.sequences.labels is not None
        assert [part.labels[code] for code in part.sequences.labels] == y.tolist()


# Real recordings


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder with recordings")
def test_real_recordings() -> None:
    crim13 = Domain.built_in("crim13")
    format = DataFormat(features=("0-18",), positive=1, group="video")
    parts = read_file(FOLDER / "rat_social.npz", format, features=crim13.features).parts
    with np.load(FOLDER / "rat_social.npz") as file:
        for name, part in parts.items():
            data = part.sequences
            assert (data.feature_names, part.labels) == (crim13.features, ("not 1", 1))
            np.testing.assert_array_equal(data.labels, file[f"y_{name}"].reshape(-1) == 1)
            np.testing.assert_array_equal(data.frames, file[f"X_{name}"][..., :19].reshape(-1, 19))
            assert part.groups == tuple(file[f"video_{name}"].tolist())
    bouts = read_file(FOLDER / "rat_bouts.npz").parts["test"].sequences
    assert not bouts.per_frame and bouts.n_classes == 6 and len(bouts) == 948


# Mistakes


def text(content: str, name: str = "a.csv") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_text(content, encoding="utf-8")
        return folder / name

    return write


def raw(content: bytes, name: str = "a.csv") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return write


def archive(**contents: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        np.savez(folder / "a.npz", **contents)
        return folder / "a.npz"

    return write


def beside(name: str, other: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / other).touch()
        return folder / name

    return write


def pickled(folder: Path) -> Path:
    np.save(folder / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    return folder / "a.npy"


def only_labels(folder: Path) -> Path:
    np.save(folder / "train_mice_labels.npy", np.zeros(3))
    return folder / "train_mice_labels.npy"


def two_sets(folder: Path) -> Path:
    for name in ("flies", "mice"):
        np.save(folder / f"train_{name}_data.npy", np.zeros((1, 1, 1)))
    return folder


TS = "@classLabel true a b\n@data\n"
X34 = np.zeros((3, 4, 2))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (beside("mice.csv", "mics.csv"), "no file .*mice.csv; did you mean '.*mics.csv'"),
        (beside("mice", "mice.csv"), "no file .*did you mean '.*mice.csv'"),
        (beside("no/mice.csv", "mice.csv"), "there is no directory .*no"),
        (lambda folder: folder, "is a directory; expected a file"),
        (two_sets, "several data sets; give one of train_flies_data.npy, train_mice"),
        (text("a", "a.xlsx"), "has the ending '.xlsx'; files that are read end in .csv"),
        (text("a", "a"), "has no ending"),
        (text(""), "is empty"),
        (text("\n\n"), "is empty"),
        (text("u,w\n"), "no rows"),
        (text("u,w\n1,2\n1,2,3\n"), "cannot be read as a table: .*line 3"),
        (text("u,w\n1,2,3\n1,2,3\n"), "cannot be read as a table"),
        (text("u,u\n1,2\n"), "two columns are called 'u'"),
        (text("u;w\n1;2\n"), "semicolons"),
        (text("u;w\n1,5;a\n2,5;b\n"), "are there semicolons between"),
        (text("u\tw\n1\t2\n"), "tabs"),
        (text("u\nx\n"), "no columns of numbers"),
        (text("u,w\n1,2\n2,oops\n3,4\n4,5\n"), "'w' has 'oops' at row 2"),
        (raw("u,w\nä,2\n".encode("latin-1")), "not text in UTF-8: byte 0xe4"),
        (raw("ü,w\n1,2\n".encode("utf-16")), "not text in UTF-8"),
        (raw(b"no gzip", "a.csv.gz"), "cannot be read|damaged"),
        (raw(b"PAR1", "a.parquet"), "cannot be read as a Parquet file"),
        (raw(b"", "a.npz"), "cannot be read|pickle"),
        (raw(b"PK\x03\x04 no archive", "a.npz"), "cannot be read"),
        (raw(b"\x93NUMPY\x01\x00", "a.npy"), "cannot be read"),
        (pickled, "pickled objects"),
        (only_labels, "holds labels; give the file with the data, train_mice_data.npy"),
        (archive(y=np.zeros(3)), "has the arrays y; expected X_train"),
        (archive(X=X34, X_train=X34), "expected X_train"),
        (archive(X=X34, lenghts=[4, 4, 4]), "'lenghts'; did you mean 'lengths'"),
        (archive(X=X34, lengths=[4, 4, 5]), "length 5; expected 1 to 4"),
        (archive(X=X34, y=np.zeros(4)), r"shape \(4,\); expected \(3,\)"),
        (archive(X=X34, groups=np.zeros(2)), "groups of .* expected"),
        (archive(X=np.zeros(3)), r"shape \(3,\)"),
        (archive(X=np.zeros((0, 4, 2))), "at least one of each"),
        (archive(X=X34.astype(complex)), "expected real numbers"),
        (archive(X=X34, feature_names=["a"]), "feature_names has 1 names; expected 2"),
        (archive(X=X34, class_names=[1, 2]), "expected a list of texts"),
        (archive(X=X34, y=[0, 1, 2], class_names=["a", "b"]), "the label 2; .* from 0 to 1"),
        (archive(X=X34, y=[0, 0, 0]), "only one class, 0"),
        (archive(X_train=X34, X_test=X34[..., :1]), "train part has 2 features, the test part"),
        (
            archive(X_train=X34, X_test=X34, y_train=[0, 1, 1]),
            "train part has labels, the test part has no labels",
        ),
        (
            archive(X_train=X34, X_test=X34, y_train=[0, 1, 1], y_test=[0, 1, 2]),
            "test part has the label 2, which the training part does not have",
        ),
        (text("", "a.ts"), "no line @data"),
        (text(TS, "a.ts"), "no sequences after @data"),
        (text("1,2:a\n", "a.ts"), "expected @data before"),
        (text(TS + "1,2:c\n", "a.ts"), "line 3: the class 'c'"),
        (text(TS + "1,x:a\n", "a.ts"), "line 3, channel 0: .*'x'"),
        (text(TS + "a\n", "a.ts"), "expected channels"),
        (text(TS + "1,2:3:a\n", "a.ts"), "channel 1 has 1 values, channel 0 2"),
        (text(TS + "1,2:a\n1,2:3,4:b\n", "a.ts"), "line 4: 2 channels where earlier"),
        (text("@timeStamps true\n" + TS, "a.ts"), "time stamps"),
        (text("@targetLabel true\n@data\n", "a.ts"), "numbers to predict"),
        (raw(b"@data\n\xff:a\n", "a.ts"), "not text in UTF-8"),
    ],
)
def test_mistakes(make: Callable[[Path], Path], problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as raised:
        read_file(make(tmp_path))
    # The folder is called after the problem, which must be in the rest of the message.
    assert re.search(problem, str(raised.value).replace(str(tmp_path), ""))


@pytest.mark.parametrize(
    ("format", "problem"),
    [
        ({"features": ("0-4",)}, "features 0-4 were asked for; there are 2"),
        ({"features": ("y*",)}, "no feature matches 'y\\*'.*there are x0, x1"),
        ({"label": "z"}, "no array 'z'"),
    ],
)
def test_formats_that_do_not_fit(format: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=problem):
        read_file(archive(X=X34)(tmp_path), DataFormat(**format))


def test_as_many_features_as_the_domain(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the data have 2 features, the domain 3"):
        read_file(archive(X=X34)(tmp_path), features=["a", "b", "c"])
    with pytest.raises(DataError, match="no feature 'c'; there are"):
        read_file(archive(X=X34, feature_names=["a", "b"])(tmp_path), features=["a", "c"])


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = text("u,w\n1,2\n")(tmp_path)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pd, "read_csv", refuse)
    with pytest.raises(DataError, match=r"a.csv cannot be read: Permission denied"):
        read_file(path)


def test_a_reader_beside_others_claims_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Path, frame: str | None) -> pd.DataFrame:
        return pd.DataFrame({"a": [1.0, 2.0], frame: [5, 6]})

    claims = Reader("Ours", (".csv", ".us"), "table", read, ("frame",), _says("OURS"))
    monkeypatch.setattr(nearstar.data.readers, "readers", lambda: (claims, *readers()))
    ours, theirs = text("OURS\nx\n", "a.csv")(tmp_path), text("u,w\n1,2\n", "b.csv")(tmp_path)
    assert read_file(ours, DataFormat(frame="t")).parts["all"].frames.tolist() == [5, 6]
    assert read_file(theirs).parts["all"].sequences.feature_names == ("u", "w")
    with pytest.raises(DataError, match=r"a\.us is not of Ours"):
        read_file(text("u,w\n1,2\n", "a.us")(tmp_path))


def _says(word: str) -> Callable[[Path], bool]:
    return lambda path: path.read_text().startswith(word)


def test_readers() -> None:
    names = [each.name for each in readers()]
    assert len(set(names)) == len(names) >= 6
    for each in readers():
        assert all(re.fullmatch(r"\.[a-z0-9]+", ending) for ending in each.endings)
        assert set(each.options) <= {field.name for field in fields(DataFormat)}
    # Readers that look into files come before those that take any with the same ending.
    assert names.index("DeepLabCut") < names.index("CSV")
