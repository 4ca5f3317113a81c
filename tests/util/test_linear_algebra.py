"""Linear algebra on one thread, however many want it at a time."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

import nearstar as ns
from nearstar.util.linear_algebra import on_one_thread


def threads() -> set[int]:
    np.linalg.inv(np.eye(2))  # the library is there
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_until_the_last_is_gone() -> None:
    with threadpool_limits(2, user_api="blas"):
        first, second = on_one_thread(), on_one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert threads() == {1}
        second.__exit__(None, None, None)
        assert threads() == {2}


def test_trainings_have_one() -> None:
    seen: list[set[int]] = []
    train, valid, _ = ns.two_animals_split(seed=0)
    ns.learn(
        ns.Task(train, valid),
        ns.Domain.built_in("crim13"),
        limits=ns.Limits(trainings=2),
        listeners=[lambda event: seen.append(threads())],
        progress=False,
    )
    assert {1} in seen[1:-1]
