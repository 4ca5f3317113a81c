"""The paper's experiments: all algorithms on a task, over several seeds, in tables and figures."""

from nearstar.reproduce.reproducing import reproduce
from nearstar.reproduce.running import Plan
from nearstar.reproduce.study import Study, Trial
from nearstar.reproduce.tasks import TASKS, Experiment, load
from nearstar.reproduce.writing import write_study

__all__ = ["TASKS", "Experiment", "Plan", "Study", "Trial", "load", "reproduce", "write_study"]
