"""Two into one."""

from holdfast.core.memory import Evidence, Memory, MemoryType, RejectedOption, Status
from holdfast.review.merge_memories import MERGED_INTO, mark_merged_away, merge_memories

NOW = "2026-11-15T09:22:14Z"


def _learning(**fields: object) -> Memory:
    given = {
        "id": "LRN-AAAAAA",
        "type": MemoryType.LEARNING,
        "title": "CI needs two cores",
        "body": "CI needs two cores",
    }
    return Memory(**(given | fields))  # type: ignore[arg-type]  # fields of a memory


def test_words_evidence_and_tags_go_over_and_nothing_is_said_twice() -> None:
    one = _learning(tags=("ci",), evidence=(Evidence(event="E1", quote="it hung"),))
    other = _learning(
        id="CAND-BBBBBB", title="CI wants 2 GB", body="CI needs two cores.\n\nIt wants 2 GB of memory too.",
        tags=("ci", "memory"), evidence=(Evidence(event="E1", quote="it hung"), Evidence(event="E2", quote="killed")),
    )  # fmt: skip

    found = merge_memories(one, other, NOW)

    assert found.id == "LRN-AAAAAA"
    assert found.body == "CI needs two cores\n\nCI wants 2 GB\n\nIt wants 2 GB of memory too."
    assert found.tags == ("ci", "memory")
    assert [each.event for each in found.evidence] == ["E1", "E2"]
    assert found.updated == NOW


def test_merging_the_same_again_adds_nothing() -> None:
    one = _learning(paths=("src/**",), confidence=0.8)
    other = _learning(id="CAND-BBBBBB", confidence=0.6, paths=("src/**",))

    found = merge_memories(one, other, NOW)

    assert found == merge_memories(found, other, NOW)
    assert found.body == one.body
    assert found.confidence == 0.8
    assert found.paths == ("src/**",)


def test_what_holds_everywhere_stays_so() -> None:
    assert merge_memories(_learning(), _learning(paths=("src/**",)), NOW).paths == ()


def test_fields_that_are_empty_are_filled_and_others_stay() -> None:
    one = _learning(type=MemoryType.DECISION, choice="uv")
    other = _learning(
        type=MemoryType.DECISION, choice="uv pip", question="Which installer?",
        rejected=(RejectedOption(option="poetry", reason="slow"),),
    )  # fmt: skip

    found = merge_memories(one, other, NOW)

    assert (found.choice, found.question) == ("uv", "Which installer?")
    assert found.rejected[0].option == "poetry"


def test_a_choice_of_another_type_does_not_become_a_field() -> None:
    decision = _learning(type=MemoryType.DECISION, choice="uv", body="Use uv", title="Use uv")

    found = merge_memories(_learning(), decision, NOW)

    assert found.choice == ""
    assert "Use uv" in found.body


def test_attempts_add_up() -> None:
    one, other = _learning(type=MemoryType.FAILURE, attempts=2), _learning(type=MemoryType.FAILURE)

    assert merge_memories(one, other, NOW).attempts == 3
    assert merge_memories(_learning(), _learning(), NOW).attempts is None


def test_the_one_that_went_away_says_where() -> None:
    gone = mark_merged_away(_learning(status=Status.CANDIDATE), "LRN-AAAAAA", NOW)

    assert gone.status is Status.REJECTED
    assert gone.because == "merged into LRN-AAAAAA"
    assert gone.extra[MERGED_INTO] == "LRN-AAAAAA"
