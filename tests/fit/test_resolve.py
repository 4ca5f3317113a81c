"""Settings by name: searches, domains and class weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_class_weight

import nearstar as ns
from nearstar.fit.resolve import (
    SEARCHES,
    load_domain,
    read_class_weight,
    read_domain,
    read_search,
)
from nearstar.fit.settings import LanguageSettings
from nearstar.util.errors import DomainError, NearstarError

TOML = """
name = "arena"
features = ["x1", "y1", "distance"]
[groups]
position = ["x1", "y1"]
distance = ["distance"]
"""


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_by_name_have_their_usual_settings(name: str) -> None:
    assert read_search(name) == SEARCHES[name]()


def test_a_search_with_settings_stays_as_it_is() -> None:
    search = ns.AStar(frontier=7)
    assert read_search(search) is search


@pytest.mark.parametrize(
    ("search", "message"),
    [("genetics", "did you mean 'genetic'"), (ns.MCTS, "AStar()"), (None, "one of astar")],
)
def test_other_searches_are_refused(search: Any, message: str) -> None:
    with pytest.raises(NearstarError, match=message):
        read_search(search)


def named(*names: str) -> ns.Sequences:
    """Data with these features."""
    return ns.Sequences.from_arrays(np.zeros((2, len(names))), feature_names=names)


def test_domains_by_value_name_and_file(tmp_path: Path) -> None:
    crim13 = ns.Domain.built_in("crim13")
    assert read_domain(load_domain("crim13"), named(*crim13.features)) == crim13
    assert read_domain(crim13, named(*(f"x{i}" for i in range(19)))) == crim13
    path = tmp_path / "arena.toml"
    path.write_text(TOML, encoding="utf-8")
    for given_path in (path, str(path)):
        assert load_domain(given_path) == ns.Domain.load(path)
    assert read_domain(None, named("a", "b")) == ns.Domain.of_features(["a", "b"])


def test_windows_over_whole_sequences_where_those_have_labels() -> None:
    X = [np.zeros((length, 2)) for length in (7, 40, 3)]
    domain = read_domain(None, ns.Sequences.from_arrays(X, [0, 1, 0]))
    assert {"fold", "SlidingWindowAverage40", "SlidingWindowMax40"} <= set(domain.summaries)
    frames = ns.Sequences.from_arrays(X, [np.zeros(len(x), int) for x in X])
    assert read_domain(None, frames) == ns.Domain.of_features(["x0", "x1"])


def test_groups_are_added_to_a_domain_or_replace_its_own(tmp_path: Path) -> None:
    arena = ns.Domain.from_toml(TOML)
    domain = read_domain(
        arena,
        named(*arena.features),
        {"position": ("x*",), "rest": np.array([1, 2]), "gap": "dist*"},
    )
    groups = {group.name: group.columns for group in domain.groups}
    assert groups == {"position": (0,), "rest": (1, 2), "gap": (2,), "distance": (2,)}
    alone = read_domain(None, named("a", "b", "c"), {"ends": [0, "c"]})
    assert [(group.name, group.columns) for group in alone.groups] == [("ends", (0, 2))]


def test_derived_features_come_after_those_of_a_domain() -> None:
    arena = ns.Domain.from_toml(TOML)
    features = [*arena.features, "speed_1"]
    language = LanguageSettings(domain=arena, derive=("speed(1)",))
    domain = read_domain(language.vocabulary()[0], named(*features))
    assert list(domain.features) == features
    assert domain.derived == {"speed_1": "speed(1)"}


@pytest.mark.parametrize(
    ("domain", "features", "message"),
    [
        ("crim31", ["a"], "did you mean 'crim13'"),
        ("missing/arena.toml", ["a"], "arena.toml.*No such file"),
        (5, ["a"], "not a int"),
        (ns.Domain.from_toml(TOML), ["x1", "y1"], "3 features, the data have 2"),
        (
            ns.Domain.from_toml(TOML),
            ["x1", "distance", "y1"],
            "feature 1 of the data is 'distance'",
        ),
    ],
)
def test_domains_that_do_not_fit_are_refused(
    domain: Any, features: list[str], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        read_domain(load_domain(domain), named(*features))


@given(st.lists(st.integers(-1, 3), min_size=1), st.integers(4, 5))
def test_balanced_weights_are_those_of_scikit_learn(codes: list[int], n_classes: int) -> None:
    labels = [f"c{i}" for i in range(n_classes)]
    weights = read_class_weight("balanced", np.array(codes), labels)
    known = [code for code in codes if code >= 0]
    present = sorted(set(known))
    expected = np.ones(n_classes)
    if known:
        expected[present] = [len(known) / (len(present) * known.count(code)) for code in present]
        by_sklearn = compute_class_weight("balanced", classes=np.array(present), y=known)
        np.testing.assert_allclose(expected[present], by_sklearn)
    np.testing.assert_allclose(weights, expected)


def test_weights_by_label() -> None:
    codes = np.array([0, 1, 2])
    assert read_class_weight(None, codes, ("a", "b", "c")) is None
    assert read_class_weight({"b": 3}, codes, ("a", "b", "c")) == (1.0, 3.0, 1.0)
    assert read_class_weight({2: 0.5, 1: 0}, codes, (1, 2, 3)) == (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("equal", "balanced"),
        ({"snif": 2.0}, "did you mean 'sniff'"),
        ({"sniff": -1.0}, "'sniff' must be a number from 0"),
        ({"sniff": "much"}, "'sniff' must be a number from 0"),
        ([1.0, 2.0], "table such as {'other': 2.0}"),
    ],
)
def test_other_weights_are_refused(spec: Any, message: str) -> None:
    with pytest.raises(NearstarError, match=message):
        read_class_weight(spec, np.array([0, 1]), ("other", "sniff"))
