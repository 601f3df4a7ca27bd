"""Entries as rows of the index."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.core.passage_store import read_words
from holdfast.core.search import Passage, Select
from holdfast.core.shelf import title_name
from holdfast.index.entry_rows import Row, entry_row

TITLE, BODY, TAGS = 4, 1, 3
BETWEEN = "\n"


def passage_row(row: int, passage: Passage) -> Row:
    """A passage in the order of the table's columns, without its space."""
    entry, memory, terms = passage.entry, passage.entry.memory, passage.terms
    *place, crc, data = entry_row(entry)
    said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
    plain, _, asks, length = read_words(said)
    worded = (*terms.title, *terms.body, *terms.tags)
    held = (*map(strip_unstorable, place[:3]), *place[3:])
    return (
        row,
        *held,
        bool(memory.paths),
        strip_unstorable(memory.updated),
        crc,
        strip_unstorable(memory.title),
        strip_unstorable(title_name(memory.title)),
        strip_unstorable(memory.valid_from or memory.updated),
        str(memory.said_by),
        strip_unstorable(" ".join(worded)),
        strip_unstorable(plain),
        asks,
        length,
        join_names(passage.names),
        data,
    )


def join_names(names: Iterable[str]) -> str:
    """Names in one text. They hold no line ends: they are words joined by spaces."""
    return BETWEEN.join(map(strip_unstorable, dict.fromkeys(names)))


def split_names(names: str) -> list[str]:
    """The names of such a text."""
    return names.split(BETWEEN) if names else []


def weigh_terms(*parts: tuple[Sequence[str], int]) -> dict[str, int]:
    """Terms with what they weigh, each once."""
    found = dict[str, int]()
    for terms, weight in parts:
        for term, times in Counter(terms).items():
            kept = strip_unstorable(term)
            found[kept] = found.get(kept, 0) + times * weight
    return found


def select_condition(select: Select) -> tuple[str, dict[str, Any]]:
    """The entries meant, as SQL and its values."""
    clauses, values = ["true"], dict[str, Any]()
    wanted = ("id", select.ids), ("type", select.types), ("status", select.statuses), ("scope", select.scopes)
    for column, given in wanted:
        if given:
            clauses.append(f"{column} = ANY (%(wanted_{column})s)")
            values[f"wanted_{column}"] = [strip_unstorable(str(each)) for each in given]
    if select.scoped is not None:
        clauses.append("scoped" if select.scoped else "NOT scoped")
    return " AND ".join(clauses), values


def strip_unstorable(text: str) -> str:
    """A text as PostgreSQL can hold it: without NUL, without half a surrogate pair."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
