"""What happened to files, by session and prompt."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast.core.event import Cursor, JournalRecord
from holdfast.records.file_activity import ActivityHistory, build_histories, find_error_line

WORKSPACE = "/home/dev/proj"
START = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def record(minute: int, name: str, /, session: str = "s1", client: str = "claude-code", **data: Any) -> JournalRecord:
    return JournalRecord(
        id=f"{minute:026d}",
        kind="event",
        version=1,
        ts=(START + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        data={"client": client, "session": session, "name": name, "key": "", "data": data},
        after=Cursor(segment=1, offset=minute),
    )


def edit(minute: int, path: str, session: str = "s1") -> JournalRecord:
    given = {"file_path": f"{WORKSPACE}/{path}", "old_string": "a", "new_string": "b"}
    return record(minute, "after_tool", session, tool="Edit", input=given, output={})


def history(*records: JournalRecord, since: str = "", until: str = "9999") -> ActivityHistory:
    [found] = build_histories(records, WORKSPACE, [(since, until)])
    return found


def test_a_change_belongs_to_the_prompt_before_it() -> None:
    found = history(
        record(0, "prompt", prompt="Add a retry. And more."),
        edit(1, "src/a.py"),
        record(2, "prompt", prompt="Now the docs"),
        edit(3, "docs/a.md"),
    )

    assert [(c.path, c.prompt.text if c.prompt else "") for c in found.changes] == [
        ("src/a.py", "Add a retry"),
        ("docs/a.md", "Now the docs"),
    ]
    assert (found.sessions, found.prompts) == (("s1",), 2)


def test_the_span_counts_and_an_earlier_prompt_still_explains() -> None:
    since = (START + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")

    found = history(record(0, "prompt", prompt="Add it"), edit(1, "src/a.py"), edit(9, "x.py"), since=since)

    assert found.prompts == 0
    assert [c.prompt.text for c in found.changes if c.prompt] == ["Add it", "Add it"]


def test_a_failed_edit_is_no_change_and_a_failed_check_says_why() -> None:
    failing = record(2, "tool_failed", tool="Bash", input={"command": "pytest -q"}, error="x\nE  TypeError: bad\nend")
    broken = record(3, "tool_failed", tool="Edit", input={"file_path": f"{WORKSPACE}/a.py"}, error="not found")

    found = history(failing, broken)

    assert found.changes == ()
    assert [each.text for each in found.failures] == ["TypeError: bad", "not found"]


def test_the_same_prompt_through_two_clients_is_one_session() -> None:
    found = history(
        record(0, "prompt", "s1", prompt="Add it"),
        record(0, "prompt", "s2", "cursor", prompt="Add it"),
        edit(1, "src/a.py", "s1"),
        edit(1, "src/a.py", "s2"),
    )

    assert (found.sessions, found.prompts, len(found.changes)) == (("s1",), 1, 1)


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", ""),
        ("only this", "only this"),
        ("FAILED tests/a.py::t - ValueError: no\n==== 1 failed in 2s ====", "FAILED tests/a.py::t - ValueError: no"),
        ("npm ERR! network timeout\nnpm ERR! a complete log", "npm ERR! a complete log"),
        ("error: cannot find x\nhelp: try y", "error: cannot find x"),
    ],
)
def test_the_line_that_says_what_went_wrong(output: str, line: str) -> None:
    assert find_error_line(output) == line
