"""Memory: a mean that fades, with one number that says how fast."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar import Domain, Model, NearstarError, Sequences, parse
from nearstar.language.convex import is_convex
from nearstar.language.numbers import numbers_of
from nearstar.language.parameters import layout
from nearstar.language.program import walk
from nearstar.language.text import to_text
from nearstar.util.errors import ProgramError, TextError

DOMAIN = Domain.of_features(
    ["gap", "speed"], {"gap": [0], "speed": [1]}, summaries=("memory",), vectors=("affine", "add")
)
FRAMES = DOMAIN.signature(1, per_frame=True)
WHOLE = DOMAIN.signature(1, per_frame=False)
HALF_LIVES = st.floats(0.05, 1e6)


def model(half_life: float, *, per_frame: bool = True) -> Model:
    """What there is of gap, by itself."""
    body = f"memory[{half_life!r}] (fun e. GapAffine[1; 0](e)) "
    text = f"mapprefix (fun s. {body} s) x" if per_frame else f"{body} x"
    return Model.from_text(text, DOMAIN, FRAMES if per_frame else WHOLE, ("no", "yes"))


def outputs(half_life: float, gaps: list[float], *, per_frame: bool = True) -> np.ndarray:
    frames = np.column_stack([gaps, np.zeros(len(gaps))])
    made = model(half_life, per_frame=per_frame)
    return made.outputs(Sequences.from_arrays([frames]))[:, 0]


@given(HALF_LIVES, st.floats(-1e3, 1e3, width=32, allow_subnormal=False), st.integers(1, 30))
def test_what_never_changes_is_remembered_as_it_is(
    half_life: float, value: float, length: int
) -> None:
    """From the first element on: nothing draws it to 0."""
    np.testing.assert_allclose(outputs(half_life, [value] * length), value, rtol=1e-6)


@given(st.integers(1, 200))
def test_half_is_gone_after_its_half_life(half_life: int) -> None:
    found = outputs(float(half_life), [1.0, *[0.0] * 2 * half_life])
    assert found[half_life] == pytest.approx(0.5, rel=1e-5)
    assert found[2 * half_life] == pytest.approx(0.25, rel=1e-5)


@given(HALF_LIVES, st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=20))
def test_it_is_a_mean(half_life: float, gaps: list[float]) -> None:
    found = outputs(half_life, gaps)
    for frame, value in enumerate(found):
        seen = gaps[: frame + 1]
        assert min(seen) - 1e-4 <= value <= max(seen) + 1e-4
    # Of a whole sequence it is the one at its end.
    assert outputs(half_life, gaps, per_frame=False).tolist() == [found[-1]]


def test_a_very_long_memory_takes_its_share_of_each_element() -> None:
    """Each step adds less than single precision tells from the mean; together they are much."""
    gaps = np.r_[1.0, np.full(100_000, 1.01)]
    assert outputs(1e6, gaps.tolist())[-1] == pytest.approx(
        1.01 - 0.01 * 0.5 ** (100_000 / 1e6), abs=2e-7
    )


def test_of_extreme_ones_nothing_or_all_is_kept() -> None:
    gaps = [3.0, -1.0, 2.0, 5.0]
    np.testing.assert_allclose(outputs(1e-300, gaps), gaps, rtol=1e-6)
    np.testing.assert_allclose(outputs(1e300, gaps), 3.0, rtol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "mapprefix (fun x_t. memory (fun x_i. Affine{gap}(x_i)) x_t) x",
        "mapprefix (fun x_t. memory[12.5] (fun x_i. (2·gap - 1)) x_t) x",
        "mapprefix (fun x_t. memory[.1] (fun x_i. add((2·gap - 1), SpeedAffine[1; 0](x_i))) x_t) x",
        "mapprefix (fun x_t. memory (fun x_i. ??) x_t) x",
    ],
)
def test_text(text: str) -> None:
    """Leaves in it do not see what it remembers, and so print as sums."""
    parsed = parse(text, DOMAIN, FRAMES)
    assert to_text(parsed.program, parsed.theta) == text
    assert all(node.signature.carried == 0 for _, node in walk(parsed.program))


@pytest.mark.parametrize("number", ["0", "-2", "-.0"])
def test_a_half_life_is_positive_in_text(number: str) -> None:
    text = f"memory[{number}] (fun x_t. Affine[1, 2; 3](x_t)) x"
    with pytest.raises(TextError, match="number of frames above 0") as raised:
        parse(text, DOMAIN, WHOLE)
    assert "column 8:" in str(raised.value)


@pytest.mark.parametrize("text", ["memory[1, 2]", "memory[1; 2]", "memory[]"])
def test_it_has_one_number(text: str) -> None:
    with pytest.raises(TextError):
        parse(f"{text} (fun x_t. Affine[1, 2; 3](x_t)) x", DOMAIN, WHOLE)


def test_a_half_life_is_positive_in_models_and_files(tmp_path: Path) -> None:
    made = model(12.5)
    with pytest.raises(ProgramError, match=r"above 0, as in memory\[12.5\], not -1"):
        Model(made.program, np.array([-1.0, 1.0, 0.0]), DOMAIN, ("no", "yes"), made.scale)
    path = tmp_path / "model.json"
    made.save(path)
    assert Model.load(path).text() == made.text()
    path.write_text(path.read_text().replace('"theta": [12.5', '"theta": [0.0'))
    with pytest.raises(NearstarError, match=r"above 0, as in memory.*not 0"):
        Model.load(path)


@pytest.mark.parametrize("outputs", [1, 4])
def test_it_is_one_number_to_read(outputs: int) -> None:
    parsed = parse(
        "memory (fun x_t. Affine(x_t)) x", DOMAIN, DOMAIN.signature(outputs, per_frame=False)
    )
    first, leaf = layout(parsed.program)
    assert (first.rows, first.outputs) == (1, 1)
    assert numbers_of(parsed.program) == 1 + leaf.rows * outputs
    theta = np.ones(1 + leaf.rows * outputs)
    assert numbers_of(parsed.program, theta) == 1 + leaf.rows * outputs
    assert not is_convex(parsed.program)
