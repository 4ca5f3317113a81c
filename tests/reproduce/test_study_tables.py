"""What stands in the cells of a study's tables, computed another way."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproduce import studies
from reproduce.studies import nothing, study, trial

from nearstar.reproduce import algorithms
from nearstar.reproduce.contents import comparison
from nearstar.reproduce.published import Published
from nearstar.reproduce.resampling import interval_of_mean
from nearstar.reproduce.study import Study, Trial
from nearstar.reproduce.study_tables import (
    efficiency_table,
    guarantee_table,
    main_table,
    stability_table,
    sweep_table,
    trial_table,
)
from nearstar.reproduce.table import (
    NONE,
    Cell,
    Column,
    Table,
    amount,
    decimals,
    escaped,
    spread,
    to_csv,
    to_markdown,
)
from nearstar.training.metrics import Metrics


def texts(table: Table, row: int = 0) -> dict[str, str]:
    """The cells of a row by their headings."""
    titles = [column.title for column in table.columns]
    return dict(zip(titles, [cell.text for cell in table.rows[row]], strict=True))


def read(table: Table) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(to_csv(table)))]


def of_confusion(confusion: list[list[int]], **given: object) -> Trial:
    counts = np.array(confusion)
    metrics = Metrics.from_confusion(counts)
    given = {"valid": metrics, "test": metrics, "by_unit": np.array([counts, counts]), **given}
    return trial(**given)  # type: ignore[arg-type]


def test_a_row_by_hand() -> None:
    # Accuracy .7 and .9; F1 2·2/(2·2+1+2) = 4/7 and 2·4/(2·4+1) = 8/9.
    one = of_confusion([[5, 1], [2, 2]], seed=0, depth=3, path_cost=0.5, trained=8, seconds=2.0)
    two = of_confusion([[5, 1], [0, 4]], seed=1, depth=6, path_cost=0.3, trained=9, seconds=5.0)
    row = texts(main_table(study(one, two)))
    assert row["algorithm"] == "A* NEAR"
    assert row["trials"] == "2"
    assert row["accuracy"] == ".800 ± .141"
    assert row["F1"] == ".730 ± .224"
    assert row["depth"] == "4.5 ± 2.1"
    assert row["path cost"] == ".400 ± .141"
    assert row["programs trained"] == "8.5"
    assert row["processor seconds"] == "3.5"
    assert "published F1" not in row and "F1 weighted as in the paper" not in row


def test_the_interval_is_that_of_the_mean() -> None:
    whole = studies.full()
    for row in read(main_table(whole)):
        low, high = interval_of_mean(whole.of(row["algorithm"])) or (None, None)
        assert (float(row["f1_low"]), float(row["f1_high"])) == (low, high)
    shown = texts(main_table(whole))["F1, 95 % interval"]
    assert re.fullmatch(r"\.\d{3} to \.\d{3}", shown)


def test_one_unit_has_no_interval() -> None:
    alone = replace(trial(), by_unit=trial().by_unit[:1])
    assert texts(main_table(study(alone)))["F1, 95 % interval"] == NONE


@pytest.mark.parametrize("n_classes", [2, 5])
def test_means_and_deviations(n_classes: int) -> None:
    whole = studies.full(n_classes)
    for row in read(main_table(whole)):
        found = [each for each in whole.of(row["algorithm"]) if each.test is not None]
        for name in ["accuracy", "f1", *(["f1_paper"] if n_classes > 2 else [])]:
            values = [getattr(each.test, name) for each in found]
            assert float(row[name]) == pytest.approx(np.mean(values))
            assert float(row[f"{name}_sd"]) == pytest.approx(np.std(values, ddof=1))
        if row["depth"]:
            assert float(row["depth"]) == pytest.approx(np.mean([each.depth for each in found]))


def test_the_papers_f1_has_a_column_only_where_it_differs() -> None:
    assert "f1_paper" not in read(main_table(studies.full(2)))[0]
    assert "f1_paper" in read(main_table(studies.full(3)))[0]
    right = of_confusion(np.diag([3, 4, 5]).tolist())
    assert "f1_paper" not in read(main_table(study(right)))[0]


def test_rows_are_in_the_order_of_the_paper() -> None:
    names = [*algorithms.ALL]
    shuffled = study(*(trial(name) for name in reversed(names)), trial("another"))
    assert [row["algorithm"] for row in read(main_table(shuffled))] == [*names, "another"]


def test_the_best_search_stands_out_and_nothing_else() -> None:
    table = main_table(study(trial("mcts", f1=0.6), trial("astar", f1=0.4), trial("rnn", f1=0.9)))
    best = [(row[0].values[0], cell.values[0]) for row in table.rows for cell in row if cell.best]
    assert best == [("mcts", pytest.approx(0.6))]


def test_trials_that_found_nothing_are_told() -> None:
    some = study(trial("mcts", 0, f1=0.6), nothing("mcts", 1), trial("mcts", 2, f1=0.4))
    row = texts(main_table(some))
    assert row["trials"] == "2 of 3 found a program"
    assert row["F1"] == f".500 ± {decimals(np.std([0.6, 0.4], ddof=1))}"
    none = texts(main_table(study(nothing("mcts"), nothing("rnn"))), 0)
    assert none["trials"] == "none of 1 found a program"
    assert none["F1"] == none["accuracy"] == none["depth"] == NONE
    assert none["programs trained"] == "7"
    assert texts(main_table(study(nothing("rnn"))))["trials"] == "none of 1 gave a result"


def test_published_results_are_beside_ours() -> None:
    printed = {
        "astar": Published(0.821, 0.369, 6.0, 0.114),
        "rnn": Published(0.889, 0.481, None, 0.019),
    }
    table = main_table(study(trial(), trial("rnn"), trial("logistic"), published=printed))
    astar, rnn, logistic = (texts(table, row) for row in range(3))
    columns = ("published accuracy", "published F1", "published depth")
    assert [astar[name] for name in columns] == [".821", ".369 ± .114", "6.0"]
    assert [rnn[name] for name in columns] == [".889", ".481 ± .019", NONE]
    assert [logistic[name] for name in columns] == [NONE, NONE, NONE]
    assert rnn["depth"] == rnn["programs trained"] == NONE


def test_near_is_compared_in_words() -> None:
    all_three = [trial("astar", f1=0.6), trial("idsbb", f1=0.3), trial("mcts", f1=0.5)]
    all_three += [trial("genetic", f1=0.4), trial("rnn", f1=0.8)]
    assert comparison(study(*all_three)) == (
        "The best search of NEAR, A* NEAR, reaches F1 .600 on the test data: .100 more than the "
        "best other search, MCTS (.500), 1.20 times its F1, and .200 less than the RNN (.800), "
        ".75 times its F1."
    )
    assert comparison(study(trial("mcts"))) is None
    assert comparison(study(nothing("astar"), trial("mcts"))) is None
    text = comparison(study(trial("astar", f1=0.6), trial("mcts", f1=0.0)))
    assert text is not None and text.endswith("best other search, MCTS (.000).")
    assert "as much as the RNN" in str(comparison(study(trial("astar"), trial("rnn"))))


def test_the_sweep_by_hand() -> None:
    sweep = [
        trial(seed=0, weight=8.0, f1=0.2, depth=2, structural_cost=0.01),
        trial(seed=0, weight=0.0, f1=0.4, depth=8, structural_cost=0.2),
        trial(seed=1, weight=0.0, f1=0.6, depth=6, structural_cost=0.1),
        nothing("astar", 1, weight=8.0),
    ]
    table = sweep_table(study(sweep=tuple(sweep)))
    assert [cell.text for cell in table.rows[0]] == [
        *("0", "2", "7.0 ± 1.4", ".500 ± .141", ".150 ± .071")
    ]
    assert [cell.text for cell in table.rows[1]] == [
        *("8", "1 of 2 found a program", "2.0", ".200", ".010")
    ]


def test_the_guarantee_of_every_search() -> None:
    audited = trial(seed=3, gap=0.01, epsilon=0.025, violations=0.25, correlation=-0.5)
    enumerated = trial("enumeration", ended="time", gap=0.2)
    trials = (trial("mcts", ended="time"), audited, trial("rnn"), enumerated)
    table = guarantee_table(study(*trials))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["enumeration", "0", "time", ".200", NONE, ".200", NONE, NONE],
        ["MCTS", "0", "time", NONE, NONE, NONE, NONE, NONE],
        ["A* NEAR", "3", "exhausted", ".010", ".025", ".035", "25.0 %", "−.500"],
    ]


def test_stability_needs_two_programs() -> None:
    trials = [
        trial("astar", 0, canonical="a", features=("x", "y")),
        trial("astar", 1, canonical="a", features=("x",)),
        trial("astar", 2, canonical="b", features=("x", "z")),
        trial("mcts", 0),
        nothing("mcts", 1),
        *(trial("genetic", seed, canonical=str(seed)) for seed in (0, 1)),
    ]
    genetic, astar = stability_table(study(*trials)).rows
    assert [cell.text for cell in astar] == [
        *("A* NEAR", "3", "2", "33.3 %", decimals((1 / 2 + 1 / 2 + 1 / 3) / 3), "2 of 3", "a"),
        "in all: x; in 1: y, z",
    ]
    assert astar[-2].code
    assert [cell.text for cell in genetic][5:7] == ["1 of 2", NONE]


@pytest.mark.parametrize("whole", [studies.full(4), study(trial()), study(nothing("astar"))])
def test_every_trial_has_a_line_with_all_its_numbers(whole: Study) -> None:
    rows = read(trial_table(whole))
    every = [*whole.trials, *whole.sweep]
    assert len(rows) == len(every)
    for row, each in zip(rows, every, strict=True):
        for part in ("valid", "test"):
            metrics = getattr(each, part)
            for name in ("accuracy", "f1", "f1_paper", "f1_macro"):
                wanted = "" if metrics is None else repr(getattr(metrics, name))
                assert row[f"{part}_{name}"] == wanted
        for field in fields(each):
            value = getattr(each, field.name)
            if isinstance(value, str | int | float):
                assert row[field.name] == str(value)
    together = {"valid", "test", "by_unit", "curve", "facts"}
    assert {field.name for field in fields(Trial)} - together <= set(rows[0])


def test_the_curves_read_back() -> None:
    table = efficiency_table(study(trial(curve=((1 / 3, 0.1),), seconds=7.0), trial("rnn")))
    assert read(table) == [
        {"algorithm": "astar", "seconds": repr(1 / 3), "median_path_cost": "0.1"},
        {"algorithm": "astar", "seconds": "7.0", "median_path_cost": "0.1"},
    ]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
cells = st.builds(
    lambda text, best, code: Cell(text, (text,), best=best, code=code),
    words,
    st.booleans(),
    st.booleans(),
)


@given(st.lists(st.tuples(cells, cells, cells), max_size=4), words)
def test_markdown_has_as_many_cells_whatever_they_say(
    rows: list[tuple[Cell, Cell, Cell]], title: str
) -> None:
    columns = tuple(Column(title, (key,), number=key == "a") for key in "abc")
    lines = to_markdown(Table("", columns, tuple(rows))).split("\n")
    assert len(lines) == 2 + len(rows)
    for line in lines:
        # As GitHub does: at every bar that has no backslash before it.
        assert line.startswith("| ") and line.endswith(" |")
        assert len(re.split(r"(?<!\\)\|", line)) == 2 + len(columns)


@given(words)
def test_escaping_loses_nothing(text: str) -> None:
    plain = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", escaped(text).replace("\\\\", "\0"))
    assert plain.replace("\0", "\\") == " ".join(text.split()).replace("\0", "\\")


numbers = st.floats(allow_nan=False)


@given(st.lists(st.tuples(words, numbers), max_size=5))
def test_csv_reads_back_as_it_was(rows: list[tuple[str, float]]) -> None:
    columns = (Column("", ("text", "number")),)
    table = Table("", columns, tuple((Cell("", row),) for row in rows))
    back = csv.reader(io.StringIO(to_csv(table), newline=""))
    assert next(back) == ["text", "number"]
    wanted = [(text.replace("\r\n", "\n").replace("\r", "\n"), number) for text, number in rows]
    assert [(text, float(number)) for text, number in back] == wanted


@given(st.floats(-100, 100), st.integers(1, 4))
def test_numbers_keep_their_value(value: float, places: int) -> None:
    text = decimals(value, places)
    assert abs(float(text.replace("−", "-")) - value) <= 0.5000001 * 10**-places
    assert places == 1 or not text.lstrip("−").startswith("0.")
    assert not re.fullmatch(r"−0?\.0+", text)


def test_what_is_no_number() -> None:
    assert [decimals(each) for each in (None, float("nan"))] == [NONE, NONE]
    assert [decimals(each) for each in (float("inf"), float("-inf"))] == ["∞", "−∞"]


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=5))
def test_spread_is_the_sample_deviation(values: list[float]) -> None:
    mean, deviation = spread(values).values
    assert mean == pytest.approx(np.mean(values))
    assert deviation == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    assert spread(values[:1]).values == (values[0], None)
    assert amount(values).values == (mean,)
