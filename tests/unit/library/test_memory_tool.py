"""The memory tool: word for word like Anthropic's own, strict about paths, and never more than a proposal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.candidate_files import note_candidate

from holdfast import MemoryFiles, PersistentMemory
from holdfast.app import open_memory
from holdfast.core.errors import HoldfastError
from holdfast.review.accept import accept, list_waiting, reject
from holdfast.setup.init_workspace import init, plan_init

anthropic = pytest.importorskip("anthropic", reason="the SDK is a development dependency, not one of Holdfast")

from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaLocalFilesystemMemoryTool  # noqa: E402

from holdfast.server.memory_tool import HoldfastMemoryTool  # noqa: E402

Do = Callable[..., str]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    return folder


@pytest.fixture
def files(workspace: Path) -> MemoryFiles:
    return MemoryFiles(workspace)


@pytest.fixture
def do(workspace: Path) -> Do:
    return _caller(HoldfastMemoryTool(workspace))


def _caller(tool: BetaAbstractMemoryTool) -> Do:
    """A command through the SDK's own door, as its runner calls it; a failure is its words."""

    def call(command: str, **given: Any) -> str:
        try:
            return str(tool.call({"command": command, **given}))
        except ToolError as error:
            return f"error: {error}"

    return call


SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("view", {"path": "/memories/none.md"}),
    ("create", {"path": "/memories/notes.md", "file_text": "first\nsecond\nthird"}),
    ("create", {"path": "/memories/notes.md", "file_text": "other"}),
    ("create", {"path": "/memories/plan/steps.md", "file_text": "a b a\n"}),
    ("create", {"path": "/memories/plan/deep/more.md", "file_text": "deep words\nmore of them"}),
    ("view", {"path": "/memories/notes.md"}),
    ("view", {"path": "/memories/notes.md", "view_range": [2, 3]}),
    ("view", {"path": "/memories/notes.md", "view_range": [2, -1]}),
    ("str_replace", {"path": "/memories/notes.md", "old_str": "second", "new_str": "2nd"}),
    ("str_replace", {"path": "/memories/notes.md", "old_str": "nowhere", "new_str": "x"}),
    ("str_replace", {"path": "/memories/plan/steps.md", "old_str": "a", "new_str": "x"}),
    ("str_replace", {"path": "/memories/plan", "old_str": "a", "new_str": "x"}),
    ("str_replace", {"path": "/memories/none.md", "old_str": "a", "new_str": "x"}),
    ("insert", {"path": "/memories/notes.md", "insert_line": 1, "insert_text": "between\n"}),
    ("insert", {"path": "/memories/notes.md", "insert_line": 0, "insert_text": "top"}),
    ("insert", {"path": "/memories/notes.md", "insert_line": 99, "insert_text": "x"}),
    ("insert", {"path": "/memories/none.md", "insert_line": 0, "insert_text": "x"}),
    ("view", {"path": "/memories/notes.md"}),
    ("rename", {"old_path": "/memories/notes.md", "new_path": "/memories/plan/notes.md"}),
    ("rename", {"old_path": "/memories/none.md", "new_path": "/memories/x.md"}),
    ("rename", {"old_path": "/memories/plan/notes.md", "new_path": "/memories/plan/steps.md"}),
    ("rename", {"old_path": "/memories", "new_path": "/memories/x"}),
    ("rename", {"old_path": "/memories/plan", "new_path": "/memories/plans"}),
    ("view", {"path": "/memories/plans/notes.md"}),
    ("delete", {"path": "/memories/none.md"}),
    ("delete", {"path": "/memories"}),
    ("delete", {"path": "/memories/plans/steps.md"}),
    ("view", {"path": "/memories/plans/steps.md"}),
    ("delete", {"path": "/memories/plans"}),
    ("view", {"path": "/memories/plans"}),
    ("view", {"path": "/etc/passwd"}),
    ("view", {"path": "/memories/../secret"}),
)


def test_every_answer_is_word_for_word_that_of_anthropics_own_tool(tmp_path: Path, do: Do) -> None:
    theirs = _caller(BetaLocalFilesystemMemoryTool(str(tmp_path / "reference")))

    answers = [(command, given, do(command, **given), theirs(command, **given)) for command, given in SCRIPT]

    for command, given, ours, expected in answers:
        assert ours == expected, (command, given)
    assert sum(ours.startswith("error: ") for _, _, ours, _ in answers) > 10


TEXTS = (
    "no end of line", "one end\n", "two ends\n\n", "\n\nbegins late", "  indented\n\tand tabs\n", "crlf\r\nlines\r\n",
    "---\nid: DEC-AAAAAA\ntype: decision\n---\nTwo memories?\n", "***\n---\n___\n", "naïve ✓ 日本\n",
    "x: [1, 2", "# ",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:20])
def test_words_come_back_as_they_were_written(tmp_path: Path, workspace: Path, do: Do, text: str) -> None:
    theirs = _caller(BetaLocalFilesystemMemoryTool(str(tmp_path / "reference")))
    steps: tuple[tuple[str, dict[str, Any]], ...] = (
        ("create", {"path": "/memories/a.md", "file_text": text}),
        ("view", {"path": "/memories/a.md"}),
        ("insert", {"path": "/memories/a.md", "insert_line": 1, "insert_text": text}),
        ("view", {"path": "/memories/a.md"}),
    )

    answers = [(do(command, **given), theirs(command, **given)) for command, given in steps]

    assert [ours for ours, _ in answers] == [expected for _, expected in answers]
    assert len(list_waiting(open_memory(str(workspace)))) == 1


def test_a_listing_has_the_form_of_anthropics_own_tool(tmp_path: Path, do: Do) -> None:
    theirs = _caller(BetaLocalFilesystemMemoryTool(str(tmp_path / "reference")))
    for tool in (do, theirs):
        tool("create", path="/memories/b.md", file_text="x" * 1536)
        tool("create", path="/memories/a/one.md", file_text="one")
        tool("create", path="/memories/a/deep/two.md", file_text="two two")

    ours, expected = do("view", path="/memories").split("\n"), theirs("view", path="/memories").split("\n")

    assert ours[0] == expected[0]
    # A folder's own size is its file system's business; ours is that of what stands in it.
    assert [row for row in ours[1:] if not _is_folder(row)] == [row for row in expected[1:] if not _is_folder(row)]
    assert [row.split("\t")[1] for row in ours[1:]] == [row.split("\t")[1] for row in expected[1:]]


def _is_folder(row: str) -> bool:
    return row.endswith(("/", "\t/memories"))


def test_the_sdk_takes_it_for_the_memory_tool(workspace: Path) -> None:
    tool = HoldfastMemoryTool(workspace, cache_control={"type": "ephemeral"})

    assert isinstance(tool, BetaAbstractMemoryTool)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}


def test_memory_is_shown_as_files(workspace: Path, files: MemoryFiles) -> None:
    kept = PersistentMemory.load(workspace).add_decision(
        "Use Textual", choice="Textual", rejected=["curses: no layout"]
    )

    listing = files.view("/memories")

    path = f"/memories/decisions/{kept.id}-use-textual.md"
    assert path in listing
    shown = files.view(path)
    assert "\tchoice: Textual" in shown
    assert "no layout" in shown


def test_what_is_written_waits_for_a_person(workspace: Path, files: MemoryFiles) -> None:
    files.create("/memories/decisions/db.md", "Postgres for storage\n\nBecause we know it.")

    [entry] = list_waiting(open_memory(str(workspace)))

    assert entry.memory.type == "decision"
    assert entry.memory.said_by == "agent"
    assert entry.memory.title == "Postgres for storage"
    assert len(PersistentMemory.load(workspace).decisions) == 0


def test_what_a_person_accepted_keeps_its_path_and_its_words(workspace: Path, files: MemoryFiles) -> None:
    files.create("/memories/db.md", "Postgres for storage")
    app = open_memory(str(workspace))
    accept(app, [list_waiting(app)[0].memory.id])

    said = files.str_replace("/memories/db.md", "Postgres", "Redis")

    assert files.view("/memories/db.md").endswith("     1\tPostgres for storage")
    [revision] = list_waiting(open_memory(str(workspace)))
    assert revision.memory.body == "Redis for storage"
    [kept] = PersistentMemory.load(workspace).learnings
    assert revision.memory.supersedes == (kept.id,)
    proposed = f"/memories/proposed/{revision.memory.id}.md"
    assert proposed in said
    assert files.view(proposed).endswith("     1\tRedis for storage")


def test_an_edit_of_a_memory_is_a_proposal_that_would_supersede_it(workspace: Path, files: MemoryFiles) -> None:
    kept = PersistentMemory.load(workspace).add_decision("Use Textual", choice="Textual")
    path = f"/memories/decisions/{kept.id}-use-textual.md"

    files.str_replace(path, "choice: Textual", "choice: curses")

    [revision] = list_waiting(open_memory(str(workspace)))
    assert (revision.memory.choice, revision.memory.supersedes) == ("curses", (kept.id,))
    assert PersistentMemory.load(workspace).decisions[kept.id].choice == "Textual"
    assert "choice: Textual" in files.view(path)


def test_an_edit_that_leaves_no_memory_is_refused(workspace: Path, files: MemoryFiles) -> None:
    kept = PersistentMemory.load(workspace).add_decision("Use Textual")

    with pytest.raises(HoldfastError, match="would not be a memory any more"):
        files.str_replace(f"/memories/decisions/{kept.id}-use-textual.md", "type: decision", "type: wish")

    assert list_waiting(open_memory(str(workspace))) == []


@pytest.mark.parametrize("folder", [False, True])
def test_deleting_accepted_memory_is_for_a_person(workspace: Path, files: MemoryFiles, folder: bool) -> None:
    kept = PersistentMemory.load(workspace).add_decision("Use Textual")
    path = "/memories/decisions" if folder else f"/memories/decisions/{kept.id}-use-textual.md"

    with pytest.raises(HoldfastError) as refused:
        files.delete(path)

    assert f"holdfast forget {kept.id}" in refused.value.hint
    assert kept.id in PersistentMemory.load(workspace).decisions


def test_what_the_user_rejected_is_gone_and_not_proposed_again(workspace: Path, files: MemoryFiles) -> None:
    files.create("/memories/a.md", "Delete the tests")
    app = open_memory(str(workspace))
    reject(app, [list_waiting(app)[0].memory.id], "no")

    assert "/memories/a.md" not in files.view("/memories")
    with pytest.raises(HoldfastError, match="the user rejected"):
        files.create("/memories/b.md", "Delete the tests")


def test_memory_that_is_not_allowed_is_not_shown(
    workspace: Path, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = PersistentMemory.load(workspace).add_decision("Use Textual")
    files.create("/memories/own.md", "Words")
    # To another user of the machine, this folder is one that somebody else filled.
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "another"))

    listing = MemoryFiles(workspace).view("/memories")

    assert kept.id not in listing
    assert "own.md" not in listing


def test_secrets_do_not_reach_the_disk(workspace: Path, files: MemoryFiles) -> None:
    files.create("/memories/key.md", "The key is AKIAIOSFODNN7EXAMPLE.")
    files.insert("/memories/key.md", 0, "ghp_0123456789abcdefghijABCDEFGHIJ012345")

    written = "".join(path.read_text() for path in (workspace / ".holdfast/candidates").glob("*.md"))

    assert "AKIAIOSFODNN7EXAMPLE" not in written
    assert "ghp_0123" not in written


BAD_PATHS = (
    "", "memories", "/memoriesX", "/memories/../x", "/memories/a/../../x", "/memories//x", "/memories/./x", "/etc/x",
    "/memories/%2e%2e/x", "/memories/..%2fx", "/memories/a\\..\\x", "/memories/a\0b", "/memories/a\nb", "/memories/.x",
    "/memories/\u202egnp.md", "/memories/a\u200bb", "/memories/e\u0301", "/memories/\ud800", "/memories/\ufeffx",
    "/memories/ x", "/memories/" + "a/" * 30 + "x", "/memories/" + "x" * 2000, "/memories/\u2028x",
)  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS, ids=lambda path: ascii(path)[:30])
def test_odd_paths_are_refused_by_every_command(workspace: Path, files: MemoryFiles, path: str) -> None:
    before = sorted(workspace.rglob("*"))
    files_before = files.view("/memories")
    for command in (
        {"command": "view"}, {"command": "create", "file_text": "x"}, {"command": "delete"},
        {"command": "str_replace", "old_str": "x", "new_str": "y"},
        {"command": "insert", "insert_line": 0, "insert_text": "x"},
        {"command": "rename", "old_path": path, "new_path": "/memories/x"},
        {"command": "rename", "old_path": "/memories/x", "new_path": path},
    ):  # fmt: skip
        with pytest.raises(HoldfastError):
            files.execute({"path": path, **command})

    assert files.view("/memories") == files_before
    assert [each for each in sorted(workspace.rglob("*")) if "index.db" not in each.name and each not in before] == []


def test_a_path_that_a_repository_brought_leads_nowhere(workspace: Path, files: MemoryFiles) -> None:
    files.create("/memories/a.md", "Words")
    [file] = (workspace / ".holdfast/candidates").glob("*.md")
    file.write_text(file.read_text().replace("tool_file: a.md", "tool_file: ../../../etc/passwd"))
    note_candidate(workspace, file)

    assert f"/memories/proposed/{file.stem}.md" in files.view("/memories")


def test_what_is_too_large_or_no_text_is_refused(files: MemoryFiles) -> None:
    for text in ("x" * 200_000, 7, None, ["x"]):
        with pytest.raises(HoldfastError):
            files.execute({"command": "create", "path": "/memories/x.md", "file_text": text})
    for command in ({"command": "clear"}, {"command": "__init__"}, {}, {"command": ["view"]}):
        with pytest.raises(HoldfastError):
            files.execute(command)
