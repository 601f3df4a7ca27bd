"""Who may set what over HTTP: whoever says where a model is asked, and with which key, has the key."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from tests.server.conftest import PERSON, Threaded, new_workspace, threaded

from holdfast.config.settings import REVIEWED, SETTINGS
from holdfast.core.value import Value
from holdfast.server.http.routes.settings import IN_A_TERMINAL
from holdfast.server.http.security.callers import Right

VALUES: dict[str, str] = {
    "auto_accept": "said_by == 'user'", "share.key": "file:/tmp/key", "share.encrypt_to": "age1evil",
    "backup.store": "/tmp/elsewhere", "model_url": "http://127.0.0.1:7699/v1", "model": "openai:x",
    "database.url": "postgresql://evil.example/x", "search.reranker": "endpoint:x", "embedder": "openai:x",
}  # fmt: skip


class There(Value):
    """A server, its workspace, and tokens for it."""

    served: Threaded
    workspace: str

    def token(self, *rights: Right) -> str:
        return self.served.serving.tokens.add("-".join(rights), rights, by=PERSON)

    def put(self, token: str, key: str, value: str | None, **more: Any) -> httpx2.Response:
        path = f"/api/workspace/{self.workspace}/settings/{key}"
        return self.served.ask("PUT", path, token=token, json={"value": value, **more})

    def rows(self, token: str) -> dict[str, Any]:
        found = self.served.get(f"/api/workspace/{self.workspace}/settings", token=token)
        assert found.status_code == 200, found.text
        return {row["key"]: row for row in found.json()}

    @property
    def file(self) -> Path:
        return self.served.home / "config.toml"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[There]:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    workspace = new_workspace(tmp_path / "project", tmp_path / "home")
    with threaded(tmp_path / "home") as served:
        yield There(served=served, workspace=workspace)


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A place that keeps what keys are sent to it."""
    heard: list[str] = []

    class Ear(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.headers.get("Authorization", ""))
            self.send_response(500)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Ear)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_who_may_review_does_not_have_the_owners_token_sent_to_them(there: There) -> None:
    reviews = there.token(Right.REVIEW)
    kept = {"type": "learning", "text": "The cellar is deep"}
    assert there.served.post(f"/api/workspace/{there.workspace}/memory", json=kept).status_code == 201
    with listening() as (url, heard):
        answers = [
            there.put(reviews, key, value)
            for key, value in (
                ("embedder_url", url),
                ("embedder_key", f"file:{there.served.home / 'serve' / 'token'}"),
                ("embedder", "openai:x"),
                ("search.recipe", "meaning"),
            )
        ]
        found = there.served.post(f"/api/workspace/{there.workspace}/search", token=reviews, json={"query": "cellar"})

    assert heard == []
    assert [answer.status_code for answer in answers] == [403] * 4
    assert all("right to run" in answer.json()["detail"] for answer in answers)
    assert found.status_code == 200
    assert not there.file.exists()


def test_only_what_says_how_much_is_set_by_who_may_review(there: There) -> None:
    reviews = there.token(Right.REVIEW)

    for key in SETTINGS:
        wanted = VALUES.get(key, str(SETTINGS[key].default))
        status = there.put(reviews, key, wanted).status_code
        taken_out = there.put(reviews, key, None).status_code
        assert (key, status, taken_out) == (key, *((200, 200) if key in REVIEWED else (403, 403)))


def test_who_may_run_sets_the_rest_and_nobody_what_is_for_a_terminal(there: There) -> None:
    both, runs = there.token(Right.REVIEW, Right.RUN), there.token(Right.RUN)

    assert there.put(both, "model_url", "http://127.0.0.1:7699/v1").status_code == 200
    assert there.put(both, "auto_accept", "said_by == 'user'").status_code == 200
    assert "7699" in there.file.read_text()
    assert there.put(runs, "model_url", "http://127.0.0.1:7700/v1").status_code == 403
    assert there.put(runs, "search.limit", "7").status_code == 403
    for key in IN_A_TERMINAL:
        assert there.put(both, key, "full").status_code == 403


def test_each_caller_is_told_what_they_cannot_set(there: There) -> None:
    def locked(token: str) -> dict[str, str]:
        return {key: row["files"][0]["locked"] for key, row in there.rows(token).items()}

    owner, reviews = locked(there.served.token), locked(there.token(Right.REVIEW))

    assert {key for key, why in owner.items() if why} == set(IN_A_TERMINAL)
    assert {key for key, why in reviews.items() if not why} == set(REVIEWED)
    assert "right to run" in reviews["model_url"]
