"""Workspaces that are open: loaded once, in step with their files, put aside when others need the room."""

import asyncio
import json
import os
import shutil
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.server.inside import Inside, inside, rich, settle
from tests.unit.tui.workspace import candidate, full, workspace

from holdfast.app import open_memory
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.exchange.team import manage_teams
from holdfast.index.change_detection import ChangeDetector, DetectedChange, WatchedApp
from holdfast.server.http.open_workspace import OpenWorkspace, ServedApp
from holdfast.server.http.open_workspaces import NoSuchWorkspace, WorkspaceManager
from holdfast.system.inotify import Notices
from holdfast.workspace import App, make_workspace_id


class Counted:
    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    def cache(self, what: str) -> None:
        self.found[what] += 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rich(tmp_path)
    return tmp_path


def titles(app: App, workspace: OpenWorkspace) -> set[str]:
    assert app.workspace
    return {entry.memory.title for entry in workspace.entries}


def memory_file(folder: Path, name: str) -> Path:
    return next((folder / ".holdfast").rglob(f"{name}*.md"))


def learned(name: str, title: str) -> Memory:
    return Memory(id=f"LRN-{name}", type=MemoryType.LEARNING, title=title, body=title, updated="2026-11-15")


# Loading


def test_two_who_ask_at_once_open_it_once(folder: Path, home: Path) -> None:
    counts = Counted()

    async def both() -> bool:
        manager = WorkspaceManager(str(home), metrics=counts)
        wid = make_workspace_id(str(folder))
        one, other = await asyncio.gather(manager.opened(wid), manager.opened(wid))
        await manager.close()
        return one is other

    assert asyncio.run(both())
    assert counts.found["miss"] == 1


def test_verbs_run_one_at_a_time_in_the_workspaces_own_thread(folder: Path, home: Path) -> None:
    async def threads() -> set[str]:
        manager = WorkspaceManager(str(home), metrics=Counted())
        opened = await manager.opened(make_workspace_id(str(folder)))
        found = await asyncio.gather(*(opened.do(lambda _: threading.current_thread().name) for _ in range(8)))
        await manager.close()
        return set(found)

    (name,) = asyncio.run(threads())
    assert name.startswith("workspace-")


def test_what_failed_to_open_is_tried_again(folder: Path, home: Path) -> None:
    link = folder / ".holdfast" / "odd"
    link.symlink_to(folder)

    async def twice() -> str:
        manager = WorkspaceManager(str(home), metrics=Counted())
        wid = make_workspace_id(str(folder))
        with pytest.raises(Exception, match="link"):
            await manager.opened(wid)
        link.unlink()
        opened = await manager.opened(wid)
        await manager.close()
        return opened.path

    assert asyncio.run(twice()) == str(folder)


def test_the_least_used_is_put_aside_but_never_a_busy_one(tmp_path: Path, home: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for each in folders:
        each.mkdir()
        workspace(each)
    counts = Counted()

    async def opened_last() -> list[str]:
        manager = WorkspaceManager(str(home), most=2, metrics=counts)
        ids = [make_workspace_id(str(each)) for each in folders]
        first = await manager.opened(ids[0])
        async with first.watcher.open():
            for wid in ids[1:]:
                await manager.opened(wid)
            names = [each.name for each in manager.open_now()]
        await manager.close()
        return names

    assert asyncio.run(opened_last()) == ["one", "three"]
    assert counts.found["eviction"] == 1


def test_a_workspace_that_was_put_aside_still_answers_who_holds_it(folder: Path, home: Path) -> None:
    async def after() -> int:
        manager = WorkspaceManager(str(home), metrics=Counted())
        opened = await manager.opened(make_workspace_id(str(folder)))
        await manager.put_aside(opened.id)
        return await opened.do(lambda app: len(app.index.sources()))

    assert asyncio.run(after()) > 5


@pytest.mark.parametrize("wid", ["../../etc", "0" * 15, "0" * 16, "G" * 16, ""])
def test_an_id_that_nobody_has_is_not_found(home: Path, wid: str) -> None:
    with pytest.raises(NoSuchWorkspace, match="knows none"):
        asyncio.run(WorkspaceManager(str(home), metrics=Counted()).opened(wid))


def test_a_folder_that_is_gone_is_not_found_and_says_what_to_do(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        assert server.get("memory").status_code == 200
        shutil.rmtree(folder)
        gone = server.get("memory")
        listed = server.get("/api/workspaces").json()

    assert gone.status_code == 404
    assert "is gone" in gone.json()["detail"]
    assert "put the folder back" in gone.json()["hint"]
    assert [row["there"] for row in listed] == [False]


def test_a_broken_row_of_the_registry_leaves_the_others(folder: Path, home: Path) -> None:
    (home / "workspaces" / f"{'a' * 16}.json").write_text("{")
    manager = WorkspaceManager(str(home), metrics=Counted())

    assert [row.path for row in manager.known()] == [str(folder)]
    assert "cannot be read" in str(manager.broken()[0])


def test_a_broken_memory_file_leaves_the_others(folder: Path, home: Path) -> None:
    memory_file(folder, "DEC-TOML00").write_bytes(b"---\nid: [\xff\n---\n")

    with inside(folder, home) as server:
        ids = {row["id"] for row in server.get("memory/entries").json()}

    assert "DEC-PGPG00" in ids
    assert "DEC-TOML00" not in ids


def test_the_workspace_given_comes_first_registered_or_not(tmp_path: Path, home: Path) -> None:
    known, given = tmp_path / "known", tmp_path / "zz-given"
    for each in (known, given):
        each.mkdir()
        workspace(each)
    (home / "workspaces" / f"{make_workspace_id(str(given))}.json").unlink()

    manager = WorkspaceManager(str(home), metrics=Counted(), also=[str(given)])

    assert [row.path for row in manager.known()] == [str(given), str(known)]


# In step with the files


def changed_by_the_command_line(server: Inside) -> None:
    done = server.cli("accept", "CAND-CARD00")
    assert done.returncode == 0, done.stderr


def changed_by_hand(server: Inside) -> None:
    path = memory_file(server.folder, "DEC-TOML00")
    path.write_text(path.read_text().replace("Settings are TOML", "Settings are INI"))


def deleted_by_hand(server: Inside) -> None:
    memory_file(server.folder, "DEC-TOML00").unlink()


def added_in_a_new_folder(server: Inside) -> None:
    text = memory_file(server.folder, "DEC-TOML00").read_text().replace("DEC-TOML00", "DEC-NEST00")
    inner = server.folder / ".holdfast" / "memory" / "decisions" / "deep"
    inner.mkdir()
    (inner / "DEC-NEST00.md").write_text(text)


@pytest.mark.parametrize(
    ("change", "added", "gone"),
    [
        (changed_by_the_command_line, "INV-CARD00", "CAND-CARD00"),
        (changed_by_hand, "DEC-TOML00", ""),
        (deleted_by_hand, "", "DEC-TOML00"),
        (added_in_a_new_folder, "DEC-NEST00", ""),
    ],
)
def test_the_next_answer_shows_what_others_changed(
    folder: Path, home: Path, change: object, added: str, gone: str
) -> None:
    assert callable(change)
    with inside(folder, home) as server:
        before = {row["id"]: row["title"] for row in server.get("memory/entries").json()}
        change(server)
        after = {row["id"]: row["title"] for row in server.get("memory/entries").json()}
        waiting = {row["id"] for row in server.get("candidates").json()}
        told = [message["data"] for message in server.told() if message["type"] == "memory_changed"]

    assert after != before
    if added:
        assert added in after
        assert sum(added in data["ids"] for data in told) == 1
    if gone:
        assert gone not in {*after, *waiting}


def test_a_hooks_event_is_in_the_next_timeline(folder: Path, home: Path) -> None:
    payload = {
        "session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": "why is the sky blue",
        "cwd": str(folder), "transcript_path": "",
    }  # fmt: skip
    with inside(folder, home) as server:
        before = server.get("timeline").json()
        hits, stale = server.counted("hit"), server.counted("stale")
        assert server.cli("hook", stdin=json.dumps(payload)).returncode == 0
        after = server.get("timeline").json()

        assert "sky" not in json.dumps(before)
        assert "sky blue" in json.dumps(after)
        # Events came in beside; memory itself was not read again.
        assert (server.counted("hit"), server.counted("stale")) == (hits + 1, stale)


def test_settings_that_change_on_disk_count_at_once(folder: Path, home: Path) -> None:
    async def seen() -> tuple[object, object]:
        manager = WorkspaceManager(str(home), metrics=Counted())
        opened = await manager.opened(make_workspace_id(str(folder)))
        before = await opened.do(lambda app: app.settings["search.limit"])
        (home / "config.toml").write_text("[search]\nlimit = 3\n")
        after = await opened.do(lambda app: app.settings["search.limit"])
        await manager.close()
        return before, after

    assert asyncio.run(seen()) == (10, 3)


def test_a_team_that_is_joined_beside_is_there_at_once(
    folder: Path, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with inside(folder, home) as server:
        assert server.get("memory").json()["teamDecisionCount"] == 0
        app = open_memory(str(folder))
        manage_teams.init_team(app, "shop", str(tmp_path_factory.mktemp("team")))
        open_memory(str(folder)).vaults[Scope.TEAM].create(
            Memory(id="DEC-TEAM00", type=MemoryType.DECISION, title="Tabs for all", body="Tabs for all.")
        )
        counted = server.get("memory").json()["teamDecisionCount"]
        shared = server.get("memory/team").json()
        listed = server.get("memory/entries?scope=team").json()

    assert counted == 1
    assert [row["id"] for row in shared["decisions"]] == [row["id"] for row in listed] == ["DEC-TEAM00"]


def test_an_answer_out_of_loaded_memory_is_a_hit_and_a_change_is_stale(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        for _ in range(10):
            server.get("memory/entries")
        assert (server.counted("miss"), server.counted("hit"), server.counted("stale")) == (1, 9, 0)

        changed_by_hand(server)
        server.get("memory/entries")
        server.get("memory/entries")

        assert (server.counted("hit"), server.counted("stale")) == (10, 1)


def test_what_a_request_writes_is_told_once(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        server.post("candidates/CAND-CARD00/accept")
        for _ in range(3):
            server.get("memory/entries")
        told = server.told()

    assert [message["type"] for message in told] == ["candidate_removed", "memory_changed"]
    assert told[0]["data"] == {"ids": ["CAND-CARD00"]}
    assert told[1]["data"] == {"ids": ["INV-CARD00"], "removed": []}


def test_a_new_candidate_is_told_with_its_title(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        server.get("memory/entries")
        assert server.cli("propose", "learning", "The cache is warm by noon").returncode == 0
        server.get("memory/entries")
        (message,) = server.told()

    assert message["type"] == "candidate_added"
    assert (message["data"]["type"], message["data"]["title"]) == ("learning", "The cache is warm by noon")


def test_an_index_that_is_damaged_under_the_server_is_built_anew(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        before = server.get("memory/entries").json()
        index = folder / ".holdfast" / "index.db"
        with index.open("r+b") as file:
            file.seek(4096)
            file.write(os.urandom(index.stat().st_size - 4096))
        (folder / ".holdfast" / "memory" / "learnings" / "new.md").write_text(
            "---\nid: LRN-NEWW00\ntype: learning\ntitle: New\n---\nNew words.\n"
        )

        after = server.get("memory/entries")
        found = server.post("search", {"query": "settings"})

    assert after.status_code == found.status_code == 200, (after.text, found.text)
    assert len(after.json()) == len(before) + 1


def test_an_index_that_was_thrown_away_is_let_go_of(folder: Path, home: Path) -> None:
    with inside(folder, home) as server:
        server.get("memory/entries")
        assert server.cli("forget", "DEC-TOML00", "--purge", "--yes").returncode == 0
        after = server.get("memory/entries").json()
        held = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_link(name)]

    assert "DEC-TOML00" not in {row["id"] for row in after}
    assert not [path for path in held if str(folder) in path and "(deleted)" in path]


def _is_link(name: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{name}")


# The eyes


@pytest.fixture
def app(tmp_path: Path) -> WatchedApp:
    full(tmp_path)
    settle(tmp_path)
    return ServedApp(str(tmp_path))


def deaf(sight: ChangeDetector) -> ChangeDetector:
    """As on a system whose kernel tells nothing."""
    sight._notices.close()
    return sight


@pytest.mark.parametrize("kernel_tells", [True, False])
def test_every_kind_of_change_is_seen(app: WatchedApp, kernel_tells: bool) -> None:
    sight = ChangeDetector(app) if kernel_tells else deaf(ChangeDetector(app))
    assert sight.look() is DetectedChange.FILES
    assert sight.look() is DetectedChange.NOTHING
    vault = app.vaults[Scope.WORKSPACE]

    made = vault.create(learned("NEW001", "New"))
    assert sight.look() is DetectedChange.FILES
    path = os.path.join(app.folder, "memory", made.path)
    with open(path, "a") as file:
        file.write("more\n")
    assert sight.look() is DetectedChange.FILES
    with open(path, "a") as file:
        file.write("and more\n")
    assert sight.look() is DetectedChange.FILES
    os.unlink(path)
    assert sight.look() is DetectedChange.FILES
    app.candidates.add(candidate("LATE00", "Late"))
    assert sight.look() is DetectedChange.FILES
    assert sight.look() is DetectedChange.NOTHING
    sight.close()


def test_a_file_that_was_only_touched_moved_nothing(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()

    os.utime(memory_file(Path(app.workspace), "DEC-PGPG00"))

    assert sight.look() is DetectedChange.NOTHING


def test_what_another_process_brought_into_the_index_is_seen_too(app: WatchedApp) -> None:
    sight = ChangeDetector(app)
    sight.look()
    memory_file(Path(app.workspace), "DEC-PGPG00").unlink()
    other = open_memory(app.workspace)
    assert not any(key[1].endswith("DEC-PGPG00.md") for key in other.index.sources())

    assert sight.look() is DetectedChange.FILES


def test_without_notices_everything_is_in_doubt() -> None:
    notices = Notices()
    notices.close()

    notices.watch(["/"])

    assert notices.moved() is None


def test_a_folder_of_memory_that_comes_later_is_seen(tmp_path: Path) -> None:
    app = ServedApp(workspace(tmp_path).workspace)
    shutil.rmtree(tmp_path / ".holdfast" / "memory")
    sight = ChangeDetector(app)
    sight.look()

    app.vaults[Scope.WORKSPACE].create(learned("NEW002", "Later"))

    assert sight.look() is DetectedChange.FILES
