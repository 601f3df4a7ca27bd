"""Writes on a workspace that is loaded: what moved is brought in by name, and nothing is missed for that."""

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from tests.server.conftest import environment
from tests.server.inside import Inside, inside, rich, settle
from tests.server.test_workspaces import memory_file
from tests.unit.tui.workspace import candidate, full
from tests.waiting import LONG

from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.core.search import Select
from holdfast.index.change_detection import ChangeDetector, DetectedChange, WatchedApp
from holdfast.index.open_index import index_path
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.server.http.open_workspace import ServedApp
from holdfast.system.inotify import Notices
from holdfast.workspace import SystemClock

AGAINST_CARDS = """---
id: DEC-CARDS0
type: decision
title: Log card numbers in full
choice: log card numbers
valid_from: 2026-01-01
updated: 2026-11-15
---
Always log card numbers in full.
"""
KILLED = """
import os, signal, sys
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.app import open_memory
app = open_memory(sys.argv[1])
assert app.index
app.vaults[Scope.WORKSPACE].create(Memory(id="LRN-KILLED", type=MemoryType.LEARNING, title="Written", body="Written"))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rich(tmp_path)
    return tmp_path


@pytest.fixture
def app(tmp_path: Path) -> WatchedApp:
    full(tmp_path)
    settle(tmp_path)
    return ServedApp(str(tmp_path))


class At(SystemClock):
    """A clock that stands still."""

    def __init__(self, when: datetime) -> None:
        self._when = when

    def now(self) -> datetime:
        return self._when


def learned(name: str) -> Memory:
    return Memory(id=f"LRN-{name}", type=MemoryType.LEARNING, title=name, body=name, updated="2026-11-15")


def ids(app: WatchedApp) -> set[str]:
    return {entry.memory.id for entry in app.index.select(Select())}


def listed(server: Inside) -> dict[str, str]:
    return {row["id"]: row["title"] for row in server.get("memory/entries?limit=100").json()}


# Over HTTP


def test_what_another_process_changed_between_two_writes_is_seen(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        assert server.post("candidates/CAND-CARD00/accept").status_code == 200
        assert server.cli("remember", "learning", "The cache is warm by noon").returncode == 0
        memory_file(server.folder, "DEC-TOML00").unlink()
        assert server.post("memory", {"type": "learning", "text": "Nightly jobs run at two"}).status_code == 201
        found = listed(server)
        told = [message["data"] for message in server.told() if message["type"] == "memory_changed"]

    assert {"The cache is warm by noon", "Nightly jobs run at two", "Never log card numbers"} <= set(found.values())
    assert "DEC-TOML00" not in found
    assert [data["removed"] for data in told if data["removed"]] == [["DEC-TOML00"]]
    every = [name for data in told for name in data["ids"]]
    assert len(every) == len(set(every)) == 3


def test_each_write_is_found_and_listed_at_once_and_taken_back_by_undo(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        before = listed(server)
        accepted = server.post("candidates/CAND-CARD00/accept").json()["accepted"][0]["memory"]["id"]
        after = listed(server)
        hits = [hit["memory"]["id"] for hit in server.post("search", {"query": "card numbers"}).json()["hits"]]
        undone = server.post("undo")
        again = listed(server)
        waiting = {row["id"] for row in server.get("candidates").json()}

    assert accepted in after
    assert accepted in hits
    assert undone.json()["ids"] == ["INV-CARD00", "CAND-CARD00"]
    assert again == before
    assert "CAND-CARD00" in waiting


def test_an_edit_of_what_another_process_wrote_meanwhile_is_refused(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        was = server.get("memory/DEC-TOML00").json()["memory"]["sha256"]
        path = memory_file(server.folder, "DEC-TOML00")
        path.write_text(path.read_text() + "\nAnd by hand.\n")
        refused = server.ask(
            "PUT", "memory/DEC-TOML00", json={"fields": {"title": "Mine"}}, headers={"If-Match": f'"{was}"'}
        )

    assert refused.status_code == 412
    assert path.read_text().endswith("And by hand.\n")


def test_a_conflict_that_came_after_the_queue_was_read_blocks_all_the_same(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        assert not server.get("candidates/CAND-CARD00").json()["candidate"]["conflicts"]
        path = server.folder / ".holdfast" / "memory" / "decisions" / "DEC-CARDS0.md"
        path.write_text(AGAINST_CARDS)
        refused = server.post("candidates/CAND-CARD00/accept")

    assert refused.status_code == 409
    assert [each["id"] for each in refused.json()["conflicts"]] == ["DEC-CARDS0"]


def test_a_conflict_that_went_after_the_queue_was_read_blocks_no_more(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        assert server.get("candidates/CAND-SQL000").json()["candidate"]["blocked"]
        memory_file(server.folder, "DEC-PGPG00").unlink()
        done = server.post("candidates/CAND-SQL000/accept")

    assert done.status_code == 200


def test_when_a_memory_begins_to_hold_candidates_are_looked_at_anew(folder: Path, home: Path) -> None:
    later = AGAINST_CARDS.replace("2026-01-01", "2126-01-01")
    (folder / ".holdfast" / "memory" / "decisions" / "DEC-CARDS0.md").write_text(later)
    with inside(folder, home) as server:
        server.get("candidates/CAND-CARD00")
        loaded = server.serving.workspaces.loaded(server.wid)
        assert loaded is not None
        (waits,) = [each for each in loaded.candidates if each.memory.id == "CAND-CARD00"]
        server.get("memory/entries")
        before = loaded.era, loaded.known_conflicts(waits)
        loaded._app.clock = At(loaded._app.clock.now().replace(year=2126, month=2))
        server.get("memory/entries")

    assert before == (0, ())
    assert (loaded.era, loaded.known_conflicts(waits)) == (1, None)


def test_a_write_that_was_killed_before_the_index_knew_is_seen(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        listed(server)
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(folder)], env=environment(home), capture_output=True, timeout=LONG
        )
        while_loaded = listed(server)
    with inside(folder, home) as server:
        anew = listed(server)

    assert done.returncode == -9, done.stderr
    assert while_loaded["LRN-KILLED"] == anew["LRN-KILLED"] == "Written"


# By name


def test_what_was_written_is_in_the_open_index_and_only_that_is_looked_at(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()
    store, compared = app.index, sight._at
    app.vaults[Scope.WORKSPACE].create(learned("NEW001"))

    app.refresh()

    assert app.index is store
    assert "LRN-NEW001" in ids(app)
    assert sight._at == compared
    assert sight.look() is DetectedChange.FILES
    assert [row.id for each in sight.moved.values() for row in each.now] == ["LRN-NEW001"]
    assert sight.look() is DetectedChange.NOTHING


def test_a_file_that_came_and_went_between_two_looks_leaves_nothing(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()
    entry = app.vaults[Scope.WORKSPACE].create(learned("BRIEF1"))
    app.refresh()
    app.vaults[Scope.WORKSPACE].remove(entry)

    sight.look()

    assert "LRN-BRIEF1" not in ids(app)
    assert all(not each.before and not each.now for each in sight.moved.values())


@pytest.mark.parametrize("name", ["inner", "inner.md"])
def test_a_folder_that_is_moved_with_its_files_is_seen(app: WatchedApp, name: str) -> None:
    memory = Path(app.folder) / "memory"
    outside = Path(app.workspace) / name
    outside.mkdir()
    (outside / "LRN-MOVED0.md").write_text("---\nid: LRN-MOVED0\ntype: learning\ntitle: Moved\n---\nMoved\n")
    sight = ChangeDetector(app)
    sight.look()

    outside.rename(memory / name)
    assert sight.look() is DetectedChange.FILES
    assert "LRN-MOVED0" in ids(app)
    (memory / name / "LRN-MOVED0.md").unlink()
    assert sight.look() is DetectedChange.FILES
    assert "LRN-MOVED0" not in ids(app)


def test_a_file_that_becomes_a_link_is_gone(app: WatchedApp, tmp_path: Path) -> None:
    sight = ChangeDetector(app)
    sight.look()
    path = memory_file(tmp_path, "DEC-PGPG00")
    elsewhere = tmp_path / "elsewhere.md"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)

    assert sight.look() is DetectedChange.FILES
    assert "DEC-PGPG00" not in ids(app)


def test_an_index_that_another_process_emptied_is_filled_again(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()
    everything = ids(app)
    SqliteIndex.fresh(index_path(app)).close()
    sight.doubt()

    sight.look()

    assert ids(app) == everything != set()


def test_an_index_that_was_thrown_away_is_not_written_to_on_refresh(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()
    store = app.index
    for name in ("", "-wal", "-shm"):
        if os.path.exists(index_path(app) + name):
            os.unlink(index_path(app) + name)
    app.candidates.add(candidate("LATE00", "Late"))

    app.refresh()

    assert app.index is not store
    assert "CAND-LATE00" in ids(app)
    assert sight.look() is DetectedChange.FILES


def test_notices_name_files_and_leave_folders_in_doubt(tmp_path: Path) -> None:
    notices = Notices()
    notices.watch([str(tmp_path)])

    (tmp_path / "one.md").write_text("1")
    (tmp_path / "ünö.md").write_text("2")
    assert notices.moved() == {f"{tmp_path}/one.md", f"{tmp_path}/ünö.md"}
    assert notices.moved() == set()
    (tmp_path / "inner").mkdir()
    assert notices.moved() is None
    notices.close()
