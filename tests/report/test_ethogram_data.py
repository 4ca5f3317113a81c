"""Recordings over time: what is chosen, the bands, the traces, and that they stay small."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from model.files.random_models import Case, cases, some_data

import nearstar as ns
from nearstar.data.format import DataFormat
from nearstar.report.ethogram import ethogram
from nearstar.util.errors import NearstarError

FEATURES = ("speed", "angle")
DOMAIN = ns.Domain.of_features(FEATURES, {"speed": ["speed"], "angle": ["angle"]})
GATED = (
    "map (fun x_t. if SpeedAffine[2; 0](x_t) > 0 then AngleAffine[1; 0](x_t) "
    "else SpeedAffine[1; 1](x_t)) x"
)


def model(text: str = GATED, n_classes: int = 2, **more: object) -> ns.Model:
    outputs = 1 if n_classes == 2 else n_classes
    signature = DOMAIN.signature(outputs, per_frame=text.startswith("map"))
    return ns.Model.from_text(text, DOMAIN, signature, tuple("abcdefgh"[:n_classes]), **more)


def recordings(lengths: list[int], seed: int = 0, **more: object) -> ns.Recordings:
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(length, 2)) for length in lengths]
    y = [rng.integers(-1, 2, length) for length in lengths]
    data = ns.Sequences.from_arrays(X, y, feature_names=FEATURES, class_names=("a", "b"))
    return ns.Recordings(data, ("a", "b"), tuple(f"v{i}" for i in range(len(lengths))), **more)


def spread(runs: list[list[int]]) -> list[int]:
    return [code for code, length in runs for _ in range(length)]


@given(cases())
def test_bands_and_traces_are_what_the_model_says(case: Case) -> None:
    own = case.model()
    data = some_data(own.program.signature, case.random, n=4)
    part = ns.Recordings(data, data.class_names, tuple(range(4)))
    try:
        predicted = own.predict(data)
    except NearstarError as problem:  # a product of products, say
        with pytest.raises(NearstarError, match=re.escape(str(problem))):
            ethogram(own, {"validation": part})
        return
    page = ethogram(own, {"validation": part})
    if data.vectors:
        assert page is None
        return
    assert page is not None
    json.dumps(page, allow_nan=False)
    table = own.explain(data) if ns.is_complete(own.program) else None
    assert sorted(each["name"] for each in page["sequences"]) == list("0123")
    for shown in page["sequences"]:
        index = int(shown["name"])
        here = slice(data.offsets[index], data.offsets[index + 1])
        length = shown["length"]
        assert length == data.lengths[index] and shown["first"] == 0 and shown["numbers"] is None
        if own.program.signature.maps_sequences:
            assert spread(shown["true"]) == data.labels[here].tolist()
            assert spread(shown["predicted"]) == predicted[here].tolist()
        else:
            assert shown["true"] == [[data.labels[index], length]]
            assert shown["predicted"] == [[predicted[index], length]]
        assert len(shown["traces"]) == len(page["parts"])
        for row, values in zip(page["parts"], shown["traces"], strict=True):
            assert table is not None
            exact = table[row["title"]].to_numpy()[here]
            assert row["gate"] == row["title"].endswith(": gate")
            got = np.array([np.nan if each is None else each for each in values])
            close = np.isclose(got, exact, rtol=6e-4, atol=0)
            assert (close | (np.isnan(got) & ~np.isfinite(exact))).all()


def test_the_worst_are_chosen_and_one_of_the_best() -> None:
    test, valid = recordings([20] * 10, seed=1), recordings([20] * 3)
    page = ethogram(model(), {"validation": valid, "test": test})
    assert page is not None
    assert "6 of 10 sequences of the test data" in page["note"]
    wrong = (model().predict(test.sequences) != test.sequences.labels) & (
        test.sequences.labels >= 0
    )
    errors = wrong.reshape(10, 20).sum(axis=1)
    chosen = [int(each["name"][1:]) for each in page["sequences"]]
    assert len(set(chosen)) == 6 and {each["part"] for each in page["sequences"]} == {"test"}
    assert errors[chosen].tolist() == [*sorted(errors)[::-1][:5], min(errors)]
    few = ethogram(model(), {"validation": valid, "training": test})
    assert few is not None and [each["part"] for each in few["sequences"]] == ["validation"] * 3


def test_sequences_by_name_from_any_part() -> None:
    parts = {"training": recordings([5, 6]), "test": recordings([7, 8, 9])}
    page = ethogram(model(), parts, ["v2", "v1"])
    assert page is not None
    shown = [(each["name"], each["part"], each["length"]) for each in page["sequences"]]
    assert shown == [("v2", "test", 9), ("v1", "training", 6), ("v1", "test", 8)]
    with pytest.raises(NearstarError, match="no sequence 'v9'"):
        ethogram(model(), parts, ["v9"])
    with pytest.raises(NearstarError, match="no sequences to show"):
        ethogram(model(), {}, ["v1"])
    assert ethogram(model(), {}) is None


def test_rows_that_tell_nothing_are_left_out() -> None:
    page = ethogram(model(), {"test": recordings([9])})
    assert page is not None
    titles = [row["title"] for row in page["parts"]]
    # The map only repeats what is in it.
    assert titles == ["2 if: gate", "2 if", "3 SpeedAffine", "4 AngleAffine", "5 SpeedAffine"]
    assert [row["gate"] for row in page["parts"]] == [True, False, False, False, False]
    assert "left out (1)" in page["note"]
    three = "map (fun x_t. if AngleAffine[0; 1](x_t) > 0 then {0}(x_t) else {0}(x_t)) x"
    three = three.format("SpeedAffine[1; 0 | 2; 0 | 0; 3]")
    page = ethogram(model(three, 3), {"test": recordings([9])})
    assert page is not None
    # Of what has an output for each class, only the whole; the third never changes.
    assert [(row["title"], row["code"]) for row in page["parts"]] == [
        ("1 map [a]", 0),
        ("1 map [b]", 1),
    ]


def test_frame_numbers() -> None:
    counting = recordings([4, 3], frames=np.array([7, 8, 9, 10, 1, 2, 3]))
    page = ethogram(model(), {"test": counting}, ["v0", "v1"])
    assert page is not None
    assert [(each["numbers"], each["first"]) for each in page["sequences"]] == [
        (None, 7),
        (None, 1),
    ]
    odd = recordings([4], frames=np.array([0.0, 0.5, 1.0, 2.5]))
    page = ethogram(model(), {"test": odd})
    assert page is not None and page["sequences"][0]["numbers"] == [0.0, 0.5, 1.0, 2.5]


@pytest.mark.parametrize("lengths", [[200_000], [50_000] * 6, [60, 30_000, 10]])
def test_long_recordings_are_cut_to_where_the_errors_are(lengths: list[int]) -> None:
    data = recordings(lengths)
    right = model().predict(data.sequences)
    place = lengths.index(max(lengths))
    start = int(data.sequences.offsets[place])
    right[start + 15_000 : start + 15_100] ^= 1
    data = replace(data, sequences=data.sequences.with_labels(right))
    page = ethogram(model(), {"test": data})
    assert page is not None and "the most errors" in page["note"]
    assert len(json.dumps([each["traces"] for each in page["sequences"]])) < 2e6
    shown = next(each for each in page["sequences"] if each["name"] == f"v{place}")
    assert shown["first"] <= 15_000 and shown["first"] + shown["length"] >= 15_100
    assert max(each["length"] for each in page["sequences"]) <= 12_000
    true, predicted = np.array(spread(shown["true"])), np.array(spread(shown["predicted"]))
    assert (true != predicted).sum() == 100
    short = [each["length"] for each in page["sequences"] if each["name"] != f"v{place}"]
    assert all(length in short for length in lengths if length < 1000)
    for each in page["sequences"]:
        assert {len(trace) for trace in each["traces"]} == {each["length"]}


def test_of_one_answer_the_end_is_shown() -> None:
    data = recordings([20_000])
    single = data.sequences.with_labels(np.array([1]))
    own = model("fold (fun x_i. SpeedAffine[1; 0.5; 0](x_i)) c x")
    page = ethogram(own, {"test": replace(data, sequences=single)})
    assert page is not None and page["per"] == "sequence"
    (shown,) = page["sequences"]
    assert shown["first"] == 20_000 - shown["length"] and len(shown["true"]) == 1
    assert shown["predicted"] == [[int(own.predict(single)[0]), shown["length"]]]


@pytest.mark.parametrize(
    ("wrong", "told"), [(3, "3 of the 3"), (9, "6 of the 9"), (7, "5 of the 7")]
)
def test_of_one_answer_the_note_counts_right_and_wrong(wrong: int, told: str) -> None:
    data = recordings([20] * 9)
    own = model("fold (fun x_i. SpeedAffine[1; 0.5; 0](x_i)) c x")
    single = data.sequences.with_labels(np.zeros(9, int))
    codes = own.predict(single)
    codes[:wrong] ^= 1
    page = ethogram(own, {"test": replace(data, sequences=single.with_labels(codes))})
    assert page is not None
    assert f"6 of 9 sequences of the test data: {told} predicted wrong" in page["note"]
    right = sum(each["accuracy"] == 1 for each in page["sequences"])
    assert (f", and {right} predicted right" in page["note"]) == (right > 0)


def test_windows_and_data_without_labels() -> None:
    data = recordings([50, 7])
    windowed = replace(model(), format=DataFormat(window=10, hop=5))
    unlabelled = replace(data, sequences=data.sequences.with_labels(None))
    page = ethogram(windowed, {"test": unlabelled})
    assert page is not None and "every 10 frames" in page["note"]
    assert "windows that overlap" in page["note"]
    touching = ethogram(replace(model(), format=DataFormat(window=10)), {"test": unlabelled})
    assert touching is not None and "overlap" not in touching["note"]
    predicted = windowed.predict(data.sequences)
    assert spread(page["sequences"][0]["predicted"]) == predicted[:50].tolist()
    assert page["sequences"][0]["true"] is None and page["sequences"][0]["accuracy"] is None
