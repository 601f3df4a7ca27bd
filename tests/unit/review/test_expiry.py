"""What nobody reviews leaves the queue after a time that is said; nothing of it is lost."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.tui.workspace import NOW, workspace

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Status
from holdfast.index.entries import find_entry
from holdfast.review.accept import accept
from holdfast.review.badge import read_badge, save_expired
from holdfast.review.batches import undo
from holdfast.review.expiry import describe_expiry, describe_time, format_expiry
from holdfast.review.queue import list_expired, list_questions, list_waiting
from holdfast.review.remember import MemoryDraft, propose
from holdfast.review.wait_again import wait_again
from holdfast.workspace import App


@pytest.fixture
def app(tmp_path: Path) -> App:
    return workspace(tmp_path)


class LaterClock:
    def __init__(self, days: float) -> None:
        self._days = days

    def now(self) -> datetime:
        return NOW + timedelta(days=self._days)


def waited(app: App, days: float) -> None:
    """Let so many days go by since the candidates came."""
    for path in (Path(app.folder) / "candidates").glob("*.md"):
        os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    app.clock = LaterClock(days)  # type: ignore[assignment]  # a clock that was put forward
    app.refresh()


def proposed(app: App, text: str = "The pool runs dry") -> Entry:
    return propose(app, MemoryDraft(type="learning", text=text))


def test_it_waits_for_thirty_days_and_that_is_said(app: App) -> None:
    made = proposed(app)
    waited(app, 29)

    assert [entry.memory.id for entry in list_waiting(app)] == [made.memory.id]
    assert format_expiry(app, made) == "2026-12-15"
    assert describe_expiry(app, made) == "leaves the queue on 2026-12-15 unless you decide"
    assert "after 30 days" in describe_time(app)


def test_then_it_leaves_the_queue_and_stays_as_it_is(app: App) -> None:
    made = proposed(app)
    before = (Path(app.folder) / made.path).read_bytes()
    waited(app, 31)

    assert list_waiting(app) == []
    assert list_questions(app) == []
    assert [entry.memory.id for entry in list_expired(app)] == [made.memory.id]
    assert (Path(app.folder) / made.path).read_bytes() == before
    assert find_entry(app, made.memory.id).memory.status is Status.CANDIDATE


def test_what_expired_is_accepted_as_before(app: App) -> None:
    made = proposed(app)
    waited(app, 31)

    assert len(accept(app, [made.memory.id]).accepted) == 1


def test_what_expired_waits_again_when_a_person_says_so_and_that_is_undone(app: App) -> None:
    made = proposed(app)
    waited(app, 31)

    wait_again(app, [made.memory.id])

    assert [entry.memory.id for entry in list_waiting(app)] == [made.memory.id]
    with pytest.raises(BadRequest):
        wait_again(app, [made.memory.id])
    assert undo(app).verb == "wait again"


def test_what_is_said_again_waits_again(app: App) -> None:
    made = proposed(app)
    waited(app, 31)

    again = proposed(app)

    assert again.memory.id == made.memory.id
    assert [entry.memory.id for entry in list_waiting(app)] == [made.memory.id]
    assert any("waits again" in notice for notice in app.notices)


def test_with_no_days_set_nothing_expires(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_REVIEW_EXPIRE_DAYS", "0")
    made = proposed(app)
    waited(app, 4000)

    assert [entry.memory.id for entry in list_waiting(app)] == [made.memory.id]
    assert format_expiry(app, made) == ""
    assert describe_time(app) == ""


def test_the_badge_does_not_count_what_expired(app: App) -> None:
    made = proposed(app)
    proposed(app, "The cache is cold")

    save_expired(app.folder, [made.path])

    assert read_badge(app.workspace).waiting == 1
