"""Hook processes as clients start them, one for each event."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.waiting import LONG

SOURCE = Path(__file__).parents[2] / "src"
HOOK = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from holdfast.hook.run_hook import main; main()"


class Client:
    """Claude Code in a folder, as far as a hook can tell."""

    def __init__(self, folder: Path, session: str = "d489281d", **env: str) -> None:
        self.folder = folder
        self.session = session
        self.env = {**os.environ, "CLAUDECODE": "1", **env}

    def send(self, event: str, **more: Any) -> str:
        """One event; the words the model gets for it."""
        base = {
            "session_id": self.session, "transcript_path": "/home/dev/.claude/projects/p/x.jsonl",
            "cwd": str(self.folder), "hook_event_name": event, "permission_mode": "default",
        }  # fmt: skip
        out = self.raw(json.dumps(base | more).encode())
        if not out.startswith("{"):
            return out
        return str(json.loads(out)["hookSpecificOutput"].get("additionalContext", ""))

    def raw(self, payload: bytes) -> str:
        """What the hook prints for a payload."""
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", HOOK],
            input=payload, cwd=self.folder, env=self.env, capture_output=True, timeout=LONG,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def start(self, source: str = "startup") -> str:
        """A session begins."""
        return self.send("SessionStart", source=source)

    def says(self, prompt: str) -> str:
        """The user says something."""
        return self.send("UserPromptSubmit", prompt=prompt)

    def edits(self, path: str, **more: Any) -> str:
        """The agent is about to edit a file."""
        return self.send("PreToolUse", tool_name="Edit", tool_input={"file_path": str(self.folder / path)}, **more)

    def runs(self, command: str, **more: Any) -> str:
        """The agent is about to run a command."""
        return self.send("PreToolUse", tool_name="Bash", tool_input={"command": command}, **more)


def injected(folder: Path) -> list[dict[str, Any]]:
    """What the journal says that was told, in order."""
    found = []
    for segment in sorted((folder / ".holdfast/journal").glob("*.jsonl")):
        found += [json.loads(line.split(" ", 3)[3]) for line in segment.read_text().splitlines()]
    return [record["data"] for record in found if record.get("name") == "injected"]
