"""Packs: what goes on which shelf, and what the budget has room for."""

from holdfast.domain.memory import Entry, Memory, MemoryType, RejectedOption, Scope, Status
from holdfast.recall.pack import items_of, pack_json, packed


def _entry(kind: MemoryType, number: int = 1, **more: object) -> Entry:
    memory = Memory(id=f"X-{kind}-{number}", type=kind, **{"title": f"A {kind} number {number}", **more})  # type: ignore[arg-type]  # test values
    return Entry(memory=memory, scope=Scope.WORKSPACE, path="memory/x.md", line=1, sha256="")


def test_each_type_stands_on_its_shelf() -> None:
    entries = [
        _entry(
            MemoryType.DECISION, question="Which cache?", choice="Valkey",
            rejected=(RejectedOption(option="Redis", reason="too much to run"), RejectedOption(option="Memcached")),
        ),
        _entry(MemoryType.INVARIANT, title="Never log tokens"),
        _entry(MemoryType.FAILURE, title="Async pool", attempts=3, root_cause="one session per request"),
        _entry(MemoryType.LEARNING, category="tests", fact="They need UTC"),
        _entry(MemoryType.ASSUMPTION, title="One workspace per user"),
        _entry(MemoryType.PATTERN, title="Errors end in a hint"),
    ]  # fmt: skip

    pack = packed([(entry, "test") for entry in entries], 1000)

    assert [item.text for item in pack.constraints] == [
        "Redis: too much to run", "Memcached was rejected", "Never log tokens",
    ]  # fmt: skip
    assert [item.text for item in pack.dead_ends] == ["Async pool, failed 3×: one session per request"]
    assert [item.text for item in pack.facts] == ["Which cache? Valkey", "One workspace per user (assumption)"]
    assert [item.text for item in pack.learnings] == ["[tests] They need UTC"]
    assert [item.text for item in pack.patterns] == ["Errors end in a hint"]
    assert pack.to_prompt().startswith("⛔ CONSTRAINTS (DO NOT violate)\n- Redis: too much to run [X-decision-1]")
    assert pack_json(pack)["prompt"] == pack.to_prompt()


def test_a_type_takes_only_so_many_places() -> None:
    found = [(_entry(MemoryType.FAILURE, number), "") for number in range(9)]

    assert len(packed(found, 1000).dead_ends) == 3


def test_the_budget_is_kept_and_what_is_dropped_is_counted() -> None:
    found = [(_entry(MemoryType.LEARNING, number, title="word " * 40), "") for number in range(8)]
    found = [(_entry(MemoryType.LEARNING, n, title=f"{n} " + "word " * 40), "") for n in range(8)]

    pack = packed(found, 120)

    assert 0 < len(pack.learnings) < 8
    assert pack.dropped == 8 - len(pack.learnings)
    assert pack.tokens <= 120


def test_the_same_words_stand_once() -> None:
    found = [(_entry(MemoryType.INVARIANT, n, title="Never log tokens"), "") for n in range(3)]

    assert len(packed(found, 1000).constraints) == 1


def test_what_waits_for_review_is_marked() -> None:
    entry = _entry(MemoryType.INVARIANT, title="Use tabs", status=Status.CANDIDATE)

    [(_, item)] = items_of(entry.memory)
    assert item.unconfirmed
    assert "(unconfirmed)" in packed([(entry, "")], 100).to_prompt()
