"""Following runs: while they go on, are cut off, resumed, damaged, repaired and replaced."""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import pytest
from report.examples import HOSTILE
from run.driving import DOMAIN
from run.results.test_history import followed, told
from run.store.test_journaled_run import CASES, TASK, run

import nearstar as ns
from nearstar.report.html_page import render
from nearstar.report.live_page import SILENT, LivePage
from nearstar.report.search_data import search_data
from nearstar.run import Evaluated, Event, Limits
from nearstar.run.store import JOURNAL, Journal, repair
from nearstar.run.store.following import Following
from nearstar.run.store.lines import line_of, record_in


class Client:
    """What a browser has of a page: it asks for what is new, and puts it together."""

    def __init__(self, live: LivePage) -> None:
        self.live = live
        self.page: dict[str, Any] = live.page()
        self.restarts = 0

    def ask(self) -> dict[str, Any]:
        have = self.page["search"]
        news = self.live.page(
            *((len(have["nodes"]["text"]), len(have["trace"]), have["run"]) if have else ())
        )
        json.dumps(news, allow_nan=False)
        search = news["search"]
        if have and search and have["run"] == search["run"]:
            for name, column in search["nodes"].items():
                search["nodes"][name] = have["nodes"][name] + column
            search["trace"] = have["trace"] + search["trace"]
        else:
            self.restarts += have is not None
        self.page = news
        return news


@pytest.mark.parametrize("case", ["astar", "idsbb", "genetic", "three workers", "audit"])
def test_a_run_that_goes_on(case: str, tmp_path: Path) -> None:
    client, nodes, states = Client(LivePage(tmp_path)), [0], []

    def look(event: Event) -> None:
        if isinstance(event, Evaluated):
            page = client.ask()
            states.append(page["live"]["state"])
            nodes.append(len(page["search"]["nodes"]["text"]))
            assert page["search"]["trained"] >= nodes[-1] and nodes[-1] >= nodes[-2]

    assert client.page["live"]["state"] == "waiting"
    run(**CASES[case], run=tmp_path, listeners=[look])
    assert {*states} == {"running"} and len({*nodes}) > 2
    page = client.ask()
    assert page["live"]["state"] == "ended"
    assert page["search"] | {"run": None} == told(followed(tmp_path))
    assert client.restarts == 0


def test_a_run_in_another_thread_is_not_disturbed(tmp_path: Path) -> None:
    """And what is read at any moment is right."""
    going = threading.Thread(target=partial(run, **CASES["mcts"], run=tmp_path))
    going.start()
    client = Client(LivePage(tmp_path))
    while going.is_alive():
        search = client.ask()["search"]
        if search and search["best"] is not None:
            nodes = search["nodes"]
            costs = [
                cost + error if kind & 1 else 2
                for cost, error, kind in zip(
                    nodes["cost"], nodes["error"], nodes["kind"], strict=True
                )
            ]
            assert costs[search["best"]] == min(costs)
    going.join()
    assert client.ask()["search"] | {"run": None} == told(followed(tmp_path))
    assert client.restarts == 0


def test_the_best_model_is_that_of_the_result(tmp_path: Path) -> None:
    for case in ("astar", "rnn", "start", "function", "idsbb"):
        result = run(**CASES[case], run=tmp_path / case)
        assert result.best is not None
        following = Following(tmp_path / case)
        assert following.best_model() is None
        following.look()
        model = following.best_model()
        assert model is not None and model.program == result.best.trained.program
        assert model.theta.tobytes() == result.best.trained.theta.tobytes()
        assert model.evaluate(TASK.valid) == result.best.trained.metrics
        if case != "start":
            known = model.facts["metrics"]["validation"]["confusion"]
            assert known == model.evaluate(TASK.valid).confusion.tolist()


def test_a_run_that_is_cut_off_and_goes_on(tmp_path: Path) -> None:
    client = Client(LivePage(tmp_path))
    for limits in (Limits(trainings=7), Limits(rounds=3), Limits(trainings=17), Limits(rounds=9)):
        run(limits=limits, run=tmp_path)
        page = client.ask()
        assert page["live"]["state"] == "ended" and page["search"]["ended"]
    run(limits=Limits(trainings=80), run=tmp_path)
    alone = run(limits=Limits(trainings=80), run=tmp_path / "alone")
    search = client.ask()["search"]
    whole = search_data(followed(tmp_path / "alone"))
    for name in ("nodes", "best", "gap", "audit", "trained", "rounds"):
        assert search[name] == whole[name], name
    assert alone.best is not None and search["best"] == alone.best.evaluation.index


def test_any_beginning_of_a_journal_can_be_followed(tmp_path: Path) -> None:
    run(**CASES["warm from a start"], run=tmp_path)
    content = (tmp_path / JOURNAL).read_bytes()
    place = tmp_path / "cut"
    place.mkdir()
    client, draw = Client(LivePage(place)), random.Random(0)
    for size in sorted(draw.sample(range(len(content)), 60)):
        (place / JOURNAL).touch()
        with open(place / JOURNAL, "r+b") as file:
            file.write(content[:size])
        page = client.ask()
        assert not page["notes"]
        if page["search"]:
            assert page["search"] | {"run": None} == told(followed(place))
    assert client.restarts == 0


def test_damage_is_told_and_what_is_before_it_is_shown(tmp_path: Path) -> None:
    run(run=tmp_path)
    journal = tmp_path / JOURNAL
    sound = journal.read_bytes()
    client = Client(LivePage(tmp_path))
    place = len(sound) // 2
    journal.write_bytes(sound[:place] + b"?" + sound[place + 1 :])
    for _ in range(2):
        page = client.ask()
        assert page["live"]["state"] == "ended"  # what was read before was sound
    client = Client(LivePage(tmp_path))
    for _ in range(2):
        page = client.ask()
        assert page["live"]["state"] == "silent"
        assert page["notes"][0].startswith(f"{journal} is damaged at byte")
        assert 0 < len(page["search"]["nodes"]["text"]) < 30
    assert client.restarts == 0
    assert repair(tmp_path) is not None
    page = client.ask()
    assert not page["notes"] and page["live"]["state"] == "running"
    run(run=tmp_path)
    assert client.ask()["search"]["ended"] == "trainings"
    assert len(client.page["search"]["nodes"]["text"]) == 30


def test_a_journal_that_is_gone_and_another_in_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(run=folder)
    client = Client(LivePage(folder))
    before = client.page["search"]["nodes"]
    shutil.rmtree(folder)
    page = client.ask()
    assert "is gone" in page["notes"][0] and page["search"]["nodes"] == before
    run(run=folder, limits=Limits(trainings=50), seed=1)
    page = client.ask()
    assert client.restarts == 1 and not page["notes"]
    assert page["search"] | {"run": None} == told(followed(folder))
    # The same file, with other contents that are longer.
    other = tmp_path / "other"
    run(run=other, limits=Limits(trainings=60), seed=2)
    (folder / JOURNAL).write_bytes((other / JOURNAL).read_bytes())
    page = client.ask()
    assert client.restarts == 2
    assert page["search"] | {"run": None} == told(followed(other))


def test_another_journal_in_the_place_of_one_that_only_has_its_header(tmp_path: Path) -> None:
    folder, other = tmp_path / "run", tmp_path / "other"
    run(run=folder)
    run(run=other, **CASES["genetic"])
    journal = folder / JOURNAL
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    client = Client(LivePage(folder))
    assert client.page["live"]["state"] == "waiting"
    journal.write_bytes((other / JOURNAL).read_bytes())
    page = client.ask()
    assert not page["notes"] and page["search"] | {"run": None} == told(followed(other))


def test_a_folder_that_is_gone_while_it_is_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    run(run=folder)
    monkeypatch.chdir(folder)
    live = LivePage(".")
    assert live.page()["title"] == "run"
    shutil.rmtree(folder)
    page = live.page()
    assert page["title"] == "run" and "is gone" in page["notes"][0]


@pytest.mark.parametrize("content", [b"", b"my own notes\n", b'["1234', b"\0" * 100])
def test_what_is_no_journal(content: bytes, tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(content)
    page = LivePage(tmp_path).page()
    assert page["search"] is None
    assert page["live"]["state"] == ("silent" if b"notes" in content else "waiting")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).mkdir()
    assert "cannot be read: Is a directory" in LivePage(tmp_path).page()["notes"][0]


def test_records_that_nobody_knows(tmp_path: Path) -> None:
    with Journal(
        tmp_path, {"search": {"search": {"kind": "X"}, "weight": 1, "price": 0}}
    ) as journal:
        live = LivePage(tmp_path)
        assert live.page()["live"]["state"] == "waiting"
        for record in ({"kind": "started", "at": 0.0}, {"kind": "news", "at": 1.0}):
            journal.append(record)
            assert "does not know" in live.page()["notes"][0]
        (tmp_path / JOURNAL).rename(tmp_path / "away")
        assert "is gone" in live.page()["notes"][0]
        (tmp_path / "away").rename(tmp_path / JOURNAL)
        assert "does not know" in live.page()["notes"][0]


def test_silence_is_told(tmp_path: Path) -> None:
    run(run=tmp_path)
    journal = tmp_path / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))  # not that it ended
    live = LivePage(tmp_path)
    assert live.page()["live"]["state"] == "running"
    ago = journal.stat().st_mtime - SILENT - 61
    os.utime(journal, (ago, ago))
    said = live.page()["live"]
    assert said["state"] == "silent" and f"nearstar resume {tmp_path}" in said["text"]
    assert "6 min" in said["text"]


def test_without_what_models_are_made_of_there_is_text(tmp_path: Path) -> None:
    result = run(run=tmp_path)
    header, *others = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    older = {name.replace("about", "other"): value for name, value in record_in(header).items()}
    (tmp_path / JOURNAL).write_bytes(line_of(0, older) + b"".join(others))
    page = LivePage(tmp_path).page()
    assert page["scores"] is None and page["classes"] == []
    assert result.best is not None
    text = ns.to_text(result.best.evaluation.program)
    assert page["program"]["text"] == text and escape(text) in page["program"]["html"]
    sizes = [each.evaluation.program.size for each in result.front]
    assert [each["size"] for each in page["front"]] == sizes


def test_hostile_names_are_data(tmp_path: Path) -> None:
    features = tuple(HOSTILE[i % 7] + str(i) for i in range(TASK.train.n_features))
    names = {"class_names": HOSTILE[:2], "feature_names": features}
    task = ns.Task(replace(TASK.train, **names), replace(TASK.valid, **names))
    run(task=task, domain=replace(DOMAIN, features=features), run=tmp_path / HOSTILE[2][:9])
    page = LivePage(tmp_path / HOSTILE[2][:9]).page()
    assert page["classes"] == [*HOSTILE[:2]]
    assert page["scores"]["parts"][0]["per_class"][1]["name"] == HOSTILE[1]
    for html in (page["program"]["html"], *(each["html"] for each in page["front"])):
        assert "<script" not in html and "<img" not in html
    assert "<script>window" not in render(page)


def test_a_journal_of_another_version_is_told_each_time(tmp_path: Path) -> None:
    header = {"format": "nearstar-journal", "version": 9, "nearstar": "9.1"}
    lines = [line_of(0, header), line_of(1, {"kind": "started", "at": 0.0})]
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines))
    live = LivePage(tmp_path)
    for _ in range(2):
        assert "use the nearstar that wrote it (9.1)" in live.page()["notes"][0]
