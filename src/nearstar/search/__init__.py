"""The searches: NEAR's two and the baselines, over one protocol; they know nothing of training."""

from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.enumeration import Enumeration
from nearstar.search.fixed_list import FixedList
from nearstar.search.genetic import Genetic
from nearstar.search.idsbb import IDSBB
from nearstar.search.mcts import MCTS
from nearstar.search.montecarlo import MonteCarlo
from nearstar.search.protocol import Algorithm, Ask, Node, Score, Search
from nearstar.search.rnn import RNN
from nearstar.search.space import Space

__all__ = [
    "IDSBB",
    "MCTS",
    "RNN",
    "AStar",
    "Algorithm",
    "Ask",
    "Constraints",
    "Enumeration",
    "FixedList",
    "Genetic",
    "MonteCarlo",
    "Node",
    "Score",
    "Search",
    "Space",
]
