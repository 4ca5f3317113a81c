"""Pages to look at: a program, how good it is, and how it was found."""

from nearstar.report.page_data import write_report

__all__ = ["write_report"]
