"""The command line."""

from nearstar.cli.main import main

__all__ = ["main"]
