"""A program as HTML: all of it is there, bars compare, nothing in it runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from model.export.cases import Case, case_of, cases
from report.browsing import Showing, assert_accessible
from report.examples import HOSTILE, page

from nearstar import Domain, Hole, Model, Scale, Units
from nearstar.language.operators import HARD
from nearstar.language.parameters import layout
from nearstar.language.program import walk
from nearstar.language.text import parse
from nearstar.report.program_html import program_html
from nearstar.training.starting import initial

RULE = (
    "map (fun x_t. if DistanceAffine[.306; -2.78](x_t) > 0 "
    "then DistanceChangeAffine[-.261; -2.95](x_t) "
    "else AngleAffine[-2.08, 1.48, -.806; -.27](x_t)) x"
)


def crim13(text: str = RULE, outputs: int = 1) -> Model:
    domain = Domain.built_in("crim13")
    names = ("other", "sniff", "chase")[: max(outputs, 2)]
    return Model.from_text(text, domain, domain.signature(outputs, per_frame=True), names)


def hostile() -> Model:
    """A model whose features, classes and definitions are hostile."""
    domain = Domain(HOSTILE[0], HOSTILE[:6])
    program = parse(
        "map (fun x_t. if Affine(x_t) > 0 then Affine(x_t) else const) x",
        domain,
        domain.signature(3, per_frame=True),
    ).program
    theta = np.linspace(-1, 1, layout(program)[-1].end)
    return Model(program, theta, domain, HOSTILE[4:7], Scale.identity(6))


class Elements(HTMLParser):
    """The elements of a fragment, each closed where it should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def of(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for _, attrs in self.found if name in (attrs.get("class") or "").split()]


@settings(max_examples=50, deadline=None)
@given(cases())
def test_every_part_has_its_line_and_every_leaf_its_table(case: Case) -> None:
    elements = Elements(program_html(case.model))
    nodes = [node for _, node in walk(case.model.program)]
    assert len(elements.of("ns-line")) == len(nodes)
    blocks = [block for block in layout(case.model.program) if not block.is_half_life]
    assert len(elements.of("ns-weights")) == len(blocks)
    rows = sum(tag == "tr" for tag, _ in elements.found)
    heads = sum(block.outputs > 1 for block in blocks)
    assert rows == heads + sum(block.rows for block in blocks)


def test_bars_are_of_weights_times_deviations() -> None:
    domain = Domain("d", ("a", "b", "c"))
    signature = domain.signature(1, per_frame=True)
    parsed = parse(
        "map (fun y. add(Affine[2, -1, 0; 9](y), Affine[.5, .25, 1; 9](y))) x", domain, signature
    )
    scale = Scale(np.zeros(3), np.array([1.0, 4.0, 0.5]))
    model = Model(parsed.program, parsed.theta, domain, ("no", "yes"), scale)
    html = program_html(model)
    bars = re.findall(r'<b class="ns-(adds|takes)" style="width:([\d.]+)%">', html)
    # Influences 2, −4, 0 and .5, 1, .5: half of the bar is the largest, 4.
    expected = [("adds", 25), ("takes", 50), ("adds", 6.25), ("adds", 12.5), ("adds", 6.25)]
    assert [(sign, float(width)) for sign, width in bars] == expected


def test_numbers_are_in_the_datas_own_units_with_the_names_of_features_and_classes() -> None:
    text = Elements(program_html(crim13())).text
    for piece in ("if distance is above 9.085", "angle_between", "−0.806", "−2.95", "then"):
        assert piece in text
    text = Elements(
        program_html(crim13("map (fun y. DistanceAffine[1; 2 | 3; 4 | 5; 6](y)) x", 3))
    ).text
    assert {"other", "sniff", "chase", "1", "2", "3", "4", "5", "6"} <= set(text)


def test_large_leaves_show_what_matters_most() -> None:
    domain = Domain.of_size(300)
    program = parse("map (fun y. Affine(y)) x", domain, domain.signature(4, per_frame=True)).program
    model = case_of(domain, program, np.random.default_rng(0), [2]).model
    html = program_html(model)
    assert "260 more features with shorter bars" in html and len(html) < 50_000
    weights = model.theta.reshape(-1, 4)[:-1] * model.scale.std[:, None]
    shown = {int(name) for name in re.findall(r">x(\d+)</th>", html)}
    least = min(np.abs(weights[column]).max() for column in shown)
    assert len(shown) == 40
    assert all(np.abs(weights[c]).max() <= least for c in set(range(300)) - shown)


def test_a_class_is_a_line_without_a_table() -> None:
    names = ("other", "<b>")
    domain = Domain.of_features(("gap",), {}, classes=names, beta=HARD)
    text = 'map (fun t. if gap > 3 then "<b>" else other) x'
    model = Model.from_text(text, domain, domain.signature(1, per_frame=True), names)
    html = program_html(model)
    assert "<table" not in html and "says &lt;b&gt;" in html and "says other" in html


def test_a_program_with_holes_is_its_text() -> None:
    domain = Domain.built_in("crim13")
    hole = Hole(domain.signature(1, per_frame=True))
    theta = initial(layout(hole, Units(2, 2)), 0).astype(float)
    model = Model(hole, theta, domain, ("a", "b"), Scale.identity(19), Units(2, 2))
    text = " ".join(Elements(program_html(model)).text)
    assert text.startswith("??") and "is a network" in text


def test_names_are_shown_not_run() -> None:
    elements = Elements(program_html(hostile()))
    assert not {"script", "img"} & {tag for tag, _ in elements.found}
    assert not any(name.startswith("on") for _, attrs in elements.found for name in attrs)
    assert HOSTILE[0] in elements.text


# In a browser


def on_page(model: Model, *notes: str) -> dict[str, object]:
    return page(program={"html": program_html(model), "text": model.text()}, notes=list(notes))


def test_the_text_can_be_taken_along(show: Showing) -> None:
    model = crim13()
    opened = show(on_page(model, "the data could not be read"))
    assert opened.get_by_text("the data could not be read").is_visible()
    opened.get_by_text("As text").click()
    assert opened.locator("#program details pre").inner_text() == model.text()
    opened.get_by_role("button", name="Copy text").click()
    opened.locator("#program").get_by_text(re.compile("^(Copied|Selected)")).wait_for()


@pytest.mark.parametrize("n_classes", [6, 14])
def test_many_classes_and_long_names_fit_on_paper(show: Showing, n_classes: int) -> None:
    names = tuple("left_hind_paw_relative_to_the_body_axis_" * 2 + str(i) for i in range(5))
    domain = Domain("long", names)
    signature = domain.signature(n_classes, per_frame=True)
    program = parse("map (fun x_t. Affine(x_t)) x", domain, signature).program
    theta = np.linspace(-3.1416, 2.7183, layout(program)[-1].end)
    classes = tuple(f"a behaviour with a name {i}" for i in range(n_classes))
    model = Model(program, theta, domain, classes, Scale.identity(5))
    opened = show(on_page(model), width=1200)
    cut = opened.locator(".ns-weights tbody th").evaluate_all(
        "heads => heads.filter(head => head.scrollWidth > head.clientWidth).length"
    )
    assert cut == 0
    opened.set_viewport_size({"width": 718, "height": 1000})  # A4 with margins of 1 cm
    opened.emulate_media(media="print")
    table = opened.locator(".ns-weights").bounding_box()
    assert table is not None and table["x"] + table["width"] <= 718
    # A page of numbers is of no use on paper.
    details = opened.locator("#program details")
    assert details.is_visible() == (len(model.text()) <= 1000)


def test_bars_go_to_both_sides_of_one_line(show: Showing) -> None:
    opened = show(on_page(crim13()))
    bars = opened.locator(".ns-bar:has(b)")
    assert bars.count() == 5
    for bar in bars.all():
        whole, part = bar.bounding_box(), bar.locator("b").bounding_box()
        assert whole is not None and part is not None
        middle = whole["x"] + whole["width"] / 2
        adds = bar.locator(".ns-adds").count() == 1
        start = part["x"] if adds else part["x"] + part["width"]
        assert abs(start - middle) < 1 and part["height"] > 4
        assert part["x"] > whole["x"] - 1 and part["width"] < whole["width"] / 2 + 1


@pytest.mark.parametrize("width", [1200, 380])
@pytest.mark.parametrize("make", [crim13, hostile])
def test_it_is_accessible_and_fits(show: Showing, make: object, width: int) -> None:
    assert callable(make)
    opened = show(on_page(make(), HOSTILE[1]), width=width)
    assert opened.evaluate("window.pwned") is None
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(opened, "#program")
