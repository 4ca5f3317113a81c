"""A* in the order of probes: what is expected decides what is looked into, f what is dropped."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence

from nearstar.language.program import Program
from nearstar.language.trees import giving_up
from nearstar.search.exploration import Exploration
from nearstar.search.frontier import least_f
from nearstar.search.growing import Growing
from nearstar.search.near import Near
from nearstar.search.probing import Probing
from nearstar.search.protocol import Ask, Node, Score, Search
from nearstar.search.sketching import Sketching
from nearstar.search.waiting import Waiting

_EXPECTED, _BOUND, _SKETCHES, _SAMPLES = "expected", "bound", "sketches", "samples"
_TREES = "trees"
"""Sources: the node of which most is expected; that of the least f; sketches; random completions
of what promises most; trees of classes that grow."""
_WIDEST = 8
"""Turns of a round, at most, in its usual ones."""
_FIRST_BOUND = 200.0
"""What other sources may cost, about, before the first networks are trained: until there are good
programs, to know a bound is worth little."""
_AHEAD = 8
"""Nodes whose children may be looked into next, if workers would be idle."""

_SORTED = 4
"""Nodes that wait, and are put in order again, at most, for each that is scored."""


class Probed:
    """One search. Each round has a few turns; sources share them by what they have brought.

    The node of which most is expected is expanded: its complete children are trained, and the
    others probed, which tells what to expect of them. That of the least f is trained with networks
    in its holes, and expanded when its turn comes again: so the bound rises, and what cannot be
    better is dropped. Beside it, sketches grow and are closed, and small programs, variants of the
    best, and random completions of what promises most are trained.
    """

    def __init__(self, near: Near, *, persist: bool) -> None:
        self._near = near
        near.sharing.put_off(_BOUND, _FIRST_BOUND)
        self._persist = persist
        self._probing = Probing(near.space)
        self._waiting = Waiting()
        self._sketching = Sketching(near, self._probing)
        self._growing = Growing(near)
        self._broadly = True
        self._since_sorted = 0
        self._asked: dict[Node, str] = {}
        """What this round asks for, and on whose behalf."""
        self._probes: dict[Program, list[Node]] = {}
        """What it probes, and for which nodes; these wait from the end of the round on."""
        self._partial: dict[Program, Program] = {}
        """The partial program, or one of them, that each probe stands for."""

    def search(self) -> Search:
        near = self._near
        first = yield from near.begin()
        bound = least_f(first)
        if (node := near.exploration.first()) is not None and not node.trained:
            self._asked[node] = Exploration.SOURCE
        self._look_into(first, _EXPECTED)
        self._sketching.add(node.program for node in first)
        while True:
            self._fill_round()
            if not self._asked:
                return near.bounds.discarded
            yield from self._end_round(bound)
            bound = min(near.bounds.discarded, near.bounds.fallen, self._waiting.least_f())

    # Turns

    def _fill_round(self) -> None:
        """Let sources have turns, as many as a round has; none if all is done that counts."""
        sharing, turns = self._near.sharing, 0
        sources = [_EXPECTED, _BOUND, _SKETCHES]
        if self._near.settings.exploration:
            sources += [Exploration.SOURCE, _SAMPLES, _TREES]
        while sources and self._has_turns(turns) and self._goes_on():
            source = sharing.next(sources)
            before = len(self._asked)
            self._turn(source)
            if len(self._asked) > before:
                sharing.take(source)
                turns += 1
            else:
                sources.remove(source)  # it has nothing to offer in this round

    def _has_turns(self, turns: int) -> bool:
        """Whether this round has more turns: where a few programs take much longer than the rest,
        there are to be several of them, or all but one of the workers would wait for it."""
        width = self._near.ranking.width
        trained = (each for each in self._asked if each.complete and not each.probe)
        long = sum(giving_up(each.program) > 0 for each in trained)
        return turns < width or (0 < long < width and turns < _WIDEST * width)

    def _goes_on(self) -> bool:
        """Whether anything is left that counts; what cannot be better is dropped at once."""
        bounds = self._near.bounds
        if not self._persist and self._waiting.least_f() >= bounds.threshold:
            self._sort()
            if self._waiting.least_f() >= bounds.threshold:
                bounds.discard(self._waiting.clear())
        return bool(self._asked) or self._waiting.least() is not None

    def _turn(self, source: str) -> None:
        before = len(self._asked)
        match source:
            case "expected":
                while len(self._asked) == before and (node := self._next_expected()):
                    self._expand(node, source)
            case "bound":
                while len(self._asked) == before and (node := self._least()):
                    self._raise(node)
            case "sketches":
                self._sketch()
            case "trees":
                self._train(self._growing.turn(), source)
            case _:
                exploration = self._near.exploration
                offer = exploration.completion if source == _SAMPLES else exploration.node
                if node := offer({each.program for each in self._asked}):
                    self._asked[node] = source

    def _next_expected(self) -> Node | None:
        """By rank with what holes add, and by rank among those of one size, in turns."""
        self._broadly = not self._broadly
        waiting, correction = self._waiting, self._near.ranking.correction
        return waiting.pop_broadly() if self._broadly else waiting.pop(correction)

    def _sketch(self) -> None:
        """Probe sketches, and train what they were closed to."""
        expansion = self._near.expansion
        wanted, complete = self._sketching.turn()
        for sketch in wanted:
            probe = self._probing.probe(sketch)
            if probe not in self._probes:
                self._probes[probe], self._partial[probe] = [], sketch
                self._asked[_probe_of(expansion.node(sketch, None), probe)] = _SKETCHES
        self._train(complete, _SKETCHES)

    def _train(self, complete: Iterable[Program], source: str) -> None:
        """Train programs that may be better than the best, and are not trained."""
        for program in complete:
            node = self._near.expansion.complete(program)
            if not node.trained and node.g < self._near.bounds.incumbent:
                self._asked[node] = source

    def _least(self) -> Node | None:
        """The node that decides the bound, if a higher one would tell something."""
        node = self._waiting.least()
        closed = node is None or node.f >= self._near.bounds.threshold
        return None if node is None or closed or self._asked.keys() & _line(node) else node

    def _raise(self, node: Node) -> None:
        """Raise the bound: train the node, or what it comes of first; else expand it."""
        untrained = [each for each in _line(node) if not each.trained]
        if untrained and not node.complete:
            self._asked[untrained[-1]] = _BOUND  # what waits, waits on meanwhile
        else:
            self._waiting.remove(node)
            self._expand(node, _BOUND)

    def _expand(self, node: Node, source: str) -> None:
        """Look into the children of a node; train it, if it is complete."""
        if self._is_dropped(node):
            return
        if node.complete:
            if not node.trained:
                self._asked[node] = source
        else:
            self._look_into(self._near.children(node), source)

    def _look_into(self, nodes: Iterable[Node], source: str) -> None:
        """Train what is complete, and probe the rest, which then waits."""
        for node in nodes:
            if self._is_dropped(node):
                continue
            if node.complete and node.f < self._near.bounds.incumbent:
                self._asked[node] = source
                continue
            if node.complete:
                self._waiting.add(node)  # it is not likely to be better than the best
                continue
            probe = self._probing.probe(node.program)
            if probe in self._probing.errors:
                node.estimate = self._probing.errors[probe]
                self._waiting.add(node)
            elif probe in self._probes:
                self._probes[probe].append(node)
            else:
                self._probes[probe], self._partial[probe] = [node], node.program
                self._asked[_probe_of(node, probe)] = source

    def _is_dropped(self, node: Node) -> bool:
        """Whether a node cannot be better than the best; it is given up then."""
        bounds = self._near.bounds
        by_f = not self._persist and node.f >= bounds.threshold
        if dropped := by_f or bounds.too_dear(node):
            bounds.discard([node])
        return dropped

    # Rounds

    def _end_round(self, bound: float) -> Generator[Ask, Sequence[Score], None]:
        """Ask for what the turns want, and take it; ``bound`` is that of all that waited before."""
        near, asked, probes = self._near, self._asked, self._probes
        self._asked, self._probes = {}, {}
        best = near.bounds.incumbent
        scores = yield from near.score(asked, bound, len(self._waiting), self._ahead())
        for node, score in scores.items():
            if node.probe:
                self._take_probe(probes[node.program], node, score)
            elif node.complete:
                self._growing.observe(node)
        if (most := near.settings.frontier) is not None:
            near.bounds.discard(self._waiting.evict(most))
        self._since_sorted += len(scores)
        # It takes as long as many trainings, where many wait.
        if _SORTED * self._since_sorted > len(self._waiting):
            self._sort()
        if near.bounds.incumbent < best:
            self._sketching.look_around(min(scores, key=_cost).program)

    def _sort(self) -> None:
        """Put all that waits in order again, if some h have fallen."""
        if self._near.bounds.fallen < math.inf:
            self._since_sorted = 0
            self._waiting.sort()
            self._near.bounds.settle()

    def _take_probe(self, nodes: list[Node], probe: Node, score: Score) -> None:
        error = 1.0 if score.diverged else self._near.racing.expected(score)
        self._probing.note(probe.program, error)
        partial = self._partial.pop(probe.program)
        self._near.exploration.promise(partial, probe.g + probe.closing + error)
        for node in nodes:
            node.estimate = error
            self._waiting.add(node)

    def _ahead(self) -> Iterator[Node]:
        """What would be asked for next if no score changed anything, about."""
        for node in self._waiting.in_order(self._near.ranking.correction, _AHEAD):
            for child in () if node.complete else self._near.expansion.children(node)[0]:
                if child.complete:
                    asked = child
                else:
                    probe = self._probing.probe(child.program)
                    if probe in self._probing.errors:
                        continue
                    asked = _probe_of(child, probe)
                self._near.decide_end(asked)
                yield asked


def _probe_of(node: Node, probe: Program) -> Node:
    return Node(probe, node.parent, g=node.g, closing=node.closing, probe=True)


def _line(node: Node) -> list[Node]:
    """The node, and all above it whose h are bounds for it, the nearest first."""
    line = [node]
    while (above := line[-1].above) is not None:
        line.append(above)
    return line


def _cost(node: Node) -> float:
    """The path cost of a complete program that was trained; infinite for others."""
    return node.f if node.complete else math.inf
