"""A model's endpoint that stalls, refuses, lies and breaks off."""

import asyncio
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.unit.llm.talking import (
    DIALECTS,
    KEY,
    QUICK,
    Answer,
    Handler,
    anthropic_events,
    asking,
    model_at,
    serving,
    sse,
    status,
    streaming,
)
from tests.waiting import LONG, SOON, waiting_for

from holdfast.core.errors import BadRequest, HoldfastError, NotFound, Refused, Unavailable
from holdfast.core.model import TextDelta
from holdfast.core.value import replace
from holdfast.llm import wire as wires
from holdfast.llm.http_model import EndpointModel, ModelIdentity
from holdfast.llm.wire import ModelTimeouts, ModelWire
from holdfast.system.http import Halt

GOOD = streaming(anthropic_events())
EVERY = pytest.mark.parametrize("dialect", DIALECTS)


@EVERY
@pytest.mark.parametrize(
    ("code", "family", "word"),
    [
        (401, Refused, "key"),
        (403, Refused, "key"),
        (404, NotFound, "does not have it"),
        (400, BadRequest, "did not take"),
    ],
)
def test_a_no_is_told_and_not_asked_again(dialect: str, code: int, family: type[HoldfastError], word: str) -> None:
    with serving(status(code, f"no, {KEY} is bad")) as server:
        with pytest.raises(family, match=word) as caught:
            model_at(server, dialect).complete(asking())

        assert len(server.seen) == 1
    assert "no, … is bad" in str(caught.value)
    assert KEY not in str(caught.value) + str(caught.value.__context__) + str(caught.value.__cause__)
    assert caught.value.hint


@EVERY
def test_trouble_of_its_own_is_asked_again(dialect: str) -> None:
    good = streaming(DIALECTS[dialect][1]())
    with serving(status(500, "sorry"), status(529), good) as server:
        assert model_at(server, dialect).complete(asking()).text == "Hello."

        assert len(server.seen) == 3


def test_patience_ends() -> None:
    with serving(status(503, "overloaded")) as server:
        with pytest.raises(Unavailable, match=r"503: overloaded"):
            model_at(server).complete(asking())

        assert len(server.seen) == QUICK.attempts


@pytest.mark.parametrize(("header", "said"), [("Retry_After", "1"), ("retry_after_ms", "700")])
def test_what_it_asks_to_wait_is_waited(header: str, said: str) -> None:
    begun = time.monotonic()
    with serving(status(429, "slow down", **{header: said}), GOOD) as server:
        model_at(server).complete(asking())

    assert 0.65 < time.monotonic() - begun < SOON


def test_a_wait_that_is_too_long_is_told_instead() -> None:
    begun = time.monotonic()
    with serving(status(429, "slow down", Retry_After="3600")) as server:
        with pytest.raises(Unavailable, match=r"wait 3600 s"):
            model_at(server).complete(asking())

        assert len(server.seen) == 1
    assert time.monotonic() - begun < SOON


def test_a_date_to_wait_for_is_understood() -> None:
    with serving(status(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), GOOD) as server:
        assert model_at(server).complete(asking()).text == "Hello."


def test_pauses_grow_and_are_spread() -> None:
    pauses: list[float] = []

    class Watching(Halt):
        def pause(self, seconds: float) -> None:
            pauses.append(seconds)

    with serving(status(500)) as server:
        model = model_at(server, patience=replace(QUICK, attempts=4, first_pause=0.4))
        with pytest.raises(Unavailable):
            list(model._pieces(asking(), Watching(), whole=True))

    assert [0.2 * 2**n <= pause <= 0.4 * 2**n for n, pause in enumerate(pauses)] == [True, True, True]


def silent(handler: Handler) -> None:
    handler.server.over.wait(LONG)


def stalling(handler: Handler) -> None:
    handler.begin()
    handler.piece(sse(anthropic_events()[:4], done=False))
    handler.server.over.wait(LONG)


def dripping(handler: Handler) -> None:
    handler.begin()
    while not handler.server.over.wait(0.05):
        handler.piece(b": keep alive\n\n")


@pytest.mark.parametrize("stall", [silent, stalling, dripping])
def test_an_answer_that_does_not_come_or_end_is_given_up(stall: Answer) -> None:
    patience = ModelTimeouts(connect=1, read=0.3, total=0.9, attempts=2, first_pause=0.01)
    begun = time.monotonic()
    with serving(stall) as server, pytest.raises(Unavailable, match="too slow"):
        model_at(server, patience=patience).complete(asking())

    assert time.monotonic() - begun < SOON


@EVERY
def test_nobody_there_is_said_at_once(dialect: str) -> None:
    with serving(GOOD) as server:
        model = model_at(server, dialect)
    begun = time.monotonic()

    with pytest.raises(Unavailable, match="refused"):
        model.complete(asking())
    assert time.monotonic() - begun < SOON


def truncated(handler: Handler) -> None:
    handler.begin()
    handler.piece(sse(anthropic_events()[:4], done=False) + b'data: {"type": "content_blo')
    handler.close_connection = True


def ended_early(handler: Handler) -> None:
    handler.begin()
    handler.piece(sse(anthropic_events()[:4], done=False))
    handler.end()


def slammed(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("broken", [truncated, ended_early, slammed])
def test_a_reply_that_breaks_off_is_asked_for_again(broken: Answer) -> None:
    with serving(broken, GOOD) as server:
        assert model_at(server).complete(asking()).text == "Hello."

        assert len(server.seen) == 2


def html(handler: Handler) -> None:
    handler.plain(200, b"<html>Please log in</html>", "text/html")


def no_json(handler: Handler) -> None:
    handler.begin()
    handler.piece(b"data: {oops\n\n")
    handler.end()


def a_list(handler: Handler) -> None:
    handler.begin()
    handler.piece(b"data: [1, 2]\n\n")
    handler.end()


def deep(handler: Handler) -> None:
    handler.begin()
    handler.piece(b"data: " + b'{"a":' * 100_000 + b"\n\n")
    handler.end()


def moved(handler: Handler) -> None:
    handler.plain(307, b"", "text/plain", Location="http://127.0.0.1:9/stolen")


def endless_line(handler: Handler) -> None:
    handler.begin()
    while True:
        handler.piece(b"x" * 500_000)


def endless_events(handler: Handler) -> None:
    handler.begin()
    piece = sse(anthropic_events("y" * 200_000)[3:4], done=False)
    while True:
        handler.piece(piece)


@EVERY
@pytest.mark.parametrize("rubbish", [html, no_json, a_list, deep, moved])
def test_rubbish_is_told_as_such(dialect: str, rubbish: Answer) -> None:
    with serving(rubbish) as server:
        with pytest.raises(Unavailable, match="answered with") as caught:
            model_at(server, dialect).complete(asking())

        assert len(server.seen) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("huge", [endless_line, endless_events])
def test_an_answer_without_end_is_cut_off(huge: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wires, "LARGEST_ANSWER", 3_000_000)
    monkeypatch.setattr(wires, "LARGEST_EVENT", 1_000_000)
    with serving(huge) as server, pytest.raises(Unavailable, match="more than an answer can be"):
        model_at(server).complete(asking())


def test_a_large_answer_is_taken() -> None:
    with serving(streaming(anthropic_events("z" * 3_000_000), size=60_000)) as server:
        assert len(model_at(server).complete(asking()).text) == 3_000_000


def test_bad_utf8_is_replaced() -> None:
    def answer(handler: Handler) -> None:
        handler.begin()
        handler.piece(sse(anthropic_events("Hello.")).replace(b"Hel", b"H\xff\xfel"))
        handler.end()

    with serving(answer) as server:
        assert model_at(server).complete(asking()).text == "H\ufffd\ufffdllo."


def test_half_a_surrogate_in_the_request_does_no_harm() -> None:
    with serving(GOOD) as server:
        assert model_at(server).complete(asking("half \ud83d")).text == "Hello."


@pytest.mark.parametrize(
    ("dialect", "event", "again"),
    [
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, True),
        ("anthropic", {"type": "error", "error": {"type": "invalid_request_error", "message": "No"}}, False),
        ("chat", {"error": {"message": "No"}}, False),
        (
            "responses",
            {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}},
            True,
        ),
        ("responses", {"type": "error", "code": "bad", "message": "No"}, False),
        ("gemini", {"error": {"code": 503, "message": "busy"}}, True),
    ],
)
def test_an_error_in_the_stream_is_asked_again_where_that_may_help(
    dialect: str, event: dict[str, object], again: bool
) -> None:
    with serving(streaming([event]), streaming(DIALECTS[dialect][1]())) as server:
        model = model_at(server, dialect)
        if again:
            assert model.complete(asking()).text == "Hello."
        else:
            with pytest.raises(Unavailable, match="an error: No"):
                model.complete(asking())

        assert len(server.seen) == (2 if again else 1)


def test_what_was_streamed_once_is_not_asked_for_again() -> None:
    async def run(model: EndpointModel) -> None:
        deltas = model.stream(asking())
        assert isinstance(await anext(deltas), TextDelta)
        async for _ in deltas:
            pass

    with serving(ended_early, GOOD) as server:
        with pytest.raises(Unavailable, match="broke off"):
            asyncio.run(run(model_at(server)))

        assert len(server.seen) == 1


def test_closing_a_stream_ends_the_request() -> None:
    async def run() -> None:
        with serving(stalling) as server:
            begun = time.monotonic()
            model = model_at(server, patience=replace(QUICK, read=LONG, total=LONG))
            async with aclosing(model.stream(asking())) as deltas:
                async for _ in deltas:
                    break
            assert time.monotonic() - begun < SOON
        assert not [thread for thread in threading.enumerate() if thread.name == "holdfast-model"]

    asyncio.run(run())


def test_a_stream_that_waits_for_nothing_is_ended_by_cancelling() -> None:
    async def run() -> None:
        with serving(silent) as server:
            model = model_at(server, patience=replace(QUICK, read=LONG, total=LONG))

            async def ask() -> None:
                async with aclosing(model.stream(asking())) as deltas:
                    async for _ in deltas:
                        pass

            task = asyncio.create_task(ask())
            await waiting_for(lambda: server.seen, "the request")
            begun = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - begun < SOON

    asyncio.run(run())


def test_a_certificate_that_nobody_signed_is_not_trusted(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl is needed to make a certificate")
    key, cert = tmp_path / "key", tmp_path / "cert"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
         "-subj", "/CN=localhost"], check=True, capture_output=True, timeout=LONG,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with serving(GOOD) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        url = server.url.replace("http:", "https:")
        wire = ModelWire("anthropic:x", url, KEY, QUICK)
        model = EndpointModel(ModelIdentity(name="anthropic:x", model="x"), DIALECTS["anthropic"][0](), wire, KEY)

        with pytest.raises(Refused, match="not trusted") as caught:
            model.complete(asking())

        assert server.seen == []
    assert "SSL_CERT_FILE" in caught.value.hint


def test_no_proxy_is_asked_for_what_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(GOOD) as server:
        assert model_at(server).complete(asking()).text == "Hello."


def test_a_proxy_is_asked_for_what_is_elsewhere_and_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def proxy() -> None:
        connection, _ = listening.accept()
        with connection:
            seen.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    thread = threading.Thread(target=proxy, daemon=True)
    thread.start()
    monkeypatch.setenv("https_proxy", f"http://ann:s3cret@127.0.0.1:{listening.getsockname()[1]}")
    monkeypatch.setenv("no_proxy", "")
    wire = ModelWire("anthropic:x", "https://models.invalid", KEY, replace(QUICK, attempts=1))
    model = EndpointModel(ModelIdentity(name="anthropic:x", model="x"), DIALECTS["anthropic"][0](), wire, KEY)

    with pytest.raises(Unavailable, match="was not reached") as caught:
        model.complete(asking())
    thread.join(LONG)
    listening.close()

    assert seen[0].startswith(b"CONNECT models.invalid:443 ")
    assert KEY.encode() not in seen[0]
    assert "s3cret" not in str(caught.value)


def test_the_body_is_json_in_utf8() -> None:
    with serving(GOOD) as server:
        model_at(server).complete(asking("Grüße"))

    assert json.loads(json.dumps(server.seen[0][2]))["messages"][0]["content"][0]["text"] == "Grüße"
