"""The JSON form of a memory."""

from holdfast.core.memory import Citation, Evidence, Memory, MemoryType, RejectedOption, SaidBy, Status
from holdfast.core.memory_json import from_json, to_json


def test_what_says_nothing_is_left_out() -> None:
    assert to_json(Memory(id="LRN-1", type=MemoryType.LEARNING)) == {
        "id": "LRN-1",
        "type": "learning",
        "status": "accepted",
        "title": "",
        "body": "",
        "tags": [],
        "paths": [],
        "said_by": "user",
    }


def test_numbers_that_are_zero_say_something() -> None:
    data = to_json(Memory(id="LRN-1", type=MemoryType.LEARNING, attempts=0, confidence=0.0))

    assert (data["attempts"], data["confidence"]) == (0, 0.0)


def test_lists_of_parts_are_lists_of_objects() -> None:
    data = to_json(
        Memory(
            id="DEC-1",
            type=MemoryType.DECISION,
            rejected=(RejectedOption(option="Qt", reason="heavy"),),
            evidence=(Evidence(event="01J", quote="so"),),
            cites=(Citation(path="a.py"),),
        )
    )

    assert data["rejected"] == [{"option": "Qt", "reason": "heavy"}]
    assert data["evidence"] == [{"event": "01J", "quote": "so"}]
    assert data["cites"] == [{"path": "a.py", "lines": "", "sha256": ""}]


def test_reading_gives_back_the_enums_and_tuples() -> None:
    memory = Memory(
        id="FAIL-1", type=MemoryType.FAILURE, status=Status.DEPRECATED, said_by=SaidBy.TOOL, supersedes=("FAIL-0",)
    )

    assert from_json(to_json(memory)) == memory
