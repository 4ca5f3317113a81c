"""Learning a program: the one function that does it all."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from nearstar.language.domain import Domain
from nearstar.language.program import Program, is_complete
from nearstar.language.text import to_text
from nearstar.language.types import Signature
from nearstar.model.model import Model
from nearstar.run.arguments import check_arguments
from nearstar.run.display import Display
from nearstar.run.driver import drive
from nearstar.run.events import Listener
from nearstar.run.limits import Limits
from nearstar.run.results.result import Result
from nearstar.run.starting_program import judged, starting_program
from nearstar.run.store.identity import Identity
from nearstar.run.store.journaled_run import cached_trainings, journaled
from nearstar.run.store.schema import about_record
from nearstar.run.store.trainings import Memory, RunMemory
from nearstar.run.trainer import Trainer
from nearstar.run.workers import open_workers
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints, with_own_names
from nearstar.search.protocol import Algorithm
from nearstar.search.rnn import RNN
from nearstar.search.space import Space
from nearstar.search.variation import neighbours
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.training.trees import suggested_trees
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop


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
    workers: int | Executor | None = None,
    cluster: Any = None,
    listeners: Sequence[Listener] = (),
    progress: bool | None = None,
    audit_samples: int = 0,
    run: str | Path | RunMemory | None = None,
    cache: Sequence[str | Path] = (),
    stop: Stop | None = None,
) -> Result:
    """Search for the program of least weight × structural cost + validation error.

    ``algorithm`` is the search with its settings: A* unless another is given, which ends when by f
    nothing left can be better; ``AStar(persist=True)`` goes on until a limit is reached. The same
    ``seed`` gives the same result with any ``workers``, unless a limit of time ends it. Ctrl-C ends
    it too; the result then has what was found so far.

    ``start`` is a sketch, whose holes are to be filled, or a complete program, to be improved by
    changing or extending a part of it: as text, Program or Model. One with parameters counts as
    found, so that the result is never worse.

    ``single``: whether two classes are told by one number or two. ``progress`` on stderr: None
    means if that is a terminal. ``audit_samples``: of so many partial programs that the search
    trained and never completed, a random completion is trained, beyond all limits, to see whether
    it was right to leave them. One of these that is better than the best becomes the best.

    ``workers`` is how many programs are trained at a time, on threads (None: one for each core), or
    an executor of ``concurrent.futures``; ``cluster`` is a Dask cluster to train on instead: the
    address of its scheduler, its scheduler file, or a Client or Cluster of Dask's.

    ``run`` is a folder for the run, with a journal of all that happens. If it has one already, the
    run goes on where it stopped, however that was: nothing is trained again, and the result is that
    of a run that never stopped. Limits may be other ones, and count for the whole run; all else
    must be the same. A RunMemory does so without a folder, for as long as the process lives.

    ``cache`` names folders of other runs, on the same data with the same budget and seed, say with
    another algorithm or weight: what was trained in them is not trained again. It counts as trained
    all the same.

    ``stop`` ends it from another thread, as Ctrl-C does, when its ``set`` is called.
    """
    algorithm = AStar() if algorithm is None else algorithm
    budget = Budget() if budget is None else budget
    limits = Limits() if limits is None else limits
    constraints = Constraints() if constraints is None else constraints
    check_arguments(task=task, domain=domain, algorithm=algorithm, budget=budget, limits=limits)
    check_arguments(constraints=constraints, single=single, listeners=listeners)
    check_arguments(progress=progress, seed=seed, audit_samples=audit_samples)
    check_arguments(workers=workers, run=run, cache=cache)
    if isinstance(algorithm, RNN):
        budget = algorithm.budget(budget)
        if start is not None:
            raise NearstarError("RNN learns a network, not a program: it takes no start")
    trainer = Trainer(task, budget, int(seed))
    signature = task.signature(single=single)
    program, model = starting_program(start, task, domain, signature)
    space = _space(domain, signature, constraints, weight, program, task)
    identity = Identity.of(
        trainer,
        domain,
        algorithm,
        weight=weight,
        constraints=constraints,
        start=None if program is None else to_text(program, None if model is None else model.theta),
        single=single,
        audit_samples=int(audit_samples),
    )
    with ExitStack() as stack:
        memory: Memory | None = None
        if isinstance(run, RunMemory):
            run.begin(identity)
            memory = run
        elif run is not None:
            about = about_record(task, domain, signature)
            in_folder = stack.enter_context(journaled(run, identity, trainer, about))
            memory, listeners = in_folder, (*listeners, in_folder)
        if progress is not False:
            listeners = (*listeners, stack.enter_context(Display(force=progress is True)))
        return drive(
            algorithm.search(space, int(seed)),
            trainer,
            space,
            limits=limits,
            workers=stack.enter_context(open_workers(workers, cluster)),
            listeners=listeners,
            memory=memory,
            caches=[cached_trainings(folder, identity, trainer) for folder in cache],
            given=None if model is None else judged(model, task, budget.units),
            relaxed=isinstance(algorithm, RNN),
            keep=getattr(algorithm, "warm_start", False),
            samples=int(audit_samples),
            algorithm=type(algorithm).__name__,
            stop=stop,
        )


def _space(
    domain: Domain,
    signature: Signature,
    constraints: Constraints,
    weight: float,
    start: Program | None,
    task: Task,
) -> Space:
    """The space to search: from nothing, from a sketch, or around a complete program."""
    grammar, constraints = domain.grammar(signature), with_own_names(constraints, domain)
    suggested = partial(suggested_trees, task)
    space = Space(grammar, constraints, weight, () if start is None else (start,), suggested)
    if start is None or not is_complete(start):
        return space
    return Space(grammar, constraints, weight, neighbours(space, start), suggested)
