"""claude-mem's database, read and left as it was."""

import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import apsw
import pytest
from tests.unit.importers.reading import read

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.claude_mem import make_importer
from holdfast.importers.claude_mem_database import ClaudeMemDamaged, ClaudeMemMissing, SqliteTables

CLAUDE_MEM = make_importer(SqliteTables)
# The columns of claude-mem 13.15 that matter here, as its own migrations make them.
SCHEMA = """
CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
    project TEXT NOT NULL, user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'active');
CREATE TABLE "observations" (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
    content_hash TEXT, generated_by_model TEXT, merged_into_project TEXT);
CREATE TABLE "session_summaries" (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
    learned TEXT, completed TEXT, next_steps TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE "user_prompts" (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
    prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
"""
WHEN = "2026-03-04T05:06:07.000Z"
EPOCH = 1772600767000


def observe(db: apsw.Connection, kind: str, title: str, narrative: str, **more: str) -> None:
    row = {
        "memory_session_id": "m1", "project": "app", "type": kind, "title": title, "narrative": narrative,
        "prompt_number": 1, "created_at": WHEN, "created_at_epoch": EPOCH, "content_hash": title, **more,
    }  # fmt: skip
    names = ", ".join(row)
    db.execute(f"INSERT INTO observations ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = str(tmp_path / "claude-mem.db")
    db = apsw.Connection(path)
    db.execute(SCHEMA)
    db.execute("INSERT INTO sdk_sessions VALUES (1, 'c1', 'm1', 'app', 'x', ?, ?, 'completed')", (WHEN, EPOCH))
    db.execute("INSERT INTO user_prompts VALUES (1, 'c1', 1, 'make login faster', ?, ?)", (WHEN, EPOCH))
    observe(
        db,
        "decision",
        "Use sessions, not tokens",
        "Tokens cannot be revoked.",
        files_modified='["src/auth.py", "/etc/x", "../y"]',
    )
    observe(db, "bugfix", "Login looped", "It looped because the cookie had no path.", facts='["path=/ is needed"]')
    observe(db, "discovery", "The limiter counts per IP", "Behind the proxy all share one.", concepts='["gotcha"]')
    observe(db, "change", "Renamed a module", "auth.py is now login.py.", concepts='["what-changed"]')
    observe(db, "feature", "Limits live in one place", "All limits are in limits.py.", concepts='["pattern"]')
    observe(db, "sensitive", "Key found", "The key is in the vault.")
    observe(db, "discovery", "Of another project", "It has nothing to do with us.", project="other")
    observe(db, "discovery", "The limiter counts per IP", "Behind the proxy all share one.")
    for number, learned in ((1, "The limiter is the bottleneck."), (2, "")):
        row = (number, "m1", "app", "faster login", learned, "done", "", WHEN, EPOCH)
        db.execute("INSERT INTO session_summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    db.close()
    return path


def test_observations_become_what_they_are(path: str) -> None:
    taken, rejected = read(CLAUDE_MEM, path, project="app")

    made = {each.memory.title: each.memory for each in taken}
    assert {title: memory.type for title, memory in made.items()} == {
        "Use sessions, not tokens": MemoryType.DECISION,
        "Login looped": MemoryType.FAILURE,
        "The limiter counts per IP": MemoryType.LEARNING,
        "Limits live in one place": MemoryType.PATTERN,
        "The limiter is the bottleneck": MemoryType.LEARNING,
    }
    decision = made["Use sessions, not tokens"]
    assert (decision.paths, decision.valid_from) == (("src/auth.py",), "2026-03-04")
    assert (decision.extra["prompt"], decision.extra["session"]) == ("make login faster", "c1")
    assert made["Login looped"].root_cause == "It looped because the cookie had no path."
    assert {memory.said_by for memory in made.values()} == {SaidBy.AGENT}
    assert [each.reason for each in rejected] == [
        "a change that only says what changed",
        "marked sensitive",
        "of project 'other', not 'app'",
        "stands in this source before",
        "a summary that learned nothing",
        "1 prompts: what was asked, not what holds",
    ]
    assert CLAUDE_MEM.detect(path) > 0.9


def test_reading_leaves_no_trace(path: str) -> None:
    folder = os.path.dirname(path)
    before = (sorted(os.listdir(folder)), sha256(Path(path).read_bytes()).hexdigest())

    read(CLAUDE_MEM, path)

    assert (sorted(os.listdir(folder)), sha256(Path(path).read_bytes()).hexdigest()) == before


@pytest.fixture
def live(path: str) -> Iterator[apsw.Connection]:
    """A writer that keeps the database open, with rows that are only in its log."""
    db = apsw.Connection(path)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    observe(db, "discovery", "Only in the log", "This row is in no page yet.", content_hash="log")
    yield db
    db.close()


def test_rows_in_a_writers_log_are_read_beside_it(path: str, live: apsw.Connection) -> None:
    taken, _ = read(CLAUDE_MEM, path)

    assert "Only in the log" in {each.memory.title for each in taken}


def test_a_log_that_a_crash_left_is_read_from_a_copy(path: str, live: apsw.Connection, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    for end in ("", "-wal"):
        shutil.copy(path + end, left / f"db{end}")

    taken, _ = read(CLAUDE_MEM, str(left / "db"))

    assert "Only in the log" in {each.memory.title for each in taken}
    assert sorted(os.listdir(left)) == ["db", "db-wal"]


def test_old_columns_are_enough(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    db = apsw.Connection(path)
    db.execute("CREATE TABLE observations (id INTEGER, sdk_session_id TEXT, project TEXT, text TEXT, type TEXT)")
    db.execute("INSERT INTO observations VALUES (1, 's', 'app', 'The build needs node 20 on the path', 'discovery')")
    db.close()

    (made,), _ = read(CLAUDE_MEM, path)

    assert made.memory.body == "The build needs node 20 on the path"


def test_a_broken_database_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + b"\1" * 5000)

    with pytest.raises(ClaudeMemDamaged, match="cannot be read"):
        read(CLAUDE_MEM, str(broken))
    with pytest.raises(ClaudeMemMissing):
        read(CLAUDE_MEM, str(tmp_path / "nothing.db"))


def test_rows_before_a_broken_page_are_kept_and_the_rest_is_told(path: str) -> None:
    db = apsw.Connection(path)
    for number in range(400):
        observe(db, "discovery", f"Row {number} of many", "word " * 200, content_hash=str(number))
    db.close()
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * 65536)

    taken, rejected = read(CLAUDE_MEM, path)

    assert taken
    assert any("the rest of the table cannot be read" in each.reason for each in rejected)


def test_views_and_virtual_tables_are_not_read(tmp_path: Path) -> None:
    path = str(tmp_path / "odd.db")
    db = apsw.Connection(path)
    db.execute("CREATE VIEW observations AS SELECT 1 AS id, 'discovery' AS type, 'a b c d' AS text")
    db.close()

    taken, (rejected,) = read(CLAUDE_MEM, path)

    assert taken == []
    assert "no table 'observations'" in rejected.reason
