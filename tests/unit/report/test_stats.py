"""Whole simulated sessions, as the journal has them: a known effect is found, and none where there is none."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast.core.event import Cursor, JournalRecord
from holdfast.inject.holdout import is_held_out
from holdfast.records.judge_use import SessionUse, judge_use
from holdfast.report.effect import BETTER, SAME, UNKNOWN
from holdfast.report.stats import measure_effect

WORKSPACE = "/home/dev/proj"
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SHARE = 0.3
SESSIONS = 160
ABOUT = {"DEC-1": {"type": "decision", "tokens": 20, "for": ["textual"], "not": ["curses"], "err": [], "at": []}}


def events(session: str, failures: int, corrections: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    held = is_held_out(session, SHARE)
    about = {"ids": ["DEC-1"], "tokens": 40, "about": ABOUT, "holdout": SHARE}
    yield "claude-code", "prompt", {"prompt": "Add a panel"}
    yield "holdfast", "withheld" if held else "injected", about
    for _ in range(failures):
        yield "claude-code", "tool_failed", {"tool": "Bash", "input": {"command": "pytest -q"}, "error": "1 failed"}
    for _ in range(corrections):
        yield "claude-code", "prompt", {"prompt": "No, I meant the other panel."}
    yield "claude-code", "answer", {"answer": "Done."}


def records(session: str, failures: int, corrections: int) -> list[JournalRecord]:
    found = []
    for at, (client, name, data) in enumerate(events(session, failures, corrections), 1):
        ts = (START + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        body = {"client": client, "session": session, "name": name, "key": "", "data": data}
        place = Cursor(segment=1, offset=at)
        found.append(JournalRecord(id=f"{session}-{at:04d}", kind="event", version=1, ts=ts, data=body, after=place))
    return found


def simulated(seed: int, helps: float) -> tuple[list[SessionUse], list[dict[str, Any]]]:
    """Sessions in which memory takes off so many failed checks and corrections, and adds as much to the rating."""
    rng = random.Random(seed)
    sessions, ratings = [], []
    for n in range(SESSIONS):
        name = f"{seed}-{n}"
        gain = 0.0 if is_held_out(name, SHARE) else helps
        failures = sum(rng.random() < (2 - gain) / 6 for _ in range(6))
        corrections = sum(rng.random() < (1.5 - gain) / 4 for _ in range(4))
        used = judge_use(name, records(name, failures, corrections), WORKSPACE)
        assert used is not None
        assert (used.failed, used.corrections) == (failures, corrections)
        sessions.append(used)
        if rng.random() < 0.8:
            ratings.append({"session": name, "rating": min(10, max(1, round(rng.gauss(6 + gain, 1.5))))})
    return sessions, ratings


def test_a_known_effect_is_found_in_every_outcome() -> None:
    found = measure_effect(*simulated(1, helps=1.2))

    assert {name: each.verdict for name, each in found.items()} == {
        "rating": BETTER,
        "failed_checks": BETTER,
        "corrections": BETTER,
    }
    assert found["failed_checks"].low is not None
    assert found["failed_checks"].high is not None
    assert found["failed_checks"].low <= -1.2 <= found["failed_checks"].high


@pytest.mark.slow
def test_no_effect_is_reported_where_there_is_none() -> None:
    verdicts = [each.verdict for seed in range(2, 14) for each in measure_effect(*simulated(seed, helps=0.0)).values()]

    # 36 comparisons at 95 %: five or more false alarms come up once in thirty such runs, and the seeds are fixed.
    assert verdicts.count(SAME) > len(verdicts) - 5
    assert UNKNOWN not in verdicts


def test_sessions_outside_the_hold_out_do_not_count() -> None:
    sessions, ratings = simulated(1, helps=1.2)
    told_only = [used for used in sessions if used.arm == "told"]

    assert measure_effect(told_only, ratings) == {}
