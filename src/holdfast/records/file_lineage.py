"""A file's story: which runs and sessions changed it, for which prompt, by which tool, task and model."""

import json
import os
from collections.abc import Iterator
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.visibility import may_show_events
from holdfast.workspace import App

MOST_RUNS = 2000
LARGEST = 16 * 1024 * 1024
LONGEST_LINE = 64 * 1024


class LineagePathOutside(BadRequest):
    """A path that is not the workspace's."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is not inside this workspace.", "name a file of it.")


class LineageChange(Value):
    """One change of a file."""

    path: str
    what: str
    at: str
    run: str
    session: str
    client: str
    tool: str = ""
    asked: str = ""
    event: str = ""
    model: str = ""
    task: str = ""
    goal: str = ""


def read_lineage(app: App, path: str) -> list[LineageChange]:
    """The changes of a file, or of everything below a folder, oldest first; none where the journal is not ours."""
    wanted = _relative_path(app, path)
    if TrackedFiles(app).holds("runs/") or (app.client and not may_show_events(app)):
        return []
    found = [change for name in _runs(app) for change in _read_changes(app, name) if _is_at_path(change.path, wanted)]
    return sorted(found, key=lambda change: (change.at, change.event))


def _relative_path(app: App, path: str) -> str:
    root = os.path.realpath(app.workspace)
    target = os.path.realpath(os.path.join(os.getcwd(), path)) if path else root
    if not os.path.exists(target):
        # A file that is gone has a story too: relative to the root.
        target = os.path.normpath(os.path.join(root, path))
    if target != root and not target.startswith(root + os.sep):
        raise LineagePathOutside(path)
    return os.path.relpath(target, root).replace(os.sep, "/")


def _is_at_path(path: str, wanted: str) -> bool:
    return wanted == "." or path == wanted or path.startswith(f"{wanted}/")


def _runs(app: App) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(app.folder, "runs")))[-MOST_RUNS:]
    except OSError:
        return []


def _read_changes(app: App, run: str) -> Iterator[LineageChange]:
    folder = os.path.join(app.folder, "runs", run)
    about = _json(_text(os.path.join(folder, "run.json")))
    tasks = _tasks(folder) if about else {}
    for line in _text(os.path.join(folder, "lineage.jsonl")).splitlines():
        row = _json(line) if len(line) < LONGEST_LINE else {}
        if isinstance(row.get("path"), str):
            yield LineageChange(
                path=row["path"], what=_word(row, "what"), at=_word(row, "at"), run=run, session=_word(row, "session"),
                client=_word(row, "client"), tool=_word(row, "tool"), asked=_word(row, "asked"),
                event=_word(row, "event"), model=_word(row, "model") or _word(about, "model"),
                task=", ".join(tasks.get(row["path"], ())), goal=_word(about, "goal"),
            )  # fmt: skip


def _tasks(folder: str) -> dict[str, list[str]]:
    """Which tasks of a run changed which file, by what the run said of them."""
    found: dict[str, list[str]] = {}
    for line in _text(os.path.join(folder, "events.jsonl")).splitlines():
        data = _json(line).get("data")
        if isinstance(data, dict) and isinstance(data.get("files"), list) and isinstance(data.get("task_id"), str):
            for path in data["files"]:
                found.setdefault(str(path), []).append(data["task_id"])
    return found


def _text(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
        return ""


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _word(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
