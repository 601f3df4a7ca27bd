"""The seed's story: what one run decides and tries in vain, the next one's planning is told; over CLI and library."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_run import Agent as Mind
from tests.journeys.test_run import events_of, once, plan_of
from tests.minds import Heard, Say, minding

from holdfast import Agent, PersistentMemory, RunOptions, SessionContext, Trust
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.open_run import read_gates
from holdfast.app import build_app
from holdfast.core.run import AgentEvent, Gate
from holdfast.llm.open_model import open_model

Run = Any
AUTH = {
    "question": "How do users log in?", "choice": "OAuth", "because": "providers do the hard part",
    "rejected": [{"option": "JWT", "reason": "tokens cannot be revoked"}],
}  # fmt: skip
CACHE = {
    "question": "Which cache?", "choice": "dogpile.cache", "because": "it needs no server",
    "rejected": [{"option": "Redis", "reason": "it failed before"}],
}  # fmt: skip
LEARNED = {
    "fact": "Pydantic v2 is used for every model.", "category": "algorithm", "paths": [],
    "quote": "Pydantic v2 is used for every model here",
}  # fmt: skip
REDIS_TEST = 'import pytest\n\n\ndef test_cache():\n    raise ConnectionError("Redis refused the connection")\n'


def with_choice(approach: str, *choices: Mapping[str, Any]) -> str:
    return plan_of(approach, [{"id": "T1", "description": approach, "produces": ["x.py"]}], choices)


@pytest.fixture
def project(bare: Run, folder: Path, git: Any) -> Run:
    git("init")
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\nversion = "1"\n')
    bare("init", "--yes", "--client", "none")
    return bare


def review(project: Run, *types: str) -> None:
    """The user looks at what a run gave, and takes it."""
    for kind in types:
        done = project("accept", "--type", kind, "--json")
        assert done.status == 0, done.out
        assert done.json["accepted"], kind


def test_three_sessions_through_the_command(project: Run, folder: Path) -> None:
    gate = ("--gate", f"test={sys.executable} -m pytest -q -p no:cacheprovider")

    # The first decides about logins, and finds something out.
    first = Mind(
        lambda _: Say(text=with_choice("Add auth by OAuth", AUTH)),
        once(("write", {"path": "x.py", "content": "auth = 1\n"}), then="Pydantic v2 is used for every model here."),
        [LEARNED],
    )
    with minding(first) as server:
        done = project(
            "run", "add auth", "--yes", "--json", "--set", "run.gates=none", env=server.environment("anthropic")
        )
        assert done.status == 0, done.err
    review(project, "decision", "learning")

    # The second tries Redis, which does not work.
    (folder / "test_cache.py").write_text(REDIS_TEST)
    second = Mind(
        lambda _: Say(text=with_choice("Add caching with Redis")),
        once(("write", {"path": "x.py", "content": "c = 1\n"})),
    )
    with minding(second) as server:
        done = project("run", "add caching", "--yes", "--json", *gate, env=server.environment("openai"))
    assert done.status == 1
    assert any(event["type"] == "failure_recorded" for event in events_of(done))
    review(project, "failure")
    (folder / "test_cache.py").unlink()

    # Its second try is told, and chooses something else.
    def plan(heard: Heard) -> Say:
        told = "Redis refused the connection" in heard.text
        return Say(text=with_choice("Cache with dogpile.cache", CACHE) if told else with_choice("Cache with Redis"))

    third = Mind(plan, once(("write", {"path": "x.py", "content": "cache = 2\n"})))
    with minding(third) as server:
        done = project(
            "run", "add caching, perhaps with Redis", "--yes", "--json", "--set", "run.gates=none",
            env=server.environment("gemini"),
        )  # fmt: skip
    events = {event["type"]: event["data"] for event in events_of(done)}
    assert done.status == 0, done.err
    assert events["orient"]["dead_ends"] >= 1
    assert "dogpile" in events["plan_complete"]["approach"]
    assert all("KNOWN DEAD ENDS" in heard.text for heard in third.planned)
    review(project, "decision")

    # The last one knows all four.
    last = Mind(
        lambda _: Say(text=with_choice("Tune the cache")), once(("write", {"path": "x.py", "content": "cache = 3\n"}))
    )
    with minding(last) as server:
        project(
            "run", "optimize caching: Redis, dogpile.cache, OAuth logins and Pydantic models", "--yes", "--json",
            "--set", "run.gates=none", env=server.environment("ollama"),
        )  # fmt: skip
    told = last.planned[0].text
    for fact in ("Redis refused the connection", "OAuth", "dogpile.cache", "Pydantic v2 is used for every model"):
        assert fact in told, fact
    assert "JWT" in told


async def ran(agent: Agent, session: SessionContext, memory: PersistentMemory) -> list[AgentEvent]:
    return [event async for event in agent.run(session, memory)]


def by_library(folder: Path, goal: str, env: Mapping[str, str], gates: Sequence[Gate] = ()) -> list[AgentEvent]:
    """The four lines of the design."""
    app = build_app(str(folder), {"model": env["HOLDFAST_MODEL"]})
    model = open_model(app.settings, app.home, env)
    session = SessionContext.build(folder, goal, RunOptions(trust=Trust.WORKSPACE))
    memory = PersistentMemory.load(folder)
    run_folder = folder / ".holdfast" / "runs" / session.session_id
    run_folder.mkdir(parents=True)
    hands = ToolExecutor(str(folder), str(run_folder), Trust.WORKSPACE)
    agent = Agent(model=model, tool_executor=hands, cwd=str(folder), gates=gates)  # type: ignore[arg-type]  # it is set
    return asyncio.run(ran(agent, session, memory))


def test_the_story_through_the_library(project: Run, folder: Path) -> None:
    first = Mind(
        lambda _: Say(text=with_choice("Add auth by OAuth", AUTH)),
        once(("write", {"path": "x.py", "content": "a = 1\n"})),
    )
    with minding(first) as server:
        events = by_library(folder, "add auth", server.environment("anthropic"))
    assert events[-1].data["success"], events[-1].data
    memory = PersistentMemory.load(folder)
    [candidate] = [each for each in memory.candidates() if each.type == "decision"]
    assert candidate.choice == "OAuth"
    assert memory.accept(candidate.id).accepted
    memory.add_failure("Redis for the cache refused connections", root_cause="the network policy")

    def plan(heard: Heard) -> Say:
        return Say(
            text=with_choice("Cache in the process" if "Redis for the cache refused" in heard.text else "Use Redis")
        )

    second = Mind(plan, once(("write", {"path": "y.py", "content": "b = 1\n"})))
    with minding(second) as server:
        events = by_library(folder, "add a cache with Redis to the auth by OAuth", server.environment("anthropic"))

    found = {str(event.type): event.data for event in events}
    assert found["plan_complete"]["approach"] == "Cache in the process"
    assert found["orient"]["dead_ends"] == 1
    assert "JWT (tokens cannot be revoked" in second.planned[0].text
    assert found["complete"]["success"]


def test_two_runs_in_one_workspace_keep_apart(project: Run, folder: Path) -> None:
    def mind(name: str) -> Mind:
        task = [{"id": "T1", "description": f"Write {name}", "produces": [f"{name}.txt"]}]
        return Mind(
            lambda _: Say(text=plan_of(f"Write {name}", task)),
            once(("write", {"path": f"{name}.txt", "content": name}), ("run", {"command": "sleep 0.2"})),
        )

    async def both() -> tuple[list[AgentEvent], list[AgentEvent]]:
        with minding(mind("one")) as one, minding(mind("two")) as two:
            return await asyncio.gather(
                asyncio.to_thread(by_library, folder, "write one", one.environment("anthropic")),
                asyncio.to_thread(by_library, folder, "write two", two.environment("openai")),
            )

    first, second = asyncio.run(both())

    assert first[-1].data["success"]
    assert second[-1].data["success"]
    assert first[0].run != second[0].run
    assert first[-1].data["files"] == ["one.txt"]
    assert second[-1].data["files"] == ["two.txt"]
    assert project("run", "--undo", first[0].run).status == 0
    assert not (folder / "one.txt").exists()
    assert (folder / "two.txt").read_text() == "two"
    assert len(json.loads(project("runs", "--json").out)["runs"]) == 2


def test_gates_of_a_project_are_found(project: Run, folder: Path) -> None:
    (folder / "pytest.ini").write_text("")

    assert [gate.name for gate in read_gates(build_app(str(folder)))] == ["pytest"]


def test_memory_that_holds_nothing_serves_too(project: Run, folder: Path) -> None:
    mind = Mind(lambda _: Say(text=with_choice("Write x")), once(("write", {"path": "x.py", "content": "a = 1\n"})))
    with minding(mind) as server:
        env = server.environment("anthropic")
        model = open_model(build_app(str(folder), {"model": env["HOLDFAST_MODEL"]}).settings, "", env)
        session = SessionContext.build(folder, "write x", RunOptions(trust=Trust.WORKSPACE))
        (folder / ".holdfast/runs" / session.session_id).mkdir(parents=True)
        hands = ToolExecutor(str(folder), str(folder / ".holdfast/runs" / session.session_id), Trust.WORKSPACE)
        agent = Agent(model=model, tool_executor=hands, cwd=str(folder))  # type: ignore[arg-type]  # it is set
        events = asyncio.run(ran(agent, session, PersistentMemory.empty(folder)))

    assert events[-1].data["success"], events[-1].data
    assert project("list", "--candidates", "--json").json["candidates"] == []
