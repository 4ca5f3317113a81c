"""``nearstar export``: a program for other places."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from nearstar.cli.folder import load_model
from nearstar.cli.model_settings import ModelSettings
from nearstar.cli.output import write_file
from nearstar.fit.converters import text
from nearstar.fit.options import option
from nearstar.model.export import FORMATS
from nearstar.util.errors import NearstarError


@dataclass(frozen=True, kw_only=True)
class Export(ModelSettings):
    """Write a program as Python, ONNX, LaTeX or JSON.

    examples:
      nearstar export mice-run --to python --out sniff.py      (needs only NumPy)
      nearstar export mice-run --to onnx --out sniff.onnx
      nearstar export mice-run --to latex
    """

    to: str | None = option(text, "what to write", choices=tuple(FORMATS), group="output")
    out: str | None = option(text, "file to write (standard output)", "FILE")

    def __call__(self) -> int:
        if self.to is None:
            raise NearstarError(f"export needs --to, one of {', '.join(FORMATS)}")
        content = load_model(self.model).export(self.to)
        if self.out is not None:
            write_file(self.out, content)
        elif isinstance(content, bytes):
            raise NearstarError(f"--to {self.to} writes no text; give a file with --out FILE")
        else:
            sys.stdout.write(content)
        return 0
