"""``nearstar watch``: served until Ctrl-C; ports, browsers and folders."""

from __future__ import annotations

import json
import queue
import re
import signal
import socket
import subprocess
import urllib.request
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.calling import COMMAND, nearstar, refused

from nearstar.report.server import Server


@contextmanager
def watching(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it prints."""
    with subprocess.Popen(
        [*COMMAND, "watch", *map(str, arguments), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            yield process, re.findall(r"http://127\.0\.0\.1:\d+/", printed)[0]
        finally:
            process.kill()


def test_a_run_is_shown_until_ctrl_c(run: Path) -> None:
    with watching(run) as (process, address):
        with urllib.request.urlopen(address, timeout=30) as page:
            assert "<h1>run</h1>" in page.read().decode()
        with urllib.request.urlopen(f"{address}state", timeout=30) as reply:
            state = json.load(reply)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=30)
    assert (process.returncode, printed, said) == (0, "", "")
    assert state["live"]["state"] == "ended"
    assert state["program"]["text"] in nearstar("show", run)
    assert state["scores"]["parts"][0]["name"] == "validation"


@pytest.mark.slow
def test_ports(tmp_path: Path) -> None:
    with watching(tmp_path) as (_, first), watching(tmp_path) as (_, second):
        assert first != second
        taken = int(first.split(":")[2].strip("/"))
        said = refused("watch", tmp_path, "--port", taken)
        assert f"port {taken} cannot be used: Address already in use" in said
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with watching(tmp_path, "--port", port) as (_, address):
        assert address == f"http://127.0.0.1:{port}/"
    assert "--port: expected a whole number" in refused("watch", tmp_path, "--port", "99999")


def test_folders_that_cannot_be_watched(run: Path) -> None:
    for place in ("nowhere", run / "journal.jsonl"):
        assert f"there is no folder {place}" in refused("watch", place)


def test_the_browser_is_served_even_before_it_returns(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does that runs until it is closed."""
    seen: list[str] = []

    def open_and_wait(address: str) -> None:
        with urllib.request.urlopen(address, timeout=30) as page:
            seen.append(page.read().decode())

    def interrupted(server: Server) -> None:
        if seen:
            raise KeyboardInterrupt

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", open_and_wait)
    monkeypatch.setattr(Server, "service_actions", interrupted)
    nearstar("watch", run)
    assert "<h1>run</h1>" in seen[0]


@pytest.mark.parametrize("display", [":0", ""])
def test_the_browser_is_opened_where_there_is_a_display(
    display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(webbrowser, "open", opened.put)

    def interrupted(server: Server) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", interrupted)
    printed = nearstar("watch", tmp_path)
    if display:
        assert opened.get(timeout=30) in printed
    assert nearstar("watch", tmp_path, "--no-browser") and opened.empty()
