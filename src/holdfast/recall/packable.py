"""What may stand in a pack now: accepted memory that holds, and beside it what the user said and did not accept."""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, SaidBy, Status
from holdfast.recall.validity import holds_at, supersession_times
from holdfast.records.injection_marks import Marks

NO_MARKS: Marks = {}
Counts = Callable[[Entry], bool]


def packable_filter(store: IndexStore, said: Collection[str] = (), marks: Marks = NO_MARKS) -> Counts:
    """Whether an entry may stand in a pack now: accepted and holding, or one of the candidates that the user said.

    `marks`: what a person said of what was told; what they called wrong stands in none.
    """
    ended = supersession_times(store.links()[0])
    now = datetime.now(UTC)
    wrong = {name for name, mark in marks.items() if mark.wrong}

    def counts(entry: Entry) -> bool:
        memory = entry.memory
        if memory.id in wrong:
            return False
        if memory.status is Status.CANDIDATE:
            return memory.id in said and memory.said_by is SaidBy.USER
        return memory.status is Status.ACCEPTED and holds_at(memory, now, ended)

    return counts


def keep_first_reason(found: Iterable[tuple[Entry, str]]) -> list[tuple[Entry, str]]:
    """Each entry with the first reason it was found for."""
    first: dict[tuple[str, str], tuple[Entry, str]] = {}
    for entry, why in found:
        first.setdefault((entry.memory.id, entry.path), (entry, why))
    return list(first.values())
