"""The benchmark's candidates in eager PyTorch, as a good engineer writes them.

Modules on [batch, time, feature] tensors; whatever does not depend on the accumulator is taken out
of the loops over time; the LSTM is torch's own (oneDNN); the optimiser is the fused Adam. One step
is forward, loss, backward and update. One thread.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)

POSITION = slice(0, 4)
VELOCITY = slice(11, 15)


class MapAffine(nn.Module):
    """A: map (PositionAffine)."""

    def __init__(self) -> None:
        super().__init__()
        self.leaf = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.leaf(x[..., POSITION])


class MapIf(nn.Module):
    """B: map (if PositionAffine > 0 then VelocityAffine else ??)."""

    def __init__(self) -> None:
        super().__init__()
        self.condition = nn.Linear(4, 1)
        self.leaf = nn.Linear(4, 2)
        self.network = nn.Sequential(nn.Linear(19, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.condition(x[..., POSITION]))
        return torch.lerp(self.network(x), self.leaf(x[..., VELOCITY]), gate)


class Recurrent(nn.Module):
    """C: ??, an LSTM and a linear layer at every frame."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(19, 15, batch_first=True)
        self.output = nn.Linear(15, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.lstm(x)[0])


class PrefixFold(nn.Module):
    """D: mapprefix (fold (PositionAffine))."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Linear(4, 2)
        self.accumulator = nn.Linear(2, 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        accumulator = x.new_zeros(len(x), 2)
        results = []
        for inputs in self.features(x[..., POSITION]).unbind(1):
            accumulator = torch.addmm(inputs, accumulator, self.accumulator.weight.T)
            results.append(accumulator)
        return torch.stack(results, 1)


class PrefixWindow(nn.Module):
    """E: mapprefix (SlidingWindowAverage10 (Affine))."""

    size = 10

    def __init__(self, length: int) -> None:
        super().__init__()
        self.leaf = nn.Linear(19, 2)
        self.register_buffer("counts", torch.arange(1, length + 1).clamp(max=self.size)[:, None])

    def forward(self, x: Tensor) -> Tensor:
        sums = x.cumsum(1)
        sums[:, self.size :] -= sums[:, : -self.size].clone()
        return self.leaf(sums / self.counts)


class FoldIf(nn.Module):
    """F: fold (if ?? > 0 then PositionAffine else VelocityAffine)."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(19, 8)
        self.hidden_past = nn.Linear(2, 8, bias=False)
        self.condition = nn.Linear(8, 1)
        self.then, self.otherwise = nn.Linear(4, 2), nn.Linear(4, 2)
        self.then_past = nn.Linear(2, 2, bias=False)
        self.otherwise_past = nn.Linear(2, 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        accumulator = x.new_zeros(len(x), 2)
        inputs = (self.hidden(x), self.then(x[..., POSITION]), self.otherwise(x[..., VELOCITY]))
        for hidden, then, otherwise in zip(*(each.unbind(1) for each in inputs), strict=True):
            hidden = torch.relu(torch.addmm(hidden, accumulator, self.hidden_past.weight.T))
            gate = torch.sigmoid(self.condition(hidden))
            then = torch.addmm(then, accumulator, self.then_past.weight.T)
            otherwise = torch.addmm(otherwise, accumulator, self.otherwise_past.weight.T)
            accumulator = torch.lerp(otherwise, then, gate)
        return accumulator


def candidates(
    x: np.ndarray, frames: np.ndarray, sequences: np.ndarray
) -> dict[str, Callable[[], None]]:
    """A function for each candidate that takes one training step on the batch.

    ``frames`` are labels of every frame, ``sequences`` one a sequence, for F.
    """
    torch.manual_seed(0)
    inputs = torch.from_numpy(x)
    modules = {
        "A": MapAffine(),
        "B": MapIf(),
        "C": Recurrent(),
        "D": PrefixFold(),
        "E": PrefixWindow(x.shape[1]),
        "F": FoldIf(),
    }
    return {
        name: _step(module, inputs, torch.from_numpy(sequences if name == "F" else frames))
        for name, module in modules.items()
    }


def _step(module: nn.Module, x: Tensor, labels: Tensor) -> Callable[[], None]:
    optimiser = torch.optim.Adam(module.parameters(), lr=1e-3, fused=True)
    targets = labels.reshape(-1)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        cross_entropy(module(x).reshape(len(targets), -1), targets).backward()
        optimiser.step()

    return step
