"""What a new session and its prompts are told after so many sessions that nobody reviewed, for a reader to judge.

    python -m bench.distil.starts [--sessions 40] [--prompts 10]

The first sessions of each shared project are harvested and distilled; then the real hook hears the next one begin, and
a prompt of each that follows, at the time they had.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.distil.sessions import ARCHIVES, SHARED, unpack

# Runs the product at another time than now.
AT = """
import sys
from datetime import datetime
import holdfast.workspace as workspace
from holdfast.cli.main import main
at = datetime.fromisoformat(sys.argv.pop(1))
workspace.SystemClock.now = lambda self: at
sys.exit(main())
"""


def inject_after(folder: Path, name: str, count: int, prompts: int) -> Iterator[str]:
    """What the start after `count` sessions is told, then what prompts of later sessions are told."""
    home, workspace, aside = folder / "home", folder / name, folder / "aside"
    for archive, place in ARCHIVES[name].items():
        unpack(Path(SHARED, archive), aside / place)
    files = sorted((first_moment(path), path) for path in aside.rglob("*.jsonl"))
    files = [(moment, path) for moment, path in files if moment]
    for _, path in files[:count]:
        kept = home / path.relative_to(aside)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, kept)
    workspace.mkdir()
    before, after = files[count - 1][0], files[count:]
    run = Runner(home, workspace)
    run(before, "init", "--yes", "--client", "none")
    run(before, "harvest", "--project", f"/home/dev/{name}")
    run(after[0][0], "distil", "--all")
    start = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "after"}
    yield f"# {name}: start after {count} sessions, {after[0][0]}\n{run(after[0][0], 'hook', given=start)}"
    asked = ((moment, prompt) for moment, path in after if (prompt := first_prompt(path)))
    for number, (moment, prompt) in zip(range(prompts), asked, strict=False):
        said = {"hook_event_name": "UserPromptSubmit", "session_id": f"later-{number}", "prompt": prompt}
        yield f"## {name}: {' '.join(prompt.split())[:200]}\n{run(moment, 'hook', given=said)}"


class Runner:
    """The product in one workspace with a home of its own, at a time that is given."""

    def __init__(self, home: Path, workspace: Path) -> None:
        self.workspace = workspace
        off = {"HOLDFAST_DISTIL_AUTO": "false", "HOLDFAST_EMBED_AUTO": "false"}
        self.env = {**os.environ, **off, "HOME": str(home), "HOLDFAST_HOME": str(home / ".holdfast")}

    def __call__(self, moment: str, *words: str, given: dict[str, Any] | None = None) -> str:
        """What a command says."""
        payload = json.dumps({**given, "cwd": str(self.workspace)}) if given else None
        done = subprocess.run(
            [sys.executable, "-c", AT, moment, *words], cwd=self.workspace, env=self.env, input=payload,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout


def first_moment(path: Path) -> str:
    """When a transcript begins."""
    return min((str(row["timestamp"]) for row in read_rows(path) if row.get("timestamp")), default="")


def first_prompt(path: Path) -> str:
    """The first words of the user's in a transcript of Claude Code."""
    for row in read_rows(path):
        said = row.get("message") or {}
        words = said.get("content") if isinstance(said, dict) else ""
        # A client gives a hook a command as it was typed; transcripts hold what it stands for.
        if (
            row.get("type") == "user"
            and isinstance(words, str)
            and words[:1] not in ("", "<")
            and not row.get("isMeta")
        ):
            return words
    return ""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a transcript, without those that are damaged."""
    found: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def main() -> None:
    """Print what was told, project by project."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.distil.starts", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=40, metavar="N", help="harvested before")
    parser.add_argument("--prompts", type=int, default=10, metavar="N", help="of later sessions")
    args = parser.parse_args()
    for name in ARCHIVES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for text in inject_after(Path(folder), name, args.sessions, args.prompts):
                print(text, flush=True)


if __name__ == "__main__":
    main()
