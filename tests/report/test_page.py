"""The page as a file: nothing in the data can leave its place, nothing outside is needed."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from report import examples
from report.browsing import SCHEMES, Showing, assert_accessible

from nearstar.report.html_page import SECTIONS, render


class _Elements(HTMLParser):
    """The start tags of a page, in order, and the text of its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self.scripts: list[str] = []
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append(tag)
        self._open = tag
        self.addresses += [attributes[name] or "" for name in ("src", "href") if name in attributes]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"] or ""
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._open = ""


def test_no_name_becomes_an_element() -> None:
    hostile, kind = _Elements(render(examples.hostile())), _Elements(render(examples.small()))
    assert hostile.tags == kind.tags


def test_the_data_come_back_as_they_were() -> None:
    page = examples.hostile()
    data, _ = _Elements(render(page)).scripts
    assert json.loads(data) == page


def test_only_the_pages_own_script_is_allowed() -> None:
    elements = _Elements(render(examples.hostile()))
    own = elements.scripts[1]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in elements.policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"


def test_nothing_else_is_needed() -> None:
    html = render(examples.small())
    assert all(address.startswith("#") for address in _Elements(html).addresses)
    assert not re.search(r"@import|url\(", html)


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        render(examples.page(notes=[float("nan")]))


def test_sections_without_data_are_hidden(show: Showing) -> None:
    opened = show(examples.page(scores=examples.shown()["scores"]))
    assert opened.locator("main > section:visible").count() == 1
    assert opened.locator("nav a:visible").all_inner_texts() == [SECTIONS["scores"]]


@pytest.mark.parametrize("width", [pytest.param(1200, marks=pytest.mark.slow), 400])
def test_the_whole_page_is_accessible_and_never_wider_than_its_window(
    show: Showing, width: int
) -> None:
    for page in (examples.small(), examples.hostile()):
        opened = show(page, width=width)
        assert_accessible(opened)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.evaluate("window.pwned") is None


def test_on_paper_there_is_nothing_to_click_and_it_is_light(show: Showing) -> None:
    opened = show(examples.small(), scheme="dark")
    opened.emulate_media(media="print")
    clickable = ("nav", "button:not(.plain)", "select", "input")
    assert opened.locator(", ".join(f"{each}:visible" for each in clickable)).count() == 0
    assert _colours(opened)["--paper"] == "#ffffff"
    assert all(section.is_visible() for section in opened.locator("main > section").all())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_stand_out_from_the_paper(show: Showing, scheme: str) -> None:
    colours = _colours(show(examples.empty(), scheme=scheme))
    grounds = [colours["--paper"], colours["--panel"]]
    for name in ("--ink", "--muted", "--accent", "--good", "--bad"):
        assert min(_contrast(colours[name], ground) for ground in grounds) >= 4.5, name
    for name in ("--positive", "--negative", "--unlabelled", *_CLASSES):
        assert _contrast(colours[name], colours["--paper"]) >= 3, name


@pytest.mark.parametrize("scheme", SCHEMES)
def test_classes_are_told_apart_by_the_colour_blind(show: Showing, scheme: str) -> None:
    colours = _colours(show(examples.empty(), scheme=scheme))
    light = np.array([_linear(colours[name]) for name in _CLASSES])
    for kind, seen in _VISION.items():
        places = _uniform(np.clip(light @ seen.T, 0, 1))
        for one, other in itertools.combinations(range(len(places)), 2):
            # About six times what is just noticeable, side by side.
            apart = float(np.linalg.norm(places[one] - places[other]))
            assert apart > (0.05 if kind == "tritanopia" else 0.07), (kind, one, other)


_CLASSES = [f"--class-{code}" for code in range(10)]
_VISION = {
    "usual": np.eye(3),
    # Machado, Oliveira and Fernandes (2009), of linear light.
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def _colours(opened: Any) -> dict[str, str]:
    """The page's own colours, as they hold now."""
    names = (
        *("--paper", "--panel", "--ink", "--muted", "--accent", "--good", "--bad"),
        *("--positive", "--negative", "--unlabelled", *_CLASSES),
    )
    found: dict[str, str] = opened.evaluate(
        """(names) => {
          const style = getComputedStyle(document.documentElement);
          return Object.fromEntries(names.map((each) => [each, style.getPropertyValue(each)]));
        }""",
        list(names),
    )
    return found


def _linear(colour: str) -> NDArray[np.float64]:
    """The light of a colour like #0072b2: red, green and blue."""
    share = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG 2 has it."""
    bright = sorted(float(_linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


def _uniform(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in Oklab, where distances are as large as they look."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.cbrt(light @ cones.T) @ axes.T
