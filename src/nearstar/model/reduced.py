"""Models without what their programs do not read: of a bank of terms that is most."""

from __future__ import annotations

from dataclasses import replace

from nearstar.data.derived import named_in, read_derived
from nearstar.data.scale import Scale
from nearstar.language.domain import Domain
from nearstar.language.operators import Affine, Select, Terms
from nearstar.language.program import Program, applied, columns_read
from nearstar.language.text import parse, to_text
from nearstar.language.types import Signature
from nearstar.model.model import Model


def reduced(model: Model) -> Model:
    """The model with the features that its program reads, if it says of each leaf which they are.

    What new data are then read for, and derived, is no more than that.
    """
    program, domain = model.program, model.domain
    if not _by_name(program) or domain.functions or domain.costs:
        return model
    used = [domain.features[column] for column in columns_read(program)]
    needed = named_in(used, read_derived(domain.derived))
    kept = set(used).union(needed)
    columns = [place for place, name in enumerate(domain.features) if name in kept]
    features = tuple(domain.features[column] for column in columns)
    derived = {name: text for name, text in domain.derived.items() if name in needed}
    smaller = replace(
        domain,
        features=features,
        derived=derived,
        groups=(),
        aliases={},
        vectors=_without_leaves(domain),
    )
    source = type(program.signature.input)(len(features))
    return replace(
        model,
        # Leaves name what they read, in the order of the columns: numbers stay where they are.
        program=parse(
            to_text(program), smaller, Signature(source, program.signature.output)
        ).program,
        domain=smaller,
        scale=Scale(model.scale.mean[columns], model.scale.std[columns]),
    )


def _without_leaves(domain: Domain) -> tuple[str, ...]:
    """The rules of vectors, with one leaf in the place of all that name features or groups."""
    leaves = {
        name
        for name in domain.vectors
        if name in ("affine", "sel") or isinstance(domain.operation(name), Affine | Select)
    }
    return (*(name for name in domain.vectors if name not in leaves), "Affine{*}")


def _by_name(program: Program) -> bool:
    """Whether all that reads features names them one by one."""
    reading = [node for node in applied(program) if node.operation.columns(node.signature)]
    named = (
        isinstance(node.operation, Affine) and isinstance(node.operation.group, Terms)
        for node in reading
    )
    return not program.n_holes and bool(reading) and all(named)
