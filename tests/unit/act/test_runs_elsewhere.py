"""Runs that another machine carries: shown here, and told when nothing is heard of them any more."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.act.run_files import INTERRUPTED, RUNNING, AgentRun, Runs
from holdfast.core.run import AgentEvent, EventType
from holdfast.server.http.run_forms import build_run_detail

NAME = "run-2026-11-15-120000-abc123"


def ago(**since: int) -> str:
    return (datetime.now(UTC) - timedelta(**since)).strftime("%Y-%m-%dT%H:%M:%SZ")


def carried_elsewhere(folder: Path, started: str, heard: str = "", status: str = RUNNING) -> AgentRun:
    held = folder / "runs" / NAME
    held.mkdir(parents=True)
    (held / "elsewhere").write_text("laptop\n")
    (held / "run.json").write_text(
        json.dumps({"run": NAME, "goal": "Add a retry", "status": status, "started": started})
    )
    run = Runs(str(folder)).run(NAME)
    if heard:
        run.add(AgentEvent(type=EventType.TASK_START, data={"task_id": "T1"}, ts=heard, run=NAME))
    return run


def test_a_run_of_a_machine_that_fell_silent_says_since_when(tmp_path: Path) -> None:
    heard = ago(days=2)
    run = carried_elsewhere(tmp_path, ago(days=3), heard)

    assert (run.status, run.silent_since) == (INTERRUPTED, heard)
    told = build_run_detail(run, None, (), ())
    assert told.run.status == INTERRUPTED
    assert told.why == f"Not heard of since {heard}: the machine that carries it may be gone."
    assert not told.can_resume


def test_one_that_was_heard_of_of_late_runs(tmp_path: Path) -> None:
    run = carried_elsewhere(tmp_path, ago(days=3), ago(minutes=5))

    assert (run.status, run.silent_since) == (RUNNING, "")


@pytest.mark.parametrize(("started", "status"), [("no time", RUNNING), ("2026-01-01T00:00:00Z", "complete")])
def test_one_that_ended_or_says_no_time_is_as_it_was_written_down(tmp_path: Path, started: str, status: str) -> None:
    run = carried_elsewhere(tmp_path, started, status=status)

    assert (run.status, run.silent_since) == (status, "")
