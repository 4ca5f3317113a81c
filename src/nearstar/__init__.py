"""nearstar learns readable programs that classify sequences."""

from typing import TYPE_CHECKING, Any

from nearstar.canonical import canonical
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
from nearstar.domain import Domain
from nearstar.errors import DataError, DomainError, NearstarError, ProgramError, TextError
from nearstar.expression import exp, log, maximum, minimum, mix, relu, sigmoid, sqrt, tanh
from nearstar.function import Function, function
from nearstar.grammar import Grammar, Rule
from nearstar.interrupt import Stop, Stopped
from nearstar.metrics import Metrics
from nearstar.model import Model
from nearstar.plots import plot_ethogram, plot_front, plot_history, plot_program
from nearstar.program import Apply, Hole, Program, is_complete
from nearstar.relax import Units
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
from nearstar.simplify import Hardened, Simplified, harden, simplify
from nearstar.task import Task
from nearstar.text import parse, to_text
from nearstar.train import Budget, Trained, train
from nearstar.types import Sequence, Signature, Vector

if TYPE_CHECKING:
    from nearstar.estimator import ProgramClassifier

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The estimator, imported when it is asked for: scikit-learn takes a second."""
    if name == "ProgramClassifier":
        from nearstar.estimator import ProgramClassifier

        return ProgramClassifier
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
