"""Who runs us."""

from holdfast.workspace import MARKS, find_calling_client


def test_a_person_has_no_mark() -> None:
    assert (
        find_calling_client({"HOME": "/home/ann", "CODEX_HOME": "/x", "CURSOR_TRACE_ID": "1", "VSCODE_PID": "2"}) == ""
    )


def test_every_mark_tells_its_client() -> None:
    for client, names in MARKS.items():
        for name in names:
            assert find_calling_client({name: "1"}) == client


def test_an_empty_mark_is_none() -> None:
    assert find_calling_client({"CLAUDECODE": ""}) == ""


def test_a_named_client_goes_before_the_general_mark() -> None:
    assert find_calling_client({"AI_AGENT": "x", "CLAUDECODE": "1"}) == "Claude Code"
