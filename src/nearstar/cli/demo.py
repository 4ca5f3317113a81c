"""``nearstar demo``: a program from real recordings in about a minute, beside an LSTM.

Which of seven shoulder exercises does a patient perform? Windows of four seconds from a smart
watch, six channels; the patients of the test are none of those trained on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nearstar.cli.output import write_table, writing
from nearstar.data import Recordings, tracking_table, two_animals_split, watch_exercises
from nearstar.data.sequences import Sequences
from nearstar.fit import converters as to
from nearstar.fit.fit import fit
from nearstar.fit.options import changed, option
from nearstar.fit.prepare import prepare
from nearstar.fit.settings import FitSettings
from nearstar.report.html_page import render
from nearstar.report.page_data import make_page
from nearstar.run import Limits
from nearstar.run.results.history import History
from nearstar.search.rnn import RNN
from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError, NearstarError
from nearstar.util.whole_files import write_whole

Parts = tuple[Sequences, Sequences, Sequences]


@dataclass(frozen=True, kw_only=True)
class Demo:
    """Learn from real smart-watch recordings, in about a minute.

    examples:
      nearstar demo
      nearstar demo --table mice.csv
    """

    # fmt: off
    time: float = option(
        to.duration, "for the search (45s)", "TIME", default=45.0, group="what to do")
    report: str = option(
        to.text, "where to write the page that shows all of it (nearstar-demo.html)", "FILE",
        default="nearstar-demo.html")
    table: str | None = option(
        to.text, "only write an example table of two mice, .csv or .parquet, to try the other "
        "commands on", "FILE")
    # fmt: on

    def __call__(self) -> int:
        if self.table is not None:
            return _write_example(self.table)
        train, valid, test = _data()
        data = {"train": train, "valid": valid, "test": test}
        parts = {name: Recordings.of(part) for name, part in data.items()}
        asked = changed(FitSettings(), {"time": self.time})
        each = "frames" if train.per_frame else "windows"
        print(
            f"{len(train)} {each} to learn from, {len(valid)} to choose by, {len(test)} to test on."
        )
        print(f"To tell apart: {', '.join(train.class_names)}.")
        print("The first run on a machine compiles the engine, once: about 20 seconds more.\n")

        print(f"A*-NEAR searches for {self.time:g} seconds ...", flush=True)
        fitted = fit(prepare(asked, parts))
        result, model = fitted.result, fitted.model
        assert result is not None
        print(result.summary())
        print("\nThe best programs by numbers to read: F1 in validation, and on the test data:")
        for found in fitted.models:
            known = found.facts["metrics"]
            reached = (f"{known[part]['f1']:.3f}" for part in ("validation", "test"))
            print(f"  {found.numbers:5}  {'  '.join(reached)}")

        print("\nAn LSTM in place of a program (RNN) ...", flush=True)
        asked = changed(asked, {"search": RNN(units=32), "time": None, "otherwise": Limits()})
        network = fit(prepare(asked, parts), progress=False).model
        print("\nOn the test data:\n accuracy     F1")
        for name, scores in (
            ("always the most frequent answer", _majority(train, test)),
            ("the program", model.evaluate(test)),
            ("the RNN", network.evaluate(test)),
        ):
            print(f"{scores.accuracy:9.3f}  {scores.f1:.3f}  {name}")

        print(f"\nThe program, with {model.numbers} numbers to read; a sum for each answer:\n")
        print(model)
        page = make_page(
            model,
            Path(self.report).stem,
            parts={
                name: parts[part]
                for name, part in (("training", "train"), ("validation", "valid"), ("test", "test"))
            },
            front=fitted.models,
            history=History.of(result),
            others={"RNN": network},
        )
        with writing(self.report):
            write_whole(self.report, render(page))
        print(f"\nAll of it as a page, to open in a browser: {self.report}")
        return 0


def _write_example(path: str) -> int:
    """Only the table for the other commands."""
    if Path(path).exists():
        raise NearstarError(f"{path} is there already; give another name")
    write_table(tracking_table(), path)
    print(f"wrote {path}: two mice, tracked and annotated")
    return 0


def _data() -> Parts:
    """Real recordings where they are installed, else two simulated animals."""
    try:
        return watch_exercises()
    except DataError as problem:
        print(f"{problem}.\nUntil then: two simulated mice.\n")
        return two_animals_split()


def _majority(train: Sequences, test: Sequences) -> Metrics:
    """Scores of always giving the training data's most frequent answer."""
    assert train.labels is not None and test.labels is not None
    always = np.bincount(train.labels[train.labels >= 0]).argmax()
    return Metrics.from_codes(test.labels, np.full_like(test.labels, always), train.n_classes)
