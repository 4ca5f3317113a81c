"""The example table: what a tracker gives, from which the features of the rule can be derived."""

from __future__ import annotations

import numpy as np
import pytest

from nearstar import DataFormat, read_table, tracking_table, two_animals
from nearstar.data.runs import smooth

DERIVED = {
    "distance": "distance(mouse1_body, mouse2_body)",
    "angle1": "angle(mouse1_tail, mouse1_nose, mouse1_body, mouse2_body)",
    "angle2": "angle(mouse2_tail, mouse2_nose, mouse2_body, mouse1_body)",
    "angle_between": "angle(mouse1_tail, mouse1_nose, mouse2_tail, mouse2_nose)",
}


@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_same_animals(seed: int) -> None:
    table = tracking_table(10, seed)
    read = read_table(
        table,
        DataFormat(sequence="video", frame="frame", label="behavior"),
        features=("mouse1_body_x", "mouse2_body_y", *DERIVED),
        derived=DERIVED,
    )
    animals = two_animals(10, seed, noise=0.0)
    names = ("x1", "y2", *DERIVED)
    columns = [animals.feature_names.index(name) for name in names]
    assert read.sequences.lengths.tolist() == animals.lengths.tolist()
    # Coordinates are written with two digits; angles of nearby points suffer from that.
    np.testing.assert_allclose(read.sequences.frames, animals.frames[:, columns], atol=0.2)
    assert animals.labels is not None and read.sequences.labels is not None
    annotated = smooth(animals.labels.astype(int), animals.offsets, 3)
    np.testing.assert_array_equal(read.sequences.labels, annotated)
