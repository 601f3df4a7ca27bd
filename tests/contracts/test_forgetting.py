"""Forgetting in a team's PostgreSQL: the words are in no table afterwards, and everything else is."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tests.databases import new_space
from tests.index_values import entry, put

from holdfast.core.event import Event
from holdfast.core.memory import Memory, MemoryType, Scope, Status
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.postgres_marks import PostgresMarks
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.postgres.purge_tables import (
    PostgresForgetting,
    RowPurgeRequest,
    count_rows,
    drop_people,
    drop_space,
    find_people,
    find_spaces,
    vacuum,
)
from holdfast.exchange.sync.sync_workspace import SyncScope, sync_workspace
from holdfast.forget.removal_query import ForgetQuery, build_subject_query, build_text_query
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.memory_text import MarkdownTexts

JANE = "Jane Doe"


def wanted(sought: ForgetQuery) -> RowPurgeRequest:
    return RowPurgeRequest(
        holds=sought.holds, named=sought.named, ids=frozenset(sought.ids), events=frozenset(sought.events)
    )  # fmt: skip


def memory(memory_id: str, title: str) -> Memory:
    return Memory(
        id=memory_id, type=MemoryType.LEARNING, status=Status.ACCEPTED, title=title, body=f"{title}, as was said.",
        updated="2026-11-16T00:00:00Z",
    )  # fmt: skip


def everything(database: PostgresDatabase, space: DatabaseSpace) -> Iterator[str]:
    """Every value of a space, as a superuser reads it: no row-level security, no code of ours."""
    with psycopg.connect(database.url) as connection:
        asked = "SELECT table_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'space'"
        for (table,) in connection.execute(asked, ("holdfast",)).fetchall():
            chosen = sql.SQL("SELECT * FROM holdfast.{} WHERE space = %s").format(sql.Identifier(table))
            rows = connection.execute(chosen, (space.id,))
            for row in rows:
                for value in row:
                    yield value.decode(errors="replace") if isinstance(value, bytes) else str(value)


ELSEWHERE = "01M7GN30W9NSFGR0TZHT9R1AD1"


@pytest.fixture
def filled(space: DatabaseSpace) -> DatabaseSpace:
    vault = PostgresVault(space, MarkdownTexts())
    vault.create(memory("LRN-AAAAA1", "Jane Doe prefers tabs"))
    vault.create(memory("LRN-AAAAA2", "The build needs two cores"))
    PostgresVault(space, MarkdownTexts(), Scope.WORKSPACE, "candidates").create_at(
        "CAND-AAAAA3.md", memory("CAND-AAAAA3", "Ask jane_doe about the cache")
    )
    journal = PostgresJournal(space)
    journal.append([
        Event(client="codex", session="s1", name="prompt", key="r1:01M7GN30W9NSFGR0TZHT9R1AD0", data={"prompt": JANE}),
        Event(client="codex", session="s1", name="prompt", data={"prompt": "what about the cache"}),
        Event(client="codex", session="s1", name="tool", data={"output": json.dumps({"by": "\u00f6 Jane\nDoe"})}),
    ])  # fmt: skip
    [gone] = journal.append([Event(client="codex", session="s1", name="prompt", data={"prompt": "nothing"})])
    journal.purge([gone.id], f"{JANE} asked for it")
    with space.writing("record") as cursor:
        made = "INSERT INTO record (space, kind, id, ts, body) VALUES (%s, %s, %s, '', %s)"
        cursor.execute(made, (space.id, "runs", "run-1", "a run for jane-doe"))
        cursor.execute(made, (space.id, "runs", "run-2", "a run for nobody"))
    put(
        PostgresIndex(space), entry("LRN-AAAAA1", title="Jane Doe prefers tabs"), entry("LRN-AAAAA2", title="The build")
    )
    return space


def test_a_person_is_in_no_table_afterwards_and_the_rest_is(
    filled: DatabaseSpace, team_database: PostgresDatabase
) -> None:
    forgetting = PostgresForgetting([filled], MarkdownTexts())
    asked = wanted(build_subject_query(JANE))
    before = forgetting.search(asked)

    done = forgetting.purge(asked, f"{JANE} asked")
    after = forgetting.search(asked)

    assert {"file", "journal", "feed", "record", "passage"} <= before.found.keys()
    assert (done.files, done.events, done.records, done.index) == (2, 2, 1, 1)
    assert after.found == {}
    assert after.rows > 0
    assert after.size > 0
    pattern = build_subject_query(JANE)
    assert not [value for value in everything(team_database, filled) if pattern.holds(value)]
    assert list(PostgresVault(filled, MarkdownTexts()).stamps()) == [
        "learnings/LRN-AAAAA2-the-build-needs-two-cores.md"
    ]
    kept = [r.data["data"].get("prompt") for r in PostgresJournal(filled).read() if r.kind == "event"]
    assert kept == ["what about the cache"]


def test_the_marks_hold_ids_and_sums_and_no_words(filled: DatabaseSpace) -> None:
    PostgresForgetting([filled], MarkdownTexts()).purge(wanted(build_subject_query(JANE)), "")

    marks = PostgresMarks(filled).list_marks()

    assert {"memory:LRN-AAAAA1", "memory:CAND-AAAAA3", "event:01M7GN30W9NSFGR0TZHT9R1AD0"} <= {*marks}
    assert sum(mark.startswith("file:") for mark in marks) == 2
    assert not [mark for mark in marks if "jane" in mark.lower()]


def test_forgetting_twice_is_forgetting_once(filled: DatabaseSpace) -> None:
    forgetting = PostgresForgetting([filled], MarkdownTexts())
    asked = wanted(build_subject_query(JANE))
    forgetting.purge(asked, "")
    before = count_rows(filled)

    done = forgetting.purge(asked, "")

    assert (done.files, done.events, done.records, done.feed) == (0, 0, 0, 0)
    assert count_rows(filled) == before


def test_of_a_file_with_two_entries_one_stays(space: DatabaseSpace) -> None:
    texts = MarkdownTexts()
    both = texts.new(memory("LRN-AAAAA1", "Jane Doe prefers tabs")) + texts.new(memory("LRN-AAAAA2", "Two cores"))
    vault = PostgresVault(space, texts)
    vault.swap("learnings.md", both, "")

    PostgresForgetting([space], texts).purge(wanted(build_subject_query(JANE)), "")

    left = vault.raw("learnings.md")
    assert left is not None
    assert b"Two cores" in left
    assert b"Jane" not in left
    assert not [mark for mark in PostgresMarks(space).list_marks() if mark.startswith("file:")]


def test_a_memory_goes_by_its_id(filled: DatabaseSpace) -> None:
    sought = ForgetQuery(ids=("LRN-AAAAA2",), lines=("The build needs two cores, as was said.",))

    PostgresForgetting([filled], MarkdownTexts()).purge(wanted(sought), "")

    assert list(PostgresVault(filled, MarkdownTexts()).stamps()) == ["learnings/LRN-AAAAA1-jane-doe-prefers-tabs.md"]


def test_another_space_keeps_what_it_has(filled: DatabaseSpace, team_database: PostgresDatabase) -> None:
    other = new_space(team_database)
    PostgresVault(other, MarkdownTexts()).create(memory("LRN-BBBBB1", "Jane Doe prefers tabs"))

    PostgresForgetting([filled], MarkdownTexts()).purge(wanted(build_text_query("Jane Doe")), "")

    assert len(PostgresVault(other, MarkdownTexts()).stamps()) == 1


def test_a_project_goes_with_every_row(filled: DatabaseSpace, team_database: PostgresDatabase) -> None:
    assert count_rows(filled)

    drop_space(filled)

    with psycopg.connect(team_database.url) as connection:
        for table in ("file", "journal", "feed", "record", "passage", "counter"):
            asked = sql.SQL("SELECT count(*) FROM holdfast.{} WHERE space = %s").format(sql.Identifier(table))
            assert connection.execute(asked, (filled.id,)).fetchone() == (0,)


def test_a_person_of_the_team_goes_with_their_own_space(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    other = team_database.team(space.team.name, JANE)
    PostgresVault(other.own, MarkdownTexts()).create(memory("LRN-BBBBB1", "Only for me"))
    [name] = find_people(space.team, build_subject_query(JANE).holds)

    drop_people(space.team, [name])

    assert find_people(space.team, build_subject_query(JANE).holds) == []
    with psycopg.connect(team_database.url) as connection:
        assert connection.execute("SELECT * FROM holdfast.file WHERE space = %s", (other.own.id,)).fetchall() == []


def test_looking_for_spaces_makes_none(team_database: PostgresDatabase) -> None:
    assert find_spaces(team_database, "nobody-ever", "ada", {"app"}) == (None, [])
    space = new_space(team_database)

    _, found = find_spaces(team_database, space.team.name, "ada", {"another"})

    assert [each.kind for each in found] == ["person", "team"]


def test_the_owner_of_the_tables_may_have_them_swept(team_database: PostgresDatabase) -> None:
    assert vacuum(team_database)


def test_what_was_said_here_stays_here_and_is_not_sent_again(space: DatabaseSpace, tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    app = init(plan_init(str(folder), named=True)).app
    remember(app, MemoryDraft(type="learning", text="Jane Doe reviews on Fridays"))
    app.journal.append([Event(client="codex", session="s1", name="prompt", data={"prompt": "ask Jane Doe"})])
    what, shared = SyncScope(events=True), PostgresPeer(space, MarkdownTexts())
    sync_workspace(app, shared, what)
    asked = wanted(build_subject_query(JANE))
    PostgresForgetting([space], MarkdownTexts()).purge(asked, "")

    for _ in range(2):
        sync_workspace(app, shared, what)
        # Whoever loses what both had last time sends everything again.
        shutil.rmtree(folder / ".holdfast/state/sync")

    assert PostgresForgetting([space], MarkdownTexts()).search(asked).found == {}
    assert list((folder / ".holdfast/memory").rglob("*.md")) == []
    said = [r.data["data"].get("prompt") for r in app.journal.read() if r.kind == "event"]
    assert "ask Jane Doe" in said


def test_events_that_were_purged_elsewhere_leave_the_database_and_copies_of_them_the_laptop(
    space: DatabaseSpace, team_database: PostgresDatabase, tmp_path: Path
) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    app = init(plan_init(str(folder), named=True)).app
    came = {"prompt": "ask Jane Doe", "imported": {"id": ELSEWHERE, "from": "w1"}}
    app.journal.append([
        Event(client="codex", session="s1", name="prompt", key=f"import:{ELSEWHERE}", data=came),
        Event(client="codex", session="s1", name="prompt", data={"prompt": "and Jane Doe again"}),
    ])  # fmt: skip
    journal = PostgresJournal(space)
    journal.append([
        Event(client="codex", session="s1", name="prompt", key=f"r1:{ELSEWHERE}", data={"prompt": JANE}),
        Event(client="codex", session="s1", name="prompt", data={"prompt": "what about the cache"}),
    ])  # fmt: skip
    shared = PostgresPeer(space, MarkdownTexts())

    shared.marks.add_marks([f"event:{ELSEWHERE}", "memory:DEC-7K2MQ4"])
    sync_workspace(app, shared, SyncScope(direction="pull"))

    assert not [value for value in everything(team_database, space) if build_subject_query(JANE).holds(value)]
    assert [r.data["data"]["prompt"] for r in journal.read() if r.kind == "event"] == ["what about the cache"]
    assert {f"event:{ELSEWHERE}", "memory:DEC-7K2MQ4"} <= {*shared.marks.list_marks()}
    said = [r.data["data"].get("prompt") for r in app.journal.read() if r.kind == "event"]
    assert "ask Jane Doe" not in said
    assert "and Jane Doe again" in said
