"""No search at all: the programs of a list."""

from __future__ import annotations

from dataclasses import dataclass

from nearstar.language.program import Apply, Program, is_complete
from nearstar.language.text import to_text
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Search
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError, ProgramError


@dataclass(frozen=True)
class FixedList:
    """Asks for exactly these complete programs, all at once; for one that stands twice, once."""

    programs: tuple[Program, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.programs, list | tuple) or not self.programs:
            raise NearstarError(f"programs must be a list of one or more, not {self.programs!r}")
        object.__setattr__(self, "programs", tuple(self.programs))
        for program in self.programs:
            if not isinstance(program, Apply) or not is_complete(program):
                raise NearstarError(
                    f"programs must be complete ones, such as parse(text, domain, signature)"
                    f".program, not {program!r}"
                )

    def search(self, space: Space, seed: int) -> Search:
        for program in self.programs:
            if program not in space.grammar:
                raise ProgramError(
                    f"{to_text(program)} is no program of this domain and these data; take it out "
                    "of the list"
                )
        yield from Evaluator(space, deduplicate=False).ask(self.programs)
        return None
