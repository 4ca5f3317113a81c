"""The search graph: which programs there are, how they follow each other, what they cost."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nearstar.language.canonical import canonical, canonical_with_each
from nearstar.language.deciding import is_misplaced
from nearstar.language.grammar import Grammar
from nearstar.language.numbers import least_numbers
from nearstar.language.operation import count
from nearstar.language.program import Hole, Program, applied, completes, is_complete, open_places
from nearstar.search.constraints import FAMILIES, Closing, Constraints
from nearstar.util.checks import check_number
from nearstar.util.errors import DomainError, NearstarError, ProgramError
from nearstar.util.nearest import suggestion

_MANY_NUMBERS = 100_000
"""To read: more than any program has that somebody would."""


class Space:
    """Programs of a grammar within constraints: completions of its roots, by default all there are.

    ``weight`` is λ. ``roots`` are programs, partial or complete; a single hole if none are given.
    ``suggested`` gives programs of the grammar that may be worth a look, in the space or not.
    """

    def __init__(
        self,
        grammar: Grammar,
        constraints: Constraints | None = None,
        weight: float = 1.0,
        roots: Sequence[Program] = (),
        suggested: Callable[[Grammar], Sequence[Program]] = lambda _: (),
    ) -> None:
        constraints = Constraints() if constraints is None else constraints
        check_number("the weight λ of structural cost", weight, least=0)
        operations = [rule.operation for rule in grammar.all_rules]
        families = {
            family: [operation.name for operation in operations if operation.family == family]
            for family in FAMILIES
        }
        forbidden = [each for name in constraints.forbid for each in families.get(name, [name])]
        _check_names(grammar, constraints, families)
        self.constraints = constraints
        self.weight = weight
        self.suggested = suggested
        self.grammar = _without(grammar, forbidden) if forbidden else grammar
        self.roots = tuple(roots) or (Hole(grammar.root),)
        self._roots = frozenset(self.roots)
        self._families = families
        self._closing = Closing(self.grammar, constraints, families)
        self._check_roots()

    def _check_roots(self) -> None:
        for root in self.roots:
            if root not in self.grammar:
                raise ProgramError(self._why_not(root))
            if not self.allows(root):
                what = (
                    "no program of this grammar"
                    if self.from_scratch
                    else f"the given program, of {root.size} rules, does not"
                    if is_complete(root)
                    else f"no completion of the sketch, which has {root.size} rules already,"
                )
                verb = "keep" if is_complete(root) else "keeps"
                raise NearstarError(
                    f"{what} {verb} all constraints ({self.constraints}); loosen them"
                    + self._fewest_numbers(root)
                )

    def _fewest_numbers(self, root: Program) -> str:
        """How many numbers to read there would have to be, if that is what is wrong."""

        def allows(numbers: int) -> bool:
            constraints = replace(self.constraints, numbers=numbers)
            return Closing(self.grammar, constraints, self._families).can_close(root)

        if self.constraints.numbers is None or not allows(_MANY_NUMBERS):
            return ""
        fewest = bisect_left(range(_MANY_NUMBERS), True, key=allows)
        return f": there are at least {count(fewest)} to read"

    def _why_not(self, root: Program) -> str:
        if root.signature != self.grammar.root:
            return f"the start has the type {root.signature}, not {self.grammar.root}"
        no_rules = [node for node in applied(root) if self.grammar.rule_of(node) is None]
        odd = no_rules[0].operation.name
        return f"the start has {odd} where it is no rule, or forbidden; allow it, or leave it out"

    @property
    def from_scratch(self) -> bool:
        """Whether the search starts from nothing: a single hole."""
        return len(self.roots) == 1 and isinstance(self.roots[0], Hole)

    def cost(self, program: Program) -> float:
        """λ·s of a program."""
        return self.weight * self.grammar.cost(program)

    def closing_cost(self, program: Program) -> float:
        """λ × the least structural cost that any completion adds."""
        return self.weight * self.grammar.closing_cost(program)

    def allows(self, program: Program) -> bool:
        """Whether the program has a completion within the constraints (complete: whether it is)."""
        return self._closing.can_close(program) and not is_misplaced(program)

    def is_readable(self, program: Program) -> bool:
        """Whether it has no more numbers to read than it may, once its terms are chosen."""
        most = self.constraints.numbers
        return most is None or least_numbers(program) <= most

    def leads_to(self, program: Program) -> bool:
        """Whether a root leads to the program, and that to one within the constraints."""
        return self.allows(program) and any(completes(program, root) for root in self.roots)

    def expansions(self, program: Program) -> list[Program]:
        """The children of a program: its first hole with each rule that leads to allowed ones."""
        if self._closing.only_depth:
            return self.grammar.expansions(program, self.constraints.max_depth)
        return [child for child in self.grammar.expansions(program) if self.allows(child)]

    def expanded(self, program: Program) -> dict[Program, bool]:
        """The forms of the children, and whether each has no completions but those of a child."""
        # A form may leave room for completions that the child does not have.
        rooms: dict[Program, bool] = {}
        if self._closing.only_depth and self.from_scratch:
            path, opened = self.grammar.openings(program, self.constraints.max_depth)
            for form in canonical_with_each(program, path, opened, self.grammar):
                rooms[form] = rooms.get(form, False) or form.size == program.size + 1
        else:
            for child in self.expansions(program):
                form = self.form(child)
                rooms[form] = rooms.get(form, False) or self.same_room(form, child)
        return rooms

    def form(self, program: Program) -> Program:
        """The canonical form, unless a root or a constraint tells it from the program."""
        # A root stays as it was given: what it reaches may be known. Parts of a sketch stay too.
        if program in self._roots:
            return program
        form = canonical(program, self.grammar)
        if not self.from_scratch and not any(completes(form, root) for root in self.roots):
            return program
        if self._closing.only_depth or form == program:
            return form
        quotas = self._closing.quotas
        same_counts = all(quota.leaves_same(form, program) for quota in quotas)
        return form if same_counts and self._no_higher(form, program) else program

    def same_room(self, form: Program, program: Program) -> bool:
        """Whether the form has no completions within the constraints but those of the program."""
        return form.size == program.size and (
            self.constraints.max_height is None or form == program
        )

    def _no_higher(self, form: Program, program: Program) -> bool:
        """Whether filling the form's holes never gives a tree too high that the program's keep."""
        if self.constraints.max_height is None:
            return True
        # Holes of a form may come in another order: compare the deepest with the shallowest.
        deepest = max(_levels_of_holes(form), default=0)
        shallowest = min(_levels_of_holes(program), default=0)
        return form.height <= self.constraints.max_height and deepest <= shallowest


def _levels_of_holes(program: Program) -> list[int]:
    return [len(path) for path, _ in open_places(program)]


def _without(grammar: Grammar, forbidden: Sequence[str]) -> Grammar:
    try:
        return grammar.without(forbidden)
    except DomainError as problem:
        raise NearstarError(
            f"with {', '.join(forbidden)} forbidden, {problem}, or forbid what opens it as well"
        ) from None


def _check_names(
    grammar: Grammar, constraints: Constraints, families: Mapping[str, Sequence[str]]
) -> None:
    rules = {rule.operation.name for rule in grammar.all_rules}
    known = rules | {family for family, names in families.items() if rules.intersection(names)}
    for name in (*constraints.forbid, *constraints.require, *constraints.limit):
        if name not in known:
            raise NearstarError(
                f"a constraint names {name!r}, which is no rule here; "
                f"{suggestion(name, sorted(known))}"
            )
