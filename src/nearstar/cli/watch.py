"""``nearstar watch``: a page that follows a run."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from nearstar.fit import converters as to
from nearstar.fit.options import argument, option
from nearstar.report.server import Server
from nearstar.util.errors import NearstarError

_PORT, _LAST_PORT = 8640, 8660
"""Ports that are tried, unless one is asked for."""


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Follow a run in the browser: the best program so far, the gap, the tree of the search.

    The page reads the run's journal, and nothing else; it can be begun and ended at any time, as often
    as you like, without disturbing the run. Only this machine can see it.

    examples:
      nearstar watch mice-run
      nearstar watch mice-run --no-browser --port 9000
    """  # noqa: E501

    run: str = argument("the folder of a fit, before, while or after it runs")
    port: int | None = option(
        to.whole(1, 65535),
        f"where it is served, on this machine alone ({_PORT}, or the next free one)",
        "NUMBER",
        group="the page",
    )
    no_browser: bool = option(to.switch, "only print the address", default=False)

    def __call__(self) -> int:
        folder = Path(self.run)
        if not folder.is_dir():
            raise NearstarError(f"there is no folder {folder}; give the folder of a fit")
        with _server(folder, self.port) as server, suppress(KeyboardInterrupt):
            print(f"{folder} is shown at {server.address} until Ctrl-C is pressed", flush=True)
            if not self.no_browser and _has_display():
                # Some browsers return only when they are closed: until then they are to be served.
                Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
            server.serve_forever()
        return 0


def _server(folder: Path, port: int | None) -> Server:
    if port is None:
        for tried in range(_PORT, _LAST_PORT):
            with suppress(NearstarError):
                return Server(folder, tried)
    return Server(folder, port or _LAST_PORT)


def _has_display() -> bool:
    """Whether a browser would have a window, and not take the terminal."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, names))
