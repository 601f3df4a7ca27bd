"""Who runs us."""

from holdfast.core.agent_marks import MARKS, client_around


def test_a_person_has_no_mark() -> None:
    assert client_around({"HOME": "/home/ann", "CODEX_HOME": "/x", "CURSOR_TRACE_ID": "1", "VSCODE_PID": "2"}) == ""


def test_every_mark_tells_its_client() -> None:
    for client, names in MARKS.items():
        for name in names:
            assert client_around({name: "1"}) == client


def test_an_empty_mark_is_none() -> None:
    assert client_around({"CLAUDECODE": ""}) == ""


def test_a_named_client_goes_before_the_general_mark() -> None:
    assert client_around({"AI_AGENT": "x", "CLAUDECODE": "1"}) == "Claude Code"
