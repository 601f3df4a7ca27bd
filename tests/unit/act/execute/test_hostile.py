"""Somebody works against us while we work: what is swapped, full, cancelled or raced harms nothing."""

import asyncio
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import RUN, call, done, executor, one, tree

from holdfast.act.execute.undo_run import undo_run

SWAPPING = """
import os, sys
root, outside = sys.argv[1:]
folder, real, link = (os.path.join(root, name) for name in ("folder", "real", "link"))
file, held = os.path.join(root, "file"), os.path.join(root, "held")
print("begun", flush=True)
while True:
    for one, other, target in ((folder, real, outside), (file, held, os.path.join(outside, "secret"))):
        try:
            os.rename(one, other)
            os.symlink(target, one)
            os.unlink(one)
            os.rename(other, one)
        except OSError:
            pass
"""


@pytest.mark.slow
def test_links_swapped_in_a_loop_never_lead_out(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("SECRET\n")
    (root / "folder").mkdir()
    (root / "folder/x").write_text("inside\n")
    (root / "file").write_text("inside\n")
    before = tree(outside)
    process = subprocess.Popen([sys.executable, "-c", SWAPPING, str(root), str(outside)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()

    async def work() -> list[str]:
        hands, said = executor(root), []
        ends, number = time.monotonic() + 4, 0
        while time.monotonic() < ends:
            number += 1
            calls = (
                call("read", path="file"),
                call("read", path="folder/secret"),
                call("write", path="folder/new", content=f"{number}\n"),
                call("edit", path="folder/x", old_string="inside", new_string="inside"),
                call("write", path="file", content=f"inside {number}\n"),
                call("grep", pattern="SECRET"),
                call("list", path="folder"),
                call("patch", patch=f"*** Begin Patch\n*** Add File: folder/p{number}\n+x\n*** End Patch"),
            )
            said += [(await hands.call(each)).text for each in calls]
        await hands.close()
        return said

    try:
        said = asyncio.run(work())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

    assert tree(outside) == before
    assert not any("SECRET" in text for text in said)
    assert any("is a link" in text for text in said)
    assert any(text.startswith(("wrote", "changed")) for text in said)


def test_a_full_disk_leaves_every_file_whole(root: Path) -> None:
    (root / "b").write_text("old b\n")
    before = tree(root)
    patch = (
        "*** Begin Patch\n*** Update File: README.md\n@@\n-# A project\n+# B\n*** Update File: b\n@@\n-old b\n"
        + "".join(f"+{'x' * 90}{number}\n" for number in range(400))
        + "*** End Patch"
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        full, small = done(executor(root), call("patch", patch=patch), call("write", path="c", content="fits\n"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert full.failed
    assert "could not be written" in full.text
    assert not small.failed
    undo_run(str(root), RUN)
    assert tree(root) == before


@pytest.mark.skipif(not os.path.exists("/dev/shm") or os.geteuid() != 0, reason="mounting needs root")
def test_a_disk_that_fills_up_between_two_files_changes_neither(tmp_path: Path) -> None:
    root = tmp_path / "small"
    root.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", root], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        for name in ("a", "b", "c"):
            (root / name).write_text(f"{name}\n")
        before = tree(root)
        new = {name: "\n".join(f"+{name * 99}" for _ in range(2000)) for name in ("a", "b", "c")}
        parts = "\n".join(f"*** Update File: {name}\n@@\n-{name}\n{new[name]}" for name in new)

        result = one(executor(root), "patch", patch=f"*** Begin Patch\n{parts}\n*** End Patch")

        assert result.failed
        assert "No space left" in result.text
        assert tree(root) == before
    finally:
        subprocess.run(["umount", root], check=True)


def test_cancelling_in_the_middle_leaves_whole_files(root: Path) -> None:
    whole = {f"{number}\n" * 3000 for number in range(60)}
    before = tree(root)

    async def work() -> int:
        hands, cancelled = executor(root), 0
        for number in range(60):
            task = asyncio.create_task(hands.call(call("write", path="x", content=f"{number}\n" * 3000)))
            # A write takes milliseconds on a disk, and a part of one in memory.
            await asyncio.sleep(number / (50_000 if number % 2 else 5_000))
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                cancelled += 1
        await hands.close()
        return cancelled

    assert asyncio.run(work()) > 10
    assert not (root / "x").exists() or (root / "x").read_text() in whole
    assert not list(root.rglob(".holdfast-tmp-*"))
    if (root / "x").exists():
        undo_run(str(root), RUN)
    assert tree(root) == before


def test_a_file_that_somebody_saves_meanwhile_is_not_overwritten(root: Path) -> None:
    from holdfast.act.execute.run_trust import ApprovalAnswer, ApprovalRequest
    from holdfast.core.run import Trust

    async def approve(_: ApprovalRequest) -> ApprovalAnswer:
        (root / "README.md").write_text("saved by a person\n")
        return ApprovalAnswer(answer="yes")

    result = one(executor(root, Trust.ASK, approve), "write", path="README.md", content="ours\n")

    assert result.failed
    assert "changed while it was being written" in result.text
    assert (root / "README.md").read_text() == "saved by a person\n"


def test_a_linked_holdfast_folder_is_refused(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / ".holdfast").symlink_to(elsewhere)

    with pytest.raises(Exception, match=r"is no folder of a run|is a link"):
        executor(root)

    assert list(elsewhere.iterdir()) == []


def test_names_that_are_no_text_and_deep_folders_are_undone(root: Path) -> None:
    before = tree(root)
    script = "printf x > \"$(printf 'bad\\377name')\"; printf y > 'new\nline'; mkdir -p " + "d/" * 60 + "; mkfifo pipe"
    result = one(executor(root), "run", command=script)

    undo_run(str(root), RUN)

    assert not result.failed, result.text
    assert tree(root) == before
