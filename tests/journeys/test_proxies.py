"""A team's server, a model and an embedder: one environment, one proxy for all three."""

import base64
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.hostile_server import TOKEN, WORKSPACE, Hostile, hostile
from tests.journeys.conftest import run_in
from tests.relaying import HERE, Proxy, make_certificate, proxy, with_tls
from tests.unit.embed import models
from tests.unit.llm import talking

from holdfast.config.settings import SETTINGS
from holdfast.core.embedder import Missing
from holdfast.core.errors import HoldfastError
from holdfast.core.model_port import NoModel
from holdfast.core.value import Value
from holdfast.embed.open_embedder import open_embedder
from holdfast.exchange.http.http_peer import HttpPeer, ServerUnreachable
from holdfast.llm.http_model import EndpointModel, ModelIdentity
from holdfast.llm.open_model import open_model
from holdfast.llm.wire import ModelWire

KEY = "sk-behind-a-proxy-0123456789"
DEAD = "http://127.0.0.1:9"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class Three(Value):
    """Where each of them is."""

    server: str
    model: str
    embedder: str
    heard: Hostile

    def hosts(self) -> list[str]:
        return [url.split("/")[2] for url in (self.server, self.model, self.embedder)]


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine of the tests has set is none of theirs."""
    for name in (*NAMES, *map(str.lower, NAMES)):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def plain() -> Iterator[Three]:
    with (
        hostile() as server,
        talking.serving(talking.streaming(talking.chat_events())) as model,
        models.serving(models.good) as embedder,
    ):
        yield Three(server=server.url, model=model.url, embedder=embedder.url, heard=server)


@pytest.fixture
def secure(plain: Three, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Three]:
    """The same three with TLS, at addresses that are no loopback's."""
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with ExitStack() as stack:
        urls = [stack.enter_context(with_tls(url, certificate)) for url in (plain.server, plain.model, plain.embedder)]
        yield Three(server=urls[0], model=urls[1], embedder=urls[2], heard=plain.heard)


@pytest.fixture
def through() -> Iterator[Proxy]:
    with proxy() as found:
        yield found


def settings(**given: object) -> dict[str, Any]:
    return {**{key: setting.default for key, setting in SETTINGS.items()}, **given}


def ask_server(url: str) -> None:
    assert HttpPeer(url, TOKEN, WORKSPACE).workspaces() == [{"id": WORKSPACE, "name": "app"}]


def ask_model(url: str) -> None:
    model = open_model(
        settings(model="openai-compatible:m-1", model_url=url, model_key="env:KEY", model_seconds=20), "/", {"KEY": KEY}
    )
    assert not isinstance(model, NoModel), model
    assert model.complete(talking.asking()).text == "Hello."


def ask_embedder(url: str) -> None:
    given = settings(embedder="openai:some", embedder_url=url, embedder_key="env:KEY")
    embedder = open_embedder(given, "/", {"KEY": KEY})
    assert not isinstance(embedder, Missing), embedder
    assert embedder.embed(["a"], query=True).shape == (1, models.WIDTH)


def ask_all(three: Three) -> None:
    ask_server(three.server)
    ask_model(three.model)
    ask_embedder(three.embedder)


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_all_three_are_asked_through_the_proxy(
    name: str, secure: Three, through: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, through.url)

    ask_all(secure)

    assert through.asked == [f"CONNECT {host} HTTP/1.1" for host in secure.hosts()]
    who = base64.b64encode(b"ann:s3@cret").decode()
    assert all(f"Proxy-Authorization: Basic {who}" in head for head in through.heads)
    seen = through.passed + "".join(through.heads).encode()
    assert KEY.encode() not in seen
    assert TOKEN.encode() not in seen


def test_a_server_is_added_and_synced_through_the_proxy(
    secure: Three, through: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", through.url)
    folder = tmp_path / "app"
    folder.mkdir()
    run_in(folder, "init", "--yes", "--client", "none")
    run_in(folder, "remember", "decision", "Use Textual for the TUI")

    added = run_in(folder, "sync", "add", "team", secure.server, stdin=f"{TOKEN}\n")
    asked = len(through.asked)
    synced = run_in(folder, "sync", "--json")

    assert (added.status, synced.status) == (0, 0), added.err + synced.err
    assert synced.json["remotes"][0]["pushed"]
    assert 0 < asked < len(through.asked)
    assert set(through.asked) == {f"CONNECT {secure.hosts()[0]} HTTP/1.1"}
    assert any("Use Textual" in str(body) for body in secure.heard.files.values())


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize("said", [HERE, f"other.example, {HERE}", "*"])
def test_a_host_that_needs_no_proxy_is_asked_without_one(
    name: str, said: str, secure: Three, through: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", through.url)
    monkeypatch.setenv(name, said)

    ask_all(secure)

    assert through.asked == []


def test_no_proxy_is_asked_for_this_machine(plain: Three, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, DEAD)

    ask_all(plain)


def elsewhere(url: str) -> str:
    return url.replace("127.0.0.1", HERE)


def ask_bare_model(url: str) -> None:
    """Settings name no model with plain HTTP elsewhere; what asks would ask it."""
    wire = ModelWire("chat:m-1", url, KEY, talking.QUICK)
    model = EndpointModel(ModelIdentity(name="chat:m-1", model="m-1"), talking.DIALECTS["chat"][0](), wire, KEY)
    assert model.complete(talking.asking()).text == "Hello."


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy"])
def test_plain_http_goes_through_the_proxy_in_the_open(
    name: str, plain: Three, through: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, through.url)
    model, embedder = elsewhere(plain.model), elsewhere(plain.embedder)

    ask_bare_model(model)
    ask_embedder(embedder)

    assert through.asked == [f"POST {model}/chat/completions HTTP/1.1", f"POST {embedder}/embeddings HTTP/1.1"]
    assert all("Proxy-Authorization: Basic " in head for head in through.heads)


def test_plain_http_passes_the_proxy_by_where_that_is_said(
    plain: Three, through: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", through.url)
    monkeypatch.setenv("NO_PROXY", HERE)

    ask_bare_model(elsewhere(plain.model))
    ask_embedder(elsewhere(plain.embedder))

    assert through.asked == []


ASKED: tuple[Callable[[str], None], ...] = (ask_server, ask_model, ask_embedder)


@pytest.mark.parametrize("ask", ASKED)
def test_a_proxy_that_says_no_is_named_without_its_password(
    ask: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy(b"HTTP/1.1 407 who are you, ann:s3@cret?\r\n\r\n") as refusing:
        monkeypatch.setenv("HTTPS_PROXY", refusing.url)

        with pytest.raises(
            HoldfastError, match=f"the proxy '127.0.0.1:{refusing.port}' answered with status 407"
        ) as no:
            ask("https://far.invalid")

        assert len(refusing.asked) == 1
    assert "s3" not in str(no.value) + no.value.hint


@pytest.mark.parametrize("ask", ASKED)
def test_a_proxy_that_is_not_there_is_named(ask: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", DEAD.replace("//", "//ann:s3cret@"))

    with pytest.raises(HoldfastError, match=r"refused \(through the proxy '127.0.0.1:9'\)") as no:
        ask("https://far.invalid")

    assert "s3cret" not in str(no.value) + no.value.hint


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("said", ["socks5://ann:s3cret@127.0.0.1:9", "http://ann:s3cret@127.0.0.1:port"])
def test_a_proxy_that_cannot_be_asked_is_said(
    ask: Callable[[str], None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", said)

    with pytest.raises(HoldfastError, match="the proxy that the environment names") as no:
        ask("https://far.invalid")

    assert "s3cret" not in str(no.value) + no.value.hint


@pytest.mark.parametrize("ask", ASKED)
def test_a_certificate_that_nobody_vouches_for_is_told_by_all(
    ask: Callable[[str], None], secure: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")

    with pytest.raises(HoldfastError, match="not trusted"):
        ask(secure.server)

    assert secure.heard.heard == []


def test_whose_certificate_a_server_lacks_hears_how_to_name_it(secure: Three, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)

    with pytest.raises(ServerUnreachable) as away:
        ask_server(secure.server)

    assert "SSL_CERT_FILE" in away.value.hint
