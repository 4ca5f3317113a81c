"""Driving searches: training on threads, limits, events, results."""

from nearstar.run.display import Display
from nearstar.run.driver import drive
from nearstar.run.events import Evaluated, Event, Finished, Listener, NewBest, Round, Started
from nearstar.run.finals import Finalists, final
from nearstar.run.learn import learn
from nearstar.run.limits import Limits
from nearstar.run.results.audit import Audit
from nearstar.run.results.evaluation import Candidate, Evaluation
from nearstar.run.results.result import Result, TracePoint
from nearstar.run.store.trainings import RunMemory
from nearstar.run.trainer import Trainer

__all__ = [
    "Audit",
    "Candidate",
    "Display",
    "Evaluated",
    "Evaluation",
    "Event",
    "Finalists",
    "Finished",
    "Limits",
    "Listener",
    "NewBest",
    "Result",
    "Round",
    "RunMemory",
    "Started",
    "TracePoint",
    "Trainer",
    "drive",
    "final",
    "learn",
]
