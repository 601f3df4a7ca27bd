from typing import Any

import pytest

from holdfast.index.events import LONGEST_TEXT, event_text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"prompt": "Fix  the\npool", "cwd": "/x"}, "Fix the pool"),
        ({"tool_name": "Bash", "tool_input": {"command": "ls"}}, "Bash"),
        ({"tool_input": {"command": "ls -l", "timeout": 5}}, "ls -l 5"),
        ({"message": "", "summary": "done"}, "done"),
        ({"message": {"content": [{"type": "text", "text": "hi"}]}}, "text hi"),
        ({"other": "kept", "flag": True, "none": None}, "kept"),
        ({"text": "half \ud83d"}, "half ?"),
        ({}, ""),
    ],
)
def test_the_text_of_an_event_is_what_it_tells(data: dict[str, Any], expected: str) -> None:
    assert event_text(data) == expected


def test_the_text_of_an_event_is_cut() -> None:
    assert len(event_text({"text": "x" * 10_000})) == LONGEST_TEXT
