"""Probes: what partial programs are expected to lead to, by their cheapest good completions."""

from __future__ import annotations

from nearstar.language.canonical.roles import role_of
from nearstar.language.operators import Affine, Constant, Group
from nearstar.language.program import Apply, Hole, Program, applied, open_places, replace
from nearstar.language.types import Signature
from nearstar.search.space import Space

_ANY = "any*"
"""The name of a leaf over all that leaves may read; no group of a domain can have it."""

_REMEMBERED = 10_000
"""Programs whose probes are kept before forgetting them all."""


class Probing:
    """Partial programs with something in each hole that is trained quickly and does much.

    A hole for vectors gets an affine leaf over everything that leaves there may read: whatever a
    leaf of the grammar can do, it can. A hole for sequences gets the small program, with such
    leaves, that has done best so far in its place or another.
    """

    def __init__(self, space: Space) -> None:
        self._grammar = space.grammar
        self._leaves: dict[Signature, Program] = {}
        self._parts: dict[Signature, tuple[float, Program]] = {}
        """The best small program for holes of sequences, and the error that it was met with."""
        self._developments: dict[Signature, tuple[float, Program]] = {}
        """The best rule for holes of vectors, on leaves over everything, likewise; opened."""
        self._probes: dict[Program, Program] = {}
        """The probes of programs, as long as holes are filled with the same."""
        self.errors: dict[Program, float] = {}
        """What probes were found to reach."""

    def probe(self, program: Program) -> Program:
        """The program with its holes filled."""
        known = self._probes.get(program)
        if known is None:
            if len(self._probes) >= _REMEMBERED:
                self._probes.clear()
            known = self._probes[program] = self._filled(program)
        return known

    def _filled(self, program: Program) -> Program:
        if isinstance(program, Hole):
            return self._fill(program.signature)
        if not program.n_holes:
            return program
        arguments = tuple(map(self._filled, program.arguments))
        if role_of(program.operation) == "add":
            return _sum(program, arguments)
        return program.on(arguments)

    def small(self, program: Program) -> Program:
        """The program with holes for vectors alone: small programs are in those for sequences."""
        if isinstance(program, Hole):
            filled = self._fill(program.signature)
            return program if program.signature.maps_vectors else _opened(filled)
        return program.on(tuple(map(self.small, program.arguments)))

    def developed(self, program: Program) -> Program:
        """The program with its first hole for vectors opened as has done best so far."""
        for path, hole in open_places(program):
            if hole.signature in self._developments:
                return replace(program, path, self._developments[hole.signature][1])
        return program

    def note(self, probe: Program, error: float) -> None:
        """Take note of what a probe reaches."""
        self.errors[probe] = error
        for node in applied(probe):
            vectors = node.signature.maps_vectors
            best = (self._developments if vectors else self._parts).get(node.signature)
            if best is not None and error >= best[0]:
                continue
            if vectors and self._is_flat(node):
                self._developments[node.signature] = error, _opened(node)
            elif not vectors and self._is_small(node):
                self._parts[node.signature] = error, node
                self._probes.clear()

    def _fill(self, signature: Signature) -> Program:
        if signature.maps_vectors:
            return self._leaf(signature)
        if signature in self._parts:
            return self._parts[signature][1]
        least = self._grammar.least_rules
        rules = (rule.operation for rule in self._grammar.rules(signature))
        opened = ((each, each.arguments(signature) or ()) for each in rules)
        operation, arguments = min(opened, key=lambda each: sum(least[a] for a in each[1]))
        return Apply(operation, signature, tuple(map(self._fill, arguments)))

    def _leaf(self, signature: Signature) -> Program:
        """An affine leaf over all that the grammar's own leaves can read there."""
        known = self._leaves.get(signature)
        if known is None:
            read = {
                column
                for rule in self._grammar.rules(signature)
                for column in rule.operation.columns(signature)
            }
            everything = not read or len(read) == signature.input.size
            group = None if everything else Group(_ANY, tuple(sorted(read)))
            known = self._leaves[signature] = Apply(Affine(group), signature)
        return known

    def _is_flat(self, node: Program) -> bool:
        """Whether it is one rule on leaves over everything."""
        return bool(node.arguments) and all(
            each.signature.maps_vectors and each == self._leaf(each.signature)
            for each in node.arguments
        )

    def _is_small(self, node: Program) -> bool:
        """Whether it closes a hole of sequences with the fewest rules, and reads everything."""
        signature = node.signature
        if signature.maps_vectors or node.size > self._grammar.least_rules.get(signature, 0):
            return False
        leaves = [part for part in applied(node) if not part.arguments]
        return all(
            leaf.signature.maps_vectors and leaf == self._leaf(leaf.signature) for leaf in leaves
        )


def _sum(node: Apply, arguments: tuple[Program, ...]) -> Program:
    """A sum, in which a leaf over everything leaves nothing to other leaves."""
    for leaf in arguments:
        wide = isinstance(leaf, Apply) and isinstance(leaf.operation, Affine)
        if wide and all(other == leaf or _is_within(other, leaf) for other in arguments):
            return leaf
    return node.on(arguments)


def _is_within(program: Program, leaf: Program) -> bool:
    """Whether a program is a leaf that can do nothing that another one, affine, cannot."""
    assert isinstance(leaf, Apply)
    if not isinstance(program, Apply) or not isinstance(program.operation, Affine | Constant):
        return False
    read = set(leaf.operation.columns(leaf.signature))
    return read.issuperset(program.operation.columns(program.signature))


def _opened(program: Program) -> Program:
    """The program with a hole for each of its leaves."""
    if not program.arguments:
        return Hole(program.signature)
    assert isinstance(program, Apply)
    return program.on(tuple(map(_opened, program.arguments)))
