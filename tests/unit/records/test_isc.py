"""Whether a prompt starts work, how deep it goes, and what would satisfy it."""

import json
from typing import Any

import pytest

from holdfast.records.work_criteria import (
    FAILED,
    LIMIT,
    PENDING,
    VERIFIED,
    count_verified,
    estimate_effort,
    isc_from,
    prompt_slug,
    starts_work,
    update_isc,
)

NOW, LATER = "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"
TASK = """Add rate limiting to the public API.

- 100 requests per minute and key
- answers 429 with Retry-After
- don't add a new dependency

The limit must be configurable."""
DEEP = "Refactor the whole storage layer so that every backend runs the same contract suite.\n\n- sqlite\n- postgres"


def size(isc: dict[str, Any]) -> int:
    return len(json.dumps(isc, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("prompt", "depth"),
    [
        ("Fix the typo in README.md", "quick"),
        ("what does this do?", "quick"),
        ("rename foo to bar", "quick"),
        ("Implement rate limiting for the public API with tests", "standard"),
        (TASK, "standard"),
        ("Add a --json flag to the export command, document it in the guide and cover it with a test", "standard"),
        (DEEP, "deep"),
        ("Migrate the whole application from Flask to FastAPI, endpoint by endpoint", "deep"),
        ("Change a.py, b.py, c.py, d.py and e.py to use the new logger", "deep"),
        ("Please do all of this:\n" + "\n".join(f"{n}. item" for n in range(1, 9)), "deep"),
        ("word " * 200, "deep"),
        ("重构整个存储层", "deep"),
        ("", "quick"),
    ],
)
def test_effort_follows_length_verbs_and_files(prompt: str, depth: str) -> None:
    assert estimate_effort(prompt) == depth


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the failing tests",
        "please add a --json flag",
        "Can you rename the column?",
        "I want you to implement pagination.",
        "We need to migrate the database.",
        "Now write the docs.",
        "ok, refactor the parser",
        "The build is red. Fix it.",
        "let's build the exporter",
        "Füge einen Test hinzu.",
        "Bitte behebe den Fehler.",
        "Ajoute un test.",
        "Peux-tu corriger ce bug ?",
        "Añade una prueba.",
        "修复登录问题",
        "请添加一个测试。",
    ],
)
def test_an_order_starts_work(prompt: str) -> None:
    assert starts_work(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "yes",
        "ok",
        "thanks!",
        "continue",
        "8/10",
        "What does this function do?",
        "Should we add a cache?",
        "Why does the test fail?",
        "how do I fix this?",
        "I like it.",
        "The test fails on CI.",
        "/compact",
        "<command-name>clear</command-name>",
        "Did you fix it?",
        "Warum schlägt der Test fehl?",
        "这个函数是做什么的?",
    ],
)
def test_talk_starts_no_work(prompt: str) -> None:
    assert not starts_work(prompt)


def test_criteria_come_from_points_and_musts() -> None:
    isc = isc_from(TASK, "01EVENT", NOW)

    assert set(isc) == {"v", "ideal", "criteria", "antiCriteria", "updatedAt", "current", "history"}
    assert isc["ideal"] == "Add rate limiting to the public API."
    assert [criterion["text"] for criterion in isc["criteria"]] == [
        "100 requests per minute and key",
        "answers 429 with Retry-After",
        "The limit must be configurable.",
    ]
    assert [anti["text"] for anti in isc["antiCriteria"]] == ["don't add a new dependency"]
    assert isc["criteria"][0]["status"] == PENDING
    assert isc["criteria"][0]["sourceEventIds"] == ["01EVENT"]
    assert isc["updatedAt"] == NOW


def test_the_order_itself_is_the_criterion_where_nothing_else_is_said() -> None:
    isc = isc_from("Implement rate limiting for the public API with tests", "e", NOW)

    assert [criterion["text"] for criterion in isc["criteria"]] == [
        "Implement rate limiting for the public API with tests"
    ]


def test_quick_work_has_no_criteria_and_no_history() -> None:
    isc = update_isc(isc_from("fix the typo", "e", NOW), now=LATER, summary="fixed")

    assert (isc["criteria"], isc["history"]) == ([], [])
    assert isc["current"]["summary"] == "fixed"


def test_standard_work_keeps_its_first_version() -> None:
    first = isc_from(TASK, "e", NOW)
    isc = update_isc(update_isc(first, now=LATER), now=LATER)

    assert [version["version"] for version in isc["history"]] == [1]
    assert isc["current"]["version"] == 3


def test_deep_work_keeps_every_version() -> None:
    isc = isc_from(DEEP, "e", NOW)
    for _ in range(3):
        isc = update_isc(isc, now=LATER)

    assert [version["version"] for version in isc["history"]] == [1, 2, 3, 4]


def test_a_criterion_is_verified_by_id_or_text_with_its_evidence() -> None:
    first = isc_from(TASK, "e1", NOW)
    one, two, three = first["criteria"]
    isc = update_isc(first, now=LATER, event_id="e2", verified=[one["id"], two["text"]], failed=[three["id"]])

    assert [criterion["status"] for criterion in isc["criteria"]] == [VERIFIED, VERIFIED, FAILED]
    assert isc["criteria"][0]["sourceEventIds"] == ["e1", "e2"]
    assert count_verified(isc) == (2, 3)
    assert count_verified(first) == (0, 3)


def test_what_is_added_twice_is_there_once() -> None:
    isc = update_isc(
        isc_from(TASK, "e", NOW), now=LATER, added=["It logs refusals", "it  logs REFUSALS"], forbidden=["No globals"]
    )

    assert [criterion["text"] for criterion in isc["criteria"]][3:] == ["It logs refusals"]
    assert len(isc["antiCriteria"]) == 2


@pytest.mark.parametrize("letter", ["x", "字", "😀", '"'])
def test_an_isc_stays_under_its_limit(letter: str) -> None:
    prompt = "Refactor the whole thing\n" + "\n".join(f"- {n} must {letter * 900}" for n in range(60))
    isc = isc_from(prompt, "01" * 200, NOW)
    for n in range(80):
        isc = update_isc(isc, now=LATER, event_id=f"e{n}" * 50, added=[f"{n} {letter * 500}"], summary=letter * 5000)
        assert size(isc) <= LIMIT

    assert isc["current"]["version"] == 81
    assert isc["criteria"]


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"criteria": 1},
        {"criteria": [1, {"text": 2}, {"text": "a"}], "current": [], "history": "x"},
        {"current": {"version": "9"}},
        {"extra": "x" * 50_000},
    ],
)
def test_a_broken_file_is_mended_on_the_way(broken: dict[str, Any]) -> None:
    isc = update_isc(broken, now=LATER, added=["b"])

    assert "b" in [criterion["text"] for criterion in isc["criteria"]]
    assert size(isc) <= LIMIT


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Fix the login bug, please!", "fix-the-login-bug-please"),
        ("one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
        ("rm -rf ../../etc/passwd", "rm-rf-etcpasswd"),
        ("Größe ändern", "größe-ändern"),
        ("修复 登录 问题", "修复-登录-问题"),
        ("... !!! ///", "untitled"),
        ("", "untitled"),
        ("a\x00b\nc", "ab-c"),
    ],
)
def test_eight_words_name_a_folder(prompt: str, words: str) -> None:
    assert prompt_slug(prompt) == words


def test_a_name_of_a_folder_is_short() -> None:
    assert len(prompt_slug("字" * 2000).encode()) <= 120
