"""Entries as rows of an index, each with a checksum: what a damaged page holds is never taken for a memory."""

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from holdfast.core.memory import Entry, Scope, Status
from holdfast.core.memory_json import from_json, to_json
from holdfast.core.search import Change, Passage

SCOPES = {str(scope): scope for scope in Scope}
ENTRY = "id, scope, path, line, sha256, type, status, crc, data"
NEVER_ACCEPTED = (Status.CANDIDATE, Status.REJECTED)

Row = tuple[Any, ...]

_dumps = json.JSONEncoder(separators=(",", ":")).encode
loads = json.JSONDecoder().decode


def entry_row(entry: Entry) -> Row:
    """An entry in the order of `ENTRY`."""
    memory = entry.memory
    data = _dumps(to_json(memory))
    place = (memory.id, str(entry.scope), entry.path, entry.line, entry.sha256, str(memory.type), str(memory.status))
    return (*place, _crc(place, data), data)


def entry_of(row: Row) -> Entry:
    """The entry of a row. Raises ValueError when the row is not as it was written."""
    *place, crc, data = row
    if _crc(place, data) != crc:
        raise ValueError(f"the row of {place[0]!r} fails its checksum")
    _, scope, path, line, sha256, _, _ = place
    return Entry(memory=from_json(loads(data)), scope=SCOPES[scope], path=path, line=line, sha256=sha256)


def passages_of(change: Change) -> Iterator[Passage]:
    """Every passage of a change, in order."""
    return (passage for source in change.sources for passage in source.passages or ())


def link_rows(change: Change) -> Iterator[Row]:
    """What the entries of a change supersede; proposals supersede nothing."""
    for passage in passages_of(change):
        entry, memory = passage.entry, passage.entry.memory
        for old in memory.supersedes if memory.status not in NEVER_ACCEPTED else ():
            if old != memory.id:
                yield (str(entry.scope), entry.path, old, memory.id, memory.valid_from or memory.updated)


def problem_rows(change: Change) -> Iterator[Row]:
    """What could not be read in the files of a change."""
    for source in change.sources:
        for problem in source.problems if source.passages is not None else ():
            place = (str(source.source.scope), problem.path, problem.line)
            yield (*place, drop_surrogates(problem.reason), drop_surrogates(problem.hint))


def drop_surrogates(text: str) -> str:
    """A text as UTF-8 can hold it: a quoted piece of a broken file may have half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


def _crc(place: Sequence[Any], data: str) -> int:
    return zlib.crc32("\x1f".join((*map(str, place), data)).encode())
