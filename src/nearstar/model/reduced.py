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
    priced = any(_is_leaf(domain, key.partition(":")[0]) for key in domain.costs)
    if not _by_name(program) or domain.functions or priced:
        return model
    used = [domain.features[column] for column in columns_read(program)] or [_one_of(domain)]
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
    return (*(name for name in domain.vectors if not _is_leaf(domain, name)), "Affine{*}")


def _is_leaf(domain: Domain, name: str) -> bool:
    """Whether it is the name of leaves that name features or groups."""
    return name in ("affine", "sel") or isinstance(domain.operation(name), Affine | Select)


def _one_of(domain: Domain) -> str:
    """What is left where nothing is read, for there have to be data: a column of theirs, if it is
    among the features."""
    columns = (name for name in domain.features if name not in domain.derived)
    return next(columns, domain.features[0])


def _by_name(program: Program) -> bool:
    """Whether all that reads features names them one by one."""
    reading = [node for node in applied(program) if node.operation.columns(node.signature)]
    named = (
        isinstance(node.operation, Affine) and isinstance(node.operation.group, Terms)
        for node in reading
    )
    return not program.n_holes and all(named)
