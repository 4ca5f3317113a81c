"""Finals: the best programs that a search has found are trained again, before one is chosen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.program import Program
from nearstar.run.arguments import check_arguments, check_kind
from nearstar.run.events import Listener
from nearstar.run.learn import learn
from nearstar.run.limits import Limits
from nearstar.run.results.front import Front, pareto
from nearstar.run.results.result import Result
from nearstar.run.store import JOURNAL
from nearstar.run.store.identity import Identity
from nearstar.run.store.journaled_run import identity_in
from nearstar.run.trainer import Trainer
from nearstar.search.constraints import Constraints
from nearstar.search.fixed_list import FixedList
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.util.checks import check_whole
from nearstar.util.interrupt import Stop

FINALS = "finals"
"""The folder for finals in that of their search."""


@dataclass(frozen=True)
class Finalists:
    """How many programs are trained again, and how."""

    programs: int = 5
    """Those of least path cost; of programs that are equal, as canonical forms tell, the best."""
    longer: int = 4
    """So many times the steps of the search."""
    restarts: int = 3
    """Trainings of each, from different starting parameters, the best of which counts; at least as
    many as in the search."""

    def __post_init__(self) -> None:
        for name in ("programs", "longer", "restarts"):
            check_whole(f"{name} of finalists", getattr(self, name))

    def budget(self, budget: Budget) -> Budget:
        """How they are trained, where the search trained with this budget."""
        return replace(
            budget,
            symbolic_steps=self.longer * budget.symbolic_steps,
            restarts=max(self.restarts, budget.restarts),
        )


def final(
    task: Task,
    domain: Domain,
    result: Result,
    finalists: Finalists | None = None,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    limits: Limits | None = None,
    workers: int | Executor | None = None,
    cluster: Any = None,
    listeners: Sequence[Listener] = (),
    progress: bool | None = None,
    run: str | Path | None = None,
    stop: Stop | None = None,
) -> Result:
    """Train the best programs of a result again, longer and from several starts, and choose anew.

    ``task``, ``domain``, ``seed`` and ``budget`` are those that `learn` had for the result. The
    best come first, then what stands on the front and was cut off in the search; ``limits`` are for
    all of them together. What comes back is the result with ``best`` and ``front`` of all programs
    as they were, and as they are now: never worse in validation. Its ``finals`` tell of the rest. A
    search that was interrupted, or found no program, has no finals.

    ``run`` is the folder of the search. The finals get one of their own in it, so that they go on
    where they stopped; where the search has gone on to other programs in between, those that were
    trained are not trained again. For the other arguments see `learn`.
    """
    finalists = Finalists() if finalists is None else finalists
    budget = Budget() if budget is None else budget
    check_arguments(result=result, task=task, domain=domain, budget=budget, seed=seed)
    check_kind("finalists", finalists, Finalists, "Finalists, such as Finalists(programs=5)")
    check_kind("run", run, str | Path | None, "the path of a folder, or None")
    programs = _best_of(result, finalists.programs, domain)
    if result.ended == "interrupted" or not programs:
        return result
    weight, algorithm = result.evaluations[0].weight, FixedList(programs)
    trainer = Trainer(task, finalists.budget(budget), int(seed))
    identity = Identity.of(trainer, domain, algorithm, weight=weight)
    finals = learn(
        task,
        domain,
        algorithm,
        seed=seed,
        budget=trainer.budget,
        limits=limits,
        # These programs were within the search's own.
        constraints=Constraints(max_depth=max(program.size for program in programs)),
        weight=weight,
        single=programs[0].signature == task.signature(single=True),
        workers=workers,
        cluster=cluster,
        listeners=listeners,
        progress=progress,
        run=None if run is None else Path(run) / FINALS / _digest(identity),
        cache=() if run is None else _earlier(Path(run), identity),
        stop=stop,
    )
    return _merged(result, finals)


def finals_in(run: Path) -> list[Path]:
    """The folders of all finals of the search in a folder, sorted."""
    return sorted(path.parent for path in (run / FINALS).glob(f"*/{JOURNAL}"))


def _best_of(result: Result, most: int, domain: Domain) -> tuple[Program, ...]:
    """The complete programs of least path cost, each of another canonical form, and those of the
    front that were not trained whole."""
    complete = [each for each in result.evaluations if each.complete and each.answer]
    if not complete:
        return ()
    grammar = domain.grammar(complete[0].program.signature)
    forms: dict[Program, Program] = {}
    for each in sorted(complete, key=lambda each: each.rank):
        forms.setdefault(canonical(each.program, grammar), each.program)
        if len(forms) == most:
            break
    # The search has spent little on what could not be the best, though it may be at its price.
    for each in (candidate.evaluation for candidate in result.front):
        if each.cut:
            forms.setdefault(canonical(each.program, grammar), each.program)
    return tuple(forms.values())


def _merged(result: Result, finals: Result) -> Result:
    """The result with the best of both; of equals what the search found stays."""
    first = len(result.evaluations)
    later = (
        replace(each, evaluation=replace(each.evaluation, index=first + each.evaluation.index))
        for each in finals.front
    )
    candidates = {each.evaluation.index: each for each in (*result.front, *later)}
    rated = pareto(each.evaluation for each in candidates.values())
    front = Front(candidates[each.index] for each in rated)
    return replace(
        result,
        best=front.best,
        front=front,
        finals=finals,
        ended="interrupted" if finals.ended == "interrupted" else result.ended,
    )


def _earlier(run: Path, identity: Identity) -> list[Path]:
    """The folders of finals with the same training: what they have is not trained again."""
    own = _digest(identity)
    return [
        folder
        for folder in finals_in(run)
        if folder.name != own
        and (begun := identity_in(folder)) is not None
        and begun.training == identity.training
    ]


def _digest(identity: Identity) -> str:
    """A name for all that decides a run."""
    text = json.dumps(identity.header, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
