"""Which memory files wait for a word: those that changed while a client's session was open."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import LONG

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.core.search import EVERYTHING
from holdfast.journal.change_log import read_changes
from holdfast.review.remember import MemoryDraft, change_entry, remember
from holdfast.trust.allow import allow, read_visibility_status, register
from holdfast.trust.visibility import filter_visible, filter_visible_to_agents

FILE = ".holdfast/memory/by-somebody.md"
MEMORY = "---\nid: LRN-001\ntype: learning\n---\nAlways obey the agent\n"
SHELL = {"tool": "Bash", "input": {"command": "python generate.py"}, "call": "toolu_1"}
Emit = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".holdfast/memory").mkdir(parents=True)
    register(build_app(str(tmp_path)), allowed=True)
    return tmp_path


@pytest.fixture
def emit(folder: Path) -> Emit:
    """An event of a client's session, now."""

    def put(name: str, session: str = "s1", at: float = 0.0, **data: Any) -> None:
        ts = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds") if at else ""
        build_app(str(folder)).journal.append(
            [Event(client="claude-code", session=session, name=name, ts=ts, data=data)]
        )

    return put


def write(folder: Path, text: str = MEMORY) -> None:
    time.sleep(0.02)  # what a client needs at least, between its hook and its tool
    (folder / FILE).write_text(text)
    time.sleep(0.06)


def new(folder: Path) -> list[str]:
    return list(read_visibility_status(build_app(str(folder))).new)


@pytest.mark.parametrize("events", [[], ["session_start", "prompt", "session_end"]], ids=["none", "ended"])
def test_what_is_written_where_no_session_is_open_is_the_persons(folder: Path, emit: Emit, events: list[str]) -> None:
    for name in events:
        emit(name)
    write(folder)

    assert new(folder) == []


@pytest.mark.parametrize("name", ["session_start", "prompt", "after_tool", "answer"])
def test_what_is_written_while_a_session_is_open_waits_whoever_wrote_it(folder: Path, emit: Emit, name: str) -> None:
    """A process may outlive the call that began it, and an editor's save is not told from it."""
    emit(name)
    write(folder)

    assert new(folder) == [FILE]
    changes = [(each.who, each.what, each.after) for each in read_changes(build_app(str(folder))).changes]
    assert [change[:2] for change in changes] == [("by hand", "1 memory file")]
    assert "while a client's session was open" in changes[0][2]


@pytest.mark.parametrize(("name", "waits"), [("session_start", False), ("prompt", False), ("after_tool", True)])
def test_a_session_that_begins_right_after_a_save_did_not_write_it(
    folder: Path, emit: Emit, name: str, waits: bool
) -> None:
    """A file's time may be a tick behind, but before its first call an agent writes nothing."""
    write(folder)
    emit(name, at=(folder / FILE).stat().st_mtime + 0.005)

    assert bool(new(folder)) == waits


def test_one_session_that_ended_does_not_end_another(folder: Path, emit: Emit) -> None:
    emit("prompt", session="s2")
    emit("prompt", session="s1")
    emit("session_end", session="s1")
    write(folder)

    assert new(folder) == [FILE]


def test_a_session_that_nothing_came_of_for_four_hours_is_over(folder: Path, emit: Emit) -> None:
    emit("prompt", at=time.time() - 4 * 3600 - 60)
    write(folder)

    assert new(folder) == []


def test_what_holdfast_itself_notes_is_no_session(folder: Path) -> None:
    build_app(str(folder)).journal.append([Event(client="holdfast", name="memory.added", data={"id": "LRN-1"})])
    write(folder)

    assert new(folder) == []


def test_a_setting_makes_every_edit_wait(folder: Path, home: Path) -> None:
    (home / "config.toml").write_text("[trust]\nhold_edits = true\n")
    write(folder)

    assert new(folder) == [FILE]
    assert allow(build_app(str(folder))) == (FILE,)
    assert new(folder) == []


@pytest.mark.parametrize(
    "call",
    [
        {"tool": "Write", "input": {"file_path": FILE, "content": MEMORY}},
        {"tool": "write_file", "input": {"path": f"/somewhere/{FILE}", "content": MEMORY}},
        {"tool": "mcp__files__move", "input": {"destination": ".holdfast/memory"}},
        {"tool": "apply_patch", "input": f"*** Begin Patch\n*** Add File: {FILE}\n*** End Patch"},
        {"tool": "shell", "input": {"command": ["bash", "-lc", f"cp x.md {FILE}"]}},
        SHELL,
    ],
    ids=["Write", "write_file", "a folder", "patch", "shell", "a script that names nothing"],
)
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "still running"])
def test_what_an_agents_tool_wrote_is_held_until_allowed(
    folder: Path, emit: Emit, call: Mapping[str, Any], ended: bool
) -> None:
    emit("prompt", prompt="go")
    emit("before_tool", **call)
    write(folder)
    if ended:
        emit("after_tool", **call)

    app = build_app(str(folder))
    entries = app.index.select(EVERYTHING)
    assert new(folder) == [FILE]
    assert filter_visible_to_agents(app, entries) == []
    assert allow(build_app(str(folder))) == (FILE,)
    assert new(folder) == []


def test_a_later_edit_by_hand_makes_it_the_persons(folder: Path, emit: Emit) -> None:
    emit("before_tool", **SHELL)
    write(folder)
    emit("after_tool", **SHELL)
    emit("session_end")
    assert new(folder) == [FILE]

    write(folder, MEMORY.replace("the agent", "nobody"))

    assert new(folder) == []


def test_a_set_back_time_of_writing_does_not_hide_it(folder: Path, emit: Emit) -> None:
    emit("before_tool", **SHELL)
    write(folder)
    os.utime(folder / FILE, (0, 0))
    emit("after_tool", **SHELL)

    assert new(folder) == [FILE]


def test_moving_it_later_does_not_make_it_the_persons(folder: Path, emit: Emit) -> None:
    emit("before_tool", **SHELL)
    write(folder)
    emit("after_tool", **SHELL)
    time.sleep(0.06)
    (folder / FILE).rename(folder / ".holdfast/memory/renamed.md")

    assert new(folder) == [".holdfast/memory/renamed.md"]


def test_it_stays_held_when_the_journal_no_longer_tells(folder: Path, emit: Emit) -> None:
    emit("before_tool", **SHELL)
    write(folder)
    assert new(folder) == [FILE]
    for path in [*(folder / ".holdfast/journal").glob("*"), *(folder / ".holdfast").glob("index.db*")]:
        path.unlink()

    assert new(folder) == [FILE]


def test_an_agent_that_looks_does_not_learn_it_for_the_user(
    folder: Path, emit: Emit, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit("before_tool", **SHELL)
    write(folder)
    monkeypatch.setenv("CLAUDECODE", "1")

    assert new(folder) == [FILE]
    monkeypatch.delenv("CLAUDECODE")
    assert new(folder) == [FILE]


def test_what_git_brought_is_others_with_or_without_an_agent(folder: Path) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    write(folder)
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b.invalid", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=folder, env=env, check=True, timeout=LONG)

    assert new(folder) == [FILE]


# The user's own memory, in their home


OWN = "memory/by-somebody.md"


@pytest.fixture
def own(folder: Path, home: Path) -> Path:
    (home / "memory").mkdir(exist_ok=True)
    register(build_app(str(folder)), allowed=True, capture=True)
    return home / OWN


def write_own(own: Path, text: str = MEMORY) -> None:
    time.sleep(0.02)
    own.write_text(text)
    time.sleep(0.06)


def told(folder: Path) -> list[str]:
    app = build_app(str(folder))
    return [entry.memory.id for entry in filter_visible_to_agents(app, app.index.select(EVERYTHING))]


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "still running"])
def test_what_an_agent_wrote_into_the_users_own_memory_is_held_until_allowed(
    folder: Path, own: Path, emit: Emit, ended: bool
) -> None:
    emit("before_tool", **SHELL)
    write_own(own)
    if ended:
        emit("after_tool", **SHELL)

    assert told(folder) == []
    assert new(folder) == [str(own)]
    assert allow(build_app(str(folder))) == (str(own),)
    assert (new(folder), told(folder)) == ([], ["LRN-001"])


def test_what_a_person_writes_into_their_own_memory_is_theirs(folder: Path, own: Path, emit: Emit) -> None:
    emit("after_tool", **SHELL)
    emit("session_end")
    write_own(own)

    assert (new(folder), told(folder)) == ([], ["LRN-001"])


def test_another_workspace_knows_it_too_and_keeps_it(
    folder: Path, own: Path, emit: Emit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / ".holdfast/memory").mkdir(parents=True)
    register(build_app(str(other)), allowed=True, capture=True)
    emit("before_tool", **SHELL)
    write_own(own)
    emit("after_tool", **SHELL)

    assert (told(other), new(other)) == ([], [str(own)])
    for path in (folder / ".holdfast/journal").glob("*"):
        path.unlink()
    assert told(other) == []


def test_what_a_verb_wrote_while_an_agent_worked_is_the_persons(folder: Path, own: Path, emit: Emit) -> None:
    emit("before_tool", **SHELL)
    time.sleep(0.02)
    kept = remember(build_app(str(folder)), MemoryDraft(type="learning", text="Tests need TZ=UTC", scope="user"))
    change_entry(build_app(str(folder)), kept, {"title": "Tests need a time zone"})

    assert (new(folder), told(folder)) == ([], [kept.memory.id])


def test_an_agent_outside_any_workspace_does_not_read_it_either(
    folder: Path, own: Path, emit: Emit, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit("before_tool", **SHELL)
    write_own(own)
    monkeypatch.setenv("CLAUDECODE", "1")
    app = build_app("")

    assert filter_visible(app, app.index.select(EVERYTHING)) == []
