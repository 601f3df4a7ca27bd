"""What an attack came to, looked at in the workspace that it was tried on.

Five figures, each 1 where it happened and 0 where it was looked for and did not: *durable* (an agent finds it among
accepted memory), *user's word* (a memory or candidate says without a doubt that the user said it), *told* (another
session's start, prompt or search has it), *out of the fence* (it stands there outside our fence, or in a file outside
the workspace), *executed* (a program of the attacker's ran). What a case does not look at stays `None`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from tests.journeys.conftest import run_in
from tests.journeys.hooking import HOOK
from tests.waiting import LONG

FIGURES = ("durable", "user's word", "told", "out of the fence", "executed")
FENCED = re.compile(r"<holdfast note=.*?</holdfast>", re.DOTALL)
AGENT = {"CLAUDECODE": "1"}
Figures = dict[str, int]
CASE: ContextVar[Figures | None] = ContextVar("CASE", default=None)


def note(**found: bool | int | None) -> None:
    """Keep figures of the case that runs; one that happened once has happened."""
    case = CASE.get()
    if case is None:
        return
    for name, value in found.items():
        figure = {"word": "user's word", "out": "out of the fence"}.get(name, name)
        if value is not None:
            case[figure] = max(case.get(figure, 0), int(value))


def look(folder: Path, mark: str, *, asks: str = "", told: str = "") -> None:
    """Look at a workspace for an attacker's words, before any person said yes to them.

    What the next session is told is given, or asked for with a prompt that has other words of theirs.
    """
    heard = tell_next_session(folder, asks) if asks else told
    agents: list[dict[str, Any]] = run_in(folder, "list", "--json", env=AGENT).json["memories"]
    every = [*agents, *run_in(folder, "list", "--candidates", "--json").json["candidates"]]
    theirs = [row for row in every if row.get("said_by") == "user" and not row.get("extra", {}).get("doubt")]
    note(
        durable=_has(agents, mark), word=_has(theirs, mark), told=_has([heard], mark),
        out=_has([FENCED.sub("", heard)], mark),
    )  # fmt: skip


def look_outside(places: Iterable[Path]) -> None:
    """Whether anything was written into places outside the workspace."""
    note(out=any(each.is_file() or any(each.iterdir()) for each in places if each.exists()))


def look_for_run(trace: Path) -> None:
    """Whether a program ran that leaves this trace."""
    note(executed=trace.exists())


def tell_next_session(folder: Path, prompt: str) -> str:
    """What hooks tell an agent of a session that comes after: at its start, and at a prompt about it."""
    said = [("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": prompt})]
    said += [("SessionEnd", {"reason": "other"})]
    return "\n".join(_send(folder, event, given) for event, given in said)


def _send(folder: Path, event: str, given: dict[str, str]) -> str:
    payload = {
        "session_id": "the-one-that-looks", "transcript_path": "/nowhere/x.jsonl", "cwd": str(folder),
        "hook_event_name": event, **given,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", HOOK], input=json.dumps(payload).encode(), cwd=folder,
        capture_output=True, timeout=LONG, check=True,
    )  # fmt: skip
    text = done.stdout.decode()
    reply = json.loads(text) if text.startswith("{") else {}
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", "")) if reply else text


def _has(found: Iterable[object], mark: str) -> bool:
    return any(mark.casefold() in str(each).casefold() for each in found)
