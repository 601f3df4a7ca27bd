"""Whether a client was used in a workspace: its own session files tell. Looked at, bounded, and never written."""

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256

from holdfast.system.peek import find_newer_files, list_names, peek_file, read_json_object

SLUG = 200
HEAD = 64 * 1024
MOST_FILES = 20
DAYS = 3
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]")
_CWD = re.compile(r'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')

Trace = tuple[float, str]


def find_last_use(client: str, places: Mapping[str, str], since: float) -> float:
    """When a client last worked in the workspace after a time, by its own files; 0.0 when nothing shows it."""
    traces = TRACED[client](places["client"], places["workspace"], since)
    newest = sorted(traces, reverse=True)[:MOST_FILES]
    inside = (at for at, path in newest if client == "gemini" or _was_inside(path, places["workspace"]))
    return next(inside, 0.0)


def make_project_slug(folder: str) -> str:
    """A folder's name below Claude Code's `projects/`. Other folders may have the same; long ones are cut."""
    return _NOT_PLAIN.sub("-", unicodedata.normalize("NFC", os.path.realpath(folder)))[:SLUG]


def find_claude_sessions(folder: str, workspace: str, since: float = 0.0) -> Iterator[Trace]:
    """Claude Code's transcripts of a workspace and of folders below it, and of some with a like name."""
    projects, start = os.path.join(folder, "projects"), make_project_slug(workspace)
    for name in list_names(projects):
        if name == start or name.startswith(f"{start}-"):
            yield from find_newer_files(os.path.join(projects, name), (".jsonl",), since)


def find_gemini_folders(folder: str, workspace: str) -> list[str]:
    """The folders below `tmp/` in which Gemini CLI keeps what belongs to a workspace."""
    known = read_json_object(os.path.join(folder, "projects.json")).get("projects")
    named = known.get(workspace) if isinstance(known, dict) else None
    hashed = sha256(workspace.encode("utf-8", "surrogateescape")).hexdigest()
    return [name for name in (named, hashed) if isinstance(name, str) and "/" not in name and name.strip(".")]


def _codex(folder: str, workspace: str, since: float) -> Iterator[Trace]:
    del workspace  # Only the files themselves say where they belong.
    for day in _list_newest_days(os.path.join(folder, "sessions")):
        yield from find_newer_files(day, (".jsonl",), since)


def _gemini(folder: str, workspace: str, since: float) -> Iterator[Trace]:
    for name in find_gemini_folders(folder, workspace):
        yield from find_newer_files(os.path.join(folder, "tmp", name, "chats"), (".json", ".jsonl"), since)


def _list_newest_days(folder: str, levels: int = 3) -> list[str]:
    """The newest of the folders YYYY/MM/DD."""
    if not levels:
        return [folder]
    found: list[str] = []
    for name in reversed([name for name in list_names(folder) if name.isdigit()]):
        found += _list_newest_days(os.path.join(folder, name), levels - 1)
        if len(found) >= DAYS:
            break
    return found[:DAYS]


def _was_inside(path: str, workspace: str) -> bool:
    """Whether the session in a file ran in the workspace: it says so near its beginning."""
    seen = peek_file(path, HEAD)
    said = _CWD.search(seen.text) if seen else None
    try:
        cwd = os.path.realpath(json.loads(said[1])) if said else ""
    except ValueError:
        return False
    return cwd == workspace or cwd.startswith(workspace + os.sep)


TRACED: Mapping[str, Callable[[str, str, float], Iterator[Trace]]] = {
    "claude-code": find_claude_sessions,
    "codex": _codex,
    "gemini": _gemini,
}
