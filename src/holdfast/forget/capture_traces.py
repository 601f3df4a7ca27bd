"""What capture wrote besides the journal: found by words, taken away, and rebuilt from the events that stay."""

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence

from holdfast.distil.distil_sessions import forget_runs
from holdfast.records.refresh_records import rewrite_records
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

FOLDERS = ("work", "learning", "research", "security", "context", "runs", "state")
FILES = ("briefing.json",)
RUNS = "runs/"
# Files of lines that stand for themselves: only those that hold the words go.
BY_LINE = (".jsonl", "todo.md")
# Without the cursors a harvest would read again what was just forgotten; marks of what was purged hold ids alone.
ROOTS = ("state/workspace.json", "state/records.lock", "state/harvest.json", "state/harvest.lock", "state/gone.json")
# What a sync had last time, which a purge goes through by itself.
SYNC = "state/sync/"
LARGEST = 256 * 1024 * 1024
_EVENT = re.compile(rb'^event: "([0-9A-Z]{26})"$', re.MULTILINE)


def find_record_files(app: App, holds: Callable[[str], bool], named: Callable[[str], bool]) -> list[str]:
    """The record files, below `.holdfast`, that hold the words in their text or their name."""
    return [path for path in _list_record_files(app) if path not in ROOTS and (named(path) or holds(_text(app, path)))]


def drop_traces(
    app: App, paths: Sequence[str], holds: Callable[[str], bool], named: Callable[[str], bool], gone: Collection[str]
) -> None:
    """Take record files (or their lines) away; what else came from the same sessions is rebuilt."""
    if not paths:
        return
    runs = {path.split("/")[1] for path in paths if path.startswith(RUNS)}
    for whole in {_unit_folder(path) for path in paths} - {""}:
        if _find_unit_events(app, whole) & ({*gone} | _find_live_sessions(app)):
            # Its events are in the journal: it is rewritten, without what goes.
            shutil.rmtree(os.path.join(app.folder, whole))
    for path in paths:
        target = os.path.join(app.folder, path)
        if not os.path.lexists(target):
            continue
        if path.endswith(BY_LINE) and not named(path):
            kept = [line for line in _text(app, path).splitlines(keepends=True) if not holds(line)]
            put_file(target, "".join(kept).encode("utf-8", "surrogateescape"))
        else:
            os.unlink(target)
    _drop_empty(app)
    rewrite_records(app)
    forget_runs(app, runs)


def _unit_folder(path: str) -> str:
    """The folder whose files stand and fall together: a work unit, a failure's dump."""
    parts = path.split("/")
    if parts[0] == "work":
        return "/".join(parts[:2])
    return "/".join(parts[:4]) if parts[:2] == ["learning", "failures"] else ""


def _find_live_sessions(app: App) -> set[str]:
    return {record.id for record in app.journal.read() if record.kind == "event"}


def _find_unit_events(app: App, unit: str) -> set[str]:
    """The events a unit's files name."""
    found: set[str] = set()
    for path in _list_below(app, unit):
        with open(os.path.join(app.folder, path), "rb") as file:
            found |= {name.decode() for name in _EVENT.findall(file.read(4096))}
    return found


def _list_record_files(app: App) -> Iterator[str]:
    for folder in FOLDERS:
        yield from (path for path in _list_below(app, folder) if not path.startswith(SYNC))
    yield from (name for name in FILES if os.path.isfile(os.path.join(app.folder, name)))


def _list_below(app: App, folder: str) -> Iterator[str]:
    for parent, _, names in os.walk(os.path.join(app.folder, folder)):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) <= LARGEST:
                yield os.path.relpath(path, app.folder).replace(os.sep, "/")


def _text(app: App, path: str) -> str:
    with open(os.path.join(app.folder, path), encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def _drop_empty(app: App) -> None:
    for folder in ("work", "learning", "research"):
        for parent, _, _ in os.walk(os.path.join(app.folder, folder), topdown=False):
            if not os.listdir(parent):
                os.rmdir(parent)
