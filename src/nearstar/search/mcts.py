"""Monte-Carlo tree search: complete programs from where upper confidence bounds (UCT) lead."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from nearstar.language.program import is_complete
from nearstar.search.algorithm_settings import Settings
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Search
from nearstar.search.sampling import State, completion, initial_state, successors
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for


@dataclass(frozen=True, kw_only=True)
class MCTS(Settings):
    """Descends by UCT, samples a completion, backs its path cost up; steps to the best child."""

    published = MappingProxyType(
        {"deduplicate": False, "rollouts": False, "width": 1, "race": False}
    )
    in_domains = ("samples",)

    samples: int = 50
    """Completions sampled before each step."""
    exploration: float = math.sqrt(2)
    """How much UCT favours what was seldom visited."""
    rollouts: bool = True
    """Whether a branch that was never visited before is completed at random. The published search
    goes on by UCT to a complete program, children that were never visited first."""
    width: int = 1
    """Samples drawn before their scores are asked together; never the number of workers."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""

    def search(self, space: Space, seed: int) -> Search:
        random = np.random.default_rng(seed_for(seed, "MCTS"))
        evaluator = Evaluator(space, self.deduplicate, self.race)
        yield from evaluator.ask_roots()
        branch = Branch(initial_state(space))
        while branch.state is None or not is_complete(branch.state):
            for drawn in range(0, self.samples, self.width):
                together = min(self.width, self.samples - drawn)
                paths = [self._descend(branch, space, random) for _ in range(together)]
                costs = yield from evaluator.ask(
                    [completion(space, path[-1].state, random) for path in paths]
                )
                for path, cost in zip(paths, costs, strict=True):
                    _back_up(path, cost)
            branch = branch.best_child()
        return None

    def _descend(self, branch: Branch, space: Space, random: np.random.Generator) -> list[Branch]:
        """The way down to a complete program or, with rollouts, a branch never visited before."""
        path = [branch]
        while children := path[-1].grow(space, random):
            path.append(self._choose(path[-1], children))
            if self.rollouts and not path[-1].visits:
                break
        for each in path:
            each.visits += 1
        return path

    def _choose(self, above: Branch, children: list[Branch]) -> Branch:
        """The child with the greatest upper confidence bound; those never visited come first."""

        def uct(child: Branch) -> float:
            if not child.visits:
                return math.inf
            # What only waits for its scores is taken to be no better or worse than around it.
            mean = child.mean if child.scored else above.mean if above.scored else 0.0
            return 1 - mean + self.exploration * math.sqrt(math.log(above.visits) / child.visits)

        return max(children, key=uct)


@dataclass(eq=False, slots=True)
class Branch:
    """A state in the tree of samples, with what the samples through it gave."""

    state: State
    visits: int = 0
    """Samples that went through it, also those whose scores are not known yet."""
    scored: int = 0
    total: float = 0.0
    """Path costs of the scored ones, in all."""
    children: list[Branch] | None = field(default=None, repr=False)

    @property
    def mean(self) -> float:
        """Mean path cost of the scored samples."""
        return self.total / self.scored

    def grow(self, space: Space, random: np.random.Generator) -> list[Branch]:
        """Its children, in random order once and for all: first visits go by it."""
        if self.children is None:
            programs = successors(space, self.state)
            self.children = [Branch(programs[i]) for i in random.permutation(len(programs))]
        return self.children

    def best_child(self) -> Branch:
        """The child with the best mean."""
        scored = [child for child in self.children or () if child.scored]
        return min(scored, key=lambda child: child.mean)


def _back_up(path: list[Branch], cost: float) -> None:
    for each in path:
        each.scored += 1
        each.total += cost
