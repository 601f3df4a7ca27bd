"""Tokens, names and rights, without a server."""

import json
import os
import threading
from pathlib import Path

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.redact.clean import clean
from holdfast.server.http.http_app import make_app
from holdfast.server.http.security.callers import EVERY_RIGHT, Right
from holdfast.server.http.security.private_files import NotPrivate, PrivateFolder
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.security.server_tokens import BadTokenName, BrokenTokens, NameTaken, NoSuchToken, TokenStore
from holdfast.server.http.server_state import Serving

HERE = ServerNames(scheme="http", port=7457)
PROXIED = ServerNames(scheme="http", port=7457, names=("memory.example", "other.example:8443"), behind_proxy=True)
NAMED = ServerNames(scheme="https", port=7457, bound="0.0.0.0", names=("site.example",))


# Names


@pytest.mark.parametrize(
    ("own", "host", "local", "ours"),
    [
        (HERE, "127.0.0.1:7457", "", True),
        (HERE, "localhost:7457", "", True),
        (HERE, "[::1]:7457", "", True),
        (HERE, "127.0.0.1", "", False),
        (HERE, "127.0.0.1:80", "", False),
        (HERE, "", "", False),
        (HERE, ":7457", "", False),
        (HERE, "localhost.evil.example:7457", "", False),
        (HERE, "127.0.0.1:7457:7457", "", False),
        (HERE, "127.0.0.1:٧٤٥٧", "", False),
        (HERE, "user@127.0.0.1:7457", "", False),
        (HERE, "192.0.2.7:7457", "127.0.0.1", False),
        (HERE, "[::ffff:127.0.0.1]:7457", "127.0.0.1", False),
        (NAMED, "192.0.2.7:7457", "192.0.2.7", True),
        (NAMED, "[2001:db8::1]:7457", "2001:DB8::1", True),
        (NAMED, "site.example:7457", "192.0.2.7", True),
        (NAMED, "site.example", "192.0.2.7", True),
        (NAMED, "evil.example:7457", "192.0.2.7", False),
        (PROXIED, "memory.example", "127.0.0.1", True),
        (PROXIED, "memory.example:443", "127.0.0.1", True),
        (PROXIED, "memory.example:7457", "127.0.0.1", False),
        (PROXIED, "other.example:8443", "127.0.0.1", True),
        (PROXIED, "other.example", "127.0.0.1", False),
        (PROXIED, "127.0.0.1:7457", "127.0.0.1", True),
    ],
)
def test_a_host_is_ours_by_its_name_and_its_port(own: ServerNames, host: str, local: str, ours: bool) -> None:
    assert own.answers_to(host, local) is ours


@pytest.mark.parametrize(
    ("own", "origin", "host", "ours"),
    [
        (HERE, "http://127.0.0.1:7457", "127.0.0.1:7457", True),
        (HERE, "http://localhost:7457", "127.0.0.1:7457", False),
        (HERE, "https://127.0.0.1:7457", "127.0.0.1:7457", False),
        (HERE, "null", "127.0.0.1:7457", False),
        (HERE, "", "127.0.0.1:7457", False),
        (HERE, "http://127.0.0.1:7457@evil.example", "127.0.0.1:7457", False),
        (HERE, "http://127.0.0.1:7457/", "127.0.0.1:7457", False),
        (PROXIED, "https://memory.example", "memory.example", True),
        (PROXIED, "http://memory.example", "memory.example", False),
        (PROXIED, "https://other.example:8443", "other.example:8443", True),
        (PROXIED, "https://memory.example", "127.0.0.1:7457", False),
        (NAMED, "https://site.example:7457", "site.example:7457", True),
    ],
)
def test_an_origin_is_ours_when_it_is_the_hosts_own(own: ServerNames, origin: str, host: str, ours: bool) -> None:
    assert own.is_origin(origin, host) is ours


@pytest.mark.parametrize(
    ("own", "url"),
    [
        (HERE, "http://127.0.0.1:7457"),
        (NAMED, "https://127.0.0.1:7457"),
        (ServerNames(scheme="http", port=1, bound="::1"), "http://[::1]:1"),
    ],
)
def test_the_address_is_one_that_can_be_typed(own: ServerNames, url: str) -> None:
    assert own.url == url
    assert own.answers_to(url.partition("://")[2])


# Tokens


def test_the_persons_token_is_made_once_and_has_every_right(tmp_path: Path) -> None:
    first, second = TokenStore(str(tmp_path)), TokenStore(str(tmp_path))

    token = first.own()

    assert token == second.own() == first.own()
    assert len(token) == 48
    found = second.caller(token)
    assert found
    assert (found.name, found.rights) == ("owner", EVERY_RIGHT)


def test_many_who_ask_at_once_get_one_token(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(TokenStore(str(tmp_path)).own())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_further_token_is_kept_as_its_sum(tmp_path: Path) -> None:
    tokens = TokenStore(str(tmp_path))

    token = tokens.add("editor", {Right.REVIEW})

    kept = json.loads((tmp_path / "serve/tokens.json").read_text())["tokens"][0]
    assert token not in json.dumps(kept)
    assert kept["rights"] == ["read", "review"]
    found = TokenStore(str(tmp_path)).caller(token)
    assert found
    assert (found.name, found.may(Right.REVIEW), found.may(Right.RUN)) == ("editor", True, False)
    assert tokens.caller(kept["sha256"]) is None


def test_tokens_added_by_two_at_once_are_both_kept(tmp_path: Path) -> None:
    threads = [threading.Thread(target=lambda at=at: TokenStore(str(tmp_path)).add(f"t{at}", ())) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [each.name for each in TokenStore(str(tmp_path)).records()] == [f"t{at}" for at in range(6)]


@pytest.mark.parametrize("name", ["", "owner", "a b", "../x", "x" * 41, "ü", "\x1b[31m", "-_"])
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadTokenName):
        TokenStore(str(tmp_path)).add(name, ())


def test_two_tokens_of_one_name_are_refused_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    tokens = TokenStore(str(tmp_path))
    tokens.add("a", ())

    with pytest.raises(NameTaken):
        tokens.add("a", ())
    with pytest.raises(NoSuchToken):
        tokens.remove("b")


def test_the_persons_own_token_can_be_renewed(tmp_path: Path) -> None:
    tokens = TokenStore(str(tmp_path))
    old = tokens.own()

    TokenStore(str(tmp_path)).remove("owner")

    assert tokens.caller(old) is None
    new = tokens.own()
    assert new != old
    assert tokens.caller(new) is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tokens": [1]}', '{"tokens": [{"name": "a"}]}', "[" * 100_000])
def test_a_broken_file_of_tokens_is_told(tmp_path: Path, text: str) -> None:
    tokens = TokenStore(str(tmp_path))
    tokens.add("a", ())
    (tmp_path / "serve/tokens.json").write_text(text)

    with pytest.raises(BrokenTokens):
        tokens.records()


@pytest.mark.parametrize("text", ["", "short", "hfst_", "\xff" * 60, "other_" + "a" * 60])
def test_a_token_file_that_holds_none_is_told(tmp_path: Path, text: str) -> None:
    folder = PrivateFolder(str(tmp_path))
    folder.put("token", text.encode("latin-1"))

    with pytest.raises(BrokenTokens):
        TokenStore(str(tmp_path)).own()


def test_a_file_that_became_readable_to_others_lets_nobody_in(tmp_path: Path) -> None:
    tokens = TokenStore(str(tmp_path))
    token = tokens.own()
    assert tokens.caller(token)
    (tmp_path / "serve/token").write_text(token + "\n")
    (tmp_path / "serve/token").chmod(0o644)

    with pytest.raises(NotPrivate):
        TokenStore(str(tmp_path)).caller(token)


def test_a_pipe_in_place_of_a_token_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "serve").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "serve/token", 0o600)

    with pytest.raises(HoldfastError):
        TokenStore(str(tmp_path)).own()


def test_a_token_never_reaches_the_journal(tmp_path: Path) -> None:
    token = TokenStore(str(tmp_path)).own()

    assert token not in str(clean({"out": f"the token is {token}, take it"}).value)


# Rights


def test_every_route_of_a_workspace_says_what_it_needs(tmp_path: Path) -> None:
    app = make_app(Serving(str(tmp_path), HERE))
    contract = app.openapi()

    bare = [
        f"{method} {path}"
        for path, methods in contract["paths"].items()
        for method, route in methods.items()
        if not route.get("security") and path != "/api/session"
    ]

    assert bare == []
    assert len(contract["paths"]) > 40
