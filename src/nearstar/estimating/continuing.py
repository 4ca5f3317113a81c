"""Going on with a search where an earlier fit stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nearstar.errors import NearstarError
from nearstar.run.memory import Memory
from nearstar.task import Task


@dataclass(frozen=True, eq=False)
class Search:
    """What decides a search, and the answers that it had."""

    seed: int
    data: tuple[str, ...]
    """Fingerprints of the training and validation data."""
    settings: Mapping[str, Any]
    memory: Memory = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, seed: int, **settings: Any) -> Search:
        """A search that has not begun."""
        return cls(seed, (task.train.fingerprint(), task.valid.fingerprint()), settings)

    def check_same(self, earlier: Search) -> None:
        """Raise unless the earlier search was the same one."""
        changed = [name for name, value in self.settings.items() if value != earlier.settings[name]]
        if self.seed != earlier.seed:
            changed.append("random_state")
        elif self.data != earlier.data:
            changed.append("the data")
        if changed:
            raise NearstarError(
                f"warm_start goes on with the search of the last fit, but {', '.join(changed)} "
                "changed since then. Give the same again, with more trainings or time, or set "
                "warm_start=False to begin anew"
            )
