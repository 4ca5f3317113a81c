"""Files of models: they give back what was saved, and survive whatever else is in them."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.files.make import stored_model
from model.files.random_models import Case, cases, some_data
from strategies import rich_domain

import nearstar
from nearstar import (
    DataError,
    Domain,
    Model,
    NearstarError,
    ProgramError,
    Sequences,
    parse,
    tracking_table,
)
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.data.format import DataFormat
from nearstar.language.deciding import classes_named
from nearstar.language.types import Signature, Vector
from nearstar.model.file import VERSION

CRIM13 = Domain.built_in("crim13")
SNIFF = CRIM13.signature(1, per_frame=True)
NAMES = ("other", "sniff")
STORED = Path(__file__).parent / "files"

finite = st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
tables = st.dictionaries(st.text(max_size=5), plain_values, max_size=3)
labels = st.text(max_size=5) | st.integers() | finite | st.booleans()
formats = st.builds(
    DataFormat,
    sequence=st.none() | st.text(max_size=5),
    features=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    missing=st.sampled_from(("error", "interpolate")),
    unlabelled=st.lists(labels, max_size=3).map(tuple),
    positive=st.none() | labels,
    window=st.none() | st.integers(1, 10**6),
)


def same(one: Any, other: Any) -> bool:
    """Equal in value and in type, all the way down: to Python 1, 1.0 and True are equal."""
    return bool(repr(one) == repr(other))


# What was saved comes back


@settings(max_examples=60)
@given(cases(), st.data())
def test_a_saved_model_is_the_same_to_the_bit(case: Case, data: st.DataObject) -> None:
    outputs = case.program.signature.output.size
    n_classes = max(outputs, 2)

    def several(values: st.SearchStrategy[Any], n: int) -> st.SearchStrategy[tuple[Any, ...]]:
        return st.lists(values, min_size=n, max_size=n).map(tuple)

    named = classes_named(case.program)
    offsets = None if named else data.draw(st.none() | several(finite, outputs))
    model = case.model(
        data.draw(several(st.text(max_size=5), n_classes)),
        offsets=None if offsets is None else np.array(offsets),
        labels=data.draw(several(labels, n_classes)),
        format=data.draw(st.none() | formats),
        facts=data.draw(
            st.fixed_dictionaries({}, optional={"metrics": tables, "provenance": tables})
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "größe 模型.json"
        model.save(path)
        loaded = Model.load(path)
        assert os.listdir(folder) == [path.name]
        written = path.read_bytes()
        loaded.save(path)
        assert path.read_bytes() == written
    for field in fields(Model):
        before, back = getattr(model, field.name), getattr(loaded, field.name)
        if field.name in ("theta", "offsets"):
            assert (before is None and back is None) or before.tobytes() == back.tobytes()
        elif field.name in ("labels", "facts", "format"):
            assert same(back, before)
        else:
            assert back == before
    X = some_data(case.program.signature, case.random)
    assert loaded.outputs(X).tobytes() == model.outputs(X).tobytes()
    if np.isfinite(model.outputs(X)).all():  # a fold of products may overflow, and predict nothing
        assert loaded.predict(X).tobytes() == model.predict(X).tobytes()


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_files_of_every_version_open(version: int) -> None:
    model = Model.load(STORED / f"version-{version}.json")
    answers = json.loads((STORED / f"version-{version}-answers.json").read_text("utf-8"))
    data = Sequences.from_arrays([np.array(each) for each in answers["inputs"]])
    np.testing.assert_allclose(model.outputs(data), answers["outputs"], rtol=1e-5, atol=1e-6)
    assert model.predict(data).tolist() == answers["codes"]
    assert same(model.labels, (0, 1.5, "süß"))
    stored = stored_model(version)
    assert model.format == stored.format
    assert same(model.facts, stored.facts)
    assert model.domain == stored.domain
    assert model.program == stored.program


@pytest.fixture
def model() -> Model:
    return Model.from_text(HIDDEN_RULE, CRIM13, SNIFF, NAMES)


def test_files_are_for_people_too(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    replace(model, class_names=("süß", "臭い"), labels=()).save(str(path))
    text = path.read_text(encoding="utf-8")
    assert "süß" in text and "臭い" in text and model.text() in text
    assert json.loads(text)["nearstar"] == nearstar.__version__
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


# Saving that fails


def test_a_failed_save_leaves_the_old_file(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    before = path.read_bytes()
    for name in ("replace", "fsync"):

        def fail(*_: object) -> None:
            raise OSError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            with pytest.raises(NearstarError, match=r"model\.json: the disk is full"):
                replace(model, theta=model.theta * 2).save(path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == [path.name]


def test_a_disk_without_room(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        with pytest.raises(
            NearstarError, match=r"cannot be saved as .*model\.json: File too large"
        ):
            replace(model, theta=model.theta * 2).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_places_that_cannot_be_written_to(model: Model, tmp_path: Path) -> None:
    with pytest.raises(NearstarError, match=r"no folder/model\.json: No such file or directory"):
        model.save(tmp_path / "no folder" / "model.json")
    with pytest.raises(NearstarError, match="Is a directory"):
        model.save(tmp_path)
    with pytest.raises(NearstarError, match="cannot be saved as /proc/model"):
        model.save("/proc/model.json")
    with pytest.raises(NearstarError, match="null byte"):
        model.save(str(tmp_path / "a\0b.json"))
    assert os.listdir(tmp_path) == []


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


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_process_leaves_a_whole_file(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "a.json")
    model.save(tmp_path / "model.json")
    replace(model, theta=model.theta * 2).save(tmp_path / "b.json")
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "done\n", done.stderr


def test_a_program_that_its_domain_reads_differently_is_not_saved(tmp_path: Path) -> None:
    steep = Domain.of_size(2, beta=9.0)
    text = "if const[1] > 0 then const[2] else const[3]"
    right = Model.from_text(text, steep, Signature(Vector(2), Vector(1)), ("no", "yes"))
    with pytest.raises(NearstarError, match="reads the program as another one"):
        replace(right, domain=Domain.of_size(2)).save(tmp_path / "wrong.json")
    assert os.listdir(tmp_path) == []


# Files that are no models


def opening(contents: bytes, folder: Path) -> str:
    """What is said about a file with these contents."""
    path = folder / "model.json"
    path.write_bytes(contents)
    with pytest.raises(NearstarError, match=r"/model\.json cannot be opened as a model: ") as told:
        Model.load(path)
    assert len(str(told.value)) < 1000
    return str(told.value).partition("as a model: ")[2]


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"", "not JSON: Expecting value: line 1"),
        (b"{}", "not a JSON table with the 'format' 'nearstar-model'"),
        (b"[]", "not a JSON table"),
        (b"null", "not a JSON table"),
        (b"3", "not a JSON table"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'{"format": "nearstar-model-1"}', "not a JSON table with the 'format'"),
        (b'{"format": NaN}', "not a JSON table with the 'format'"),
        (b"[" * 10**5, "not JSON"),
        (b'{"a":' * 10**5, "not JSON"),
        (b'{"format": 1, "format": 2}', "the key 'format' is there twice"),
        (b"1" * 10**6, "not a JSON table"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_files_that_are_no_models(contents: bytes, said: str, tmp_path: Path) -> None:
    assert said in opening(contents, tmp_path)


def test_files_that_are_not_there(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "sniff.json")
    for path, said in (
        (tmp_path / "snif.json", r"no file .*snif\.json; did you mean 'sniff\.json'\?"),
        (tmp_path / "folder" / "sniff.json", "nor a folder .*folder"),
        (tmp_path, "it is a folder"),
        ("/dev/zero", "it is no ordinary file"),
        ("a\0b", "the path is none: embedded null"),
    ):
        with pytest.raises(NearstarError, match=said):
            Model.load(path)


def test_a_file_that_may_not_be_read(model: Model, tmp_path: Path, monkeypatch: Any) -> None:
    model.save(tmp_path / "model.json")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # root may read everything
    with pytest.raises(NearstarError, match=r"model\.json cannot .*: Permission denied"):
        Model.load(tmp_path / "model.json")


def test_a_huge_file_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    with open(path, "wb") as file:
        file.truncate(10**12)
    with pytest.raises(NearstarError, match="has 1000000 MB; models have at most"):
        Model.load(path)


# Damage


def rich_model() -> Model:
    domain = rich_domain(accumulator=2)
    text = (
        "mapprefix (fun x_t. fold (fun x_i. scaled(ratio ?? over Affine(x_i)) by x_i / 1) c x_t) x"
    )
    program = parse(text, domain, domain.signature(2, per_frame=True)).program
    return Case(domain, program, np.random.default_rng(0)).model(
        offsets=np.array([0.5, -1.0]),
        labels=(3, "yes"),
        format=DataFormat(sequence="video", unlabelled=("?",), window=10),
        facts={"metrics": {"f1": 0.5}, "provenance": {"seed": 1}},
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.json"
    rich_model().save(path)
    return path


@pytest.fixture
def contents(saved: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(saved.read_text(encoding="utf-8"))
    return table


def test_a_file_that_was_cut_off(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        assert "it is not JSON" in opening(whole[:length], tmp_path)


def test_versions(contents: dict[str, Any], tmp_path: Path) -> None:
    for version, said in (
        (4, "made by a newer nearstar; this one, .*, reads up to version 3: upgrade"),
        (10**300, "made by a newer nearstar"),
        (0, "its 'version' is 0, not a number from 1"),
        (True, "its 'version' is True"),
        ("1", "its 'version' is '1'"),
        (None, "its 'version' is None"),
    ):
        told = opening(json.dumps({**contents, "version": version}).encode(), tmp_path)
        assert re.search(said, told), told


def test_every_key_must_be_there_and_no_other(contents: dict[str, Any], tmp_path: Path) -> None:
    for key in contents:
        less = {other: value for other, value in contents.items() if other != key}
        assert f"{key!r}" in opening(json.dumps(less).encode(), tmp_path)
    more = json.dumps({**contents, "offset": None}).encode()
    assert "'offset' is no key of a model; did you mean 'offsets'?" in opening(more, tmp_path)


HUGE = "9" * 10**5
WRONG = ("-1", '"x"', "true", "[[]]", "{}", '{"a": 1}', "NaN", "-Infinity", "1e400", HUGE)
"""Values that hardly any key may have."""
ALLOWED = {("readable", '"x"'), ("nearstar", '"x"'), ("data_format", "{}")} | {
    (key, value) for key in ("metrics", "provenance") for value in ("{}", '{"a": 1}')
}


def test_values_of_the_wrong_type_are_told_with_their_key(
    contents: dict[str, Any], tmp_path: Path
) -> None:
    for key in contents:
        for value in WRONG:
            if (key, value) in ALLOWED:
                continue
            text = json.dumps({**contents, key: "@"}).replace('"@"', value)
            assert key in opening(text.encode(), tmp_path)


def changed(*path: str | int, to: Any) -> Callable[[Any], None]:
    def change(contents: Any) -> None:
        for key in path[:-1]:
            contents = contents[key]
        contents[path[-1]] = to

    return change


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed("signature", "input", to=["Sequence", 10**9]), "'signature'.*up to 1000000"),
        (changed("signature", "input", to=["Sequence", 10**6]), "'program'|parts do not fit"),
        (changed("signature", "input", to=["Sequence", True]), "'signature'.*whole numbers"),
        (changed("signature", "output", to=["Sequence", 10**6]), "parts do not fit"),
        (changed("signature", "output", to=["List", 1]), "'signature'.*Vector or Sequence"),
        (changed("signature", "more", to=1), "'signature'.*input and output"),
        (changed("domain", "features", to=10**12), "'domain'.*list of names"),
        (changed("domain", "accumulator", to=10**9), "'domain'.*at most 1000000"),
        (changed("domain", "functions", 0, "takes", 0, to=10**9), "'domain'"),
        (changed("domain", "rules", "vectors", to=["affine"] * 10**5), "'domain'.*up to 2000"),
        (changed("domain", "aliases", to={f"A{k}": "left" for k in range(10**5)}), "'domain'"),
        (changed("domain", "groups", to={f"g{k}": [0] for k in range(10**5)}), "'domain'"),
        (changed("domain", "groups", "left", to=["x*"]), "'domain'.*expected numbers"),
        (changed("units", to=[10**9, 1]), "'units'.*up to 1000000"),
        (changed("units", to=[10**6, 10**6]), "parts do not fit.*parameters"),
        (changed("theta", 0, to=1e308), "parts do not fit.*too large"),
        (changed("theta", 0, to=10**350), "'theta'"),
        (changed("theta", 0, to=True), "'theta'.*expected numbers, not True"),
        (changed("theta", to=[0] * 10**6), "parts do not fit.*parameters"),
        (changed("scale", "std", 0, to=0), "'scale'.*above 0"),
        (changed("offsets", to=[1.0]), "parts do not fit.*one for each of 2 outputs"),
        (changed("classes", to=["a"] * 10**5), "parts do not fit.*100000 classes"),
        (changed("classes", 0, to=1), "'classes'.*a name, not 1"),
        (changed("labels", to=[1, 2, 3]), "3 labels were given for 2 classes"),
        (changed("labels", 0, to=None), "a label is a text, a finite number or a boolean"),
        (changed("program", to="add(" * 10**5), "'program'"),
        (changed("program", to="(" * 10**5), "'program'"),
        (changed("program", to="??" * 10**6), "'program'"),
        (changed("program", to="\ud800"), "'program'.*surrogates"),
        (changed("provenance", "deep", to=deep(3000)), "not JSON|'provenance'"),
        (changed("data_format", "window", to=-1), "'data_format'.*window"),
        (changed("data_format", "windows", to=1), "'data_format'.*did you mean 'window'"),
    ],
)
def test_hostile_values(
    change: Callable[[Any], None], said: str, contents: dict[str, Any], tmp_path: Path
) -> None:
    change(contents)
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(20_000)
        text = json.dumps(contents)
    finally:
        sys.setrecursionlimit(limit)
    began = time.process_time()
    told = opening(text.encode(), tmp_path)
    assert re.search(said, told), told
    assert time.process_time() - began < 5


def test_a_large_program_on_many_features_is_refused_at_once(
    contents: dict[str, Any], tmp_path: Path
) -> None:
    n = 10**5
    contents["domain"] |= {"features": [f"f{k}" for k in range(n)], "functions": []}
    contents["domain"] |= {"rules": {}, "groups": {}, "aliases": {}}
    contents["signature"]["input"] = ["Sequence", n]
    contents["program"] = f"map (fun x_t. {'add(Affine(x_t), ' * 50}Affine(x_t){')' * 50}) x" + (
        " " * 10**5
    )
    told = opening(json.dumps(contents).encode(), tmp_path)
    assert "too large a program" in told


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats()
    | st.sampled_from((10**9, 10**30, 10**400))
    | st.sampled_from(("", "x", "??", "Vector", "Sequence", "out", "x0", "affine")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(("input", "mean", "name")), inner, max_size=2)
    ),
    max_leaves=5,
)


@settings(max_examples=300)
@given(st.data())
def test_damage_is_reported_or_harmless(saved: Path, data: st.DataObject) -> None:
    contents = json.loads(saved.read_text(encoding="utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        damage(contents, data)
    path = saved.with_name("damaged.json")
    path.write_text(json.dumps(contents), encoding="utf-8")
    usable_or_refused(path)


def damage(contents: Any, data: st.DataObject) -> None:
    """Walk down to some place, and delete, replace or insert something there."""
    while True:
        keys = sorted(contents) if isinstance(contents, dict) else range(len(contents))
        key = data.draw(st.sampled_from(keys)) if keys else None
        inner = contents[key] if keys else None
        if not isinstance(inner, dict | list) or not data.draw(st.integers(0, 3)):
            break
        contents = inner
    what = data.draw(st.sampled_from(("delete", "replace", "insert"))) if keys else "insert"
    if what == "delete":
        del contents[key]
    elif what == "replace":
        contents[key] = data.draw(VALUES)
    elif isinstance(contents, list):
        contents.insert(data.draw(st.integers(0, len(contents))), data.draw(VALUES))
    else:
        contents[data.draw(st.sampled_from(("new", "name", "mean")))] = data.draw(VALUES)


@settings(max_examples=300)
@given(st.data())
def test_bytes_that_were_changed(saved: Path, data: st.DataObject) -> None:
    content = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    path = saved.with_name("damaged.json")
    path.write_bytes(content)
    usable_or_refused(path)


def usable_or_refused(path: Path) -> None:
    """Whatever is loaded can be used, and saved again."""
    try:
        model = Model.load(path)
    except NearstarError:
        return
    data = some_data(model.program.signature, np.random.default_rng(0))
    with suppress(ProgramError):  # sums of large numbers may be too large for 32 bits
        model.outputs(data)
    model.save(path)
    assert Model.load(path).text() == model.text()


def test_new_data_are_read_as_those_that_were_learned_from(tmp_path: Path) -> None:
    table = tracking_table(4)
    derived = {"gap": "distance(mouse1_body, mouse2_body)"}
    domain = Domain.of_features(["mouse1_body_x"], {"gap": ["gap"]}, derived)
    model = Model.from_text(
        "map (fun t. GapAffine[-1; 8](t)) x",
        domain,
        domain.signature(1, per_frame=True),
        ("other", "sniff"),
        format=DataFormat(sequence="video", frame="frame", label="behavior", group="cage"),
    )
    table.to_csv(tmp_path / "mice.csv", index=False)
    read = [model.read(source) for source in (str(tmp_path / "mice.csv"), tmp_path / "mice.csv")]
    assert {each.sequences.fingerprint() for each in read} == {read[0].sequences.fingerprint()}
    backwards = model.read(table.drop(columns="behavior")[::-1])
    for place, name in enumerate(backwards.ids):
        own = read[0].sequences.sequence(read[0].ids.index(name))
        np.testing.assert_array_equal(backwards.sequences.sequence(place), own)
    labelled = model.read(table, labelled=True)
    assert model.evaluate(labelled.sequences).accuracy > 0.5
    np.savez(tmp_path / "parts.npz", X_train=np.zeros((2, 3, 2)), X_test=np.zeros((2, 3, 2)))
    with pytest.raises(DataError, match="the parts train, test"):
        Model.from_text(
            "map (fun t. Affine[0, 0; 1](t)) x",
            Domain.of_size(2),
            Domain.of_size(2).signature(1, per_frame=True),
            ("a", "b"),
        ).read(tmp_path / "parts.npz")
