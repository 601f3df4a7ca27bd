"""What may stand in a pack now: accepted memory that holds, and beside it what the user said and did not accept."""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, SaidBy, Status
from holdfast.recall.validity import holds_at, supersession_times

Counts = Callable[[Entry], bool]


def packable_filter(store: IndexStore, said: Collection[str] = ()) -> Counts:
    """Whether an entry may stand in a pack now: accepted and holding, or one of the candidates that the user said."""
    ended = supersession_times(store.links()[0])
    now = datetime.now(UTC)

    def counts(entry: Entry) -> bool:
        memory = entry.memory
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
