"""Tasks: parts that must belong together, and the types that data ask for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nearstar import DataError, Domain, Hole, ProgramError, Scale, Sequences, Task
from nearstar.language.types import Sequence, Signature, Vector

RANDOM = np.random.default_rng(0)


def data(kind: str, classes: int = 2, *, features: int = 3, names=None, n: int = 4) -> Sequences:
    shape = (n, features) if kind == "vectors" else (n, 5, features)
    y = RANDOM.integers(0, classes, (n, 5) if kind == "frames" else n)
    names = names or [f"class {k}" for k in range(classes)]
    return Sequences.from_arrays(RANDOM.normal(size=shape), y, class_names=names)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("frames", Sequence(3), Sequence),
        ("sequences", Sequence(3), Vector),
        ("vectors", Vector(3), Vector),
    ],
)
def test_signatures(kind: str, before, after, classes: int) -> None:
    task = Task(data(kind, classes))
    single, several = Signature(before, after(1)), Signature(before, after(classes))
    assert task.signature() == (single if classes == 2 else several)
    assert task.signature(single=False) == several
    # As the domain says.
    per_frame, vectors = kind == "frames", kind == "vectors"
    domain = Domain.of_size(3)
    assert domain.signature(classes, per_frame=per_frame, vectors=vectors) == several

    allowed = {several, single} if classes == 2 else {several}
    kinds = ((Sequence, Sequence), (Sequence, Vector), (Vector, Vector))
    for (of, to), features, outputs in product(kinds, (3, 4), (1, 2, 3)):
        signature = Signature(of(features), to(outputs))
        if signature in allowed:
            task.check(Hole(signature))
        else:
            with pytest.raises(ProgramError, match="but these data need"):
                task.check(Hole(signature))


@pytest.mark.parametrize(
    ("train", "valid", "what"),
    [
        (data("frames"), data("frames", features=4), "n_features: 3 and 4"),
        (data("frames", 2), data("frames", 3), "class_names"),
        (
            data("frames", names=["no", "yes"]),
            data("frames", names=["yes", "no"]),
            r"class_names: \('no', 'yes'\) and \('yes', 'no'\)",
        ),
        (data("frames"), data("sequences"), "per_frame: True and False"),
        (data("sequences"), data("vectors"), "vectors: False and True"),
    ],
    ids=["features", "classes", "order", "frames", "vectors"],
)
def test_parts_that_do_not_belong_together(train: Sequences, valid: Sequences, what: str) -> None:
    for pair in ((train, valid), (valid, train)):
        with pytest.raises(DataError, match="training and validation data differ in"):
            Task(*pair)
    with pytest.raises(DataError, match=what):
        Task(train, valid)


def test_every_part_has_labels() -> None:
    labelled = data("frames")
    bare = labelled.with_labels(None)
    with pytest.raises(DataError, match="the training data have no labels"):
        Task(bare, labelled)
    with pytest.raises(DataError, match="the validation data have no labels"):
        Task(labelled, bare)
    # A part of the data may have lost all of its labels.
    y = np.full((4, 5), -1)
    y[0] = 1
    some = labelled.with_labels(y)
    with pytest.raises(DataError, match="the validation data have no labels"):
        Task(some, some.subset([1, 2]))
    Task(some, some.subset([0, 1]))


def test_the_scale_is_that_of_the_training_data() -> None:
    train, valid = data("frames"), data("frames", n=7)
    assert Task(train, valid).scale == Scale.of(train) != Scale.of(valid)
    assert Task(train, valid, standardise=False).scale == Scale.identity(3)
    assert Task(train).valid is train
