from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.index_values import SILENT, LineVault

from holdfast.core.event import Event
from holdfast.core.memory import Scope
from holdfast.core.search import Change, Select
from holdfast.index import build_index
from holdfast.index.build_index import IndexedVault, IndexSyncResult, sync_index
from holdfast.index.sqlite.connection import open_writer
from holdfast.index.sqlite.index_schema import PATIENCE_MS
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.journal.file_journal import FileJournal


class CountingIndex(SqliteIndex):
    """Counts transactions, and can be interrupted after some."""

    def __init__(self) -> None:
        super().__init__(open_writer(":memory:", PATIENCE_MS), ":memory:")
        self.applied: list[Change] = []
        self.stops_after = 1000

    def apply(self, change: Change) -> None:
        if len(self.applied) >= self.stops_after:
            raise KeyboardInterrupt
        self.applied.append(change)
        super().apply(change)


def places(*vaults: LineVault, name: str = "memory") -> Sequence[IndexedVault]:
    return [IndexedVault(name=name, vault=vault) for vault in vaults]


def titles(store: SqliteIndex) -> list[str]:
    return [entry.memory.title for entry in store.select(Select())]


def test_a_first_sync_reads_every_file_and_a_second_none() -> None:
    store, vault, journal = CountingIndex(), LineVault(), SILENT
    vault.files = {"a.md": "DEC-1||One", "b.md": "DEC-2||Two\nbroken"}

    first, second = sync_index(store, places(vault), journal), sync_index(store, places(vault), journal)

    assert first == IndexSyncResult(looked=2, changed=2)
    assert second == IndexSyncResult()
    assert titles(store) == ["One", "Two"]
    assert [(problem.path, problem.line) for problem in store.links()[1]] == [("memory/b.md", 2)]
    assert len(store.applied) == 1


def test_places_of_one_scope_are_told_apart_by_name() -> None:
    store, vault, waiting, own = SqliteIndex.open(":memory:"), LineVault(), LineVault(), LineVault(Scope.USER)
    vault.files, waiting.files, own.files = {"a.md": "DEC-1|"}, {"a.md": "CAND-1|candidate"}, {"a.md": "DEC-1|"}

    sync_index(store, [*places(vault, own), *places(waiting, name="candidates")], SILENT)

    assert [(str(entry.scope), entry.path) for entry in store.select(Select())] == [
        ("workspace", "candidates/a.md"),
        ("user", "memory/a.md"),
        ("workspace", "memory/a.md"),
    ]


def test_a_touched_file_moves_its_stamp_and_nothing_else() -> None:
    store, vault = CountingIndex(), LineVault()
    vault.files = {"a.md": "DEC-1||One"}
    vault.settled = False
    sync_index(store, places(vault), SILENT)

    vault.settled = True
    done = sync_index(store, places(vault), SILENT)

    assert done == IndexSyncResult(looked=1)
    assert store.applied[-1].sources[0].passages is None
    assert sync_index(store, places(vault), SILENT) == IndexSyncResult()


def test_a_file_too_young_to_trust_is_read_again_without_writing() -> None:
    store, vault = CountingIndex(), LineVault()
    vault.files = {"a.md": "DEC-1||One"}
    vault.settled = False
    sync_index(store, places(vault), SILENT)

    sync_index(store, places(vault), SILENT)

    assert len(store.applied) == 1


def test_deleted_and_renamed_files_lose_their_rows() -> None:
    store, vault = SqliteIndex.open(":memory:"), LineVault()
    vault.files = {"a.md": "DEC-1||One", "b.md": "DEC-2||Two"}
    sync_index(store, places(vault), SILENT)

    vault.files = {"c.md": "DEC-1||One"}
    done = sync_index(store, places(vault), SILENT)

    assert (done.changed, done.removed) == (1, 2)
    assert [entry.path for entry in store.select(Select())] == ["memory/c.md"]


def test_a_file_that_vanishes_between_the_look_and_the_read_is_gone() -> None:
    store, vault = SqliteIndex.open(":memory:"), LineVault()
    vault.files = {"a.md": "DEC-1||One"}
    sync_index(store, places(vault), SILENT)
    vault.settled = False
    vault.vanished.add("a.md")

    assert sync_index(store, places(vault), SILENT).removed == 1
    assert store.sources() == {}


def test_a_name_that_is_not_utf8_is_a_notice_and_the_rest_is_indexed() -> None:
    store, vault = SqliteIndex.open(":memory:"), LineVault()
    vault.files = {"a.md": "DEC-1||One", "b\udcff.md": "DEC-2||Two"}

    done = sync_index(store, places(vault), SILENT)

    assert titles(store) == ["One"]
    assert "b\\udcff.md" in done.notices[0]


def test_much_is_applied_in_batches_that_an_interruption_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_index, "AT_ONCE", 10)
    store, vault = CountingIndex(), LineVault()
    vault.files = {f"{number:02}.md": f"DEC-{number:02}||Title {number}" for number in range(35)}
    store.stops_after = 2

    with pytest.raises(KeyboardInterrupt):
        sync_index(store, places(vault), SILENT)
    store.stops_after = 1000
    done = sync_index(store, places(vault), SILENT)

    assert done.looked == 15
    assert len(store.select(Select())) == 35


def test_progress_is_told_on_the_way() -> None:
    store, vault = SqliteIndex.open(":memory:"), LineVault()
    vault.files = {f"{number}.md": f"DEC-{number}" for number in range(250)}
    told: list[tuple[str, int, int]] = []

    sync_index(store, places(vault), SILENT, progress=lambda what, done, total: told.append((what, done, total)))

    assert told == [("files", 100, 250), ("files", 200, 250)]


def test_events_are_added_from_where_the_last_sync_ended(tmp_path: Path) -> None:
    store, journal = SqliteIndex.open(":memory:"), FileJournal(str(tmp_path))
    journal.append([Event(client="codex", name="Stop", session="s1", data={"message": "first"})])
    sync_index(store, [], journal)

    journal.append([Event(client="codex", name="Stop", session="s1", data={"message": "second"})])
    done = sync_index(store, [], journal)

    assert done.events == 1
    assert [event.text for event in store.events("9999", 9, 0)] == ["first", "second"]


def test_an_event_can_be_found_again_at_its_place(tmp_path: Path) -> None:
    store, journal = SqliteIndex.open(":memory:"), FileJournal(str(tmp_path))
    receipts = journal.append([Event(client="codex", name="Stop", data={"n": number}) for number in range(2)])
    sync_index(store, [], journal)
    receipts = [*receipts, *journal.append([Event(client="codex", name="Stop", data={"n": 3})])]

    sync_index(store, [], journal)

    for receipt, event in zip(receipts, store.events("9999", 9, 0), strict=True):
        assert next(journal.read(event.place)).id == event.id == receipt.id


def test_a_deleted_event_is_forgotten(tmp_path: Path) -> None:
    store, journal = SqliteIndex.open(":memory:"), FileJournal(str(tmp_path))
    first, _ = journal.append([Event(client="codex", name=name) for name in ("Start", "Stop")])
    sync_index(store, [], journal)

    journal.delete([first.id], "said in confidence")
    sync_index(store, [], journal)

    assert [event.name for event in store.events("9999", 9, 0)] == ["Stop"]
