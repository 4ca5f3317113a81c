"""``show``, ``domains`` and ``demo --table``: what there is to read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from cli.calling import QUICK, nearstar, refused

from nearstar.language.domain import Domain
from nearstar.model.model import Model


def test_a_model_in_words(run: Path) -> None:
    model = Model.load(run / "model.json")
    text = nearstar("show", run)
    assert text.startswith(model.text())
    assert "tells, for each frame: sit, run" in text and "reads: speed\n" in text
    assert "validation: accuracy" in text and "the best program at every price" in text
    assert model.text(digits=2) in nearstar("show", run / "model.json", "--digits", "2")


def test_the_gap_is_shown_with_what_is_known_of_it(run: Path, tmp_path: Path) -> None:
    model = Model.load(run / "model.json")

    def shown(**known: float | None) -> str:
        source = {**model.facts["provenance"], **known}
        facts = {**model.facts, "provenance": source}
        replace(model, facts=facts).save(tmp_path / "model.json")
        return nearstar("show", tmp_path / "model.json")

    told = "search: gap 0.0123 by the heuristic; 0.0453 with the measured ε of 0.0330\n"
    assert told in shown(gap=0.0123, epsilon=0.033)
    told = "search: gap 0 by the heuristic; 0.0330 with the measured ε\n"
    assert told in shown(gap=0.0, epsilon=0.033)
    assert "search: gap 0.0123 by the heuristic\n" in shown(gap=0.0123, epsilon=0.0)
    assert "search: gap 0.0123\n" in shown(gap=0.0123, epsilon=None)
    assert "gap" not in shown(gap=None, epsilon=None)


def test_a_model_as_json(run: Path) -> None:
    shown = json.loads(nearstar("show", run, "--json"))
    report = json.loads((run / "result.json").read_text("utf-8"))
    assert shown["program"] == report["program"] and shown["classes"] == ["sit", "run"]
    assert shown["front"] == report["front"] and shown["per"] == "frame"
    assert shown["metrics"]["validation"]["f1"] == report["f1"]
    assert json.loads(nearstar("show", run / "model.json", "--json"))["front"] == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"front": [{}]}', '{"front": 1}', "\ud800"])
def test_a_damaged_result(run: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "model.json").write_bytes((run / "model.json").read_bytes())
    (tmp_path / "result.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    assert "result.json is damaged" in refused("show", tmp_path)


def test_domains(tmp_path: Path) -> None:
    listed = nearstar("domains").splitlines()
    assert [line.split()[0] for line in listed] == list(Domain.built_in_names())
    assert json.loads(nearstar("domains", "--json")) == list(Domain.built_in_names())
    for name in Domain.built_in_names():
        domain = Domain.built_in(name)
        text = nearstar("domains", name)
        assert all(group.name in text for group in domain.groups)
        assert all(
            feature in text
            for group in domain.groups
            for feature in (domain.features[column] for column in group.columns)
        )
        path = tmp_path / f"{name}.toml"
        path.write_text(nearstar("domains", name, "--toml"), "utf-8")
        assert Domain.load(path) == domain
        assert Domain.from_dict(json.loads(nearstar("domains", path, "--json"))) == domain
    assert "already" in refused("domains", path, "--toml")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_example_table_to_fit(ending: str, tmp_path: Path) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"mice.{ending}"
    assert str(path) in nearstar("demo", "--table", path)
    read = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    assert {"video", "frame", "behavior"} <= set(read)
    # The flags of the help fit it.
    nearstar(
        *("fit", path, "--sequence", "video", "--label", "behavior"),
        *("--group", "position=*_x,*_y", "--out", tmp_path / "run", *QUICK),
    )
    assert Model.load(tmp_path / "run" / "model.json").labels == ("other", "sniff")
