"""Runs as their files tell of them, without a server."""

import json
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server is an extra")

from tests.server.conftest import PATIENCE
from tests.server.inside import rich

from holdfast.act.run_files import AgentRun, NoRun, RunIsHeld, Runs, make_run_name
from holdfast.core.run import AgentEvent, EventType
from holdfast.server.http.security.guards import ServerNames
from holdfast.server.http.server_state import Serving
from holdfast.server.http.streams.run_tail import AT_ONCE, Tail, format_cursor, parse_cursor
from holdfast.server.http.streams.run_watch import RunTracker
from holdfast.server.http.streams.workspace_stream import Hub
from holdfast.server.http.uvicorn_server import Server, configure_uvicorn
from holdfast.workspace import make_workspace_id

Row = dict[str, Any]


def happen(run: AgentRun, *words: str) -> None:
    for each in words:
        run.add(AgentEvent(type=EventType.SIGNAL, data={"message": each}, ts="", run=run.name))


def told(hub: Hub) -> list[tuple[str, str]]:
    """Every message so far, in short."""
    rows = [json.loads(message.text) for message in hub.after(0) or ()]
    return [(row["type"], str(row["data"].get("message") or row["data"].get("status") or "")) for row in rows]


def test_a_run_that_came_and_went_between_two_looks_is_told_whole(tmp_path: Path) -> None:
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    lives.look()
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    happen(run, "one", "two")
    run.end("complete")

    lives.look()
    lives.look()

    assert told(hub) == [("run_started", ""), ("signal", "one"), ("signal", "two"), ("run_complete", "complete")]


def test_what_was_there_before_is_not_told_again(tmp_path: Path) -> None:
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    happen(run, "before")
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    lives.look()
    happen(run, "after")
    run.end("failed")

    lives.look()

    assert told(hub) == [("signal", "after"), ("run_complete", "failed")]


def test_a_run_that_goes_on_is_told_from_where_it_was(tmp_path: Path) -> None:
    first = AgentRun(str(tmp_path), make_run_name())
    first.begin("a goal", {})
    happen(first, "one")
    first.end("cancelled")
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    again = AgentRun(str(tmp_path), first.name)
    again.begin("a goal", {})
    happen(again, "two")

    lives.look()
    again.end("complete")
    lives.look()

    assert told(hub) == [("run_started", ""), ("signal", "two"), ("run_complete", "complete")]


def test_a_run_that_is_thrown_away_has_ended(tmp_path: Path) -> None:
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    lives.look()
    run.discard()

    lives.look()
    lives.look()

    assert told(hub) == [("run_started", ""), ("run_complete", "cancelled")]


def test_folders_of_sessions_and_links_are_no_runs(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text('{"type":"signal","data":{"message":"secret"}}\n')
    (tmp_path / "runs" / "2026-01-01-claude").mkdir(parents=True)
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    os.symlink(outside, Path(run.folder) / "events.jsonl")
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    run.end("complete")

    lives.look()

    assert told(hub) == [("run_complete", "complete")]
    with pytest.raises(NoRun):
        lives.feed("2026-01-01-claude")
    with pytest.raises(NoRun):
        lives.feed("../../outside")


def test_hundreds_of_runs_are_looked_at_in_turn(tmp_path: Path) -> None:
    runs = [AgentRun(str(tmp_path), f"run-2026-01-01-{number:06}-aaaaaaaa") for number in range(100)]
    for run in runs:
        run.begin("a goal", {})
        run.end("planned")
    hub = Hub()
    lives = RunTracker(str(tmp_path), hub)
    runs[3].begin("a goal", {})
    happen(runs[3], "late")

    for _ in range(6):
        lives.look()
    runs[3].end("complete")

    assert told(hub) == [("run_started", ""), ("signal", "late")]


def test_who_carries_a_run_is_known(tmp_path: Path) -> None:
    run = AgentRun(str(tmp_path), make_run_name())
    other = AgentRun(str(tmp_path), run.name)
    seen = [other.alive]
    run.begin("a goal", {})
    seen.append(other.alive)

    assert other.status == "running"
    with pytest.raises(RunIsHeld):
        other.begin("a goal", {})
    run.end("complete")
    assert [*seen, other.alive] == [False, True, False]
    assert Runs(str(tmp_path)).run(run.name).status == "complete"


def test_a_run_that_says_it_runs_and_has_no_process_is_interrupted(tmp_path: Path) -> None:
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    state = run.state()
    run.end("complete")
    (Path(run.folder) / "run.json").write_text(json.dumps(state))

    assert run.status == "interrupted"


def test_a_line_longer_than_can_be_read_stops_nothing(tmp_path: Path) -> None:
    good = b'{"type":"signal","data":{}}\n'
    (tmp_path / "events.jsonl").write_bytes(good + b"x" * (AT_ONCE + 100) + b"\n" + good)
    tail = Tail(str(tmp_path))

    found = [event.line for _ in range(5) for event in tail.more()]

    assert found == [1, 3]
    assert Tail(str(tmp_path), tail.offset).line == 3


def test_a_line_that_was_half_written_when_we_came_is_told_whole(tmp_path: Path) -> None:
    line = b'{"type":"signal","data":{"message":"whole"}}\n'
    path = tmp_path / "events.jsonl"
    path.write_bytes(line + line[:20])
    tail = Tail(str(tmp_path), path.stat().st_size)
    with path.open("ab") as file:
        file.write(line[20:])

    assert [(event.line, event.data) for event in tail.rest()] == [(2, {"message": "whole"})]


def test_a_run_that_was_killed_and_goes_on_is_told_to_begin(tmp_path: Path) -> None:
    run = AgentRun(str(tmp_path), make_run_name())
    run.begin("a goal", {})
    state = (Path(run.folder) / "run.json").read_bytes()
    run.end("complete")
    (Path(run.folder) / "run.json").write_bytes(state)
    hub, times = Hub(), iter(range(100))
    lives = RunTracker(str(tmp_path), hub, clock=lambda: float(next(times)))
    again = AgentRun(str(tmp_path), run.name)
    again._hold()  # as `begin` does before it writes

    lives.look()
    again.begin("a goal", {})
    lives.look()
    again.end("complete")
    lives.look()

    assert told(hub) == [("run_started", ""), ("run_complete", "complete")]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "1ee", "e", "٣", "9" * 20])
def test_a_cursor_that_is_none_names_no_place(cursor: str) -> None:
    assert parse_cursor(cursor) is None


@pytest.mark.parametrize("cursor", ["0", "17", "17e"])
def test_a_cursor_names_its_place(cursor: str) -> None:
    place = parse_cursor(cursor)

    assert place is not None
    assert format_cursor(place) == cursor


def test_who_answers_no_ping_is_let_go(tmp_path: Path, home: Path) -> None:
    rich(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        serving = Serving(str(home), ServerNames(scheme="http", port=port, bound="127.0.0.1"), first=str(tmp_path))
        token = serving.tokens.own()
        caller = serving.tokens.caller(token)
        assert caller is not None
        config = configure_uvicorn(serving)
        assert (config.ws_ping_interval, config.ws_ping_timeout) == (20.0, 20.0)
        config.ws_ping_interval = config.ws_ping_timeout = 0.2
        up = threading.Event()
        server = Server(config, serving, lambda _: up.set())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        assert up.wait(PATIENCE)
        path = f"/api/workspace/{make_workspace_id(str(tmp_path))}/events?ticket={serving.tickets.issue(caller)}"
        try:
            read = _until_closed(port, path)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)

    assert b" 101 " in read
    assert b'"type":"snapshot"' in read
    assert b"keepalive ping timeout" in read


def _until_closed(port: int, path: str) -> bytes:
    read = b""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as made:
        made.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        while part := made.recv(65_536):
            read += part
    return read
