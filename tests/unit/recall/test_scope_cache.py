"""Answers kept beside the index: good while no file moves, and made anew when one does."""

import json
import os
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from holdfast import PersistentMemory
from holdfast.app import build_app
from holdfast.journal.journal_head import note_head
from holdfast.recall.scope_cache import ScopeCache
from holdfast.records.injection_marks import mark_injection
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import SystemClock

LONG_AGO = time.time() - 3600


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    init(plan_init(str(tmp_path), named=True))
    memory = PersistentMemory.load(tmp_path)
    memory.add_invariant("Never log tokens")
    memory.add_failure("Async pool ran dry", paths=["src/db/**"])
    return tmp_path


@pytest.fixture
def settled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, after the time in which a file may change unseen: here as short as a disk's clock ticks."""
    monkeypatch.setattr("holdfast.recall.scope_cache.SETTLED_NS", 50_000_000)
    time.sleep(0.06)
    return folder


def _kept(folder: Path) -> Path:
    return folder / ".holdfast/state/known.json"


def test_what_holds_everywhere_and_what_at_paths(folder: Path) -> None:
    answers = ScopeCache(build_app(str(folder))).answers

    assert {name[:4] for name in answers.important} == {"INV-", "FAIL"}
    assert answers.accepted == 2
    assert [globs for _, globs in answers.scoped] == [("src/db/**",)]
    assert answers.passages == 2


def test_nothing_is_kept_while_a_file_may_change_unseen(folder: Path) -> None:
    known = ScopeCache(build_app(str(folder)))

    assert known.answers.passages == 2
    assert known.check == ""
    assert not _kept(folder).exists()


def test_what_was_kept_is_given_back_without_the_index(settled: Path) -> None:
    first = ScopeCache(build_app(str(settled))).answers
    app = build_app(str(settled))

    assert ScopeCache(app).answers == first
    assert "index" not in app.__dict__


@pytest.mark.parametrize("how", ["edited", "removed", "added", "renamed"])
def test_a_file_that_moves_is_seen(settled: Path, how: str) -> None:
    before = ScopeCache(build_app(str(settled)))
    assert before.answers.passages == 2
    [path] = (settled / ".holdfast/memory").rglob("INV-*.md")
    match how:
        case "edited":
            path.write_text(path.read_text().replace("tokens", "cookie"))
            os.utime(path, (LONG_AGO, LONG_AGO))
        case "removed":
            path.unlink()
        case "added":
            (path.parent / "INV-2.md").write_text("---\nid: INV-2\ntype: invariant\ntitle: x\nstatus: accepted\n---\n")
        case "renamed":
            path.rename(path.with_name("other.md"))

    after = ScopeCache(build_app(str(settled)))

    assert after.check != before.check
    assert after.answers.passages == {"removed": 1, "added": 3}.get(how, 2)


def test_answers_of_another_machine_do_not_count(settled: Path, home: Path) -> None:
    assert ScopeCache(build_app(str(settled))).answers
    kept = json.loads(_kept(settled).read_text())
    [entry] = (home / "workspaces").glob("*.json")
    os.utime(entry)

    assert ScopeCache(build_app(str(settled))).check != kept["check"]


def test_what_was_kept_stays_while_the_journal_grows_and_goes_with_a_persons_word(settled: Path) -> None:
    app = build_app(str(settled))
    first = ScopeCache(app).answers
    note_head(app.home, app.workspace_id, os.path.join(app.folder, "journal"))
    later = build_app(str(settled))
    assert ScopeCache(later).answers == first
    assert "index" not in later.__dict__

    mark_injection(app, first.important[-1], "always")

    assert ScopeCache(build_app(str(settled))).answers.important[0] == first.important[-1]


def test_what_was_kept_is_weighed_anew_each_day(settled: Path) -> None:
    class Tomorrow(SystemClock):
        def now(self) -> datetime:
            return super().now() + timedelta(days=1)

    today, tomorrow = build_app(str(settled)), build_app(str(settled))
    tomorrow.clock = Tomorrow()

    assert ScopeCache(today).check == ScopeCache(build_app(str(settled))).check != ScopeCache(tomorrow).check


@pytest.mark.parametrize("text", ["", "{", "[]", '{"v": 1}', '{"v": 9, "check": "x"}'])
def test_a_broken_file_of_answers_is_made_anew(settled: Path, text: str) -> None:
    _kept(settled).parent.mkdir(exist_ok=True)
    _kept(settled).write_text(text)

    assert ScopeCache(build_app(str(settled))).answers.passages == 2


def test_an_index_that_lost_passages_is_brought_in_step(settled: Path) -> None:
    assert ScopeCache(build_app(str(settled))).answers.passages == 2
    for path in (settled / ".holdfast").glob("index.db*"):
        path.unlink()

    assert ScopeCache(build_app(str(settled))).index.frequencies(())[1] == 2
