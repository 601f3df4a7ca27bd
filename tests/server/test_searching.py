"""Finding over HTTP: search with its reasons, packs, the timeline, the graph; the project and the workspaces."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.server.inside import Inside, inside, rich
from tests.unit.tui.workspace import SESSION, opened, workspace

from holdfast.app import open_memory
from holdfast.context.session_briefing import save_session_briefing
from holdfast.core.distilled import Briefing, Progress
from holdfast.core.event import Event
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.render.render_files import describe_restart_due
from holdfast.workspace import make_workspace_id


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Inside]:
    rich(tmp_path)
    with inside(tmp_path, home) as made:
        yield made


# Search


def test_a_search_says_why_each_hit_is_one(shared: Inside) -> None:
    found = shared.post("search", {"query": "postgres storage"}).json()

    best = found["hits"][0]
    assert best["memory"]["id"] == "DEC-PGPG00"
    assert "postgr" in next(iter(best["lanes"].values()))["why"]
    assert found["searched"]["memories"] > 5


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"query": "settings", "types": ["failure"]}, set()),
        ({"query": "settings json", "superseded": True}, {"DEC-JSON00", "DEC-TOML00"}),
        ({"query": "settings", "asOf": "2026-03-05"}, {"DEC-JSON00"}),
        ({"query": "settings", "limit": 1}, {"DEC-TOML00"}),
    ],
)
def test_a_search_is_narrowed(shared: Inside, body: dict[str, object], expected: set[str]) -> None:
    found = shared.post("search", body).json()

    assert {hit["memory"]["id"] for hit in found["hits"]} == expected


def test_what_was_said_is_found_too(shared: Inside) -> None:
    found = shared.post("search", {"query": "card numbers", "place": "turns"}).json()

    assert {hit["kind"] for hit in found["hits"]} == {"turn"}
    assert found["hits"][0]["session"] == SESSION
    assert "card numbers" in found["hits"][0]["snippet"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422), ({"query": ""}, 422), ({"query": "   "}, 400), ({"query": "x", "limit": 101}, 422),
        ({"query": "x", "asOf": "soon"}, 400), ({"query": "x", "place": "moon"}, 422), ({"query": "x" * 2001}, 422),
        ({"query": 'a" OR b* NEAR( ^ {x}'}, 200), ({"query": "\0\x1b[31m\u202e"}, 200), ({"query": "…"}, 200),
    ],
)  # fmt: skip
def test_no_words_break_a_search(shared: Inside, body: dict[str, object], status: int) -> None:
    for place in ("memory",) if "asOf" in body else ("memory", "all"):
        answer = shared.post("search", {"place": place, **body})
        assert answer.status_code == status, answer.text


def test_a_pack_has_what_an_agent_would_be_told(shared: Inside) -> None:
    found = shared.post("pack", {"goal": "settings in TOML", "path": "src/db/pool.py"}).json()

    assert "Settings are TOML" in found["prompt"]
    assert [item["id"] for item in found["deadEnds"]] == ["FAIL-POOL00"]
    assert found["deadEnds"][0]["why"]
    assert found["tokens"] > 0
    task = shared.post("pack", {"goal": "store settings", "task": "refactoring", "budget": 50}).json()
    assert task["dropped"] >= 0
    assert shared.post("pack", {"goal": " "}).status_code == 400
    assert shared.post("pack", {"goal": "x", "asOf": "soon"}).status_code == 400


def test_the_timeline_has_events_and_memories_in_order(shared: Inside) -> None:
    found = shared.get("timeline").json()

    assert [item["ts"] for item in found] == sorted(item["ts"] for item in found)
    assert {item["kind"] for item in found} == {"event", "memory"}
    around = shared.get("timeline?around=DEC-TOML00&before=2&after=3").json()
    assert len(around) == 5
    assert shared.get("timeline?around=nothing").status_code == 404
    assert shared.get("timeline?before=1001").status_code == 422


# The graph


def test_the_whole_graph_has_every_memory_and_what_binds_them(shared: Inside) -> None:
    found = shared.get("graph").json()

    ids = {node["id"] for node in found["nodes"]}
    assert {"memory:DEC-TOML00", "memory:DEC-JSON00", "memory:INV-OLD000"} <= ids
    assert not any("CAND" in each for each in ids)
    kinds = {(edge["source"], edge["target"]): edge["kind"] for edge in found["edges"]}
    assert kinds["memory:DEC-TOML00", "memory:DEC-JSON00"] == "supersedes"
    assert kinds["memory:INV-NEW000", "memory:INV-OLD000"] == "contradicts"
    few = shared.get("graph?limit=3&types=decision").json()
    assert (len(few["nodes"]), few["more"]) == (3, 0)
    assert shared.get("graph?limit=2").json()["more"] == len(ids) - 2


def test_a_graph_of_many_has_few_edges_for_each(server: Inside) -> None:
    vault = open_memory(str(server.folder)).vaults[Scope.WORKSPACE]
    for number in range(60):
        vault.create(Memory(
            id=f"LRN-N{number:05}", type=MemoryType.LEARNING, title=f"Fact {number}", body="About the PoolManager.",
            source="s-1", paths=("src/a.py", f"src/{number // 4}.py"),
        ))  # fmt: skip

    found = server.get("graph").json()

    degrees = {node["id"]: node["degree"] for node in found["nodes"]}
    assert max(degrees.values()) <= 9
    assert sum(degrees.values()) == 2 * len(found["edges"])
    assert {"same file"} <= {edge["kind"] for edge in found["edges"]}


def test_the_graph_around_a_node(shared: Inside) -> None:
    found = shared.get("graph/DEC-TOML00").json()

    assert found["nodes"][0]["id"] == "memory:DEC-TOML00"
    assert "memory:DEC-JSON00" in {node["id"] for node in found["nodes"]}
    assert shared.get("graph/src/db/pool.py").json()["nodes"][0]["kind"] == "file"
    assert shared.get("graph/nobody-knows-this").status_code == 404
    assert shared.get("graph/DEC-TOML00?depth=5").status_code == 422


# The project


def test_the_project_is_told(server: Inside) -> None:
    (server.folder / "pyproject.toml").write_text('[project]\nname = "shop"\ndependencies = ["fastapi"]\n')
    (server.folder / "README.md").write_text("# Shop\n<script>alert(1)</script>\n")

    found = server.get("context").json()

    assert (found["name"], found["type"], found["framework"]) == ("shop", "python", "fastapi")
    assert any(file["path"] == "README.md" and "<script>" in file["text"] for file in found["keyFiles"])
    assert found["path"] == str(server.folder)


def test_the_briefing_is_told_or_null(server: Inside) -> None:
    assert server.get("briefing").json() is None

    save_session_briefing(opened(server.folder), "s-1", Briefing(
        mission="Ship it", status=Progress.IN_PROGRESS, progress="half", hazards=("tests hang",),
        hot_files=("src/app.py",), next_action="Run the tests",
    ))  # fmt: skip

    found = server.get("briefing").json()
    assert (found["mission"], found["nextAction"], found["hotFiles"]) == ("Ship it", "Run the tests", ["src/app.py"])
    assert found["fresh"] is True


def test_the_counts_follow_the_files(server: Inside) -> None:
    before = server.get("memory").json()
    server.post("candidates/CAND-CARD00/accept")
    after = server.get("memory").json()

    assert (before["candidateCount"], after["candidateCount"]) == (5, 4)
    assert after["invariantCount"] == before["invariantCount"] + 1
    assert (before["supersededCount"], before["badge"], after["badge"]) == (1, "5 to review", "4 to review")
    assert before["allowed"] is True


def test_a_client_that_runs_with_old_memory_is_told_to_restart(server: Inside) -> None:
    (server.folder / "CLAUDE.md").write_text("# Shop\n")
    app = open_memory(str(server.folder))
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    app.journal.append([Event(client="claude-code", name="prompt", session="s-9", ts=now, data={"prompt": "hi"})])
    assert server.get("memory").json()["restart"] == []
    assert server.cli("render").returncode == 0

    told = server.post("candidates/CAND-CARD00/accept", headers=server.studio()).json()["restart"]
    due = server.get("memory").json()["restart"]

    assert len(told) == len(due) == 1
    assert "Claude Code runs here and does not see the change" in due[0]
    app.journal.append([Event(client="claude-code", name="session_end", session="s-9", ts=now, data={})])
    assert server.get("memory").json()["restart"] == []


def test_a_session_that_began_after_the_change_needs_no_restart(server: Inside) -> None:
    (server.folder / "CLAUDE.md").write_text("# Shop\n")
    assert server.cli("render").returncode == 0
    os.utime(server.folder / "CLAUDE.md", (1_700_000_000, 1_700_000_000))
    app = open_memory(str(server.folder))
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    app.journal.append([Event(client="claude-code", name="prompt", session="s-9", ts=now, data={"prompt": "hi"})])

    assert describe_restart_due(app) == []


# Workspaces


def test_every_workspace_is_listed(server: Inside, tmp_path: Path) -> None:
    (row,) = server.get("/api/workspaces").json()
    assert (row["id"], row["open"], row["waiting"], row["allowed"]) == (server.wid, False, None, True)

    server.get("memory")

    (row,) = server.get("/api/workspaces").json()
    assert (row["open"], row["waiting"]) == (True, 5)


def test_a_folder_becomes_a_workspace(server: Inside, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("fresh")
    refused = server.post("/api/workspaces", {"path": str(folder)})
    assert refused.status_code == 404

    made = server.post("/api/workspaces", {"path": str(folder), "init": True})

    assert made.status_code == 201
    assert made.json()["id"] == make_workspace_id(str(folder))
    assert (folder / ".holdfast" / "memory").is_dir()
    assert server.post("/api/workspaces", {"path": str(folder), "init": True}).status_code == 200
    assert server.get(f"/api/workspace/{made.json()['id']}/memory").json()["candidateCount"] == 0


def test_a_foreign_workspace_is_known_but_not_allowed(server: Inside, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("foreign")
    workspace(folder)
    registry = Path(server.serving.home) / "workspaces"
    (registry / f"{make_workspace_id(str(folder))}.json").unlink()

    made = server.post("/api/workspaces", {"path": str(folder)})

    assert (made.status_code, made.json()["allowed"]) == (201, False)


@pytest.mark.parametrize("path", ["", "relative/none", "/does/not/exist", "a\0b", "x" * 4097])
def test_a_folder_that_is_none_is_refused(shared: Inside, path: str) -> None:
    for make in (True, False):
        answer = shared.post("/api/workspaces", {"path": path, "init": make})
        assert answer.status_code in {400, 404, 422}, answer.text
        assert json.loads(answer.content)["type"].startswith("/problems/")


def test_a_pack_says_what_was_left_out_and_why_where_that_is_asked(shared: Inside) -> None:
    goal = {"goal": "A pool of one connection deadlocks under load"}

    plainly = shared.post("pack", goal).json()
    whole = shared.post("pack", {**goal, "explain": True}).json()
    tight = shared.post("pack", {**goal, "budget": 1, "explain": True}).json()

    assert plainly["leftOut"] == []
    assert whole["prompt"] == plainly["prompt"]
    told = {item["id"] for item in whole["deadEnds"]}
    assert "FAIL-POOL00" in told
    assert not told & {each["id"] for each in whole["leftOut"]}
    assert {each["why"] for each in whole["leftOut"]} <= {"not near enough to the goal"}
    assert tight["prompt"] == ""
    assert ("FAIL-POOL00", "it matters, and there was no room for it") in {
        (each["id"], each["why"]) for each in tight["leftOut"]
    }


def test_what_a_person_spoke_against_is_left_out_for_that(server: Inside) -> None:
    server.post("memory/FAIL-POOL00/injection-marks", {"verdict": "wrong"})

    found = server.post("pack", {"goal": "A pool of one connection deadlocks", "explain": True}).json()

    assert "FAIL-POOL00" not in found["prompt"]
    assert {each["id"]: each["why"] for each in found["leftOut"]}["FAIL-POOL00"] == "you said: wrong"
