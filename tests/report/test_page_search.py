"""The front, the history and the tree of a search, in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest
from report import examples
from report.browsing import Showing, assert_accessible

from nearstar.report.html_page import render

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

BEST = examples.small()["search"]["best"]
ROW = "#search [role=treeitem]"
AT_ONCE = 100


@pytest.mark.parametrize("name", ["small", "probed", "flat", "empty", "hostile"])
def test_pages_open_and_are_accessible(show: Showing, name: str) -> None:
    page = show(getattr(examples, name)())
    assert page.locator("#search h3").last.is_visible()
    assert_accessible(page, "#front", "#search")


def test_sections_without_data_are_hidden(show: Showing) -> None:
    page = show(examples.page())
    assert not page.locator("section:visible").count()


def test_an_empty_front_says_so(show: Showing) -> None:
    page = show(examples.page(front=[]))
    assert "No program has been completed yet." in page.locator("#front").inner_text()


# The front


def test_one_program_is_no_choice(show: Showing) -> None:
    page = show(examples.page(front=examples.front()[:1]))
    assert "none to choose between" in page.inner_text("#front")
    assert not page.locator("#front .graph").is_visible()
    assert page.locator("#front tbody tr").count() == 1


def test_on_paper_a_marked_program_is_shown_whole_and_the_chosen_one_once(show: Showing) -> None:
    page = show(examples.small())
    page.emulate_media(media="print")
    pinned = page.locator("#front .pinned")
    assert not pinned.is_visible()
    page.emulate_media(media="screen")
    page.locator("#front .layer button").first.click()
    page.emulate_media(media="print")
    assert _box(pinned)["width"] > 0.9 * _box(page.locator("#front .body"))["width"]


def test_points_show_and_pin_their_programs(show: Showing) -> None:
    page = show(examples.small())
    points = page.locator("#front .layer button")
    pinned = page.locator("#front .pinned")
    front = examples.front()
    assert points.count() == len(front)
    assert _chosen(front)["text"] in pinned.inner_text()
    for i, each in enumerate(front):
        points.nth(i).hover()
        tip = page.locator("#tip").inner_text()
        assert each["text"] in tip
        assert f"{each['error']:.4g}" in tip
        points.nth(i).click()
        assert each["text"] in pinned.inner_text()
        marked = page.locator("#front tr.marked")
        assert marked.count() == 1
        assert each["text"] in marked.inner_text()


@pytest.mark.parametrize(
    ("axis", "name"), [("cost", "structural cost"), ("numbers", "numbers to read")]
)
def test_points_lie_where_their_numbers_are(show: Showing, axis: str, name: str) -> None:
    front = examples.front(axis)
    page = show({**examples.small(), "front": front})
    assert name in str(page.locator("#front .graph svg").get_attribute("aria-label"))
    boxes = [_box(each) for each in page.locator("#front .layer button").all()]
    across = [box["x"] for box in boxes]
    down = [box["y"] for box in boxes]
    scores = [1 - each["error"] if each["f1"] is None else each["f1"] for each in front]
    for values, pixels in (([each[axis] for each in front], across), (scores, down)):
        spans = [value - values[0] for value in values[1:]]
        moves = [pixel - pixels[0] for pixel in pixels[1:]]
        ratios = [move / span for move, span in zip(moves, spans, strict=True)]
        assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=0.01)
    assert across[0] < across[-1] and down[0] > down[-1]


def test_the_front_works_by_keyboard(show: Showing) -> None:
    page = show(examples.small())
    front = examples.front()
    page.locator("#front .layer button[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert front[4]["text"] in page.locator("#tip").inner_text()
    page.keyboard.press("Enter")
    assert front[4]["text"] in page.locator("#front .pinned").inner_text()
    page.locator("#front tbody button").nth(1).focus()
    page.keyboard.press("Enter")
    assert front[1]["text"] in page.locator("#front .pinned").inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


def test_the_chosen_program_is_told_by_more_than_colour(show: Showing) -> None:
    page = show(examples.small())
    assert page.locator("#front svg text", has_text="chosen").count() == 1
    assert "chosen" in page.locator("#front tbody tr").nth(3).inner_text()


# Best cost and bound


@pytest.mark.parametrize("axis", ["time", "programs trained"])
def test_the_history_shows_the_values_at_a_time(show: Showing, axis: str) -> None:
    data = examples.small()
    page = show(data)
    page.get_by_role("button", name=axis, exact=True).click()
    trace = data["search"]["trace"]
    column = 0 if axis == "time" else 1
    area = _box(page.locator("#search .slider"))
    for i in (0, len(trace) // 2, len(trace) - 2):
        middle = (trace[i][column] + trace[i + 1][column]) / 2 / trace[-1][column]
        page.mouse.move(area["x"] + middle * area["width"], area["y"] + 20)
        _, trained, best, bound, gap = trace[i]
        tip = _facts(page)
        assert tip["programs"] == str(trained)
        assert float(tip["best cost"]) == pytest.approx(best, rel=1e-3)
        assert float(tip["bound"]) == pytest.approx(bound, rel=1e-3)
        assert float(tip["gap by the heuristic"]) == pytest.approx(gap, rel=1e-3)
    page.mouse.move(0, 0)
    assert page.locator("#tip").is_hidden()


def test_the_history_works_by_keyboard(show: Showing) -> None:
    data = examples.small()
    page = show(data)
    trace = data["search"]["trace"]
    slider = page.locator("#search .slider")
    slider.focus()
    for key, i in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert _facts(page)["programs"] == str(trace[i][1])
        assert f"programs {trace[i][1]}," in str(slider.get_attribute("aria-valuetext"))
    page.keyboard.press("End")
    assert _facts(page)["programs"] == str(trace[-1][1])
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_where_nothing_is_left_the_bound_is_the_best(show: Showing) -> None:
    search = examples.astar(150)
    search["bound"] = "inf"
    page = show(examples.page(search=search))
    best = f"{search['trace'][-1][2]:.4g}"
    assert page.locator("#search svg text.bound").text_content() == f"bound {best}"
    tiles = page.locator("#search .tiles").inner_text()
    assert "nothing is left to explore" in tiles


def test_no_bound_is_drawn_above_the_best(show: Showing) -> None:
    search = examples.astar(150)
    search["bound"] = 3 * search["trace"][-1][2]
    page = show(examples.page(search=search))
    best = f"{search['trace'][-1][2]:.4g}"
    assert page.locator("#search svg text.bound").text_content() == f"bound {best}"


def test_tiles_tell_the_numbers(show: Showing) -> None:
    search = examples.small()["search"]
    page = show(examples.page(search=search))
    tiles = page.locator("#search .tiles").inner_text()
    told = (search["bound"], search["gap"], search["gap"] + 0.0213, 0.0213)
    assert all(f"{value:.4g}" in tiles for value in told) and "with ε" in tiles
    unmeasured = show(examples.page(search={**search, "epsilon": 0.0}))
    assert "with ε" not in unmeasured.locator("#search .tiles").inner_text()
    assert search["audit"]["text"] in tiles


# The tree


def test_tiles_speak_of_a_heuristic_only_where_there_is_one(show: Showing) -> None:
    believed = examples.small()
    believed["search"]["epsilon"] = 0.0
    guided = show(believed).inner_text("#search .tiles")
    assert "by the heuristic" in guided and "if the heuristic" in guided
    page = examples.flat(20)
    page["search"] |= {"bound": 0.02, "gap": 0.2, "rounds": 1}
    tiles = show(page).inner_text("#search .tiles")
    assert "nothing unexplored costs less" in tiles and "by the heuristic, " not in tiles
    assert "if the heuristic" not in tiles
    assert "1 round" in tiles and "1 rounds" not in tiles


def test_the_history_ends_where_the_search_does(show: Showing) -> None:
    data = examples.small()
    data["search"]["bound"] = 0.0123
    page = show(data)
    assert page.locator("#search text.bound").text_content() == "bound 0.0123"
    data["search"]["bound"] = "inf"
    best = show(data).locator("#search text.best").text_content()
    assert best is not None
    assert show(data).locator("#search text.bound").text_content() == best.replace("best", "bound")


def test_a_network_that_is_the_answer_is_not_pruned(show: Showing) -> None:
    data = examples.page(search=examples.astar(1))
    data["search"] |= {"best": 0, "front": [0]}
    row = show(data).locator(ROW).first.inner_text()
    assert "best" in row and "pruned" not in row and "open" not in row


@pytest.mark.parametrize(("seconds", "told"), [(179.8, "2 min 59 s"), (7190, "119 min 50 s")])
def test_times_are_in_minutes_and_seconds(show: Showing, seconds: float, told: str) -> None:
    data = examples.small()
    data["search"]["seconds"] = seconds
    assert told in show(data).inner_text("#search .tiles")


def test_the_best_program_is_shown_at_the_start(show: Showing) -> None:
    page = show(examples.small())
    best = _item(page, BEST)
    assert best.locator(".badge.best").count() == 1
    assert int(str(best.get_attribute("aria-level"))) > 2
    _assert_tree(page, examples.small()["search"])


def test_probes_are_neither_answers_nor_bounds(show: Showing) -> None:
    data = examples.probed()
    search = data["search"]
    page = show(data)
    _assert_tree(page, search)
    tiles = page.inner_text("#search .tiles")
    assert "160" in tiles and "120 of them as probes; " in tiles
    assert "A probe is a partial program with a leaf over everything" in page.inner_text("#search")
    rows = page.locator(f"{ROW}[data-state=probe]")
    assert rows.count() > 10
    for said in rows.locator("> .row .badges").all_inner_texts():
        assert "probe" in said and "pruned" not in said and "open" not in said
    shown = [int(str(each.get_attribute("data-node"))) for each in page.locator(ROW).all()]
    top = [i for i in shown if search["nodes"]["parent"][i] < 0]
    assert [_is_probe(search, i) for i in top] == sorted(_is_probe(search, i) for i in top)
    page.get_by_label("Sort by").select_option("order")
    assert int(str(page.locator(ROW).first.get_attribute("data-node"))) == 0
    plain = show(examples.small())
    assert "probe" not in plain.inner_text("#search")


def test_probes_alone_are_no_heuristic(show: Showing) -> None:
    data = examples.probed()
    nodes = data["search"]["nodes"]
    nodes["kind"] = [kind or examples.PROBE for kind in nodes["kind"]]
    data["search"]["epsilon"] = 0.0
    tiles = show(data).inner_text("#search .tiles")
    assert "nothing unexplored costs less" in tiles
    assert "by the heuristic, " not in tiles and "if the heuristic" not in tiles


def test_rows_open_and_close_by_mouse(show: Showing) -> None:
    search = examples.small()["search"]
    page = show(examples.page(search=search))
    page.get_by_role("button", name="Collapse all").click()
    assert page.locator(ROW).count() == 1
    for _ in range(2):
        _item(page, 0).locator("> .row").click()
        assert page.locator(ROW).count() == 1 + len(_children(search, 0))
        _assert_tree(page, search)
        _item(page, 0).locator("> .row").click()
        assert page.locator(ROW).count() == 1


def test_the_tree_works_by_keyboard(show: Showing) -> None:
    search = examples.small()["search"]
    page = show(examples.page(search=search))
    page.get_by_role("button", name="Collapse all").click()
    _item(page, 0).focus()
    first, *_ = children = _by_f(search, _children(search, 0))
    expected = [
        ("ArrowRight", 0),  # opens
        ("ArrowRight", first),
        ("ArrowDown", children[1]),
        ("ArrowUp", first),
        ("End", children[-1]),
        ("ArrowDown", children[-1]),
        ("Home", 0),
        ("ArrowDown", first),
        ("Enter", first),  # opens
        ("ArrowDown", _by_f(search, _children(search, first))[0]),
        ("ArrowLeft", first),
        ("ArrowLeft", first),  # closes
        ("ArrowLeft", 0),
        (" ", 0),  # closes
    ]
    for key, node in expected:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.node") == str(node), key
        assert page.locator(f"{ROW}[tabindex='0']").count() == 1
    assert page.locator(ROW).count() == 1


def test_what_a_program_adds_to_its_parent_is_marked(show: Showing) -> None:
    page = show(examples.page())
    added = "([text, parent]) => text.slice(...nearstar.added(text, parent))"
    start = "map (fun x_t. ??) x"
    for expansion in ("if ?? > 0 then ?? else ??", "add(??, ??)", "AngleAffine(x_t)", "x_t"):
        child = start.replace("??", expansion, 1)
        assert page.evaluate(added, [child, start]) == expansion
        for other in ("add(??, ??)", "if ?? > 0 then ?? else ??", "SpeedAffine(x_t)"):
            below = child.replace("??", other, 1)
            if below != child:
                assert page.evaluate(added, [below, child]) == other
    assert page.evaluate(added, [start, start]) == ""
    assert page.evaluate(added, ["f(SpeedAffine)", "f(SpinAffine)"]) == "SpeedAffine"


def test_a_large_page_is_small_and_makes_rows_as_they_are_opened(show: Showing) -> None:
    data = examples.large()
    assert len(render(data).encode()) < 5_000_000
    page = show(data)
    path = _path(data["search"], data["search"]["best"])
    assert page.locator(ROW).count() <= 1 + len(path) * (AT_ONCE + 2)
    page.get_by_role("button", name="Collapse all").click()
    children = _children(data["search"], 0)
    assert len(children) > AT_ONCE
    _item(page, 0).locator("> .row").click()
    assert page.locator(ROW).count() == 1 + AT_ONCE + 1
    page.locator(f"{ROW}.more").focus()
    page.keyboard.press("Enter")
    assert page.locator(ROW).count() == 1 + len(children)
    hundredth = _by_f(data["search"], children)[AT_ONCE]
    assert page.evaluate("document.activeElement.dataset.node") == str(hundredth)
    _assert_tree(page, data["search"])


def test_programs_without_a_tree_are_listed_best_first(show: Showing) -> None:
    search = examples.flat()["search"]
    page = show(examples.page(search=search))
    assert page.locator(ROW).count() == AT_ONCE + 1
    assert page.locator(ROW).first.get_attribute("data-node") == str(search["best"])
    page.locator(f"{ROW}.more .row").click()
    assert page.locator(ROW).count() == 2 * AT_ONCE + 1
    _assert_tree(page, search)
    page.get_by_label("Sort by").select_option("order")
    assert page.locator(ROW).first.get_attribute("data-node") == "0"
    page.get_by_role("button", name="Show the best").click()
    assert page.evaluate("document.activeElement.dataset.node") == str(search["best"])
    # One more than the hundreds that were asked for: not all two thousand before it.
    assert page.locator(ROW).count() == 2 * AT_ONCE + 2


def test_programs_are_found_by_a_part_of_their_text(show: Showing) -> None:
    search = examples.large()["search"]
    page = show(examples.page(search=search))
    for asked in ("ADD(Feature9", "feature142", "no such thing"):
        page.get_by_label("Find").fill(asked)
        matches = [
            i for i, text in enumerate(search["nodes"]["text"]) if asked.lower() in text.lower()
        ]
        listed = page.locator("#search .found li")
        assert listed.count() == min(len(matches), AT_ONCE)
        said = page.locator("#search [role=status]").inner_text()
        assert said.startswith(f"{len(matches):,} of {len(search['nodes']['text']):,} programs")
        texts = [search["nodes"]["text"][i] for i in _by_f(search, matches)[:AT_ONCE]]
        assert listed.locator("code").all_text_contents() == texts
        assert page.locator(ROW).first.is_hidden()
    page.get_by_label("Find").fill("feature142")
    page.locator("#search .found button").last.click()
    assert page.locator(ROW).first.is_visible()
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "Feature142" in focused


def test_long_texts_are_shown_whole_where_the_focus_is_and_on_paper(show: Showing) -> None:
    search = examples.astar(8)
    search["nodes"]["text"] = [text + " y" * 600 for text in search["nodes"]["text"]]
    page = show(examples.page(search=search), width=500)
    page.locator(ROW).first.focus()
    last = page.locator(ROW).last
    cut = _box(last)["height"]
    page.emulate_media(media="print")
    assert _box(last)["height"] > 3 * cut
    page.emulate_media(media="screen")
    assert _box(last)["height"] == cut
    page.keyboard.press("End")
    assert _box(last)["height"] > 3 * cut


def test_hostile_names_are_shown_and_do_nothing(show: Showing) -> None:
    data = examples.hostile()
    page = show(data)
    page.locator("#front .layer button").nth(1).hover()
    for button in page.locator("#front .layer button").all():
        button.click()
    page.get_by_label("Find").fill("pwned")
    assert page.locator("#search .found li").count()
    page.get_by_label("Find").fill("")
    shown = page.locator("#search").text_content() or ""
    for name in examples.HOSTILE:
        assert name in shown
    for node in page.locator("#front code").all_text_contents():
        assert node in {each["text"] for each in data["front"]}
    assert page.evaluate("window.pwned") is None
    assert not page.locator("main img, main script").count()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [400, 800])
def test_nothing_is_wider_than_the_window(show: Showing, width: int) -> None:
    page = show(examples.small(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# Following a run


def test_a_growing_tree_keeps_what_is_open_and_the_focus(show: Showing) -> None:
    search = examples.small()["search"]
    page = show(examples.page(search=search))
    children = _children(search, 0)
    _watch(page, 1 + max(children))
    assert page.locator(ROW).count() == 1
    _item(page, 0).locator("> .row").click()
    first = _by_f(search, children)[0]
    _item(page, first).focus()
    page.evaluate("window.kept = document.activeElement")
    assert not _item(page, first).get_attribute("aria-expanded")
    _grow(page, len(search["nodes"]["f"]), best=BEST)
    assert page.evaluate("document.activeElement === window.kept")
    # Nothing opens by itself, but what has children now can be opened.
    assert page.locator(ROW).count() == 1 + len(children)
    assert _item(page, first).get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    assert page.locator(ROW).count() == 1 + len(children) + len(_children(search, first))
    _assert_tree(page, search)


def test_new_children_appear_under_open_nodes(show: Showing) -> None:
    search = examples.small()["search"]
    page = show(examples.page(search=search))
    _watch(page, 3)
    _item(page, 0).locator("> .row").click()
    for count in (4, 6, len(search["nodes"]["f"])):
        _grow(page, count)
        expected = [i for i in _children(search, 0) if i < count]
        shown = [each.get_attribute("data-node") for each in page.locator(ROW).all()]
        assert shown == ["0", *map(str, _by_f(search, expected))]


def test_what_is_looked_at_stays_where_it_is(show: Showing) -> None:
    search = examples.large()["search"]
    page = show(examples.page(search=search))
    _watch(page, 100)
    _item(page, 0).locator("> .row").click()
    looked_at = _by_f(search, range(1, 100))[60]
    _item(page, looked_at).focus()
    before = _box(_item(page, looked_at))["y"]
    _grow(page, 140)
    place = _by_f(search, range(1, 140)).index(looked_at)
    assert place > 60
    assert _item(page, looked_at).get_attribute("aria-posinset") == str(place + 1)
    assert _box(_item(page, looked_at))["y"] == pytest.approx(before, abs=2)


def test_the_focus_outlives_its_place_among_the_first(show: Showing) -> None:
    search = examples.flat()["search"]
    page = show(examples.page(search=search))
    _watch(page, 150)
    last = page.locator(f"{ROW}[data-node]").last
    last.focus()
    node = last.get_attribute("data-node")
    _grow(page, 3000)
    assert page.locator(ROW).count() == AT_ONCE + 2
    assert page.evaluate("document.activeElement.dataset.node") == node
    page.locator(f"{ROW}.more").focus()
    _grow(page, 3000, best=search["best"])
    assert page.evaluate("document.activeElement.dataset.more") == "-1"


def test_an_update_without_news_changes_nothing(show: Showing) -> None:
    data = examples.small()
    page = show(data)
    count = len(data["search"]["nodes"]["f"])
    _watch(page, count, best=BEST)
    page.evaluate(
        """() => {
          window.changes = 0;
          const observer = new MutationObserver((records) => (window.changes += records.length));
          const settings = { childList: true, subtree: true, attributes: true };
          observer.observe(document.querySelector("#search .body"), settings);
        }"""
    )
    _grow(page, count, best=BEST)
    assert page.evaluate("window.changes") == 0
    _grow(page, count, best=BEST - 1)
    assert page.evaluate("window.changes") > 0


def test_another_run_starts_over(show: Showing) -> None:
    page = show(examples.small())
    _watch(page, 150, best=BEST)
    _grow(page, 2, run="another")
    assert page.locator(ROW).count() == 1


def test_the_charts_and_the_open_tree_are_printed(show: Showing) -> None:
    page = show(examples.small(), width=680)
    rows = page.locator(ROW).count()
    page.emulate_media(media="print")
    assert page.locator("#search svg:visible, #front svg:visible").count() == 2
    assert page.locator(f"{ROW}:visible").count() == rows
    tree = "document.querySelector('.programs-tree')"
    assert page.evaluate(f"{tree}.scrollHeight <= {tree}.clientHeight + 1")
    assert not page.locator("#search button:visible").count()


# What the data say


def _children(search: dict[str, Any], parent: int) -> list[int]:
    return [i for i, each in enumerate(search["nodes"]["parent"]) if each == parent]


def _by_f(search: dict[str, Any], nodes: Iterable[int]) -> list[int]:
    """Probes promise nothing: they come last."""
    return sorted(nodes, key=lambda i: (_is_probe(search, i), search["nodes"]["f"][i], i))


def _is_probe(search: dict[str, Any], node: int) -> bool:
    return bool(search["nodes"]["kind"][node] & examples.PROBE)


def _path(search: dict[str, Any], node: int) -> list[int]:
    parent = search["nodes"]["parent"][node]
    return [node] if parent < 0 else [*_path(search, parent), node]


def _state(search: dict[str, Any], node: int) -> str:
    nodes, best = search["nodes"], search["best"]
    if nodes["kind"][node] & examples.COMPLETE:
        return "complete"
    if _is_probe(search, node):
        return "probe"
    if _children(search, node):
        return "expanded"
    reached = nodes["cost"][best] + nodes["error"][best]
    return "pruned" if nodes["f"][node] >= reached - 1e-9 else "open"


def _chosen(front: list[dict[str, Any]]) -> dict[str, Any]:
    return next(each for each in front if each["chosen"])


# What the page shows


def _watch(page: Page, count: int, best: int | None = None) -> None:
    """Fill the search section anew, as if only so many programs had been trained yet."""
    page.evaluate(
        """([count, best]) => {
          const data = JSON.parse(document.getElementById("data").textContent);
          window.grown = (count, changed) => {
            const columns = Object.entries(data.search.nodes);
            const nodes = Object.fromEntries(
              columns.map(([name, values]) => [name, values.slice(0, count)]));
            return { ...data, search: { ...data.search, nodes, ...changed } };
          };
          const body = document.querySelector("#search .body");
          window.shown = nearstar.sections.search(body, grown(count, { best }));
        }""",
        [count, best],
    )
    _settle(page)


def _grow(page: Page, count: int, best: int | None = None, **changed: Any) -> None:
    """Update the search section, as the page does once a second."""
    page.evaluate(
        "([count, changed]) => shown.update(grown(count, changed))",
        [count, {"best": best} | changed],
    )
    _settle(page)


def _settle(page: Page) -> None:
    frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.evaluate(f"() => {frame}")


def _item(page: Page, node: int) -> Locator:
    return page.locator(f"{ROW}[data-node='{node}']")


def _facts(page: Page) -> dict[str, str]:
    names = page.locator("#tip dt").all_inner_texts()
    return dict(zip(names, page.locator("#tip dd").all_inner_texts(), strict=True))


def _box(found: Locator) -> dict[str, float]:
    box = found.bounding_box()
    assert box is not None
    return dict(box)


def _assert_tree(page: Page, search: dict[str, Any]) -> None:
    """All that the tree shows and says of itself is what the data say."""
    shown = page.evaluate(
        """() => [...document.querySelectorAll("#search [data-node]")].map((item) => ({
          node: Number(item.dataset.node),
          parent: Number(item.parentElement.closest("[data-node]")?.dataset.node ?? -1),
          text: item.querySelector("code").textContent,
          numbers: [...item.querySelectorAll(":scope > .row .value")].map((each) =>
            Number(each.lastChild.textContent)),
          state: item.dataset.state,
          group: item.parentElement.getAttribute("role"),
          open: item.getAttribute("aria-expanded"),
          below: item.querySelectorAll(":scope > [role=group] > *").length,
          level: Number(item.getAttribute("aria-level")),
          place: Number(item.getAttribute("aria-posinset")),
          among: Number(item.getAttribute("aria-setsize")),
        }))"""
    )
    nodes = search["nodes"]
    for item in shown:
        i = item["node"]
        siblings = _by_f(search, _children(search, nodes["parent"][i]))
        assert item["parent"] == nodes["parent"][i]
        assert item["text"] == nodes["text"][i]
        numbers = (nodes["cost"][i], nodes["error"][i], nodes["f"][i])
        assert item["numbers"] == pytest.approx(numbers, abs=6e-5)
        assert item["state"] == _state(search, i)
        assert item["group"] == ("tree" if item["parent"] < 0 else "group")
        assert (item["open"] is not None) == bool(_children(search, i))
        assert (item["open"] == "true") == (item["below"] > 0)
        assert item["level"] == len(_path(search, i))
        assert siblings[item["place"] - 1] == i
        assert item["among"] == len(siblings)
