"""Serving the page of a run that is watched: to this machine alone, and only for reading."""

from __future__ import annotations

import json
import os
import socketserver
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from nearstar.report.html_page import render
from nearstar.report.live_page import LivePage
from nearstar.util.errors import NearstarError

HOST = "127.0.0.1"
_NAMES = (HOST, "localhost", "[::1]")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_HTTP = 80
"""The port that browsers leave out."""
_LONGEST = 18
"""Digits of a number in a query."""


class Server(ThreadingHTTPServer):
    """Serves the page of the run in a folder: ``/``, and what is new as JSON, ``/state``.

    Programs on this machine can read it. Pages of other sites that are open in a browser here
    cannot: neither by asking for it, nor by a name of theirs that leads to this address.
    """

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere two could then have the same port

    def __init__(self, folder: str | Path, port: int = 0) -> None:
        """Port 0 is any that is free."""
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as problem:
            raise NearstarError(
                f"port {port} cannot be used: {problem.strerror}; give another one"
            ) from None
        self._live = LivePage(folder)
        self._looking = threading.Lock()

    def server_bind(self) -> None:
        # Not HTTPServer's own, which asks for the name of this machine, and may wait for it long.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """What browsers on this machine call it."""
        port = "" if self.server_port == _HTTP else f":{self.server_port}"
        return tuple(f"{name}{port}" for name in _NAMES)

    def page(self, **have: Any) -> dict[str, Any]:
        """The page as it is now; see `LivePage`."""
        with self._looking:
            return self._live.page(**have)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a page that was closed
            super().handle_error(request, client_address)


class _Refusal(Exception):  # noqa: N818 (its message is what people read)
    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "nearstar", ""
    timeout = 30
    """Seconds that a connection may be silent."""

    def parse_request(self) -> bool:
        """Whether there is a request to answer; others have got their answer."""
        if not super().parse_request():
            return False
        if self.command != "GET":
            why = "This can only be read."
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, "text/plain", why, Allow="GET")
            return False
        return True

    def do_GET(self) -> None:
        try:
            self._check_origin()
            kind, content = self._answer()
        except _Refusal as refusal:
            self._send(refusal.status, "text/plain", str(refusal))
        except Exception:
            why = "The page could not be made; nearstar watch says why where it was started."
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", why)
            raise
        else:
            self._send(HTTPStatus.OK, kind, content)

    def _check_origin(self) -> None:
        """Refuse what does not come from this machine's own pages."""
        hosts = self.server.hosts
        if self.headers.get_all("Host", []) not in [[host] for host in hosts]:
            raise _Refusal(HTTPStatus.FORBIDDEN, f"This is {self.server.address} alone.")
        origins = self.headers.get_all("Origin", [])
        if not {*origins}.issubset(f"http://{host}" for host in hosts):
            raise _Refusal(HTTPStatus.FORBIDDEN, "This is not for pages of other sites.")

    def _answer(self) -> tuple[str, str]:
        path, _, query = self.path.partition("?")
        if path == "/":
            return "text/html", render(self.server.page())
        if path == "/state":
            page = self.server.page(**_have(query))
            return "application/json", json.dumps(page, ensure_ascii=False, allow_nan=False)
        raise _Refusal(HTTPStatus.NOT_FOUND, f"There is nothing here; see {self.server.address}")

    def _send(self, status: HTTPStatus, kind: str, text: str, **more: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        headers = {**_HEADERS, **more, "Content-Length": str(len(content))}
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def _have(query: str) -> dict[str, Any]:
    """What the page has already: so many nodes and points of a run."""
    given = parse_qs(query, keep_blank_values=True)
    have: dict[str, Any] = {}
    for name in ("nodes", "points"):
        for value in given.get(name, []):
            if not (value.isascii() and value.isdigit() and len(value) <= _LONGEST):
                raise _Refusal(HTTPStatus.BAD_REQUEST, f"{name} is a whole number from 0.")
            have[name] = int(value)
    if "run" in given:
        have["run"] = given["run"][-1]
    return have
