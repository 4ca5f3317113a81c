"""Simpler programs from those a search has found: fewer and shorter numbers, and a hard ``if``."""

from nearstar.simplify.hardening import Hardened, harden
from nearstar.simplify.simplifying import Simplified, simplify

__all__ = ["Hardened", "Simplified", "harden", "simplify"]
