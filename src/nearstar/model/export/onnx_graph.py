"""ONNX graphs, written down node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.util.errors import ProgramError


class Graph:
    """A graph in the making. Values are known by their names; all have two dimensions.

    What is the same twice is computed once. A graph inside of another one, the body of a Scan,
    sees the outer graph's values.
    """

    def __init__(self, outer: Graph | None = None) -> None:
        self.nodes: list[Any] = []
        self._outer = outer
        self._shared: _Shared = outer._shared if outer else _Shared()
        self._known: dict[object, str] = {}

    @property
    def initializers(self) -> list[Any]:
        """The constants of this graph and of those inside."""
        return list(self._shared.constants.values())

    def fresh(self, what: str) -> str:
        """A name that nothing else has."""
        self._shared.count += 1
        return f"{what.lower()}_{self._shared.count}"

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of an operator's value."""
        key = (kind, inputs, tuple((name, str(value)) for name, value in attributes.items()))
        if (known := self._find(key)) is None:
            (known,) = self.ops(kind, inputs, 1, **attributes)
            self._known[key] = known
        return known

    def ops(self, kind: str, inputs: tuple[str, ...], n: int, **attributes: Any) -> list[str]:
        """The names of an operator's n values."""
        from onnx import helper

        outputs = [self.fresh(kind) for _ in range(n)]
        # Named, since older runtimes confuse nodes without names when they join them.
        node = helper.make_node(kind, list(inputs), outputs, name=outputs[0], **attributes)
        self.nodes.append(node)
        return outputs

    def number(self, values: ArrayLike) -> str:
        """A constant in single precision."""
        with np.errstate(over="ignore"):
            array = np.asarray(values, np.float64).astype(np.float32)
        if not np.isfinite(array).all():
            raise ProgramError("parameters are too large to compute with in 32 bits")
        return self._constant(array)

    def integer(self, values: ArrayLike) -> str:
        """A constant of whole numbers: indices, axes, shapes."""
        return self._constant(np.asarray(values, np.int64))

    def _constant(self, array: NDArray[Any]) -> str:
        from onnx import numpy_helper

        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._shared.constants:
            tensor = numpy_helper.from_array(array, self.fresh("constant"))
            self._shared.constants[key] = tensor
        return str(self._shared.constants[key].name)

    def _find(self, key: object) -> str | None:
        if key in self._known:
            return self._known[key]
        return self._outer._find(key) if self._outer else None


class _Shared:
    """What all graphs of a model have in common."""

    def __init__(self) -> None:
        self.count = 0
        self.constants: dict[object, Any] = {}
