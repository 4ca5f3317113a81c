"""One representative for architectures that can express the same functions.

Two architectures are equivalent if, over all parameters, they express the same set of functions;
partial ones, if their completions match one to one in this sense. ``canonical`` rewrites by the
identities of docs/canonical.md, from the leaves up. It never raises the cost or the number of
rules, uses rules of the grammar only, and never adds or removes a hole.
"""

from nearstar.language.canonical.rewriting import canonical, canonical_with_each

__all__ = ["canonical", "canonical_with_each"]
