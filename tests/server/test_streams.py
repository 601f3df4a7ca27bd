"""Sockets of a real server: a snapshot, then every change once, from any cursor, whoever makes it."""

import json
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import PATIENCE, Served, environment, holdfast, new_workspace, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from holdfast.act.run_files import AgentRun, make_run_name
from holdfast.core.run import AgentEvent, EventType

Row = dict[str, Any]
TEXT, CLOSE = 1, 8
CARRIER = """
import sys, time
from holdfast.act.run_files import AgentRun
run = AgentRun(sys.argv[1], sys.argv[2])
run.begin("a goal", {})
print("begun", flush=True)
time.sleep(600)
"""


class Stream:
    """A socket, and what came through it."""

    def __init__(self, made: ClientConnection) -> None:
        self.made = made
        self.got: list[Row] = []

    def next(self, timeout: float = PATIENCE) -> Row:
        row: Row = json.loads(self.made.recv(timeout))
        self.got.append(row)
        return row

    def until(self, wanted: Callable[[Row], bool]) -> Row:
        """The first message that is wanted; it comes, or the test fails."""
        while True:
            row = self.next()
            if wanted(row):
                return row

    def of(self, kind: str) -> Row:
        return self.until(lambda row: row["type"] == kind)

    def of_each(self, *kinds: str) -> list[Row]:
        """One message of each kind, in whatever order they come: a look may fall between two files."""
        found: dict[str, Row] = {}
        while len(found) < len(kinds):
            row = self.until(lambda row: row["type"] in kinds and row["type"] not in found)
            found[row["type"]] = row
        return [found[kind] for kind in kinds]

    @property
    def cursor(self) -> str:
        return str(self.got[-1]["cursor"])


@contextmanager
def opened(served: Served, path: str, cursor: str = "", **more: Any) -> Iterator[Stream]:
    place = f"{path}?ticket={served.ticket()}" + (f"&cursor={cursor}" if cursor else "")
    with served.socket(place, ticket="", **more) as made:
        yield Stream(made)


@pytest.fixture
def events(wid: str) -> str:
    return f"/api/workspace/{wid}/events"


def said(served: Served, *words: str) -> Row:
    done = holdfast(served.home, served.folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    found: Row = json.loads(done.stdout)
    return found


def begun(served: Served, goal: str = "a goal") -> AgentRun:
    """A run as another process would carry it."""
    run = AgentRun(str(served.folder / ".holdfast"), make_run_name())
    run.begin(goal, {"model": "test"})
    return run


def happen(run: AgentRun, first: int, last: int) -> None:
    for number in range(first, last + 1):
        data = {"message": str(number)}
        run.add(AgentEvent(type=EventType.SIGNAL, data=data, ts="2026-01-01T00:00:00Z", run=run.name))


# The workspace's stream


def test_a_socket_begins_with_how_things_are(served: Served, events: str) -> None:
    made = said(served, "remember", "decision", "Use SQLite for the index")
    waiting = said(served, "propose", "learning", "The tests need a clock of their own")

    with opened(served, events) as stream:
        first = stream.next()

    assert first["type"] == "snapshot"
    data = first["data"]
    assert data["counts"]["decisionCount"] >= 1
    assert waiting["id"] in data["waiting"]
    assert made["id"].startswith("DEC-")
    assert data["activeRuns"] == []
    assert {"mission", "nextAction"} <= data.keys()


def test_what_the_command_line_does_is_seen_once(served: Served, events: str) -> None:
    with opened(served, events) as stream:
        stream.of("snapshot")
        candidate = said(served, "propose", "learning", "Retries must wait longer each time")["id"]
        added = stream.of("candidate_added")
        memory = said(served, "accept", candidate)["accepted"][0]["memory"]
        removed, changed = stream.of_each("candidate_removed", "memory_changed")
        said(served, "config", "search.limit", "9")
        setting = stream.of("settings_changed")

    assert added["data"] == {"id": candidate, "type": "learning", "title": "Retries must wait longer each time"}
    assert removed["data"] == {"ids": [candidate]}
    assert changed["data"] == {"ids": [memory], "removed": []}
    assert setting["data"] == {"key": "search.limit"}
    told = [row["type"] for row in stream.got if row["type"] in {"candidate_added", "candidate_removed"}]
    assert told == ["candidate_added", "candidate_removed"]


def test_a_change_over_http_is_told_once_to_everybody(served: Served, events: str, wid: str) -> None:
    with opened(served, events) as one, opened(served, events) as other:
        one.of("snapshot")
        other.of("snapshot")
        given = {"type": "invariant", "text": "Every request has an id of its own"}
        answer = served.post(f"/api/workspace/{wid}/memory", json=given)
        assert answer.status_code == 201, answer.text
        mark = said(served, "propose", "learning", "A mark that comes after it")["id"]
        for stream in (one, other):
            stream.until(lambda row: row["type"] == "candidate_added" and row["data"]["id"] == mark)

    memory = answer.json()["id"]
    for stream in (one, other):
        told = [row for row in stream.got if row["type"] == "memory_changed" and memory in row["data"]["ids"]]
        assert len(told) == 1


def test_a_hook_in_another_process_is_seen_without_its_words(served: Served, events: str) -> None:
    payload = {
        "session_id": "s-hooked", "hook_event_name": "UserPromptSubmit", "prompt": "the words are nobody's business",
        "cwd": str(served.folder), "transcript_path": "",
    }  # fmt: skip
    with opened(served, events) as stream:
        stream.of("snapshot")
        subprocess.run(
            [sys.executable, "-m", "holdfast.cli.main", "hook"], input=json.dumps(payload), text=True, check=True,
            cwd=served.folder, env=environment(served.home), timeout=PATIENCE, capture_output=True,
        )  # fmt: skip
        row = stream.until(lambda row: row["type"] == "session_event" and row["data"]["session"] == "s-hooked")

    assert row["data"].keys() == {"client", "session", "name", "count"}
    assert "nobody's business" not in json.dumps(stream.got)


def test_a_cursor_gives_exactly_what_was_missed(served: Served, events: str) -> None:
    with opened(served, events) as stream:
        cursor = stream.of("snapshot")["cursor"]
        ids = [said(served, "propose", "learning", f"Thing {number} was found out")["id"] for number in (1, 2)]
        stream.until(lambda row: row["type"] == "candidate_added" and row["data"]["id"] == ids[1])
    with opened(served, events, cursor) as again:
        first = again.next()
        again.until(lambda row: row["type"] == "candidate_added" and row["data"]["id"] == ids[1])

    assert first["type"] == "resumed"
    assert again.got[1:] == stream.got[1 : len(again.got)]
    assert [row["data"]["id"] for row in again.got if row["type"] == "candidate_added"] == ids


def test_a_cursor_of_another_life_gets_a_snapshot(served: Served, events: str) -> None:
    with opened(served, events, "ffffffff.3") as stream:
        assert stream.next()["type"] == "snapshot"


def test_nobody_loses_what_came_while_nobody_listened(served: Served, events: str) -> None:
    with opened(served, events) as stream:
        cursor = stream.of("snapshot")["cursor"]
    candidate = said(served, "propose", "learning", "This came while every socket was closed")["id"]
    with opened(served, events, cursor) as stream:
        assert stream.next()["type"] == "resumed"
        assert stream.of("candidate_added")["data"]["id"] == candidate


# A run's stream


def test_a_run_of_another_process_is_followed(served: Served, events: str, wid: str) -> None:
    with opened(served, events) as stream:
        stream.of("snapshot")
        run = begun(served, "mend the parser")
        started = stream.of("run_started")
        happen(run, 1, 3)
        stream.until(lambda row: row["data"].get("message") == "3")
        active = served.get(f"/api/workspace/{wid}/runs/active").json()
        run.end("complete")
        ended = stream.of("run_complete")

    assert started["data"] == {"runId": run.name, "goal": "mend the parser"}
    assert [row["data"] for row in stream.got if row["type"] == "signal"] == [
        {"message": str(number), "runId": run.name} for number in (1, 2, 3)
    ]
    assert [(row["runId"], row["status"], row["here"]) for row in active] == [(run.name, "running", False)]
    assert ended["data"] == {"runId": run.name, "status": "complete"}


def test_a_run_stream_begins_with_all_that_happened(served: Served, wid: str) -> None:
    run = begun(served)
    happen(run, 1, 4)

    with opened(served, f"/api/workspace/{wid}/run/{run.name}/events") as stream:
        first = stream.next()
        happen(run, 5, 6)
        rows = [stream.next(), stream.next()]
        run.end("failed")
        last = stream.next()

    assert first["cursor"] == "4"
    assert [event["data"]["message"] for event in first["data"]["events"]] == ["1", "2", "3", "4"]
    assert first["data"]["run"]["status"] == "running"
    assert [(row["cursor"], row["data"]["message"]) for row in rows] == [("5", "5"), ("6", "6")]
    assert (last["type"], last["cursor"], last["data"]["status"]) == ("run_complete", "6e", "failed")


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [("0", ["1", "2", "3", "3e"]), ("2", ["3", "3e"]), ("3", ["3e"]), ("3e", [])],
)
def test_a_run_that_is_over_can_be_read_from_any_line(
    served: Served, wid: str, cursor: str, expected: list[str]
) -> None:
    run = begun(served)
    happen(run, 1, 3)
    run.end("complete")

    with opened(served, f"/api/workspace/{wid}/run/{run.name}/events", cursor) as stream:
        first = stream.next()
        rows = [stream.next() for _ in expected]

    assert (first["type"], first["data"]["status"]) == ("resumed", "complete")
    assert [row["cursor"] for row in rows] == expected


def test_lines_that_are_no_events_are_left_out(served: Served, wid: str) -> None:
    run = begun(served)
    path = Path(run.folder) / "events.jsonl"
    happen(run, 1, 1)
    with path.open("ab") as file:
        file.write(b'not json\n\xff\xfe\n[1]\n{"type":"x"}\n{"type":"signal","data":{"n":NaN},"ts":1}\n')
    happen(run, 2, 2)
    with path.open("ab") as file:
        file.write(b'{"type":"signal","data":{"half"')

    with opened(served, f"/api/workspace/{wid}/run/{run.name}/events") as stream:
        found = stream.next()["data"]["events"]
    run.end("complete")

    assert [event["cursor"] for event in found] == ["1", "6", "7"]
    assert found[1]["data"] == {"n": None}


def test_a_run_whose_process_died_is_interrupted(served: Served, events: str, wid: str) -> None:
    name = make_run_name()
    with opened(served, events) as stream:
        stream.of("snapshot")
        carrier = subprocess.Popen(
            [sys.executable, "-c", CARRIER, str(served.folder / ".holdfast"), name], stdout=subprocess.PIPE, text=True
        )
        assert carrier.stdout
        assert carrier.stdout.readline() == "begun\n"
        stream.of("run_started")
        carrier.send_signal(signal.SIGKILL)
        carrier.wait(PATIENCE)
        carrier.stdout.close()
        ended = stream.of("run_complete")

    assert ended["data"] == {"runId": name, "status": "interrupted"}
    [row] = [row for row in served.get(f"/api/workspace/{wid}/runs").json() if row["runId"] == name]
    assert row["status"] == "interrupted"


def test_cuts_and_kills_of_the_server_lose_and_repeat_nothing(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    wid = new_workspace(folder, home)
    chance = random.Random(7)
    total, cursor = 100, ""
    seen: list[str] = []
    with serving(home, folder) as first:
        run = begun(first)
        path = f"/api/workspace/{wid}/run/{run.name}/events"
        with opened(first, path) as stream:
            cursor = str(stream.next()["cursor"])
        done = threading.Event()

        def write() -> None:
            for number in range(1, total + 1):
                happen(run, number, number)
                done.wait(0.005)

        writer = threading.Thread(target=write)
        writer.start()
        cursor = _read_on(first, path, cursor, seen, chance, most=total // 2)
        first.process.kill()
    with serving(home, folder) as second:
        cursor = _read_on(second, path, cursor, seen, chance, most=total)
    done.set()
    writer.join()
    run.end("complete")

    assert seen == [str(number) for number in range(1, total + 1)]


def _read_on(served: Served, path: str, cursor: str, seen: list[str], chance: random.Random, *, most: int) -> str:
    """Read a few, cut, come back, until there are so many."""
    while len(seen) < most:
        with opened(served, path, cursor) as stream:
            assert stream.next()["type"] == "resumed"
            for _ in range(min(chance.randint(0, 40), most - len(seen))):
                row = stream.next()
                seen.append(row["data"]["message"])
                cursor = str(row["cursor"])
            # A cut, not a goodbye.
            stream.made.socket.shutdown(socket.SHUT_RDWR)
    return cursor


# Who may not, and who cannot


def test_a_slow_reader_is_let_go_and_can_come_back(served: Served, wid: str) -> None:
    run = begun(served)
    path = f"/api/workspace/{wid}/run/{run.name}/events"
    ticket = served.ticket()
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(PATIENCE)
    slow.connect(("127.0.0.1", served.port))
    slow.sendall(
        f"GET {path}?ticket={ticket} HTTP/1.1\r\nHost: {served.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    many = 0
    with slow, opened(served, path) as other:
        assert other.next()["type"] == "snapshot"
        # The system itself keeps some megabytes for a connection. Who reads along is never too slow.
        while "holdfast_events_dropped_total 1" not in served.get("/metrics").text:
            assert many < 1000, "a reader that never reads was not let go"
            for number in range(many + 1, many + 11):
                data = {"message": "x" * 60_000, "n": number}
                run.add(AgentEvent(type=EventType.SIGNAL, data=data, ts="", run=run.name))
            assert [other.next()["data"]["n"] for _ in range(10)] == list(range(many + 1, many + 11))
            many += 10
        found = _frames(slow)
    run.end("complete")
    read = [json.loads(body) for opcode, body in found if opcode == TEXT]
    closing = [struct.unpack("!H", body[:2])[0] for opcode, body in found if opcode == CLOSE]

    assert closing == [4408]
    events = [row for row in read if row["type"] == "signal"]
    assert [row["data"]["n"] for row in events] == list(range(1, len(events) + 1))
    assert len(events) < many
    cursor = str(read[-1]["cursor"])
    with opened(served, path, cursor) as again:
        assert again.next()["type"] == "resumed"
        rest = [again.next()["data"]["n"] for _ in range(many - len(events))]
    assert rest == list(range(len(events) + 1, many + 1))


def _frames(made: socket.socket) -> list[tuple[int, bytes]]:
    """Every frame up to the goodbye."""
    data = bytearray()
    while (at := data.find(b"\r\n\r\n") + 4) < 4:
        data += made.recv(65_536)
    found: list[tuple[int, bytes]] = []
    while not found or found[-1][0] != CLOSE:
        while (frame := _frame(data, at)) is None:
            part = made.recv(65_536)
            assert part, "the connection ended without a goodbye"
            data += part
        found.append((data[at] & 15, bytes(data[frame])))
        at = frame.stop
    return found


def _frame(data: bytearray, at: int) -> slice | None:
    """Where the body of the frame at a place is; None where not all of it came yet."""
    head = bytes(data[at : at + 4])
    if len(head) < 2:
        return None
    size, begin = head[1] & 127, at + 2
    if size == 126:
        size, begin = int.from_bytes(head[2:4]), at + 4
    return slice(begin, begin + size) if len(data) >= begin + size and len(data) >= begin else None


def test_a_ticket_opens_one_socket(served: Served, events: str) -> None:
    ticket = served.ticket()
    with served.socket(events, ticket=ticket) as made:
        assert json.loads(made.recv(PATIENCE))["type"] == "snapshot"

    with pytest.raises(ConnectionClosed) as closed, served.socket(events, ticket=ticket) as made:
        made.recv(PATIENCE)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_another_origin_is_refused(served: Served, events: str) -> None:
    with pytest.raises(InvalidStatus) as refused, served.socket(events, origin="https://evil.example") as made:
        made.recv(PATIENCE)

    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("path", ["run/run-2026-01-01-000000-aaaaaaaa/events", "run/%2e%2e/events", "run/x/events"])
def test_a_run_that_is_not_there_closes_the_socket(served: Served, wid: str, path: str) -> None:
    with pytest.raises(ConnectionClosed) as closed, served.socket(f"/api/workspace/{wid}/{path}") as made:
        made.recv(PATIENCE)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_a_workspace_that_is_not_there_closes_the_socket(served: Served) -> None:
    with pytest.raises(ConnectionClosed) as closed, served.socket(f"/api/workspace/{'0' * 16}/events") as made:
        made.recv(PATIENCE)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404
