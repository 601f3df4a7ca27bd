"""Which files get a block."""

import pytest

from holdfast.clients.client_table import CLIENTS
from holdfast.clients.instruction_files import MADE, READS, TARGETS, UnknownTarget, list_readers, target_of
from holdfast.render.choose_files import ExistingTargets, choose_for_all, choose_for_clients, imports_file


def paths(there: set[str], in_use: tuple[str, ...] = (), **more: set[str]) -> list[str]:
    seen = ExistingTargets(there=frozenset(there), **{name: frozenset(found) for name, found in more.items()})
    return [target.path for target in choose_for_all(seen, in_use).targets]


def test_files_that_are_there_are_filled_whatever_clients_are_in_use() -> None:
    assert paths({"agents", "gemini"}) == ["AGENTS.md", "GEMINI.md"]


def test_nothing_is_made_for_a_client_that_is_not_in_use() -> None:
    assert paths(set()) == []


@pytest.mark.parametrize("client", ["claude-code", "codex", "opencode"])
def test_agents_md_is_made_for_those_that_read_it(client: str) -> None:
    assert paths(set(), (client,)) == ["AGENTS.md"]


def test_no_claude_md_is_ever_made() -> None:
    assert "CLAUDE.md" not in paths({"agents"}, tuple(READS))
    assert "CLAUDE.md" not in paths(set(), tuple(READS))
    assert [
        target.path
        for target in choose_for_clients(ExistingTargets(there=frozenset({"agents"})), ["claude-code"]).targets
    ] == ["AGENTS.md"]
    assert "CLAUDE.md" not in {target.path for target in MADE.values()}


def test_no_agents_md_is_made_beside_a_claude_md_unless_it_is_asked_for() -> None:
    seen = ExistingTargets(there=frozenset({"claude"}))

    choice = choose_for_all(seen, ("claude-code", "codex"))

    assert [target.path for target in choice.targets] == ["CLAUDE.md"]
    assert "--client codex" in choice.notes[0]
    assert [target.path for target in choose_for_clients(seen, ["codex"]).targets] == ["AGENTS.md"]


def test_a_client_that_reads_a_chosen_file_gets_no_second_one() -> None:
    assert paths({"agents"}, ("cursor", "copilot", "cline", "windsurf")) == ["AGENTS.md"]
    assert paths(set(), ("cursor",)) == [".cursor/rules/holdfast.mdc"]


def test_a_client_that_is_named_gets_its_own_file() -> None:
    named = choose_for_clients(
        ExistingTargets(there=frozenset({"agents"})), ["cursor", "copilot", "cline", "windsurf", "gemini"]
    )

    assert {target.path for target in named.targets} == {
        ".cursor/rules/holdfast.mdc", ".github/copilot-instructions.md", ".clinerules/holdfast.md",
        ".devin/rules/holdfast-memory.md", "GEMINI.md",
    }  # fmt: skip


def test_a_file_that_brings_in_another_is_left_to_it() -> None:
    assert paths({"agents", "claude"}, ("claude-code", "codex"), covered={"claude"}) == ["AGENTS.md"]


def test_old_places_are_kept_where_they_are_in_use() -> None:
    assert paths({"cline-file"}, ("cline",)) == [".clinerules"]
    assert paths(set(), ("windsurf",), folders={"windsurf"}) == [".windsurf/rules/holdfast-memory.md"]


def test_rules_by_path_are_for_claude_code() -> None:
    assert choose_for_all(ExistingTargets(there=frozenset({"claude"})), ()).rules
    assert choose_for_all(ExistingTargets(), ("claude-code",)).rules
    assert not choose_for_all(ExistingTargets(there=frozenset({"agents"})), ("codex",)).rules


def test_aider_has_no_file_and_says_why() -> None:
    choice = choose_for_clients(ExistingTargets(), ["aider"])

    assert choice.targets == ()
    assert "active.md" in choice.notes[0]


@pytest.mark.parametrize(("text", "found"), [("See @AGENTS.md.", True), ("@./AGENTS.md\n", True), ("AGENTS.md", False)])
def test_an_import_is_known(text: str, *, found: bool) -> None:
    assert imports_file(text, "AGENTS.md") is found


def test_every_client_but_aider_has_a_file() -> None:
    assert {client.id for client in CLIENTS} - READS.keys() == {"aider"}
    assert all(MADE[client] in READS[client] for client in READS)
    assert all(list_readers(target.id) for target in TARGETS)


def test_a_target_is_known_by_id_and_path() -> None:
    assert target_of("agents") is target_of("AGENTS.md")
    with pytest.raises(UnknownTarget):
        target_of("README.md")
