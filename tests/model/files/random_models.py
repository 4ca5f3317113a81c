"""Models of random programs, and data for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from engine.cases import UNITS
from hypothesis import strategies as st
from strategies import domains, programs, signatures

from nearstar import Domain, Model, Program, Scale, Sequences, is_complete
from nearstar.language.deciding import classes_named, with_names
from nearstar.language.parameters import layout, unscaled
from nearstar.language.types import Signature
from nearstar.training.starting import initial


def some_data(
    signature: Signature, random: np.random.Generator, *, offset: float = 1.0, n: int = 8
) -> Sequences:
    """Labelled data for a program of this type, the features far from 0 by an offset."""
    n_features, n_classes = signature.input.size, max(signature.output.size, 2)
    lengths = [1] * n if signature.maps_vectors else random.integers(1, 9, n).tolist()
    X = [random.normal(offset, 1, (length, n_features)) for length in lengths]
    y = [random.integers(0, n_classes, length) for length in lengths]
    names = [f"class {k}" for k in range(n_classes)]
    if signature.maps_vectors:
        return Sequences.from_arrays(np.concatenate(X), np.concatenate(y), class_names=names)
    labels = y if signature.maps_sequences else [each[0] for each in y]
    return Sequences.from_arrays(X, labels, class_names=names)


@dataclass(frozen=True)
class Case:
    domain: Domain
    program: Program
    random: np.random.Generator

    def model(self, class_names: tuple[str, ...] | None = None, **more: Any) -> Model:
        """The program with parameters that nobody trained."""
        n, outputs = len(self.domain.features), self.program.signature.output.size
        scale = Scale(self.random.normal(size=n), np.exp(self.random.normal(size=n)))
        blocks = layout(self.program, UNITS)
        theta = unscaled(blocks, initial(blocks, int(self.random.integers(1000))), scale)
        theta = with_names(self.program, theta)
        names = tuple(f"class {k}" for k in range(max(outputs, 2)))
        names = names if class_names is None or classes_named(self.program) else class_names
        units = None if is_complete(self.program) else UNITS
        return Model(self.program, theta, self.domain, names, scale, units, **more)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    domain = draw(domains())
    program = draw(programs(domain.grammar(draw(signatures(domain))), 8, holes=True))
    return Case(domain, program, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
