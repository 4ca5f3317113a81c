"""``nearstar demo``: a program from real recordings in about a minute, beside an LSTM.

Which of seven shoulder exercises does a patient perform? Windows of four seconds from a smart
watch, six channels; the patients of the test are none of those trained on.
"""

from __future__ import annotations

import math
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
from nearstar.language.domain import Domain
from nearstar.language.text import to_text
from nearstar.report import write_report
from nearstar.run import Limits
from nearstar.search.astar import AStar
from nearstar.search.rnn import RNN
from nearstar.training.budget import Budget
from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError, NearstarError

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
        (train, valid, test), domain = _data()
        data = {"train": train, "valid": valid, "test": test}
        parts = {name: Recordings.of(part) for name, part in data.items()}
        # What networks learn from five patients holds less well for others than what short
        # programs do: the heuristic overestimates, as the audit will show. So nothing is dropped on
        # its word.
        search = AStar(margin=math.inf)
        asked = changed(FitSettings(), {"domain": domain, "max_depth": 8, "budget": Budget()})
        asked = changed(asked, {"search": search, "time": self.time, "finalists": 0})
        each = "frames" if train.per_frame else "windows"
        print(
            f"{len(train)} {each} to learn from, {len(valid)} to choose by, {len(test)} to test on."
        )
        print(f"To tell apart: {', '.join(train.class_names)}.")
        print("The first run on a machine compiles the engine, once: about 20 seconds more.\n")

        print(f"A*-NEAR searches for {self.time:g} seconds ...", flush=True)
        prepared = prepare(asked, parts)
        fitted = fit(prepared)
        result, model = fitted.result, fitted.model
        assert result is not None
        print(result.summary())
        print("\nThe best program at every price (structural cost, validation error):")
        for candidate in result.front:
            found = candidate.evaluation
            print(f"  {found.structural_cost:.2f}  {found.error:.3f}  {to_text(found.program)}")

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

        print(
            "\nThe program with what it learned: weights in the data's units, then the bias; one "
            "part\nbetween the bars for each answer, where there are more than two:\n"
        )
        print(model.text(digits=3))
        with writing(self.report):
            write_report(
                self.report, result, prepared.task, domain, test=test, compare={"RNN": network}
            )
        print(f"\nAll of it as a page, to open in a browser: {self.report}")
        return 0


def _write_example(path: str) -> int:
    """Only the table for the other commands."""
    if Path(path).exists():
        raise NearstarError(f"{path} is there already; give another name")
    write_table(tracking_table(), path)
    print(f"wrote {path}: two mice, tracked and annotated")
    return 0


def _data() -> tuple[Parts, Domain]:
    """Real recordings where they are installed, else two simulated animals."""
    try:
        return watch_exercises(), Domain.built_in("watch")
    except DataError as problem:
        print(f"{problem}.\nUntil then: two simulated mice.\n")
        return two_animals_split(), Domain.built_in("crim13")


def _majority(train: Sequences, test: Sequences) -> Metrics:
    """Scores of always giving the training data's most frequent answer."""
    assert train.labels is not None and test.labels is not None
    always = np.bincount(train.labels[train.labels >= 0]).argmax()
    return Metrics.from_codes(test.labels, np.full_like(test.labels, always), train.n_classes)
