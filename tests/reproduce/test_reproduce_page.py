"""The page of a study in a browser: without complaints, accessible, and inert."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from report.browsing import SCHEMES, Showing, assert_accessible
from reproduce import studies
from reproduce.studies import HOSTILE, LEARNED, study, trial

from nearstar.reproduce.contents import contents
from nearstar.reproduce.figures import figures
from nearstar.reproduce.study import Study
from nearstar.reproduce.writing import POLICY, to_html

if TYPE_CHECKING:
    pass

pytest.importorskip("matplotlib")


@cache
def drawn() -> Mapping[str, str]:
    """Figures for all pages: drawing takes long, and what is in them does not matter here."""
    return figures(studies.full())


def page(whole: Study) -> str:
    return to_html(contents(whole, drawn()))


class _Elements(HTMLParser):
    """The start tags of a page, what is fetched, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_no_name_becomes_an_element() -> None:
    elements = _Elements(page(studies.hostile()))
    assert not {"script", "b", "iframe", "object"} & {*elements.tags}
    assert elements.tags.count("img") == 2
    assert elements.handlers == []
    # The title twice, as a task, a class, and both sides of how it was made; then the programs.
    assert elements.text.count(HOSTILE) > 20


def test_nothing_else_is_needed() -> None:
    html = page(studies.full())
    addresses = _Elements(html).addresses
    assert all(each.startswith(("#", "data:image/svg+xml;base64,")) for each in addresses)
    assert not re.search(r"@import|url\(", html)
    assert "default-src 'none'" in POLICY and "script-src" not in POLICY


@pytest.mark.parametrize("width", [1200, 400])
def test_it_is_accessible(show: Showing, width: int) -> None:
    opened = show.html(page(studies.full(3, seeds=2)), width=width)
    opened.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true })")
    assert_accessible(opened)


@pytest.mark.parametrize("whole", [studies.full(5), studies.hostile(), study(trial())])
def test_it_fits_a_narrow_window(show: Showing, whole: Study) -> None:
    opened = show.html(page(whole), width=400)
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400
    sizes = opened.eval_on_selector_all("img", "all => all.map(each => each.naturalWidth)")
    assert sizes and all(sizes)
    opened.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true })")
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400


def test_programs_open_on_a_click(show: Showing) -> None:
    opened = show.html(page(studies.full()), scheme=SCHEMES[1])
    assert not opened.get_by_text(LEARNED).first.is_visible()
    opened.locator("#programs summary").first.click()
    assert opened.get_by_text(LEARNED).first.is_visible()


def test_tables_are_those_of_the_study(show: Showing) -> None:
    opened = show.html(page(study(trial(f1=0.6), trial("rnn", f1=0.8))))
    table = opened.get_by_role("table", name="Accuracy, F1 and depth")
    assert table.get_by_role("row").count() == 3
    assert table.get_by_role("rowheader").all_inner_texts() == ["A* NEAR", "RNN"]
    assert table.locator("strong").all_inner_texts() == [".600"]
