"""Features that are called alike are a group, if that says something."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.language.domain import Domain
from nearstar.language.grouping import by_stem, stem


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("nose1_x", ["nose1_y"], "nose"),
        ("acc_z", ["acc_x"], "acc"),
        ("x1", ["y1"], "position"),
        ("x", ["y"], "position"),
        ("vx1", ["vy1"], "v"),
        ("nose.Y", ["nose.X"], "nose"),
        ("x_nose", ["y_nose"], "nose"),
        ("max", ["may"], "ma"),
        ("max", [], "max"),
        ("distance_change", [], "distance_change"),
        ("angle_change1", ["angle_change2"], "angle_change"),
        ("speed_10", [], "speed"),
        ("7", [], "7"),
    ],
)
def test_stems(name: str, others: list[str], expected: str) -> None:
    assert stem(name, [name, *others]) == expected


def test_the_groups_of_the_papers_features() -> None:
    ball = Domain.built_in("basketball")
    assert by_stem(ball.features) == {group.name: group.columns for group in ball.groups}
    mice = by_stem(Domain.built_in("crim13").features)
    assert mice["position"] == (0, 1, 2, 3) and mice["v"] == (11, 12, 13, 14)
    assert list(mice)[:5] == ["position", "distance", "distance_change", "angle", "angle_change"]


def test_names_that_say_nothing_make_no_groups() -> None:
    for names in (["x0", "x1"], ["0", "1"], ["V1", "V2", "V3"], ["feature_1", "feature_2"]):
        assert by_stem(names) == {}
    assert by_stem([f"length{'i' * i}" for i in range(17)]) == {}


def test_one_stem_makes_each_feature_its_own() -> None:
    assert by_stem(["acc1", "acc2"]) == {"acc1": (0,), "acc2": (1,)}
    assert by_stem(["width"]) == {"width": (0,)}


NAMES = st.lists(st.text(alphabet="aAxyz_. 1ä", min_size=1, max_size=4), min_size=1, unique=True)


@given(names=NAMES)
def test_any_names_make_a_domain(names: list[str]) -> None:
    domain = Domain.of_features(names)
    assert len(domain.groups) <= 16
    columns = sorted(column for group in domain.groups for column in group.columns)
    assert not columns or columns == list(range(len(names)))
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", group.name) for group in domain.groups)
