"""The ethogram on the page: what is shown at a frame is what the data have there."""

from __future__ import annotations

import re
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from report import examples
from report.browsing import Showing, assert_accessible

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def test_hovering_shows_the_numbers_of_the_frame(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    for frame in (0, 93, 105, 180, 299):
        _hover(opened, (frame + 0.5) / 300)
        assert _shown(opened) == _expected(page, 0, frame)


@pytest.mark.parametrize(
    ("keys", "frame"),
    [
        ("ArrowRight ArrowRight ArrowUp ArrowLeft", 2),
        ("PageUp PageUp ArrowDown", 59),
        ("End", 299),
        ("End PageDown Home ArrowLeft", 0),
        ("End + ArrowRight PageDown ArrowRight", 285),
    ],
)
def test_keys_move_by_frames(show: Showing, keys: str, frame: int) -> None:
    page = _only_ethogram()
    opened = show(page)
    slider = _slider(opened)
    slider.focus()
    for key in keys.split():
        opened.keyboard.press(key)
    assert _shown(opened) == _expected(page, 0, frame)
    assert slider.get_attribute("aria-valuenow") == str(frame)
    said = slider.get_attribute("aria-valuetext") or ""
    assert all(text in said for text in _expected(page, 0, frame))
    assert slider.evaluate("(slider) => document.activeElement === slider")


def test_dragging_zooms_and_a_double_click_shows_the_whole(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    _hover(opened, 60.5 / 300)
    opened.mouse.down()
    _hover(opened, 150.5 / 300)
    opened.mouse.up()
    assert _view(opened) == (60, 150)
    _hover(opened, 0.5)
    assert _shown(opened) == _expected(page, 0, 60 + 91 // 2)
    _slider(opened).dblclick()
    assert _view(opened) == (0, 299)


def test_buttons_zoom_and_pan(show: Showing) -> None:
    opened = show(_only_ethogram())
    out = opened.get_by_role("button", name="Zoom out")
    whole = opened.get_by_role("button", name="Show the whole sequence")
    pan = opened.get_by_role("slider", name="First frame shown")
    assert out.is_disabled() and whole.is_disabled() and pan.is_disabled()
    for _ in range(10):
        if (zoom := opened.get_by_role("button", name="Zoom in")).is_enabled():
            zoom.click()
    assert _view(opened) == (0, 9)
    pan.focus()
    opened.keyboard.press("End")
    assert _view(opened) == (290, 299)
    out.click()
    assert _view(opened) == (280, 299)
    whole.click()
    assert _view(opened) == (0, 299)


def test_the_next_difference_is_found(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    opened.get_by_role("button", name="To the next difference").click()
    assert _shown(opened) == _expected(page, 0, 90)
    assert opened.locator("#ethogram .wrong").count() == 1


def test_the_picker_changes_the_sequence(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    picker = opened.get_by_role("combobox", name="Sequence")
    options = picker.locator("option").all_inner_texts()
    for text, sequence in zip(options, page["ethogram"]["sequences"], strict=True):
        for each in (sequence["name"], sequence["part"], f"{sequence['accuracy']:.3f}"):
            assert each in text
    picker.select_option(index=2)
    assert _shown(opened) == _expected(page, 2, 0)
    assert opened.get_by_role("button", name="next ▸").is_disabled()
    opened.get_by_role("button", name="◂ previous").click()
    assert _shown(opened) == _expected(page, 1, 0)


def test_frames_are_called_by_their_numbers(show: Showing) -> None:
    page = _only_ethogram()
    first, second, _ = page["ethogram"]["sequences"]
    first["first"] = 1000
    second["numbers"] = [round(0.5 * i, 1) for i in range(300)]
    opened = show(page)
    assert _shown(opened)[0] == "1000"
    assert opened.locator("#ethogram .axis span").all_inner_texts()[:2] == ["1000", "1050"]
    opened.get_by_role("button", name="next ▸").click()
    _slider(opened).press("PageUp")
    assert _shown(opened)[0] == "15"


def test_bouts_are_those_of_the_labels(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    opened.locator("#ethogram summary").click()
    table = opened.get_by_role("table", name="Bouts")
    table.wait_for()
    assert [head.strip() for head in table.locator("th[scope=col]").all_inner_texts()] == [
        "from",
        "to",
        "true",
        "predicted",
    ]
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    assert rows == [
        ["0", "89", "other", "other"],
        ["90", "99", "other", "sniff≠ differs"],
        ["100", "159", "sniff", "sniff"],
        ["160", "169", "no label", "sniff"],
        ["170", "199", "no label", "other"],
        ["200", "299", "chase", "chase"],
    ]


def test_long_sequences_are_drawn_by_pixels_and_read_by_frames(show: Showing) -> None:
    page = _long(frames=12_000, parts=15)
    opened = show(page)
    _hover(opened, 0.5)
    frame = int(_shown(opened)[0])
    assert abs(frame - 6000) <= 12
    assert _shown(opened) == _expected(page, 0, frame)
    drawn = opened.locator("#ethogram .chart path").evaluate_all(
        "(paths) => Math.max(...paths.map((path) => path.getAttribute('d').length))"
    )
    assert drawn < 40_000
    # A single frame that stands out is not lost between the pixels.
    box = opened.locator("#ethogram .trace").last.evaluate("(path) => path.getBBox().height")
    assert box == pytest.approx(38, abs=0.5)
    opened.locator("#ethogram summary").click()
    bouts = opened.locator("#ethogram .bouts tbody tr")
    bouts.first.wait_for()
    assert bouts.count() == 500


def test_without_labels_only_predictions_are_shown(show: Showing) -> None:
    page = _only_ethogram()
    sequence = page["ethogram"]["sequences"][0]
    sequence["true"] = sequence["accuracy"] = None
    sequence["traces"][1][0] = None
    opened = show(page)
    assert opened.locator("#ethogram .readout dt").all_inner_texts()[:2] == ["frame", "predicted"]
    assert _shown(opened)[3] == "–"
    assert opened.get_by_role("img", name="True labels").count() == 0
    assert opened.get_by_role("button", name="To the next difference").is_disabled()


def test_one_label_a_sequence(show: Showing) -> None:
    page = _only_ethogram()
    page["ethogram"]["per"] = "sequence"
    for code, sequence in enumerate(page["ethogram"]["sequences"]):
        right = float(code == 1)
        sequence |= {"true": [[1, 300]], "predicted": [[code, 300]], "accuracy": right}
    opened = show(page)
    assert "one label a sequence, shown at all of its frames" in opened.inner_text("#ethogram")
    names = opened.locator("#ethogram option").all_text_contents()
    assert [each.rsplit(", ", 1)[1] for each in names] == ["wrong", "right", "wrong"]
    opened.locator("#ethogram select").select_option(index=1)
    _slider(opened).press("End")
    assert _shown(opened)[:3] == ["299", "sniff", "sniff"]


def test_outputs_of_classes_are_told_by_their_names(show: Showing) -> None:
    page = _only_ethogram()
    page["ethogram"]["parts"] = [
        {"title": f"1 SlidingWindowAverage300 [{name}]", "gate": False, "code": code}
        for code, name in enumerate(page["classes"])
    ]
    opened = show(page)
    for place in (".chart > .label .name", ".readout .part dt"):
        assert opened.locator(f"#ethogram {place}").all_inner_texts() == page["classes"]
    assert "outputs of the classes" in opened.inner_text("#ethogram")
    assert "1 SlidingWindowAverage300 [sniff]: " in str(
        _slider(opened).get_attribute("aria-valuetext")
    )
    assert_accessible(opened, "#ethogram")


def test_classes_that_share_a_colour_differ_in_their_stripes(show: Showing) -> None:
    page = _only_ethogram() | {"classes": [f"behaviour {code}" for code in range(25)]}
    sequence = page["ethogram"]["sequences"][0]
    sequence |= {"true": [[code, 12] for code in range(25)], "predicted": [[0, 300]]}
    opened = show(page)
    paths = opened.get_by_role("img", name="True labels").locator("path")
    looks = [
        (each.get_attribute("style"), str(each.get_attribute("d")).count("M"))
        for each in paths.all()
    ]
    assert len({*looks}) == 25 and {stripes for _, stripes in looks} == {1, 2, 3}
    swatches = opened.locator("#ethogram .legend .swatch").all()
    assert len({each.get_attribute("style") for each in swatches}) == 26


def test_both_ends_of_a_long_name_are_shown(show: Showing) -> None:
    page = _only_ethogram()
    page["ethogram"]["sequences"][0]["name"] = "first" + 300 * "/" + "last"
    shown = show(page).locator("#ethogram option").first.inner_text()
    assert "first/" in shown and "/last" in shown and len(shown) < 150


def test_the_shortest_sequence(show: Showing) -> None:
    page = _only_ethogram()
    sequence = page["ethogram"]["sequences"][0]
    sequence |= {"length": 1, "true": [[2, 1]], "predicted": [[0, 1]]}
    sequence["traces"] = [[0.5], [-1.0], [0.0]]
    opened = show(page)
    _slider(opened).press("ArrowRight")
    assert _shown(opened) == ["0", "chase", "other≠ differs", "0.5", "−1", "0"]
    assert opened.get_by_role("button", name="Zoom in").is_disabled()


def test_the_legend_has_all_classes(show: Showing) -> None:
    page = _only_ethogram() | {"classes": [f"behaviour {code}" for code in range(14)]}
    opened = show(page, width=400)
    shown = opened.get_by_role("list", name="Colours of the classes").get_by_role("listitem")
    assert shown.all_inner_texts() == [*page["classes"], "no label"]
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400


def test_on_paper_every_sequence_is_shown(show: Showing) -> None:
    opened = show(_only_ethogram())
    opened.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    opened.emulate_media(media="print")
    titles = opened.locator("#ethogram h3:visible").all_inner_texts()
    assert [re.findall(r"video\d+", each) for each in titles] == [
        ["video00"],
        ["video01"],
        ["video02"],
    ]
    assert opened.get_by_role("img", name="Predicted labels").count() == 3
    opened.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert opened.get_by_role("img", name="Predicted labels").count() == 1


def test_an_update_keeps_the_chosen_sequence(show: Showing) -> None:
    page = _only_ethogram()
    opened = show(page)
    page["ethogram"]["sequences"][1]["traces"][2][0] = 12.5
    opened.evaluate(
        """(page) => {
          const body = document.querySelector("#ethogram .body");
          const old = JSON.parse(document.getElementById("data").textContent);
          body.replaceChildren();
          const shown = nearstar.sections.ethogram(body, old);
          body.querySelector("select").selectedIndex = 1;
          shown.update(page);
        }""",
        page,
    )
    assert _shown(opened) == _expected(page, 1, 0)


def test_hostile_names_are_shown(show: Showing) -> None:
    page = examples.hostile()
    opened = show(page)
    _slider(opened).press("End")
    titles = opened.locator("#ethogram .readout .part dt").all_text_contents()
    assert titles == [part["title"] for part in page["ethogram"]["parts"]]
    opened.locator("#ethogram summary").click()
    opened.locator("#ethogram .bouts").wait_for()
    assert opened.evaluate("window.pwned") is None


@pytest.mark.parametrize("width", [1200, 400])
def test_it_is_accessible_with_everything_open(show: Showing, width: int) -> None:
    opened = show(_only_ethogram(), width=width)
    opened.locator("#ethogram summary").click()
    opened.locator("#ethogram .bouts").wait_for()
    opened.get_by_role("button", name="Zoom in").click()
    assert_accessible(opened, "#ethogram")


def _only_ethogram() -> dict[str, Any]:
    return examples.page(ethogram=examples.shown()["ethogram"])


def _long(frames: int, parts: int) -> dict[str, Any]:
    """Random labels and traces; the last trace is 0 but for a single frame."""
    random = Random(0)
    codes = [[random.randrange(3) for _ in range(frames)] for _ in range(2)]
    true, predicted = ([[code, len(list(run))] for code, run in groupby(own)] for own in codes)
    traces = [[round(random.gauss(0, 1), 3) for _ in range(frames)] for _ in range(parts)]
    traces[-1] = [0.0] * frames
    traces[-1][4321] = 1.0
    sequence = {
        **examples.shown(sequences=1)["ethogram"]["sequences"][0],
        **{"length": frames, "true": true, "predicted": predicted, "traces": traces},
    }
    named = [{"title": f"{row} Affine", "gate": row % 4 == 0} for row in range(parts)]
    named[-1]["gate"] = False
    return examples.page(
        ethogram={"note": "", "per": "frame", "parts": named, "sequences": [sequence]}
    )


def _slider(opened: Page) -> Locator:
    return opened.get_by_role("slider", name="Frame", exact=True)


def _hover(opened: Page, share: float) -> None:
    """Point at what is so far across the chart."""
    slider = _slider(opened)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    opened.mouse.move(box["x"] + share * box["width"], box["y"] + 30)


def _shown(opened: Page) -> list[str]:
    """The numbers under the chart, as texts."""
    return opened.locator("#ethogram .readout dd").all_text_contents()


def _expected(page: dict[str, Any], index: int, frame: int) -> list[str]:
    sequence = page["ethogram"]["sequences"][index]
    true, predicted = (
        [code for code, length in sequence[name] for _ in range(length)][frame]
        for name in ("true", "predicted")
    )
    differs = "≠ differs" if true not in (-1, predicted) else ""
    values = [trace[frame] for trace in sequence["traces"]]
    return [
        str(frame),
        "no label" if true < 0 else page["classes"][true],
        page["classes"][predicted] + differs,
        *(f"{value:.4g}".replace("-", "−") for value in values),
    ]


def _view(opened: Page) -> tuple[int, int]:
    """The first and last frame that the chart shows."""
    text = opened.get_by_label("First frame shown").get_attribute("aria-valuetext") or ""
    first, last = map(int, re.findall(r"\d+", text))
    return first, last
