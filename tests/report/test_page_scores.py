"""The scores on the page: every number of the data, in tables that say what is what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from report import examples
from report.browsing import Showing, assert_accessible

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def test_tables_hold_the_numbers(show: Showing) -> None:
    page = _only_scores()
    opened = show(page)
    for part in page["scores"]["parts"]:
        shown = opened.get_by_role("article", name=part["name"])
        models, per_class, confusion = (_cells(each) for each in shown.get_by_role("table").all())
        assert models == [
            [each["name"], *(f"{each[key]:.3f}" for key in ("accuracy", "f1", "f1_macro"))]
            for each in part["models"]
        ]
        assert per_class == [
            [
                each["name"],
                *(f"{each[key]:.3f}" for key in ("precision", "recall", "f1")),
                str(each["support"]),
            ]
            for each in part["per_class"]
        ]
        assert confusion == [
            [name, *(f"{count} {int(100 * count / sum(counts) + 0.5)} %" for count in counts)]
            for name, counts in zip(page["classes"], part["confusion"], strict=True)
        ]


def test_tables_have_headers_and_say_what_they_show(show: Showing) -> None:
    opened = show(_only_scores())
    for table in opened.locator("#scores table").all():
        assert table.locator("caption").inner_text()
        across = table.locator("thead th[scope=col]").count()
        for row in table.locator("tbody tr").all():
            assert row.locator("th[scope=row]").count() == 1
            assert row.locator("td").count() == across - 1


def test_what_f1_is_of_is_said(show: Showing) -> None:
    of_two = show(_of_classes(2)).inner_text("#scores .body > p")
    assert "F1 is that of behaviour 1; macro F1 is the mean of both classes." in of_two
    assert "macro F1 is their plain mean" in show(_of_classes(3)).inner_text("#scores .body > p")


def test_what_is_better_or_worse_is_said_in_words_and_signs(show: Showing) -> None:
    opened = show(_only_scores())
    own, majority, network = opened.locator("#scores .models").first.locator("tbody tr").all()
    assert "this program" not in "".join(own.locator("td").all_text_contents())
    for cell in majority.locator("td").all_text_contents():
        assert "▼" in cell and "worse than this program" in cell
    for cell in network.locator("td").all_text_contents():
        assert "▲" in cell and "better than this program" in cell


def test_the_diagonal_is_marked(show: Showing) -> None:
    opened = show(_only_scores())
    right = opened.locator("#scores .confusion").first.locator("td.right")
    assert [re.findall(r"\d+", text)[0] for text in right.all_text_contents()] == [
        "520",
        "300",
        "220",
    ]


@pytest.mark.parametrize("n", [2, 14])
def test_few_and_many_classes(show: Showing, n: int) -> None:
    opened = show(_of_classes(n), width=400)
    assert opened.locator("#scores .confusion").first.locator("td").count() == n * n
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400
    assert_accessible(opened, "#scores")


def test_unlabelled_classes_and_missing_scores_are_no_numbers(show: Showing) -> None:
    page = _only_scores()
    part = page["scores"]["parts"][0]
    part["confusion"][2] = [0, 0, 0]
    part["models"][1]["f1"] = None
    opened = show(page)
    shown = opened.locator("#scores article").first
    assert _cells(shown.locator(".confusion"))[2][1:] == ["0 –"] * 3
    assert _cells(shown.locator(".models"))[1][2] == "–"


def test_hostile_names_are_shown(show: Showing) -> None:
    page = examples.hostile()
    opened = show(page)
    heads = opened.locator("#scores .confusion").first.locator("tbody th").all_text_contents()
    assert heads == page["classes"]
    assert opened.evaluate("window.pwned") is None


def test_an_update_shows_the_new_numbers(show: Showing) -> None:
    page = _only_scores()
    opened = show(page)
    page["scores"]["parts"][0]["models"][0]["accuracy"] = 0.123
    opened.evaluate(
        """(page) => {
          const body = document.querySelector("#scores .body");
          const old = JSON.parse(document.getElementById("data").textContent);
          nearstar.sections.scores(body, old).update(page);
        }""",
        page,
    )
    assert _cells(opened.locator("#scores .models").first)[0][1] == "0.123"


def _only_scores() -> dict[str, Any]:
    return examples.page(scores=examples.shown()["scores"])


def _of_classes(n: int) -> dict[str, Any]:
    page = _only_scores() | {"classes": [f"behaviour {code}" for code in range(n)]}
    for part in page["scores"]["parts"]:
        part["confusion"] = [[100 if i == j else j for j in range(n)] for i in range(n)]
        part["per_class"] = [
            {"name": name, "precision": 0.5, "recall": 0.25, "f1": 1 / 3, "support": 12345}
            for name in page["classes"]
        ]
    return page


def _cells(table: Locator) -> list[list[str]]:
    """The texts of a table's body as they are seen: without signs, and what is only read out."""
    texts: list[list[str]] = table.evaluate(
        """(table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => {
          const seen = cell.cloneNode(true);
          seen.querySelectorAll(".mark, .aside").forEach((each) => each.remove());
          return seen.textContent.trim();
        }))"""
    )
    return texts
