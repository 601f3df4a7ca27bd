"""What is said through tools: in `session show`, and found by search."""

from pathlib import Path

import pytest
from tests.unit.tui.workspace import workspace

from holdfast.core.event import Event
from holdfast.core.tool_words import list_tool_words
from holdfast.recall.search_speech import search_transcripts

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, "
    "the user said:\nuse the vermilion queue instead"
)
ASKED = {"questions": [{"question": "Which queue?", "options": [{"label": "vermilion"}, {"label": "teal"}]}]}
ANSWERED = {"answers": {"Which queue?": "vermilion"}}


@pytest.mark.parametrize(
    ("tool", "given", "result", "lines"),
    [
        ("AskUserQuestion", ASKED, ANSWERED, [("user", "Which queue? → vermilion")]),
        ("Bash", {"command": "make"}, REFUSED, [("user", "refused Bash: use the vermilion queue instead")]),
        ("Bash", {"command": "cat x"}, f"A file that says:\n{REFUSED}", []),
        (
            "TodoWrite",
            {"todos": [{"content": "Drain the queue", "status": "completed"}, {"content": "Fill it"}]},
            "ok",
            [("agent", "[x] Drain the queue"), ("agent", "[ ] Fill it")],
        ),
        ("update_plan", {"plan": [{"step": "Look", "status": "pending"}]}, "", [("agent", "[ ] Look")]),
        ("Bash", {"command": "ls"}, "a\nb", []),
    ],
)
def test_lines_say_who_said_them(tool: str, given: dict[str, object], result: object, lines: list[object]) -> None:
    assert list(list_tool_words(tool, given, result)) == lines


def test_search_finds_what_was_said_through_a_tool(tmp_path: Path) -> None:
    app = workspace(tmp_path)
    app.journal.append([
        Event(client="claude-code", name="tool_failed", session="s", data={
            "tool": "Bash", "call": "c1", "input": {"command": "make"}, "error": REFUSED}),
        Event(client="claude-code", name="after_tool", session="s", data={
            "tool": "TodoWrite", "call": "c2", "input": {"todos": [{"content": "Drain the magenta queue"}]}}),
    ])  # fmt: skip
    app.refresh()

    def found(words: str) -> list[tuple[str, str]]:
        return [(h.spoken.said_by, h.spoken.text) for h in search_transcripts(words, ["turn"], 5, app.index).hits]

    assert found("vermilion") == [("user", "refused Bash: use the vermilion queue instead")]
    assert found("magenta") == [("agent", "[ ] Drain the magenta queue")]
