"""Tabulated scores for small grammars: whatever a search claims can be checked, with no training.

Every number is decided by an integer seed and the text of a program.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from random import Random

from small_grammars import (
    FAMILIES,
    BruteForce,
    expanded,
    keeps,
    label,
    random_constraints,
    random_grammar,
)

from nearstar.language.canonical import canonical
from nearstar.language.grammar import Grammar
from nearstar.language.program import Hole, Program
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm, Node, Score
from nearstar.search.space import Space
from nearstar.util.errors import DomainError
from nearstar.util.seeds import seed_for

TOLERANCE = 1e-9
"""Costs are sums of floating-point numbers, in whatever order."""
MOST_ROUNDS = 5_000
"""Far more than there are programs, partial ones included, in any case here."""

# Scores


@dataclass
class Table:
    """An error ζ for every complete program, and for partial ones an h that bounds it.

    Programs of the same canonical form have the same error. The h of a partial one is a share of
    the least error of its completions within the constraints, and at most ``excess`` more; the
    share differs from program to program, so h need not rise along a path.
    """

    grammar: Grammar
    constraints: Constraints
    seed: int
    weight: float = 1.0
    excess: float = 0.0
    diverging: float = 0.0
    """The share of programs whose training diverges."""

    def __post_init__(self) -> None:
        random = Random(seed_for(self.seed, "table"))
        self._noise = random.choice((0.05, 0.3, 1.0))
        self._steps = random.choice((0, 0, 4))
        self._least_share = random.choice((0.0, 0.6, 0.9, 1.0, 1.0))
        self._costs: dict[Program, float] = {}
        self._scores: dict[Program, Score] = {}
        self._least: dict[Program, float] = {}

    def number(self, *what: str) -> float:
        """A number from 0 to 1 that depends on the seed and these words."""
        return seed_for(self.seed, *what) / 2**63

    def cost(self, program: Program) -> float:
        """The path cost λ·s + ζ of a complete program."""
        if program not in self._costs:
            self._costs[program] = self.weight * self.grammar.cost(program)
        return self._costs[program] + self.score(program).error

    def score(self, program: Program) -> Score:
        """What training a program gives."""
        known = self._scores.get(program)
        if known is None:
            known = self._scores[program] = self._scored(program)
        return known

    def _scored(self, program: Program) -> Score:
        complete = not program.n_holes
        text = label(canonical(program, self.grammar) if complete else program)
        if self.number("diverges", text) < self.diverging:
            return Score(1.0, diverged=True)
        return Score(self._error(text) if complete else self._h(program, text))

    def _error(self, text: str) -> float:
        """By the rules, with noise, so that like programs are alike; rounded, for ties, in some."""
        rules = [self.number("rule", name) for name in re.findall(r"\w+", text)]
        mean = sum(rules) / len(rules)
        error = mean + self._noise * (self.number("program", text) - mean)
        return round(error * self._steps) / self._steps if self._steps else error

    def _h(self, program: Program, text: str) -> float:
        least = self.least(program)
        assert least < math.inf, f"{text} was asked, but leads to no program"
        share = self._least_share + (1 - self._least_share) * self.number("share", text)
        return share * least + self.excess * self.number("excess", text)

    def least(self, program: Program) -> float:
        """The least error of the completions that keep the constraints; inf if there is none."""
        known = self._least.get(program)
        if known is None:
            known = self._least[program] = self._found(program)
        return known

    def _found(self, program: Program) -> float:
        if program.size + program.n_holes > self.constraints.max_depth:
            return math.inf
        if not program.n_holes:
            return self.score(program).error if keeps(program, self.constraints) else math.inf
        return min(map(self.least, expanded(program, self.grammar)), default=math.inf)


# Cases


@dataclass(frozen=True)
class Case:
    """All that a search needs, and the answer by brute force."""

    brute: BruteForce
    constraints: Constraints
    table: Table

    def space(self, *starts: Program) -> Space:
        return Space(self.brute.grammar, self.constraints, self.table.weight, starts)

    def programs(self, *sketches: Program) -> list[Program]:
        """All programs that keep the constraints, or the completions of sketches."""
        return [
            program
            for sketch in sketches or (Hole(self.brute.grammar.root),)
            for program in self.brute.completions(sketch, self.constraints.max_depth)
            if keeps(program, self.constraints)
        ]

    def optimum(self, *sketches: Program) -> float:
        """Their least path cost."""
        return min(map(self.table.cost, self.programs(*sketches)))


def random_case(
    seed: int, least: int = 10, most: int = 200, constrained: bool = False, **changes: float
) -> Case:
    """A case of so many programs, of 2 to 6 rules at most; ``changes`` are for its table."""
    random = Random(seed_for(seed, "case"))
    while True:
        brute = BruteForce(random_grammar(random))
        depths = [depth for depth in range(2, 7) if least <= brute.how_many(depth) <= most]
        if not depths:
            continue
        constraints = Constraints(max_depth=random.choice(depths))
        grammar = brute.grammar
        if constrained:
            constraints = random_constraints(random, grammar, constraints.max_depth)
            forbidden = [e for name in constraints.forbid for e in FAMILIES.get(name, [name])]
            try:
                grammar = grammar.without(forbidden)
            except DomainError:
                continue  # nothing, or too little, is left
        weight = random.choice((0.0, 0.5, 1.0, 1.0, 3.0))
        table = Table(grammar, constraints, seed, weight, **changes)
        case = Case(brute, constraints, table)
        if not constrained or case.programs():
            return case


# Searches


@dataclass(frozen=True)
class Moment:
    """An ask of a search, with the least path cost that was known then."""

    nodes: tuple[Node, ...]
    bound: float | None
    incumbent: float


@dataclass
class Outcome:
    """What a search did and found."""

    best: Program | None = None
    cost: float = math.inf
    bound: float | None = None
    moments: list[Moment] = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        """All nodes asked, in order, but probes."""
        return [node for moment in self.moments for node in moment.nodes if not node.probe]

    @property
    def asked(self) -> list[Program]:
        """Their programs."""
        return [node.program for node in self.nodes]

    @property
    def promises(self) -> list[float]:
        """What no program would be better than, as known at every ask and at the end."""
        known = [(moment.bound, moment.incumbent) for moment in self.moments]
        known.append((self.bound, self.cost))
        return [incumbent if bound is None else min(bound, incumbent) for bound, incumbent in known]


def solve(algorithm: Algorithm, space: Space, table: Table, seed: int = 0) -> Outcome:
    """Run a search to its end with the scores of a table."""
    outcome = Outcome()
    search = algorithm.search(space, seed)
    try:
        ask = next(search)
        while True:
            assert ask.nodes, "nothing is asked"
            assert len(outcome.moments) < MOST_ROUNDS, "the search does not end"
            outcome.moments.append(Moment(ask.nodes, ask.bound, outcome.cost))
            for node in ask.nodes:
                if node.complete and table.cost(node.program) < outcome.cost:
                    outcome.best, outcome.cost = node.program, table.cost(node.program)
            ask = search.send([_scored(node, table) for node in ask.nodes])
    except StopIteration as end:
        outcome.bound = end.value
    return outcome


def _scored(node: Node, table: Table) -> Score:
    """The score of a training that ended as soon as it was allowed to; of a probe, any number."""
    if node.probe:
        return Score(table.number("probe", label(node.program)))
    score = table.score(node.program)
    if node.goal is None or score.diverged or score.error > node.goal:
        return score
    return Score(node.goal)
