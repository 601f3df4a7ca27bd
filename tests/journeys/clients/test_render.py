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


def test_a_rule_by_path_costs_claude_code_nothing_elsewhere(machine: Machine) -> None:
    session = start.claude_code(machine)
    machine.set_up("none")
    (machine.folder / "CLAUDE.md").write_text("# A project\n")
    machine.holdfast("remember", "pattern", "Views hold no logic", "--path", "src/tui/**")
    assert machine.holdfast("render").status == 0
    [rule] = Path(machine.folder, ".claude/rules").glob("holdfast-*.md")
    text = rule.read_text()
    # The same without the frontmatter, so that it is sure that rules are read at all.
    rule.with_name("always.md").write_text(text.rpartition("---\n")[2].replace("no logic", "no state"))

    session("Say hello.")

    asked = "\n".join(map(str, machine.model.asked))
    assert "Views hold no logic" in text
    assert "Views hold no state" in asked
    assert "Views hold no logic" not in asked


def test_no_file_is_brought_in_by_a_memory(machine: Machine) -> None:
    session = start.claude_code(machine)
    machine.set_up("none")
    (machine.folder / "secret.md").write_text("The password is hunter2\n")
    (machine.folder / "told.md").write_text("Told on purpose\n")
    (machine.folder / "CLAUDE.md").write_text("# A project\n\n@told.md\n")
    machine.holdfast("remember", "invariant", "Look at @secret.md first")
    assert machine.holdfast("render").status == 0

    session("Say hello.")

    asked = "\n".join(map(str, machine.model.asked))
    assert "Told on purpose" in asked
    assert "secret.md first" in asked
    assert "hunter2" not in asked


def test_claude_code_sees_what_was_put_into_its_own_memory(machine: Machine) -> None:
    session = start.claude_code(machine)
    machine.set_up("none")
    session("Say hello.")
    machine.model.asked.clear()
    machine.holdfast("remember", "invariant", "Never log tokens, not even hashed")

    done = machine.holdfast("render", "--claude-memory", "--json")
    session("Say hello again.")

    assert [row["state"] for row in done.json["files"]] == ["make", "make"], done
    asked = "\n".join(map(str, machine.model.asked))
    assert "(holdfast-inv-" in asked
    assert "Never log tokens, not even hashed" in asked
