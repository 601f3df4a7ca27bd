"""Entries and what was said as rows of the index."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.domain.search import Passage, Select, Spoken
from holdfast.ports.passages import read
from holdfast.ports.rows import Row, entry_row
from holdfast.ports.shelf import called

TITLE, BODY, TAGS = 4.0, 1.0, 3.0


def passage_row(row: int, passage: Passage, numbers: Mapping[str, int]) -> Row:
    """A passage in the order of the table's columns, without its space. `numbers`: those of terms."""
    entry, memory, terms = passage.entry, passage.entry.memory, passage.terms
    *place, crc, data = entry_row(entry)
    said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
    plain, _, asks, length = read(said)
    worded = (*terms.title, *terms.body, *terms.tags)
    weights = weighed((terms.title, TITLE), (terms.body, BODY), (terms.tags, TAGS))
    held = (*map(storable, place[:3]), *place[3:])
    return (
        row, *held, bool(memory.paths), storable(memory.updated), crc, storable(memory.title),
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


def weighed(*parts: tuple[Sequence[str], float]) -> dict[str, float]:
    """Terms with what they weigh, each once."""
    found: Counter[str] = Counter()
    for terms, weight in parts:
        for term in terms:
            found[storable(term)] += weight  # type: ignore[assignment]  # a Counter counts in fractions as well
    return dict(found)


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
