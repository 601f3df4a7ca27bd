"""Imported things as candidates: once, whole, linked, and never the user's words."""

import os
from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.memory import SaidBy, Status
from holdfast.core.search import Select
from holdfast.importers.find_readers import ImportOfOwnFiles, UnrecognisedSource
from holdfast.importers.import_candidates import CHANGED, KNOWN, NEW, REVISION, ImportPlan, apply_import, plan_import
from holdfast.index.entries import find_entry
from holdfast.index.maintenance import list_file_problems
from holdfast.review.accept import accept, list_waiting, reject
from holdfast.review.remember import change_entry
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App, PersonOnly

OLD = """\
# 1. Use files

Date: 2024-01-02

## Status

Superseded by [2](0002-db.md)

## Decision

We will use files.
"""
NEW_ONE = """\
# 2. Use a database

Date: 2025-03-04

## Status

Accepted

## Decision

We will use a database.

## Alternatives

- Redis: one more server
"""
PROPOSED = "# 3. Use Redis\n\n## Status\n\nProposed\n\n## Decision\n\nWe will use Redis.\n"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return init(plan_init(str(tmp_path), named=True)).app


@pytest.fixture
def records(app: App) -> Path:
    folder = Path(app.workspace) / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0001-files.md").write_text(OLD, encoding="utf-8")
    (folder / "0002-db.md").write_text(NEW_ONE, encoding="utf-8")
    return folder


def does(plan: ImportPlan) -> list[str]:
    return [step.does for step in plan.steps]


def bring(app: App, path: Path, **more: bool) -> ImportPlan:
    plan = plan_import(app, str(path))
    apply_import(app, plan, **more)  # type: ignore[arg-type]  # only `accepting`
    return plan


def test_importing_makes_candidates_and_no_memory(app: App, records: Path) -> None:
    bring(app, records)

    files, database = sorted((entry.memory for entry in list_waiting(app)), key=lambda memory: memory.title)[::-1]
    assert {files.title, database.title} == {"Use files", "Use a database"}
    assert {files.said_by, database.said_by} == {SaidBy.TOOL}
    assert {files.status, database.status} == {Status.CANDIDATE}
    assert (database.source, database.valid_from) == ("import adr docs/adr/0002-db.md:1", "2025-03-04")
    assert [(each.option, each.reason) for each in database.rejected] == [("Redis", "one more server")]
    assert [entry for entry in app.index.select(Select()) if entry.memory.status is Status.ACCEPTED] == []


def test_a_plan_writes_nothing(app: App, records: Path) -> None:
    assert does(plan_import(app, str(records))) == [NEW, NEW]
    assert list_waiting(app) == []


def test_links_hold_when_both_are_accepted(app: App, records: Path) -> None:
    bring(app, records)
    old, new = (
        next(e.memory for e in list_waiting(app) if e.memory.title == title)
        for title in ("Use files", "Use a database")
    )

    assert new.supersedes == (old.id.replace("CAND", "DEC"),)
    assert old.valid_until == "2025-03-04"
    accept(app, [old.id, new.id])

    assert {(link.new, link.old) for link in app.index.links()[0]} == {
        (new.id.replace("CAND", "DEC"), old.id.replace("CAND", "DEC"))
    }


def test_importing_again_brings_nothing(app: App, records: Path) -> None:
    bring(app, records)
    before = [(entry.memory.id, entry.sha256) for entry in list_waiting(app)]

    assert does(bring(app, records)) == [KNOWN, KNOWN]
    assert [(entry.memory.id, entry.sha256) for entry in list_waiting(app)] == before


@pytest.mark.parametrize("fate", ["accepted", "rejected"])
def test_what_was_decided_upon_does_not_come_again(app: App, records: Path, fate: str) -> None:
    bring(app, records)
    ids = [entry.memory.id for entry in list_waiting(app)]
    if fate == "accepted":
        accept(app, ids)
    else:
        reject(app, ids, "not ours")

    assert does(bring(app, records)) == [KNOWN, KNOWN]
    assert list_waiting(app) == []


def test_a_record_that_moved_is_known_by_its_words(app: App, records: Path) -> None:
    bring(app, records)
    os.rename(records / "0002-db.md", records / "0004-db.md")

    assert does(plan_import(app, str(records / "0004-db.md"))) == [KNOWN]


def test_a_changed_source_rewrites_what_waits(app: App, records: Path) -> None:
    bring(app, records)
    before = {entry.memory.id for entry in list_waiting(app)}
    (records / "0002-db.md").write_text(NEW_ONE.replace("one more server", "two more servers"), encoding="utf-8")

    assert does(bring(app, records)) == [KNOWN, CHANGED]

    assert {entry.memory.id for entry in list_waiting(app)} == before
    assert "two more servers" in {each.reason for e in list_waiting(app) for each in e.memory.rejected}
    assert does(plan_import(app, str(records))) == [KNOWN, KNOWN]


def test_a_candidate_that_was_edited_is_not_overwritten(app: App, records: Path) -> None:
    bring(app, records)
    mine = next(entry for entry in list_waiting(app) if entry.memory.title == "Use a database")
    change_entry(app, mine, {"title": "Use a database, said better"})
    (records / "0002-db.md").write_text(NEW_ONE.replace("one more", "a second"), encoding="utf-8")

    assert does(bring(app, records)) == [KNOWN, NEW]

    assert find_entry(app, mine.memory.id).memory.title == "Use a database, said better"


def test_a_changed_source_of_a_memory_is_a_candidate_that_supersedes_it(app: App, records: Path) -> None:
    bring(app, records, accepting=True)
    accepted = next(e.memory for e in app.index.select(Select()) if e.memory.title == "Use a database")
    (records / "0002-db.md").write_text(NEW_ONE.replace("a database.", "PostgreSQL."), encoding="utf-8")

    assert does(bring(app, records)) == [KNOWN, REVISION]

    (revision,) = list_waiting(app)
    assert revision.memory.supersedes[0] == accepted.id
    assert revision.memory.choice == "We will use PostgreSQL."
    accept(app, [revision.memory.id])
    assert does(plan_import(app, str(records))) == [KNOWN, KNOWN]


def test_accepting_leaves_waiting_what_the_source_holds_open(app: App, records: Path) -> None:
    (records / "0003-redis.md").write_text(PROPOSED, encoding="utf-8")
    plan = plan_import(app, str(records))

    done = apply_import(app, plan, accepting=True)

    assert len(done.accepted) == 2
    assert [entry.memory.title for entry in list_waiting(app)] == ["Use Redis"]
    assert done.waiting[0][1] == "the record says 'Proposed'"


def test_accepting_later_takes_what_waited(app: App, records: Path) -> None:
    bring(app, records)

    done = apply_import(app, plan_import(app, str(records)), accepting=True)

    assert (len(done.written), len(done.accepted)) == (0, 2)
    assert list_waiting(app) == []


def test_an_agent_may_not_accept_by_importing(app: App, records: Path) -> None:
    app.client = "Claude Code"

    with pytest.raises(PersonOnly):
        bring(app, records, accepting=True)

    assert list_waiting(app) == []


def test_secrets_do_not_reach_the_disk(app: App) -> None:
    path = Path(app.workspace) / "AGENTS.md"
    path.write_text(
        "- Always use the key AKIAIOSFODNN7EXAMPLE for uploads.\n- <private>never tell my name to anyone</private>\n"
    )

    plan = bring(app, path)

    kept = "".join(p.read_text() for p in Path(app.folder, "candidates").glob("*.md"))
    assert "AKIA" not in kept
    assert "[redacted:" in kept
    assert "my name" not in kept
    assert plan.redacted


def test_links_that_bite_their_own_tail_are_cut(app: App, records: Path) -> None:
    for number, other in ((5, 6), (6, 5)):
        text = f"# {number}. Rule number {number}\n\n## Status\n\nSupersedes ADR {other}\n\n## Decision\n\nWe will.\n"
        (records / f"000{number}-x.md").write_text(text, encoding="utf-8")

    plan = bring(app, records)

    both = [step.memory.supersedes for step in plan.steps if step.memory.title.startswith("Rule number")]
    assert sorted(map(len, both)) == [0, 1]
    accept(app, [entry.memory.id for entry in list_waiting(app)])


def test_a_killed_import_goes_on_where_it_stopped(app: App, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5, 25):
        text = f"# {number}. Rule number {number}\n\n## Decision\n\nWe will do number {number}.\n"
        (records / f"{number:04}-x.md").write_text(text, encoding="utf-8")
    pid = os.fork()
    if pid == 0:
        add, count = app.candidates.add, 0

        def dying(memory: object) -> object:
            nonlocal count
            count += 1
            if count == 8:
                os.kill(os.getpid(), 9)
            return add(memory)  # type: ignore[arg-type]  # a memory

        monkeypatch.setattr(app.candidates, "add", dying)
        bring(app, records)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9

    again = build_app(app.workspace)
    plan = bring(again, records)

    assert (len(plan.of(KNOWN)), len(plan.of(NEW))) == (7, 15)
    assert len(list_waiting(again)) == 22
    assert list_file_problems(again) == []


def test_two_imports_at_once_write_each_thing_once(app: App, records: Path) -> None:
    mine, theirs = plan_import(app, str(records)), plan_import(build_app(app.workspace), str(records))

    apply_import(build_app(app.workspace), theirs)
    done = apply_import(app, mine)

    assert len(done.written) == 2
    assert len(list_waiting(app)) == 2


def test_one_file_knows_its_neighbours(app: App, records: Path) -> None:
    bring(app, records / "0001-files.md")
    bring(app, records / "0002-db.md")

    new = next(entry.memory for entry in list_waiting(app) if entry.memory.title == "Use a database")
    assert len(list_waiting(app)) == 2
    assert does(plan_import(app, str(records))) == [KNOWN, KNOWN]
    assert new.extra["import_id"] == "docs/adr/0002-db.md"


def test_what_is_ours_or_nobodys_is_refused(app: App, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()

    with pytest.raises(ImportOfOwnFiles):
        plan_import(app, app.folder)
    with pytest.raises(UnrecognisedSource):
        plan_import(app, str(tmp_path / "notes"))
