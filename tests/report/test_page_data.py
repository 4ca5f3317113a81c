"""The whole page of a fitted classifier: of every kind of data, whatever names they have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nearstar as ns
from nearstar.report.html_page import render
from nearstar.report.page_data import make_page
from nearstar.report.search_data import COMPLETE, PROBE
from nearstar.run.results.evaluation import Logged
from nearstar.run.results.history import History

HOSTILE = "</script><script>window.pwned = 1</script>"


def shown(path: Path) -> dict[str, Any]:
    """The data of a page."""
    text = path.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    page: dict[str, Any] = json.loads(found[1])
    return page


def classifier(**settings: Any) -> ns.ProgramClassifier:
    budget = ns.Budget(symbolic_steps=24, neural_steps=16, restarts=1)
    return ns.ProgramClassifier(
        **{
            "trainings": 30,
            "finalists": 0,
            "budget": budget,
            "random_state": 0,
            "n_jobs": 1,
            **settings,
        }
    )


def arrays(n: int, classes: int, *, per_frame: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 12, 3))
    levels = X[..., 0] if per_frame else X[..., 0].mean(axis=1)
    y = np.digitize(levels, np.quantile(levels, np.arange(1, classes) / classes))
    return X, y


@pytest.mark.parametrize(
    "search",
    [
        "astar",
        pytest.param("idsbb", marks=pytest.mark.slow),
        pytest.param("enumeration", marks=pytest.mark.slow),
        "rnn",
    ],
)
@pytest.mark.parametrize("per_frame", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_sequences(search: str, per_frame: bool, classes: int, tmp_path: Path) -> None:
    clf = classifier(search=search).fit(*arrays(30, classes, per_frame=per_frame))
    X, y = arrays(9, classes, per_frame=per_frame)
    clf.report(tmp_path / "page.html", X, y)
    page = shown(tmp_path / "page.html")
    assert page["title"] == "page" and page["subtitle"].startswith(page["search"]["algorithm"])
    assert page["program"]["text"] == clf.program_
    validation, test = page["scores"]["parts"]
    reached = clf.programs_[clf.programs_.chosen].iloc[0]
    assert validation["models"][0]["f1"] == pytest.approx(reached["f1"])
    assert test["models"][0]["accuracy"] == pytest.approx(clf.score(X, y))
    assert test["elements"] == y.size
    assert len(page["ethogram"]["sequences"]) == 6
    assert [each["chosen"] for each in page["front"]] == clf.programs_.chosen.tolist()
    for each, text in zip(page["front"], clf.programs_.program, strict=True):
        # Where numbers are too many, there are none.
        assert each["text"] == text if len(text) <= 200 else not re.search(r"\d·", each["text"])
    assert page["search"]["trained"] == clf.result_.trained
    assert len(page["search"]["nodes"]["text"]) == len(clf.result_.evaluations)


def test_probes_are_told_apart(tmp_path: Path) -> None:
    clf = classifier().fit(*arrays(30, 2, per_frame=True))
    clf.report(tmp_path / "page.html")
    page = shown(tmp_path / "page.html")
    evaluations, kinds = clf.result_.evaluations, page["search"]["nodes"]["kind"]
    probes = [each.index for each in evaluations if each.kind == "probe"]
    assert probes and [i for i, kind in enumerate(kinds) if kind & PROBE] == probes
    assert not any(kinds[i] & COMPLETE for i in probes)
    assert not {*page["search"]["front"], page["search"]["best"]} & set(probes)
    trained = [each for each in evaluations if each.kind != "chosen"]
    told = f"A*, {len(trained)} programs trained, {len(probes)} of them as probes"
    assert page["subtitle"].startswith(told)


def test_without_data_and_with_data_that_have_no_labels(tmp_path: Path) -> None:
    X, y = arrays(30, 2, per_frame=True)
    clf = classifier().fit(X, y)
    clf.report(tmp_path / "page.html")
    page = shown(tmp_path / "page.html")
    assert page["ethogram"] is None and [p["name"] for p in page["scores"]["parts"]] == [
        "validation"
    ]
    clf.report(tmp_path / "page.html", X[:2])
    page = shown(tmp_path / "page.html")
    assert [p["name"] for p in page["scores"]["parts"]] == ["validation"]
    assert [each["true"] for each in page["ethogram"]["sequences"]] == [None, None]


def test_vectors(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 1] > 0.5, "yes", "no")
    clf = classifier().fit(X, y)
    clf.report(tmp_path / "page.html", X, y)
    page = shown(tmp_path / "page.html")
    assert page["ethogram"] is None
    assert page["scores"]["parts"][1]["kind"] == "rows"
    assert page["scores"]["parts"][1]["models"][0]["accuracy"] == pytest.approx(clf.score(X, y))


def test_tables_with_hostile_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 400
    speed = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "video": np.repeat([f"{HOSTILE}{i}" for i in range(20)], 20),
            "animal": np.repeat([f"m{i}" for i in range(10)], 40),
            HOSTILE: speed,
            "<!--": rng.normal(size=n),
            "does": np.where(speed > 0.3, HOSTILE, "<img src=x onerror=alert(1)>"),
        }
    )
    clf = classifier(sequence="video", label="does", group="animal").fit(table)
    clf.report(tmp_path / "page.html", table[:60].drop(columns="animal"))
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<script>window" not in text and "<img src" not in text and "<!--" not in text
    page = shown(tmp_path / "page.html")
    assert HOSTILE in page["classes"] and page["scores"]["parts"][1]["elements"] == 60
    assert {each["name"] for each in page["ethogram"]["sequences"]} == set(table.video[:60])


def test_long_recordings_in_windows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(length, 2)) for length in (1500, 700, 1200, 900)]
    y = [(each[:, 0] > 0.5).astype(int) for each in X]
    clf = classifier().fit(X, y)
    clf.report(tmp_path / "page.html", X, y)
    page = shown(tmp_path / "page.html")
    validation, test = page["scores"]["parts"]
    assert (validation["kind"], test["kind"]) == ("frames in windows", "frames")
    assert test["elements"] == 4300
    assert sorted(each["length"] for each in page["ethogram"]["sequences"]) == [
        *(700, 900, 1200, 1500)
    ]


def test_data_that_changed_are_told_of() -> None:
    X, y = arrays(30, 2, per_frame=True)
    clf = classifier(validation=0).fit(X, y)
    names = clf.model_.class_names
    same = ns.Sequences.from_arrays(X, y, class_names=names)
    other = ns.Sequences.from_arrays(X + 1, y, class_names=names)
    for data, told in ((same, False), (other, True)):
        part = ns.Recordings(data, (0, 1), tuple(range(30)))
        page = make_page(clf.model_, "page", parts={"training": part, "validation": part})
        assert any("not the same" in note for note in page["notes"]) == told


def test_a_search_that_has_found_nothing() -> None:
    history = History("", "AStar")
    page = make_page(None, "page", parts={}, history=history)
    assert page["program"] is None and page["search"]["best"] is None
    assert "A*, 0 programs trained" in render(page)


def test_a_large_run_stays_small() -> None:
    history = History("", "AStar")
    rng = np.random.default_rng(0)
    text = "map (fun x_t. if DistanceAffine(x_t) > 0 then AngleAffine(x_t) else ??) x"
    for index in range(5000):
        more = "(Add(VelocityAffine(x_t), ??))" * int(rng.integers(0, 4))
        parent = None if index == 0 else int(rng.integers(0, index))
        cost, error, f = rng.random(3).tolist()
        each = Logged(
            *(error, False, (error,), False, 1, 0.1, 0.5, 0.5),
            text=f"{text}{index:05}{more}",
            index=index,
            parent=parent,
            complete=False,
            answer=False,
            size=5,
            structural_cost=cost,
            weight=1.0,
            f=f,
        )
        history.add([each], index, str)
    domain = ns.Domain.of_features(("speed", "angle"), {"speed": ["speed"], "angle": ["angle"]})
    model = ns.Model.from_text(
        "map (fun x_t. if SpeedAffine[2; 0](x_t) > 0 then AngleAffine[1; 0](x_t) "
        "else SpeedAffine[1; 1](x_t)) x",
        domain,
        domain.signature(1, per_frame=True),
        ("sit", "run"),
    )
    X = rng.normal(size=(6, 30_000, 2))
    data = ns.Sequences.from_arrays(X, rng.integers(0, 2, (6, 30_000)), class_names=("sit", "run"))
    part = ns.Recordings(data, ("sit", "run"), tuple(range(6)))
    page = make_page(model, "large", parts={"test": part}, history=history)
    assert len(render(page).encode()) < 5e6
