"""``nearstar watch``: a page that follows a run."""

from __future__ import annotations

import os
import sys
import webbrowser
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

from nearstar.cli import values
from nearstar.cli.options import Option, OptionGroup
from nearstar.report.server import Server
from nearstar.util.errors import NearstarError

_PORT = 8640
_PORTS = 20
"""Ports that are tried, unless one is asked for."""
# fmt: off
OPTIONS = (
    OptionGroup(
        "the page",
        (
            Option("port", values.whole(1, 65535),
                   f"where it is served, on this machine alone ({_PORT}, or the next free one)",
                   "NUMBER"),
            Option("no_browser", values.switch, "only print the address", default=False),
        ),
    ),
)
# fmt: on


def watch(settings: dict[str, Any]) -> int:
    """Serve the page until Ctrl-C."""
    folder = Path(settings["run"])
    if not folder.is_dir():
        raise NearstarError(f"there is no folder {folder}; give the folder of a fit")
    with _server(folder, settings["port"]) as server:
        try:
            print(f"{folder} is shown at {server.address} until Ctrl-C is pressed", flush=True)
            if not settings["no_browser"] and _has_display():
                # Some browsers return only when they are closed: until then they are to be served.
                Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _server(folder: Path, port: int | None) -> Server:
    if port is not None:
        return Server(folder, port)
    for tried in count(_PORT):
        try:
            return Server(folder, tried)
        except NearstarError:
            if tried == _PORT + _PORTS:
                raise
    raise AssertionError


def _has_display() -> bool:
    """Whether a browser would have a window, and not take the terminal."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, names))
