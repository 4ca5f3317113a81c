"""Programs as text in the paper's notation, and back."""

from nearstar.language.text.layout import in_lines
from nearstar.language.text.parsing import MAX_NESTING, Parsed, parse
from nearstar.language.text.printing import to_text
from nearstar.language.text.tokens import MAX_LENGTH

__all__ = ["MAX_LENGTH", "MAX_NESTING", "Parsed", "in_lines", "parse", "to_text"]
