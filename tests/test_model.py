"""Models: what training reported is what they give, here and after a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from engine.cases import UNITS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import domains, programs, rich_domain, signatures

from nearstar import (
    Budget,
    DataError,
    Domain,
    Hole,
    Metrics,
    Model,
    NearstarError,
    Program,
    ProgramError,
    Scale,
    Sequences,
    Task,
    Units,
    is_complete,
    parse,
    to_text,
    train,
    two_animals,
)
from nearstar.data.synthetic import HIDDEN_RULE
from nearstar.parameters import initial, layout, unscaled
from nearstar.types import Sequence, Signature, Vector

CRIM13 = Domain.built_in("crim13")
SNIFF = CRIM13.signature(1, per_frame=True)
NAMES = ("other", "sniff")
ANIMALS = two_animals(12, length=(5, 20))


def some_data(
    signature: Signature, random: np.random.Generator, *, offset: float = 1.0, n: int = 8
) -> Sequences:
    """Labelled data for a program of this type, the features far from 0 by an offset."""
    n_features, n_classes = signature.input.size, max(signature.output.size, 2)
    lengths = [1] * n if signature.maps_vectors else random.integers(1, 9, n).tolist()
    X = [random.normal(offset, 1, (length, n_features)) for length in lengths]
    y = [random.integers(0, n_classes, length) for length in lengths]
    names = [f"class {k}" for k in range(n_classes)]
    if signature.maps_vectors:
        return Sequences.from_arrays(np.concatenate(X), np.concatenate(y), class_names=names)
    labels = y if signature.maps_sequences else [each[0] for each in y]
    return Sequences.from_arrays(X, labels, class_names=names)


@dataclass(frozen=True)
class Case:
    domain: Domain
    program: Program
    random: np.random.Generator

    def model(self, class_names: tuple[str, ...] | None = None) -> Model:
        """The program with parameters that nobody trained."""
        n, outputs = len(self.domain.features), self.program.signature.output.size
        scale = Scale(self.random.normal(size=n), np.exp(self.random.normal(size=n)))
        blocks = layout(self.program, UNITS)
        theta = unscaled(blocks, initial(blocks, int(self.random.integers(1000))), scale)
        names = class_names or tuple(map(str, range(max(outputs, 2))))
        units = None if is_complete(self.program) else UNITS
        return Model(self.program, theta, self.domain, names, scale, units)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    domain = draw(domains())
    program = draw(programs(domain.grammar(draw(signatures(domain))), 8, holes=True))
    return Case(domain, program, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))


# What training reported


@settings(max_examples=60)
@given(cases(), st.sampled_from(("best", "last")), st.sampled_from((0.0, 1.0, 1e4)))
def test_a_model_does_what_training_reported(case: Case, select: Any, offset: float) -> None:
    signature = case.program.signature
    data = some_data(signature, case.random, offset=offset)
    valid = some_data(signature, case.random, offset=offset)
    budget = Budget(neural_epochs=2, symbolic_epochs=2, batch_size=3, units=UNITS, select=select)
    trained = train(case.program, Task(data, valid), budget)
    if trained.diverged:
        return
    model = Model.of(trained, case.domain, data.class_names)
    assert model.evaluate(valid) == trained.metrics
    # Predictions and outputs are those that were counted.
    codes, outputs = model.predict(valid), model.outputs(valid)
    counts = np.zeros((data.n_classes, data.n_classes), np.int64)
    np.add.at(counts, (valid.labels, codes), 1)
    assert Metrics.from_confusion(counts) == trained.metrics
    decided = outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    np.testing.assert_array_equal(codes, decided)
    # Labels and company change nothing.
    alone = model.outputs(valid.subset([2]).with_labels(None))
    rows = slice(*valid.offsets[2:4]) if signature.maps_sequences else slice(2, 3)
    assert alone.tobytes() == outputs[rows].tobytes()


# Files


@settings(max_examples=60)
@given(cases(), st.lists(st.text(max_size=5), min_size=5, max_size=5))
def test_a_saved_model_is_the_same_to_the_bit(case: Case, names: list[str]) -> None:
    n_classes = max(case.program.signature.output.size, 2)
    model = case.model(tuple(names[:n_classes]))
    data = some_data(case.program.signature, case.random)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "größe 模型.json"
        model.save(path)
        loaded = Model.load(path)
        assert os.listdir(folder) == [path.name]
    assert (loaded.program, loaded.domain) == (model.program, model.domain)
    assert (loaded.class_names, loaded.scale, loaded.units) == (
        model.class_names,
        model.scale,
        model.units,
    )
    assert loaded.theta.tobytes() == model.theta.tobytes()
    assert loaded.outputs(data).tobytes() == model.outputs(data).tobytes()


@pytest.fixture
def model() -> Model:
    return Model.from_text(HIDDEN_RULE, CRIM13, SNIFF, NAMES)


def test_files_are_for_people_too(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    named = Model(model.program, model.theta, CRIM13, ("süß", "臭い"), model.scale)
    named.save(str(path))
    text = path.read_text(encoding="utf-8")
    assert "süß" in text and "臭い" in text and model.text() in text
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_failed_save_leaves_the_old_file(model: Model, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    before = path.read_bytes()
    other = Model(model.program, model.theta * 2, CRIM13, NAMES, model.scale)
    for name in ("replace", "fsync"):

        def fail(*_: object) -> None:
            raise OSError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            with pytest.raises(OSError, match="disk is full"):
                other.save(path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == [path.name]
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "no such folder" / "model.json")


KILLED = """
import os, random, signal, time
from nearstar import Model
models = [Model.load(f"{name}.json") for name in "ab"]
texts = {model.text() for model in models}
for _ in range(20):
    child = os.fork()
    if not child:
        signal.alarm(10)  # nothing outlives the test
        while True:
            for model in models:
                model.save("model.json")
    try:
        for _ in range(3):
            time.sleep(random.uniform(0, 0.01))
            assert Model.load("model.json").text() in texts
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert Model.load("model.json").text() in texts
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_process_leaves_a_whole_file(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "a.json")
    model.save(tmp_path / "model.json")
    Model(model.program, model.theta * 2, CRIM13, NAMES, model.scale).save(tmp_path / "b.json")
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "done\n", done.stderr


def test_a_program_that_its_domain_reads_differently_is_not_saved(tmp_path: Path) -> None:
    steep = Domain.of_size(2, beta=9.0)
    text = "if const[1] > 0 then const[2] else const[3]"
    right = Model.from_text(text, steep, Signature(Vector(2), Vector(1)), ("no", "yes"))
    for domain in (Domain.of_size(2), Domain.of_size(3, beta=9.0)):
        wrong = Model(right.program, right.theta, domain, right.class_names, right.scale)
        if domain.beta == steep.beta:
            wrong.save(tmp_path / "fine.json")  # its text means the same there
            continue
        with pytest.raises(ProgramError, match="reads the program as another one"):
            wrong.save(tmp_path / "wrong.json")
    assert os.listdir(tmp_path) == ["fine.json"]


# Damage


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"3",
        b"\xff\xfe",
        b'{"format": "nearstar-model-2"}',
        b'{"format": NaN}',
        b"[" * 10**5,
    ],
    ids=lambda contents: contents[:40].decode("latin-1") or "nothing",
)
def test_files_that_are_no_models(contents: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(contents)
    with pytest.raises(NearstarError, match=r"model\.json is not a saved model"):
        Model.load(path)


def rich_model() -> Model:
    domain = rich_domain(accumulator=2)
    text = (
        "mapprefix (fun x_t. fold (fun x_i. scaled(ratio ?? over Affine(x_i)) by x_i / 1) c x_t) x"
    )
    program = parse(text, domain, domain.signature(2, per_frame=True)).program
    return Case(domain, program, np.random.default_rng(0)).model()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.json"
    rich_model().save(path)
    return path


def test_a_file_that_was_cut_off(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    path = tmp_path / "model.json"
    for length in range(0, len(whole) - 2, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(NearstarError, match="not a saved model"):
            Model.load(path)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats()
    | st.sampled_from(("", "x", "??", "Vector", "Sequence", "out", "x0", "affine")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.just("input"), inner, max_size=1)
    ),
    max_leaves=5,
)


@settings(max_examples=300)
@given(st.data())
def test_damage_is_reported_or_harmless(saved: Path, data: st.DataObject) -> None:
    contents = json.loads(saved.read_text(encoding="utf-8"))
    at: Any = contents
    while True:  # walk down to some value and write another one there, or none
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if isinstance(at[key], dict | list) and at[key] and data.draw(st.integers(0, 3)):
            at = at[key]
        else:
            break
    if data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = data.draw(VALUES)
    path = saved.with_name("damaged.json")
    path.write_text(json.dumps(contents), encoding="utf-8")
    try:
        model = Model.load(path)
    except NearstarError:
        return
    # Whatever is loaded can be used, and saved again.
    # Numbers may have become too large for 32 bits.
    with suppress(ProgramError), np.errstate(all="ignore"):
        model.outputs(some_data(model.program.signature, np.random.default_rng(0)))
    model.save(path)
    assert Model.load(path).text() == model.text()


# Data that do not fit


def test_data_that_do_not_fit(model: Model) -> None:
    narrow = some_data(Signature(Sequence(4), Sequence(2)), np.random.default_rng(0))
    vectors = some_data(Signature(Vector(19), Vector(2)), np.random.default_rng(0))
    for method in (model.outputs, model.predict, model.evaluate):
        with pytest.raises(DataError, match=r"takes Sequence\(19\), the data are .* of 4 features"):
            method(narrow)
    for method in (model.outputs, model.predict):
        with pytest.raises(DataError, match="the data are vectors of 19 features"):
            method(vectors)
    three = ANIMALS.with_labels(ANIMALS.labels, ("a", "b", "c"))
    for data, labels in (
        (ANIMALS.with_labels(None), "the data have none"),
        (three, "the data have labels of 3"),
    ):
        with pytest.raises(DataError, match=f"needs labels of 2 classes; {labels}"):
            model.evaluate(data)
    per_sequence = ANIMALS.with_labels(np.zeros(len(ANIMALS), int))
    with pytest.raises(DataError, match="labelled per frame and the program is not, or vice versa"):
        model.evaluate(per_sequence)
    assert model.predict(per_sequence).shape == (len(ANIMALS.frames),)


def test_outputs_that_are_not_finite_are_no_scores() -> None:
    domain = Domain.of_size(1, vectors=("x", "multiply"))
    text = "multiply(multiply(x, x), multiply(x, x))"
    huge = Model.from_text(text, domain, Signature(Vector(1), Vector(1)), ("a", "b"))
    data = Sequences.from_arrays(np.array([[1e30], [2.0]]), [0, 1])
    with pytest.raises(NearstarError, match="not finite on these data"):
        huge.evaluate(data)


def test_parts_of_a_model_that_do_not_fit(model: Model) -> None:
    for changed, problem in (
        ({"class_names": ("a", "b", "c")}, "1 outputs cannot tell 3 classes"),
        ({"class_names": ("a",)}, "1 outputs cannot tell 1 classes"),
        ({"theta": model.theta[1:]}, "has 8 parameters"),
        ({"theta": model.theta * np.nan}, "finite"),
        ({"scale": Scale.identity(4)}, "the scale is of 4 features"),
        ({"program": Hole(SNIFF)}, "needs the units"),
    ):
        parts = {"program": model.program, "theta": model.theta, "domain": CRIM13}
        parts |= {"class_names": NAMES, "scale": model.scale}
        with pytest.raises(ProgramError, match=problem):
            Model(**{**parts, **changed})


# Text


def test_a_model_from_text(model: Model) -> None:
    expected = [
        naive.evaluate(model.program, model.theta, ANIMALS.sequence(i)) for i in range(len(ANIMALS))
    ]
    np.testing.assert_allclose(
        model.outputs(ANIMALS), np.concatenate(expected), rtol=1e-4, atol=1e-4
    )
    clean = two_animals(12, length=(5, 20), noise=0.0)  # the labels are what the rule says
    assert model.evaluate(clean).accuracy > 0.97
    with pytest.raises(ProgramError, match="the text has no parameters"):
        Model.from_text("map (fun x_t. AngleAffine(x_t)) x", CRIM13, SNIFF, NAMES)
    with pytest.raises(ProgramError, match="needs the units"):
        Model.from_text("??", CRIM13, SNIFF, NAMES)


def test_text_is_rounded_for_reading() -> None:
    text = "map (fun x_t. DistanceAffine[.123456789; -1234.56789](x_t)) x"
    model = Model.from_text(text, CRIM13, SNIFF, NAMES)
    assert model.text() == "map (fun x_t. DistanceAffine[.1235; -1235](x_t)) x"
    assert model.text(2) == "map (fun x_t. DistanceAffine[.12; -1200](x_t)) x"
    assert model.text(None) == text
    exact = Model.from_text(model.text(None), CRIM13, SNIFF, NAMES)
    assert exact.theta.tobytes() == model.theta.tobytes()
    with pytest.raises(ProgramError, match="digits must be from 1"):
        model.text(0)
    sketch = Model(
        Hole(SNIFF),
        np.zeros(len(initial(layout(Hole(SNIFF), Units(2, 2)), 0))),
        *(CRIM13, NAMES, model.scale, Units(2, 2)),
    )
    assert sketch.text() == to_text(sketch.program) == "??"
