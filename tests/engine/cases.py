"""Random programs with data to run them on, shared by the tests of the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import domains, programs, signatures

from nearstar.data import Scale, Sequences
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks, pack
from nearstar.engine.session import Session
from nearstar.language.networks import Units
from nearstar.language.parameters import layout, unscaled
from nearstar.language.program import Program
from nearstar.training.starting import initial

UNITS = Units(5, 2)


@dataclass(frozen=True)
class Case:
    """A program, its parameters and labelled data in units of their own."""

    program: Program
    scale: Scale
    trained: NDArray[np.float32]
    """Parameters for standardised features, as training sees them."""
    sequences: list[NDArray[np.float32]]
    labels: list[NDArray[np.int64]]

    @property
    def theta(self) -> NDArray[np.float64]:
        return unscaled(layout(self.program, UNITS), self.trained, self.scale)

    @property
    def n_classes(self) -> int:
        return max(self.program.signature.output.size, 2)

    def data(self) -> Sequences:
        names = [str(k) for k in range(self.n_classes)]
        signature = self.program.signature
        firsts = np.array([labels[0] for labels in self.labels])
        if signature.maps_vectors:
            X = np.array([sequence[0] for sequence in self.sequences])
            return Sequences.from_arrays(X, firsts, class_names=names)
        y = self.labels if signature.maps_sequences else firsts
        return Sequences.from_arrays(self.sequences, y, class_names=names)

    def blocks(self) -> Blocks:
        return pack(self.data(), self.scale)

    def session(self, *blocks: Blocks) -> Session:
        return Session(lower(self.program, self.scale, UNITS), self.trained, *blocks)

    def outputs(self, order: list[int] | None = None) -> NDArray[np.float32]:
        """The engine's outputs, for the sequences in an order, or for some of them."""
        data = self.data() if order is None else self.data().subset(order)
        blocks = pack(data, self.scale)
        return self.session(blocks).predict(blocks)


@st.composite
def cases(draw: st.DrawFn, *, most_length: int = 12, holes: bool = True) -> Case:
    """Cases of every type; all values are of ordinary size."""
    domain = draw(domains())
    signature = draw(signatures(domain))
    program = draw(programs(domain.grammar(signature), 10, holes))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features = len(domain.features)
    lengths = draw(st.lists(st.integers(1, most_length), min_size=1, max_size=6))
    if signature.maps_vectors:
        lengths = [1] * len(lengths)
    scale = Scale(random.normal(size=n_features), np.exp(random.normal(size=n_features)))
    sequences = [
        (scale.mean + scale.std * random.normal(size=(length, n_features))).astype(np.float32)
        for length in lengths
    ]
    n_classes = max(signature.output.size, 2)
    labels = [random.integers(-1, n_classes, length) for length in lengths]
    labels[0][0] = 0  # at least one label
    theta = initial(layout(program, UNITS), int(random.integers(2**31)))
    return Case(program, scale, theta, sequences, labels)
