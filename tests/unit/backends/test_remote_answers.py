"""Whatever a server answers: what is none of our forms is one clear failure, never a traceback."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from tests.hostile_server import WORKSPACE, Hostile, hostile

from holdfast.core.errors import HoldfastError
from holdfast.core.event import Event
from holdfast.exchange.http.http_peer import NotAServerAnswer, RemoteShared
from holdfast.exchange.peer import Swap

SWAP = Swap(path="memory/x.md", data=b"x", then="")
ASKED: dict[str, Callable[[RemoteShared], object]] = {
    "/api/workspaces": lambda there: there.workspaces(),
    "/api/team": lambda there: there.team(),
    "/sync": lambda there: (there.since("before"), there.files()),
    "/sync/file": lambda there: there.read("memory/x.md"),
    "/sync/fetch": lambda there: there.fetch(["memory/x.md"]),
    "/sync/swap": lambda there: there.swap("memory/x.md", b"x", ""),
    "/sync/swaps": lambda there: there.put([SWAP]),
    "/sync/events": lambda there: there.append([Event(client="codex", name="prompt", key="k")]),
    "/sync/gone": lambda there: there.gone(),
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
    there = RemoteShared(server.url, "token", WORKSPACE)

    for raw in NONE.values():
        server.raw = {route: raw}
        with suppress(HoldfastError):
            ASKED[route](there)


@pytest.mark.parametrize("route", ASKED)
def test_an_answer_that_is_deeper_than_any_is_named_as_none(server: Hostile, route: str) -> None:
    server.raw = {route: NONE["deep"]}

    with pytest.raises(NotAServerAnswer, match="something else") as raised:
        ASKED[route](RemoteShared(server.url, "token", WORKSPACE))

    assert server.url in str(raised.value)
    assert raised.value.hint


def test_answers_to_several_swaps_are_as_many_as_were_asked(server: Hostile) -> None:
    server.raw = {"/sync/swaps": b'{"now": ["", ""]}'}

    with pytest.raises(NotAServerAnswer):
        RemoteShared(server.url, "token", WORKSPACE).put([SWAP])
