"""What a checkout sends may be large, of those who may change memory; what it sends is taken as a stranger's."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import Threaded, holdfast, new_workspace, threaded

from holdfast.core.value import Value
from holdfast.records.team_forms import build_rating_text
from holdfast.server.http.limits import RequestLimits
from holdfast.server.http.security.callers import Right

RATING = {"ts": "2026-11-15T09:22:14Z", "session": "s", "rating": 7, "source": "explicit", "comment": "ok",
          "confidence": 0.9}  # fmt: skip


class There(Value):
    """A server and its workspace."""

    served: Threaded
    workspace: str
    folder: Path

    def post(self, rest: str, body: Any, token: str = "") -> Any:
        return self.served.post(f"/api/workspace/{self.workspace}/{rest}", json=body, token=token)

    def get(self, rest: str) -> Any:
        return self.served.get(f"/api/workspace/{self.workspace}/{rest}").json()


@pytest.fixture
def there(tmp_path: Path) -> Any:
    workspace = new_workspace(tmp_path / "project", tmp_path / "home")
    with threaded(tmp_path / "home", limits=RequestLimits(body=20_000, large_body=200_000)) as served:
        yield There(served=served, workspace=workspace, folder=tmp_path / "project")


def event(size: int) -> dict[str, Any]:
    return {"client": "codex", "name": "after_tool", "session": "s", "key": f"k{size}", "data": {"output": "x" * size}}


def swap(line: dict[str, Any], then: str = "") -> dict[str, Any]:
    path, data = build_rating_text(line)
    return {"path": path, "then": then, "data": base64.b64encode(data).decode()}


def test_a_large_body_is_for_those_who_may_change_memory_and_for_sync_alone(there: There) -> None:
    reading = there.served.serving.tokens.add("reading", (Right.READ,))
    body = {"events": [event(100_000)]}

    assert there.post("sync/events", body).json() == {"fresh": 1}
    assert there.post("sync/events", body, token=reading).status_code == 413
    assert there.post("search", {"query": "x" * 100_000}).status_code == 413
    assert there.post("sync/events", {"events": [event(300_000)]}).status_code == 413


def test_without_a_length_a_body_is_small(there: There) -> None:
    def parts() -> Any:
        yield json.dumps({"events": [event(100_000)]}).encode()

    path = f"/api/workspace/{there.workspace}/sync/events"
    answer = there.served.post(path, content=parts(), headers={"Content-Type": "application/json"})

    assert answer.status_code == 413


def test_a_record_is_kept_once_and_the_mark_moves_with_it(there: There) -> None:
    before = there.get("sync")
    assert there.get(f"sync?since={before['mark']}")["files"] == []

    assert there.post("sync/swaps", {"swaps": [swap(RATING)]}).json() == {"now": [""]}
    [moved] = there.post("sync/swaps", {"swaps": [swap(RATING)]}).json()["now"]

    after = there.get(f"sync?since={before['mark']}")
    assert [row["sha256"] for row in after["files"]] == [moved]
    assert [row["rating"] for row in there.get("ratings")] == [7]
    fetched = there.post("sync/fetch", {"paths": [swap(RATING)["path"], "memory/decisions/none.md"]}).json()
    assert (len(fetched["files"]), fetched["looked"]) == (1, 2)


@pytest.mark.parametrize("change", [{"rating": 11}, {"rating": True}, {"source": "x"}, {"ts": "x"}, {"comment": 3}])
def test_a_record_that_is_none_is_refused_with_all_that_came_with_it(there: There, change: dict[str, Any]) -> None:
    answer = there.post("sync/swaps", {"swaps": [swap(RATING), swap({**RATING, **change})]})

    assert answer.status_code == 400
    assert answer.json()["hint"]
    assert there.get("ratings") == []


@pytest.mark.parametrize(
    "path", ["../x", "memory/../../x.md", "records/run/../x/run.json", "other/x.md", "memory/x.py"]
)
def test_no_path_leads_elsewhere(there: There, path: str) -> None:
    assert there.post("sync/fetch", {"paths": [path]}).status_code in {200, 400}
    assert there.post("sync/fetch", {"paths": [path]}).json().get("files", []) == []
    assert there.post("sync/swap", {"path": path, "then": "", "data": "LS0t"}).status_code == 400
    assert there.post("sync/swaps", {"swaps": [{"path": path, "then": "", "data": "LS0t"}]}).status_code == 400


def nested(depth: int, value: Any = "the innermost") -> Any:
    for _ in range(depth // 2):
        value = [{"in": value}]
    return value


@pytest.mark.parametrize("depth", [200, 900])
def test_an_event_that_is_nested_too_deep_stops_nobody(there: There, depth: int) -> None:
    sent = {**event(10), "data": {"output": nested(depth)}}

    assert there.post("sync/events", {"events": [sent]}).json() == {"fresh": 1}

    kept = there.post("memory", {"type": "learning", "text": "The cellar is deep"})
    assert kept.status_code == 201, kept.text
    assert there.served.get(f"/api/workspace/{there.workspace}/health").status_code == 200
    hits = there.post("search", {"query": "cellar"})
    assert (hits.status_code, hits.json() != []) == (200, True)
    for words in (["list"], ["search", "cellar"], ["doctor", "--rebuild"], ["doctor", "--verify"], ["doctor"]):
        done = holdfast(there.served.home, there.folder, *words)
        assert "Traceback" not in done.stderr
        assert done.returncode in {0, 1}, done.stderr


def test_events_of_another_machine_are_kept_without_secrets(there: There) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    sent = {**event(10), "session": f"s-{token}", "data": {"output": f"the token is {token}", token: "x"}}

    assert there.post("sync/events", {"events": [sent]}).json() == {"fresh": 1}

    journal = there.folder / ".holdfast" / "journal"
    kept = b"".join(file.read_bytes() for file in journal.iterdir() if file.suffix == ".jsonl")
    assert b"the token is" in kept
    assert token.encode() not in kept
