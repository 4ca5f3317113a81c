"""Train a few programs, written by hand, on real smart-watch recordings, and print them.

Which of seven shoulder exercises does a patient perform? Windows of four seconds, six channels; the
test patients are none of those trained on.
"""

from __future__ import annotations

import time

import numpy as np

import nearstar as ns

PROGRAMS = (
    "SlidingWindowAverage100(AccelerationAffine(x))",
    "SlidingWindowMax100(Affine(x))",
    "fold (fun x_t. if RotationAffine(x_t) > 0 then AccelerationAffine(x_t) "
    "else RotationAffine(x_t)) c x",
    "if SlidingWindowAverage100(AccelerationAffine(x)) > 0 "
    "then SlidingWindowMax100(Affine(x)) else SlidingWindowMin100(Affine(x))",
    "??",
)


def main() -> None:
    train, valid, test = ns.watch_exercises()
    domain = ns.Domain.built_in("watch")
    task = ns.Task(train, valid)
    budget = ns.Budget(neural_epochs=20, symbolic_epochs=60, units=ns.Units(32, 8))

    print(f"{len(train)} windows to learn from, {len(valid)} to choose by, {len(test)} to test on.")
    print(f"Exercises: {', '.join(train.class_names)}.")
    print("The first training compiles the engine, once: about 20 seconds.\n")
    majority = np.bincount(train.labels).argmax()
    print(
        f" accuracy    F1  seconds\n{np.mean(test.labels == majority):9.3f}        –        –",
        end="",
    )
    print("  always the most frequent exercise")

    best: tuple[float, ns.Model] | None = None
    for text in PROGRAMS:
        program = ns.parse(text, domain, task.signature()).program
        began = time.perf_counter()
        trained = ns.train(program, task, budget)
        seconds = time.perf_counter() - began
        model = ns.Model.of(trained, domain, train.class_names)
        scores = model.evaluate(test)
        note = "  (a hole: an LSTM in its place)" if text == "??" else ""
        print(f"{scores.accuracy:9.3f} {scores.f1:5.3f} {seconds:8.2f}  {text}{note}")
        if ns.is_complete(program) and (best is None or trained.error < best[0]):
            best = trained.error, model

    assert best is not None
    print("\nThe best of them on the validation patients, with what it learned (one part between")
    print("the bars for each exercise: weights in the data's units, then the bias):\n")
    print(best[1].text(digits=3))


if __name__ == "__main__":
    main()
