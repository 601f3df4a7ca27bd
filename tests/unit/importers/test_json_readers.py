"""Memories that other tools keep as JSON."""

import json
from pathlib import Path

from tests.unit.importers.reading import put, read

from holdfast.core.memory import MemoryType, RejectedOption, SaidBy
from holdfast.importers.import_values import ImportLink
from holdfast.importers.mem0 import MEM0
from holdfast.importers.sunwell import SUNWELL

DECISION = {
    "id": "abc1", "category": "database", "question": "Which database?", "choice": "SQLite with WAL",
    "rejected": [{"option": "Redis", "reason": "too much to run", "might_reconsider_when": None}],
    "rationale": "One file.", "context": "", "confidence": 0.9, "timestamp": "2026-01-24T10:00:00", "session_id": "s1",
    "supersedes": "abc0", "source": "conversation",
}  # fmt: skip
FAILURE = {
    "id": "f1", "description": "Async pool with SQLAlchemy", "error_type": "timeout",
    "error_message": "QueuePool limit", "context": "speed up", "root_cause": "sessions were not closed",
    "timestamp": "2026-01-24T11:00:00", "session_id": "s1",
}  # fmt: skip


def test_sunwells_stores_are_read_line_by_line(tmp_path: Path) -> None:
    lines = "\n".join([json.dumps(DECISION), "{broken", json.dumps({**DECISION, "id": "x", "choice": ""}), "[1]"])
    texts = {
        "intelligence/decisions.jsonl": lines,
        "intelligence/failures.jsonl": json.dumps(FAILURE),
        "memory/learnings/a.json": json.dumps([{"id": "l1", "fact": "The API allows 100 requests", "category": "api"}]),
        "briefing.json": json.dumps({"mission": "ship", "hazards": ["Do not touch the old parser"]}),
        "memory/sessions/1.json": "{}",
    }

    taken, rejected = read(SUNWELL, put(tmp_path / ".sunwell", texts))

    made = {each.memory.type: each for each in taken if each.memory.title != "Do not touch the old parser"}
    decision = made[MemoryType.DECISION]
    assert decision.memory.rejected == (RejectedOption(option="Redis", reason="too much to run"),)
    assert (decision.memory.question, decision.memory.confidence) == ("Which database?", 0.9)
    assert (decision.memory.valid_from, decision.memory.said_by) == ("2026-01-24", SaidBy.AGENT)
    assert decision.links == (ImportLink(kind="supersedes", to="abc0"),)
    assert made[MemoryType.FAILURE].memory.root_cause == "sessions were not closed"
    assert made[MemoryType.LEARNING].memory.category == "api"
    assert {each.place for each in rejected if "decisions" in each.place} == {
        f"src/intelligence/decisions.jsonl:{line}" for line in (2, 3, 4)
    }
    assert len(taken) == 4


def test_the_last_line_of_an_id_counts(tmp_path: Path) -> None:
    lines = [json.dumps({**DECISION, "choice": choice}) for choice in ("first choice made", "second choice made")]

    taken, _ = read(SUNWELL, put(tmp_path / ".sunwell", {"intelligence/decisions.jsonl": "\n".join(lines)}))

    assert [each.memory.choice for each in taken] == ["second choice made"]


def test_mem0s_export_keeps_ids_dates_and_owners(tmp_path: Path) -> None:
    memory = {
        "id": "9f1c", "memory": "Prefers tabs over spaces in Go", "hash": "aa", "user_id": "ann",
        "categories": ["style"], "created_at": "2026-01-02T03:04:05-07:00", "updated_at": None,
        "expiration_date": "2027-01-01", "metadata": {"team": "core"},
    }  # fmt: skip
    path = (
        put(tmp_path, {"export.json": json.dumps({"results": [memory, {"id": "2", "memory": ""}, 7]})}) + "/export.json"
    )

    (made,), rejected = read(MEM0, path)

    assert (made.key, made.memory.valid_from, made.memory.valid_until) == ("9f1c", "2026-01-02", "2027-01-01")
    assert (made.memory.extra["user_id"], made.memory.extra["mem0_team"]) == ("ann", "core")
    assert [each.place for each in rejected] == ["src:2", "src:3"]
    assert MEM0.detect(path) > 0.8


def test_json_that_is_none_is_rejected_with_its_line(tmp_path: Path) -> None:
    path = put(tmp_path, {"a.json": '{"results": [\n{"memory": "x"\n', "b.json": "[" * 100_000})

    taken, rejected = read(MEM0, path)

    assert taken == []
    assert [each.place for each in rejected] == ["src/a.json:3", "src/b.json"]
