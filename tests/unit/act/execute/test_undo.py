"""A run taken back: exactly, all or nothing, after a kill too; and told as a diff."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import RUN, call, done, executor, tree
from tests.waiting import wait_for, waiting_for

from holdfast.act.execute import tree_sums as trees
from holdfast.act.execute.edit_log import BadRun, StillRuns
from holdfast.act.execute.undo_run import CannotRestore, FilesChangedSince, RunChangedNothing, diff_run, undo_run
from holdfast.core.run import Task
from holdfast.system.safe_fs import LARGEST

CHANGES = (
    call("edit", path="src/app.py", old_string="return 1", new_string="return 2"),
    call("write", path="new/deep/x.txt", content="hello\n"),
    call("patch", patch="*** Begin Patch\n*** Delete File: README.md\n*** End Patch"),
    call(
        "run", command="mkdir empty; chmod 700 src; mv src/app.py src/b.py; ln -s src link; echo é > ünder; touch -- -x"
    ),
    call("run", command="rm -rf new; printf 'a\\0b' > binary"),
)


def lines(root: Path) -> list[dict[str, object]]:
    text = (root / ".holdfast/runs" / RUN / "edits.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_all_that_a_run_did_is_taken_back(root: Path) -> None:
    (root / "kept").mkdir(mode=0o750)
    before = tree(root)
    results = done(executor(root), *CHANGES, task=Task(id="t1", description=""))

    undone = undo_run(str(root), RUN)

    assert not any(result.failed for result in results), results
    assert tree(root) == before
    assert {"src/app.py", "src/b.py", "README.md", "empty", "link", "binary", "-x"} <= set(undone.restored)
    assert undone.left == ()
    with pytest.raises(RunChangedNothing, match="undone already"):
        undo_run(str(root), RUN)


def test_a_run_can_go_on_after_it_was_undone(root: Path) -> None:
    before = tree(root)
    done(executor(root), CHANGES[0])
    undo_run(str(root), RUN)
    done(executor(root), CHANGES[1], call("write", path="src/app.py", content="again\n"))

    undo_run(str(root), RUN)

    assert tree(root) == before


def test_what_somebody_changed_since_stops_it_and_is_named(root: Path) -> None:
    done(executor(root), CHANGES[0], CHANGES[1])
    (root / "src/app.py").write_text("mine\n")
    (root / "new/deep/own").write_text("mine too\n")
    before = tree(root)

    with pytest.raises(FilesChangedSince) as error:
        undo_run(str(root), RUN)

    assert error.value.paths == ("new/deep/own", "src/app.py")
    assert tree(root) == before
    undo_run(str(root), RUN, force=True)
    assert "return 1" in (root / "src/app.py").read_text()
    assert not (root / "new").exists()


def test_what_somebody_changed_in_between_stops_it_too(root: Path) -> None:
    done(executor(root), CHANGES[0])
    (root / "src/app.py").write_text("theirs\n")
    done(executor(root), call("write", path="src/app.py", content="ours\n"))

    with pytest.raises(FilesChangedSince):
        undo_run(str(root), RUN)


def test_what_others_changed_is_left_alone(root: Path) -> None:
    done(executor(root), CHANGES[1])
    (root / "README.md").write_text("mine\n")

    undo_run(str(root), RUN)

    assert (root / "README.md").read_text() == "mine\n"
    assert not (root / "new").exists()


def test_caches_that_commands_make_go_and_ignored_folders_stay_out_of_it(root: Path) -> None:
    (root / ".gitignore").write_text("/data/\n/out/\n")
    (root / "data").mkdir()
    (root / "data/mine").write_text("1")
    before = tree(root)
    done(
        executor(root),
        call("write", path="pkg/a.py", content="x = 1\n"),
        call("run", command="mkdir -p pkg/__pycache__ out/x; touch pkg/__pycache__/a.pyc out/x/y; echo 1 >> data/mine"),
        call("run", command="echo > .gitignore"),
        call("run", command="true"),
    )

    undo_run(str(root), RUN)

    after = tree(root)
    assert (root / "data/mine").read_text() == "11\n"
    assert {**after, "data/mine": before["data/mine"]} == before


def test_what_a_tool_changes_in_a_folder_that_commands_are_not_followed_into_is_undone(root: Path) -> None:
    (root / ".gitignore").write_text("/out/\n")
    for name in ("node_modules/x.js", "out/y.js"):
        (root / name).parent.mkdir()
        (root / name).write_text("old\n")
    before = tree(root)
    done(
        executor(root),
        call("run", command="true"),
        call("write", path="node_modules/x.js", content="new\n"),
        call("write", path="out/y.js", content="new\n"),
        call("write", path="out/z/new.js", content="new\n"),
        call("run", command="true"),
    )

    undo_run(str(root), RUN)

    assert tree(root) == before


def test_a_file_too_large_to_keep_is_named(root: Path) -> None:
    (root / "large").write_bytes(b"x" * (LARGEST + 1))
    done(executor(root), CHANGES[0], call("run", command="echo y >> large"))

    with pytest.raises(CannotRestore) as error:
        undo_run(str(root), RUN)

    assert error.value.paths == ("large",)
    assert "return 2" in (root / "src/app.py").read_text()
    assert undo_run(str(root), RUN, force=True).left == ("large",)
    assert "return 1" in (root / "src/app.py").read_text()


def test_a_tree_too_large_to_look_through_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_ENTRIES", 2)
    for number in range(5):
        (root / f"f{number}").touch()

    done(executor(root), CHANGES[0], call("run", command="rm f1"))

    assert "commands in it cannot be undone" in undo_run(str(root), RUN).notes[0]
    assert not (root / "f1").exists()


@pytest.mark.parametrize("run", ["../x", "", "a/b", ".."])
def test_no_name_leads_out(root: Path, run: str) -> None:
    with pytest.raises(BadRun):
        undo_run(str(root), run)


def test_a_run_without_a_log_is_said(root: Path) -> None:
    with pytest.raises(RunChangedNothing, match="no edit log"):
        undo_run(str(root), "run-x")
    assert not (root / ".holdfast/runs/run-x").exists()


def test_a_run_that_goes_on_is_shown_and_not_undone(root: Path) -> None:
    hands = executor(root)
    asyncio.run(hands.call(CHANGES[0]))

    with pytest.raises(StillRuns):
        undo_run(str(root), RUN)

    assert "+    return 2" in diff_run(str(root), RUN)
    assert diff_run(str(root), RUN) == hands.diff()
    asyncio.run(hands.close())


def test_the_diff_of_a_run(root: Path) -> None:
    done(executor(root), *CHANGES[:3])

    text = diff_run(str(root), RUN)

    assert "--- a/src/app.py\n+++ b/src/app.py\n" in text
    assert "-    return 1\n+    return 2\n" in text
    assert "--- /dev/null\n+++ b/new/deep/x.txt\n@@ -0,0 +1 @@\n+hello\n" in text
    assert "--- a/README.md\n+++ /dev/null\n" in text


def test_the_log_is_private_and_holds_no_secret_of_a_command(root: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    done(executor(root), CHANGES[0], call("run", command=f"echo {secret} > /dev/null"))

    folder = root / ".holdfast/runs" / RUN
    assert secret not in (folder / "edits.jsonl").read_text()
    assert (folder / "edits.jsonl").stat().st_mode & 0o077 == 0
    assert all(blob.stat().st_mode & 0o077 == 0 for blob in (folder / "blobs").iterdir())
    assert not (folder / "base.bin").exists()
    assert not (folder / "base.jsonl").exists()


def test_a_torn_line_is_of_a_change_that_was_never_made(root: Path) -> None:
    before = tree(root)
    done(executor(root), CHANGES[0])
    with open(root / ".holdfast/runs" / RUN / "edits.jsonl", "a") as log:
        log.write('{"v":1,"n":99,"kind":"chan')
    done(executor(root), CHANGES[1])

    undo_run(str(root), RUN)

    assert tree(root) == before


KILLED = """
import asyncio, sys
sys.path[:0] = ["src", "."]
from pathlib import Path
from tests.unit.act.execute.hands import call, executor

async def work():
    hands = executor(Path(sys.argv[1]))
    await hands.call(call("edit", path="src/app.py", old_string="return 1", new_string="return 2"))
    script = "rm README.md; mkdir made; echo x > made/x; touch " + sys.argv[2] + "; sleep 60"
    await hands.call(call("run", command=script))

asyncio.run(work())
"""


def test_a_command_that_was_cut_short_with_its_run_is_undone(root: Path, tmp_path: Path) -> None:
    before = tree(root)
    sign = tmp_path / "sign"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(root), str(sign)])
    wait_for(lambda: sign.exists() or process.poll() is not None, "the command's sign")
    assert process.poll() is None

    process.send_signal(signal.SIGKILL)
    process.wait()
    undo_run(str(root), RUN)

    assert tree(root) == before


EDITING = """
import asyncio, sys
sys.path[:0] = ["src", "."]
from pathlib import Path
from tests.unit.act.execute.hands import call, executor

async def work():
    hands = executor(Path(sys.argv[1]))
    number = 0
    while True:
        number += 1
        text = f"{number}\\n" * 5000
        await hands.call(call("write", path="src/app.py", content=text))
        if number == 1:
            # From here on there is something to undo.
            print("begun", flush=True)
        await hands.call(call("write", path=f"d{number % 7}/x{number % 3}", content=text))
        name = f"d{number % 7}/x{number % 3}"
        await hands.call(call("patch", patch=f"*** Begin Patch\\n*** Delete File: {name}\\n*** End Patch"))

asyncio.run(work())
"""


@pytest.mark.parametrize("seconds", [0.05, 0.13, 0.31, 0.57, 0.9])
def test_a_kill_at_any_moment_leaves_whole_files_and_an_exact_undo(root: Path, seconds: float) -> None:
    before = tree(root)
    process = subprocess.Popen([sys.executable, "-c", EDITING, str(root)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)

    process.kill()
    process.wait()
    process.stdout.close()

    text = (root / "src/app.py").read_text()
    assert len(set(text.splitlines())) == 1 or text.startswith("import os")
    undo_run(str(root), RUN)
    assert tree(root) == before


def test_two_runs_in_one_workspace_keep_their_changes_apart(root: Path, tmp_path: Path) -> None:
    before = tree(root)
    other = f"{RUN}2"

    begun, go = tmp_path / "begun", tmp_path / "go"
    waits = f"touch {begun}; until [ -e {go} ]; do sleep 0.02; done; echo by one > one.txt"

    async def work() -> None:
        one, two = executor(root), executor(root, run=other)
        command = asyncio.create_task(one.call(call("run", command=waits)))
        await waiting_for(begun.exists, "the command to begin")
        await two.call(call("write", path="two.txt", content="by two\n"))
        await two.call(call("edit", path="src/app.py", old_string="return 1", new_string="return 2"))
        go.touch()
        await command
        await one.close()
        await two.close()

    asyncio.run(work())

    assert undo_run(str(root), RUN).restored == ("one.txt",)
    assert (root / "two.txt").read_text() == "by two\n"
    undo_run(str(root), other)
    assert tree(root) == before


def test_rows_name_what_they_are_of(root: Path) -> None:
    done(executor(root), CHANGES[0], task=Task(id="t9", description=""))

    [row] = [row for row in lines(root) if row["kind"] == "change"]
    assert (row["v"], row["path"], row["task"], row["tool"], row["call"]) == (1, "src/app.py", "t9", "edit", "c1")
    assert os.path.exists(root / ".holdfast/runs" / RUN / "blobs" / row["before"]["sha256"])  # type: ignore[index]  # JSON
