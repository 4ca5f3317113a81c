"""How alike programs of several trials are, against counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import programs, rich_domain

from nearstar import parse
from nearstar.language.domain import Domain
from nearstar.language.text import to_text
from nearstar.reproduce.running import features_of
from nearstar.reproduce.study import Trial
from nearstar.reproduce.summaries import Agreement, agreement


def trial(
    program: str | None, features: tuple[str, ...] = (), canonical: str | None = None
) -> Trial:
    return Trial(
        algorithm="astar",
        seed=0,
        valid=None,
        test=None,
        by_unit=np.zeros((0, 2, 2), np.int64),
        seconds=1.0,
        program=program,
        canonical=canonical,
        features=features,
    )


def test_by_hand() -> None:
    trials = [
        trial("add(a, b)", ("x", "y"), "add(a, b)"),
        trial("c", ("y", "z", "w"), "c"),
        trial(None),
        trial("add(b, a)", ("x", "y"), "add(a, b)"),
    ]
    # Pairs: {x, y} with {y, z, w}, 1 of 4, twice; {x, y} with itself.
    assert agreement(trials) == Agreement(
        trials=3,
        programs=(("add(a, b)", 2), ("c", 1)),
        same=pytest.approx(1 / 3),
        features=(("y", 3), ("x", 2), ("w", 1), ("z", 1)),
        feature_overlap=pytest.approx((0.25 + 0.25 + 1) / 3),
    )


def test_one_program_has_nothing_to_agree_with() -> None:
    alone = agreement([trial("a", ("x",)), trial(None)])
    assert alone == Agreement(1, (("a", 1),), None, (("x", 1),), None)


def test_no_programs() -> None:
    assert agreement([]) is None
    assert agreement([trial(None), trial(None)]) is None


def test_programs_that_read_nothing_agree_in_that() -> None:
    both = agreement([trial("const"), trial("const")])
    assert both is not None and both.feature_overlap == both.same == 1


@given(
    drawn=st.lists(
        st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("uvwxyz"))), min_size=2
    ),
    data=st.data(),
)
def test_shares_and_counts(drawn: list[tuple[str, set[str]]], data: st.DataObject) -> None:
    trials = [trial(f"({form})", tuple(reads), form) for form, reads in drawn]
    found = agreement(trials)
    assert found is not None
    assert found == agreement(data.draw(st.permutations(trials)))
    forms = [form for form, _ in drawn]
    assert dict(found.programs) == {form: forms.count(form) for form in forms}
    assert [count for _, count in found.programs] == sorted(
        (count for _, count in found.programs), reverse=True
    )
    pairs = [*combinations(drawn, 2)]
    assert found.same == pytest.approx(sum(a[0] == b[0] for a, b in pairs) / len(pairs))
    for name, count in found.features:
        assert count == sum(name in reads for _, reads in drawn)
    overlaps = [
        sum(name in a and name in b for name in "uvwxyz")
        / (sum(name in a or name in b for name in "uvwxyz") or 1)
        for (_, a), (_, b) in pairs
    ]
    empty = sum(not a and not b for (_, a), (_, b) in pairs)
    assert found.feature_overlap == pytest.approx((sum(overlaps) + empty) / len(pairs))


def test_features_of_a_program_by_hand() -> None:
    domain = Domain("pair", ("x", "y", "gap", "speed"), {"place": [0, 1], "gap": [2]})
    signature = domain.signature(1, per_frame=True)
    for text, expected in (
        ("map (fun x_t. GapAffine(x_t)) x", ("gap",)),
        ("map (fun x_t. add(GapAffine(x_t), PlaceAffine(x_t))) x", ("x", "y", "gap")),
        ("map (fun x_t. const) x", ()),
        ("map (fun x_t. ??) x", domain.features),
        ("mapprefix (fun x. fold (fun x_t. Affine(x_t)) c x) x", domain.features),
    ):
        assert features_of(parse(text, domain, signature).program, domain) == expected, text


@given(data=st.data())
def test_features_named_in_the_text_are_read(data: st.DataObject) -> None:
    """A program without holes reads a group's features if it prints the group."""
    domain = rich_domain()
    program = data.draw(programs(domain.grammar(domain.signature(1, per_frame=True))))
    found = features_of(program, domain)
    assert list(found) == [name for name in domain.features if name in found]
    text = to_text(program)
    if "FarRight" in text or "far_right" in text:
        assert domain.features[-1] in found
