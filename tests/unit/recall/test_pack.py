"""Packs: what goes on which shelf, and what the budget has room for."""

from holdfast.core.memory import Entry, Memory, MemoryType, RejectedOption, Scope, Status
from holdfast.recall.pack import build_pack, items_of, pack_to_json


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

    pack = build_pack([(entry, "test") for entry in entries], 1000)

    assert [item.text for item in pack.constraints] == [
        "Redis was rejected: too much to run", "Memcached was rejected", "Never log tokens",
    ]  # fmt: skip
    assert [item.text for item in pack.dead_ends] == ["Async pool, failed 3×: one session per request"]
    assert [item.text for item in pack.facts] == [
        "Which cache? Valkey; rejected: Redis (too much to run), Memcached", "One workspace per user (assumption)",
    ]  # fmt: skip
    assert [item.text for item in pack.learnings] == ["[tests] They need UTC"]
    assert [item.text for item in pack.patterns] == ["Errors end in a hint"]
    assert pack.to_prompt().startswith("⛔ CONSTRAINTS (DO NOT violate)\n- Never log tokens [X-invariant-1]")
    assert "- Which cache? Valkey; rejected: Redis (too much to run), Memcached [X-decision-1]" in pack.to_prompt()
    assert pack_to_json(pack)["prompt"] == pack.to_prompt()


def test_a_type_takes_only_so_many_places() -> None:
    found = [(_entry(MemoryType.FAILURE, number), "") for number in range(9)]

    assert len(build_pack(found, 1000).dead_ends) == 3


def test_the_budget_is_kept_and_what_is_dropped_is_counted() -> None:
    found = [(_entry(MemoryType.LEARNING, number, title="word " * 40), "") for number in range(8)]
    found = [(_entry(MemoryType.LEARNING, n, title=f"{n} " + "word " * 40), "") for n in range(8)]

    pack = build_pack(found, 120)

    assert 0 < len(pack.learnings) < 8
    assert pack.dropped == 8 - len(pack.learnings)
    assert pack.tokens <= 120


def test_the_same_words_stand_once() -> None:
    found = [(_entry(MemoryType.INVARIANT, n, title="Never log tokens"), "") for n in range(3)]

    assert len(build_pack(found, 1000).constraints) == 1


def test_what_waits_for_review_is_marked() -> None:
    entry = _entry(MemoryType.INVARIANT, title="Use tabs", status=Status.CANDIDATE)

    [(_, item)] = items_of(entry.memory)
    assert item.unconfirmed
    assert "(unconfirmed)" in build_pack([(entry, "")], 100).to_prompt()


def test_what_an_agent_reads_stays_within_the_budget_headings_included() -> None:
    kinds = [kind for kind in MemoryType for _ in range(3)]
    found = [(_entry(kind, number, title=f"{number} " + "word " * 9), "") for number, kind in enumerate(kinds)]

    for budget in (1, 10, 20, 40, 80, 160, 320):
        pack = build_pack(found, budget)
        assert pack.tokens == -(-len(pack.to_prompt()) // 4) <= budget
        assert len(pack.ids()) + pack.dropped == len(found)


def test_places_that_ran_out_count_as_dropped() -> None:
    found = [(_entry(MemoryType.FAILURE, number), "") for number in range(9)]

    assert build_pack(found, 1000).dropped == 6


def test_the_same_words_are_a_constraint_and_a_fact() -> None:
    found = [(_entry(kind, title="Tokens stay secret"), "") for kind in (MemoryType.DECISION, MemoryType.INVARIANT)]

    pack = build_pack(found, 1000)

    assert [item.text for item in (*pack.facts, *pack.constraints)] == ["Tokens stay secret", "Tokens stay secret"]


def test_a_task_gets_what_binds_it_under_its_own_headings() -> None:
    entries = [
        _entry(
            MemoryType.DECISION, question="Which cache?", choice="Valkey", rejected=(RejectedOption(option="Redis"),)
        ),
        _entry(MemoryType.FAILURE, title="Async pool", attempts=3),
        _entry(MemoryType.PATTERN, title="Errors end in a hint"),
        _entry(MemoryType.LEARNING),
        _entry(MemoryType.ASSUMPTION),
    ]

    pack = build_pack([(entry, "test") for entry in entries], 1000, for_task=True)

    assert pack.to_prompt().split("\n") == [
        "CONSTRAINTS for this task",
        "- Which cache? Valkey; rejected: Redis [X-decision-1]",
        "",
        "HAZARDS (past failures with similar tasks)",
        "- Async pool, failed 3× [X-failure-1]",
        "",
        "PATTERNS to follow",
        "- Errors end in a hint [X-pattern-1]",
    ]
    assert (pack.facts, pack.learnings, pack.dropped) == ((), (), 0)
