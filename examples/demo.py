"""Learn a program from real smart-watch recordings, in about a minute, and compare it.

Which of seven shoulder exercises does a patient perform? Windows of four seconds, six channels; the
test patients are none of those trained on.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import nearstar as ns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=45.0, help="for the search")
    seconds = parser.parse_args().seconds

    train, valid, test = ns.watch_exercises()
    domain = ns.Domain.built_in("watch")
    task = ns.Task(train, valid)
    # What networks learn from five patients holds less well for others than what short programs
    # do: the heuristic overestimates, as the audit will show. So nothing is dropped on its word.
    search = ns.AStar(margin=math.inf)

    print(f"{len(train)} windows to learn from, {len(valid)} to choose by, {len(test)} to test on.")
    print(f"Exercises: {', '.join(train.class_names)}.")
    print("The first run on a machine compiles the engine, once: about 20 seconds more.\n")

    print(f"A*-NEAR searches for {seconds:g} seconds ...", flush=True)
    result = ns.learn(
        task,
        domain,
        search,
        limits=ns.Limits(seconds=seconds),
        constraints=ns.Constraints(max_depth=8),
    )
    print(result.summary())
    print("\nThe best program at every price (structural cost, validation error):")
    for candidate in result.front:
        found = candidate.evaluation
        print(f"  {found.structural_cost:.2f}  {found.error:.3f}  {ns.to_text(found.program)}")

    print("\nAn LSTM in place of a program (RNN) ...", flush=True)
    rnn = ns.learn(task, domain, ns.RNN(units=32, epochs=40), progress=False)

    majority = int(np.bincount(train.labels).argmax())
    always = np.bincount(
        test.labels * train.n_classes + majority, minlength=train.n_classes**2
    ).reshape(train.n_classes, -1)
    print("\nOn the test patients:\n accuracy     F1")
    for name, scores in (
        ("always the most frequent exercise", ns.Metrics.from_confusion(always)),
        ("the program", result.model(domain, train.class_names).evaluate(test)),
        ("the RNN", rnn.model(domain, train.class_names).evaluate(test)),
    ):
        print(f"{scores.accuracy:9.3f}  {scores.f1:.3f}  {name}")

    print("\nThe program with what it learned (one part between the bars for each exercise:")
    print("weights in the data's units, then the bias):\n")
    print(result.model(domain, train.class_names).text(digits=3))


if __name__ == "__main__":
    main()
