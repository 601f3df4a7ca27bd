"""`holdfast status --badge`: what waits, for a prompt or a status line."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import LONG

ENTRY = "from holdfast.cli.entry import main; main()"


def quick(folder: Path, *words: str, stdin: str = "") -> str:
    """The console script's own way."""
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, "status", "--badge", *words], cwd=folder, input=stdin, capture_output=True,
        text=True, timeout=LONG,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_counts_what_waits_and_follows_every_change(holdfast: Any, folder: Path) -> None:
    assert quick(folder) == ""
    ids = [holdfast("propose", "learning", f"Thing {n} is so", "--json").json["id"] for n in range(3)]
    assert quick(folder) == "3 to review\n"

    holdfast("reject", ids[0], "--because", "wrong")
    assert quick(folder) == "2 to review\n"
    holdfast("accept", ids[1])
    assert quick(folder / ".holdfast") == "1 to review\n"
    assert holdfast("status", "--badge", "--json").json == {
        "workspace": str(folder), "waiting": 1, "more": False, "conflicts": 0, "text": "1 to review",
    }  # fmt: skip
    assert len(holdfast("list", "--candidates", "--json").json["candidates"]) == 1


def test_a_settled_folder_is_counted_once(holdfast: Any, folder: Path) -> None:
    holdfast("propose", "learning", "Thing is so")
    time.sleep(2.1)
    assert quick(folder) == "1 to review\n"
    kept = folder / ".holdfast/state/badge"
    kept.write_text(kept.read_text().replace("\n1\n", "\n7\n"))

    assert quick(folder) == "7 to review\n"
    holdfast("propose", "learning", "Another thing is so")
    assert quick(folder) == "2 to review\n"


@pytest.mark.parametrize("said", ["", "no json", "[]", '{"workspace": 3}', '{"cwd": "rel"}', "{" * 9999])
def test_whatever_claude_says_a_line_comes_and_no_error(holdfast: Any, folder: Path, said: str) -> None:
    holdfast("propose", "learning", "Thing is so")

    assert quick(folder, "--claude", stdin=said) == "1 to review\n"


def test_claudes_status_line_is_about_claudes_project(holdfast: Any, folder: Path, tmp_path: Path) -> None:
    holdfast("propose", "learning", "Thing is so")
    said = json.dumps({"cwd": "/", "workspace": {"current_dir": "/", "project_dir": str(folder)}})

    assert quick(tmp_path, "--claude", stdin=said) == "1 to review\n"
    assert holdfast("status", "--badge", "--claude", stdin=said, at=tmp_path).out == "1 to review\n"


def test_outside_a_workspace_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert quick(tmp_path) == ""


def test_links_and_odd_files_count_for_nothing(holdfast: Any, folder: Path, tmp_path: Path) -> None:
    holdfast("propose", "learning", "Thing is so")
    candidates = folder / ".holdfast/candidates"
    [real] = candidates.glob("CAND-*.md")
    (candidates / "CAND-LINK.md").symlink_to(real)
    os.mkfifo(candidates / "CAND-PIPE.md")
    (candidates / "CAND-ODD.md").write_bytes(b"\xff\xfe---\nstatus: candidate\n")
    (candidates / "CAND-BODY.md").write_text("---\nid: x\nstatus: rejected\n---\nstatus: candidate\n")

    assert quick(folder) == "1 to review\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_snippet(bare: Any, shell: str) -> None:
    assert "holdfast status --badge" in bare("status", "--badge", "--shell", shell).out


def test_bash_shows_the_badge_before_its_prompt(holdfast: Any, folder: Path) -> None:
    holdfast("propose", "learning", "Thing is so")
    snippet = holdfast("status", "--badge", "--shell", "bash").out
    script = f"PS1='$ '\n{snippet}\nprintf '%s' \"${{PS1@P}}\""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=LONG)

    assert done.stdout == "[1 to review] $ "


def test_the_quick_way_loads_next_to_nothing(holdfast: Any, folder: Path) -> None:
    holdfast("propose", "learning", "Thing is so")
    code = (
        "import sys; sys.argv = ['holdfast', 'status', '--badge']\nimport atexit\n"
        "atexit.register(lambda: print(sorted(sys.modules), file=sys.stderr))\n"
        "from holdfast.cli.entry import main\nmain()"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=folder, capture_output=True, text=True, timeout=LONG,
    )  # fmt: skip

    assert done.stdout == "1 to review\n"
    for module in ("argparse", "json", "apsw", "yaml", "holdfast.workspace", "holdfast.cli.main"):
        assert f"'{module}'" not in done.stderr, module
