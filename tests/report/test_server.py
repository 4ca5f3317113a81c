"""The server of the live page: what it tells, and whom it refuses."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cli.calling import COMMAND
from run.driving import timeless
from run.results.test_history import followed, told
from run.store.test_journaled_run import run

from nearstar.report.server import Server
from nearstar.run import Evaluated, Event
from nearstar.util.errors import NearstarError


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Of a run that has ended."""
    run(run=tmp_path)
    with Server(tmp_path) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Reply:
    def __init__(self, server: Server, path: str, method: str = "GET", **headers: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders()
        reply = connection.getresponse()
        self.status, self.headers, self.body = reply.status, reply.headers, reply.read().decode()
        connection.close()

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


def test_the_page_and_what_is_new(server: Server, tmp_path: Path) -> None:
    page, state = Reply(server, "/"), Reply(server, "/state")
    assert (page.status, state.status) == (200, 200)
    embedded = re.search('<script type="application/json" id="data">(.*?)</script>', page.body)
    assert embedded is not None and json.loads(embedded[1]) == state.json
    search = state.json["search"]
    assert search | {"run": None} == told(followed(tmp_path))
    news = Reply(server, f"/state?nodes=28&points=3&run={search['run']}").json["search"]
    assert news["nodes"]["text"] == search["nodes"]["text"][28:]
    assert news["trace"] == search["trace"][3:]
    other = Reply(server, "/state?nodes=28&points=3&run=another").json["search"]
    assert other == search
    for reply in (page, state):
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["X-Frame-Options"] == "DENY"
        assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert reply.headers["Referrer-Policy"] == "no-referrer"
        assert reply.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in reply.headers
        assert "Python" not in reply.headers["Server"]


def test_only_this_machine_is_listened_to(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_hosts(server: Server) -> None:
    """A name of somebody else's that leads here is refused, so that his pages cannot read this."""
    port = server.server_port
    for own in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert Reply(server, "/", Host=own).status == 200
        assert Reply(server, "/state", Host=own, Origin=f"http://{own}").status == 200
    others = ("", "127.0.0.1", f"evil.example:{port}", f"localhost:{port + 1}", "localhost",
              f"localhost:{port}.evil.example", f"evil.example@localhost:{port}")  # fmt: skip
    for path in ("/", "/state"):
        for other in others:
            reply = Reply(server, path, Host=other)
            assert reply.status == 403 and "search" not in reply.body
        for origin in ("http://evil.example", "null", f"https://localhost:{port}"):
            assert Reply(server, path, Origin=origin).status == 403


@pytest.mark.parametrize(
    "more", ["Host: evil", "Origin: http://{own}\r\nOrigin: http://evil"], ids=["host", "origin"]
)
def test_a_second_one_that_is_foreign_is_refused(server: Server, more: str) -> None:
    own = f"127.0.0.1:{server.server_port}"
    with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
        request = f"GET / HTTP/1.1\r\nHost: {own}\r\n{more.format(own=own)}\r\n\r\n"
        connection.sendall(request.encode())
        assert connection.recv(100).startswith(b"HTTP/1.0 403")


def test_browsers_do_not_name_the_port_of_http(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = server.server_port
    monkeypatch.setattr(server, "server_port", 80)
    assert server.hosts == ("127.0.0.1", "localhost", "[::1]")
    monkeypatch.setattr(server, "server_port", bound)


@pytest.mark.parametrize(
    "path",
    ["/../journal.jsonl", "/journal.jsonl", "/state/", "/%2e%2e/etc/passwd", "/x?y", "*",
     "http://[", "http://evil.example/state", "//evil.example/"],
)  # fmt: skip
def test_other_paths(server: Server, path: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert Reply(server, path, Host=f"localhost:{server.server_port}").status == 404
    assert not capfd.readouterr().err


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_other_methods(server: Server, method: str) -> None:
    reply = Reply(server, "/state", method)
    assert reply.status == 405 and reply.headers["Allow"] == "GET"


@pytest.mark.parametrize("query", ["nodes=-1", "nodes=x", "points=1.5", "nodes=", "points=1e3",
                                   "nodes=" + "9" * 5000, "nodes=%D9%A3"])  # fmt: skip
def test_bad_numbers(server: Server, query: str) -> None:
    assert Reply(server, f"/state?{query}").status == 400


def test_connections_that_say_nothing_or_are_broken_off_do_no_harm(
    server: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    place = ("127.0.0.1", server.server_port)
    with socket.create_connection(place), socket.create_connection(place) as broken:
        broken.sendall(b"GET /state HTTP/1.1\r\n")
        broken.close()
        with socket.create_connection(place) as garbage:
            garbage.sendall(b"\0\xff" * 100 + b"\r\n\r\n")
            garbage.recv(10)
        assert Reply(server, "/state").status == 200
    assert not capfd.readouterr().err


def test_a_page_that_cannot_be_made_is_no_end_of_serving(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def broken(_: Server, **have: object) -> None:
        raise RuntimeError("this is why")

    def tell(*_: object) -> None:
        told.append(str(sys.exception()))

    with monkeypatch.context() as patched:
        patched.setattr(Server, "page", broken)
        patched.setattr(ThreadingHTTPServer, "handle_error", tell)  # which writes to stderr
        for path in ("/", "/state"):
            reply = Reply(server, path)
            assert reply.status == 500 and "this is why" not in reply.body
        until = time.monotonic() + 20
        while len(told) < 2 and time.monotonic() < until:  # told after the reply was sent
            time.sleep(0.01)
    assert told == 2 * ["this is why"]
    assert Reply(server, "/state").status == 200


def test_many_at_once_see_a_run_that_goes_on(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        assert Reply(server, "/").status == 200
        assert Reply(server, "/state").json["live"]["state"] == "waiting"
        seen: list[int] = []
        over = threading.Event()

        def look() -> None:
            while not over.is_set():
                search = Reply(server, "/state").json["search"]
                seen.append(len(search["nodes"]["text"]) if search else 0)

        readers = [threading.Thread(target=look) for _ in range(3)]
        for reader in readers:
            reader.start()
        result = run(run=tmp_path)
        over.set()
        for reader in readers:
            reader.join()
        state = Reply(server, "/state").json
        server.shutdown()
        serving.join()
    assert timeless(result) == timeless(run())
    assert state["search"]["ended"] == "trainings" and len(state["search"]["nodes"]["text"]) == 30


def test_a_port_that_is_taken(server: Server, tmp_path: Path) -> None:
    with pytest.raises(NearstarError, match=f"port {server.server_port} cannot be used"):
        Server(tmp_path, server.server_port)


@pytest.mark.slow
def test_a_killed_watcher_does_not_disturb_the_run(tmp_path: Path) -> None:
    """Nor does one that is there at any moment: it takes no lock, and writes nothing."""
    killed: list[int] = []

    def watch() -> None:
        with subprocess.Popen(
            [*COMMAND, "watch", str(tmp_path), "--no-browser"], stdout=subprocess.PIPE, text=True
        ) as watcher:
            assert watcher.stdout is not None
            port = int(re.findall(r":(\d+)/", watcher.stdout.readline())[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/state")
            assert json.load(connection.getresponse())["live"]["state"] == "running"
            connection.close()
            os.kill(watcher.pid, signal.SIGKILL)
            killed.append(watcher.wait())

    def listener(event: Event) -> None:
        if isinstance(event, Evaluated) and event.evaluation.index in (3, 20):
            watch()

    result = run(run=tmp_path, listeners=[listener])
    assert killed == [-signal.SIGKILL] * 2
    assert timeless(result) == timeless(run()) == timeless(run(run=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]
