"""Passages as rows of the index, and the rows that a choice means."""

from collections.abc import Iterator, Sequence

from holdfast.core.passage_store import read_words
from holdfast.core.search import Change, Select
from holdfast.core.shelf import pack_numbers, title_name
from holdfast.index.entry_rows import Row, entry_row, passages_of
from holdfast.index.sqlite.term_counts import BETWEEN


def passage_rows(change: Change, first: int) -> Iterator[Row]:
    """Every passage of a change, in the order of the table's columns."""
    for number, passage in enumerate(passages_of(change), first):
        *place, data = entry_row(passage.entry)
        terms, memory = passage.terms, passage.entry.memory
        words = " ".join(terms.title), " ".join(terms.body), " ".join(terms.tags)
        numbers = pack_numbers((*terms.title, *terms.body, *terms.tags))
        said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
        circumstance = title_name(memory.title), memory.title, memory.valid_from or memory.updated, str(memory.said_by)
        yield (number, *place, *words, *circumstance, *read_words(said), numbers, BETWEEN.join(passage.names), data)


def select_condition(select: Select) -> tuple[str, list[str]]:
    """The entries meant, as SQL and its values."""
    clauses = ["1"]
    values: list[str] = []
    for column, wanted in _select_columns(select):
        if wanted:
            clauses.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += map(str, wanted)
    if select.scoped is not None:
        # Inside a text of the JSON form its quotes are escaped, so this can only be the field itself.
        clauses.append(f"""instr(data, '"paths":[]') {"=" if select.scoped else ">"} 0""")
    return " AND ".join(clauses), values


def _select_columns(select: Select) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("id", select.ids), ("type", select.types), ("status", select.statuses), ("scope", select.scopes)
