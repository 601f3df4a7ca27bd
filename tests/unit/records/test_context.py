"""What a context knows still, read from the list of what it was told."""

import pytest

from holdfast.records.injected_context import InjectedContext, goes_on_from_summary, read_context

HOUR = 3600


def test_what_was_told_is_known() -> None:
    found = read_context(["!session_start startup", "INV-1", "!prompt", "DEC-2"])

    assert found == InjectedContext(injected=frozenset({"INV-1", "DEC-2"}))


def test_a_start_knows_nothing() -> None:
    assert read_context(["INV-1", "!session_start compact"]) == InjectedContext()


@pytest.mark.parametrize(
    ("marks", "cut"),
    [
        (["!after_compact codex auto"], "compacted"),
        (["!before_compact codex auto", "!after_compact codex auto"], "compacted"),
        (["!before_compact claude-code auto"], ""),
        (["!before_compact gemini auto"], ""),
        (["!before_compact gemini manual"], "compacted"),
        (["!before_compact cline"], "compacted"),
        (["!session_end claude-code"], "ended"),
        (["!session_end claude-code", "!session_start resume"], ""),
        (["!before_compact claude-code", "!session_start compact", "!after_compact claude-code"], ""),
        (["!session_start compact", "!after_compact x", "!prompt", "!after_compact x"], "compacted"),
        (["!session_start compact", "!prompt", "!after_compact x"], "compacted"),
    ],
)
def test_a_cut_is_known_by_its_marks(marks: list[str], cut: str) -> None:
    assert read_context(["INV-1", *marks]).cut == cut


def test_after_a_cut_only_what_was_told_since_is_known() -> None:
    found = read_context(["INV-1", "!after_compact codex", "INV-2"])

    assert found == InjectedContext(injected=frozenset({"INV-2"}), cut="compacted")


def test_twelve_hours_of_silence_are_a_cut() -> None:
    assert read_context(["INV-1"], 11 * HOUR).cut == ""
    assert read_context(["INV-1"], 13 * HOUR) == InjectedContext(cut="quiet")


@pytest.mark.parametrize(
    ("prompt", "cut"),
    [
        ("<summary>\nThey talked.</summary>", True),
        ("  This session is being continued from a previous conversation that ran out of context.", True),
        ("Another language model started to solve this problem and produced a summary of its thinking", True),
        ("<state_snapshot>", True),
        ("Write a <summary> element", False),
        ("summary please", False),
        ("", False),
    ],
)
def test_a_summary_is_told_by_how_a_prompt_begins(prompt: str, cut: bool) -> None:
    assert goes_on_from_summary(prompt) is cut
