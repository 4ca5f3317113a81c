"""The front: the best at every price."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from run.driving import QUICK, small_task, trained

from nearstar import Domain, parse
from nearstar.language.program import Hole
from nearstar.run import Evaluation, Limits, learn
from nearstar.run.recorder import Recorder
from nearstar.run.results.front import model_rows, pareto
from nearstar.run.results.models import model_of
from nearstar.run.store.trainings import Training, key_of
from nearstar.search import Node, Space

PROGRAM = Hole(Domain.of_size(1).signature(1, per_frame=True))
FEW = st.sampled_from((0.0, 0.1, 0.2, 0.3, 1.0))


Given = tuple[float, float, int, bool]
POINTS = st.lists(st.tuples(FEW, FEW, st.integers(1, 5), st.booleans()))
PRICES = st.sampled_from((0.0, 0.01))


def evaluation(
    index: int, cost: float, error: float, numbers: int, answer: bool, price: float, weight: float
) -> Evaluation:
    return Evaluation(
        program=PROGRAM,
        index=index,
        parent=None,
        complete=answer,
        answer=answer,
        size=3,
        # As it always is: what numbers cost is in it.
        structural_cost=cost + price * numbers,
        numbers=numbers,
        price=price,
        weight=weight,
        error=error,
        f=cost + error,
        diverged=False,
        stages=(),
        cut=False,
        step=1,
        seconds=0.0,
        accuracy=None,
        f1=None,
    )


def beats(one: Evaluation, other: Evaluation) -> bool:
    """By the definition: no worse in both and better in one; or the same, and found before."""
    a, b = (
        (each.numbers if each.price else each.structural_cost, each.error) for each in (one, other)
    )
    assert a[0] is not None and b[0] is not None
    return a[0] <= b[0] and a[1] <= b[1] and (a != b or one.index < other.index)


@given(POINTS, PRICES, st.sampled_from((0.0, 0.3, 1.0, 5.0)))
def test_against_the_definition(points: list[Given], price: float, weight: float) -> None:
    evaluations = [evaluation(i, *point, price, weight) for i, point in enumerate(points)]
    answers = [each for each in evaluations if each.answer]
    front = pareto(evaluations)
    unbeaten = {e.index for e in answers if not any(beats(o, e) for o in answers if o is not e)}
    best = min(answers, key=lambda each: each.rank, default=None)
    assert {each.index for each in front} - unbeaten <= {best and best.index}
    assert unbeaten <= {each.index for each in front}
    if not price:
        assert {each.index for each in front} == unbeaten
    along = [each.numbers if price else each.structural_cost for each in front]
    assert along == sorted(along) and along == [each.simplicity for each in front]
    if answers:
        cheapest = min(weight * e.structural_cost + e.error for e in answers)
        assert min(weight * e.structural_cost + e.error for e in front) == cheapest


@given(POINTS, PRICES)
def test_one_after_the_other_gives_the_same_as_all_at_once(
    points: list[Given], price: float
) -> None:
    evaluations = [evaluation(i, *point, price, 1.0) for i, point in enumerate(points)]
    front: tuple[Evaluation, ...] = ()
    for each in evaluations:
        front = pareto((*front, each))
    assert front == pareto(evaluations)


def test_the_table_says_the_same_of_candidates_and_of_their_models() -> None:
    task, domain = small_task(), Domain.built_in("crim13")
    result = learn(task, domain, budget=QUICK, limits=Limits(trainings=40), weight=0.5)
    names = task.train.class_names
    models = [
        model_of(each.trained, task, domain, names, provenance={"weight": 0.5})
        for each in result.front
    ]
    rows = result.front.rows()
    assert [row.chosen for row in rows] == [each is result.best for each in result.front]
    chosen = next(row.place for row in rows if row.chosen)
    assert model_rows(models, chosen) == rows
    for row, each in zip(rows, result.front, strict=True):
        evaluation = each.evaluation
        assert (row.text, row.size) == (each.text(), evaluation.program.size)
        assert row.path_cost == evaluation.path_cost == 0.5 * row.structural_cost + row.error
        assert row.height == row.f1 == evaluation.f1


def test_costs_that_are_summed_in_different_orders_are_equal() -> None:
    domain = Domain.of_size(
        1, costs={"mapprefix": 0.1, "fold": 0.2, "map": 0.3, "multiply": 0.3, "add": 0.0}
    )
    space = Space(domain.grammar(PROGRAM.signature))
    recorder = Recorder(space, (), relaxed=False)
    for text in (
        "mapprefix (fun x. fold (fun y. multiply(?, add(?, ?))) c x) x",
        "map (fun x. multiply(?, add(?, ?))) x",
    ):
        program = parse(
            text.replace("?", "Affine(y)" if "y." in text else "Affine(x)"),
            domain,
            PROGRAM.signature,
        ).program
        training = Training.of(trained(program, 0.5), 0.0)
        recorder.add(Node(program, None, g=0.0), training, key_of(program))
    assert len({space.grammar.cost(each.program) for each in recorder.evaluations}) == 2
    assert [each.evaluation.index for each in recorder.front()] == [0]


def test_the_best_is_on_a_front_over_numbers_though_another_errs_less_with_as_few() -> None:
    domain = Domain.of_size(1, vectors=("add", "const", "Affine"), price=0.001)
    space = Space(domain.grammar(PROGRAM.signature))
    texts = {
        "map (fun x. add(const, const)) x": 0.2,
        "map (fun x. Affine(x)) x": 0.205,  # as many numbers, fewer rules
        "map (fun x. add(const, add(const, const))) x": 0.3,  # beaten in everything
    }
    recorder = Recorder(space, (), relaxed=False)
    for text, error in texts.items():
        program = parse(text, domain, PROGRAM.signature).program
        training = Training.of(trained(program, error), 0.0)
        recorder.add(Node(program, None, g=space.cost(program)), training, key_of(program))
    assert [each.evaluation.index for each in recorder.front()] == [0, 1]
    best = recorder.front().best
    assert best is not None and best.evaluation.index == 1
    assert [point.best for point in recorder.trace] == sorted(
        (each.path_cost for each in recorder.evaluations[:2]), reverse=True
    )
