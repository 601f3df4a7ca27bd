"""A workspace and a team's database: each change goes both ways, a clash becomes a candidate, events go once."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.databases import new_space

from holdfast.app import open_memory
from holdfast.core.event import Event
from holdfast.exchange.peer import PeerChanges
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.sync.sync_workspace import PULL, PUSH, SyncReport, SyncScope, sync_workspace
from holdfast.index.entries import find_entry
from holdfast.review.queue import list_waiting
from holdfast.review.remember import MemoryDraft, change_entry, propose, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import register
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App


class Desk:
    """A checkout of a project, and the team's space for it."""

    def __init__(self, folder: Path, space: DatabaseSpace) -> None:
        folder.mkdir()
        self.folder = str(folder)
        app = plan_init(self.folder, named=True)
        init(app)
        register(app, allowed=True)
        self.shared = PostgresPeer(space, MarkdownTexts())

    @property
    def app(self) -> App:
        return open_memory(self.folder)

    def sync(self, direction: str = "both", *, events: bool = False) -> SyncReport:
        return sync_workspace(self.app, self.shared, SyncScope(direction=direction, events=events))

    def remember(self, text: str) -> str:
        return remember(self.app, MemoryDraft(type="decision", text=text)).memory.id

    def retitle(self, memory_id: str, title: str) -> None:
        change_entry(self.app, find_entry(self.app, memory_id), {"title": title})


@pytest.fixture
def desks(tmp_path: Path, team_database: PostgresDatabase) -> tuple[Desk, Desk]:
    space = new_space(team_database)
    bobs = team_database.team(space.team.name, "bob").project(space.name)
    return Desk(tmp_path / "ada", space), Desk(tmp_path / "bob", bobs)


def title(desk: Desk, memory_id: str) -> str:
    return find_entry(desk.app, memory_id).memory.title


def test_what_one_remembers_the_other_has_after_both_synced(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    name = ada.remember("Use Textual for the TUI")

    sent, came = ada.sync(), bob.sync()

    assert (len(sent.pushed), len(came.pulled)) == (1, 1)
    assert title(bob, name) == "Use Textual for the TUI"
    assert ada.sync() == bob.sync() == SyncReport()


def test_an_edit_and_a_removal_go_the_same_way(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    name = ada.remember("Use Textual for the TUI")
    ada.sync()
    bob.sync()

    bob.retitle(name, "Use Textual, always")
    bob.sync()
    ada.sync()
    assert title(ada, name) == "Use Textual, always"

    path = next(Path(ada.folder, ".holdfast/memory/decisions").iterdir())
    path.unlink()
    ada.sync()
    bob.sync()
    assert not list(Path(bob.folder, ".holdfast/memory/decisions").glob("*.md"))


def test_who_comes_second_with_the_same_file_has_a_candidate(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    name = ada.remember("Use Textual for the TUI")
    ada.sync()
    bob.sync()
    ada.retitle(name, "As Ada says")
    bob.retitle(name, "As Bob says")
    ada.sync()

    came = bob.sync()

    assert [(clash.author, len(clash.candidates)) for clash in came.conflicts] == [("ada", 1)]
    assert title(bob, name) == "As Ada says"
    [kept] = list_waiting(bob.app)
    assert kept.memory.title == "As Bob says"
    assert "ada changed" in kept.memory.because
    assert bob.sync() == SyncReport()


def test_pull_and_push_go_one_way(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    ada.remember("From Ada")
    bob.remember("From Bob")

    assert (ada.sync(PULL).pushed, ada.sync(PUSH).pulled) == ((), ())
    assert len(bob.sync(PULL).pulled) == 1
    assert bob.shared.files().keys() == ada.shared.files().keys()
    assert len(bob.sync(PUSH).pushed) == 1


def test_events_go_once_also_when_what_we_know_of_it_is_lost(
    desks: tuple[Desk, Desk], team_database: PostgresDatabase
) -> None:
    ada, _ = desks
    ada.app.journal.append([Event(client="codex", session="s", name="prompt", key=f"k{n}") for n in range(3)])

    first = ada.sync(events=True)
    again = ada.sync(events=True)
    for file in Path(ada.folder, ".holdfast/state/sync").glob("*.json"):
        file.unlink()
    third = ada.sync(events=True)

    assert (first.events >= 3, again.events, third.events) == (True, 0, 0)


def test_a_file_that_moved_meanwhile_is_taken_up_in_the_next_round(
    desks: tuple[Desk, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = desks
    name = ada.remember("Use Textual for the TUI")
    ada.sync()
    bob.sync()
    ada.retitle(name, "As Ada says")
    bob.retitle(name, "As Bob says")
    since = bob.shared.since

    def just_before_ada(mark: str) -> PeerChanges:
        seen = since(mark)
        return seen if ada.sync().pushed else since(mark)

    monkeypatch.setattr(bob.shared, "since", just_before_ada)

    came = bob.sync()

    assert len(came.conflicts) == 1
    assert title(bob, name) == "As Ada says"


def test_a_dry_run_writes_nothing(desks: tuple[Desk, Desk]) -> None:
    ada, _ = desks
    ada.remember("Use Textual for the TUI")

    planned = sync_workspace(ada.app, ada.shared, dry_run=True).planned

    assert [str(step.does) for step in planned] == ["push"]
    assert ada.shared.files() == {}
    assert not os.path.exists(os.path.join(ada.folder, ".holdfast/state/sync/x.json"))


def test_a_broken_file_goes_as_it_is_and_stops_nothing(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    torn = Path(ada.folder, ".holdfast/memory/decisions/DEC-BROKEN.md")
    torn.parent.mkdir(parents=True, exist_ok=True)
    torn.write_bytes(b"---\nid: [\n\xff")
    name = ada.remember("Whole")

    ada.sync()
    bob.sync()

    assert title(bob, name) == "Whole"
    assert Path(bob.folder, ".holdfast/memory/decisions/DEC-BROKEN.md").read_bytes() == torn.read_bytes()


def test_the_spaces_hold_no_more_than_was_sent(desks: tuple[Desk, Desk], team_database: PostgresDatabase) -> None:
    ada, _ = desks
    ada.remember("Use Textual for the TUI")
    ada.sync()
    other = new_space(team_database)

    assert PostgresVault(other, MarkdownTexts()).stamps() == {}
    assert list(PostgresJournal(other).read()) == []


def test_a_hostile_name_is_named_and_written_nowhere(desks: tuple[Desk, Desk], team_database: PostgresDatabase) -> None:
    ada, bob = desks
    name = ada.remember("Whole")
    ada.sync()
    assert isinstance(ada.shared, PostgresPeer)
    for path in ("../../evil.md", "decisions/../../../evil.md", ".hidden.md", "x.py", "/evil.md", "a\n.md"):
        ada.shared.swap(f"memory/{path}", b"evil", "")

    came = bob.sync()

    assert (len(came.refused), len(came.pulled)) == (6, 1)
    assert title(bob, name) == "Whole"
    assert not list(Path(bob.folder).parent.rglob("*evil*"))
    assert bob.sync().pulled == ()


def test_after_the_first_time_only_what_changed_is_asked_for(
    desks: tuple[Desk, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = desks
    names = [ada.remember(f"Fact {number}") for number in range(5)]
    ada.sync()
    bob.sync()
    ada.retitle(names[2], "As Ada says")
    bob.remember("From Bob")
    ada.sync()
    asked: list[str] = []
    fetch = bob.shared.fetch

    def noted(paths: Sequence[str]) -> Mapping[str, bytes]:
        asked.extend(paths)
        return fetch(paths)

    monkeypatch.setattr(bob.shared, "fetch", noted)
    monkeypatch.setattr(bob.shared, "files", lambda: pytest.fail("the whole list was asked for"))

    came = bob.sync()

    assert (len(came.pulled), len(came.pushed), asked) == (1, 1, list(came.pulled))
    assert title(bob, names[2]) == "As Ada says"
    assert bob.sync() == SyncReport()


def test_a_push_alone_keeps_what_it_passed_over_for_the_next_pull(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    first = ada.remember("First")
    ada.sync()
    bob.sync()
    ada.retitle(first, "As Ada says")
    ada.sync()

    bob.remember("From Bob")
    assert len(bob.sync(PUSH).pushed) == 1
    bob.remember("More from Bob")
    assert len(bob.sync(PUSH).pushed) == 1

    assert len(bob.sync(PULL).pulled) == 1
    assert title(bob, first) == "As Ada says"


def test_candidates_that_are_asked_for_later_are_not_missed(desks: tuple[Desk, Desk]) -> None:
    ada, bob = desks
    name = propose(ada.app, MemoryDraft(type="decision", text="Use Textual for the TUI")).memory.id
    sync_workspace(ada.app, ada.shared, SyncScope(places=("memory", "candidates")))
    assert bob.sync().pulled == ()

    came = sync_workspace(bob.app, bob.shared, SyncScope(places=("memory", "candidates")))

    assert len(came.pulled) == 1
    assert [each.memory.id for each in list_waiting(bob.app)] == [name]
