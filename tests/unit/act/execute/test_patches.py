"""Patches in both forms: applied whole, or not at all."""

import difflib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.unit.act.execute.hands import executor, one, tree

from holdfast.act.execute.patches import BadPatch, apply_hunks, read_patch

UNIFIED = """\
diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -4,2 +4,3 @@ import os
 def main():
-    return 1
+    # two
+    return 2
diff --git a/new/x.sh b/new/x.sh
new file mode 100755
--- /dev/null
+++ b/new/x.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+echo hi
\\ No newline at end of file
diff --git a/README.md b/docs/README.md
similarity index 100%
rename from README.md
rename to docs/README.md
"""
CODEX = """\
*** Begin Patch
*** Update File: src/app.py
@@ def main():
-    return 1
+    return 2
*** Add File: new/x.txt
+hello
+
+there
*** Delete File: README.md
*** End Patch
"""


def test_a_unified_diff_changes_adds_and_moves(root: Path) -> None:
    result = one(executor(root), "patch", patch=UNIFIED)

    assert not result.failed, result.text
    assert (root / "src/app.py").read_text().endswith("    # two\n    return 2\n")
    assert (root / "new/x.sh").read_bytes() == b"#!/bin/sh\necho hi"
    assert (root / "new/x.sh").stat().st_mode & 0o100
    assert (root / "docs/README.md").read_text() == "# A project\n"
    assert not (root / "README.md").exists()


def test_the_other_form_changes_adds_and_deletes(root: Path) -> None:
    result = one(executor(root), "patch", patch=CODEX)

    assert not result.failed, result.text
    assert "return 2" in (root / "src/app.py").read_text()
    assert (root / "new/x.txt").read_text() == "hello\n\nthere\n"
    assert not (root / "README.md").exists()


def test_a_file_is_moved_and_changed_at_once(root: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: README.md\n*** Move to: R.md\n@@\n-# A project\n+# B\n*** End Patch"

    assert not one(executor(root), "patch", patch=patch).failed

    assert (root / "R.md").read_text() == "# B\n"
    assert not (root / "README.md").exists()


def test_line_ends_of_the_file_stay(root: Path) -> None:
    (root / "x").write_bytes(b"a\r\nb\r\nc\r\n")
    patch = "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"

    assert not one(executor(root), "patch", patch=patch).failed

    assert (root / "x").read_bytes() == b"a\r\nB\r\nc\r\n"


@pytest.mark.parametrize(
    "second",
    [
        "*** Update File: src/app.py\n@@\n-not there\n+x",
        "*** Delete File: ../secret",
        "*** Add File: /etc/holdfast-test\n+x",
        "*** Add File: src/app.py\n+x",
        "*** Update File: .git/config\n@@\n-a\n+b",
        "*** Update File: README.md\n*** Move to: ../../out\n@@\n-# A project\n+x",
        "*** Delete File: gone",
        "*** Frobnicate File: x",
        "*** Add File: link/x\n+x",
    ],
)
def test_nothing_is_changed_where_one_part_cannot_be(root: Path, second: str) -> None:
    (root.parent / "secret").write_text("s")
    (root / "link").symlink_to(root.parent)
    before = tree(root.parent)
    first = "*** Add File: first\n+x"

    result = one(executor(root), "patch", patch=f"*** Begin Patch\n{first}\n{second}\n*** End Patch")

    assert result.failed
    assert tree(root.parent) == before


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n",
        "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n?a\n",
        "*** Begin Patch\n*** Add File: x\n+a\n",
        "*** Begin Patch\n*** Add File: x\nno plus\n*** End Patch",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
        "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
    ],
)
def test_what_is_no_patch_is_said(text: str) -> None:
    with pytest.raises(BadPatch):
        read_patch(text)


lines = st.lists(st.sampled_from(["a", "b", "c", "", "  d", "-e", "+f"]), max_size=12)


@settings(max_examples=examples(200), deadline=None)
@given(old=lines, new=lines, context=st.integers(0, 4), bare=st.tuples(st.booleans(), st.booleans()))
def test_every_diff_leads_from_one_text_to_the_other(
    old: list[str], new: list[str], context: int, bare: tuple[bool, bool]
) -> None:
    before, after = (
        "\n".join(held) + ("" if no_end or not held else "\n") for held, no_end in ((old, bare[0]), (new, bare[1]))
    )
    made = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(_lines(before), _lines(after), "a/x", "b/x", n=context)
    )
    if not made:
        return

    [patch] = read_patch(made)

    assert apply_hunks(before, patch) == after


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
