"""Learning, from data to a program, with all that can be asked of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from run.driving import DOMAIN, QUICK, SMALL, small_task

import nearstar as ns
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.language.program import Hole, Program, completes, walk
from nearstar.run import Event, Limits, Result, Started, learn
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.montecarlo import MonteCarlo
from nearstar.search.rnn import RNN

SIGNATURE = DOMAIN.signature(1, per_frame=True)


@pytest.fixture(scope="module")
def task() -> ns.Task:
    return small_task()


def quickly(task: ns.Task, algorithm: object = None, **changes: object) -> Result:
    settings = {"budget": QUICK, "constraints": SMALL, "limits": Limits(trainings=25)}
    # So short trainings say little: with this margin nothing is dropped for them.
    return learn(task, DOMAIN, algorithm or AStar(margin=1.0), **{**settings, **changes})


def operations(program: Program) -> list[str]:
    return [node.operation.name for _, node in walk(program) if not isinstance(node, Hole)]


def test_learning_with_nothing_but_data(task: ns.Task, capsys: pytest.CaptureFixture[str]) -> None:
    result = quickly(task)
    assert result.best is not None
    assert result.best.evaluation.path_cost == min(
        each.path_cost for each in result.evaluations if each.complete
    )
    # Networks come later: there is nothing yet to audit, and completions were not asked for.
    assert result.audit is None and result.pruned is None
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_when_asked_for(
    task: ns.Task, capsys: pytest.CaptureFixture[str]
) -> None:
    quickly(task, progress=True)
    assert "trained 25 of 25" in capsys.readouterr().err


def test_a_sketch_is_completed(task: ns.Task) -> None:
    text = "map (fun x_t. if ?? > 0 then AngleAffine(x_t) else ??) x"
    sketch = ns.parse(text, DOMAIN, SIGNATURE).program
    larger = Constraints(max_depth=6)
    # Not their canonical forms, which may look different from the sketch.
    algorithm = AStar(margin=1.0, deduplicate=False)
    results = [quickly(task, algorithm, start=s, constraints=larger) for s in (text, sketch)]
    for result in results:
        assert result.best is not None
        assert all(completes(each.program, sketch) for each in result.evaluations)
    assert [each.program for each in results[0].evaluations] == [
        each.program for each in results[1].evaluations
    ]


@pytest.mark.parametrize(
    "algorithm", [AStar(margin=1.0), MonteCarlo(samples=3)], ids=["A*", "Monte-Carlo"]
)
def test_a_program_with_parameters_is_improved_or_kept(task: ns.Task, algorithm: object) -> None:
    constraints = Constraints(max_depth=5)
    plain = quickly(task, algorithm, start=HIDDEN_RULE, constraints=constraints)
    model = ns.Model(*_parsed(HIDDEN_RULE), DOMAIN, task.train.class_names, ns.Scale.identity(19))
    for result in (plain, quickly(task, algorithm, start=model, constraints=constraints)):
        first = result.evaluations[0]
        assert (first.program, first.step, first.seconds) == (model.program, 0, 0.0)
        assert first.error == model.evaluate(task.valid).error
        assert result.best is not None
        assert result.best.evaluation.path_cost <= first.path_cost
        assert result.trained == len(result.evaluations) - 1
        assert [each.program for each in result.evaluations].count(model.program) == 1


def _parsed(text: str) -> tuple[Program, np.ndarray]:
    parsed = ns.parse(text, DOMAIN, SIGNATURE)
    assert parsed.theta is not None
    return parsed.program, parsed.theta


def test_the_given_program_is_kept_if_nothing_is_better(task: ns.Task) -> None:
    # The rule that made the labels, and a weight at which larger programs do not pay.
    result = quickly(task, start=HIDDEN_RULE, constraints=Constraints(max_depth=5), weight=0.1)
    program, theta = _parsed(HIDDEN_RULE)
    assert result.best is not None and result.best.evaluation.program == program
    np.testing.assert_array_equal(result.best.trained.theta, theta)


def test_a_program_without_parameters_is_trained_first(task: ns.Task) -> None:
    program = ns.parse("map (fun x_t. AngleAffine(x_t)) x", DOMAIN, SIGNATURE).program
    result = quickly(task, start=program)
    first = result.evaluations[0]
    assert first.program == program and first.step > 0
    # As a probe it stands for another one, and is trained as such.
    later = [each for each in result.evaluations[1:] if each.kind != "probe"]
    assert later and all(program != each.program for each in later)


@pytest.mark.parametrize("algorithm", [ns.MonteCarlo(), ns.MCTS(), ns.Genetic()])
def test_sampling_searches_train_the_given_program_too(task: ns.Task, algorithm: object) -> None:
    text = "map (fun x_t. AngleAffine(x_t)) x"
    result = quickly(task, algorithm, start=text, limits=ns.Limits(trainings=2))
    program = ns.parse(text, DOMAIN, SIGNATURE).program
    assert result.evaluations[0].program == program


def test_constraints_by_alias_and_by_family(task: ns.Task) -> None:
    constraints = Constraints(max_depth=4, require=("DistAffine",), limit={"affine": 2})
    result = quickly(task, constraints=constraints)
    assert result.best is not None
    for each in result.evaluations:
        if each.complete:
            names = operations(each.program)
            assert "DistanceAffine" in names
            assert sum(name.endswith("Affine") for name in names) <= 2
    both = Constraints(max_depth=4, limit={"DistAffine": 0, "DistanceAffine": 1})
    for each in quickly(task, constraints=both).evaluations:
        # Probes are no programs of the search: they tell what others may come to.
        assert "DistanceAffine" not in operations(each.program)


def test_the_network_alone_is_a_result_too(task: ns.Task) -> None:
    result = quickly(task, RNN(units=3, steps=16))
    assert (result.ended, result.trained, result.gap) == ("finished", 1, None)
    assert result.best is not None and isinstance(result.best.trained.program, Hole)
    assert result.best.trained.units == ns.Units(3, 3)
    assert result.best.evaluation.path_cost == result.best.trained.error
    assert len(result.model(DOMAIN, task.train.class_names).predict(task.valid)) > 0


def test_one_number_or_two(task: ns.Task) -> None:
    for single, outputs in ((True, 1), (False, 2)):
        result = quickly(task, single=single, limits=Limits(trainings=12))
        sizes = {each.program.signature.output.size for each in result.evaluations}
        assert sizes == {outputs}


def test_the_seed_decides(task: ns.Task) -> None:
    one, same, other = (quickly(task, seed=seed).evaluations for seed in (0, 0, 1))
    errors = [[each.error for each in evaluations] for evaluations in (one, same, other)]
    assert errors[0] == errors[1] != errors[2]


def test_listeners_and_workers_are_told(task: ns.Task) -> None:
    events: list[Event] = []
    quickly(task, listeners=[events.append], workers=np.int64(3), limits=Limits(rounds=1))
    assert events[0] == Started(Limits(rounds=1), 3)


BAD = {
    "task": 3,
    "domain": "crim13",
    "algorithm": "astar",
    "seed": -1,
    "budget": 20,
    "limits": 60,
    "constraints": {"max_depth": 3},
    "weight": math.nan,
    "start": 5,
    "single": 1,
    "workers": 0,
    "listeners": print,
    "progress": "yes",
    "audit_samples": 1.5,
}


@pytest.mark.parametrize("name", BAD)
def test_arguments_of_the_wrong_kind_are_named(task: ns.Task, name: str) -> None:
    events: list[Event] = []
    good = {"task": task, "domain": DOMAIN, "listeners": [events.append], "progress": False}
    with pytest.raises(ns.NearstarError, match=f"{name}.*not"):
        learn(**{**good, name: BAD[name]})
    assert not events


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": AStar}, r"AStar\(\), not the class"),
        ({"algorithm": RNN(), "start": "??"}, "takes no start"),
        ({"start": "map (fun x_t. Nonsense(x_t)) x"}, "Nonsense"),
        ({"start": Hole(DOMAIN.signature(2, per_frame=True))}, "single=False"),
        (
            {"start": HIDDEN_RULE, "constraints": Constraints(max_depth=3)},
            "of 5 rules, does not keep",
        ),
        ({"constraints": Constraints(forbid=("nothing",))}, "no rule here"),
        ({"budget": ns.Budget(class_weights=(1.0,))}, "1 class weights were given for 2"),
        ({"domain": ns.Domain.of_size(3)}, "3 features, the task 19"),
    ],
)
def test_what_cannot_be_learned_is_refused_before_any_training(
    task: ns.Task, changes: dict[str, object], message: str
) -> None:
    events: list[Event] = []
    with pytest.raises(ns.NearstarError, match=message):
        learn(**{"task": task, "domain": DOMAIN, "listeners": [events.append], **changes})
    assert not events


def test_a_model_of_other_classes_is_refused(task: ns.Task) -> None:
    program, theta = _parsed(HIDDEN_RULE)
    model = ns.Model(program, theta, DOMAIN, ("awake", "asleep"), task.scale)
    with pytest.raises(ns.NearstarError, match=r"awake, asleep, but the data have .* other, sniff"):
        quickly(task, start=model)
