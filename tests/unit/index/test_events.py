from typing import Any

import pytest

from holdfast.core.event import Cursor
from holdfast.core.search import EventRow
from holdfast.index.event_rows import LONGEST_TEXT, event_text, fold_events


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"prompt": "Fix  the\npool", "cwd": "/x"}, "Fix the pool"),
        ({"tool": "Bash", "input": {"command": "ls"}, "output": "x"}, "Bash ls"),
        ({"transcript": "/home/dev/t.jsonl", "turn": "7", "answer": "All done."}, "All done."),
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


def test_an_event_however_deep_has_a_text() -> None:
    value: Any = "at the bottom"
    for _ in range(50_000):
        value = [{"in": value}]

    assert event_text({"output": value}) == "at the bottom"


def prompt(
    number: int, at: str, client: str, text: str = "Fix the pool", name: str = "prompt", **more: str
) -> EventRow:
    session = more.get("session", client)
    ts = f"2026-11-15T09:{at}.000Z"
    return EventRow(id=f"E{number}", ts=ts, client=client, session=session, name=name, text=text, place=Cursor())


def groups(*rows: EventRow) -> list[list[str]]:
    return [[each.event.id, *(row.id for row in each.also)] for each in fold_events(rows)]


def test_a_prompt_through_two_clients_is_one() -> None:
    found = fold_events([prompt(1, "00:00", "cursor"), prompt(2, "00:29", "claude-code")])

    assert [(each.event.client, [row.client for row in each.also]) for each in found] == [("cursor", ["claude-code"])]


def test_a_prompt_in_two_sessions_of_one_client_is_one() -> None:
    assert groups(prompt(1, "00:00", "codex", session="a"), prompt(2, "00:30", "codex", session="b")) == [["E1", "E2"]]


@pytest.mark.parametrize(
    "second",
    [
        prompt(2, "00:31", "codex"),
        prompt(2, "00:01", "codex", text="Fix the pool, please"),
        prompt(2, "00:01", "cursor"),
        prompt(2, "00:01", "codex", name="answer"),
    ],
    ids=["too late", "other words", "said twice in one session", "no prompt"],
)
def test_what_is_another_event_stays_apart(second: EventRow) -> None:
    assert groups(prompt(1, "00:00", "cursor"), second) == [["E1"], ["E2"]]


def test_events_without_words_are_never_one() -> None:
    assert groups(prompt(1, "00:00", "cursor", text=""), prompt(2, "00:00", "codex", text="")) == [["E1"], ["E2"]]


def test_two_prompts_and_their_two_echoes_are_two() -> None:
    rows = [
        prompt(n, f"00:0{n}", client, text="yes") for n, client in enumerate(["cursor", "cursor", "codex", "codex"])
    ]

    assert groups(*rows) == [["E0", "E2"], ["E1", "E3"]]


def test_folding_keeps_the_order_and_the_rows_between() -> None:
    rows = [prompt(1, "00:00", "cursor"), prompt(2, "00:01", "cursor", name="answer"), prompt(3, "00:02", "codex")]

    assert groups(*rows) == [["E1", "E3"], ["E2"]]
