"""Runs over HTTP: a real server, a model on loopback, files that really change."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_run import FIX, FUNCTIONS, Agent, once, plan_of
from tests.minds import Heard, Mind, Say, minding
from tests.server.conftest import PATIENCE, Served, holdfast, new_workspace, serving
from tests.server.test_streams import Stream, opened
from websockets.exceptions import ConnectionClosed

from holdfast.act.run_files import AgentRun, make_run_name
from holdfast.core.run import CancelRequest

Row = dict[str, Any]
LEARNED = {
    "fact": "add() subtracted before.", "category": "algorithm", "paths": ["app.py"],
    "quote": "The sign was wrong in app.py",
}  # fmt: skip
NO_GATE = {"HOLDFAST_RUN_GATES": "none"}


def fixing(work: Mind | None = None) -> Agent:
    done = work or once(FIX, then="The sign was wrong in app.py. It is done.")
    return Agent(lambda _: Say(text=plan_of("Fix add in app.py", criteria=["add adds"])), done, [LEARNED])


class Changing:
    """A mind that each test sets."""

    def __init__(self) -> None:
        self.mind: Mind = fixing()

    def __call__(self, heard: Heard) -> Say:
        return self.mind(heard)


@pytest.fixture(scope="module")
def mind() -> Changing:
    return Changing()


@pytest.fixture(scope="module")
def server(ground: tuple[Path, Path, str], mind: Changing) -> Iterator[Served]:
    home, folder, _ = ground
    with minding(mind) as model, serving(home, folder, **model.environment("anthropic"), **NO_GATE) as made:
        yield made


@pytest.fixture(autouse=True)
def project(server: Served, mind: Changing) -> Path:
    """The same beginning for every test."""
    (server.folder / "app.py").write_text(FUNCTIONS)
    mind.mind = fixing()
    return server.folder


@pytest.fixture
def base(wid: str) -> str:
    return f"/api/workspace/{wid}"


def start(server: Served, base: str, **more: Any) -> str:
    """Begin a run; its name."""
    answer = server.post(f"{base}/run", json={"goal": "fix add in app.py", **more})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["runId"])


def until_over(stream: Stream, run: str) -> Row:
    return stream.until(lambda row: row["type"] == "run_complete" and row["data"]["runId"] == run)


def test_a_run_is_started_followed_and_looked_at(server: Served, base: str, project: Path) -> None:
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, trust="workspace")
        ended = until_over(stream, run)
    detail = server.get(f"{base}/runs/{run}").json()
    events = server.get(f"{base}/runs/{run}/events").json()
    diff = server.get(f"{base}/runs/{run}/diff").json()

    assert ended["data"]["status"] == "complete"
    told = [row["type"] for row in stream.got if row["data"].get("runId") == run]
    assert told == [
        "run_started", "orient", "plan_start", "plan_complete", "task_start", "task_complete", "signal",
        "learning_added", "briefing_updated", "complete", "run_complete",
    ]  # fmt: skip
    assert "return a + b" in (project / "app.py").read_text()
    assert (detail["run"]["status"], detail["run"]["tasksCompleted"], detail["phase"]) == ("complete", 1, "done")
    assert detail["run"]["trust"] == "workspace"
    assert [(task["id"], task["state"], task["files"]) for task in detail["tasks"]] == [("T1", "done", ["app.py"])]
    assert detail["criteria"][0]["met"] is True
    assert detail["memoryAdded"][0].startswith("CAND-")
    assert (detail["canUndo"], detail["canResume"]) == (True, False)
    assert [event["type"] for event in events] == told[1:-1]
    assert [event["cursor"] for event in events] == [str(number) for number in range(1, len(events) + 1)]
    assert "+    return a + b" in diff["diff"]
    # What it learned waits for a person, and is seen at once.
    added = [row["data"]["id"] for row in stream.got if row["type"] == "candidate_added"]
    assert detail["memoryAdded"] == added
    assert added[0] in {each["id"] for each in server.get(f"{base}/candidates").json()}


def test_a_run_is_taken_back(server: Served, base: str, project: Path) -> None:
    with opened(server, f"{base}/events") as stream:
        run = start(server, base, trust="workspace")
        until_over(stream, run)

    answer = server.post(f"{base}/runs/{run}/undo", json={})
    again = server.post(f"{base}/runs/{run}/undo", json={})

    assert answer.json() == {"runId": run, "restored": ["app.py"]}
    assert (project / "app.py").read_text() == FUNCTIONS
    assert again.status_code == 404
    assert server.get(f"{base}/runs/{run}").json()["canUndo"] is False


def test_a_file_that_changed_since_stops_an_undo(server: Served, base: str, project: Path) -> None:
    with opened(server, f"{base}/events") as stream:
        run = start(server, base, trust="workspace")
        until_over(stream, run)
    (project / "app.py").write_text("mine now\n")

    answer = server.post(f"{base}/runs/{run}/undo", json={})
    forced = server.post(f"{base}/runs/{run}/undo", json={"force": True})

    assert answer.status_code == 409
    assert "app.py" in answer.json()["detail"]
    assert forced.status_code == 200
    assert (project / "app.py").read_text() == FUNCTIONS


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_run_asks_and_hears_the_answer(server: Served, base: str, project: Path, answer: str) -> None:
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, trust="ask")
        asked = stream.of("approval_needed")["data"]
        waiting = server.get(f"{base}/runs/{run}").json()["approvals"]
        given = server.post(
            f"{base}/run/{run}/approvals/{asked['approvalId']}", json={"answer": answer, "reason": "as I said"}
        )
        stream.of("approval_given")
        until_over(stream, run)
    twice = server.post(f"{base}/run/{run}/approvals/{asked['approvalId']}", json={"answer": answer})

    assert asked["runId"] == run
    assert "return a + b" in asked["diff"]
    assert [row["approvalId"] for row in waiting] == [asked["approvalId"]]
    assert given.status_code == 204
    assert twice.status_code == 404
    assert ("a + b" in (project / "app.py").read_text()) is (answer == "yes")


def test_one_that_waits_for_an_answer_is_cancelled_and_can_go_on(server: Served, base: str, project: Path) -> None:
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, trust="ask")
        stream.of("approval_needed")
        first = server.ask("DELETE", f"{base}/run/{run}")
        again = server.ask("DELETE", f"{base}/run/{run}")
        ended = until_over(stream, run)
        detail = server.get(f"{base}/runs/{run}").json()
        resumed = start(server, base, resume=run, trust="workspace")
        over = until_over(stream, run)

    assert (first.status_code, again.status_code) == (204, 204)
    assert ended["data"]["status"] == "cancelled"
    assert (detail["run"]["status"], detail["canResume"], detail["approvals"]) == ("cancelled", True, [])
    assert resumed == run
    assert over["data"]["status"] == "complete"
    assert "a + b" in (project / "app.py").read_text()


def test_what_is_asked_is_kept_without_secrets(server: Served, base: str, mind: Changing) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    edit = {"path": "app.py", "old_string": "a - b", "new_string": f"a + b  # {secret}"}
    mind.mind = fixing(once(("edit", edit)))
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, trust="ask")
        asked = stream.of("approval_needed")["data"]
        [shown] = server.get(f"{base}/runs/{run}").json()["approvals"]
        server.ask("DELETE", f"{base}/run/{run}")
    kept = (server.folder / ".holdfast" / "runs" / run / "events.jsonl").read_text()

    assert secret not in asked["diff"]
    assert secret not in kept
    # Who says yes must see what is done.
    assert secret in shown["diff"]


def test_what_one_run_decided_binds_the_next_once_a_person_accepts_it(
    server: Served, base: str, mind: Changing
) -> None:
    choice = {
        "question": "Where do sessions live?", "choice": "SQLite", "because": "one file",
        "rejected": [{"option": "Redis", "reason": "too much to run"}],
    }  # fmt: skip
    first = Agent(lambda _: Say(text=plan_of("Keep sessions in SQLite", choices=[choice])), once(FIX))
    mind.mind = first
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, goal="add auth", trust="workspace")
        made = stream.of("decision_made")["data"]["candidate"]
        until_over(stream, run)
        accepted = server.post(f"{base}/candidates/{made['id']}/accept", json={}, token=server.studio())
        changed = stream.until(lambda row: row["type"] == "memory_changed")
        second = mind.mind = Agent(lambda _: Say(text=plan_of("Cache in the process")), once(FIX))
        run = start(server, base, goal="add caching with Redis", trust="workspace", planOnly=True)
        told = stream.until(lambda row: row["type"] == "orient" and row["data"]["runId"] == run)["data"]
        until_over(stream, run)

    assert accepted.status_code == 200, accepted.text
    memory = accepted.json()["accepted"][0]["memory"]["id"]
    assert changed["data"]["ids"] == [memory]
    assert memory in told["ids"]
    assert memory in server.get(f"{base}/runs/{run}").json()["memoryUsed"]
    assert all("Redis (too much to run)" in heard.text for heard in second.planned)
    assert not any("Redis (too much to run)" in heard.text for heard in first.planned)


def test_one_run_at_a_time(server: Served, base: str) -> None:
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, trust="ask")
        stream.of("approval_needed")
        second = server.post(f"{base}/run", json={"goal": "another"})
        active = server.get(f"{base}/runs/active").json()
        undone = server.post(f"{base}/runs/{run}/undo", json={})
        server.ask("DELETE", f"{base}/run/{run}")

    assert second.status_code == 409
    assert second.json()["run"] == run
    assert [(row["runId"], row["here"]) for row in active] == [(run, True)]
    assert undone.status_code == 409


def test_a_run_of_another_process_counts_and_ends_when_it_is_asked_to(server: Served, base: str) -> None:
    run = AgentRun(str(server.folder / ".holdfast"), make_run_name())
    run.begin("somebody else's", {})
    second = server.post(f"{base}/run", json={"goal": "another"})
    resumed = server.post(f"{base}/run", json={"goal": "x", "resume": run.name})
    asked: list[CancelRequest] = []

    def carry() -> None:
        while not asked:
            asked.extend(filter(None, [run.cancel_asked()]))
            time.sleep(0.05)
        run.end("cancelled")

    carrier = threading.Thread(target=carry)
    carrier.start()
    cancelled = server.ask("DELETE", f"{base}/run/{run.name}")
    carrier.join(PATIENCE)

    assert (second.status_code, second.json()["run"]) == (409, run.name)
    assert resumed.status_code == 409
    assert cancelled.status_code == 204
    assert (asked[0].way, asked[0].by) == ("server", "owner")
    assert server.ask("DELETE", f"{base}/run/{run.name}").status_code == 204


def test_a_conversation_is_not_cancelled(server: Served, base: str) -> None:
    run = AgentRun(str(server.folder / ".holdfast"), make_run_name())
    run.begin("chat", {"chat": True})
    try:
        refused = server.ask("DELETE", f"{base}/run/{run.name}")
    finally:
        run.end("open")

    assert refused.status_code == 409
    assert "conversation" in refused.json()["detail"]


def test_a_plan_alone_changes_nothing(server: Served, base: str, project: Path) -> None:
    with opened(server, f"{base}/events") as stream:
        stream.of("snapshot")
        run = start(server, base, planOnly=True, trust="workspace")
        ended = until_over(stream, run)
    detail = server.get(f"{base}/runs/{run}").json()

    assert ended["data"]["status"] == "planned"
    assert detail["canResume"] is True
    assert [task["state"] for task in detail["tasks"]] == ["waiting"]
    assert (project / "app.py").read_text() == FUNCTIONS
    assert run in [each["runId"] for each in server.get(f"{base}/runs?status=planned").json()]


def test_more_trust_than_the_bound_is_refused(server: Served, base: str) -> None:
    answer = server.post(f"{base}/run", json={"goal": "fix add", "trust": "full"})
    settings = server.ask("PUT", f"{base}/settings/serve.trust", json={"value": "full"})

    assert answer.status_code == 403
    assert "serve.trust" in answer.json()["hint"]
    assert settings.status_code == 403
    assert server.get(f"{base}/runs/active").json() == []


@pytest.mark.parametrize("right", ["read", "review"])
def test_who_has_no_right_to_run_starts_and_ends_nothing(server: Served, base: str, right: str) -> None:
    made = holdfast(server.home, server.folder, "serve", "token", "add", f"only-{right}", "--right", right, "--json")
    token = json.loads(made.stdout)["token"]

    answers = [
        server.post(f"{base}/run", token=token, json={"goal": "x"}),
        server.ask("DELETE", f"{base}/run/run-2026-01-01-000000-aaaaaaaa", token=token),
        server.post(f"{base}/run/run-2026-01-01-000000-aaaaaaaa/approvals/A-1", token=token, json={"answer": "yes"}),
        server.post(f"{base}/runs/run-2026-01-01-000000-aaaaaaaa/undo", token=token, json={}),
    ]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert server.get(f"{base}/runs", token=token).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        {}, {"goal": ""}, {"goal": 3}, {"goal": "x", "trust": "god"}, {"goal": "x", "more": 1},
        {"goal": "x", "planOnly": "yes"}, {"goal": "x" * 20_001}, {"goal": "x", "planner": "guess"},
    ],
)  # fmt: skip
def test_a_request_that_does_not_fit_starts_nothing(server: Served, base: str, given: Row) -> None:
    assert server.post(f"{base}/run", json=given).status_code == 422
    assert server.get(f"{base}/runs/active").json() == []


@pytest.mark.parametrize("name", ["x", "run-2026-01-01-000000-aaaaaaaa", "..", "last"])
def test_a_run_that_is_not_there_is_not_found(server: Served, base: str, name: str) -> None:
    for path in (f"runs/{name}x", f"runs/{name}x/events", f"runs/{name}x/diff"):
        assert server.get(f"{base}/{path}").status_code == 404
    assert server.ask("DELETE", f"{base}/run/{name}x").status_code == 404


def test_a_model_that_is_missing_is_said_at_once(server: Served, base: str) -> None:
    answer = server.post(f"{base}/run", json={"goal": "x", "model": "none"})

    assert answer.status_code == 503
    assert "model" in answer.json()["detail"]
    assert server.get(f"{base}/runs/active").json() == []


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_leaves_a_run_that_can_go_on(tmp_path: Path, with_signal: signal.Signals) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    wid = new_workspace(folder, home)
    (folder / "app.py").write_text(FUNCTIONS)
    base, working, go_on = f"/api/workspace/{wid}", threading.Event(), threading.Event()

    def work(heard: Heard) -> Say:
        working.set()
        go_on.wait(PATIENCE)
        return once(FIX)(heard)

    with minding(fixing(work)) as model:
        env = {**model.environment("anthropic"), **NO_GATE}
        with serving(home, folder, **env) as first:
            run = start(first, base, trust="workspace")
            assert working.wait(PATIENCE)
            with opened(first, f"{base}/events") as watching:
                watching.of("snapshot")
                status = first.stop(with_signal)
                with pytest.raises(ConnectionClosed) as closed:
                    watching.of("nothing like it")
        go_on.set()
        with serving(home, folder, **env) as second:
            detail = second.get(f"{base}/runs/{run}").json()
            with opened(second, f"{base}/run/{run}/events", "2") as stream:
                first_words = stream.next()
                start(second, base, resume=run, trust="workspace")
                stream.until(lambda row: row["type"] == "run_complete" and row["data"]["status"] == "complete")

    if with_signal == signal.SIGTERM:
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
    assert status == (0 if with_signal == signal.SIGTERM else -signal.SIGKILL)
    assert detail["run"]["status"] == ("cancelled" if with_signal == signal.SIGTERM else "interrupted")
    assert detail["canResume"] is True
    assert first_words["type"] == "resumed"
    lines = [int(row["cursor"]) for row in stream.got[1:] if row["cursor"].isdigit()]
    assert lines == list(range(3, lines[-1] + 1))
    assert "a + b" in (folder / "app.py").read_text()
