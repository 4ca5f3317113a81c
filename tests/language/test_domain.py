"""Domains: those of the paper, how they are written down, and what is wrong with bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import USER_FUNCTIONS, domains, rich_domain, signatures

from nearstar.data.examples.synthetic import FEATURE_NAMES
from nearstar.language.domain import Domain
from nearstar.language.function import record
from nearstar.language.operators import Affine, Group
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.util.errors import DomainError

# What is published


@pytest.mark.parametrize(
    ("name", "n_features", "groups", "paper"),
    [
        (
            "crim13",
            19,
            {
                "position": [0, 1, 2, 3],
                "distance": [4],
                "distance_change": [5],
                "angle": [6, 7, 10],
                "angle_change": [8, 9],
                "velocity": [11, 12, 13, 14],
                "acceleration": [15, 16, 17, 18],
            },
            (10, [15, 6], 8, 6, 15, 0.001, 50, (100, 50, 0.001, 50)),
        ),
        (
            "fly",
            53,
            {
                "linear": [17, 25],
                "angular": [18, 26, 27],
                "positional": [24, 28],
                "ratio": [22, 23],
                "wing": [19, 20, 21],
            },
            (6, [25, 10], 6, 6, 25, 0.00025, 30, (80, 40, 0.00025, 30)),
        ),
        (
            "basketball",
            22,
            {"ball": [0, 1], "offense": list(range(2, 12)), "defense": list(range(12, 22))},
            (8, [16, 4], 8, 4, 6, 0.02, 50, (64, 15, 0.01, 50)),
        ),
    ],
)
def test_the_papers_domains(name: str, n_features: int, groups: dict, paper: tuple) -> None:
    domain = Domain.built_in(name)
    assert domain.name == name and len(domain.features) == n_features
    assert {group.name: list(group.columns) for group in domain.groups} == groups
    assert domain.sequences == ("map", "mapprefix", "if")
    averages = [f"SlidingWindowAverage{k}" for k in (5, 10)]
    averages += [f"CentredWindowAverage{k}" for k in (5, 11)]
    assert domain.summaries == ("fold", *averages, "if")
    assert domain.vectors == ("if", "add", "multiply", "affine")
    assert (domain.penalty, domain.beta, domain.accumulator) == (0.01, 1.0, 0)
    settings = domain.paper
    keys = ("max_depth", "units", "max_children", "neural_epochs", "symbolic_epochs")
    *values, rnn = paper
    assert [settings[key] for key in (*keys, "learning_rate", "batch_size")] == values
    keys = ("units", "epochs", "learning_rate", "batch_size")
    assert tuple(settings["rnn"][key] for key in keys) == rnn


def test_two_animals_have_the_features_of_crim13() -> None:
    assert Domain.built_in("crim13").features == FEATURE_NAMES


def test_no_such_domain() -> None:
    with pytest.raises(DomainError, match=r"(?i)'mice'; there are basketball, crim13, fly"):
        Domain.built_in("mice")


# Making domains


def test_groups_by_name_pattern_and_index() -> None:
    names = ["vx", "vy", "speed", "angle[0]", "angle[1]", "a1", "V"]
    domain = Domain.from_dict(
        {
            "features": names,
            "groups": {
                "velocity": ["v*"],
                "mixed": [6, "speed", "v?"],
                "repeated": ["vx", "v*"],
                "one_angle": ["angle[0]"],
                "some": ["a[0-9]", "angle*"],
            },
        }
    )
    assert {group.name: group.columns for group in domain.groups} == {
        "velocity": (0, 1),
        "mixed": (6, 2, 0, 1),
        "repeated": (0, 1),
        "one_angle": (3,),
        "some": (5, 3, 4),
    }


def test_affine_stands_for_every_group_or_else_for_the_full_input() -> None:
    def leaves(domain: Domain) -> list[Any]:
        grammar = domain.grammar(domain.signature(1, per_frame=False, vectors=True))
        return [rule.operation for rule in grammar.vectors]

    groups = (Group("a", (0,)), Group("b", (1,)))
    assert leaves(Domain.of_size(2, vectors=("affine",))) == [Affine()]
    with_groups = Domain.of_size(
        2, groups=groups, aliases={"First": "a"}, vectors=("affine", "FirstAffine", "BAffine")
    )
    assert leaves(with_groups) == [Affine(group) for group in groups]


def test_signatures() -> None:
    domain = Domain.of_size(3)
    assert domain.features == ("x0", "x1", "x2")
    assert domain.signature(2, per_frame=True) == Signature(Sequence(3), Sequence(2))
    assert domain.signature(2, per_frame=False) == Signature(Sequence(3), Vector(2))
    assert domain.signature(2, per_frame=False, vectors=True) == Signature(Vector(3), Vector(2))
    with pytest.raises(DomainError, match="has 3 features, the task 4"):
        domain.grammar(Signature(Vector(4), Vector(1)))


def test_functions_are_in_use_where_they_fit() -> None:
    plain = Domain.of_size(4)
    domain = plain.with_functions(*USER_FUNCTIONS)
    names = tuple(function.name for function in USER_FUNCTIONS)
    assert domain.vectors == (*plain.vectors, *names)
    assert domain.summaries == (*plain.summaries, "blend")
    assert domain.sequences == (*plain.sequences, "blend")
    assert plain.functions == ()


def test_features_by_name_are_columns_of_the_domain() -> None:
    product = record(lambda x: x["speed"] * x[0], "product", takes=(), gives=1)
    domain = Domain("d", ("angle", "speed")).with_functions(product)
    assert domain.functions[0].features() == (1, 0)
    with pytest.raises(
        DomainError, match=r"product reads the feature 'speed', which the domain does not"
    ):
        Domain.of_size(2).with_functions(product)
    with pytest.raises(DomainError, match="product reads features by name"):
        product.features()
    third = record(lambda x: x[2] * 2, "third", takes=(), gives=1)
    with pytest.raises(DomainError, match="third reads feature 2, but there are 2"):
        Domain.of_size(2).with_functions(third)


@given(domains(), st.data())
def test_dictionaries_there_and_back(domain: Domain, data: st.DataObject) -> None:
    again = Domain.from_dict(json.loads(json.dumps(domain.to_dict(), allow_nan=False)))
    assert again == domain
    root = data.draw(signatures(domain))
    assert again.grammar(root) == domain.grammar(root)


@pytest.mark.parametrize("name", ["crim13", "fly", "basketball"])
def test_dictionaries_keep_all(name: str) -> None:
    domain = Domain.built_in(name)
    data = {**domain.to_dict(), "costs": {"map": 3}, "penalty": 0.5, "beta": 2, "accumulator": 4}
    changed = Domain.from_dict(data)
    assert changed != domain
    assert Domain.from_dict(changed.to_dict()) == changed


def test_costs_of_a_rule_at_one_type() -> None:
    text = """
        features = 2
        [groups]
        far_right = [1]
        [aliases]
        FR = "far_right"
        [costs]
        if = 0.5
        "if:sequence->vector" = 0.25
        "if: vector → vector" = 0
        " FRAffine :  vector -> vector " = 0.125
    """
    domain = Domain.from_toml(text)
    costs = {
        "if": 0.5,
        "if: sequence -> vector": 0.25,
        "if: vector -> vector": 0,
        "FarRightAffine: vector -> vector": 0.125,
    }
    assert domain.costs == costs
    again = Domain.from_dict(json.loads(json.dumps(domain.to_dict())))
    assert again == domain and list(again.costs) == list(costs)
    grammar = again.grammar(again.signature(2, per_frame=True))
    found = {
        kind: {rule.operation.name: rule.cost for rule in getattr(grammar, kind)}
        for kind in ("sequences", "summaries", "vectors")
    }
    assert [found[kind]["if"] for kind in found] == [0.5, 0.25, 0]
    assert found["vectors"]["FarRightAffine"] == 0.125
    assert found["vectors"]["add"] == 0.02 and found["sequences"]["map"] == 0.01


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "domain.toml"
    text = 'name = "größe"\nfeatures = ["länge"]\n[rules]\nvectors = ["affine", "twice"]\n'
    path.write_bytes(text.encode())
    twice = record(lambda a: a * 2, "twice", takes=("out",))
    domain = Domain.load(path, [twice])
    assert (domain.name, domain.features, domain.functions) == ("größe", ("länge",), (twice,))
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(DomainError, match="not a text file in UTF-8"):
        Domain.load(path, [twice])


# What is wrong


TWICE = record(lambda a: a * 2, "twice", takes=("out",))
TAKEN = [
    *("map", "fold", "memory", "if", "add", "affine", "sel", "x", "const"),
    *("Affine", "GAffine", "HAffine", "sel_g", "SlidingWindowMax3", "twice"),
]


@pytest.mark.parametrize("name", TAKEN)
def test_names_of_functions_that_are_taken(name: str) -> None:
    domain = Domain.of_size(2, groups=(Group("g", (0,)),), aliases={"H": "g"})
    domain = domain.with_functions(TWICE)
    other = record(lambda a: a * 3, name, takes=("out",), prints="thrice {0}")
    with pytest.raises(DomainError, match=f"the name {name} is already taken"):
        domain.with_functions(other)


def test_functions_that_would_print_the_same() -> None:
    other = record(lambda a: a * 3, "thrice", takes=("out",), prints="twice {0}")
    with pytest.raises(DomainError, match="twice and thrice both print 'twice' first"):
        Domain.of_size(2).with_functions(TWICE, other)


MISTAKES = [
    ("features = 2\nfeatures", "not valid TOML"),
    ("", "needs 'features'"),
    ("features = 0", "list of names or a number from 1, not 0"),
    ("features = true", "list of names or a number from 1"),
    ("features = 2.0", "list of names or a number from 1"),
    ("features = []", "each once"),
    ('features = ["a", "a"]', "each once"),
    ('features = "abc"', "list of names or a number from 1, not 'abc'"),
    ('features = ["a", 3]', "list of names or a number from 1"),
    ("features = 2\nbetta = 1", r"unknown key 'betta' of a domain; did you mean 'beta'"),
    ("features = 2\nrules = 3", r"rules of a domain are a table, \[rules\] in TOML, not 3"),
    ("features = 2\n[rules]\nvector = []", r"rules are for .*, not for \['vector'\]"),
    ('features = 2\n[rules]\nvectors = "affine"', "vectors .* a list of names, not 'affine'"),
    ("features = 2\n[rules]\nsequences = 7", "sequences of a domain are a list of names, not 7"),
    ("features = 2\n[rules]\nsummaries = [[]]", "summaries of a domain are a list of names"),
    ('features = 2\n[rules]\nvectors = ["afine"]', "unknown rule 'afine'; did you mean 'affine'"),
    ('features = 2\n[rules]\nvectors = ["gAffine"]', "unknown rule 'gAffine'"),
    ('features = 2\n[rules]\nsummaries = ["CentredWindowMax4"]', "odd size, not 4"),
    ('features = 2\n[rules]\nsummaries = ["SlidingWindowMax9999999"]', "1 to 1000000"),
    ('features = 2\n[rules]\nsummaries = ["SlidingWindowMean3"]', "unknown rule"),
    ("features = 2\ngroups = [1]", r"groups of a domain are a table, \[groups\] in TOML"),
    ("features = 2\n[groups]\ng = 1", "group g: give a list of columns or name patterns, not 1"),
    ('features = 2\n[groups]\ng = "x0"', "group g: give a list"),
    ("features = 2\n[groups]\ng = []", "group g: give a list"),
    ("features = 2\n[groups]\ng = [2]", r"group g: columns \[2\] must be from 0 to 1"),
    ("features = 2\n[groups]\ng = [-1]", "from 0 to 1"),
    ("features = 2\n[groups]\ng = [0, 0]", "group g: columns must be given, each once"),
    ("features = 2\n[groups]\ng = [true]", "group g: no feature matches True"),
    ("features = 2\n[groups]\ng = [0.0]", "group g: no feature matches 0.0"),
    ('features = 2\n[groups]\ng = ["y*"]', r"group g: no feature matches 'y\*'; there are x0, x1"),
    ('features = 2\n[groups]\n"a b" = [0]', "letters, digits and _, not 'a b'"),
    ("features = 2\n[groups]\na_b = [0]\naB = [1]", "two groups would print the same"),
    ('features = 2\naliases = ["g"]', "aliases of a domain are a table"),
    ('features = 2\n[aliases]\nG = "g"', "alias G is for the unknown group 'g'"),
    ("features = 2\n[aliases]\nG = [1]", "alias G is for the unknown group"),
    ('features = 2\n[groups]\ng = [0]\n[aliases]\nG = "g"', "name GAffine is already taken"),
    ('features = 2\n[groups]\ng = [0]\n[aliases]\n"G H" = "g"', "letters, digits and _"),
    ("features = 2\npenalty = -1", "the penalty must be a number from 0, not -1"),
    ("features = 2\npenalty = nan", "the penalty must be a number from 0, not nan"),
    ('features = 2\npenalty = "0.1"', "the penalty must be a number from 0, not '0.1'"),
    ("features = 2\nbeta = 0", "β must be a positive number, not 0"),
    ("features = 2\nbeta = inf", "β must be a positive number, not inf"),
    ("features = 2\nbeta = [1]", r"β must be a positive number, not \[1\]"),
    ("features = 2\naccumulator = -1", "accumulator is a whole number from 0, not -1"),
    ("features = 2\naccumulator = 1.0", "accumulator is a whole number from 0, not 1.0"),
    ('features = 2\naccumulator = "a"', "accumulator is a whole number from 0, not 'a'"),
    ("features = 2\ncosts = 1", "costs of a domain are a table"),
    (
        "features = 2\n[costs]\nmapp = 1",
        "a cost is given for 'mapp', which is no rule; did you mean 'map'",
    ),
    ("features = 2\n[costs]\naffine = 1", "a cost is given for 'affine', which is no rule"),
    ("features = 2\n[costs]\nmap = -1", "the cost of map must be a number from 0, not -1"),
    ("features = 2\n[costs]\nmap = nan", "the cost of map must be a number from 0, not nan"),
    ("features = 2\n[costs]\nmap = inf", "the cost of map must be a number from 0, not inf"),
    ('features = 2\n[costs]\nmap = "1"', "the cost of map must be a number from 0, not '1'"),
    (
        'features = 2\n[costs]\n"if: sequence->vectr" = 1',
        "'if: sequence->vectr', but if has no such type; did you mean 'if: sequence -> vector'",
    ),
    (
        'features = 2\n[costs]\n"map: vector -> vector" = 1',
        "map has no such type; there are map: sequence -> sequence$",
    ),
    ('features = 2\n[costs]\n"if: vector->sequence" = 1', "if has no such type; did you mean"),
    ('features = 2\n[costs]\n"if: vector vector" = 1', "if has no such type; did you mean"),
    ('features = 2\n[costs]\n"if:" = 1', "if has no such type; there are if: sequence ->"),
    (
        'features = 2\n[costs]\n"mapp: sequence->sequence" = 1',
        "given for 'mapp: sequence->sequence', which is no rule; did you mean 'map'",
    ),
    ('features = 2\n[costs]\n"if: vector->vector" = -1', "vector must be a number from 0, not -1"),
    (
        'features = 2\n[costs]\n"if: vector->vector" = 1\n"if:vector → vector" = 2',
        "the cost of if: vector -> vector is given twice",
    ),
    ("features = 2\nfunctions = 1", "functions are a list of stored functions, not 1"),
    ("features = 2\nfunctions = [1]", "not a stored function"),
    ('features = 2\n[[functions]]\nname = "f"', "a stored function lacks 'takes'"),
    ("features = 2\npaper = 1", "paper of a domain are a table"),
]


@pytest.mark.parametrize(("toml", "problem"), MISTAKES)
def test_mistakes(toml: str, problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        Domain.from_toml(toml)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.floats()
    | st.sampled_from(("x0", "x*", "if", "affine", "left", "out", "blend", "")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("left", "map", "vectors", "Dist")), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=300)
@given(st.data())
def test_whatever_is_written_is_a_domain_or_explained(data: st.DataObject) -> None:
    contents = rich_domain().to_dict()
    for _ in range(data.draw(st.integers(1, 2))):
        at: Any = contents
        while True:  # walk down to some value and write another one there
            keys = sorted(at) if isinstance(at, dict) else range(len(at))
            key = data.draw(st.sampled_from(keys))
            if isinstance(at[key], dict | list) and at[key] and data.draw(st.booleans()):
                at = at[key]
            else:
                break
        at[key] = data.draw(VALUES)
    try:
        domain = Domain.from_dict(contents)
    except DomainError:
        return
    assert Domain.from_dict(domain.to_dict()) == domain


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        *(("vectors", rule) for rule in ("map", "fold", "memory", "SlidingWindowAverage5")),
        *(("sequences", rule) for rule in ("fold", "memory", "affine", "const")),
        *(("summaries", rule) for rule in ("mapprefix", "add", "x")),
    ],
)
def test_a_rule_that_can_never_be_used_where_it_is_listed_is_refused(kind: str, rule: str) -> None:
    rules = {"sequences": ["map"], "summaries": ["fold"], "vectors": ["affine"]}
    with pytest.raises(DomainError, match=f"can never stand among the rules for {kind}"):
        Domain.from_dict({"features": 3, "rules": {**rules, kind: [*rules[kind], rule]}})


# Features by name, and derived ones


def test_derived_features_come_after_the_others() -> None:
    text = """
        features = ["nose_x", "nose_y", "speed_nose"]
        [derived]
        gap = "distance(nose, tail)"
        speed_nose = "speed(nose)"
        [groups]
        all = ["*"]
    """
    domain = Domain.from_toml(text)
    assert domain.features == ("nose_x", "nose_y", "speed_nose", "gap")
    assert domain.derived == {"gap": "distance(nose, tail)", "speed_nose": "speed(nose)"}
    assert domain.groups == (Group("all", (0, 1, 2, 3)),)
    assert Domain.from_dict(json.loads(json.dumps(domain.to_dict()))) == domain
    alone = Domain.from_toml('[derived]\ngap = "distance(nose, tail)"')
    assert alone.features == ("gap",)


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ('[derived]\ngap = "dist(a, b)"', "no function 'dist'; did you mean 'distance'"),
        ('[derived]\ngap = "other = speed(a)"', "'gap' calls itself 'other'"),
        ("[derived]\ngap = 3", "a derived feature is a text"),
        ('derived = ["speed(a)"]', "derived of a domain are a table"),
        ('features = 1\n[groups]\ng = ["x0"]\n[aliases]\nA = "gg"', "unknown group 'gg'; .*'g'"),
        ('features = ["nose_x"]\n[groups]\ng = ["nosex"]', "did you mean 'nose_x'"),
    ],
)
def test_mistakes_in_derived_features_and_names(toml: str, problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        Domain.from_toml(toml)


def test_of_features() -> None:
    domain = Domain.of_features(
        ["nose_x", "nose_y", "tail_x", "tail_y"], derived=["gap = distance(nose, tail)"], beta=2.0
    )
    assert domain.features == ("nose_x", "nose_y", "tail_x", "tail_y", "gap")
    groups = {group.name: group.columns for group in domain.groups}
    assert groups == {"nose": (0, 1), "tail": (2, 3), "gap": (4,)}
    assert (domain.name, domain.beta) == ("data", 2.0)
    chosen = Domain.of_features(domain.features, {"ends": ["*_x", 3], "gap": ["gap"]}, name="mice")
    assert chosen.groups == (Group("ends", (0, 2, 3)), Group("gap", (4,)))
    assert chosen.name == "mice"
    with pytest.raises(DomainError, match="group g: no feature matches 'tail_z'; did you mean"):
        Domain.of_features(domain.features, {"g": ["tail_z"]})
    with pytest.raises(DomainError, match="did you mean 'basketball'"):
        Domain.built_in("basketbal")


def test_groups_may_be_a_table() -> None:
    domain = Domain("arena", ("x1", "y1", "speed"), {"position": ["x*", 1], "speed": ["speed"]})
    assert [(group.name, group.columns) for group in domain.groups] == [
        ("position", (0, 1)),
        ("speed", (2,)),
    ]
