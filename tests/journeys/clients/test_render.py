"""Real clients read the blocks that `holdfast render` wrote, with no hook of ours in them."""

from pathlib import Path

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session

CLIENTS = {
    "claude-code": start.claude_code, "codex": start.codex, "gemini": start.gemini, "opencode": start.opencode,
}  # fmt: skip
FILES = {"claude-code": "AGENTS.md", "codex": "AGENTS.md", "gemini": "GEMINI.md", "opencode": "AGENTS.md"}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_model_is_told_what_the_block_says(machine: Machine, client: str) -> None:
    session: Session = CLIENTS[client](machine)
    machine.set_up("none")
    assert machine.holdfast("remember", "invariant", "Never log tokens, not even hashed").status == 0
    assert machine.holdfast("render", "--client", client).status == 0
    assert (machine.folder / FILES[client]).exists()

    done = session("Say hello.")

    assert done.status == 0, (done.out, done.err)
    assert "Never log tokens, not even hashed" in "\n".join(map(str, machine.model.asked))


def test_claude_code_reads_a_rule_when_it_touches_a_file_of_its_paths(machine: Machine) -> None:
    session = start.claude_code(machine)
    machine.set_up("none")
    (machine.folder / "CLAUDE.md").write_text("# A project\n")
    machine.holdfast("remember", "pattern", "Views hold no logic", "--path", "src/tui/**")
    assert machine.holdfast("render").status == 0

    session("Say hello.")

    [rule] = Path(machine.folder, ".claude/rules").glob("holdfast-*.md")
    assert "Views hold no logic" in rule.read_text()
    assert "Views hold no logic" not in "\n".join(map(str, machine.model.asked))


def test_no_file_is_brought_in_by_a_memory(machine: Machine) -> None:
    session = start.claude_code(machine)
    machine.set_up("none")
    (machine.folder / "secret.md").write_text("The password is hunter2\n")
    (machine.folder / "CLAUDE.md").write_text("# A project\n")
    machine.holdfast("remember", "invariant", "Look at @secret.md first")
    assert machine.holdfast("render").status == 0

    session("Say hello.")

    asked = "\n".join(map(str, machine.model.asked))
    assert "secret.md first" in asked
    assert "hunter2" not in asked
