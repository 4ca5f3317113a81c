"""Where a search starts from, if not from nothing: a sketch, a program, or a model."""

from __future__ import annotations

from dataclasses import replace

from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Apply, Hole, Program, is_complete
from nearstar.language.text import parse
from nearstar.language.types import Signature
from nearstar.model.model import Model
from nearstar.training.task import Task
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError, ProgramError


def starting_program(
    start: str | Program | Model | None, task: Task, domain: Domain, signature: Signature
) -> tuple[Program | None, Model | None]:
    """The program to start from, if any; and the model, if it is complete and has parameters.

    Numbers in a sketch are not used: what is around them will change.
    """
    if start is None:
        return None, None
    names = task.train.class_names
    if isinstance(start, str):
        parsed = parse(start, domain, signature)
        if parsed.theta is None or not is_complete(parsed.program):
            return parsed.program, None
        return parsed.program, Model(parsed.program, parsed.theta, domain, names, task.scale)
    if not isinstance(start, Model | Apply | Hole):
        raise NearstarError(
            "start must be a program as text (with ?? for its holes), a Program or a Model, "
            f"not a {type(start).__name__}"
        )
    if isinstance(start, Model) and _is_part(start, domain):
        start = _among(start, domain, signature, task)
    program = start.program if isinstance(start, Model) else start
    if program.signature != signature:
        raise ProgramError(
            f"the start has the type {program.signature}, but a program of {signature} is to be "
            "learned; for two classes, single=False means two outputs and single=True one"
        )
    if not isinstance(start, Model) or not is_complete(program):
        return program, None
    if start.class_names != names:
        raise NearstarError(
            f"the model to start from tells {', '.join(start.class_names)}, but the data have the "
            f"classes {', '.join(names)}"
        )
    return program, start


def _is_part(model: Model, domain: Domain) -> bool:
    """Whether a model's program can be read with more features than it has."""
    fewer = set(model.domain.features) < set(domain.features)
    return fewer and is_complete(model.program) and model.domain.beta == domain.beta


def _among(model: Model, domain: Domain, signature: Signature, task: Task) -> Model:
    """A model that has only the features that its program reads, in a domain with more."""
    read = parse(model.text(digits=None), domain, signature)
    assert read.theta is not None  # it is complete, and printed with its numbers
    return replace(model, program=read.program, theta=read.theta, domain=domain, scale=task.scale)


def judged(model: Model, task: Task, units: Units) -> Trained:
    """A model as it is, without training, with what it reaches on the validation data."""
    metrics = model.evaluate(task.valid)
    return Trained(
        program=model.program,
        theta=model.theta,
        scale=model.scale,
        units=units,
        error=metrics.error,
        metrics=metrics,
        losses=(),
        stages=(),
        cut=False,
        step=0,
        diverged=False,
        seconds=0.0,
    )
