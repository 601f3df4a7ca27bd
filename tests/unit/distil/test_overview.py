"""Edits of overview.md that a session suggests."""

from tests.unit.distil.talk import agent, bash, distil, edit, user

from holdfast.core.distilled import Known
from holdfast.core.memory import Memory, SaidBy

PAGE = """# Overview

## Gaps
- no retry in the upload client
- [x] no login page
- billing export

## Workstreams
- Importer rewrite (active)
- Mobile app - paused

## People
- retry upload client
"""


def edits(*turns: object) -> list[Memory]:
    found = distil(*turns, known=Known(overview=PAGE)).candidates  # type: ignore[arg-type]  # turns
    return [memory for memory in found if memory.category == "overview"]


def test_a_gap_is_closed_by_what_was_asked_and_a_check_that_passed() -> None:
    (memory,) = edits(
        user("Add a retry to the upload client"), edit("src/upload.py"), bash("pytest", "3 passed"), agent("Done.")
    )

    assert memory.title == "Gap closed: no retry in the upload client"
    assert memory.extra["overview"] == {
        "edit": "close",
        "section": "gaps",
        "line": "- no retry in the upload client",
        "status": "done",
    }
    assert memory.said_by is SaidBy.TOOL


def test_a_gap_stays_open_when_the_check_failed_or_nothing_changed() -> None:
    asked = user("Add a retry to the upload client")

    assert edits(asked, edit("src/upload.py"), bash("pytest", "1 failed", failed=True)) == []
    assert edits(asked, bash("pytest", "3 passed")) == []


def test_a_workstream_follows_the_users_words() -> None:
    (done,) = edits(user("The importer rewrite is done."))
    (resumed,) = edits(user("Let's pick up the mobile app again."))

    assert (done.title, done.said_by) == ("Workstream done: Importer rewrite", SaidBy.USER)
    assert resumed.extra["overview"]["status"] == "active"
    assert edits(user("Is the importer rewrite done?"), agent("The importer rewrite is done.")) == []


def test_a_page_without_these_sections_gives_nothing() -> None:
    found = distil(
        user("The importer rewrite is done."), known=Known(overview="# Overview\n\n- Importer rewrite (active)\n")
    )

    assert found.candidates == ()
