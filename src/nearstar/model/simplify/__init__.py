"""Simpler programs from those a search has found: fewer and shorter numbers, and a hard ``if``."""

from nearstar.model.simplify.hardening import Hardened, harden
from nearstar.model.simplify.simplifying import Simplified, simplify

__all__ = ["Hardened", "Simplified", "harden", "simplify"]
