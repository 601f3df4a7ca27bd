"""Near-duplicates: one of them is enough, unless they only look alike."""

from tests.index_values import entry

from holdfast.core.memory import Entry, Memory, MemoryType, RejectedOption, Status
from holdfast.recall.diversity import Found, pick_varied, word_likeness
from holdfast.recall.pack import PLACES, build_pack


def _found(*titles: str, kind: MemoryType = MemoryType.LEARNING) -> list[Found]:
    return [(entry(f"X-{at}", type=kind, title=title), "") for at, title in enumerate(titles)]


def _titles(found: list[Found]) -> list[str]:
    return [each.memory.title for each, _ in found]


def test_of_two_that_say_the_same_in_other_order_the_better_stays() -> None:
    found = _found(
        "The billing tests need TZ=UTC in the container",
        "Stripe sends twice",
        "In the container billing test needs TZ=UTC",
    )

    kept, dropped = pick_varied(found, PLACES, word_likeness)

    assert _titles(kept) == ["The billing tests need TZ=UTC in the container", "Stripe sends twice"]
    assert dropped == 0


def test_a_negation_or_a_number_makes_two_alike_memories_two() -> None:
    same = "use the replica for long reports of the billing service"
    found = _found(same, f"never {same}", f"{same} after 18:00", f"{same} after 22:00", f"{same} instead")

    kept, _ = pick_varied(found, PLACES, word_likeness)

    assert len(kept) == 5


def test_a_decision_that_rejects_something_else_is_another_one() -> None:
    one = Memory(id="A", type=MemoryType.DECISION, title="Cache", question="Which cache?", choice="Valkey")
    other = Memory(
        id="B", type=MemoryType.DECISION, title="Cache", question="Which cache?", choice="Valkey",
        rejected=(RejectedOption(option="Redis", reason="licence"), RejectedOption(option="Memcached", reason="old")),
    )  # fmt: skip

    assert word_likeness(one, one) == 1.0
    assert word_likeness(one, other) < 0.5


def test_types_are_not_compared() -> None:
    found = [*_found("Tokens are never logged"), *_found("Tokens are never logged", kind=MemoryType.INVARIANT)]

    assert len(pick_varied(found, PLACES, word_likeness)[0]) == 2


def test_what_is_accepted_stands_before_the_same_words_unconfirmed() -> None:
    words = "Uploads go through the queue"
    waiting = entry("CAND-1", type=MemoryType.INVARIANT, title=words, status=Status.CANDIDATE)
    accepted = entry("INV-1", type=MemoryType.INVARIANT, title=words + "!")

    pack = build_pack([(waiting, ""), (accepted, "")], 1000)

    assert [item.id for item in pack.constraints] == ["INV-1"]


def test_a_place_goes_to_something_new_before_something_half_said() -> None:
    found = _found(
        "The orders export is slow on the first of the month",
        "The orders export is slow on the last of the month",
        "The orders export is slow at the end of the month",
        "Safari drops third party cookies",
        kind=MemoryType.FAILURE,
    )

    kept, dropped = pick_varied(
        found, {MemoryType.FAILURE: 2}, lambda one, other: 0.8 if one.title[:10] == other.title[:10] else 0
    )

    assert _titles(kept) == ["The orders export is slow on the first of the month", "Safari drops third party cookies"]
    assert dropped == 2


def test_any_measure_of_likeness_can_take_the_place_of_words() -> None:
    found = _found("one", "two", "three")

    assert _titles(pick_varied(found, PLACES, lambda *_: 1.0)[0]) == ["one"]
    assert len(build_pack(found, 1000, alike=lambda *_: 1.0).learnings) == 1


def test_types_keep_their_places_among_each_other() -> None:
    found: list[tuple[Entry, str]] = [*_found("a", "b"), *_found("c", kind=MemoryType.PATTERN), *_found("d")]

    assert _titles(pick_varied(found, PLACES, word_likeness)[0]) == ["a", "b", "c", "d"]
