"""What hooks of others told Claude Code of late: its transcripts keep what each hook printed, and by which command."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.clients.client_traces import find_claude_sessions
from holdfast.clients.other_instructions import CLAUDE_MEM, PROMPT, START, TOOL, InstructionSource, estimate_tokens
from holdfast.system.peek import peek_file

SESSIONS = 3
HEAD = 1024 * 1024
# Longer words of a hook reach the model as a preview.
LONGEST, PREVIEW = 10_000, 2048
WHEN = {"SessionStart": START, "UserPromptSubmit": PROMPT}


def find_hook_outputs(folder: str, workspace: str, ours: str) -> list[InstructionSource]:
    """The voices of other hooks in the newest sessions of a workspace; `ours` tells our own command."""
    newest = sorted(find_claude_sessions(folder, workspace), reverse=True)[:SESSIONS]
    heard: dict[tuple[str, str], list[int]] = {}
    for _, path in newest:
        for command, when, size in _read_outputs(path):
            if ours not in command and "holdfast" not in command:
                who = CLAUDE_MEM if CLAUDE_MEM in command else " ".join(command.split())[:60]
                heard.setdefault((who, when), []).append(size)
    return [_build_source(who, when, sizes) for (who, when), sizes in heard.items()]


def _build_source(who: str, when: str, sizes: list[int]) -> InstructionSource:
    mean, most = estimate_tokens(sum(sizes) // len(sizes)), estimate_tokens(max(sizes))
    name, where = (who, "") if who == CLAUDE_MEM else ("another hook", who)
    return InstructionSource(who=name, clients=("claude-code",), when=when, where=where, tokens=mean, most=most)


def _read_outputs(path: str) -> Iterator[tuple[str, str, int]]:
    """Every hook's words in a transcript: its command, when, and how many characters reached the model."""
    seen = peek_file(path, HEAD)
    for line in seen.text.splitlines() if seen else ():
        if '"hook_success"' not in line:
            continue
        try:
            said = json.loads(line).get("attachment")
        except (ValueError, AttributeError, RecursionError):
            continue
        if isinstance(said, dict) and (size := len(_extract_words(said))):
            when = WHEN.get(str(said.get("hookEvent")), TOOL)
            yield str(said.get("command", "")), when, size if size <= LONGEST else PREVIEW


def _extract_words(said: Mapping[str, Any]) -> str:
    """What of a hook's output the model was given."""
    printed = str(said.get("stdout") or "").strip()
    if not printed.startswith("{"):
        return printed if said.get("hookEvent") in WHEN else ""
    try:
        context = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return context if isinstance(context, str) else ""
