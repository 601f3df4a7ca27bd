"""Turns and pages as spoken passages."""

from typing import Any

import pytest

from holdfast.core.event import Cursor, JournalRecord
from holdfast.index.spoken_passages import LONGEST, page_of, turns_of


def record(name: str, **data: Any) -> JournalRecord:
    whole = {"client": "codex", "session": "s1", "name": name, "data": data}
    return JournalRecord(id="E1", kind="event", version=1, ts="2026-11-15T09:00:00.000Z", data=whole, after=Cursor())


@pytest.mark.parametrize(
    ("name", "data", "said_by"),
    [
        ("prompt", {"prompt": "use the pool"}, "user"),
        ("answer", {"answer": "use the pool"}, "agent"),
        ("subagent_stop", {"answer": "use the pool"}, "subagent"),
    ],
)
def test_who_speaks_in_a_turn(name: str, data: dict[str, str], said_by: str) -> None:
    [turn] = turns_of(record(name, **data))

    assert (turn.said_by, turn.group, turn.text, turn.kind) == (said_by, "s1", "use the pool", "turn")
    assert "pool" in turn.terms


@pytest.mark.parametrize(
    "silent",
    [record("after_tool", output="pool"), record("prompt", prompt=7), record("answer"), record("prompt", prompt=" ")],
)
def test_where_nobody_speaks_there_is_no_turn(silent: JournalRecord) -> None:
    assert turns_of(silent) == ()


def test_a_long_answer_is_cut_at_paragraphs_and_nothing_is_lost() -> None:
    paragraphs = [f"Paragraph {number}: " + "word " * 60 for number in range(20)]
    parts = turns_of(record("answer", answer="\n\n".join(paragraphs)))

    assert len(parts) > 1
    assert [part.part for part in parts] == list(range(len(parts)))
    assert all(len(part.text) <= LONGEST for part in parts)
    assert " ".join(" ".join(part.text for part in parts).split()) == " ".join(" ".join(paragraphs).split())


def test_words_without_any_gap_are_cut_too() -> None:
    assert "".join(part.text for part in turns_of(record("prompt", prompt="x" * 5000))) == "x" * 5000


def test_a_pages_frontmatter_is_not_what_it_says() -> None:
    [page] = page_of("research", "research/a.md", "2026", '---\nagent: "Explore"\n---\n\nIn src/a.py.\n')

    assert page.text == "In src/a.py."
