"""Pages of text that people and records leave (log, runs, research), brought into the index when they are asked for."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from holdfast.core.search import Change, Page
from holdfast.index.open_index import note_behind
from holdfast.index.spoken_passages import LOG, RESEARCH, RUN, page_of
from holdfast.index.sqlite.sqlite_index import IndexBusy
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import read_file
from holdfast.vault.file_stamps import read_stamps
from holdfast.workspace import App

FOLDERS = {LOG: "log", RUN: "runs", RESEARCH: "research"}
AT_ONCE = 200


def refresh_pages(app: App) -> None:
    """Read the pages that moved; while another process writes the index, what is in it already is found."""
    try:
        _refresh_pages(app)
    except IndexBusy:
        note_behind(app)


def _refresh_pages(app: App) -> None:
    known = app.index.pages()
    there = {f"{folder}/{path}": stamp for folder in FOLDERS.values() for path, stamp in _stamps(app, folder).items()}
    gone = tuple(path for path in known if path not in there)
    moved = [path for path, stamp in there.items() if not stamp or known.get(path) != stamp]
    if gone:
        app.index.apply(Change(deleted_pages=gone))
    for start in range(0, len(moved), AT_ONCE):
        app.index.apply(Change(pages=tuple(_pages(app, moved[start : start + AT_ONCE], there))))


def _stamps(app: App, folder: str) -> dict[str, str]:
    root = os.path.join(app.folder, folder)
    return dict(read_stamps(root)) if os.path.isdir(root) else {}


def _pages(app: App, paths: list[str], stamps_now: dict[str, str]) -> Iterator[Page]:
    kinds = {folder: kind for kind, folder in FOLDERS.items()}
    for path in paths:
        folder, _, inside = path.partition("/")
        root = os.path.join(app.folder, folder)
        data = read_file(WritableFolder(root=root), inside)
        if data is not None:
            ts = datetime.fromtimestamp(os.stat(os.path.join(root, inside)).st_mtime, UTC)
            text = data.decode("utf-8", "replace")
            spoken = page_of(kinds[folder], path, ts.strftime("%Y-%m-%dT%H:%M:%S.000Z"), text)
            yield Page(path=path, stamp=stamps_now[path], spoken=spoken)
