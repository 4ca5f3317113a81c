"""nearstar learns readable programs that classify sequences."""

from nearstar.canonical import canonical
from nearstar.data import (
    Scale,
    Sequences,
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
from nearstar.program import Apply, Hole, Program, is_complete
from nearstar.relax import Units
from nearstar.run import (
    Audit,
    Candidate,
    Display,
    Evaluation,
    Limits,
    Result,
    TracePoint,
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
from nearstar.task import Task
from nearstar.text import parse, to_text
from nearstar.train import Budget, Trained, train
from nearstar.types import Sequence, Signature, Vector

__version__ = "0.1.0"

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
    "Display",
    "Domain",
    "DomainError",
    "Enumeration",
    "Evaluation",
    "Function",
    "Genetic",
    "Grammar",
    "Hole",
    "Limits",
    "Metrics",
    "Model",
    "MonteCarlo",
    "NearstarError",
    "Program",
    "ProgramError",
    "Result",
    "Rule",
    "Scale",
    "Sequence",
    "Sequences",
    "Signature",
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
    "function",
    "is_complete",
    "learn",
    "log",
    "maximum",
    "minimum",
    "mix",
    "parse",
    "relu",
    "sigmoid",
    "sqrt",
    "tanh",
    "to_text",
    "train",
    "two_animals",
    "two_animals_split",
    "watch_exercises",
]
