"""Each way in that a stranger would try, against a real server process."""

import json
import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import PATIENCE, Served, holdfast, new_workspace, read_answer, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from holdfast.server.http.security.callers import Right
from holdfast.server.http.security.server_tokens import TokenStore
from holdfast.server.http.security.studio_links import GOOD_FOR, new_link

PRIVATE = ("/api/health", "/api/me", "/api/workspaces", "/api/openapi.json", "/api/nothing-here", "/metrics", "/mcp")
# What a body is sent to although nothing is changed by it.
READING = (
    "/api/session",
    "/api/tickets",
    "/api/workspace/{wid}/health/verify",
    "/api/workspace/{wid}/pack",
    "/api/workspace/{wid}/search",
    "/api/workspace/{wid}/sync/fetch",
)
SECRET = "hunter2-do-not-log-me"


def token_with(served: Served, *rights: str) -> str:
    return TokenStore(str(served.home)).add(f"t{time.monotonic_ns()}", map(Right, rights))


def key_of(served: Served) -> str:
    return new_link(str(served.home), served.url).partition("#key=")[2]


def close_code(opened: ClientConnection) -> int:
    """Read until the server closes; its code."""
    try:
        while True:
            opened.recv(PATIENCE)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def closed_with(served: Served, path: str, **more: Any) -> int:
    """The code that a socket is closed with."""
    with pytest.raises(ConnectionClosed) as closed, served.socket(path, **more) as opened:
        opened.recv()
    assert closed.value.rcvd
    return closed.value.rcvd.code


# Without a token


@pytest.mark.parametrize("path", PRIVATE)
def test_nothing_but_the_page_answers_without_a_token(served: Served, path: str) -> None:
    answer = served.get(path, token=None)

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_wrong_token_and_a_missing_one_are_told_alike(served: Served) -> None:
    missing, wrong, empty = (
        {**served.get("/api/me", token=None, headers=headers).json(), "instance": ""}
        for headers in ({}, {"Authorization": "Bearer hfst_wrong"}, {"Authorization": "Bearer"})
    )

    assert missing == wrong == empty


@pytest.mark.parametrize("given", ["Basic {}", "{}", "Bearer  x{}", "bearer{}", "Bearer {}x"])
def test_a_token_counts_only_as_a_whole_bearer(served: Served, given: str) -> None:
    answer = served.get("/api/me", token=None, headers={"Authorization": given.format(served.token)})

    assert answer.status_code == 401


def test_a_token_in_the_address_or_a_cookie_opens_nothing(served: Served) -> None:
    by_query = served.get(f"/api/me?token={served.token}&access_token={served.token}", token=None)
    by_cookie = served.get("/api/me", token=None, headers={"Cookie": f"token={served.token}"})

    assert (by_query.status_code, by_cookie.status_code) == (401, 401)


def test_two_tokens_in_one_request_open_nothing(served: Served) -> None:
    good = f"Authorization: Bearer {served.token}\r\n"
    answer = served.raw(f"GET /api/me HTTP/1.1\r\nHost: {served.host}\r\n{good}{good}\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 401")


# DNS rebinding


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:{}", "localhost", "127.0.0.1:1", "0.0.0.0:{}", "[::1", "@:{}"]
)
def test_a_name_that_is_not_ours_is_refused_with_and_without_a_token(served: Served, host: str) -> None:
    headers = {"Host": host.format(served.port)}

    assert served.get("/", token=None, headers=headers).status_code == 403
    assert served.get("/api/me", headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["localhost:{}", "LOCALHOST:{}", "127.0.0.1:{}", "[::1]:{}"])
def test_every_name_of_this_machine_is_ours(served: Served, host: str) -> None:
    assert served.get("/api/me", headers={"Host": host.format(served.port)}).status_code == 200


def test_a_request_with_two_hosts_or_none_is_refused(served: Served) -> None:
    good = f"Authorization: Bearer {served.token}\r\n"
    two = served.raw(f"GET /api/me HTTP/1.1\r\nHost: {served.host}\r\nHost: evil.example\r\n{good}\r\n".encode())
    none = served.raw(f"GET /api/me HTTP/1.0\r\n{good}\r\n".encode())

    assert two.split()[1] in {b"400", b"403"}
    assert none.split()[1] in {b"400", b"403"}


# Pages of other sites


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "https://127.0.0.1:{}", "http://127.0.0.1:{}.evil"]
)
def test_a_page_of_another_site_gets_nothing_even_with_a_token(served: Served, origin: str) -> None:
    answer = served.post("/api/tickets", headers={"Origin": origin.format(served.port)})

    assert answer.status_code == 403


def test_our_own_page_may_ask(served: Served) -> None:
    headers = {"Origin": served.url, "Sec-Fetch-Site": "same-origin"}

    assert served.post("/api/tickets", headers=headers).status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_calls_cross_site_is_refused(served: Served, site: str) -> None:
    assert served.get("/api/me", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert served.get("/assets/x.js", token=None, headers={"Sec-Fetch-Site": site}).status_code == 403


def test_another_site_may_lead_a_person_to_the_page_and_nothing_more(served: Served) -> None:
    leads = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}

    assert served.get("/", token=None, headers=leads).status_code == 200
    assert served.get("/api/me", headers=leads).status_code == 403
    assert served.get("/", token=None, headers={**leads, "Sec-Fetch-Dest": "iframe"}).status_code == 403


def test_a_preflight_is_refused_and_no_answer_opens_the_origin(served: Served) -> None:
    asks = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
    answers = [
        served.ask("OPTIONS", "/api/me", token=None, headers=asks),
        served.ask("OPTIONS", "/", token=None, headers={**asks, "Origin": served.url}),
        served.get("/api/me"),
        served.get("/", token=None),
    ]

    assert [answer.status_code for answer in answers] == [403, 405, 200, 200]
    assert not [name for answer in answers for name in answer.headers if name.startswith("access-control")]
    assert not [name for answer in answers for name in answer.headers if name == "set-cookie"]


# Sockets


def test_a_socket_of_another_site_is_refused_before_it_opens(served: Served, wid: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        served.socket(f"/api/workspace/{wid}/events", additional_headers={"Origin": "https://evil.example"})

    assert refused.value.response.status_code == 403


def test_a_socket_to_a_foreign_name_is_refused_before_it_opens(served: Served, wid: str) -> None:
    asked = (
        f"GET /api/workspace/{wid}/events?ticket={served.ticket()} HTTP/1.1\r\nHost: evil.example\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )

    assert served.raw(asked.encode()).startswith(b"HTTP/1.1 403")


def test_a_socket_without_a_good_ticket_is_closed_with_4401(served: Served, wid: str) -> None:
    path = f"/api/workspace/{wid}/events"

    assert closed_with(served, path, ticket="") == 4401
    assert closed_with(served, path, ticket="guessed") == 4401
    assert closed_with(served, path, ticket=served.token) == 4401
    assert closed_with(served, "/api/nothing", ticket="") == 4401


def test_a_ticket_opens_one_socket_only(served: Served, wid: str) -> None:
    ticket = served.ticket()
    with served.socket("/api/nothing", ticket="x"):
        pass

    with pytest.raises(InvalidStatus):
        served.socket("/api/nothing", ticket=ticket)

    assert closed_with(served, f"/api/workspace/{wid}/events", ticket=ticket) == 4401


def test_a_message_beyond_the_limit_closes_its_socket_alone(served: Served, wid: str) -> None:
    path = f"/api/workspace/{wid}/events"
    with served.socket(path) as loud, served.socket(path) as other:
        assert json.loads(other.recv(PATIENCE))["type"] == "snapshot"
        loud.send("x" * 70_000)

        assert close_code(loud) == 1009
        other.ping().wait(PATIENCE)


# One-time links


def test_a_link_gives_the_token_once(served: Served) -> None:
    key = key_of(served)

    first = served.post("/api/session", token=None, json={"key": key})
    again = served.post("/api/session", token=None, json={"key": key})

    given = first.json().pop("token")
    assert first.json() == {"token": given, "name": "owner", "rights": ["read", "review", "run"]}
    # One of its own: the token in the home folder is no proof of a person.
    assert given != served.token
    assert served.get("/api/me", token=given).status_code == 200
    assert again.status_code == 401
    assert served.token not in again.text


def test_an_old_link_gives_nothing(served: Served) -> None:
    key = key_of(served)
    for file in (served.home / "serve").glob("link-*"):
        os.utime(file, (time.time() - GOOD_FOR - 1,) * 2)

    assert served.post("/api/session", token=None, json={"key": key}).status_code == 401
    assert served.post("/api/session", token=None, json={"key": key}).status_code == 401


@pytest.mark.parametrize("key", ["", "../token", "token", "\u0000", "x" * 201])
def test_a_key_that_names_a_file_gives_nothing(served: Served, key: str) -> None:
    answer = served.post("/api/session", token=None, json={"key": key})

    assert answer.status_code in {401, 422}
    assert (served.home / "serve/token").exists()


def test_another_site_cannot_spend_a_key(served: Served) -> None:
    key = key_of(served)

    stolen = served.post("/api/session", token=None, json={"key": key}, headers={"Origin": "https://evil.example"})

    assert stolen.status_code == 403
    assert served.post("/api/session", token=None, json={"key": key}).status_code == 200


# Rights


def test_a_token_does_what_it_is_for_and_no_more(served: Served) -> None:
    reads, reviews = token_with(served), token_with(served, "review")

    assert served.get("/api/me", token=reads).json()["rights"] == ["read"]
    assert served.get("/api/me", token=reviews).json()["rights"] == ["read", "review"]
    assert served.get("/api/tokens", token=reads).status_code == 403
    assert served.get("/api/tokens", token=reviews).status_code == 200


def test_a_token_that_reads_changes_nothing(served: Served, wid: str) -> None:
    reads = token_with(served)
    contract = served.get("/api/openapi.json").json()["paths"]
    asked = [
        (method.upper(), path, re.sub(r"\{[^}]*\}", "x", path.replace("{wid}", wid)))
        for path, methods in contract.items()
        for method in methods
        if method != "get"
    ]

    let_in = {
        f"{method} {template}"
        for method, template, path in asked
        if served.ask(method, path, token=reads, json={}).status_code != 403
    }

    assert len(asked) > 20
    assert let_in == {f"POST {path}" for path in READING}


def test_a_removed_token_opens_nothing_at_once(served: Served) -> None:
    tokens = TokenStore(str(served.home))
    token = tokens.add("guest", ())
    assert served.get("/api/me", token=token).status_code == 200

    tokens.remove("guest")

    assert served.get("/api/me", token=token).status_code == 401


@pytest.mark.parametrize("name", ["guest", "owner"])
def test_the_sockets_of_a_token_that_was_removed_beside_are_closed(tmp_path: Path, name: str) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    wid = new_workspace(folder, home)
    with serving(home, folder) as served:
        token = served.token if name == "owner" else TokenStore(str(home)).add(name, ())
        kept = TokenStore(str(home)).add("kept", ())
        path = f"/api/workspace/{wid}/events"
        unused = served.ticket(token)
        with (
            served.socket(path, ticket=served.ticket(token)) as gone,
            served.socket(path, ticket=served.ticket(kept)) as stays,
        ):
            gone.recv(PATIENCE)
            stays.recv(PATIENCE)

            assert holdfast(home, folder, "serve", "token", "remove", name).returncode == 0

            assert close_code(gone) == 4401
            assert closed_with(served, path, ticket=unused) == 4401
            assert holdfast(home, folder, "remember", "learning", "Tabs, not spaces").returncode == 0
            assert json.loads(stays.recv(PATIENCE))["type"] == "memory_changed"


def test_a_token_made_anew_with_an_old_name_does_not_keep_the_old_ones_sockets(served: Served, wid: str) -> None:
    tokens, path = TokenStore(str(served.home)), f"/api/workspace/{wid}/events"
    token = tokens.add("again", ())
    with served.socket(path, ticket=served.ticket(token)) as opened:
        opened.recv(PATIENCE)

        tokens.remove("again")
        tokens.add("again", (Right.REVIEW, Right.RUN))

        assert close_code(opened) == 4401


def test_no_answer_and_no_file_but_one_holds_a_token(served: Served) -> None:
    token = token_with(served, "run")

    listed = served.get("/api/tokens").text
    files = [file for file in served.home.rglob("*") if file.is_file() and token in file.read_text(errors="replace")]

    assert token not in listed
    assert "sha256" not in listed
    assert files == []


# Paths


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/assets/../../../../../etc/passwd",
        "/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%5c..%5cetc%5cpasswd",
        "//etc/passwd",
        "/file:///etc/passwd",
    ],
)
def test_no_path_leads_out_of_the_page(served: Served, path: str) -> None:
    answer = served.raw(f"GET {path} HTTP/1.1\r\nHost: {served.host}\r\nConnection: close\r\n\r\n".encode())

    assert answer.split()[1] in {b"200", b"404"}
    assert b"root:" not in answer


@pytest.mark.parametrize("path", ["/api/me%00", "/%0d%0aSet-Cookie:x=1", "/api/%1b[31m"])
def test_control_characters_in_a_path_are_refused_and_come_back_inert(served: Served, path: str) -> None:
    answer = served.get(path)

    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers
    assert "\x1b" not in answer.text


# Browsers


@pytest.mark.parametrize("path", ["/", "/w/abc/review", "/api/me", "/api/nothing", "/docs", "/redoc"])
def test_every_answer_tells_browsers_to_run_nothing_of_others(served: Served, path: str) -> None:
    headers = served.get(path).headers
    policy = headers["content-security-policy"]

    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert (headers["cross-origin-opener-policy"], headers["cross-origin-resource-policy"]) == ("same-origin",) * 2
    assert "server" not in headers
    assert path.startswith("/api") == (headers["cache-control"] == "no-store")


def test_what_a_request_says_does_not_come_back_as_a_page(served: Served) -> None:
    script = "<script>alert(1)</script>"
    answers = [
        served.get(f"/api/{script}"),
        served.get("/api/me", headers={"Host": script}),
        served.post("/api/session", token=None, json={"key": script, script: 1}),
    ]

    assert [answer.headers["content-type"] for answer in answers] == ["application/problem+json"] * 3
    assert script not in served.get(f"/{script}", token=None).text


def test_no_page_of_ours_asks_another_machine(served: Served) -> None:
    contract = served.get("/api/openapi.json").text

    assert "http://" not in served.get("/docs", token=None).text
    assert "cdn" not in contract.lower()


# Size


def test_a_body_beyond_the_limit_is_refused_however_it_comes(served: Served) -> None:
    large = b'{"key": "' + b"x" * 1_100_000 + b'"}'

    def pieces() -> Any:
        yield from (large[at : at + 65_536] for at in range(0, len(large), 65_536))

    assert served.post("/api/session", token=None, content=large).status_code == 413
    assert served.post("/api/session", token=None, content=pieces()).status_code == 413
    assert served.get("/api/me").status_code == 200


def test_a_length_that_lies_is_refused(served: Served) -> None:
    head = f"POST /api/session HTTP/1.1\r\nHost: {served.host}\r\nContent-Type: application/json\r\n"
    negative = served.raw(f"{head}Content-Length: -5\r\n\r\n{{}}".encode())
    both = served.raw(f"{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode())
    huge = served.raw(f"{head}Content-Length: {10**30}\r\n\r\n{{}}".encode())

    assert negative.split()[1] == b"400"
    assert both.split()[1] in {b"400", b"422"}
    assert huge.split()[1] in {b"400", b"413"}


def test_a_huge_head_is_refused_and_the_server_lives_on(served: Served) -> None:
    answer = served.raw(f"GET / HTTP/1.1\r\nHost: {served.host}\r\nX: {'x' * 200_000}\r\n\r\n".encode())

    assert not answer or answer.split()[1] in {b"400", b"431"}
    assert served.get("/api/me").status_code == 200


def test_what_is_no_http_is_refused_and_the_server_lives_on(served: Served) -> None:
    for junk in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 5000, b"\xff\xfe\r\n\r\n"):
        served.raw(junk)

    assert served.get("/api/me").status_code == 200


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"\xff\xfe", b'{"key": "\\ud800"}', b"null", b'{"key": 1e999}'])
def test_a_body_that_is_no_answerable_json_is_refused(served: Served, body: bytes) -> None:
    answer = served.post("/api/session", token=None, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code in {400, 401, 422}


# The log


def test_the_log_holds_no_word_of_what_was_asked(tmp_path: Path, ground: tuple[Path, Path, str]) -> None:
    home, folder, wid = ground
    with serving(home, folder, "--log-format", "json", "-vv") as served:
        key = key_of(served)
        ticket = served.ticket()
        served.get(f"/api/workspace/{wid}/memory/{SECRET}?words={SECRET}", headers={"X-Word": SECRET})
        served.post(f"/api/workspace/{wid}/search", json={"query": SECRET, SECRET: 1})
        served.post(f"/api/workspace/{SECRET}/run", content=SECRET.encode())
        served.post(
            "/mcp", json={"method": SECRET, "jsonrpc": "2.0", "id": SECRET}, headers={"Holdfast-Workspace": wid}
        )
        served.get(f"/{SECRET}", token=None, headers={"Referer": f"http://{SECRET}/", "User-Agent": SECRET})
        served.get("/api/me", token=SECRET)
        served.get("/api/me", headers={"Host": f"{SECRET}.example"})
        served.post("/api/session", token=None, json={"key": key})
        served.raw(f"{SECRET} {SECRET}\r\n\r\n".encode())
        with served.socket("/api/nothing", ticket=SECRET):
            pass
        served.stop()
        said = served.log.read_text()

    lines = [json.loads(line) for line in said.splitlines()]
    assert {line.get("route") for line in lines} >= {"page", "/api/session", "/mcp"}
    for word in (SECRET, key, ticket, served.token, str(folder)):
        assert word not in said


# Who starts it, and where


def test_an_agent_cannot_start_a_server_or_make_a_token(served: Served) -> None:
    for words in (("serve", "--port", "0"), ("serve", "--open", "--no-browser"), ("serve", "token", "add", "me")):
        done = holdfast(served.home, served.folder, *words, CLAUDECODE="1")

        assert (done.returncode, done.stdout) == (2, "")
        assert "for a person" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_let_in_only_with_the_say_so_and_tls(served: Served, host: str) -> None:
    plain = holdfast(served.home, served.folder, "serve", "--port", "0", "--host", host)
    no_tls = holdfast(served.home, served.folder, "serve", "--port", "0", "--host", host, "--allow-remote")

    assert (plain.returncode, no_tls.returncode) == (2, 2)
    assert "--allow-remote" in plain.stderr
    assert "--tls-cert" in no_tls.stderr


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_token_that_others_can_reach_stops_the_start(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "home"
    assert holdfast(home, tmp_path, "serve", "token", "add", "x").returncode == 0
    (home / "serve/tokens.json").chmod(mode)

    done = holdfast(home, tmp_path, "serve", "--port", "0")

    assert (done.returncode, done.stdout) == (2, "")
    assert "open to other users" in done.stderr


def test_a_token_that_is_a_link_stops_the_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "serve").mkdir(parents=True, mode=0o700)
    planted = tmp_path / "planted"
    planted.write_text("hfst_" + "a" * 43)
    planted.chmod(0o600)
    (home / "serve/token").symlink_to(planted)

    done = holdfast(home, tmp_path, "serve", "--port", "0")

    assert done.returncode == 2
    assert "cannot be opened as a file" in done.stderr


def test_a_folder_that_others_can_reach_stops_the_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "serve").mkdir(parents=True)
    (home / "serve").chmod(0o755)

    assert holdfast(home, tmp_path, "serve", "--port", "0").returncode == 2


def test_the_files_are_nobody_elses(served: Served) -> None:
    folder = served.home / "serve"

    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert {oct(file.stat().st_mode & 0o777) for file in folder.iterdir()} == {"0o600"}


def test_a_client_that_sends_half_a_request_keeps_nobody_waiting(served: Served) -> None:
    slow: list[socket.socket] = [served.connected() for _ in range(20)]
    for each in slow:
        each.sendall(b"GET / HTTP/1.1\r\n")

    assert served.get("/api/me").status_code == 200
    for each in slow:
        each.close()


def test_a_pipelined_request_does_not_take_over_the_token_of_another(served: Served) -> None:
    good = f"GET /api/me HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {served.token}\r\n\r\n"
    bare = f"GET /api/me HTTP/1.1\r\nHost: {served.host}\r\n\r\n"
    with served.connected() as made:
        made.sendall((good + bare).encode())
        first = read_answer(made)
        answers = first if first.count(b"HTTP/1.1 ") == 2 else first + read_answer(made)

    assert [part.split()[0] for part in answers.split(b"HTTP/1.1 ")[1:]] == [b"200", b"401"]


# One request, seen as two


@pytest.mark.parametrize(
    ("version", "lengths"),
    [
        ("1.1", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
        ("1.1", "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"),
        ("1.0", "Transfer-Encoding: chunked\r\n"),
    ],
)
def test_a_body_whose_end_is_said_in_two_ways_is_refused_and_nothing_after_it_is_heard(
    served: Served, version: str, lengths: str
) -> None:
    good = f"Host: {served.host}\r\nAuthorization: Bearer {served.token}\r\n"
    hidden = f"GET /api/me HTTP/1.1\r\n{good}\r\n"
    with served.connected() as made:
        made.sendall(f"POST /api/tickets HTTP/{version}\r\n{good}{lengths}\r\n0\r\n\r\n{hidden}".encode())
        answers = b""
        while part := made.recv(65_536):
            answers += part

    assert answers.startswith(b"HTTP/1.1 400")
    assert answers.count(b"HTTP/1.1 ") == 1
    assert b"/problems/bad_request" in answers
