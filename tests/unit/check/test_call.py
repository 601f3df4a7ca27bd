"""Tool calls before they run: the files as they are to be, in the words of several clients."""

import pytest

from holdfast.check.file_change import ProposedFile
from holdfast.check.tool_call import find_call_installs, find_written_files

FILES = {"requirements.txt": "rich\n", "src/a.py": "import os\nx = 1\n"}
PATCH = """\
*** Begin Patch
*** Update File: requirements.txt
@@
 rich
+urwid
*** Add File: new.py
+import urwid
*** End Patch"""


def changes(given: object, cwd: str = "/w") -> dict[str, ProposedFile]:
    return {change.path: change for change in find_written_files(given, cwd, "/w", FILES.get)}


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": "/w/requirements.txt", "content": "rich\nurwid\n"},
        {"file_path": "requirements.txt", "old_string": "rich\n", "new_string": "rich\nurwid\n"},
        {"path": "requirements.txt", "edits": [{"old_string": "rich", "new_string": "rich\nurwid"}]},
        {"command": "echo urwid >> requirements.txt"},
        {"command": "cat > requirements.txt <<'EOF'\nrich\nurwid\nEOF"},
        {"command": "cat >> requirements.txt << EOF\nurwid\nEOF\n"},
        {"command": ["bash", "-lc", "printf 'urwid\\n' >> requirements.txt"]},
        {"command": ["apply_patch", PATCH]},
        {"input": PATCH},
        PATCH,
    ],
)
def test_a_write_in_any_form_adds_the_line(given: object) -> None:
    change = changes(given)["requirements.txt"]

    assert change.after is not None
    assert change.after.split() == ["rich", "urwid"]
    assert (change.before, change.added, change.new) == ("rich\n", frozenset({2}), False)


def test_a_new_file_of_a_patch() -> None:
    assert changes(PATCH)["new.py"].new
    assert changes(PATCH)["new.py"].after == "import urwid\n"


def test_paths_count_from_where_the_call_is_made_and_only_inside() -> None:
    assert set(changes({"file_path": "b.py", "content": ""}, "/w/src")) == {"src/b.py"}
    for outside in ("/etc/passwd", "../x", "", "a\0b", "~/.ssh/config", "$HOME/x"):
        assert changes({"file_path": outside, "content": "x"}) == {}


@pytest.mark.parametrize(
    "given",
    [
        None, 3, [], {"file_path": 3, "content": "x"}, {"file_path": "requirements.txt"}, {"content": "x"},
        {"file_path": "requirements.txt", "old_string": "absent", "new_string": "y"},
        {"file_path": "a", "content": "x" * 2_000_001}, {"edits": "x", "files": 3}, {"command": "ls > "},
    ],
)  # fmt: skip
def test_odd_calls_write_nothing(given: object) -> None:
    assert changes(given) == {}


def test_what_a_call_installs() -> None:
    assert [each.name for each in find_call_installs({"command": "pip install urwid"})] == ["urwid"]
    assert [each.name for each in find_call_installs({"command": ["bash", "-c", "npm i left-pad"]})] == ["left-pad"]
    assert find_call_installs({"file_path": "x", "content": "pip install urwid"}) == ()
