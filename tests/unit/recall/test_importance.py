"""What a session hears first: rules before facts, what holds everywhere, what was used, what a person pinned."""

from datetime import UTC, datetime

from tests.index_values import entry

from holdfast.core.memory import Evidence, MemoryType
from holdfast.recall.importance import PIN, ImportanceSigns, explain_importance, rank_importance

NOW = datetime(2026, 6, 1, tzinfo=UTC)
OLD = "2024-01-01T00:00:00Z"


def _rank(*entries: object, signs: ImportanceSigns | None = None) -> list[str]:
    return [each.memory.id for each in rank_importance(entries, NOW, signs or ImportanceSigns())]  # type: ignore[arg-type]


def test_rules_go_before_what_was_learned() -> None:
    learned = entry("LRN-1", type=MemoryType.LEARNING, updated=OLD)
    decided = entry("DEC-1", updated=OLD)
    rule = entry("INV-1", type=MemoryType.INVARIANT, updated=OLD)

    assert _rank(learned, decided, rule) == ["INV-1", "DEC-1", "LRN-1"]


def test_what_holds_everywhere_goes_before_what_holds_in_one_place() -> None:
    assert _rank(entry("DEC-1", paths=("src/**",), updated=OLD), entry("DEC-2", updated=OLD)) == ["DEC-2", "DEC-1"]


def test_what_was_used_evidence_and_news_count() -> None:
    used, plain = entry("DEC-2", updated=OLD), entry("DEC-1", updated=OLD)
    proved = entry("DEC-3", updated=OLD, evidence=(Evidence(event="e1", quote="said"),))
    fresh = entry("DEC-4", updated="2026-05-31T00:00:00Z")

    assert _rank(plain, used, signs=ImportanceSigns(used={"DEC-2": 5})) == ["DEC-2", "DEC-1"]
    assert _rank(plain, proved) == ["DEC-3", "DEC-1"]
    assert _rank(plain, fresh) == ["DEC-4", "DEC-1"]


def test_a_pin_beats_everything() -> None:
    learned = entry("LRN-1", type=MemoryType.LEARNING, updated=OLD, tags=(PIN,))
    marked = entry("LRN-2", type=MemoryType.LEARNING, updated=OLD)
    rule = entry("INV-1", type=MemoryType.INVARIANT)

    assert _rank(rule, learned, marked, signs=ImportanceSigns(pinned=frozenset({"LRN-2"})))[-1] == "INV-1"


def test_the_parts_are_named_and_nothing_breaks_without_a_date() -> None:
    assert explain_importance(entry("DEC-1", updated="never"), NOW)["decision"] == 2.5
