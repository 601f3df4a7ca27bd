"""What a user said through a tool: answers in a form, and the words of a refusal."""

import json
from typing import Any

import pytest

from holdfast.core.conversation import UserChoice
from holdfast.core.user_answers import describe_choice, read_choices, read_refusal

QUESTION = "Where should the cache live?"
ASKED = {
    "questions": [
        {
            "question": QUESTION, "header": "Cache", "id": "cache",
            "options": [{"label": "SQLite (Recommended)"}, {"label": "Redis"}],
        }
    ]
}  # fmt: skip
CHOSEN = UserChoice(question=QUESTION, choice="SQLite", options=("SQLite", "Redis"))
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)


@pytest.mark.parametrize(
    ("tool", "result", "output"),
    [
        ("AskUserQuestion", {"answers": {QUESTION: "SQLite (Recommended)"}}, ""),
        ("AskUserQuestion", None, f'User has answered your questions: "{QUESTION}"="SQLite (Recommended)". You can'),
        ("AskUserQuestion", None, f'"{QUESTION}"="SQLite (Recommended)" selected preview:\ncode. You can now'),
        ("request_user_input", None, json.dumps({"answers": {"cache": {"answers": ["SQLite"]}}})),
        ("mcp__ui__ask_user", {"answers": [{"question": QUESTION, "answer": "SQLite"}]}, ""),
        ("question", {"answers": ["x", {"header": "Cache", "answers": ["SQLite"]}]}, ""),
    ],
)  # fmt: skip
def test_answers_of_every_client_are_read(tool: str, result: Any, output: str) -> None:
    assert read_choices(tool, ASKED, result, output) == (CHOSEN,)


def test_what_the_user_wrote_beside_it_is_kept_and_a_preview_is_not() -> None:
    result = {"answers": {QUESTION: "Redis"}, "annotations": {QUESTION: {"notes": "we run it anyway", "preview": "x"}}}

    [found] = read_choices("AskUserQuestion", ASKED, result, "")

    assert describe_choice(found) == f"{QUESTION} → Redis (we run it anyway)"


@pytest.mark.parametrize(
    ("tool", "given", "result", "output"),
    [
        ("Bash", ASKED, {"answers": {QUESTION: "SQLite"}}, ""), ("AskUserQuestion", {}, None, ""),
        ("AskUserQuestion", {"questions": "no list"}, {"answers": 7}, "{broken"),
        ("AskUserQuestion", {"questions": [7, None, {"question": 8}]}, {"answers": {QUESTION: 5}}, ""),
    ],
)  # fmt: skip
def test_other_tools_and_broken_forms_give_nothing(tool: str, given: dict[str, Any], result: Any, output: str) -> None:
    assert read_choices(tool, given, result, output) == ()


def test_the_words_of_a_refusal_are_the_users() -> None:
    assert read_refusal(f"{REFUSED}merge both files into fswatcher.go") == "merge both files into fswatcher.go"
    assert read_refusal(f"{REFUSED}use slog\n\nNote: The user's next message may contain a correction") == "use slog"


@pytest.mark.parametrize(
    "output",
    [
        "", "exit code 1", f"{REFUSED}The user wants to clarify these questions.\n    This means they may have more",
        "The user doesn't want to proceed with this tool use. STOP what you are doing and wait.",
    ],
)  # fmt: skip
def test_a_refusal_without_words_says_nothing(output: str) -> None:
    assert read_refusal(output) == ""
