"""Search by more than words, where the user asks for it."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("wordllama", reason="the default embedder's weights are in the extra `meaning`")

BY_ALL = ("--set", "search.recipe=default")


@pytest.fixture
def filled(holdfast: Any) -> Any:
    for words in (
        ("decision", "Use Textual for the TUI", "--choice", "Textual", "--rejected", "curses: no layout engine"),
        ("failure", "Async pool ran dry under load", "--root-cause", "one database session per request"),
        ("learning", "Tests need TZ=UTC or the date assertions break"),
        ("invariant", "Never log tokens or credentials"),
    ):
        assert holdfast("remember", *words).status == 0
    return holdfast


def test_a_question_in_other_words_is_answered_and_every_lane_explains_itself(filled: Any) -> None:
    [best, *_] = filled("search", "passwords in the log files", *BY_ALL, "--json").json["hits"]

    assert best["title"] == "Never log tokens or credentials"
    assert {"static", "soft"} <= best["lanes"].keys()
    assert "static: rank 1" in filled("search", "passwords in the log files", *BY_ALL, "--explain").out


def test_words_alone_are_asked_until_the_user_says_otherwise(filled: Any) -> None:
    assert set(filled("search", "textual", "--json").json["hits"][0]["lanes"]) == {"words"}
    settled = filled("search", "textual tui", "--set", "search.recipe=auto", "--json").json

    assert set(settled["hits"][0]["lanes"]) == {"words"}


def test_a_changed_memory_is_found_by_its_new_words(filled: Any, folder: Path) -> None:
    filled("search", "passwords in the log files", *BY_ALL)
    [file] = (folder / ".holdfast/memory/invariants").glob("*.md")
    file.write_text(file.read_text().replace("Never log tokens or credentials", "Bananas are kept in the fridge"))

    [best, *_] = filled("search", "where is the fruit", *BY_ALL, "--json").json["hits"]

    assert best["title"] == "Bananas are kept in the fridge"


@pytest.mark.parametrize("embedder", ["granite2", "folder:/nowhere", "openai", "none"])
def test_a_model_that_is_missing_is_a_notice_and_words_go_on(filled: Any, embedder: str) -> None:
    found = filled("search", "textual toolkit", "--set", "search.recipe=auto", "--set", f"embedder={embedder}")

    assert found.status == 0
    assert ("by words alone" in found.err) is (embedder != "none")


def test_what_was_said_is_found_in_other_words(filled: Any, folder: Path) -> None:
    payload = (
        '{"session_id":"s1","transcript_path":"/home/dev/.claude/p/s1.jsonl","cwd":"%s",'
        '"hook_event_name":"UserPromptSubmit","prompt":"%s"}'
    )
    for words in ("We keep bananas in the fridge, because of the flies.", "The deployment runs at noon."):
        assert filled("hook", stdin=payload % (folder, words)).status == 0

    [best, *_] = filled("search", "where is the fruit", "--in", "turns", *BY_ALL, "--json").json["hits"]

    assert "bananas" in best["text"]
