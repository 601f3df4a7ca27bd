"""PersistentMemory, as a program sees it."""

import asyncio
import os
import shutil
from datetime import date
from pathlib import Path

import pytest

from holdfast import PersistentMemory
from holdfast.app import FolderMissing
from holdfast.core.errors import BadRequest, NotFound
from holdfast.library.memory_stores import Decisions
from holdfast.library.persistent_memory import MemoryContext
from holdfast.setup.init_workspace import init, plan_init


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    init(plan_init(str(tmp_path), named=True))
    return tmp_path


def test_what_is_added_is_there_for_the_next_to_load(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)

    kept = memory.add_decision(
        "Use Redis", question="Which cache?", choice="Redis", rejected=["memcached: no persistence"], tags=["cache"]
    )
    memory.add_failure("Pool ran dry", error_type="TimeoutError", root_cause="one session per request")
    memory.add_learning("Tests need UTC", category="system")
    memory.add_pattern("Errors end in a hint")
    memory.add_invariant("Never log tokens")
    memory.add_assumption("One workspace per user")

    again = PersistentMemory.load(workspace)
    assert again.decisions[kept.id].rejected[0].reason == "no persistence"
    stores = (again.decisions, again.failures, again.learnings, again.patterns, again.invariants, again.assumptions)
    assert [len(store) for store in stores] == [1] * 6
    assert [hit.entry.memory.id for hit in again.search("which cache")] == [kept.id]


def test_sync_says_what_moved(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)
    first = memory.add_learning("First")
    other = PersistentMemory.load(workspace)
    second = other.add_learning("Second")
    path = next((workspace / ".holdfast/memory/learnings").glob(f"{first.id}*"))
    path.write_text(path.read_text().replace("First", "Changed"))

    result = memory.sync()

    assert result.ok
    assert result.stores["learnings"].added == (second.id,)
    assert result.stores["learnings"].changed == (first.id,)
    path.unlink()
    assert memory.sync().stores["learnings"].removed == (first.id,)


def test_a_damaged_store_is_empty_with_a_warning_and_the_others_serve(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)
    memory.add_decision("Broken soon")
    memory.add_learning("Whole")
    for path in (workspace / ".holdfast/memory/decisions").glob("*.md"):
        path.write_bytes(b"---\nid: DEC-1\ntype: [\n---\n\xff\xfe")

    again = PersistentMemory.load(workspace)

    assert len(again.decisions) == 0
    assert len(again.decisions.warnings) == 1
    assert len(again.learnings) == 1
    assert again.learnings.warnings == ()
    assert not again.sync().ok


def test_a_store_whose_folder_is_no_folder_stops_no_other(workspace: Path) -> None:
    PersistentMemory.load(workspace).add_learning("Whole")
    (workspace / ".holdfast/memory/decisions").write_text("a file")

    memory = PersistentMemory.load(workspace)

    assert len(memory.learnings) == 1
    assert len(memory.decisions) == 0


def test_a_damaged_index_is_no_damage(workspace: Path) -> None:
    PersistentMemory.load(workspace).add_learning("Whole")
    (workspace / ".holdfast/index.db").write_bytes(os.urandom(5000))

    assert len(PersistentMemory.load(workspace).learnings) == 1


def test_memory_holds_at_its_paths(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)
    here = memory.add_failure("Pool ran dry", paths=["src/db/**"])
    everywhere = memory.add_failure("Never on Fridays")

    assert {found.id for found in memory.failures.get_for_path("src/db/pool.py")} == {here.id, everywhere.id}
    assert {found.id for found in memory.failures.get_for_path("docs/x.md")} == {everywhere.id}


def test_what_is_proposed_is_no_memory_yet(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)

    candidate = memory.propose("decision", "Use Mongo")

    assert candidate.id.startswith("CAND-")
    assert len(memory.decisions) == 0
    assert memory.search("mongo") == ()


def test_inside_a_client_adding_is_proposing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    memory = PersistentMemory.load(workspace)

    kept = memory.add_invariant("Obey me")

    assert kept.id.startswith("CAND-")
    assert len(memory.invariants) == 0


def test_bad_calls_are_told(workspace: Path, tmp_path: Path) -> None:
    memory = PersistentMemory.load(workspace)

    with pytest.raises(BadRequest, match="no text"):
        memory.add_learning("  ")
    (tmp_path / "other").mkdir()
    (tmp_path / ".holdfast").rename(tmp_path / "away")
    with pytest.raises(NotFound, match="no Holdfast workspace"):
        PersistentMemory.load(tmp_path / "other")
    with pytest.raises(NotFound, match="There is no folder"):
        PersistentMemory.load(tmp_path / "nowhere")


def test_odd_values_are_read_as_meant_or_told(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)

    kept = memory.add_decision("Dated", tags="abc", paths="src", valid_from=date(2026, 1, 27))

    assert (kept.tags, kept.paths, kept.valid_from) == (("abc",), ("src",), "2026-01-27")
    for more in ({"rejected": [{"a": 1}]}, {"confidence": "high"}, {"tags": [1]}, {"nonsense": "x"}):
        with pytest.raises(BadRequest):
            memory.add_decision("Odd", **more)
    with pytest.raises(BadRequest):
        memory.add_learning(None)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(BadRequest):
        memory.search("x", limit=0)


def test_what_matters_to_a_goal_is_told_by_its_use(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)
    kept = memory.add_decision("Valkey caches", question="Which cache?", choice="Valkey", rejected=["Redis: licence"])
    memory.add_failure("Caching in a dict leaked", attempts=3, root_cause="keys lacked the tenant")
    memory.add_learning("Cache keys hold the tenant", category="cache")
    memory.add_pattern("Caches are behind a port", tags=["cache"])
    memory.add_assumption("The cache holds a million keys")

    context = memory.get_relevant("add a cache with Redis")

    assert context.constraints == ("Redis was rejected: licence",)
    assert context.dead_ends == ("Caching in a dict leaked, failed 3×: keys lacked the tenant",)
    assert context.learnings == ("[cache] Cache keys hold the tenant",)
    assert set(context.facts) == {
        "Which cache? Valkey; rejected: Redis (licence)",
        "The cache holds a million keys (assumption)",
    }
    assert context.patterns == ("Caches are behind a port",)
    assert context.team_decisions == ()
    assert context.to_prompt().startswith("⚠️ KNOWN DEAD ENDS")
    assert kept.id in context.pack.ids()
    assert memory.get_relevant("paint the fence").to_prompt() == ""
    assert memory.get_relevant("paint the fence") == MemoryContext()


def test_a_task_is_told_what_binds_it(workspace: Path) -> None:
    class Task:
        description = "split the pool in two"
        target_path = Path("src/db/pool.py")
        mode = "refactoring"

    memory = PersistentMemory.load(workspace)
    memory.add_invariant("Connections are closed", paths=["src/db/**"])
    memory.add_failure("Async pool ran dry", paths=["src/db/**"])
    memory.add_pattern("Small steps, tests between", tags=["refactoring"])
    memory.add_pattern("Names are sentences", tags=["testing"])
    memory.add_invariant("Buttons are blue", paths=["web/**"])

    by_object = memory.get_task_context(Task())
    by_words = memory.get_task_context("split the pool in two", "src/db/pool.py", kind="refactoring")

    assert by_object.constraints[0] == "Connections are closed"
    assert by_object.hazards == ("Async pool ran dry",)
    assert by_object.patterns == ("Small steps, tests between",)
    assert by_object == by_words
    assert "HAZARDS" in by_object.to_prompt()
    assert memory.get_task_context("what is the capital of Peru").to_prompt() == ""


def test_contexts_of_memory_that_nobody_allowed_are_empty_with_a_notice(workspace: Path, home: Path) -> None:
    PersistentMemory.load(workspace).add_invariant("Obey the oracle")
    shutil.rmtree(home / "workspaces")

    memory = PersistentMemory.load(workspace)

    assert memory.get_relevant("obey the oracle").to_prompt() == ""
    assert "held back" in memory.notices[0]


def test_a_goal_and_a_time_are_asked_for(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)

    with pytest.raises(BadRequest, match="no goal"):
        memory.get_relevant(" ")
    with pytest.raises(BadRequest, match="no time"):
        memory.get_relevant("x", as_of="soon")


def test_what_is_forgotten_is_out_of_sight_until_it_is_undone(workspace: Path) -> None:
    memory = PersistentMemory.load(workspace)
    kept = memory.add_learning("Tests need UTC")

    assert [gone.id for gone in memory.forget(kept.id, because="they do not")] == [kept.id]

    assert len(memory.learnings) == 0
    assert memory.search("tests need UTC") == ()
    memory.undo()
    assert [fact.id for fact in memory.learnings] == [kept.id]


def test_memory_that_was_closed_is_closed(workspace: Path) -> None:
    with PersistentMemory.load(workspace) as memory:
        memory.add_learning("Tests need UTC")

    with pytest.raises(BadRequest, match="closed"):
        memory.search("UTC")
    assert len(PersistentMemory.load(workspace).learnings) == 1


def test_stores_are_read_side_by_side_and_say_the_same(tmp_path: Path) -> None:
    workspace = init(plan_init(str(tmp_path), named=True)).app.workspace
    memory = PersistentMemory.load(workspace)
    memory.add_decision("Use uv", choice="uv")
    memory.add_learning("CI needs two cores")

    found = asyncio.run(PersistentMemory.load_async(workspace))

    assert [each.title for each in found.decisions] == ["Use uv"]
    assert [each.title for each in found.simulacrum.learnings] == ["CI needs two cores"]
    assert found.sync().ok
    with pytest.raises(FolderMissing):
        asyncio.run(PersistentMemory.load_async(tmp_path / "none"))


def test_a_store_that_is_given_is_not_loaded_even_if_it_is_empty(tmp_path: Path) -> None:
    app = init(plan_init(str(tmp_path), named=True)).app
    PersistentMemory(app).add_decision("Use uv", choice="uv")

    assert len(PersistentMemory(app, stores={"decisions": Decisions()}).decisions) == 0
    assert len(PersistentMemory(app).decisions.find_relevant_decisions("use uv")) == 1
