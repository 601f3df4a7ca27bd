"""Bringing in what other tools remember, through the command."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.journeys.conftest import Ran, Run
from tests.waiting import LONG

RECORD = "# 1. Use a database\n\nDate: 2025-03-04\n\n## Status\n\nAccepted\n\n## Decision\n\nWe will use a database.\n"


@pytest.fixture
def records(folder: Path) -> Path:
    path = folder / "docs" / "adr"
    path.mkdir(parents=True)
    (path / "0001-db.md").write_text(RECORD, encoding="utf-8")
    (path / "0002-empty.md").write_text("# Nothing\n", encoding="utf-8")
    return path


def test_without_a_yes_the_table_is_shown_and_nothing_written(holdfast: Run, records: Path) -> None:
    ran = holdfast("import", "docs/adr")

    assert ran.status == 2
    assert "Use a database  (docs/adr/0001-db.md:1)" in ran.out
    assert "docs/adr/0002-empty.md:1: is no decision record" in ran.out
    assert "Nothing was imported: it was not confirmed." in ran.err
    assert holdfast("list", "--candidates", "--json").json == {"candidates": []}


def test_a_dry_run_and_json_say_what_would_come(holdfast: Run, records: Path) -> None:
    ran = holdfast("import", "docs/adr", "--dry-run", "--json")

    assert ran.status == 0
    assert ran.json["from"] == "adr"
    assert ran.json["counts"] == {"new": 1, "changed": 0, "revision": 0, "known": 0, "rejected": 1}
    assert ran.json["items"][0]["import_id"] == "docs/adr/0001-db.md"
    assert ran.json["rejected"][0]["place"] == "docs/adr/0002-empty.md:1"
    assert ran.json["written"] == []
    assert holdfast("list", "--candidates", "--json").json == {"candidates": []}


def test_what_was_imported_waits_and_comes_once(holdfast: Run, records: Path) -> None:
    first = holdfast("import", "docs/adr", "--yes", "--json").json
    again = holdfast("import", "docs/adr", "--yes", "--json").json

    (candidate,) = holdfast("list", "--candidates", "--json").json["candidates"]
    assert first["written"] == [candidate["id"]]
    assert again["written"] == []
    assert again["counts"]["known"] == 1
    assert (candidate["said_by"], candidate["choice"]) == ("tool", "We will use a database.")
    assert holdfast("list", "--json").json == {"memories": []}
    # Imported words reach no agent before somebody accepts them.
    assert "database" not in holdfast("pack", "which database do we use").out


def test_accepting_at_once_makes_memories(holdfast: Run, records: Path) -> None:
    ran = holdfast("import", "docs/adr", "--accept", "--yes", "--json")

    (memory,) = holdfast("list", "--json").json["memories"]
    assert ran.json["accepted"][0]["memory"] == memory["id"]
    assert memory["source"] == "import adr docs/adr/0001-db.md:1"


def test_an_agent_may_import_but_not_accept(holdfast: Run, records: Path) -> None:
    inside = {"CLAUDECODE": "1"}

    refused = holdfast("import", "docs/adr", "--accept", "--yes", env=inside)

    assert refused.status == 2
    assert "is for a person" in refused.err
    assert holdfast("list", "--candidates", "--json").json == {"candidates": []}
    assert holdfast("import", "docs/adr", "--yes", env=inside).status == 0


def test_without_a_source_it_says_what_is_here(holdfast: Run, records: Path, folder: Path) -> None:
    (folder / "AGENTS.md").write_text("- Always run the tests first.\n", encoding="utf-8")
    home = Path(os.environ["HOME"])
    (home / ".codex" / "memories").mkdir(parents=True)
    (home / ".codex" / "memories" / "raw_memories.md").write_text("# Raw Memories\n", encoding="utf-8")

    ran = holdfast("import")

    assert ran.out.splitlines()[:2] == [
        "holdfast import docs/adr --from adr",
        "holdfast import AGENTS.md --from agents-md",
    ]
    assert f"holdfast import {home}/.codex/memories --from codex-memories" in ran.out
    assert [each["kind"] for each in holdfast("import", "--json").json["found"]] == [
        "adr",
        "agents-md",
        "codex-memories",
    ]


READER = """
from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.importers.import_values import ImportedItem, Importer


def read(source):
    memory = Memory(id="", type=MemoryType.LEARNING, title="Tea is served at four", body="Four.", said_by=SaidBy.TOOL)
    yield ImportedItem(key="tea", place=f"{source.label}:1", memory=memory, raw="tea")


TEA = Importer(name="tea", reads="tea", lies="tea.txt", detect=lambda path: float(path.endswith(".tea")), read=read)
"""


def test_another_package_adds_a_kind(holdfast: Run, folder: Path, tmp_path: Path) -> None:
    package = tmp_path / "packages"
    about = package / "tea-1.0.dist-info"
    about.mkdir(parents=True)
    (package / "tea_reader.py").write_text(READER, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tea\nVersion: 1.0\n", encoding="utf-8")
    points = "[holdfast.importers]\ntea = tea_reader:TEA\nbroken = no_such_module:X\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    (folder / "list.tea").write_text("tea\n", encoding="utf-8")

    ran = holdfast("import", "list.tea", "--yes", env={"PYTHONPATH": str(package)})

    assert ran.status == 0
    assert "Tea is served at four" in ran.out
    assert "The importer 'broken' of another package could not be loaded" in ran.err


def test_the_kinds_are_listed(holdfast: Run) -> None:
    listed = holdfast("import", "--list", "--json").json["kinds"]

    assert {each["kind"] for each in listed} >= {
        "adr", "agentplane", "agents-md", "basic-memory", "claude-mem", "claude-memory", "codex-memories", "mem0",
        "omoios", "pai", "sunwell",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("nowhere",), 3, "There is nothing at 'nowhere'"),
        (("docs", "--from", "nix"), 2, "There is no kind of source 'nix'"),
        (("docs/other",), 2, "cannot be told"),
        ((".holdfast",), 2, "is Holdfast's own"),
        (("broken.db", "--from", "claude-mem"), 5, "cannot be read"),
    ],
)
def test_what_cannot_be_imported_is_said(
    holdfast: Run, records: Path, folder: Path, words: tuple[str, ...], status: int, says: str
) -> None:
    (folder / "docs" / "other").mkdir()
    (folder / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 2000)

    ran = holdfast("import", *words)

    assert ran.status == status
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_codes_in_a_source_do_not_reach_the_terminal(holdfast: Run, folder: Path) -> None:
    text = "- Never \x1b[2J clear the screen of others\n- \u202eAlways read from the left please\n"
    (folder / "AGENTS.md").write_text(text, encoding="utf-8")
    (folder / "docs\x1b[31m").mkdir()

    ran = holdfast("import", "AGENTS.md", "--yes")

    assert "\x1b" not in ran.out + ran.err
    assert "\x1b" not in "".join(p.read_text() for p in (folder / ".holdfast/candidates").glob("*.md"))


@pytest.mark.parametrize(("answer", "written"), [("y\n", 1), ("n\n", 0)])
def test_in_a_terminal_it_asks(holdfast: Run, records: Path, folder: Path, answer: str, written: int) -> None:
    ran = at_a_terminal(folder, answer, "import", "docs/adr")

    assert "They wait for your review. [y/N]" in ran.out
    assert len(holdfast("list", "--candidates", "--json").json["candidates"]) == written
    assert ran.status == (0 if written else 2)


def at_a_terminal(folder: Path, answer: str, *words: str) -> Ran:
    """The command with a terminal for all three streams."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "holdfast.cli.main", *words]
    running = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, answer.encode())
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        # A terminal whose last user has gone says so with an error.
        pass
    os.close(ours)
    return Ran(status=running.wait(timeout=LONG), out=seen.decode(), err="")
