"""How much a workspace's parts take on disk, and how many records, memories and vectors they hold."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.care.workspace_status import WorkspaceStatus
from holdfast.core.memory import Entry, Status
from holdfast.index.entries import is_candidate
from holdfast.index.open_index import sqlite_index_of
from holdfast.index.sqlite.index_schema import VERSION
from holdfast.journal.read_records import find_extent
from holdfast.recall.embed_passages import count_vectors
from holdfast.workspace import App

PARTS = (
    "memory",
    "candidates",
    "journal",
    "index.db",
    "runs",
    "work",
    "learning",
    "research",
    "log",
    "security",
    "state",
)


MOST_FILES = 200_000


def measure_journal(app: App, state: WorkspaceStatus) -> Mapping[str, Any]:
    """How many records and bytes the journal has, and what its last check said."""
    folder = os.path.join(app.folder, "journal")
    sizes = [size for _, size in _files(folder)]
    store = sqlite_index_of(app)
    [(records,)] = store.connection.execute("SELECT count(*) FROM event").fetchall()
    checked = state.checked
    return {
        "records": records, "segments": len(find_extent(folder)) if os.path.isdir(folder) else 0, "bytes": sum(sizes),
        "last_event": state.last_event, "checked_at": checked.ts if checked else "",
        "ok": checked.left == 0 if checked else None,
    }  # fmt: skip


def measure_index(app: App, entries: Sequence[Entry]) -> Mapping[str, Any]:
    """How many memories, candidates and vectors the index has, and how large it is."""
    waiting = [each for each in entries if is_candidate(each) and each.memory.status is Status.CANDIDATE]
    held = [each for each in count_vectors(app) if each.place == "memories"]
    path = os.path.join(app.folder, "index.db")
    return {
        "memories": sum(not is_candidate(each) for each in entries), "candidates": len(waiting),
        "bytes": os.path.getsize(path) if os.path.exists(path) else 0, "version": str(VERSION),
        "embedder": ", ".join(each.model for each in held), "vectors": sum(each.done for each in held),
    }  # fmt: skip


def measure_disk(app: App) -> Iterator[Mapping[str, Any]]:
    """Bytes and files of each part of the folder."""
    for part in PARTS:
        path = os.path.join(app.folder, part)
        sizes = [size for _, size in _files(path)]
        yield {"part": part, "bytes": sum(sizes), "files": len(sizes)}


def _files(path: str) -> Iterator[tuple[str, int]]:
    """Files at and below a path with their sizes, as many as one can look at; links are none."""
    if os.path.isfile(path) and not os.path.islink(path):
        yield path, os.path.getsize(path)
        return
    seen = 0
    for parent, _, names in os.walk(path):
        for name in names:
            place = os.path.join(parent, name)
            seen += 1
            if seen > MOST_FILES:
                return
            if os.path.lexists(place) and not os.path.islink(place):
                yield place, os.lstat(place).st_size


def measure_free_space(app: App) -> int:
    """Free bytes where the folder lies."""
    found = os.statvfs(app.folder)
    return found.f_bavail * found.f_frsize
