"""Entries and what was said as rows of the index."""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.domain.jsonform import from_json, to_json
from holdfast.domain.memory import Entry, Scope, Status
from holdfast.domain.search import Change, Passage, Select, Spoken
from holdfast.ports.passages import read
from holdfast.ports.shelf import called

SCOPES = {str(scope): scope for scope in Scope}
ENTRY = "id, scope, path, line, sha256, type, status, crc, data"
NEVER_ACCEPTED = (Status.CANDIDATE, Status.REJECTED)
TITLE, BODY, TAGS = 4.0, 1.0, 3.0

Row = tuple[Any, ...]


def passage_row(row: int, passage: Passage, numbers: Mapping[str, int]) -> Row:
    """A passage in the order of the table's columns, without its space. `numbers`: those of terms."""
    entry, memory, terms = passage.entry, passage.entry.memory, passage.terms
    data = json.dumps(to_json(memory), separators=(",", ":"))
    place = (memory.id, str(entry.scope), entry.path, entry.line, entry.sha256, str(memory.type), str(memory.status))
    said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
    plain, _, asks, length = read(said)
    worded = (*terms.title, *terms.body, *terms.tags)
    weights = weighed((terms.title, TITLE), (terms.body, BODY), (terms.tags, TAGS))
    held = tuple(map(storable, place[:3])) + place[3:]
    return (
        row, *held, bool(memory.paths), storable(memory.updated), _crc(place, data), storable(memory.title),
        storable(called(memory.title)), storable(memory.valid_from or memory.updated), str(memory.said_by),
        storable(" ".join(worded)), storable(plain), asks, length, len(worded), [numbers[term] for term in weights],
        list(weights.values()), [storable(name) for name in dict.fromkeys(passage.names)], data,
    )  # fmt: skip


def spoken_row(row: int, number: int, spoken: Spoken, numbers: Mapping[str, int]) -> Row:
    """What was said, in the order of the table's columns, without its space."""
    plain, _, asks, length = read(spoken.text)
    weights = weighed((spoken.terms, 1.0))
    texts = (spoken.ts, spoken.client, spoken.said_by, " ".join(spoken.terms), plain)
    return (
        row, spoken.kind, storable(spoken.id), spoken.part, storable(spoken.group), number, *map(storable, texts),
        asks, length, len(spoken.terms), [numbers[term] for term in weights], list(weights.values()),
        [storable(name) for name in dict.fromkeys(spoken.names)], storable(spoken.text),
    )  # fmt: skip


def entry_of(row: Row) -> Entry:
    """The entry of a row. Raises ValueError when the row is not as it was written."""
    *place, crc, data = row
    if _crc(place, data) != crc:
        raise ValueError(f"the row of {place[0]!r} fails its checksum")
    _, scope, path, line, sha256, _, _ = place
    return Entry(memory=from_json(json.loads(data)), scope=SCOPES[scope], path=path, line=line, sha256=sha256)


def weighed(*parts: tuple[Sequence[str], float]) -> dict[str, float]:
    """Terms with what they weigh, each once."""
    found: Counter[str] = Counter()
    for terms, weight in parts:
        for term in terms:
            found[storable(term)] += weight  # type: ignore[assignment]  # a Counter counts in fractions as well
    return dict(found)


def passages(change: Change) -> list[Passage]:
    """Every passage of a change, in order."""
    return [passage for source in change.sources for passage in source.passages or ()]


def link_rows(change: Change) -> Iterator[Row]:
    """What the entries of a change supersede; proposals supersede nothing."""
    for passage in passages(change):
        entry, memory = passage.entry, passage.entry.memory
        for old in memory.supersedes if memory.status not in NEVER_ACCEPTED else ():
            if old != memory.id:
                since = memory.valid_from or memory.updated
                yield (str(entry.scope), entry.path, *map(storable, (old, memory.id, since)))


def problem_rows(change: Change) -> Iterator[Row]:
    """What could not be read in the files of a change."""
    for source in change.sources:
        for problem in source.problems if source.passages is not None else ():
            place = (str(source.source.scope), problem.path, problem.line)
            yield (*place, storable(problem.reason), storable(problem.hint))


def condition(select: Select) -> tuple[str, dict[str, Any]]:
    """The entries meant, as SQL and its values."""
    clauses, values = ["true"], dict[str, Any]()
    wanted = ("id", select.ids), ("type", select.types), ("status", select.statuses), ("scope", select.scopes)
    for column, given in wanted:
        if given:
            clauses.append(f"{column} = ANY (%(wanted_{column})s)")
            values[f"wanted_{column}"] = [storable(str(each)) for each in given]
    if select.scoped is not None:
        clauses.append("scoped" if select.scoped else "NOT scoped")
    return " AND ".join(clauses), values


def storable(text: str) -> str:
    """A text as PostgreSQL can hold it: without NUL, without half a surrogate pair."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _crc(place: Sequence[Any], data: str) -> int:
    return zlib.crc32("\x1f".join((*map(str, place), data)).encode("utf-8", "replace"))
