"""What every vault does, in files or in a database."""

from pathlib import Path

import pytest

from holdfast.core.errors import Conflict
from holdfast.core.memory import Evidence, Memory, MemoryType, RejectedOption, SaidBy, Scope, Status
from holdfast.core.value import replace
from holdfast.core.vault_store import Vault
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.vault.file_vault import FileVault
from holdfast.vault.memory_text import MarkdownTexts

DECISION = Memory(
    id="DEC-7K2MQ4",
    type=MemoryType.DECISION,
    title="Use Textual",
    body="Because it is fast.\n---\nid: DEC-EVIL00",
    tags=("ui", "a: b"),
    paths=("src/**",),
    rejected=(RejectedOption(option="Qt", reason="heavy"),),
    evidence=(Evidence(event="01J", quote="let us"),),
    said_by=SaidBy.AGENT,
    extra={"owner": {"name": "Jo"}},
)


@pytest.fixture(params=["files", "postgres"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    if request.param == "postgres":
        return PostgresVault(request.getfixturevalue("space"), MarkdownTexts(), Scope.WORKSPACE)
    return FileVault(str(tmp_path / "memory"), Scope.WORKSPACE)


def test_an_untouched_vault_is_empty_and_whole(vault: Vault) -> None:
    assert vault.stamps() == {}
    assert list(vault.problems()) == []
    assert vault.scope is Scope.WORKSPACE


def test_a_created_memory_is_read_back_from_its_path(vault: Vault) -> None:
    entry = vault.create(DECISION)

    file = vault.read(entry.path)

    assert file is not None
    assert file.entries == (entry,)
    assert file.problems == ()
    assert file.sha256 == entry.sha256
    assert entry.memory == DECISION
    assert entry.scope is Scope.WORKSPACE
    assert entry.line == 1


def test_a_created_memory_lies_in_the_folder_of_its_type(vault: Vault) -> None:
    entry = vault.create(DECISION)

    assert entry.path.startswith("decisions/DEC-7K2MQ4")
    assert entry.path.endswith(".md")
    assert list(vault.stamps()) == [entry.path]


def test_reading_a_path_that_is_not_there_gives_none(vault: Vault) -> None:
    assert vault.read("decisions/none.md") is None


def test_an_id_is_created_once(vault: Vault) -> None:
    vault.create(DECISION)

    with pytest.raises(Conflict, match="'DEC-7K2MQ4'"):
        vault.create(replace(DECISION, title="Another title"))

    assert len(vault.stamps()) == 1


def test_a_rewritten_memory_is_read_as_it_was_given(vault: Vault) -> None:
    entry = vault.create(DECISION)
    changed = replace(DECISION, status=Status.SUPERSEDED, tags=(), body="Shorter.", updated="2026-11-15")

    rewritten = vault.rewrite(entry, changed)

    file = vault.read(entry.path)
    assert file is not None
    assert file.entries == (rewritten,)
    assert rewritten.memory == changed
    assert rewritten.sha256 != entry.sha256


def test_a_memory_can_be_rewritten_again_and_again(vault: Vault) -> None:
    entry = vault.create(DECISION)

    for number in range(5):
        entry = vault.rewrite(entry, replace(DECISION, title=f"Title {number}", attempts=number))

    file = vault.read(entry.path)
    assert file is not None
    assert file.entries[0].memory.title == "Title 4"


def test_a_rewrite_of_what_changed_meanwhile_is_a_conflict(vault: Vault) -> None:
    entry = vault.create(DECISION)
    newer = vault.rewrite(entry, replace(DECISION, title="By another hand"))

    with pytest.raises(Conflict, match="'DEC-7K2MQ4' changed") as caught:
        vault.rewrite(entry, replace(DECISION, title="By ours"))

    assert "holdfast show DEC-7K2MQ4" in caught.value.hint
    file = vault.read(entry.path)
    assert file is not None
    assert file.entries == (newer,)


def test_a_removed_memory_is_gone_and_its_text_given_back(vault: Vault) -> None:
    entry = vault.create(DECISION)

    text = vault.remove(entry)

    assert "DEC-7K2MQ4" in text
    assert "Because it is fast." in text
    assert vault.read(entry.path) is None
    assert vault.stamps() == {}


def test_a_removal_of_what_changed_meanwhile_is_a_conflict(vault: Vault) -> None:
    entry = vault.create(DECISION)
    vault.rewrite(entry, replace(DECISION, title="By another hand"))

    with pytest.raises(Conflict):
        vault.remove(entry)

    assert vault.read(entry.path) is not None


def test_what_is_gone_is_neither_rewritten_nor_removed(vault: Vault) -> None:
    entry = vault.create(DECISION)
    vault.remove(entry)

    with pytest.raises(Conflict):
        vault.rewrite(entry, DECISION)
    with pytest.raises(Conflict):
        vault.remove(entry)


def test_a_removed_id_can_be_created_again(vault: Vault) -> None:
    vault.remove(vault.create(DECISION))

    entry = vault.create(DECISION)

    assert vault.read(entry.path) is not None


def test_ids_that_begin_alike_do_not_get_in_each_others_way(vault: Vault) -> None:
    longer = vault.create(replace(DECISION, id="DEC-001-b", title=""))
    shorter = vault.create(replace(DECISION, id="DEC-001", title="c"))

    assert {entry.path for entry in (longer, shorter)} == set(vault.stamps())


@pytest.mark.parametrize("kind", list(MemoryType))
def test_every_type_is_held(vault: Vault, kind: MemoryType) -> None:
    memory = Memory(id="X-1", type=kind, title="t", attempts=2, confidence=0.5, valid_until="2027-01-01")

    entry = vault.create(memory)

    file = vault.read(entry.path)
    assert file is not None
    assert [each.memory for each in file.entries] == [memory]
