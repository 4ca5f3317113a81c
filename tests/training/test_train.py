"""Training: the loss falls, bits repeat, limits and accidents are handled."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from nearstar import (
    Budget,
    DataError,
    Domain,
    Hole,
    NearstarError,
    ProgramError,
    Sequences,
    Stop,
    Stopped,
    Task,
    Units,
    parse,
    to_text,
    train,
    two_animals_split,
)
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.language.parameters import layout, unscaled
from nearstar.training.starting import initial

CRIM13 = Domain.built_in("crim13")
QUICK = Budget(neural_steps=24, symbolic_steps=45, units=Units(8, 4), look_every=8)
PLAIN = {"stages": 1, "schedule": "constant", "restarts": 1}
"""Training without stages, as textbooks have it."""
PAPER_PROGRAMS = {
    "sniff": (
        "crim13",
        1,
        "map (fun x_t. if DistAffine[.0217; -.2785](x_t) > 0 then AccAffine[-.0007, .0055, .0051, "
        "-.0025; 3.7426](x_t) else DistAffine[-.2143; 1.822](x_t)) x",
    ),
    "sniff, λ = 8": (
        "crim13",
        1,
        "mapprefix (fun x_t. SlidingWindowAverage10(PositionAffine(x_t))) x",
    ),
    "sniff, λ = 1": (
        "crim13",
        1,
        "map (fun x_t. add(PositionAffine(x_t), if add(VelocityAffine(x_t), DistAffine(x_t)) > 0 "
        "then VelocityAffine(x_t) else DistAffine(x_t))) x",
    ),
    "ballhandler": (
        "basketball",
        6,
        "map (fun x_t. multiply(add(OffenseAffine(x_t), BallAffine(x_t)), "
        "add(OffenseAffine(x_t), BallAffine(x_t)))) x",
    ),
}


@pytest.fixture(scope="module")
def animals() -> Task:
    train_part, valid, _ = two_animals_split(0)
    return Task(train_part, valid)


def program_for(task: Task, text: str):
    return parse(text, CRIM13, task.signature()).program


def some_programs(task: Task) -> list:
    texts = (
        "map (fun x_t. if DistanceAffine(x_t) > 0 then ?? else AngleAffine(x_t)) x",
        "mapprefix (fun x_t. fold (fun x_i. add(PositionAffine(x_i), ??)) c x_t) x",
        "mapprefix (fun x_t. CentredWindowAverage11(multiply(VelocityAffine(x_t), ??))) x",
        "if SlidingWindowAverage5(PositionAffine(x)) > 0 then ?? else map (fun x_t. ??) x",
        "??",
    )
    return [program_for(task, text) for text in texts]


def test_the_hidden_rule_is_learned(animals: Task) -> None:
    program = program_for(animals, HIDDEN_RULE)
    best = min(train(program, animals, seed=seed).error for seed in range(3))
    leaf = train(program_for(animals, "map (fun x_t. AngleAffine(x_t)) x"), animals).error
    assert best < 0.25 < leaf


def test_losses_fall(animals: Task) -> None:
    for program in some_programs(animals):
        trained = train(program, animals, QUICK)
        assert trained.losses[-1] < trained.losses[0]
        assert not trained.diverged
        assert trained.metrics is not None and trained.error == 1 - trained.metrics.f1


def test_same_bits_alone_beside_another_and_with_more_blas_threads(animals: Task) -> None:
    programs = some_programs(animals)

    def thetas(workers: int) -> list[bytes]:
        with ThreadPoolExecutor(workers) as pool:
            results = pool.map(lambda program: train(program, animals, QUICK, seed=7), programs)
            return [result.theta.tobytes() for result in results]

    alone = thetas(1)
    assert alone == thetas(2)
    for threads in (1, 2):
        with threadpool_limits(threads):
            assert alone == thetas(1)
    other_seed = train(programs[0], animals, QUICK, seed=8).theta.tobytes()
    assert other_seed != alone[0]


@pytest.mark.slow
def test_same_bits_in_another_process() -> None:
    script = (
        "import nearstar as ns\n"
        "a, b, _ = ns.two_animals_split(0)\n"
        "task = ns.Task(a, b)\n"
        "budget = ns.Budget(neural_steps=16, units=ns.Units(4, 4))\n"
        "print(ns.train(ns.Hole(task.signature()), task, budget).theta.tobytes().hex())\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    }
    assert len(runs) == 1


@pytest.mark.parametrize("name", PAPER_PROGRAMS)
def test_the_papers_programs_parse_print_and_train(name: str) -> None:
    domain_name, outputs, text = PAPER_PROGRAMS[name]
    domain = Domain.built_in(domain_name)
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 12, len(domain.features)))
    y = (X[..., 4] > 0).astype(int) if outputs == 1 else np.argmax(X[..., :6], axis=2)
    task = Task(Sequences.from_arrays(X, y))
    parsed = parse(text, domain, task.signature())
    assert parse(to_text(parsed.program), domain, task.signature()).program == parsed.program
    trained = train(parsed.program, task, QUICK, start=parsed.theta)
    assert not trained.diverged and trained.losses[-1] < trained.losses[0]
    again = parse(to_text(trained.program, trained.theta), domain, task.signature())
    np.testing.assert_array_equal(again.theta, trained.theta)


def test_adam_takes_the_steps_of_its_definition() -> None:
    """One leaf, one batch, no scaling: the same as Adam written out in double precision."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    task = Task(Sequences.from_arrays(X.astype(np.float32), y), standardise=False)
    program = parse("Affine(x)", Domain.of_size(3), task.signature()).program
    budget = Budget(
        symbolic_steps=30, learning_rate=0.05, batch_size=40, select="last", clip=0.2, **PLAIN
    )
    theta = initial(layout(program), 3).astype(np.float64)
    mean, square = np.zeros(4), np.zeros(4)
    inputs = np.hstack([X.astype(np.float32).astype(np.float64), np.ones((40, 1))])
    for t in range(1, 31):
        gradient = inputs.T @ (1 / (1 + np.exp(-inputs @ theta)) - y) / 40
        gradient *= min(1.0, 0.2 / np.linalg.norm(gradient))
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        theta -= 0.05 * mean / (1 - 0.9**t) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
    trained = train(program, task, budget, seed=3)
    np.testing.assert_allclose(trained.theta, theta, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("class_weights", [None, (0.5, 3.0)])
@pytest.mark.parametrize("select", ["best", "last"])
def test_the_f1_loss_weighs_classes_by_the_f1_of_the_look_before(
    class_weights: tuple[float, float] | None, select: str
) -> None:
    """One leaf, one batch, no scaling: the same as written out in double precision."""
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 2)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + random.normal(size=60) > 1.2).astype(int)
    y[:5] = -1
    task = Task(Sequences.from_arrays(X.astype(np.float32), y), standardise=False)
    program = parse("Affine(x)", Domain.of_size(2), task.signature()).program
    theta = initial(layout(program), 3).astype(np.float64)
    inputs, known = np.hstack([X, np.ones((60, 1))])[5:], y[5:]
    first, second = class_weights or (1.0, 1.0)
    share = known.mean()
    always_yes = f1 = 2 * share / (1 + share)
    mean, square, seen = np.zeros(3), np.zeros(3), []
    for t in range(1, 41):
        reached = np.clip(max(f1, always_yes), 0.05, 0.95)
        weights = np.where(known == 1, second * (2 - reached), first * reached)
        slopes = weights * (1 / (1 + np.exp(-inputs @ theta)) - known)
        gradient = inputs.T @ slopes / weights.sum()
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        theta = theta - 0.1 * mean / (1 - 0.9**t) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
        yes = inputs @ theta > 0
        f1 = 2 * np.sum(yes & (known == 1)) / (np.sum(yes) + np.sum(known))
        seen.append((f1, theta))
    assert len({round(each, 6) for each, _ in seen}) > 3, "the weights never change"
    expected = seen[-1] if select == "last" else max(seen, key=lambda each: each[0])
    budget = Budget(
        symbolic_steps=40,
        look_every=1,
        learning_rate=0.1,
        batch_size=60,
        loss="f1",
        select=select,
        class_weights=class_weights,
        **PLAIN,
    )
    trained = train(program, task, budget, seed=3)
    assert trained.error == pytest.approx(1 - expected[0])
    np.testing.assert_allclose(trained.theta, expected[1], rtol=1e-3, atol=1e-4)


def test_the_f1_loss_finds_what_is_rare() -> None:
    """With one behaviour in ten and labels that are noisy, likelihood hardly ever says yes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2)).astype(np.float32)
    y = (X[:, 0] + 1.5 * random.normal(size=3000) > 2.3).astype(int)
    task = Task(*(Sequences.from_arrays(X[part::2], y[part::2]) for part in (0, 1)))
    program = parse("Affine(x)", Domain.of_size(2), task.signature()).program
    budget = Budget(symbolic_steps=160, select="last")
    f1 = {
        loss: 1 - train(program, task, replace(budget, loss=loss)).error
        for loss in ("cross-entropy", "f1")
    }
    scores = np.sort(X[1::2, 0])  # the feature that decides: the best threshold of it, by trying
    best = max(_f1(y[1::2], X[1::2, 0] > each) for each in scores[::10])
    assert f1["f1"] > f1["cross-entropy"] + 0.1
    assert f1["f1"] > best - 0.05


def _f1(true: np.ndarray, said: np.ndarray) -> float:
    return float(2 * np.sum(true * said) / (np.sum(true) + np.sum(said)))


def test_data_without_one_of_the_classes_are_trained_all_the_same() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    for labels in ([0] * 20, [1] * 20, [-1, 1] * 10):
        data = Sequences.from_arrays(X, np.array(labels), class_names=("no", "yes"))
        task = Task(data)
        program = parse("Affine(x)", Domain.of_size(2), task.signature()).program
        trained = train(program, task, Budget(symbolic_steps=16, loss="f1"))
        assert not trained.diverged and np.isfinite(trained.theta).all()


def test_batches_of_several_blocks_train_like_one() -> None:
    """Gradients of blocks add up: how a batch is cut does not change what is learned."""
    random = np.random.default_rng(1)
    X = [random.normal(size=(int(n), 2)) for n in random.integers(100, 4000, 12)]
    y = [(x[:, 0].cumsum() > 0).astype(int) for x in X]
    task = Task(Sequences.from_arrays(X, y))
    program = Hole(task.signature())
    budget = Budget(neural_steps=16, batch_size=12, units=Units(3, 3), select="last")
    cut = train(program, task, budget)
    assert len(task.batches(12, 0).packed.blocks) > 2
    import nearstar.engine.packing as packing

    limits = packing.BLOCK_LANES, packing.MOST_FRAMES
    try:
        packing.BLOCK_LANES, packing.MOST_FRAMES = 100, 10**9
        whole_task = Task(task.train)
        whole = train(program, whole_task, budget)
        assert len(whole_task.batches(12, 0).packed.blocks) == 1
    finally:
        packing.BLOCK_LANES, packing.MOST_FRAMES = limits
    np.testing.assert_allclose(cut.theta, whole.theta, rtol=1e-3, atol=1e-4)


def test_unlabelled_elements_and_classes_of_weight_0_do_not_count() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 10, 2)).astype(np.float32)
    y = (X[..., 0] > 0).astype(int)
    masked = np.where(random.random(y.shape) < 0.5, -1, y)
    masked[7] = -1
    changed = X.copy()
    changed[masked < 0] = 100.0
    program = parse("map (fun x_t. Affine(x_t)) x", Domain.of_size(2), signature_of(X, masked))
    budget = Budget(symbolic_steps=24, select="last")
    thetas = [
        train(
            program.program, Task(Sequences.from_arrays(x, masked), standardise=False), budget
        ).theta
        for x in (X, changed)
    ]
    np.testing.assert_array_equal(*thetas)
    nothing = Budget(symbolic_steps=24, class_weights=(0.0, 0.0), restarts=1)
    trained = train(program.program, Task(Sequences.from_arrays(X, y), standardise=False), nothing)
    np.testing.assert_array_equal(
        trained.theta,
        unscaled(layout(program.program), initial(layout(program.program), 0), trained.scale),
    )


def signature_of(X, y):
    return Task(Sequences.from_arrays(X, y)).signature()


def test_the_best_look_is_never_worse_than_the_last(animals: Task) -> None:
    program = program_for(animals, HIDDEN_RULE)
    for seed in range(5):
        best, last = (
            train(
                program,
                animals,
                Budget(select=select, symbolic_steps=64, look_every=8, stages=1, restarts=1),
                seed=seed,
            )
            for select in ("best", "last")
        )
        assert best.error <= last.error and last.step == 64 and best.step % 8 == 0
        assert len(best.losses) == 8 and len(last.losses) == 1
        # A look changes nothing in the training.
        assert np.mean(best.losses) == pytest.approx(last.losses[0], rel=0.05)
        if best.step == 64:
            assert best.theta.tobytes() == last.theta.tobytes()


def test_a_goal_ends_a_training_at_the_first_look_that_reaches_it(animals: Task) -> None:
    program = Hole(animals.signature())
    whole = train(program, animals, QUICK, seed=3)
    assert whole.step > 8
    ended = train(program, animals, QUICK, seed=3, goal=whole.error)
    assert (ended.error, ended.step, ended.losses) == (
        whole.error,
        whole.step,
        whole.losses[: whole.step // 8],
    )
    out_of_reach = train(program, animals, QUICK, seed=3, goal=whole.error - 1e-6)
    assert out_of_reach.losses == whole.losses
    last = replace(QUICK, loss="f1", select="last")  # which looks, too
    assert len(train(program, animals, last, seed=3, goal=1.0).losses) == 3


def test_patience_ends_a_training_when_the_best_look_was_long_ago(animals: Task) -> None:
    program = program_for(animals, HIDDEN_RULE)
    budget = Budget(symbolic_steps=160, look_every=4, stages=1, restarts=1)
    ended = 0
    for seed in range(3):
        whole = train(program, animals, budget, seed=seed)
        short = train(program, animals, replace(budget, patience=4), seed=seed)
        assert short.losses == whole.losses[: len(short.losses)]
        assert len(short.losses) in (short.step // 4 + 4, 40)
        ended += len(short.losses) < 40
    assert ended, "the limit never mattered"
    assert len(train(program, animals, replace(budget, patience=40)).losses) == 40
    last = replace(budget, patience=1, select="last", loss="f1")
    assert len(train(program, animals, last).losses) == 40


def test_of_restarts_the_best_after_two_stages_goes_on(animals: Task) -> None:
    program = parse(HIDDEN_RULE, CRIM13, animals.signature()).program
    several = Budget(symbolic_steps=42, stages=2, neural_steps=24, look_every=7, restarts=4)
    once = [train(program, animals, replace(several, restarts=n), seed=2) for n in (1, 2, 3, 4)]
    errors = [trained.error for trained in once]
    assert errors == sorted(errors, reverse=True) and errors[-1] < errors[0], errors
    again = train(program, animals, several, seed=2)
    assert (again.theta == once[-1].theta).all()
    # What the search compares is of the first start; cutoffs could not be compared otherwise.
    assert {trained.stages for trained in once} == {once[0].stages}
    longer = replace(several, symbolic_steps=98, stages=3)
    first, best = (train(program, animals, replace(longer, restarts=n), seed=2) for n in (1, 4))
    assert first.stages[:2] == best.stages[:2] == once[0].stages
    assert best.stages[2] == best.error <= errors[-1]
    hole = Hole(animals.signature())
    assert (
        train(hole, animals, several).error
        == train(hole, animals, replace(several, restarts=1)).error
    )


def test_order_of_batches_is_kept_where_it_should_be(animals: Task) -> None:
    program = program_for(animals, HIDDEN_RULE)
    fixed, shuffled = (
        train(program, animals, Budget(reshuffle=reshuffle, symbolic_steps=16, select="last"))
        for reshuffle in (False, True)
    )
    assert fixed.theta.tobytes() != shuffled.theta.tobytes()


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        ("mapprefix (fun x_t. fold (fun x_i. AngleAffine(x_i)) c x_t) x", True),
        ("mapprefix (fun x_t. fold (fun x_i. ??) c x_t) x", True),
        ("mapprefix (fun x_t. SlidingWindowAverage5(AngleAffine(x_t))) x", False),
        ("mapprefix (fun x_t. ??) x", False),
    ],
)
def test_programs_that_fold_have_a_rate_of_their_own(animals: Task, text: str, folds: bool) -> None:
    program = program_for(animals, text)
    quick = Budget(neural_steps=16, symbolic_steps=16, select="last")
    found, slower, as_others = (
        train(program, animals, replace(quick, **rates)).theta.tobytes()
        for rates in (
            {"learning_rate": 0.04, "fold_rate": 1.0},
            {"learning_rate": 0.02, "fold_rate": 2.0},
            {"learning_rate": 0.04, "fold_rate": 2.0},
        )
    )
    assert found == (slower if folds else as_others)
    assert slower != as_others


def test_divergence_is_marked_and_not_raised() -> None:
    random = np.random.default_rng(0)
    X = (1e4 * random.normal(size=(20, 60, 2))).astype(np.float32)
    task = Task(Sequences.from_arrays(X, (X[..., 0] > 0).astype(int)), standardise=False)
    domain = Domain.of_size(2)
    text = "mapprefix (fun x_t. fold (fun x_i. multiply(Affine(x_i), Affine(x_i))) c x_t) x"
    program = parse(text, domain, task.signature()).program
    trained = train(program, task, QUICK)
    assert trained.diverged and trained.error == 1.0 and trained.metrics is None
    assert np.isfinite(trained.theta).all()


def test_a_training_can_be_stopped_within_a_batch(animals: Task) -> None:
    stop = Stop()
    outcome: list[object] = []

    def work() -> None:
        try:
            outcome.append(train(Hole(animals.signature()), animals, long, stop=stop))
        except Stopped as stopped:
            outcome.append(stopped)

    long = Budget(neural_steps=10**6, units=Units(64, 64))
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.5)
    assert not outcome
    stop.set()
    thread.join(timeout=10)
    assert len(outcome) == 1 and isinstance(outcome[0], Stopped)


def test_ctrl_c_ends_a_training_at_once() -> None:
    script = (
        # Interrupts are ignored where tests run in the background.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import nearstar as ns\n"
        "a, b, _ = ns.two_animals_split(0)\n"
        "task = ns.Task(a, b)\n"
        "ns.train(ns.Hole(task.signature()), task, ns.Budget(neural_steps=16))\n"
        "print('ready', flush=True)\n"
        "ns.train(ns.Hole(task.signature()), task, ns.Budget(neural_steps=10**6))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors


def test_what_is_no_program_or_task_is_refused(animals: Task) -> None:
    program = program_for(animals, HIDDEN_RULE)
    for arguments in (
        (HIDDEN_RULE, animals),
        (parse(HIDDEN_RULE, CRIM13, animals.signature()), animals),
        (program, animals.train),
        (program, animals, 3),
        (program, animals, None, -1),
        (program, animals, None, 1.5),
    ):
        with pytest.raises(NearstarError):
            train(*arguments)
    with pytest.raises(DataError, match="from_arrays"):
        Task(np.zeros((2, 3, 4)))
    assert Budget(class_weights=np.array([1, 2])) == Budget(class_weights=(1.0, 2.0))
    assert Budget(batch_size=np.int64(5)).batch_size == 5


def test_a_task_packs_once_for_all_threads_and_travels_to_processes(animals: Task) -> None:
    task = pickle.loads(pickle.dumps(animals))
    with ThreadPoolExecutor(4) as pool:
        packed = list(pool.map(lambda _: task.batches(50, 0), range(8)))
    assert all(each is packed[0] for each in packed)
    program = program_for(animals, HIDDEN_RULE)
    there, here = (train(program, each, QUICK).theta for each in (task, animals))
    np.testing.assert_array_equal(there, here)


def test_many_features_and_blas_threads() -> None:
    random = np.random.default_rng(0)
    X = random.normal(3.0, 1.0, size=(4, 20_000)).astype(np.float32)
    thetas = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            task = Task(Sequences.from_arrays(X, np.array([0, 1, 0, 1])))
            program = parse("Affine(x)", Domain.of_size(20_000), task.signature()).program
            thetas.append(train(program, task, QUICK).theta.tobytes())
    assert thetas[0] == thetas[1]


def test_what_cannot_be_trained_is_refused(animals: Task) -> None:
    two = parse("map (fun x_t. PositionAffine(x_t)) x", CRIM13, CRIM13.signature(3, per_frame=True))
    with pytest.raises(ProgramError, match=r"Sequence\(3\)"):
        train(two.program, animals)
    program = program_for(animals, HIDDEN_RULE)
    with pytest.raises(NearstarError, match="3 class weights"):
        train(program, animals, Budget(class_weights=(1.0, 2.0, 3.0)))
    with pytest.raises(ProgramError, match="parameters"):
        train(program, animals, start=np.zeros(3))
    random = np.random.default_rng(0)
    three = Task(Sequences.from_arrays(random.normal(size=(9, 2)), np.arange(9) % 3))
    leaf = parse("Affine(x)", Domain.of_size(2), three.signature()).program
    with pytest.raises(NearstarError, match=r"'f1' is for two classes, and there are 3"):
        train(leaf, three, Budget(loss="f1"))
    with pytest.raises(DataError, match="no labels"):
        Task(animals.train.with_labels(None))
    for bad in (
        {"units": 8},
        {"class_weights": {0: 1.0, 1: 2.0}},
        {"class_weights": 2},
        {"learning_rate": "fast"},
        {"batch_seed": -1},
        {"symbolic_steps": 0},
        {"learning_rate": 0.0},
        {"clip": -1.0},
        {"fold_rate": 0.0},
        {"fold_memory": -0.1},
        {"fold_memory": 1.5},
        {"select": "first"},
        {"patience": 0},
        {"loss": "f2"},
        {"loss": None},
        {"batch_size": 2.5},
        {"class_weights": (1.0, float("nan"))},
    ):
        with pytest.raises(NearstarError):
            Budget(**bad)


@given(n=st.integers(1, 20_000))
def test_small_data_have_smaller_batches(n: int) -> None:
    budget, usual = Budget.for_size(n), Budget()
    batches = -(-n // budget.batch_size)
    assert budget == replace(usual, batch_size=budget.batch_size)
    assert budget.batch_size <= usual.batch_size and batches >= min(8, -(-n // 8))
    if n >= 8 * usual.batch_size:
        assert budget == usual
    chosen = Budget.for_size(n, symbolic_steps=24, batch_size=7)
    assert (chosen.symbolic_steps, chosen.batch_size) == (24, 7)
