"""What the clients' own files put before agents."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from holdfast.clients.client_table import client_of
from holdfast.clients.client_traces import make_project_slug
from holdfast.clients.hook_outputs import find_hook_outputs
from holdfast.clients.install.install_plan import find_client_places
from holdfast.clients.other_instructions import (
    CHARACTERS_PER_TOKEN,
    DEMAND,
    PROMPT,
    START,
    InstructionSource,
    find_git_root,
    find_instruction_sources,
)
from holdfast.recall import pack

DATA = Path(__file__).parents[2] / "data" / "clients"


class Machine:
    """A user's home and a repository."""

    def __init__(self, root: Path) -> None:
        self.user, self.repo = root / "user", root / "repo"
        for folder in (self.user, self.repo / ".git"):
            folder.mkdir(parents=True)
        self.env = {"HOME": str(self.user)}

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.user / name[2:] if name.startswith("~/") else self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def hears(self, *clients: str, **env: str) -> list[InstructionSource]:
        whole = {**self.env, **env}
        places = {name: find_client_places(client_of(name), "/hf", str(self.repo), whole) for name in clients}
        return find_instruction_sources(clients, places, whole)

    def files(self, client: str, **env: str) -> dict[str, tuple[str, int | None]]:
        found = self.hears(client, **env)
        return {self.name(voice.where): (voice.when, voice.tokens) for voice in found}

    def name(self, where: str) -> str:
        return where.replace(str(self.user), "~").removeprefix(f"{self.repo}/")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_tokens_are_counted_as_in_packs() -> None:
    assert CHARACTERS_PER_TOKEN == pack.CHARACTERS_PER_TOKEN


def test_claude_reads_every_claude_md_down_to_the_workspace(machine: Machine) -> None:
    machine.write("~/.claude/CLAUDE.md", "x" * 400)
    machine.write("../CLAUDE.md", "x" * 40)
    machine.write("CLAUDE.md", "x" * 100 + "<!-- " + "y" * 1000 + " -->")
    machine.write("CLAUDE.local.md", "x" * 8)
    machine.write("AGENTS.md", "not while there is a CLAUDE.md")

    found = machine.files("claude-code")

    assert [tokens for _, tokens in found.values()] == [100, 10, 25, 2]
    assert "AGENTS.md" not in found
    assert machine.hears("claude-code", CLAUDE_CODE_DISABLE_CLAUDE_MDS="1") == []


def test_claude_reads_agents_md_where_there_is_no_claude_md(machine: Machine) -> None:
    machine.write("AGENTS.md", "x" * 40)

    assert machine.files("claude-code") == {"AGENTS.md": (START, 10)}


def test_imports_count_once_each_and_odd_ones_not_at_all(machine: Machine) -> None:
    machine.write("docs/more.md", "x" * 400 + "\n@../CLAUDE.md @more.md")
    machine.write("secret.md", "x" * 4000)
    machine.write(
        "CLAUDE.md",
        "@docs/more.md, @/dev/zero @docs @nowhere.md `@secret.md`\n```\n@secret.md\n```\n<!-- @secret.md -->",
    )

    [voice] = machine.hears("claude-code")

    assert voice.note == "with 1 file it imports"
    assert 100 < (voice.tokens or 0) < 200


def test_rules_with_paths_are_read_on_demand(machine: Machine) -> None:
    machine.write(".claude/rules/always.md", "x" * 40)
    machine.write(".claude/rules/deep/sql.md", "---\npaths: db/**\n---\n" + "x" * 400)

    found = machine.files("claude-code")

    assert {name: when for name, (when, _) in found.items()} == {
        ".claude/rules/always.md": START,
        ".claude/rules/deep/sql.md": DEMAND,
    }


def test_claudes_own_memory_is_read_as_far_as_claude_reads_it(machine: Machine) -> None:
    folder = f"~/.claude/projects/{make_project_slug(str(machine.repo))}/memory"
    machine.write(f"{folder}/MEMORY.md", "- one\n" * 1000)
    machine.write(f"{folder}/topic.md", "x" * 100_000)

    index, topics = machine.hears("claude-code")

    assert (index.when, index.tokens) == (START, 300)
    assert "first 200 lines" in index.note
    assert (topics.when, topics.tokens) == (DEMAND, 1024)
    assert machine.hears("claude-code", CLAUDE_CODE_DISABLE_AUTO_MEMORY="1") == []
    machine.write("~/.claude/settings.json", '{"autoMemoryEnabled": false}')
    assert machine.hears("claude-code") == []


def test_the_repository_does_not_say_where_memory_is(machine: Machine) -> None:
    machine.write("~/elsewhere/MEMORY.md", "x" * 40)
    machine.write(".claude/settings.json", '{"autoMemoryDirectory": "~/elsewhere"}')
    assert machine.files("claude-code") == {}

    machine.write("~/.claude/settings.json", '{"autoMemoryDirectory": "~/elsewhere"}')

    assert machine.files("claude-code") == {"~/elsewhere/MEMORY.md": (START, 10)}


def test_a_worktree_shares_the_memory_of_its_repository(machine: Machine, tmp_path: Path) -> None:
    worktree = tmp_path / "tree"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {machine.repo}/.git/worktrees/tree\n")

    assert find_git_root(str(worktree)) == str(machine.repo)
    assert find_git_root(str(machine.repo / "src")) == str(machine.repo)
    assert find_git_root(str(tmp_path)) == str(tmp_path)


def test_claudes_folder_may_be_elsewhere(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved/CLAUDE.md").write_text("x" * 40)
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex/AGENTS.md").write_text("x" * 80)

    assert [v.tokens for v in machine.hears("claude-code", CLAUDE_CONFIG_DIR=str(tmp_path / "moved"))] == [10]
    assert [v.tokens for v in machine.hears("codex", CODEX_HOME=str(tmp_path / "codex"))] == [20]


def test_codex_reads_agents_md_and_its_memories_where_they_are_on(machine: Machine) -> None:
    machine.write("~/.codex/AGENTS.md", "x" * 40)
    machine.write("~/.codex/memories/memory_summary.md", "x" * 100_000)
    machine.write("AGENTS.md", "not read beside an override")
    machine.write("AGENTS.override.md", "x" * 40_000)

    assert set(machine.files("codex")) == {"~/.codex/AGENTS.md", "AGENTS.override.md"}
    assert machine.files("codex")["AGENTS.override.md"] == (START, 8192)
    machine.write("~/.codex/config.toml", "[features]\nmemories = true\n")
    assert machine.files("codex")["~/.codex/memories/memory_summary.md"] == (START, 5000)
    machine.write("~/.codex/config.toml", "[features]\nmemories = true\n[memories]\nuse_memories = false\n")
    assert "~/.codex/memories/memory_summary.md" not in machine.files("codex")


def test_gemini_reads_its_files_and_its_own_memory(machine: Machine) -> None:
    machine.write("~/.gemini/GEMINI.md", "## Gemini Added Memories\n- x")
    machine.write("~/.gemini/projects.json", json.dumps({"projects": {str(machine.repo): "mine"}}))
    machine.write("~/.gemini/tmp/mine/memory/MEMORY.md", "x" * 40)
    machine.write("CONTEXT.md", "x" * 40)

    assert [voice.note for voice in machine.hears("gemini")] == ["with what save_memory kept", ""]
    machine.write("~/.gemini/settings.json", '{"context": {"fileName": ["CONTEXT.md", 7]}}')
    assert set(machine.files("gemini")) == {"CONTEXT.md", "~/.gemini/tmp/mine/memory/MEMORY.md"}


def test_opencode_takes_claudes_file_where_it_has_none(machine: Machine) -> None:
    machine.write("~/.claude/CLAUDE.md", "x" * 40)
    machine.write("CLAUDE.md", "x" * 80)

    assert set(machine.files("opencode")) == {"~/.claude/CLAUDE.md", "CLAUDE.md"}
    assert machine.files("opencode", OPENCODE_DISABLE_CLAUDE_CODE="1") == {}
    machine.write("~/.config/opencode/AGENTS.md", "x")
    machine.write("AGENTS.md", "x")
    assert set(machine.files("opencode")) == {"~/.config/opencode/AGENTS.md", "AGENTS.md"}


def test_cursors_rules_are_on_where_they_always_apply(machine: Machine) -> None:
    machine.write(".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nx")
    machine.write(".cursor/rules/b.mdc", "---\nglobs: '*.py'\n---\nx")
    machine.write(".cursorrules", "x")

    found = machine.files("cursor")

    assert {name: when for name, (when, _) in found.items()} == {
        ".cursor/rules/a.mdc": START, ".cursor/rules/b.mdc": DEMAND, ".cursorrules": START,
    }  # fmt: skip


def test_a_file_that_several_clients_read_is_one_voice(machine: Machine) -> None:
    machine.write("AGENTS.md", "x")

    [voice] = machine.hears("codex", "opencode", "cursor")

    assert voice.clients == ("codex", "opencode", "cursor")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("~/.claude/settings.json", '{"enabledPlugins": {"claude-mem@thedotmack": true}}'),
        ("~/.codex/config.toml", '[plugins."claude-mem@claude-mem-local"]\nenabled = true\n'),
        ("~/.cursor/hooks.json", '{"hooks": {"stop": [{"command": "bun /x/claude-mem/worker.cjs"}]}}'),
        ("~/.config/opencode/plugins/claude-mem.js", ""),
    ],
)
def test_claude_mem_is_seen_where_it_is_on(machine: Machine, name: str, text: str) -> None:
    client = {"~/.claude": "claude-code", "~/.codex": "codex", "~/.cursor": "cursor"}.get(name[:9].rstrip("/"), "")
    machine.write(name, text)
    machine.write("~/.claude-mem/settings.json", '{"CLAUDE_MEM_CONTEXT_OBSERVATIONS": "20"}')
    machine.write("~/.claude-mem/claude-mem.db", b"\0")

    found = [v for v in machine.hears("claude-code", "codex", "cursor", "opencode") if v.who == "claude-mem"]

    assert [(voice.tokens, voice.note) for voice in found] == [(None, "the newest 20 observations")]
    assert found[0].clients == (client or "opencode",)
    assert machine.name(found[0].where) == "~/.claude-mem/claude-mem.db"


def test_claude_mem_is_not_seen_where_it_is_off(machine: Machine) -> None:
    machine.write("~/.claude/settings.json", '{"enabledPlugins": {"claude-mem@thedotmack": true}}')
    machine.write(".claude/settings.local.json", '{"enabledPlugins": {"claude-mem@thedotmack": false}}')
    machine.write("~/.codex/config.toml", '[plugins."claude-mem@x"]\nenabled = false\n')

    assert machine.hears("claude-code", "codex") == []


def test_odd_files_are_told_and_stop_nothing(machine: Machine) -> None:
    machine.write("~/.claude/CLAUDE.md", b"PNG\0\0" * 10)
    machine.write("~/.claude/settings.json", "[" * 5000)
    machine.write("CLAUDE.md", b"\xff\xfe bad" + b"<!--" * 60_000)
    (machine.repo / "CLAUDE.local.md").symlink_to("CLAUDE.local.md")
    os.mkfifo(machine.repo / "AGENTS.md")
    (machine.repo / "GEMINI.md").symlink_to("/dev/zero")
    machine.write("~/.codex/config.toml", "no = [toml")
    machine.write("~/.gemini/projects.json", '{"projects": {"' + str(machine.repo) + '": "../../.."}}')
    (machine.repo / ".cursor/rules/r.mdc").mkdir(parents=True)
    with open(machine.repo / ".cursorrules", "wb") as file:
        file.truncate(10 * 1024**3)

    found = machine.hears("claude-code", "codex", "gemini", "opencode", "cursor")

    notes = {machine.name(voice.where): voice.note for voice in found if voice.note}
    assert notes == {
        "~/.claude/CLAUDE.md": "it is no text",
        "CLAUDE.local.md": "it cannot be read",
        ".cursorrules": "it is no text",
    }


def test_a_huge_file_is_counted_whole_and_read_in_part(machine: Machine) -> None:
    machine.write("CLAUDE.md", "x" * 4_000_000)

    [voice] = machine.hears("claude-code")

    assert voice.tokens == 1_000_000
    assert len(voice.text) < 300_000


# What other hooks said


def attachment(event: str, command: str, printed: str) -> str:
    said = {"type": "hook_success", "hookEvent": event, "command": command, "stdout": printed, "exitCode": 0}
    return json.dumps({"type": "attachment", "attachment": said, "cwd": "/x"}) + "\n"


def context(event: str, text: str) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def heard(machine: Machine, *lines: str) -> Mapping[tuple[str, str], tuple[int | None, int | None]]:
    machine.write(f"~/.claude/projects/{make_project_slug(str(machine.repo))}/s.jsonl", "".join(lines))
    found = find_hook_outputs(str(machine.user / ".claude"), str(machine.repo), "/hf/bin/hook")
    return {(voice.who, voice.when): (voice.tokens, voice.most) for voice in found}


def test_what_claude_mem_told_is_measured_in_the_transcripts(machine: Machine) -> None:
    worker = "node /p/claude-mem/scripts/worker-service.cjs hook claude-code context"

    found = heard(
        machine,
        attachment("SessionStart", worker, '{"continue":true}'),
        attachment("SessionStart", worker, context("SessionStart", "x" * 4000)),
        attachment("SessionStart", worker, context("SessionStart", "x" * 8000)),
        attachment("SessionStart", "/hf/bin/hook", context("SessionStart", "ours")),
        attachment("UserPromptSubmit", "my own hook", "x" * 40),
        attachment("UserPromptSubmit", "my own hook", "x" * 40_000),
        attachment("Stop", "my own hook", "not for the model"),
    )

    assert found == {("claude-mem", START): (1500, 2000), ("another hook", PROMPT): (261, 512)}


def test_a_real_transcript_is_understood(machine: Machine) -> None:
    lines = (DATA / "claude-code-hooks.jsonl").read_text()

    assert heard(machine, lines) == {("another hook", START): (6, 6), ("another hook", PROMPT): (6, 6)}


def test_a_bad_transcript_says_nothing(machine: Machine) -> None:
    lines = [
        '"hook_success"\n',
        '{"attachment": ["hook_success"]}\n',
        attachment("SessionStart", "x", '{"a": '),
        "\0\n",
    ]

    assert heard(machine, *lines[:3]) == {}
    assert heard(machine, *lines) == {}
