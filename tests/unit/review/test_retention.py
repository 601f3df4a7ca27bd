"""Retention by age, and what it may never take."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.core.memory import Evidence
from holdfast.index.maintenance import compact, verify
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App


class LaterClock:
    """A clock that is ahead by some days."""

    def __init__(self, days: int) -> None:
        self._days = days

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=self._days)


@pytest.fixture
def app(tmp_path: Path) -> App:
    app = init(plan_init(str(tmp_path), named=True)).app
    return build_app(app.workspace, {"journal.keep_days": "30"})


def test_old_events_are_retired_and_quoted_ones_stay(app: App) -> None:
    receipts = app.journal.append([Event(client="test", name="prompt", data={"text": f"word {n}"}) for n in range(5)])
    quoted = receipts[2].id
    draft = MemoryDraft(type="decision", text="Quotes", fields={"evidence": (Evidence(event=quoted, quote="word 2"),)})
    remember(app, draft)

    assert compact(app) == []
    app.clock = LaterClock(31)  # type: ignore[assignment]  # another clock
    done = compact(app)

    left = [record.id for record in app.journal.read() if record.kind == "event"]
    assert left == [quoted]
    assert sum(len(segment.removed) for segment in done) == 5
    assert verify(app).ok


def test_a_dry_run_changes_nothing(app: App) -> None:
    app.journal.append([Event(client="test", name="prompt", data={"text": "old"})])
    app.clock = LaterClock(31)  # type: ignore[assignment]  # another clock

    planned = compact(app, dry_run=True)

    assert sum(len(segment.removed) for segment in planned) == 1
    assert len([record for record in app.journal.read() if record.kind == "event"]) == 1
