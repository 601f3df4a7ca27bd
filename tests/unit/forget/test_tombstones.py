"""Marks of what was purged: they hold no words, and outlive everything."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.forget.tombstones import PURGED, accept_marks, filter_marks, note_marks, read_marks
from holdfast.index.maintenance import compact
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App


class Later:
    """A clock that is ahead."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=30)


@pytest.fixture
def app(tmp_path: Path) -> App:
    init(plan_init(str(tmp_path), named=True))
    return build_app(str(tmp_path), {"journal.keep_days": "1"})


def test_retention_takes_no_mark(app: App) -> None:
    note_marks(app, {"memory:DEC-7K2MQ4"})
    app.journal.append([Event(client="codex", name="prompt", data={"prompt": "old words"})])
    app.clock = Later()  # type: ignore[assignment]  # a clock is what says `now`

    compact(app)
    Path(app.folder, "state", "gone.json").unlink(missing_ok=True)

    names = [record.data.get("name") for record in app.journal.read() if record.kind == "event"]
    assert PURGED in names
    assert "prompt" not in names
    assert read_marks(app) == {"memory:DEC-7K2MQ4"}


def test_a_mark_takes_an_exact_copy_and_nothing_that_was_changed(app: App) -> None:
    first = remember(app, MemoryDraft(type="learning", text="CI needs two cores"))
    second = remember(app, MemoryDraft(type="learning", text="CI needs a cache"))

    accept_marks(app, [f"file:{first.sha256}", f"memory:{second.memory.id}", "nonsense", f"file:{'0' * 64}"])

    left = [path.name for path in Path(app.folder, "memory").rglob("*.md")]
    assert left == [os.path.basename(second.path)]


def test_marks_are_kept_once(app: App) -> None:
    for _ in range(3):
        accept_marks(app, ["memory:DEC-7K2MQ4"])

    assert sum(record.data.get("name") == PURGED for record in app.journal.read()) == 1


def test_what_others_call_marks_is_not_believed() -> None:
    assert filter_marks(["memory:A", "x" * 300, "path:/etc", 7, "file:" + "a" * 300]) == {"memory:A"}
    assert filter_marks("memory:A") == set()
