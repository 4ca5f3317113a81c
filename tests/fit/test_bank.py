"""The bank of terms: from a table to a model that reads a few of them, wherever it is used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.calling import nearstar, refused

import nearstar as ns
from nearstar.data.derived.bank import frame_terms, windows
from nearstar.data.derived.extending import with_features
from nearstar.fit import bank as banks
from nearstar.fit.bank import Bank
from nearstar.fit.options import changed
from nearstar.fit.settings import FitSettings
from nearstar.language.program import applied
from nearstar.search.constraints import Constraints

QUICK = ("--bank", "terms", "--trainings", "12", "--steps", "60", "--json", "--finalists", "1")


def data(per_frame: bool, n: int = 12, length: int = 40) -> ns.Sequences:
    """Of three channels, one of which swings where the label is 1."""
    random = np.random.default_rng(0)
    labels = (
        np.repeat(random.integers(0, 2, (n, length // 10)), 10, axis=1)
        if per_frame
        else np.arange(n) % 2
    )
    frames = random.normal(size=(n, length, 3)).cumsum(axis=1) * 0.1
    swinging = labels if per_frame else np.repeat(labels[:, None], length, axis=1)
    frames[..., 1] += np.where(np.arange(length) % 2, 3, -3) * swinging
    return ns.Sequences.from_arrays(frames, labels, feature_names=("a", "swing", "c"))


def table(sequences: ns.Sequences) -> pd.DataFrame:
    codes = np.asarray(sequences.labels)
    per = codes if sequences.per_frame else np.repeat(codes, sequences.lengths)
    return pd.DataFrame(sequences.frames, columns=sequences.feature_names).assign(
        video=np.repeat(np.arange(len(sequences)), sequences.lengths),
        does=np.array(["rest", "swing"])[per],
    )


@pytest.mark.parametrize("longest", [1, 2, 3, 10, 25, 61, 62, 100, 10_000])
def test_windows_are_odd_and_fit(longest: int) -> None:
    sizes = windows(longest)
    assert all(size % 2 and 3 <= size <= 31 for size in sizes)
    assert list(sizes) == sorted(set(sizes))
    assert len(sizes) == 2 or longest < 25
    assert longest < 62 or sizes == (11, 31)


@pytest.mark.parametrize("causal", [False, True])
def test_terms_are_what_they_say(causal: bool) -> None:
    sequences = data(per_frame=True)
    terms = frame_terms(("a", "swing"), (3, 11), causal=causal)
    derived = {name: name for name in terms}
    found = with_features(sequences, ("swing", *terms), derived)
    one = sequences.sequence(4).astype(np.float64)
    begin = int(sequences.offsets[4])
    assert np.array_equal(found.frames[begin : begin + 40, 0], sequences.sequence(4)[:, 1])
    functions = {"mean": np.mean, "spread": np.std, "least": np.min, "largest": np.max}
    for place, name in enumerate(terms):
        function, _, rest = name.partition("(")
        feature, _, frames = rest.removesuffix(")").partition(", ")
        assert frames.startswith("last ") == causal
        size = int(frames.removeprefix("last "))
        column = one[:, ("a", "swing").index(feature)]
        for frame in (0, 1, 5, 20, 39):
            first = frame - size + 1 if causal else frame - size // 2
            end = frame + 1 if causal else frame + size // 2 + 1
            expected = functions[function](column[max(first, 0) : end])
            assert found.frames[begin + frame, 1 + place] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("window", [None, 16])
def test_of_sequences_only_their_ends_are_kept(window: int | None) -> None:
    """Of each, or of each window that they are cut to, which has statistics of its own."""
    sequences, format = data(per_frame=False), ns.DataFormat(window=window, hop=window and 12)
    bank = Bank.of(sequences, {}, format)
    found = bank.computed(sequences)
    one = sequences.sequence(3)[:, 1]
    parts = [one] if window is None else [one[0:16], one[12:28], one[24:40]]
    assert len(found) == len(found.frames) == len(sequences) * len(parts)
    term = "spread(swing)" if window is None else "spread(swing, last 16)"
    for place, part in enumerate(parts):
        last = found.frames[3 * len(parts) + place, bank.features.index(term)]
        assert last == pytest.approx(part.std(), rel=1e-5)
    assert np.array_equal(found.labels, np.repeat(sequences.labels, len(parts)))


def test_many_terms_are_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(banks, "MOST_TERMS", 5)
    found = Bank.of(data(per_frame=True), {})
    assert len(found.features) == 5 and "spread(swing, 7)" in found.features
    # Of long data, as many as there is room for.
    monkeypatch.setattr(banks, "MOST_BYTES", 4 * 12 * 40 * 3)
    found = Bank.of(data(per_frame=True), {})
    assert len(found.features) == 3 and "spread(swing, 7)" in found.features


@pytest.mark.parametrize(
    ("per", "window"), [("frame", ()), ("sequence", ()), ("sequence", ("--window", "16"))]
)
def test_a_table_gives_a_model_that_reads_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, per: str, window: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    sequences = data(per == "frame", n=24)
    rows = table(sequences)
    rows.to_csv(tmp_path / "data.csv", index=False)
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--per", per, *window)
    said = json.loads(nearstar("fit", *asked, *QUICK, "--out", "run"))
    assert said["front"][-1]["f1"] > 0.9
    assert "swing" in said["program"] and said["numbers"] < 12
    model = ns.Model.load(tmp_path / "run" / "model.json")
    assert set(model.domain.features) <= {*sequences.feature_names, *model.domain.derived}
    assert len(model.domain.features) < 12
    # From the file, from sequences of columns alone, and by the exported module: the same.
    read = model.read("data.csv")
    codes = model.predict(sequences)
    assert np.array_equal(model.predict(read.sequences), codes)
    module: dict[str, Any] = {"__name__": "exported"}
    exec(model.export("python"), module)
    first = rows[rows.video == 0].drop(columns=["video", "does"])
    predicted = module["predict"](module["features"](dict(first)))
    expected = codes[:40] if per == "frame" else codes[:1]
    assert [model.labels[code] for code in expected] == np.atleast_1d(predicted).tolist()
    explained = model.explain(sequences)
    assert len(explained) == len(sequences.frames)


@pytest.mark.parametrize("classes", [2, 3])
def test_what_was_long_before_is_remembered_by_one_number(classes: int) -> None:
    """Longer than any window of a term, which is what is left without a memory."""
    x = np.random.default_rng(0).normal(size=(60, 100, 2))
    kept, mean, means = 0.5 ** (1 / 40), x[:, 0, 0], []
    for frame in range(100):
        mean = kept * mean + (1 - kept) * x[:, frame, 0]
        means.append(mean)
    labels = np.digitize(np.array(means).T, [0.0] if classes == 2 else [-0.1, 0.1])
    sequences = ns.Sequences.from_arrays(x, labels)
    domain = Bank.of(sequences, {}, causal=False).domain()
    assert domain.summaries == ("memory",) and "mapprefix" in domain.sequences
    classifier = ns.ProgramClassifier(bank="terms", trainings=40, random_state=0)
    classifier.fit(list(x), list(labels))
    assert "memory[" in classifier.program_
    assert classifier.score(list(x), list(labels)) > 0.9


def test_terms_of_derived_features_need_no_more_than_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = table(data(per_frame=True, n=24)).rename(columns={"a": "nose_x", "swing": "nose_y"})
    rows.to_csv(tmp_path / "data.csv", index=False)
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--features", "fast")
    said = json.loads(
        nearstar("fit", *asked, "--derive", "fast = speed(nose)", *QUICK, "--out", "r")
    )
    assert "fast" in said["program"] and said["f1"] > 0.8
    model = ns.Model.load(tmp_path / "r" / "model.json")
    read = model.read("data.csv", labelled=True)
    assert model.evaluate(read.sequences).f1 > 0.8


def test_small_programs_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = table(data(per_frame=True, n=24))
    rows.to_csv(tmp_path / "data.csv", index=False)
    rows[rows.video >= 18].to_csv(tmp_path / "more.csv", index=False)
    asked = ("fit", "data.csv", "--sequence", "video", "--label", "does", "--test", "more.csv")
    for name, flags in (("few", ("--numbers", "5")), ("terms", ("--terms", "2"))):
        said = json.loads(nearstar(*asked, *QUICK, *flags, "--out", name))
        front = said["front"]
        numbers = [each["numbers"] for each in front]
        assert numbers == sorted(numbers) and said["numbers"] in numbers
        # Each entry says what it is to read, and what it reaches on the test data.
        for place, each in enumerate(front, 1):
            model = ns.Model.load(tmp_path / name / "front" / f"{place}.json")
            assert each["numbers"] == model.numbers
            tested = model.evaluate(model.read("more.csv", labelled=True).sequences)
            assert each["test"]["f1"] == pytest.approx(tested.f1)
            read = [node.operation.columns(node.signature) for node in applied(model.program)]
            assert name != "terms" or max(map(len, read)) <= 2
        assert name != "few" or max(numbers) <= 5
    nearstar("resume", "few", "--trainings", "14", "--quiet")
    assert ns.Model.load(tmp_path / "few" / "model.json").numbers <= 5  # type: ignore[operator]
    given = ("--program", "map (fun x_t. Affine{*2}(x_t)) x")
    said = json.loads(nearstar(*asked, *QUICK, *given, "--out", "given"))
    assert said["numbers"] <= 3


def test_what_names_a_class_alone_reads_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sequences = data(per_frame=True, n=24)
    table(sequences).to_csv(tmp_path / "data.csv", index=False)
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--numbers", "1", "--trees")
    said = json.loads(nearstar("fit", *asked, *QUICK, "--out", "run"))
    assert said["program"] in (f"map (fun x_t. {name}) x" for name in ("rest", "swing"))
    assert said["numbers"] == 1
    model = ns.Model.load(tmp_path / "run" / "model.json")
    assert model.domain.features == ("a",) and not model.domain.derived
    (code,) = set(model.predict(sequences).tolist())
    assert np.array_equal(model.predict(model.read("data.csv").sequences), model.predict(sequences))
    assert model.labels[code] in said["program"]


@pytest.mark.parametrize(
    ("flags", "absent"),
    [
        (("--forbid", "if"), "if"),
        (("--forbid", "class"), "then rest"),
        (("--max-depth", "4"), "else if"),
    ],
)
def test_without_trees_of_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], absent: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(data(per_frame=True, n=24)).to_csv(tmp_path / "data.csv", index=False)
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--trees", *flags)
    said = json.loads(nearstar("fit", *asked, *QUICK, "--out", "run"))
    assert "swing" in said["program"] and said["f1"] > 0.9
    models = [ns.Model.load(each) for each in (tmp_path / "run" / "front").iterdir()]
    assert models and all(absent not in model.text() for model in models)


def test_trees_may_be_large_unless_somebody_says_otherwise() -> None:
    usual = changed(FitSettings(data=""), {"trees": True})
    assert usual.constraints.max_depth == 64
    for part, change in (
        ("language", {"max_depth": 7}),
        ("language", {"rules": Constraints(max_depth=7)}),
        ("language", {"trees": False}),
        ("search", {"search": "idsbb"}),
    ):
        told = replace(usual, **{part: replace(getattr(usual, part), **change)})
        assert told.constraints.max_depth == (7 if "7" in str(change) else 10)
    few = replace(usual, language=replace(usual.language, numbers=5, forbid=("add",)))
    assert few.constraints == Constraints(max_depth=64, numbers=5, forbid=("add",))


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("map (fun x_t. if ?? > 0 then rest else ??) x", 2),
        ("map (fun x_t. if ?? > 0 then class else if ?? > 0 then class else ??) x", 3),
    ],
)
def test_a_sketch_names_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, leaves: int
) -> None:
    monkeypatch.chdir(tmp_path)
    table(data(per_frame=True, n=24)).to_csv(tmp_path / "data.csv", index=False)
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--trees", "--sketch", text)
    said = json.loads(nearstar("fit", *asked, *QUICK, "--out", "run"))
    model = ns.Model.load(tmp_path / "run" / "model.json")
    assert said["f1"] > 0.9
    assert sum(not node.arguments for node in applied(model.program)) >= 2 * leaves - 1
    assert "then rest" in model.text() or "then swing" in model.text()


def test_a_given_program_names_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(data(per_frame=True, n=24)).to_csv(tmp_path / "data.csv", index=False)
    text = 'map (fun x_t. if "spread(swing, 7)" > 2 then swing else rest) x'
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--program", text)
    said = json.loads(nearstar("fit", *asked, *QUICK, "--out", "run"))
    assert said["f1"] > 0.9 and said["numbers"] == 3
    assert said["program"].endswith("then swing else rest) x")
    model = ns.Model.load(tmp_path / "run" / "model.json")
    assert model.domain.features == ("spread(swing, 7)",)


def test_leaves_of_a_domain_choose_of_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(data(per_frame=True, n=24)).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "mine.toml").write_text(
        'features = ["a", "swing", "c"]\nprice = 0.001\n[groups]\nends = [2, 1]\n'
        '[rules]\nvectors = ["multiply", "EndsAffine{*}", "Affine"]'
    )
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--domain", "mine.toml")
    more = ("--terms", "1", "--forbid", "Affine", *QUICK[2:])
    said = json.loads(nearstar("fit", *asked, *more, "--out", "run"))
    model = ns.Model.load(tmp_path / "run" / "model.json")
    # What is saved reads no more than its program does.
    assert set(model.domain.features) <= {"swing", "c"}
    assert said["numbers"] == model.numbers
    assert np.array_equal(
        model.predict(model.read("data.csv").sequences), model.predict(data(True, n=24))
    )


def test_numbers_and_terms_of_the_estimator() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(200, 6))
    y = (x[:, 2] > 0.5).astype(int)
    classifier = ns.ProgramClassifier(bank="terms", trainings=6, random_state=0, numbers=4)
    assert classifier.fit(x, y).programs_.numbers.max() <= 4
    classifier = ns.ProgramClassifier(bank="terms", trainings=6, random_state=0, terms=1)
    classifier.fit(x, y)
    assert "Affine{*1}" in classifier.domain_.vectors
    assert classifier.programs_.numbers.is_monotonic_increasing
    with pytest.raises(ns.NearstarError, match="terms=3 is for leaves that choose"):
        ns.ProgramClassifier(terms=3, bank="none").fit(x, y)


def test_vectors_have_leaves_of_a_few_features() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(200, 6))
    classifier = ns.ProgramClassifier(bank="terms", trainings=6, random_state=0)
    classifier.fit(x, (x[:, 2] > 0.5).astype(int))
    assert classifier.score(x, (x[:, 2] > 0.5).astype(int)) > 0.95
    assert "x2" in classifier.program_ and classifier.model_.numbers <= 6


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--domain", "mine.toml"), "makes a language of its own; leave --domain out"),
        (("--group", "all=a,c"), "leave --group out"),
    ],
)
def test_what_cannot_both_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(data(per_frame=False)).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "mine.toml").write_text('features = ["a", "swing", "c"]')
    asked = ("data.csv", "--sequence", "video", "--label", "does", "--bank", "terms", *flags)
    assert words in refused("fit", *asked)


def test_what_is_the_same_everywhere_is_no_term() -> None:
    varying = data(per_frame=True, n=6)
    frames = np.array(varying.frames)
    frames[:, 2] = 7.0
    x = np.split(frames, varying.offsets[1:-1])
    y = np.split(np.asarray(varying.labels), varying.offsets[1:-1])
    bank = Bank.of(ns.Sequences.from_arrays(x, y, feature_names=varying.feature_names), {})
    assert bank.base == varying.feature_names[:2]
    assert not any(varying.feature_names[2] in name.split("(")[-1] for name in bank.features)
    still = ns.Sequences.from_arrays([np.ones((8, 2))] * 4, [np.array([0, 1] * 4)] * 4)
    assert Bank.of(still, {}).base == still.feature_names
