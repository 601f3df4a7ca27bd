"""Runs of our own agent, in processes of their own, on model servers that answer as the vendors do."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.minds import Heard, Mind, Say, minding
from tests.waiting import LONG, SOON

Run = Any
FUNCTIONS = "def add(a, b):\n    return a - b\n"
TEST = "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def plan_of(
    approach: str, tasks: Sequence[Mapping[str, Any]] = (), choices: Sequence[Mapping[str, Any]] = (),
    criteria: Sequence[str] = (),
) -> str:  # fmt: skip
    """A plan as a model gives it."""
    made = [
        {"mode": "code", "target_path": "", "produces": [], "reads": [], "depends_on": [], **task} for task in tasks
    ] or [{"id": "T1", "description": approach, "mode": "code", "target_path": "app.py", "produces": ["app.py"],
           "reads": [], "depends_on": []}]  # fmt: skip
    return json.dumps({
        "approach": approach, "tasks": made, "choices": list(choices), "criteria": list(criteria), "anti_criteria": []
    })  # fmt: skip


class Agent:
    """A mind made of parts: how it plans, how it works, what it learned."""

    def __init__(self, plan: Mind, work: Mind, learned: Sequence[Mapping[str, Any]] = ()) -> None:
        self._plan, self._work, self._learned = plan, work, learned
        self.planned: list[Heard] = []
        self.worked: list[Heard] = []

    def __call__(self, heard: Heard) -> Say:
        if "tasks" in heard.shape or "artifacts" in heard.shape:
            self.planned.append(heard)
            return self._plan(heard)
        if "learnings" in heard.shape:
            return Say(text=json.dumps({"learnings": list(self._learned)}))
        if "criteria" in heard.shape:
            rows = [{"id": f"C{n}", "met": True, "evidence": "it is in the diff"} for n in range(1, 9)]
            return Say(text=json.dumps({"criteria": rows}))
        self.worked.append(heard)
        return self._work(heard)


def once(*calls: tuple[str, Mapping[str, Any]], then: str = "It is done.") -> Mind:
    """Make some calls, then say that it is done."""

    def work(heard: Heard) -> Say:
        return Say(text=then) if heard.results else Say(calls=calls)

    return work


@pytest.fixture
def project(bare: Run, folder: Path, git: Any) -> Run:
    git("init")
    (folder / "app.py").write_text(FUNCTIONS)
    (folder / "test_app.py").write_text(TEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    bare("init", "--yes", "--client", "none")
    return bare


def events_of(done: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def kinds(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


FIX = ("edit", {"path": "app.py", "old_string": "a - b", "new_string": "a + b"})
GATE = ("--gate", f"test={sys.executable} -m pytest -q -p no:cacheprovider")


@pytest.mark.parametrize("vendor", ["anthropic", "openai", "gemini", "ollama"])
def test_a_goal_is_planned_carried_out_validated_and_learned_from(project: Run, folder: Path, vendor: str) -> None:
    choice = {
        "question": "How to add?", "choice": "plus", "because": "it is addition",
        "rejected": [{"option": "minus", "reason": "wrong"}],
    }  # fmt: skip
    learned = {
        "fact": "add() subtracted before.", "category": "algorithm", "paths": ["app.py"],
        "quote": "The sign was wrong in app.py",
    }  # fmt: skip
    mind = Agent(
        lambda _: Say(text=plan_of("Fix add in app.py", choices=[choice], criteria=["add adds"])),
        once(FIX, then="The sign was wrong in app.py. It is done."),
        [learned],
    )
    with minding(mind) as server:
        done = project("run", "fix add in app.py", "--yes", "--json", *GATE, env=server.environment(vendor))
    events = events_of(done)

    assert done.status == 0, done.err
    assert kinds(events) == [
        "orient", "plan_start", "plan_complete", "task_start", "task_complete", "validation_start",
        "validation_passed", "decision_made", "learning_added", "briefing_updated", "complete",
    ]  # fmt: skip
    assert (folder / "app.py").read_text() == FUNCTIONS.replace("-", "+")
    assert events[-1]["data"]["success"]
    assert events[-1]["data"]["criteria"][0]["met"]
    assert len({event["run"] for event in events}) == 1
    assert "sk-loopback-key" not in done.out + done.err
    found = project("list", "--candidates", "--json").json["candidates"]
    decision = next(each for each in found if each["type"] == "decision")
    assert (decision["choice"], decision["said_by"]) == ("plus", "agent")
    assert decision["rejected"] == [{"option": "minus", "reason": "wrong"}]
    assert decision["evidence"][0]["event"]
    assert any(each["type"] == "learning" and "subtracted" in each["title"] for each in found)


def test_a_run_is_undone_to_the_byte(project: Run, folder: Path) -> None:
    mind = Agent(
        lambda _: Say(text=plan_of("Fix it")),
        once(FIX, ("write", {"path": "new/file.txt", "content": "x"}), ("run", {"command": "rm test_app.py"})),
    )
    with minding(mind) as server:
        done = project(
            "run", "fix it", "--yes", "--json", "--set", "run.gates=none", env=server.environment("anthropic")
        )
    assert done.status == 0, done.err
    assert not (folder / "test_app.py").exists()
    assert "a + b" in project("runs", "diff").out

    undone = project("run", "--undo", "last")

    assert undone.status == 0, undone.err
    assert (folder / "app.py").read_text() == FUNCTIONS
    assert (folder / "test_app.py").read_text() == TEST
    assert not (folder / "new").exists()


def test_planning_is_told_what_was_rejected_and_what_failed_and_a_plan_against_it_loses(
    project: Run, folder: Path
) -> None:
    project("remember", "decision", "OAuth for logins", "--question", "How do users log in?", "--choice", "OAuth",
            "--rejected", "JWT: cannot be revoked")  # fmt: skip
    project("remember", "failure", "Redis for caching ran out of memory", "--root-cause", "no limit was set")
    project("remember", "invariant", "No Redis", "--enforce", "forbid_dependency=redis")

    def plan(heard: Heard) -> Say:
        if "breaks what binds it" in heard.text or "smallest change" in heard.text:
            return Say(text=plan_of("Cache API answers in the process with dogpile.cache"))
        return Say(text=plan_of("Add redis to the dependencies and cache API answers in it"))

    mind = Agent(plan, once(("write", {"path": "cache.py", "content": "x = 1\n"})))
    with minding(mind) as server:
        done = project(
            "run", "add caching of API answers with Redis or so", "--yes", "--json", "--set", "run.gates=none",
            env=server.environment("anthropic"),
        )  # fmt: skip
    events = {event["type"]: event["data"] for event in events_of(done)}

    assert done.status == 0, done.err
    assert events["orient"]["dead_ends"] >= 1
    assert events["orient"]["constraints"] >= 1
    assert all("Redis for caching ran out of memory" in heard.text for heard in mind.planned)
    assert "dogpile" in events["plan_complete"]["approach"]
    assert "dogpile" in folder.joinpath(".holdfast/runs").glob("*/run.json").__next__().read_text()
    repaired = [heard.text for heard in mind.planned if "breaks what binds it" in heard.text]
    assert repaired
    assert "forbids the dependency 'redis'" in repaired[0]


def test_a_failing_test_converges_and_each_distinct_failure_is_recorded_once(project: Run, folder: Path) -> None:
    tries: list[int] = []

    def work(heard: Heard) -> Say:
        if heard.results:
            return Say(text="Done.")
        tries.append(1)
        sign = {1: "*", 2: "/", 3: "+"}.get(len(tries), "+")
        old = {1: "a - b", 2: "a * b", 3: "a / b"}[len(tries)]
        return Say(calls=(("edit", {"path": "app.py", "old_string": old, "new_string": f"a {sign} b"}),))

    mind = Agent(lambda _: Say(text=plan_of("Fix add")), work)
    with minding(mind) as server:
        done = project("run", "fix add", "--yes", "--json", *GATE, env=server.environment("anthropic"))
    events = events_of(done)

    assert done.status == 0, done.err
    assert kinds(events).count("validation_failed") == 2
    assert kinds(events).count("validation_passed") == 1
    assert "a + b" in (folder / "app.py").read_text()
    recorded = [event for event in events if event["type"] == "failure_recorded"]
    assert len(recorded) == len({event["data"]["hash"] for event in events if event["type"] == "validation_failed"})
    assert any("assert add(1, 2) == 3" in heard.text or "AssertionError" in heard.text for heard in mind.worked[1:])


def test_a_model_that_never_converges_is_stopped(project: Run) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Fix add")), once(("read", {"path": "app.py"}), then="I looked."))
    with minding(mind) as server:
        done = project("run", "fix add", "--yes", "--json", *GATE, env=server.environment("anthropic"))
    events = events_of(done)

    assert done.status == 1
    assert events[-1]["type"] == "complete"
    assert not events[-1]["data"]["success"]
    assert events[-1]["data"]["why"]
    assert 2 <= kinds(events).count("validation_failed") <= 7
    assert kinds(events).count("failure_recorded") == 1


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (lambda _: Say(calls=(("edit", {"nonsense": 1}),)), "again and again"),
        (lambda _: Say(calls=(("fly", {}),)), "again and again"),
        (lambda _: Say(calls=(("read", {"path": "app.py"}),)), "same call"),
        (lambda _: Say(text="x" * 50, cut=True), "was not reached"),
    ],
)
def test_a_model_that_misbehaves_fails_the_task_and_nothing_else(
    project: Run, folder: Path, work: Mind, why: str
) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Fix add")), work)
    with minding(mind) as server:
        done = project(
            "run", "fix add", "--yes", "--json", "--set", "run.gates=none", env=server.environment("anthropic")
        )
    events = events_of(done)

    assert done.status == 1
    failed = next(event["data"] for event in events if event["type"] == "task_complete")
    assert not failed["success"]
    assert why in failed["error"]
    assert events[-1]["type"] == "complete"
    assert (folder / "app.py").read_text() == FUNCTIONS


@pytest.mark.parametrize(
    "call",
    [
        ("write", {"path": "../out.txt", "content": "x"}),
        ("write", {"path": "/tmp/holdfast-out.txt", "content": "x"}),
        ("edit", {"path": ".git/config", "old_string": "[core]", "new_string": "[evil]"}),
        ("write", {"path": ".holdfast/memory/x.md", "content": "---\nid: DEC-EVIL00\n---\n"}),
        ("read", {"path": "../../../../etc/passwd"}),
    ],
)
def test_nothing_outside_the_workspace_is_touched(project: Run, folder: Path, call: tuple[str, Any]) -> None:
    results: list[str] = []

    def work(heard: Heard) -> Say:
        results.extend(heard.results)
        return Say(text="I stop.") if heard.results else Say(calls=(call,))

    with minding(Agent(lambda _: Say(text=plan_of("Do it")), work)) as server:
        project("run", "do it", "--yes", "--json", "--set", "run.gates=none", env=server.environment("anthropic"))

    assert results
    assert "root:" not in results[0]
    assert not (folder.parent / "out.txt").exists()
    assert not Path("/tmp/holdfast-out.txt").exists()
    assert "evil" not in (folder / ".git/config").read_text()
    assert project("list", "--json").json["memories"] == []


def test_without_a_person_to_ask_nothing_is_changed(project: Run, folder: Path) -> None:
    with minding(Agent(lambda _: Say(text=plan_of("Fix")), once(FIX))) as server:
        project("run", "fix add", "--json", "--set", "run.gates=none", env=server.environment("anthropic"))

    assert (folder / "app.py").read_text() == FUNCTIONS


def test_a_plan_alone_changes_nothing_and_is_carried_out_later(project: Run, folder: Path) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Fix add")), once(FIX))
    with minding(mind) as server:
        env = server.environment("anthropic")
        planned = project("run", "fix add", "--plan-only", "--json", env=env)
        assert kinds(events_of(planned)) == ["orient", "plan_start", "plan_complete", "complete"]
        assert (folder / "app.py").read_text() == FUNCTIONS
        asked = len(mind.planned)
        done = project("run", "--resume", "last", "--yes", "--json", *GATE, env=env)

    assert done.status == 0, done.err
    assert len(mind.planned) == asked
    assert "a + b" in (folder / "app.py").read_text()
    assert project("run", "--resume", "last", env=env).status == 4


def test_a_run_that_is_stopped_goes_on_where_it_was(project: Run, folder: Path) -> None:
    tasks = [
        {"id": "T1", "description": "Write one", "produces": ["one.txt"]},
        {"id": "T2", "description": "Write two", "produces": ["two.txt"], "depends_on": ["T1"]},
    ]
    slow, go = [True], threading.Event()

    def work(heard: Heard) -> Say:
        if heard.results:
            return Say(text="Done.")
        if "Task T2" in heard.text or "Write two" in heard.text.split("Write one")[-1][:2000]:
            if slow[0]:
                go.wait(LONG)
            return Say(calls=(("write", {"path": "two.txt", "content": "2"}),))
        return Say(calls=(("write", {"path": "one.txt", "content": "1"}),))

    mind = Agent(lambda _: Say(text=plan_of("Two files", tasks)), work)
    with minding(mind) as server:
        env = {**os.environ, **server.environment("anthropic")}
        command = [
            sys.executable,
            "-m",
            "holdfast.cli.main",
            "run",
            "two files",
            "--yes",
            "--json",
            "--set",
            "run.gates=none",
        ]
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["type"] == "task_complete":
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=SOON) == 1
        process.stdout.close()
        state = project("runs", "show", "--json").json
        assert state["status"] == "cancelled"
        assert (folder / "one.txt").read_text() == "1"
        assert not (folder / "two.txt").exists()
        slow[0] = False
        go.set()
        worked = len(mind.worked)
        done = project("run", "--resume", "last", "--yes", "--json", "--set", "run.gates=none", env=env)

    assert done.status == 0, done.err
    assert (folder / "two.txt").read_text() == "2"
    assert not any("Write one" in heard.text.split("Write two")[0][:200] for heard in mind.worked[worked:])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "needs a goal"),
        (("run", "x"), "needs a model"),
        (("run", "x", "--trust", "total"), "invalid choice"),
        (("run", "--resume", "nothing"), "no run"),
        (("run", "--undo", "last"), "no run"),
        (("runs", "show", "x"), "no run"),
    ],
)
def test_words_that_do_not_fit_are_answered(project: Run, words: tuple[str, ...], said: str) -> None:
    done = project(*words)

    assert done.status in {2, 3, 6}
    assert said in done.err
    assert "hint:" in done.err


def test_an_agent_of_a_client_starts_no_run(project: Run) -> None:
    done = project("run", "x", env={"CLAUDECODE": "1"})

    assert done.status == 2
    assert "for a person" in done.err


def test_a_model_that_stalls_fails_the_task(project: Run) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Fix add")), lambda _: Say(text="slow", stall=4))
    with minding(mind) as server:
        done = project(
            "run", "fix add", "--yes", "--json", "--set", "run.gates=none", "--set", "model_seconds=1",
            env=server.environment("anthropic"),
        )  # fmt: skip
    failed = next(event["data"] for event in events_of(done) if event["type"] == "task_complete")

    assert done.status == 1
    assert not failed["success"]
    assert failed["error"]


def test_what_a_run_did_is_told_by_lineage_work_and_stats(project: Run) -> None:
    project("remember", "decision", "Sums use plus", "--question", "How to add in app.py?", "--choice", "plus",
            "--rejected", "minus (wrong", "--path", "app.py")  # fmt: skip
    mind = Agent(
        lambda _: Say(text=plan_of("Fix add in app.py", criteria=["add(1, 2) is 3"])),
        once(FIX, then="I changed the sign to plus."),
    )
    with minding(mind) as server:
        done = project("run", "fix add in app.py", "--yes", "--json", *GATE, env=server.environment("anthropic"))
    assert done.status == 0, done.err

    [change] = project("report", "lineage", "app.py", "--json").json["changes"]
    assert (change["task"], change["model"], change["asked"]) == ("T1", "anthropic:test-1", "fix add in app.py")
    assert change["run"].startswith("run-")
    assert "1 of 1 criteria" in project("work").out
    assert "used 1" in project("stats").out
    assert "minus (wrong" in mind.worked[0].text
