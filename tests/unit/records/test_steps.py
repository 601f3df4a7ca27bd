"""What a tool call tells: files, checks, and how it went."""

from typing import Any

import pytest

from holdfast.core.tool_text import text_of
from holdfast.records.tool_steps import check_kind, step_of

WORKSPACE = "/home/dev/proj"


def step(tool: str, given: Any, output: Any = "", name: str = "after_tool") -> Any:
    return step_of({"tool": tool, "input": given, "output": output}, name, "e", "t", WORKSPACE)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("pytest -q tests", "test"),
        ("python -m pytest", "test"),
        (".venv/bin/pytest", "test"),
        ("cargo test --all", "test"),
        ("cargo build", "build"),
        ("cargo clippy", "build"),
        ("go test ./...", "test"),
        ("npm test", "test"),
        ("npm run test:unit", "test"),
        ("npm run build", "build"),
        ("make lint", "lint"),
        ("./do test", "test"),
        ("ruff check src", "lint"),
        ("mypy src", "types"),
        ("npx tsc --noEmit", "types"),
        ("npm run test", "test"),
        ("yarn run lint", "lint"),
        ("bundle exec rspec", "test"),
        ("docker compose run app pytest -q", "test"),
        ("php artisan test", "test"),
        ("docker ps", ""),
        ("tsc --noEmit", "types"),
        ("ls tests", ""),
        ("npm install", ""),
        ("git commit -m test", ""),
        ("cat pytest.ini", ""),
        ("ruff format", ""),
        ("", ""),
    ],
)
def test_a_check_is_told_by_its_program_and_words(command: str, kind: str) -> None:
    assert check_kind(command) == kind


def test_a_check_is_found_behind_what_starts_it() -> None:
    assert step("Bash", {"command": "cd api && timeout 60 uv run pytest -q"}).check == "test"


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("3 passed in 0.1s", False),
        ("1 failed, 3 passed", True),
        ("0 failed, 3 passed", False),
        ("FAILED (errors=1)", True),
        ("Tests:       2 failed, 3 passed, 5 total", True),
        ("Tests:       5 passed, 5 total", False),
        ("--- FAIL: TestX", True),
        ("error: could not compile `x`", True),
        ("Output: …\nExit Code: 1", True),
        ("Exit Code: 0\n1 failed is printed by the program", False),
    ],
)
def test_a_checks_output_says_how_it_went(output: str, failed: bool) -> None:
    assert step("run_shell_command", {"command": "npm test"}, {"llmContent": output}).failed is failed


def test_a_client_that_tells_failures_by_the_event_is_believed() -> None:
    data = {"tool": "Bash", "input": {"command": "ruff check --fix ."}, "output": "Found 2 errors (2 fixed)."}

    assert not step_of(data, "after_tool", "e", "t", WORKSPACE, "claude-code").failed


@pytest.mark.parametrize(
    ("command", "failed"),
    [
        ("pytest", False),
        ("cd app && pytest -q", False),
        ("pytest -q 2>&1 | tail -5", True),
        ("pytest || true", True),
        ("npm test; true", True),
        ("pytest && echo good; date", True),
        ("pytest -q;", False),
    ],
)
def test_a_check_whose_status_was_lost_is_told_by_its_output(command: str, failed: bool) -> None:
    data = {"tool": "Bash", "input": {"command": command}, "output": {"stdout": "1 failed, 3 passed", "stderr": ""}}

    assert step_of(data, "after_tool", "e", "t", WORKSPACE, "claude-code").failed is failed


def test_words_about_a_status_inside_the_output_are_none() -> None:
    assert not step("Bash", {"command": "pytest"}, "a\nb\ntest that exit status 2 is told ok\nc\nd\n5 passed").failed


def test_words_of_failure_in_the_output_of_something_else_say_nothing() -> None:
    assert not step("Bash", {"command": "cat notes.md"}, "1 failed, AssertionError").failed


def test_a_tool_that_the_client_says_failed_did() -> None:
    assert step("Read", {"file_path": "x"}, "", "tool_failed").failed


@pytest.mark.parametrize(
    ("tool", "given", "files"),
    [
        ("Edit", {"file_path": f"{WORKSPACE}/src/a.py", "new_string": "x"}, ("src/a.py",)),
        ("write_file", {"file_path": "src/a.py", "content": "x"}, ("src/a.py",)),
        ("apply_patch", {"command": "*** Begin Patch\n*** Update File: src/b.py\n@@\n*** End Patch"}, ("src/b.py",)),
        ("Read", {"file_path": f"{WORKSPACE}/src/a.py"}, ()),
        ("Write", {"file_path": f"{WORKSPACE}/.holdfast/x.md", "content": "x"}, ()),
    ],
)
def test_the_files_of_the_workspace_that_a_call_changed(tool: str, given: Any, files: tuple[str, ...]) -> None:
    assert step(tool, given).files == files


def test_what_is_written_elsewhere_is_no_change_of_the_workspace() -> None:
    found = step("Write", {"file_path": "/tmp/plan.md", "content": "x"})

    assert (found.files, found.outside) == ((), ("/tmp/plan.md",))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"content": [{"text": "a"}], "isError": False}, "a"),
        ({"llmContent": "a", "returnDisplay": "b"}, "b"),
        (None, ""),
        (7, ""),
    ],
)
def test_the_words_in_what_a_tool_gave_back(value: Any, text: str) -> None:
    assert text_of(value) == text
