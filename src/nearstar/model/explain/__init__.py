"""Why a program says what it says: the value of each of its parts at each frame."""

from nearstar.model.explain.explanation import explain
from nearstar.model.explain.listing import in_parts, numbered

__all__ = ["explain", "in_parts", "numbered"]
