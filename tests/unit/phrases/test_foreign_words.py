"""Words that a client puts in for the user are told by how they begin; a person's are not."""

import pytest

from holdfast.phrases.foreign_words import why_foreign


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Implement the following plan:\n\n# Plan: move the parser", "plan"),
        ("Base directory for this skill: /home/dev/.claude/skills/review", "instructions"),
        ("Continue from where you left off.", "client"),
        ("  <system-reminder>todo list is empty</system-reminder>", "reminder"),
        ("Stop hook feedback: run the tests", "hook"),
        ("This session is being continued from a previous one", "summary"),
    ],
)  # fmt: skip
def test_what_no_person_typed_is_told(text: str, why: str) -> None:
    assert why_foreign(text) == why


@pytest.mark.parametrize(
    "text", ["continue", "implement the plan", "let's plan the parser", "", "use skill names in docs"]
)
def test_a_persons_words_are_not(text: str) -> None:
    assert why_foreign(text) == ""
