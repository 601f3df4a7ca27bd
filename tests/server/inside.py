"""The whole server inside the test's process: quick, and the same but for the wire."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
from fastapi.testclient import TestClient
from tests import warm
from tests.server.conftest import PERSON, environment
from tests.unit.tui.workspace import clash, full

from holdfast.config.registry import Registry
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.server.http.http_app import Serving, make_app
from holdfast.server.http.security.callers import Right
from holdfast.server.http.security.server_names import ServerNames
from holdfast.workspace import App, make_workspace_id

OWN = ServerNames(scheme="http", port=7457)


class Inside:
    """A server and one of its workspaces."""

    def __init__(self, client: TestClient, serving: Serving, folder: Path) -> None:
        self.client, self.serving, self.folder = client, serving, folder
        self.wid = make_workspace_id(str(folder))
        self.base = f"/api/workspace/{self.wid}"

    def ask(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Ask the workspace; a path that begins with /api is whole."""
        return self.client.request(method, path if path.startswith("/api") else f"{self.base}/{path}", **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, json={} if body is None else body, **more)

    def told(self) -> list[dict[str, Any]]:
        """Every message of the workspace's stream so far."""
        loaded = self.serving.workspaces.loaded(self.wid)
        assert loaded is not None
        return [json.loads(message.text) for message in loaded.hub.after(0) or ()]

    def counted(self, what: str) -> int:
        """How often the cache had a hit, a miss, …"""
        return int(self.serving.metrics.value("holdfast_workspace_cache_total", what=what))

    def token(self, *rights: Right) -> dict[str, str]:
        """Headers of a caller with these rights only."""
        name = f"{'-'.join(rights)}-{len(self.serving.tokens.records())}"
        return {"Authorization": f"Bearer {self.serving.tokens.add(name, rights)}"}

    def studio(self) -> dict[str, str]:
        """Headers of Studio, opened by a person's link."""
        return {"Authorization": f"Bearer {self.serving.tokens.begin_session(PERSON)}"}

    def cli(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """The command line beside the server, in a process of its own."""
        return warm.told(words, self.folder, environment(Path(self.serving.home)), stdin)


def rich(folder: Path) -> App:
    """A workspace with a bit of everything: a queue with a conflict, memories that clash, supersession, a failure."""
    app = full(folder)
    clash(app)
    vault = app.vaults[Scope.WORKSPACE]
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "app.py").write_text("def main():\n    return 1\n")
    for memory in (
        Memory(
            id="DEC-JSON00", type=MemoryType.DECISION, title="Settings are JSON", choice="JSON",
            body="Settings are JSON.", valid_from="2026-01-01", valid_until="2026-06-01",
            updated="2026-06-01T09:00:00Z",
        ),
        Memory(
            id="DEC-TOML00", type=MemoryType.DECISION, title="Settings are TOML", choice="TOML",
            body="Settings are TOML.\n\nRationale: people write comments.", supersedes=("DEC-JSON00",),
            valid_from="2026-06-01", updated="2026-06-01T09:00:00Z",
        ),
        Memory(
            id="FAIL-POOL00", type=MemoryType.FAILURE, title="A pool of one connection deadlocks", attempts=3,
            body="A pool of one connection deadlocks under load.", error_type="TimeoutError",
            root_cause="nested transactions", paths=("src/db/**",), valid_from="2026-03-01",
            updated="2026-03-01T09:00:00Z",
        ),
        Memory(
            id="PAT-REPO00", type=MemoryType.PATTERN, title="Repositories return values", tags=("style",),
            body="Repositories return values, never rows.", valid_from="2026-02-01", updated="2026-02-01T09:00:00Z",
        ),
        Memory(
            id="ASM-LOAD00", type=MemoryType.ASSUMPTION, title="Fifty users at once",
            body="Fifty users at once at most.", valid_from="2026-02-02",
            updated="2026-02-02T09:00:00Z",
        ),
    ):  # fmt: skip
        vault.create(memory)
    settle(folder)
    app.refresh()
    return app


def settle(folder: Path) -> None:
    """Files as they are some time after they were written: their stamps can be trusted."""
    registry, workspace = Registry(os.environ["HOLDFAST_HOME"]), make_workspace_id(os.path.realpath(folder))
    for root, _, names in os.walk(folder / ".holdfast"):
        for name in names:
            if name.endswith(".md"):
                path = Path(root, name)
                os.utime(path, (1_700_000_000, 1_700_000_000))
                # With such a time it could be a copy: it is the user's own.
                registry.learn(workspace, [sha256(path.read_bytes()).hexdigest()])


@contextmanager
def inside(folder: Path, home: Path) -> Iterator[Inside]:
    """A server over a home, with the owner's token."""
    serving = Serving(str(home), OWN)
    headers = {"Authorization": f"Bearer {serving.tokens.own()}", "Host": "127.0.0.1:7457"}
    client = TestClient(make_app(serving), base_url="http://127.0.0.1:7457", headers=headers)
    with client:
        yield Inside(client, serving, folder)
