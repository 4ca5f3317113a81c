"""The exported module says what the model says, and can be run by itself."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.export.cases import Case, cases, every_construct, every_primitive, of_function
from model.export.modules import module_of, run_script

from nearstar import Domain, Model, Sequences
from nearstar.language.expression import MAX_HEIGHT, Expression, primitive
from nearstar.language.function import record
from nearstar.language.operators import HARD, Group
from nearstar.model.export import export


def check(case: Case, folder: Path) -> None:
    expected, peak = case.expected()
    if not peak < 1e4:
        return
    model, data = case.model, case.data
    module = module_of(model, folder)
    read = [model.domain.features.index(name) for name in module.FEATURES]
    inputs = [x[:, read] for x in case.inputs]
    results = {
        name: np.concatenate([np.atleast_1d(getattr(module, name)(x)) for x in inputs])
        for name in ("scores", "probabilities", "predict")
    }
    scores = results["scores"].reshape(expected.shape)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9 * max(peak, 1))
    tolerance = 1e-5 * np.maximum(1, peak)
    assert np.abs(scores - model.outputs(data)).max() <= tolerance
    probabilities = results["probabilities"].reshape(-1, len(model.class_names))
    assert np.abs(probabilities - model.probabilities(data)).max() <= tolerance
    # Labels, but where two are as good as equally likely.
    ordered = np.sort(probabilities, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > tolerance
    labels = np.array(model.labels)[model.predict(data)]
    np.testing.assert_array_equal(results["predict"][clear], labels[clear])


@settings(max_examples=60)
@given(cases())
def test_the_module_says_what_the_model_says(
    tmp_path_factory: pytest.TempPathFactory, case: Case
) -> None:
    check(case, tmp_path_factory.getbasetemp())


def test_every_construct(tmp_path: Path) -> None:
    for case in every_construct():
        check(case, tmp_path)


def test_every_primitive(tmp_path: Path) -> None:
    for case in every_primitive():
        check(case, tmp_path)


def test_powers_signs_and_parentheses(tmp_path: Path) -> None:
    for meaning in (
        lambda a, b: a - (b - a) + (a - b),
        lambda a, b: a / (b * b + 1) / (2 - (a + b) / 4),
        lambda a, b: -((a + b) ** 3) - (-a) ** 2 * -2.5,
        lambda a, b: (a * b) ** 2 * (a * b),
        lambda a, b: (a > b + 1) * (b < 2 * a) + 1e-20 - 3e30 * 0,
        lambda a, b: abs(-a) ** 2**2,
    ):
        check(of_function(record(meaning, "mine", takes=("out", "out"))), tmp_path)


def test_the_deepest_function_compiles(tmp_path: Path) -> None:
    def deep(a: Expression) -> Expression:
        while a.height <= MAX_HEIGHT - 2:
            a = primitive("sqrt", a + 1)
        return a

    check(of_function(record(deep, "deep", takes=("out",))), tmp_path)


ODD_NAMES = (
    '"""',
    "'''",
    '"; raise SystemExit #',
    "\\",
    '\\"""\nraise SystemExit\n"""',
    "line\nbreak",
    "\u2028raise SystemExit",
    "größe, 模型",
    "\ud800",
    "",
    "{x}",
    "import",
)


@settings(max_examples=40)
@given(
    st.lists(
        st.one_of(st.sampled_from(ODD_NAMES), st.text(max_size=8)),
        min_size=3,
        max_size=3,
        unique=True,
    ),
    st.lists(st.one_of(st.sampled_from(ODD_NAMES), st.text(max_size=8)), min_size=2, max_size=2),
)
def test_names_are_texts_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, features: list[str], classes: list[str]
) -> None:
    domain = Domain("odd", tuple(features), vectors=("affine", "sel"), groups=(Group("g", (2,)),))
    domain = domain.with_functions(record(lambda x: x[1] * 2, "twice", takes=(), gives=1))
    signature = domain.signature(1, per_frame=False, vectors=True)
    text = "add(add(Affine[1, 2, 3; 4](x), sel_g x), twice(x))"
    model = Model.from_text(text, domain, signature, tuple(classes))
    module = module_of(model, tmp_path_factory.getbasetemp())
    assert (features, classes) == (module.FEATURES, module.CLASSES)
    assert module.scores(np.array([[1.0, 10, 100]])).tolist() == [[1 + 20 + 300 + 4 + 100 + 20]]
    # Nothing stands in the module but what every module has.
    tree = ast.parse(export(model, "python"))
    kinds = {type(node) for node in tree.body}
    assert kinds <= {ast.Expr, ast.Import, ast.Assign, ast.FunctionDef, ast.If}
    assert sum(isinstance(node, ast.Expr) for node in tree.body) == 1


def test_names_of_functions_and_groups_that_python_has_taken(tmp_path: Path) -> None:
    names = ("lambda", "scores", "np", "FEATURES", "checked", "min_", "step", "gate", "print")
    functions = [
        record(lambda a, k=k: a + k, name, takes=("out",), prints=f"do_{name}({{0}})")
        for k, name in enumerate(names)
    ]
    domain = Domain.of_size(2, groups=(Group("Sys", (0,)), Group("import", (1,)))).with_functions(
        *functions
    )
    inner = "if SysAffine[1; 0](x_t) > 0 then ImportAffine[1; 0](x_t) else SysAffine[2; 0](x_t)"
    for name in names:
        inner = f"do_{name}({inner})"
    text = f"fold (fun x_t. {inner.replace('; 0]', '; 0; 0]')}) c x"
    model = Model.from_text(text, domain, domain.signature(1, per_frame=False), ("a", "b"))
    module = module_of(model, tmp_path)
    x = np.array([[1.0, 3.0]])
    gate = 1 / (1 + np.exp(-1.0))
    expected = gate * 3 + (1 - gate) * 2 + sum(range(len(names)))
    np.testing.assert_allclose(module.scores(x), [expected])


def test_labels_are_those_of_the_data(tmp_path: Path) -> None:
    domain = Domain.of_size(1)
    signature = domain.signature(1, per_frame=False, vectors=True)
    for labels in ((-1, 7), (0.5, 2.0), (False, True), ("no", 1)):
        names = tuple(map(str, labels))
        model = Model.from_text("Affine[1; 0](x)", domain, signature, names, labels=labels)
        predicted = module_of(model, tmp_path).predict([[-2.0], [3.0]]).tolist()
        assert predicted == list(labels)
        assert [type(each) for each in predicted] == [type(each) for each in labels]


def test_the_module_runs_on_a_csv_file(tmp_path: Path) -> None:
    domain = Domain("mice", ("speed, cm", 'a "quoted" one'))
    signature = domain.signature(1, per_frame=True)
    text = "map (fun x_t. Affine[1, -1; 0](x_t)) x"
    model = Model.from_text(text, domain, signature, ("rest", "run # 1"))
    (tmp_path / "mice.py").write_text(str(export(model, "python")), encoding="utf-8")
    # Other columns may stand between, in any order.
    table = '"a ""quoted"" one",who,"speed, cm"\n1,"a, b",2\n3,c # d,1\n0,"",0.5\n'
    (tmp_path / "mice.csv").write_text(table, encoding="utf-8-sig")
    (tmp_path / "rats.csv").write_text("speed\n1\n", encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_script(tmp_path / "mice.py", *arguments)

    done = run("mice.csv")
    assert (done.stdout, done.stderr) == ("prediction\nrun # 1\nrest\nrun # 1\n", "")
    assert "rats.csv: there is no column 'speed, cm'" in run("rats.csv").stderr
    assert "usage: python mice.py FILE.csv" in run().stderr


def test_data_are_rounded_as_the_model_rounds_them(tmp_path: Path) -> None:
    domain = Domain.of_size(1)
    signature = domain.signature(1, per_frame=False, vectors=True)
    model = Model.from_text("Affine[1; -123456792](x)", domain, signature, ("a", "b"))
    x = np.array([[123456789.0], [123456797.0]])
    scores = module_of(model, tmp_path).scores(x)
    np.testing.assert_array_equal(scores, model.outputs(Sequences.from_arrays(x)))


def test_data_that_do_not_fit(tmp_path: Path) -> None:
    module = module_of(every_construct()[0].model, tmp_path)
    n = len(module.FEATURES)
    for x in (np.zeros((3, n + 1)), np.zeros(n), np.zeros((0, n))):
        with pytest.raises(ValueError, match=rf"x has the shape .* {n} features"):
            module.scores(x)
    with pytest.raises(ValueError, match="missing, infinite or too large"):
        module.predict(np.full((2, n), np.nan))


def test_only_features_that_the_program_reads(tmp_path: Path) -> None:
    domain = Domain.of_size(
        6, vectors=("x", "affine", "sel", "const", "add"), groups=(Group("g", (4, 1)),)
    ).with_functions(record(lambda x: x["x3"], "third", takes=(), gives=1))
    for text, outputs, expected in (
        ("GAffine[1, 2; 0](x)", 1, ["x1", "x4"]),
        ("add(third(x), GAffine[1, 2; 0](x))", 1, ["x1", "x3", "x4"]),
        ("sel_g x", 2, ["x1", "x4"]),
        ("x", 6, list(domain.features)),
        # The rows must be counted all the same.
        ("const[1]", 1, list(domain.features)),
    ):
        signature = domain.signature(outputs, per_frame=False, vectors=True)
        classes = tuple(map(str, range(max(outputs, 2))))
        model = Model.from_text(text, domain, signature, classes)
        assert expected == module_of(model, tmp_path).FEATURES


def test_the_module_reads_as_if_written_by_hand() -> None:
    domain = Domain.built_in("crim13")
    text = (
        "map (fun x_t. if DistanceAffine[.306; -2.78](x_t) > 0 "
        "then DistanceChangeAffine[-.261; -2.95](x_t) "
        "else AngleAffine[-2.08, 1.48, -.806; -.27](x_t)) x"
    )
    model = Model.from_text(text, domain, domain.signature(1, per_frame=True), ("other", "sniff"))
    source = str(export(model, "python"))
    assert (
        """
def scores(x):
    \"\"\"One score, above 0 for the second class; a row for each row of x.\"\"\"
    x = checked(x)
    distance_affine = affine(x, DISTANCE_AFFINE_WEIGHTS, DISTANCE_AFFINE_BIAS)
    distance_change_affine = affine(x, DISTANCE_CHANGE_AFFINE_WEIGHTS, DISTANCE_CHANGE_AFFINE_BIAS)
    angle_affine = affine(x, ANGLE_AFFINE_WEIGHTS, ANGLE_AFFINE_BIAS)
    gate = sigmoid(distance_affine)
    return mix(gate, distance_change_affine, angle_affine)
"""
        in source
    )
    assert (
        'ANGLE_AFFINE_WEIGHTS = {"angle1": [-2.08], "angle2": [1.48], "angle_between": [-0.806]}'
        in source
    )
    assert model.text() in " ".join(source.split())
    # Only the helpers that are needed.
    assert "def fold(" not in source and "def windows(" not in source


def test_names_of_classes_stand_beside_their_numbers() -> None:
    names = ("no", 'a "b"\n1')
    domain = Domain.of_features(("gap",), {}, classes=names, beta=HARD)
    signature = domain.signature(2, per_frame=True)
    text = r'map (fun t. if gap > 3 then "a \"b\"\n1" else no) x'
    source = str(export(Model.from_text(text, domain, signature, names), "python"))
    assert "ANSWER_4 = np.array([0.0, 1.0])  # 'a \"b\"\\n1'\n" in source
    assert 'ANSWER_5 = np.array([1.0, 0.0])  # "no"\n' in source
    assert 'np.where(select(x, "gap") > 3.0, ANSWER_4, ANSWER_5)' in source
