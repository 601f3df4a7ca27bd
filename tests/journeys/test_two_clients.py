"""One prompt through two clients: kept twice, read once."""

import json
from pathlib import Path
from typing import Any

WORDS = "Why does the pool run dry?"


def say(holdfast: Any, folder: Path, client: str, prompt: str = WORDS) -> None:
    """A prompt as Claude Code or Cursor sends it."""
    payload: dict[str, Any] = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": str(folder)}
    if client == "cursor":
        payload |= {"conversation_id": "c1", "hook_event_name": "beforeSubmitPrompt", "cursor_version": "3.20.21"}
        payload |= {"workspace_roots": [str(folder)], "generation_id": "g1"}
    else:
        payload |= {"session_id": "s1", "transcript_path": "/home/ann/.claude/projects/p/s1.jsonl"}
    done = holdfast("hook", stdin=json.dumps(payload))
    assert done.status == 0, done.err


def test_a_prompt_through_two_clients_is_one_in_the_timeline_and_two_in_the_journal(
    holdfast: Any, folder: Path
) -> None:
    say(holdfast, folder, "cursor")
    say(holdfast, folder, "claude-code")
    say(holdfast, folder, "claude-code", "And what else?")

    prompts = [item for item in holdfast("timeline", "--json").json["items"] if item.get("name") == "prompt"]
    shown = holdfast("timeline").out

    assert [(item["client"], [also["client"] for also in item["also"]]) for item in prompts] == [
        ("cursor", ["claude-code"]),
        ("claude-code", []),
    ]
    assert shown.count(WORDS) == 1
    assert "[cursor, claude-code] prompt: " in shown
    journal = "".join(path.read_text() for path in (folder / ".holdfast/journal").glob("*.jsonl"))
    assert journal.count(WORDS) >= 2
    echo = prompts[0]["also"][0]["id"]
    [marked] = [line for line in holdfast("timeline", echo).out.splitlines() if " * " in line]
    assert WORDS in marked
