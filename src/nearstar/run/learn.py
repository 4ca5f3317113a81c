"""Learning a program: the one function that does it all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from nearstar.domain import Domain
from nearstar.errors import NearstarError
from nearstar.library import Affine, Select
from nearstar.model import Model
from nearstar.program import Program, is_complete
from nearstar.run.arguments import check_arguments
from nearstar.run.display import Display
from nearstar.run.driver import drive
from nearstar.run.events import Listener
from nearstar.run.limits import Limits
from nearstar.run.memory import Memory
from nearstar.run.pool import available_cores
from nearstar.run.result import Result
from nearstar.run.start import judged, read_start
from nearstar.run.trainer import Trainer
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm
from nearstar.search.refine import neighbours
from nearstar.search.rnn import RNN
from nearstar.search.space import Space
from nearstar.task import Task
from nearstar.train import Budget
from nearstar.types import Signature


def learn(
    task: Task,
    domain: Domain,
    algorithm: Algorithm | None = None,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    limits: Limits | None = None,
    constraints: Constraints | None = None,
    weight: float = 1.0,
    start: str | Program | Model | None = None,
    single: bool = True,
    workers: int | None = None,
    listeners: Sequence[Listener] = (),
    progress: bool | None = None,
    audit_samples: int = 0,
    memory: Memory | None = None,
) -> Result:
    """Search for the program of least weight × structural cost + validation error.

    ``algorithm`` is the search with its settings: A* unless another is given. The same ``seed``
    gives the same result with any number of ``workers`` (None: one for each core), unless a limit
    of time ends it. Ctrl-C ends it too; the result then has what was found so far.

    ``start`` is a sketch, whose holes are to be filled, or a complete program, to be improved by
    changing or extending a part of it: as text, Program or Model. One with parameters counts as
    found, so that the result is never worse.

    ``single``: whether two classes are told by one number or two. ``progress`` on stderr: None
    means if that is a terminal. ``audit_samples``: of so many partial programs that the search
    trained and never completed, a random completion is trained, beyond all limits, to see whether
    it was right to leave them. One of these that is better than the best becomes the best.

    ``memory`` is a dictionary that takes up all answers. Another call with the same task, budget,
    seed and start trains nothing again that is in it: to go on with a search with higher limits,
    or to share trainings between searches. What it takes from there counts as trained all the same.
    """
    algorithm = AStar() if algorithm is None else algorithm
    budget = Budget() if budget is None else budget
    limits = Limits() if limits is None else limits
    constraints = Constraints() if constraints is None else constraints
    workers = available_cores() if workers is None else workers
    check_arguments(task=task, domain=domain, algorithm=algorithm, budget=budget, limits=limits)
    check_arguments(constraints=constraints, single=single, listeners=listeners)
    check_arguments(progress=progress, seed=seed, workers=workers, audit_samples=audit_samples)
    if isinstance(algorithm, RNN):
        budget = algorithm.budget(budget)
        if start is not None:
            raise NearstarError("RNN learns a network, not a program: it takes no start")
    trainer = Trainer(task, budget, int(seed))
    signature = task.signature(single=single)
    program, model = (None, None) if start is None else read_start(start, task, domain, signature)
    space = _space(domain, signature, constraints, weight, program)
    with ExitStack() as stack:
        if progress is not False:
            listeners = (*listeners, stack.enter_context(Display(force=progress is True)))
        return drive(
            algorithm.search(space, int(seed)),
            trainer,
            space,
            limits=limits,
            workers=int(workers),
            listeners=listeners,
            given=None if model is None else judged(model, task, budget.units),
            relaxed=isinstance(algorithm, RNN),
            keep=getattr(algorithm, "warm_start", False),
            samples=int(audit_samples),
            memory=memory,
        )


def _space(
    domain: Domain,
    signature: Signature,
    constraints: Constraints,
    weight: float,
    start: Program | None,
) -> Space:
    """The space to search: from nothing, from a sketch, or around a complete program."""
    grammar = domain.grammar(signature)
    operations = [rule.operation for rule in grammar.all_rules]
    families = {
        family: [operation.name for operation in operations if isinstance(operation, kind)]
        for family, kind in (("affine", Affine), ("sel", Select))
    }
    constraints = _with_own_names(constraints, domain, families)
    starts = () if start is None else (start,)
    space = Space(grammar, constraints, weight, starts, families)
    if start is None or not is_complete(start):
        return space
    return Space(grammar, constraints, weight, neighbours(space, start), families)


def _with_own_names(
    constraints: Constraints, domain: Domain, families: Mapping[str, object]
) -> Constraints:
    """The constraints with the names that rules print with, where they were given by an alias."""

    def own(name: str) -> str:
        operation = None if name in families else domain.operation(name)
        return name if operation is None else operation.name

    limit: dict[str, int] = {}
    for name, most in constraints.limit.items():
        limit[own(name)] = min(most, limit.get(own(name), most))
    return replace(
        constraints,
        forbid=tuple(map(own, constraints.forbid)),
        require=tuple(map(own, constraints.require)),
        limit=limit,
    )
