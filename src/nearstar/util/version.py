"""The version of nearstar, for what writes it down and for the package itself."""

__version__ = "0.1.0"
