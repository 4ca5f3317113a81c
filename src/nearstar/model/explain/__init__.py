"""Why a program says what it says: the value of each of its parts at each frame."""

from nearstar.model.explain.explanation import explain
from nearstar.model.explain.gates import blend_of, gates_of
from nearstar.model.explain.listing import in_parts, numbered

__all__ = ["blend_of", "explain", "gates_of", "in_parts", "numbered"]
