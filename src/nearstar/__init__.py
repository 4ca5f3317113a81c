"""nearstar learns readable programs that classify sequences."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nearstar.data import (
    DataFormat,
    Dataset,
    Recordings,
    Scale,
    Sequences,
    read_file,
    read_table,
    tracking_table,
    two_animals,
    two_animals_split,
    watch_exercises,
)
from nearstar.engine.declaring import function
from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.expression import exp, log, maximum, minimum, mix, relu, sigmoid, sqrt, tanh
from nearstar.language.function import Function
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.networks import Units
from nearstar.language.program import Apply, Hole, Program, is_complete
from nearstar.language.text import parse, to_text
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.model.model import Model
from nearstar.model.simplify import Hardened, Simplified, harden, simplify
from nearstar.run import (
    Audit,
    Candidate,
    Display,
    Evaluation,
    Finalists,
    Limits,
    Result,
    TracePoint,
    final,
    learn,
)
from nearstar.search import (
    IDSBB,
    MCTS,
    RNN,
    AStar,
    Constraints,
    Enumeration,
    Genetic,
    MonteCarlo,
)
from nearstar.training.budget import Budget
from nearstar.training.metrics import Metrics
from nearstar.training.task import Task
from nearstar.training.train import Trained, train
from nearstar.util.errors import DataError, DomainError, NearstarError, ProgramError, TextError
from nearstar.util.interrupt import Stop, Stopped
from nearstar.util.version import __version__ as __version__

if TYPE_CHECKING:
    from nearstar.estimator import ProgramClassifier
    from nearstar.report.plots import plot_ethogram, plot_front, plot_history, plot_program


_LATE = {
    "ProgramClassifier": "nearstar.estimator",
    **dict.fromkeys(
        ("plot_ethogram", "plot_front", "plot_history", "plot_program"), "nearstar.report.plots"
    ),
}
"""Names imported when they are asked for: scikit-learn takes a second, pages are for few."""


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'nearstar' has no attribute {name!r}")


__all__ = [
    "IDSBB",
    "MCTS",
    "RNN",
    "AStar",
    "Apply",
    "Audit",
    "Budget",
    "Candidate",
    "Constraints",
    "DataError",
    "DataFormat",
    "Dataset",
    "Display",
    "Domain",
    "DomainError",
    "Enumeration",
    "Evaluation",
    "Finalists",
    "Function",
    "Genetic",
    "Grammar",
    "Hardened",
    "Hole",
    "Limits",
    "Metrics",
    "Model",
    "MonteCarlo",
    "NearstarError",
    "Program",
    "ProgramClassifier",
    "ProgramError",
    "Recordings",
    "Result",
    "Rule",
    "Scale",
    "Sequence",
    "Sequences",
    "Signature",
    "Simplified",
    "Stop",
    "Stopped",
    "Task",
    "TextError",
    "TracePoint",
    "Trained",
    "Units",
    "Vector",
    "canonical",
    "exp",
    "final",
    "function",
    "harden",
    "is_complete",
    "learn",
    "log",
    "maximum",
    "minimum",
    "mix",
    "parse",
    "plot_ethogram",
    "plot_front",
    "plot_history",
    "plot_program",
    "read_file",
    "read_table",
    "relu",
    "sigmoid",
    "simplify",
    "sqrt",
    "tanh",
    "to_text",
    "tracking_table",
    "train",
    "two_animals",
    "two_animals_split",
    "watch_exercises",
]
