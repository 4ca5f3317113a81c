"""Structures first, leaves last: sketches grow by what probes say, and are closed leaf by leaf."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import islice

from nearstar.language.canonical.roles import role_of
from nearstar.language.program import (
    Path,
    Program,
    first_hole,
    is_complete,
    node_at,
    open_up,
    replace,
)
from nearstar.search.near import Near
from nearstar.search.probing import Probing
from nearstar.search.variation import grown, opened
from nearstar.search.waiting import Waiting

_TOGETHER = 8
"""Sketches that are probed in one turn."""

Closing = Generator[list[Program], None, Program | None]
"""Goes from hole to hole: yields sketches to be probed before it goes on; returns a program, or
None if the constraints leave none."""


class Sketching:
    """Sketches, best first by the path cost that their probes promise, whatever holes they have.

    One whose turn has come is closed: each hole in turn gets the leaf, or the sum of leaves, that
    does best with leaves over everything in the other holes. And it is grown by each rule at each
    place; the new sketches are probed, and wait. Around a new best program, sketches have a part
    opened or grown. They lead nowhere that the nodes of the search do not lead to, so that the
    bound needs nothing of them.
    """

    def __init__(self, near: Near, probing: Probing) -> None:
        self._near = near
        self._space = near.space
        self._probing = probing
        self._waiting = Waiting()
        self._made: set[Program] = set()
        self._fresh: deque[Program] = deque()
        """Sketches that are not probed yet."""
        self._probed: list[Program] = []
        """Those that are being probed."""
        self._closings: list[Closing] = []
        """Sketches that are being closed."""
        self._broadly = True

    def add(self, sketches: Iterable[Program], *, first: bool = False) -> None:
        """Have sketches probed, before or after those that wait for it."""
        new = []
        for sketch in sketches:
            for each in (sketch, self._probing.developed(sketch)):
                form = self._near.expansion.form(each)
                if form not in self._made and not is_complete(form) and self._space.leads_to(form):
                    self._made.add(form)
                    new.append(form)
        if first:
            self._fresh.extendleft(reversed(new))
        else:
            self._fresh.extend(new)

    def look_around(self, best: Program) -> None:
        """Have the sketches around a new best program probed next."""
        self.add((*opened(self._space, best), *grown(self._space, best)), first=True)

    def turn(self) -> tuple[list[Program], list[Program]]:
        """What to do next: sketches to be probed, and complete programs to be trained."""
        wanted: list[Program] = []
        complete: list[Program] = []
        while not wanted and not complete:
            self._take_probed()
            fresh = list(islice(self._next_fresh(), _TOGETHER))
            self._probed += fresh
            wanted += [each for each in fresh if self._error(each) is None]
            if not self._closings and not self._begin_next() and not fresh:
                break
            wanted += self._go_on(complete)
        return wanted, complete

    def _next_fresh(self) -> Iterator[Program]:
        """Sketches that are not probed yet, and may still lead to something better."""
        while self._fresh:
            sketch = self._fresh.popleft()
            if not self._near.bounds.too_dear(self._near.expansion.node(sketch, None)):
                yield sketch

    def _error(self, sketch: Program) -> float | None:
        return self._probing.errors.get(self._probing.probe(sketch))

    def _take_probed(self) -> None:
        """Let sketches wait whose probes are known."""
        for sketch in self._probed:
            node = self._near.expansion.node(sketch, None)
            node.estimate = self._error(sketch)
            self._waiting.add(node)
        self._probed = []

    def _begin_next(self) -> bool:
        """Close the best sketch that waits, and grow it; by rank alone, and by size, in turns."""
        self._broadly = not self._broadly
        node = self._waiting.pop_broadly() if self._broadly else self._waiting.pop(_no_more)
        while node is not None and self._near.bounds.too_dear(node):
            node = self._waiting.pop(_no_more)
        if node is None:
            return False
        self._closings.append(self._close(self._probing.small(node.program)))
        self.add(grown(self._space, node.program))
        return True

    def _go_on(self, complete: list[Program]) -> list[Program]:
        """Go on with all that are being closed: what must be probed for them."""
        wanted: list[Program] = []
        for closing in list(self._closings):
            try:
                needed: list[Program] = []
                while not needed:
                    needed = [each for each in next(closing) if self._error(each) is None]
                wanted += needed
            except StopIteration as end:
                self._closings.remove(closing)
                form = None if end.value is None else self._near.expansion.form(end.value)
                if form is not None and self._space.leads_to(form):
                    complete.append(form)
        return wanted

    def _close(self, sketch: Program) -> Closing:
        """Fill one hole after the other."""
        closed: Program | None = sketch
        while closed is not None and (path := first_hole(closed)) is not None:
            closed = yield from self._close_hole(closed, path)
        return closed

    def _close_hole(self, sketch: Program, path: Path) -> Closing:
        """With the best leaf in a hole, and others added to it as long as that is worth it."""
        signature = node_at(sketch, path).signature
        rules = [rule.operation for rule in self._space.grammar.rules(signature)]
        leaves: list[Program] = [
            open_up(each, signature) for each in rules if not each.arguments(signature)
        ]
        sums = [open_up(each, signature) for each in rules if role_of(each) == "add"]
        best: Program | None = None
        parts: dict[Program, Program] = {leaf: leaf for leaf in leaves}
        while parts:
            filled = {leaf: replace(sketch, path, part) for leaf, part in parts.items()}
            filled = {leaf: each for leaf, each in filled.items() if self._space.allows(each)}
            if not filled:
                break
            yield list(filled.values())
            leaf = min(filled, key=lambda each: self._rank(filled[each]))
            if best is not None and self._rank(filled[leaf]) >= self._rank(best):
                break
            best, chosen = filled[leaf], parts[leaf]
            leaves.remove(leaf)
            parts = {leaf: each.on((leaf, chosen)) for each in sums[:1] for leaf in leaves}
        return best

    def _rank(self, sketch: Program) -> float:
        """The path cost that it promises."""
        space, error = self._space, self._error(sketch)
        return space.cost(sketch) + space.closing_cost(sketch) + (1.0 if error is None else error)


def _no_more(holes: object) -> float:
    """Holes add nothing: leaves over everything stand for all that they may become."""
    return 0.0
