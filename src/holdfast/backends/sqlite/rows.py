"""Entries as rows of the index, each with a checksum: what a damaged page holds is never taken for a memory."""

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from holdfast.backends.sqlite.counts import BETWEEN
from holdfast.domain.jsonform import from_json, to_json
from holdfast.domain.memory import Entry, Scope, Status
from holdfast.domain.search import Change, Passage, Select
from holdfast.ports.passages import read
from holdfast.ports.shelf import called, numbered

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


def passage_rows(change: Change, first: int) -> Iterator[Row]:
    """Every passage of a change, in the order of the table's columns."""
    for number, passage in enumerate(passages(change), first):
        *place, data = entry_row(passage.entry)
        terms, memory = passage.terms, passage.entry.memory
        words = " ".join(terms.title), " ".join(terms.body), " ".join(terms.tags)
        numbers = numbered((*terms.title, *terms.body, *terms.tags))
        said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
        circumstance = called(memory.title), memory.title, memory.valid_from or memory.updated, str(memory.said_by)
        yield (number, *place, *words, *circumstance, *read(said), numbers, BETWEEN.join(passage.names), data)


def link_rows(change: Change) -> Iterator[Row]:
    """What the entries of a change supersede; proposals supersede nothing."""
    for passage in passages(change):
        entry, memory = passage.entry, passage.entry.memory
        for old in memory.supersedes if memory.status not in NEVER_ACCEPTED else ():
            if old != memory.id:
                yield (str(entry.scope), entry.path, old, memory.id, memory.valid_from or memory.updated)


def problem_rows(change: Change) -> Iterator[Row]:
    """What could not be read in the files of a change."""
    for source in change.sources:
        for problem in source.problems if source.passages is not None else ():
            place = (str(source.source.scope), problem.path, problem.line)
            yield (*place, _storable(problem.reason), _storable(problem.hint))


def condition(select: Select) -> tuple[str, list[str]]:
    """The entries meant, as SQL and its values."""
    clauses = ["1"]
    values: list[str] = []
    for column, wanted in _wanted(select):
        if wanted:
            clauses.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += map(str, wanted)
    if select.scoped is not None:
        # Inside a text of the JSON form its quotes are escaped, so this can only be the field itself.
        clauses.append(f"""instr(data, '"paths":[]') {"=" if select.scoped else ">"} 0""")
    return " AND ".join(clauses), values


def _wanted(select: Select) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("id", select.ids), ("type", select.types), ("status", select.statuses), ("scope", select.scopes)


def passages(change: Change) -> Iterator[Passage]:
    """Every passage of a change, in order."""
    return (passage for source in change.sources for passage in source.passages or ())


def _crc(place: Sequence[Any], data: str) -> int:
    return zlib.crc32("\x1f".join((*map(str, place), data)).encode())


def _storable(text: str) -> str:
    # A quoted piece of a broken file may hold half a surrogate pair, which SQLite's UTF-8 cannot.
    return text.encode("utf-8", "replace").decode()
