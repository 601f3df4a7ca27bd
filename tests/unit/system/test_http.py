"""The one client: what it sends, how long it waits, how much it reads, and what its failures say."""

import select
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.relaying import HERE, listening, make_certificate, read_request, with_tls

from holdfast.core.value import replace
from holdfast.system import http_errors
from holdfast.system.http import Halt, HttpClient, HttpRequest, HttpTimes, HttpWhole
from holdfast.system.http_errors import TlsFailed
from holdfast.system.http_proxies import HttpProxy, proxy_for

QUICK = HttpTimes(connect=5, piece=5, total=5)
SECRET = "sk-0123456789"
WITH_SECRET = HttpRequest(method="POST", path="/x", headers={"Authorization": f"Bearer {SECRET}"}, body=b"{}")
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Serve = Callable[[socket.socket], None]


def saying(answer: bytes) -> Serve:
    def serve(came: socket.socket) -> None:
        read_request(came)
        came.sendall(answer)

    return serve


def dripping(before: bytes, drop: bytes) -> Serve:
    """Answers without an end, until whoever asked goes away."""

    def serve(came: socket.socket) -> None:
        came.recv(1 << 16)
        came.sendall(before)
        for _ in range(100):
            came.sendall(drop)
            if select.select([came], [], [], 0.05)[0] and not came.recv(1 << 16):
                return

    return serve


def staying(answer: bytes, ended: threading.Event) -> Serve:
    def serve(came: socket.socket) -> None:
        came.recv(1 << 16)
        came.sendall(answer)
        ended.wait(10)

    return serve


def asked(serve: Serve, times: HttpTimes = QUICK, most: int = 1000, request: HttpRequest = WITH_SECRET) -> HttpWhole:
    with listening(serve) as port:
        return HttpClient(f"http://127.0.0.1:{port}/v1").ask(request, times, most)


def test_what_is_sent_is_the_request_and_little_more() -> None:
    seen: list[bytes] = []

    def serve(came: socket.socket) -> None:
        seen.append(read_request(came))
        came.sendall(GOOD)

    answer = asked(serve)

    assert (answer.status, answer.reason, answer.data) == (200, "OK", b"ok")
    head, _, body = seen[0].decode().partition("\r\n\r\n")
    first, *headers = head.split("\r\n")
    assert first == "POST /v1/x HTTP/1.1"
    assert {each.partition(":")[0] for each in headers} == {
        "Host", "Accept-Encoding", "Content-Length", "User-Agent", "Connection", "Authorization",
    }  # fmt: skip
    assert body == "{}"


def test_an_address_keeps_its_question() -> None:
    seen: list[bytes] = []

    def serve(came: socket.socket) -> None:
        seen.append(read_request(came))
        came.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with listening(serve) as port:
        HttpClient(f"http://127.0.0.1:{port}/rerank?key=1").ask(HttpRequest(), QUICK, 10)

    assert seen[0].startswith(b"GET /rerank?key=1 HTTP/1.1\r\n")


def test_a_redirect_is_an_answer_as_any() -> None:
    answer = asked(saying(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"))

    assert answer.status == 302


def test_an_answer_ends_where_it_says_and_not_when_the_line_does() -> None:
    ended = threading.Event()
    begun = time.monotonic()

    with listening(staying(GOOD, ended)) as port:
        answer = HttpClient(f"http://127.0.0.1:{port}").ask(HttpRequest(), QUICK, 10)
        ended.set()

    assert answer.data == b"ok"
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
        b"",
    ],
)
def test_an_answer_that_breaks_off_is_none(answer: bytes) -> None:
    with pytest.raises(http_errors.LineBroke, match="broke off") as broken:
        asked(saying(answer))

    assert broken.value.again


def test_what_is_no_http_is_not_repeated() -> None:
    with pytest.raises(http_errors.LineBroke) as broken:
        asked(saying(f"your key is {SECRET}\r\n\r\n".encode()))

    assert SECRET not in str(broken.value)


@pytest.mark.parametrize(
    "form", [b"Content-Length: 2000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n7d0\r\n", b"\r\n"]
)
def test_an_answer_is_read_as_far_as_it_may_be_large(form: bytes) -> None:
    with pytest.raises(http_errors.AnswerTooLarge):
        asked(saying(b"HTTP/1.1 200 OK\r\n" + form + b"x" * 2000), most=1000)


@pytest.mark.parametrize(
    "serve",
    [
        dripping(b"", b""),
        dripping(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
        dripping(b"HTTP/1.1 200 ", b"O"),
        dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    ],
)
def test_the_time_for_all_of_it_ends_whatever_still_comes(serve: Serve) -> None:
    begun = time.monotonic()

    with pytest.raises(http_errors.NoEndInTime):
        asked(serve, replace(QUICK, total=0.4))

    assert time.monotonic() - begun < 4


def test_a_piece_that_does_not_come_is_not_waited_for_longer_than_said() -> None:
    with pytest.raises(http_errors.NothingCame):
        asked(dripping(b"HTTP/1.1 200 OK\r\n\r\nx", b""), replace(QUICK, piece=0.2))


@pytest.mark.parametrize("drop", [b"", b"HTTP/1.1 200 OK\r\nX-More: 1\r\n"])
def test_a_proxy_has_the_time_for_connecting_and_no_more(drop: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(dripping(b"", drop)) as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")

        with pytest.raises(http_errors.NothingCame, match="through the proxy"):
            HttpClient("https://far.invalid").ask(HttpRequest(), replace(QUICK, connect=0.3), 10)


def test_tls_has_the_time_for_connecting_and_no_more() -> None:
    with listening(dripping(b"", b"")) as port, pytest.raises(http_errors.NothingCame):
        HttpClient(f"https://127.0.0.1:{port}").ask(HttpRequest(), replace(QUICK, connect=0.3), 10)


def test_what_speaks_no_tls_is_said() -> None:
    with listening(dripping(b"HTTP/1.1 400 Bad Request\r\n\r\n", b"")) as port, pytest.raises(TlsFailed) as failed:
        HttpClient(f"https://127.0.0.1:{port}").ask(HttpRequest(), QUICK, 10)

    assert "https" in failed.value.hint


def test_a_name_with_several_addresses_is_reached_at_the_one_that_answers() -> None:
    with listening(saying(GOOD)) as port:
        assert HttpClient(f"http://localhost:{port}").ask(HttpRequest(), QUICK, 10).data == b"ok"


def test_a_certificate_is_for_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with listening(saying(GOOD)) as port, with_tls(f"http://127.0.0.1:{port}", certificate) as url:
        assert HttpClient(url).ask(HttpRequest(), QUICK, 10).data == b"ok"

        with pytest.raises(http_errors.CertificateRejected, match="not trusted"):
            HttpClient(url.replace(HERE, "127.0.0.1")).ask(HttpRequest(), QUICK, 10)


@pytest.mark.parametrize(
    ("url", "header", "path"),
    [
        ("http://127.0.0.1:9", f"{SECRET}\nX: y", ""),
        ("http://127.0.0.1:9", f"{SECRET}…", ""),
        ("http://127.0.0.1:9", SECRET, "/a b"),
        ("http://127.0.0.1:9", SECRET, "/ä"),
        ("http://127.0.0.1:port", SECRET, ""),
        ("http://.invalid", SECRET, ""),
        (f"http://{'x' * 70}.invalid", SECRET, ""),
    ],
)
def test_what_cannot_be_sent_is_said_without_it(url: str, header: str, path: str) -> None:
    with listening(saying(b"")) as port:
        client = HttpClient(url.replace(":9", f":{port}"))
        with pytest.raises((http_errors.UnsendableRequest, http_errors.UnknownHost)) as failed:
            client.ask(HttpRequest(path=path, headers={"Authorization": header}), QUICK, 10)

    assert SECRET not in str(failed.value) + repr(failed.value) + failed.value.hint
    assert failed.value.__suppress_context__ or failed.value.__context__ is None


def test_no_name_of_it_holds_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://ann:{SECRET}@127.0.0.1:3128")

    found = proxy_for("https", "far.invalid", 443)

    assert isinstance(found, HttpProxy)
    assert SECRET not in repr(found) + repr(WITH_SECRET) + repr(HttpClient(f"https://ann:{SECRET}@far.invalid"))


@pytest.mark.parametrize(
    ("said", "name", "proxied"),
    [
        ("", "far.example", True),
        ("far.example", "far.example", False),
        ("example", "far.example", False),
        (".example", "far.example", False),
        ("ar.example", "far.example", True),
        ("far.example:443", "far.example", False),
        ("far.example:80", "far.example", True),
        ("2001:db8::1", "2001:db8::1", False),
        ("", "127.8.9.1", False),
        ("", "::1", False),
        ("", "localhost", False),
    ],
)
def test_which_hosts_need_no_proxy(said: str, name: str, proxied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "127.0.0.1:3128")
    monkeypatch.setenv("no_proxy", said)

    assert (proxy_for("https", name, 443) is not None) is proxied


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_request_is_ended_from_another_thread_wherever_it_waits(scheme: str) -> None:
    halt = Halt()
    timer = threading.Timer(0.2, halt.now)
    with listening(dripping(b"", b"")) as port:
        client = HttpClient(f"{scheme}://127.0.0.1:{port}")
        timer.start()
        begun = time.monotonic()

        with pytest.raises(http_errors.RequestGivenUp):
            client.open(HttpRequest(), QUICK, halt).__enter__()

    assert time.monotonic() - begun < 3
    timer.join()


def test_what_was_given_up_before_it_began_asks_nobody() -> None:
    halt = Halt()
    halt.now()

    with listening(saying(GOOD)) as port, pytest.raises(http_errors.RequestGivenUp):
        HttpClient(f"http://127.0.0.1:{port}").open(HttpRequest(), QUICK, halt).__enter__()


def test_what_goes_wrong_with_whoever_reads_is_not_the_lines() -> None:
    with listening(saying(GOOD)) as port:
        client = HttpClient(f"http://127.0.0.1:{port}")

        with pytest.raises(ValueError, match="mine"), client.open(HttpRequest(), QUICK):
            raise ValueError("mine")
