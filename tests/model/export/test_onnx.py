"""The exported graph, run by onnxruntime, says what the model says, at any length."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from model.export.cases import Case, case_of, cases, every_construct, every_primitive
from numpy.typing import NDArray
from strategies import rich_domain

from nearstar import Domain, Model, NearstarError, Scale, parse
from nearstar.model.export import export

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def outputs_of(model: Model, inputs: list[NDArray[np.float32]]) -> dict[str, NDArray[np.generic]]:
    """What the graph gives for each input in turn, end to end, by the name of the output."""
    contents = export(model, "onnx")
    assert isinstance(contents, bytes)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(contents, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    assert names == ["scores", "probabilities", "label"]
    results = [session.run(names, {"x": x}) for x in inputs]
    return {
        name: np.concatenate(parts)
        for name, parts in zip(names, zip(*results, strict=True), strict=True)
    }


def check(case: Case) -> None:
    expected, peak = case.expected()
    if not peak < 1e4:
        return
    model, data = case.model, case.data
    results = outputs_of(model, case.inputs)
    tolerance = 1e-5 * max(1, peak)
    assert results["scores"].shape == expected.shape
    assert np.abs(results["scores"] - expected).max() <= tolerance
    assert np.abs(results["scores"] - model.outputs(data)).max() <= tolerance
    probabilities = model.probabilities(data)
    assert np.abs(results["probabilities"] - probabilities).max() <= tolerance
    ordered = np.sort(probabilities, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > tolerance
    np.testing.assert_array_equal(results["label"][clear], model.predict(data)[clear])


@settings(max_examples=60)
@given(cases())
def test_the_graph_says_what_the_model_says(case: Case) -> None:
    check(case)


def test_every_construct() -> None:
    for case in every_construct():
        check(case)


def test_every_primitive() -> None:
    for case in every_primitive():
        check(case)


@pytest.mark.parametrize("text", ["SlidingWindowMin40(Affine(x))", "CentredWindowAverage41(const)"])
def test_every_length(text: str) -> None:
    domain, random = rich_domain(), np.random.default_rng(1)
    per_frame = domain.signature(2, per_frame=True)
    program = parse(f"mapprefix (fun x. blend({text}, {FOLD})) x", domain, per_frame).program
    check(case_of(domain, program, random, [*range(1, 20), 41, 42, 90]))
    whole = parse(f"blend({text}, {FOLD})", domain, domain.signature(2, per_frame=False)).program
    check(case_of(domain, whole, random, [*range(1, 20), 41, 42, 90]))


FOLD = "fold (fun x_t. LeftAffine(x_t)) c x"


@pytest.mark.parametrize("offset", [1e3, -1e5])
def test_features_far_from_0_are_not_rounded_away(offset: float) -> None:
    """As in the engine: the mean is taken away before anything is multiplied."""
    domain, random = Domain.of_size(4), np.random.default_rng(2)
    for text in (
        "mapprefix (fun x_t. SlidingWindowAverage5(Affine(x_t))) x",
        "mapprefix (fun x_t. CentredWindowAverage5(Affine(x_t))) x",
        "mapprefix (fun x_t. SlidingWindowChange5(Affine(x_t))) x",
        "map (fun x_t. Affine(x_t)) x",
    ):
        program = parse(text, domain, domain.signature(2, per_frame=True)).program
        case = case_of(domain, program, random, [30], offset=offset)
        results = outputs_of(case.model, case.inputs)
        expected, _ = case.expected()
        np.testing.assert_allclose(results["scores"], expected, rtol=1e-5, atol=1e-5)


def test_a_fold_is_run_once() -> None:
    domain = Domain.of_size(2)
    signature = domain.signature(1, per_frame=True)
    text = "mapprefix (fun x_t. fold (fun x_i. Affine[1, 2; 3; 4](x_i)) c x_t) x"
    model = Model.from_text(text, domain, signature, ("no", "yes"), offsets=np.array([0.5]))
    graph = onnx.load_model_from_string(export(model, "onnx")).graph
    assert [node.op_type for node in graph.node].count("Scan") == 1


def test_the_graph_says_what_it_is() -> None:
    domain = Domain("odd", ("größe", "\ud800", 'a "b"'))
    signature = domain.signature(1, per_frame=True)
    text = "map (fun x_t. Affine[1, 2, 3; 4](x_t)) x"
    model = Model.from_text(text, domain, signature, ("no", "\udfff"), labels=(False, "\udfff"))
    graph = onnx.load_model_from_string(export(model, "onnx"))
    onnx.checker.check_model(graph, full_check=True)
    told = {entry.key: entry.value for entry in graph.metadata_props}
    assert told["program"] == text
    assert json.loads(told["features"]) == list(domain.features)
    assert json.loads(told["classes"]) == [False, "\udfff"]
    assert [opset.version for opset in graph.opset_import] == [17]


def test_numbers_too_large_for_single_precision() -> None:
    domain = Domain.of_size(1)
    signature = domain.signature(1, per_frame=False, vectors=True)
    program = parse("Affine(x)", domain, signature).program
    scale = Scale(np.zeros(1), np.array([1e-290]))  # with which the engine can still compute
    model = Model(program, np.array([1e300, 0.0]), domain, ("a", "b"), scale)
    with pytest.raises(NearstarError, match="too large to compute with in 32 bits"):
        export(model, "onnx")


def test_without_onnx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(NearstarError, match=r"pip install nearstar\[onnx\]"):
        export(every_construct()[0].model, "onnx")
