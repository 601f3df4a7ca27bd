"""A real `holdfast serve` in a process of its own, and what speaks to it."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.inside import Inside

pytest.importorskip("fastapi", reason="the server is an extra")

import httpx2
from tests import warm
from tests.conftest import CLIENT_MARKS, KEY
from tests.journeys.moulds import being, set_up
from tests.waiting import LONG
from websockets.sync.client import ClientConnection, connect

from holdfast.app import build_app
from holdfast.config.person_key import keep_key
from holdfast.core.presence import TERMINAL, Presence
from holdfast.server.http.binding import ServeOptions, bind_socket
from holdfast.server.http.limits import RequestLimits
from holdfast.server.http.security.studio_links import new_link
from holdfast.server.http.server_state import Serving
from holdfast.server.http.uvicorn_server import HeadTimeoutProtocol, Server, configure_uvicorn, read_server_names

PATIENCE = LONG
PERSON = Presence(who="ada", how=TERMINAL, where="tty1")


class Asked:
    """A server that is spoken to: its address, its owner's token, its home."""

    home: Path
    url: str
    token: str

    @property
    def host(self) -> str:
        return self.url.partition("://")[2]

    @property
    def port(self) -> int:
        return int(self.host.rpartition(":")[2])

    def ask(self, method: str, path: str, *, token: str | None = "", **more: Any) -> httpx2.Response:
        """Send a request; with the owner's token, another, or none at all (None)."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token or self.token}")
        with httpx2.Client(timeout=PATIENCE, verify=more.pop("verify", True)) as client:
            return client.request(method, self.url + path, headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, **more)

    def studio(self) -> str:
        """The token of Studio, opened by a person's link."""
        link = new_link(str(self.home), self.url, PERSON)
        return str(self.post("/api/session", token=None, json={"key": link.partition("#key=")[2]}).json()["token"])

    def raw(self, data: bytes) -> bytes:
        """Send bytes as they are; the first answer, or nothing when the server hangs up."""
        with self.connected() as made:
            with suppress(BrokenPipeError, ConnectionResetError):
                made.sendall(data)
            return read_answer(made)

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def socket(self, path: str, *, ticket: str | None = None, **more: Any) -> ClientConnection:
        """Open a socket, with a fresh ticket where none is given."""
        word = self.ticket() if ticket is None else ticket
        address = f"ws://{self.host}{path}" + (f"?ticket={word}" if word else "")
        made: ClientConnection = connect(address, open_timeout=PATIENCE, proxy=None, **more)
        return made

    def ticket(self, token: str = "") -> str:
        return str(self.post("/api/tickets", token=token).json()["ticket"])


class Served(Asked):
    """A server in a process of its own, and its log."""

    def __init__(self, home: Path, folder: Path, *words: str, **env: str) -> None:
        self.home, self.folder = home, folder
        # Several may serve one home at once, each with a log of its own.
        self.log = home.parent / f"{home.name}-{secrets.token_hex(4)}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", "0", "--json", "-v", *words],
                cwd=folder, env={**environment(home), **env}, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        first = json.loads(line)
        self.url, self.token = str(first["url"]), str(first["token"])

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        status = self.process.wait(PATIENCE)
        if self.process.stdout:
            self.process.stdout.close()
        return status


def environment(home: Path) -> dict[str, str]:
    """An environment that no client marked, with a home of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(CLIENT_MARKS)}
    return {
        **clean,
        "HOLDFAST_HOME": str(home),
        "HOLDFAST_KEY": KEY,
        "HOLDFAST_DISTIL_AUTO": "false",
        "HOME": str(home.parent),
    }


def read_answer(made: socket.socket) -> bytes:
    """One answer: its head and as much of a body as it names."""
    read = b""
    with suppress(ConnectionResetError):
        while not _is_whole(read) and (part := made.recv(65_536)):
            read += part
    return read


def _is_whole(read: bytes) -> bool:
    head, found, body = read.partition(b"\r\n\r\n")
    length = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(found) and len(body) >= int(length[0] if length else 0)


def holdfast(home: Path, folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    return warm.told(words, folder, {**environment(home), **env})


class Threaded(Asked):
    """A server on a real socket, in a thread of the test's own process."""

    def __init__(self, home: Path, serving: Serving) -> None:
        self.home, self.serving = home, serving
        self.url, self.token = serving.own.url, serving.tokens.own()


@contextmanager
def threaded(
    home: Path,
    wanted: ServeOptions | None = None,
    *,
    limits: RequestLimits | None = None,
    http: type[HeadTimeoutProtocol] = HeadTimeoutProtocol,
    first: Path | None = None,
) -> Iterator[Threaded]:
    """Serve in a thread: for what no signal and no command line has a part in."""
    how = wanted or ServeOptions()
    with closing(bind_socket(how)) as listening:
        made = Serving(str(home), read_server_names(how, listening), limits=limits, first=str(first) if first else "")
        config = configure_uvicorn(made, how)
        config.http = http
        up = Event()
        server = Server(config, made, lambda _: up.set())
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert up.wait(PATIENCE)
            yield Threaded(home, made)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


@contextmanager
def serving(home: Path, folder: Path, *words: str, **env: str) -> Iterator[Served]:
    made = Served(home, folder, *words, **env)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.stop()


def new_workspace(folder: Path, home: Path) -> str:
    """Make a folder a workspace; its id."""
    folder.mkdir(parents=True, exist_ok=True)
    with being(environment(home)):
        set_up(folder)
        return build_app(str(folder)).workspace_id


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A home, a workspace, and its id."""
    root = tmp_path_factory.mktemp("served")
    home, folder = root / "home", root / "project"
    return home, folder, new_workspace(folder, home)


@pytest.fixture(scope="module")
def served(ground: tuple[Path, Path, str]) -> Iterator[Served]:
    """One server for a module's tests."""
    home, folder, _ = ground
    with serving(home, folder) as made:
        yield made


@pytest.fixture(scope="module")
def wid(ground: tuple[Path, Path, str]) -> str:
    return ground[2]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Inside"]:
    """One server in this process, with a rich workspace, for a module's tests that change nothing."""
    from tests.server.inside import inside, rich

    root = tmp_path_factory.mktemp("shared")
    folder = root / "project"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(root / "home"))
        patch.setenv("HOLDFAST_KEY", KEY)
        keep_key(str(root / "home"), KEY)
        rich(folder)
        with inside(folder, root / "home") as made:
            assert made.get("memory").status_code == 200
            patch.undo()
            yield made
