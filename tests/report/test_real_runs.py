"""Reports and live pages of real runs, in a real browser."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli.calling import COMMAND, QUICK, ROLES, nearstar, table, written
from report.browsing import Showing, assert_accessible
from report.examples import HOSTILE

from nearstar.model.explain import explain
from nearstar.model.model import Model

if TYPE_CHECKING:
    from playwright.sync_api import Page

SLOWER = ("--steps", "320", "--neural-steps", "320", "--restarts", "1")
"""Trainings of some 10 ms."""


def tile(page: Page, name: str) -> str:
    """The number on a tile of the search."""
    return page.locator("#search .tiles > div", has_text=name).locator("dd").first.inner_text()


@contextmanager
def process(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own; ended by Ctrl-C."""
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=60)


def test_a_report(show: Showing, tmp_path: Path) -> None:
    data, run = written(table(length=30), tmp_path / "mice.csv"), tmp_path / "run"
    fitting = ("--trainings", 60, "--steps", 160, "--neural-steps", 32, "--validation", 0.5)
    # Where a small program is perfect at once, A* trains no networks: its tree has one level.
    nearstar("fit", data, *ROLES, *fitting, "--search", "idsbb", "--out", run, "--quiet")
    nearstar("fit", data, *ROLES, *QUICK, "--search", "rnn", "--out", tmp_path / "rnn", "--quiet")
    nearstar("report", run, "--compare", tmp_path / "rnn", "--only", "v03")
    page = show.visit((run / "report.html").as_uri())
    model = Model.load(run / "model.json")

    for section in ("program", "scores", "ethogram", "front", "search"):
        assert page.locator(f"#{section}").is_visible()
    assert page.locator("#scores").get_by_text("rnn").first.is_visible()
    validation = model.facts["metrics"]["validation"]["f1"]
    assert page.locator("#scores").get_by_text(f"{validation:.3f}").first.is_visible()

    # The tree: what is below a node is made when it is opened.
    page.get_by_role("button", name="Collapse all").click()
    items = page.get_by_role("treeitem")
    before = items.count()
    items.filter(has_text="below").first.press("ArrowRight")
    assert items.count() > before

    # Over time: the numbers at a frame are those of explain.
    recording = model.read(data).subset([3])
    assert recording.ids == ("v03",)
    explained = explain(model, recording.sequences)
    slider = page.locator("#ethogram [role=slider]")
    slider.focus()
    for _ in range(7):
        slider.press("ArrowRight")
    shown = page.locator("#ethogram .readout").inner_text()
    assert re.search(r"frame\s+7\b", shown)
    value = explained.filter(regex=r"^\d+ \w+$").iloc[7, -1]
    assert f"{float(f'{value:.4g}'):g}".replace("-", "−") in shown
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 5)
    assert re.search(r"frame\s+29\b", page.locator("#ethogram .readout").inner_text())

    assert_accessible(page)


def test_hostile_names_are_shown_and_not_run(show: Showing, tmp_path: Path) -> None:
    names = dict(zip(("nose_x", "speed"), HOSTILE, strict=False))
    frame = table(classes=(HOSTILE[0], HOSTILE[1])).rename(columns=names)
    frame["video"] = [HOSTILE[2] + each for each in frame["video"]]
    data, run = written(frame, tmp_path / "mice.csv"), tmp_path / "<img src=x onerror=pwned=1>"
    nearstar("fit", data, *ROLES, *QUICK, "--out", run, "--quiet")
    nearstar("report", run)
    with process("watch", run, "--no-browser") as watching:
        assert watching.stdout is not None
        address = re.findall(r"http://\S+", watching.stdout.readline())[0]
        for url in ((run / "report.html").as_uri(), address):
            page = show.visit(url)
            page.get_by_role("button", name="Show the best").click()
            shown = page.locator("body").inner_text()
            assert page.evaluate("window.pwned") is None
            assert HOSTILE[0] in shown and HOSTILE[1] in shown and run.name in shown
            assert not page.locator("main img, main script").count()
        page.goto("about:blank")  # before the server ends


def test_a_live_page_goes_on_with_its_run(show: Showing, tmp_path: Path) -> None:
    frame, run = table(), tmp_path / "run"
    frame["does"] = frame["does"].sample(frac=1, random_state=0).to_numpy()  # nothing to be found
    data = written(frame, tmp_path / "mice.csv")
    run.mkdir()
    with process("watch", run, "--no-browser") as watching:
        assert watching.stdout is not None
        address = re.findall(r"http://\S+", watching.stdout.readline())[0]
        page = show.visit(address)
        live = page.locator("#live")
        assert "Waiting" in live.inner_text()
        with process("fit", data, *ROLES, *SLOWER, "--time", "5m", "--out", run, "--quiet"):
            page.locator("#live[data-state=running]").wait_for()
            page.locator("#search .tiles > div").first.wait_for()
            # What is open stays open, and what is new comes to it.
            page.get_by_role("button", name="Collapse all").click()
            page.get_by_role("treeitem").filter(has_text="below").first.press("ArrowRight")
            opened = page.locator("[role=treeitem][aria-expanded=true]")
            assert opened.count() == 1
            trained = int(tile(page, "Programs trained").replace(",", ""))
            page.wait_for_function(
                "old => [...document.querySelectorAll('#search .tiles > div')].some(tile => "
                "tile.textContent.includes('Programs trained') && "
                "Number(tile.querySelector('dd').textContent.replace(/,/g, '')) > old + 20)",
                arg=trained,
            )
            assert opened.count() == 1
            assert page.locator("#program").is_visible()
            assert page.locator("#front").is_visible()
        page.locator("#live[data-state=ended]").wait_for()
        assert "interrupted" in live.inner_text()
        page.goto("about:blank")
    assert Model.load(run / "model.json").facts["provenance"]["ended"] == "interrupted"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_prints(show: Showing, tmp_path: Path, scheme: str) -> None:
    data, run = written(table(), tmp_path / "mice.csv"), tmp_path / "run"
    nearstar("fit", data, *ROLES, *QUICK, "--out", run, "--quiet")
    nearstar("report", run)
    page = show.visit((run / "report.html").as_uri(), scheme=scheme)
    printed = page.pdf(format="A4", print_background=True)
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
