"""A workspace as others sync theirs with it: files and records by their sums, each changed only as seen."""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.event import Event
from holdfast.core.file_names import BadPath, path_components
from holdfast.core.memory import Scope
from holdfast.core.value import replace
from holdfast.exchange.peer import GONE, Held, Swap
from holdfast.index.entries import CANDIDATES, MEMORY
from holdfast.records.team_forms import RECORDS, find_record_error
from holdfast.records.team_records import TeamRecords
from holdfast.redact.clean import clean
from holdfast.system.folders import WritableFolder
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import (
    FileAlreadyThere,
    FileChangedSinceRead,
    lock_folder,
    put_file,
    read_file,
    swap_file,
)
from holdfast.trust.visibility import find_registration
from holdfast.workspace import App

__all__ = [
    "NotATeamRecord",
    "NotShared",
    "Swap",
    "append_events",
    "hash_shared_files",
    "is_shared",
    "list_shared_files",
    "read_shared_file",
    "read_shared_files",
    "swap_records",
    "swap_shared_file",
]

AUTHORS = os.path.join("state", "sync", "authors.json")
PLACES = (MEMORY, CANDIDATES)
ENDING = ".md"
LONGEST_NAME = 200
MOST_READ = 16 << 20


class NotShared(BadRequest):
    """A path that is no memory's."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path[:200]!r} is not shared.", "paths are like memory/decisions/NAME.md or candidates/NAME.md."
        )


class NotATeamRecord(BadRequest):
    """A record that is none, or one that is this workspace's own."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"{path[:200]!r} is not taken: {why}.", "its owner keeps it; nobody else needs to do anything."
        )


def list_shared_files(app: App) -> dict[str, Held]:
    """Every file of memory and candidates and every record, with its sum and who sent it, where that is known."""
    authors = _read_authors(app)
    records = {path: Held(sha256=digest) for path, digest in TeamRecords(app).sums().items()}
    return records | {
        path: Held(sha256=source.sha256, author=authors.get(path, ""))
        for (scope, path), source in app.index.sources().items()
        if scope == Scope.WORKSPACE and path.endswith(ENDING)
    }


def hash_shared_files(found: Mapping[str, Held]) -> str:
    """What all the files are known by: it moves when one of them does."""
    listed = "\n".join(f"{path} {held.sha256}" for path, held in sorted(found.items()))
    return sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()


def read_shared_files(app: App, paths: Sequence[str]) -> tuple[dict[str, bytes], int]:
    """The bytes of several files, without those that are gone, and of how many: as many as fit into one answer."""
    records = TeamRecords(app).read(path for path in paths if _is_record(path))
    found: dict[str, bytes] = {}
    size = 0
    for looked, path in enumerate(paths):
        data = records.get(path) if _is_record(path) else read_file(*_place(app, path))
        size += len(data or b"")
        if looked and size > MOST_READ:
            return found, looked
        if data is not None:
            found[path] = data
    return found, len(paths)


def read_shared_file(app: App, path: str) -> bytes | None:
    """A file's bytes; None when it is gone."""
    if _is_record(path):
        return TeamRecords(app).read([path]).get(path)
    return read_file(*_place(app, path))


def swap_shared_file(app: App, path: str, data: bytes | None, then: str, author: str) -> str:
    """Put a file (None: remove it) if its sum is still `then` (empty: it is not there).

    Empty when done; otherwise the sum that it has instead, or `gone`: then nothing was written.
    """
    if _is_record(path):
        [answer] = swap_records(app, [Swap(path=path, data=data, then=then)], author)
        return answer
    place, inner = _place(app, path)
    with lock_folder(place):
        held = read_file(place, inner)
        now = sha256(held).hexdigest() if held is not None else ""
        if now != then:
            return now or GONE
        try:
            if data is not None or then:
                swap_file(place, inner, data, then=then)
        except FileChangedSinceRead as moved:
            return moved.now or GONE
        except FileAlreadyThere:
            return GONE
    _note_author(app, path, author if data is not None else "")
    if data is not None and path.startswith(f"{MEMORY}/") and find_registration(app) is not None:
        app.registry.learn(app.workspace_id, [sha256(data).hexdigest()])
    return ""


def swap_records(app: App, swaps: Sequence[Swap], author: str) -> list[str]:
    """Keep records of others, each if it is as its sender saw it; an answer for each. What is our own stays."""
    here = TeamRecords(app)
    held = here.sums()
    moved = [held.get(each.path, "") if held.get(each.path, "") != each.then else None for each in swaps]
    ready = [each for each, now in zip(swaps, moved, strict=True) if now is None]
    for each in ready:
        why = find_record_error(each.path, each.data) if each.data is not None else ""
        if why or (each.then and here.is_own(each.path)):
            raise NotATeamRecord(each.path, why or "it is this workspace's own")
    here.take({each.path: each.data for each in ready if each.data is not None}, author)
    here.drop([each.path for each in ready if each.data is None])
    return ["" if now is None else now or GONE for now in moved]


def append_events(app: App, events: Sequence[Event]) -> int:
    """Put events of another machine into this journal; each once, by its key. How many were new.

    Its hooks took out what must not reach a disk; what somebody else sends in their place is cleaned here.
    """
    return sum(receipt.fresh for receipt in app.journal.append([_redact_event(each) for each in events]))


def _redact_event(event: Event) -> Event:
    told = {"client": event.client, "name": event.name, "session": event.session, "ts": event.ts}
    found: Any = [clean(told).value, clean(dict(event.data)).value]
    return replace(event, **found[0], data=found[1])


def is_shared(path: str) -> bool:
    """Whether a path can be a memory's or a candidate's: nothing else is read or written for others."""
    place, _, inner = path.partition("/")
    try:
        return place in PLACES and inner.endswith(ENDING) and all(map(_is_name, path_components(inner)))
    except BadPath:
        return False


def _place(app: App, path: str) -> tuple[WritableFolder, str]:
    place, _, inner = path.partition("/")
    if not is_shared(path):
        raise NotShared(path)
    return WritableFolder(root=os.path.join(app.folder, place), private=place == CANDIDATES), inner


def _is_record(path: str) -> bool:
    return path.startswith(f"{RECORDS}/")


def _is_name(part: str) -> bool:
    return part.isprintable() and not part.startswith(".") and len(part.encode("utf-8", "replace")) <= LONGEST_NAME


def _read_authors(app: App) -> Mapping[str, str]:
    return {path: str(name) for path, name in read_json_cache(os.path.join(app.folder, AUTHORS)).items()}


def _note_author(app: App, path: str, author: str) -> None:
    known = dict(_read_authors(app))
    if known.get(path, "") == author:
        return
    known.pop(path, None)
    known |= {path: author} if author else {}
    put_file(os.path.join(app.folder, AUTHORS), json.dumps(known, ensure_ascii=False).encode())
