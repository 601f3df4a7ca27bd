"""Whatever a server answers: what is none of our forms is one clear failure, never a traceback."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from tests.hostile_server import WORKSPACE, Hostile, hostile
from tests.relaying import listening, read_request

from holdfast.core.errors import HoldfastError
from holdfast.core.event import Event
from holdfast.exchange.http.http_peer import HttpPeer, NotAServerAnswer, TokenRefused
from holdfast.exchange.peer import Swap

SWAP = Swap(path="memory/x.md", data=b"x", then="")
ASKED: dict[str, Callable[[HttpPeer], object]] = {
    "/api/workspaces": lambda there: there.workspaces(),
    "/api/team": lambda there: there.team(),
    "/sync": lambda there: (there.since("before"), there.files()),
    "/sync/fetch": lambda there: there.fetch(["memory/x.md"]),
    "/sync/swap": lambda there: there.swap("memory/x.md", b"x", ""),
    "/sync/swaps": lambda there: there.put([SWAP]),
    "/sync/events": lambda there: there.append([Event(client="codex", name="prompt", key="k")]),
    "/sync/gone": lambda there: there.list_marks(),
    "/forget": lambda there: there.forget({"ids": ["DEC-7K2MQ4"]}),
}
NONE = {
    "deep": b"[" * 500_000, "row": b"[7]", "null": b"null", "text": b'"x"', "number": b"9" * 5000, "empty": b"",
    "no text": b"\xff\xfe", "wrong": b'{"files": 7, "marks": 7, "now": {}, "fresh": [], "looked": null, "found": 7}',
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Hostile]:
    with hostile() as found:
        yield found


@pytest.mark.parametrize("route", ASKED)
def test_an_answer_of_another_shape_ends_in_a_failure_that_we_name(server: Hostile, route: str) -> None:
    there = HttpPeer(server.url, "token", WORKSPACE)

    for raw in NONE.values():
        server.raw = {route: raw}
        with suppress(HoldfastError):
            ASKED[route](there)


@pytest.mark.parametrize("route", ASKED)
def test_an_answer_that_is_deeper_than_any_is_named_as_none(server: Hostile, route: str) -> None:
    server.raw = {route: NONE["deep"]}

    with pytest.raises(NotAServerAnswer, match="something else") as raised:
        ASKED[route](HttpPeer(server.url, "token", WORKSPACE))

    assert server.url in str(raised.value)
    assert raised.value.hint


def test_answers_to_several_swaps_are_as_many_as_were_asked(server: Hostile) -> None:
    server.raw = {"/sync/swaps": b'{"now": ["", ""]}'}

    with pytest.raises(NotAServerAnswer):
        HttpPeer(server.url, "token", WORKSPACE).put([SWAP])


def test_a_token_that_a_server_repeats_is_not_shown() -> None:
    def serve(came: socket.socket) -> None:
        read_request(came)
        told = json.dumps({"detail": "no hfst_secret\nhere", "hint": "hfst_secret"}).encode()
        came.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told))

    with listening(serve) as port, pytest.raises(TokenRefused, match="no … here") as refused:
        HttpPeer(f"http://127.0.0.1:{port}", "hfst_secret", WORKSPACE).workspaces()

    assert refused.value.hint == "…"


def test_an_answer_larger_than_any_is_named_as_none() -> None:
    def serve(came: socket.socket) -> None:
        read_request(came)
        came.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            came.sendall(b" " * (1 << 20))

    with listening(serve) as port, pytest.raises(NotAServerAnswer):
        HttpPeer(f"http://127.0.0.1:{port}", "token", WORKSPACE).workspaces()
