"""Derived features against their definitions, frame by frame."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearstar.data.conversion import offsets_of
from nearstar.data.derived import Computing, Derived, needed_columns, parse_derived, read_derived
from nearstar.data.derived.points import points_of
from nearstar.util.errors import DataError, DomainError, NearstarError

POINTS = ("nose", "tail", "ear", "1")


def compute(derived: Derived, columns: dict[str, Any], offsets: NDArray[np.int64]) -> Any:
    """The values of a derived feature."""
    known = {derived.name: derived}
    needed_columns([derived.name], known, columns)
    return Computing(columns, known, offsets)[derived.name]


XY = tuple[float, float]


class Naive:
    """One sequence; each method is a definition for frame t, None where there is none."""

    def __init__(self, points: dict[str, list[XY]]) -> None:
        self.points = points

    def distance(self, t: int, a: str, b: str) -> float:
        return math.dist(self.points[a][t], self.points[b][t])

    def speed(self, t: int, a: str) -> float | None:
        return math.dist(self.points[a][t], self.points[a][t - 1]) if t else None

    def acceleration(self, t: int, a: str) -> float | None:
        return self.speed(t, a) - self.speed(t - 1, a) if t > 1 else None  # type: ignore[operator]

    def heading(self, t: int, a: str) -> float | None:
        return self._to(self.points[a][t - 1], self.points[a][t]) if t else None

    def direction(self, t: int, a: str, b: str) -> float:
        return self._to(self.points[a][t], self.points[b][t])

    def angle(self, t: int, a: str, b: str, c: str, d: str) -> float:
        turn = abs(self.direction(t, a, b) - self.direction(t, c, d))
        return min(turn, 2 * math.pi - turn)

    def turn(self, t: int, a: str, k: int) -> float | None:
        if t < k + 1:
            return None
        turn = self.heading(t, a) - self.heading(t - k, a)  # type: ignore[operator]
        return math.atan2(math.sin(turn), math.cos(turn))

    @staticmethod
    def _to(a: XY, b: XY) -> float:
        return math.atan2(b[1] - a[1], b[0] - a[0])


@given(
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    k=st.integers(1, 4),
)
def test_against_the_definitions(seed: int, lengths: list[int], k: int) -> None:
    rng = np.random.default_rng(seed)
    offsets = offsets_of(np.array(lengths))
    n = int(offsets[-1])
    columns = {f"{p}_{c}": rng.normal(size=n) for p in POINTS for c in "xy"}
    texts = {
        "distance(nose, tail)": lambda s, t: s.distance(t, "nose", "tail"),
        "distance((nose_x, nose_y), (tail_x, tail_y))": lambda s, t: s.distance(t, "nose", "tail"),
        "speed(1)": lambda s, t: s.speed(t, "1"),
        "acceleration(nose)": lambda s, t: s.acceleration(t, "nose"),
        "change(speed(nose))": lambda s, t: s.acceleration(t, "nose"),
        "heading(nose)": lambda s, t: s.heading(t, "nose"),
        "heading(nose, ear)": lambda s, t: s.direction(t, "nose", "ear"),
        "angle(nose, tail, ear)": lambda s, t: s.angle(t, "tail", "nose", "tail", "ear"),
        "angle(nose, tail, ear, 1)": lambda s, t: s.angle(t, "nose", "tail", "ear", "1"),
        f"change(heading(nose), {k})": lambda s, t: s.turn(t, "nose", k),
        f"change(nose_x, {k})": lambda s, t: (
            None if t < k else s.points["nose"][t][0] - s.points["nose"][t - k][0]
        ),
        f"change(change(nose_x, {k}))": lambda s, t: (
            None
            if t < k + 1
            else (s.points["nose"][t][0] - s.points["nose"][t - k][0])
            - (s.points["nose"][t - 1][0] - s.points["nose"][t - 1 - k][0])
        ),
    }
    for text, definition in texts.items():
        expected = []
        for start, stop in pairwise(offsets.tolist()):
            sequence = Naive(
                {
                    p: [(columns[f"{p}_x"][t], columns[f"{p}_y"][t]) for t in range(start, stop)]
                    for p in POINTS
                }
            )
            expected += [definition(sequence, t) or 0.0 for t in range(stop - start)]
        np.testing.assert_allclose(
            compute(parse_derived(text), columns, offsets), expected, atol=1e-7
        )


STATISTICS = {
    "mean": np.mean,
    "spread": np.std,
    "least": np.min,
    "largest": np.max,
    "change": lambda rows: rows[-1] - rows[0],
    "rate": lambda rows: np.abs(np.diff(rows)).mean() if len(rows) > 1 else 0.0,
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
}


@given(
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    k=st.integers(1, 7),
    offset=st.sampled_from([0.0, 1e6]),
)
def test_statistics_against_their_definitions(
    seed: int, lengths: list[int], k: int, offset: float
) -> None:
    """Of the frames there are, in each sequence by itself; of what is derived, as it is derived."""
    rng = np.random.default_rng(seed)
    offsets = offsets_of(np.array(lengths))
    columns = {f"nose_{c}": rng.normal(size=int(offsets[-1])) + offset for c in "xy"}
    of = {"nose_x": columns["nose_x"], "speed(nose)": None}
    of["speed(nose)"] = compute(parse_derived("speed(nose)"), columns, offsets)
    odd = k + 1 - k % 2
    stretches = {
        f"around {odd}": lambda t, n: (t - odd // 2, t + odd // 2),
        f"last {k}": lambda t, n: (t - k + 1, t),
        "whole": lambda t, n: (0, n),
    }
    for (name, statistic), (stretch, ends), inner in product(
        STATISTICS.items(), stretches.items(), of
    ):
        expected = []
        for start, stop in pairwise(offsets.tolist()):
            values = of[inner][start:stop]
            for t in range(len(values)):
                first, last = ends(t, len(values))
                expected.append(statistic(values[max(first, 0) : last + 1]))
        found = compute(parse_derived(f"{name}({inner}, {stretch})"), columns, offsets)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_derived_features_of_derived_features() -> None:
    derived = read_derived(["gap = distance(a, b)", "mean(gap, 3)", "wide = spread(mean(gap, 3))"])
    columns = {name: np.arange(4.0) ** 2 for name in ("a_x", "a_y", "b_x", "b_y", "c")}
    columns["b_x"] = np.array([3.0, 5, 0, 9])
    assert needed_columns(["wide"], derived, columns) == ("a_x", "a_y", "b_x", "b_y")
    computing = Computing(columns, derived, np.array([0, 3, 4]))
    gap = np.abs(columns["a_x"] - columns["b_x"])
    np.testing.assert_allclose(computing["gap"], gap)
    means = [gap[:2].mean(), gap[:3].mean(), gap[1:3].mean(), gap[3]]
    np.testing.assert_allclose(computing["mean(gap, 3)"], means)
    np.testing.assert_allclose(computing["wide"], [np.std(means[:3])] * 3 + [0])
    by_name = read_derived(["v = speed(a)", "change(v)", "change(speed(a))", "v3 = mean(v, 3)"])
    columns["a_x"] = np.array([1.0, 4, 5, 9])
    computing = Computing(columns, by_name, np.array([0, 4]))
    same = computing["change_v"], computing["change_speed_a"]
    np.testing.assert_array_equal(*same)
    circle = read_derived(["p = mean(q, 3)", "q = change(p)"])
    with pytest.raises(DomainError, match="in a circle: p of q of p"):
        needed_columns(["q", "p"][1:], circle, columns)


def test_turns_stay_between_minus_pi_and_pi() -> None:
    steps = np.array([[0, 0], [1, 0], [0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], dtype=float)
    columns = {"a_x": steps[:, 0], "a_y": steps[:, 1]}
    turns = compute(parse_derived("change(heading(a))"), columns, np.array([0, 7]))
    quarter = math.pi / 2
    assert turns.tolist() == [0, 0, 2 * quarter, 2 * quarter, quarter, quarter, quarter]


@pytest.mark.parametrize(
    ("text", "name", "kept"),
    [
        ("distance(nose, tail)", "distance_nose_tail", "distance(nose, tail)"),
        ("  gap =distance(nose,tail) ", "gap", "distance(nose,tail)"),
        ("change(distance(nose, tail))", "change_distance_nose_tail", None),
        ("change(distance(nose, tail), 5)", "change5_distance_nose_tail", None),
        ("speed((cx, cy))", "speed_cx_cy", None),
        ('change("odd = (name)")', "change_odd_name_", None),
        ("mean(speed(nose), around 31)", "mean(speed(nose), 31)", None),
        ("rate( tail_x,last 5)", "rate(tail_x, last 5)", "rate( tail_x,last 5)"),
        ("first(tail_x)", "first(tail_x)", None),
        ("change(tail_x, around 5)", "change(tail_x, around 5)", None),
        ("change(tail_x, whole)", "change(tail_x, whole)", None),
        ('spread("odd name", whole)', 'spread("odd name")', None),
        ("least(distance((a, b), nose), 3)", "least(distance((a, b), nose), 3)", None),
        ("speed(1)", "speed_1", None),
    ],
)
def test_names(text: str, name: str, kept: str | None) -> None:
    derived = parse_derived(text)
    assert derived.name == name
    assert derived.text == (kept or text)
    assert parse_derived(derived.text, derived.name) == derived
    if "(" in name:  # what is called what it is: the same by its name
        assert parse_derived(name).expression == derived.expression
    else:
        assert parse_derived(f"{derived.name} = {derived.text}") == derived


def test_forms_of_points() -> None:
    columns = ["a_x", "a_y", "b.x", "b.y", "c x", "c y", "dx", "dy", "x_e", "y_e", "x1", "y1"]
    columns += ["x", "y", "lone_x", "max"]
    assert points_of(columns) == {
        "a": ("a_x", "a_y"),
        "b": ("b.x", "b.y"),
        "c": ("c x", "c y"),
        "d": ("dx", "dy"),
        "e": ("x_e", "y_e"),
        "1": ("x1", "y1"),
    }
    derived = {"s": parse_derived('speed("c")')}
    assert needed_columns(["s", "max"], derived, columns) == ("max", "c x", "c y")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("dist(a, b)", "no function 'dist'; did you mean 'distance'"),
        ("distance(a)", "distance takes 2 points, not 1"),
        ("heading(a, b, c)", "heading takes 1 or 2 points, not 3"),
        ("mean(a, 4)", "odd number of frames, 3 or 5, say; or the last ones: last 4"),
        ("mean(a, around)", "a number of frames"),
        ("spread(a, 3, 3)", r"expected '\)'"),
        ("change(a, last)", "a number of frames"),
        ("mean((a, b), 3)", "a column or a function"),
        ("speed(a", r"column 8: expected '\)' or ','"),
        ("speed(a))", "expected nothing more"),
        ("speed a", r"expected '\(' after speed"),
        ("change(a, 0)", "a number of frames, from 1"),
        ("change(a, b)", "a number of frames, from 1"),
        ("speed((a, b, c))", r"expected '\)'"),
        ("speed(distance(a, b))", r"expected '\)'"),
        ("", "expected a function"),
        ("gap =", "expected a function"),
        ("change(" * 30 + "a" + ")" * 30, "at most 20 deep"),
        (3, "not 3"),
    ],
)
def test_mistakes_in_texts(text: str, problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        parse_derived(text)


@given(text=st.text(alphabet="speed(),change a1last=\"'\\\n"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        derived = parse_derived(text)
    except DomainError:
        return
    assert parse_derived(derived.text, derived.name) == derived


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("speed(nos)", "no point 'nos'.*did you mean 'nose'"),
        ("change(nose)", "no column 'nose'; did you mean 'nose_[xy]'"),
        ("speed((nose_x, nose_z))", "no column 'nose_z'"),
    ],
)
def test_columns_that_are_not_there(text: str, problem: str) -> None:
    columns = {"nose_x": np.zeros(2), "nose_y": np.zeros(2)}
    with pytest.raises(DataError, match=problem):
        compute(parse_derived(text), columns, np.array([0, 2]))


def test_tables_and_lists_of_derived_features() -> None:
    listed = read_derived(["gap = distance(a, b)", "speed(a)"])
    assert listed == read_derived({"gap": "distance(a, b)", "speed_a": "speed(a)"})
    for given_, problem in (
        ("speed(a)", "write"),
        (["g = speed(a)", "g = speed(b)"], "two derived features are called 'g'"),
        ({"g": "h = speed(a)"}, "'g' calls itself 'h'"),
    ):
        with pytest.raises(NearstarError, match=problem):
            read_derived(given_)  # type: ignore[arg-type]
