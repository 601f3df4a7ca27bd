"""Passages as rows of the index, and the rows that a choice means."""

from collections.abc import Iterator, Sequence

from holdfast.core.passage_store import read
from holdfast.core.search import Change, Select
from holdfast.core.shelf import called, numbered
from holdfast.index.entry_rows import Row, entry_row, passages
from holdfast.index.sqlite.term_counts import BETWEEN


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
