"""How much may be asked: rates, sockets, time, and who sends byte by byte."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from tests.server.conftest import PATIENCE, Threaded, new_workspace, threaded
from websockets.exceptions import ConnectionClosed

from holdfast.server.http.limits import Buckets, CallerLimits, RequestLimits
from holdfast.server.http.security.callers import Caller, Right
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.security.tickets import GOOD_FOR, Tickets
from holdfast.server.http.server_state import Serving
from holdfast.server.http.uvicorn_server import HeadTimeoutProtocol


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Hasty(HeadTimeoutProtocol):
    """A server that waits a tenth of a second for a head."""

    head_timeout = 0.1


# Rates


def test_a_bucket_gives_what_it_holds_then_what_flows_in() -> None:
    clock = Clock()
    buckets = Buckets(2.0, 3.0, clock)

    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("b") == 0
    clock.now += 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    clock.now += 1000
    assert [buckets.take("a") for _ in range(4)][-1] > 0


def test_buckets_of_strangers_do_not_pile_up() -> None:
    buckets = Buckets(1.0, 1.0)
    for at in range(20_000):
        buckets.take(str(at))

    assert len(buckets._held) <= 10_000


def test_a_caller_who_asks_too_often_is_told_to_wait_and_others_are_not(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", limits=RequestLimits(per_second=0.01, burst=3)) as served:
        other = served.serving.tokens.add("other", ())
        answers = [served.get("/api/me") for _ in range(4)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) > 1
        assert answers[-1].json()["type"] == "/problems/too_many"
        assert served.get("/api/me", token=other).status_code == 200


def test_who_guesses_is_slowed_down_and_cannot_lock_the_person_out(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", limits=RequestLimits(guesses_per_second=0.01, guesses=3)) as served:
        guessed = [served.get("/api/me", token=f"hfst_{at}").status_code for at in range(5)]
        keyed = served.post("/api/session", token=None, json={"key": "guess"})

        assert guessed == [401, 401, 401, 429, 429]
        assert keyed.status_code == 429
        assert served.get("/api/me").status_code == 200


def test_a_token_that_becomes_readable_to_others_lets_nobody_in(tmp_path: Path) -> None:
    with threaded(tmp_path / "home") as served:
        token = tmp_path / "home/serve/token"
        assert served.get("/api/me").status_code == 200

        token.chmod(0o644)
        open_to_others = served.get("/api/me")
        token.chmod(0o600)

        assert open_to_others.status_code == 503
        assert str(tmp_path) not in open_to_others.text
        assert served.get("/api/me").status_code == 200


# Sockets


def test_no_more_sockets_are_opened_than_the_limit(tmp_path: Path) -> None:
    home = tmp_path / "home"
    wid = new_workspace(tmp_path / "project", home)
    with threaded(home, limits=RequestLimits(sockets=1)) as served:
        path = f"/api/workspace/{wid}/events"
        with served.socket(path) as first:
            first.recv(PATIENCE)
            with served.socket(path) as second, pytest.raises(ConnectionClosed) as closed:
                second.recv(PATIENCE)

        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1013


def test_a_ticket_is_good_for_half_a_minute_and_once() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    caller = Caller(name="a", rights=frozenset({Right.READ}))
    used, old = tickets.issue(caller), tickets.issue(caller)

    assert tickets.redeem(used) == caller
    assert tickets.redeem(used) is None
    clock.now += GOOD_FOR
    assert tickets.redeem(old) is None
    assert tickets.redeem("") is None


def test_tickets_that_nobody_used_are_dropped() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    caller = Caller(name="a", rights=frozenset({Right.READ}))
    for _ in range(100):
        tickets.issue(caller)
    clock.now += GOOD_FOR + 1
    tickets.issue(caller)

    assert len(tickets._open) == 1


# Time


def test_who_never_ends_a_head_is_let_go(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", http=Hasty) as served, served.connected() as silent, served.connected() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")

        assert silent.recv(1) == b""
        assert slow.recv(1) == b""
        assert served.get("/", token=None).status_code == 200


def test_who_never_ends_a_second_head_is_let_go(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", http=Hasty) as served, served.connected() as slow:
        ask = f"HEAD / HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode()
        slow.sendall(ask)
        assert slow.recv(65_536).startswith(b"HTTP/1.1 200")
        slow.sendall(ask[:20])

        assert slow.recv(1) == b""


def test_who_never_ends_a_body_is_answered(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", limits=RequestLimits(seconds=0.1)) as served, served.connected() as slow:
        head = f"POST /api/session HTTP/1.1\r\nHost: {served.host}\r\nContent-Length: 9\r\n\r\n"
        slow.sendall(head.encode())

        assert slow.recv(65_536).startswith(b"HTTP/1.1 503")


def test_work_that_takes_too_long_is_told_of(tmp_path: Path) -> None:
    async def never(_: Scope, __: Receive, ___: Send) -> None:
        await asyncio.Event().wait()

    serving = Serving(str(tmp_path), ServerNames(scheme="http", port=1), limits=RequestLimits(seconds=0.01))
    sent = asyncio.run(_answer(CallerLimits(never, serving), serving))

    assert sent[0]["status"] == 503
    assert b"may still be done" in sent[1]["body"]


async def _answer(door: CallerLimits, serving: Serving) -> list[dict[str, Any]]:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    token = serving.tokens.own().encode()
    scope = {
        "type": "http", "method": "GET", "path": "/api/x", "headers": [(b"authorization", b"Bearer " + token)],
        "client": ("127.0.0.1", 1), "state": {},
    }  # fmt: skip
    await door(scope, receive, send)
    return sent


def test_half_a_body_reaches_no_route(tmp_path: Path) -> None:
    with threaded(tmp_path / "home") as served:
        made = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)
        head = f"POST /api/session HTTP/1.1\r\nHost: {served.host}\r\nContent-Length: 20\r\n\r\n"
        made.sendall(head.encode() + b'{"key"')
        made.close()
        settled(served)

        text = served.get("/metrics").text

    assert 'route="/api/session"' not in text


def settled(served: Threaded) -> None:
    """Wait until the server has told of a request that was broken off."""
    for _ in range(1000):
        if 'status="499"' in served.get("/metrics").text:
            return
    pytest.fail("the broken request was not told of")
