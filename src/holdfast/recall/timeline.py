"""What happened around a point: memories and events, oldest first."""

from collections.abc import Collection, Sequence

from holdfast.core.index_store import LocalIndex
from holdfast.core.memory import Entry
from holdfast.core.search import EventRow
from holdfast.core.times import canonical_time
from holdfast.core.value import Value
from holdfast.index.event_rows import fold_events


class MemoryItem(Value):
    """A memory, at the time it was last changed or began to hold."""

    at: str
    entry: Entry


class EventItem(Value):
    """An event, at the time the journal gave it. `also`: the same prompt as other clients or sessions reported it."""

    at: str
    event: EventRow
    also: tuple[EventRow, ...] = ()


Item = MemoryItem | EventItem


def build_timeline(
    store: LocalIndex, around: str, before: int, after: int, entries: Collection[Entry]
) -> Sequence[Item]:
    """So many items before a point and so many from it on. Memories without a time stand nowhere.

    A prompt that came through several clients is one item: the journal keeps them all, the reader sees it once.
    """
    point = canonical_time(around)
    there = {entry.memory.id for entry in entries}
    # Twice as many as are shown, for each may be there twice.
    events = [event for event in store.events(point, before * 2, after * 2) if not _is_own_note(event, there)]
    items: list[Item] = [EventItem(at=each.event.ts, event=each.event, also=each.also) for each in fold_events(events)]
    items += [MemoryItem(at=at, entry=entry) for entry in entries if (at := _time_of(entry))]
    items.sort(key=_order)
    past = [item for item in items if item.at < point]
    coming = [item for item in items if item.at >= point]
    return [*past[max(0, len(past) - before) :], *coming[:after]]


def _is_own_note(event: EventRow, there: Collection[str]) -> bool:
    """Our own note that a memory was added, while the memory itself stands in the timeline."""
    return event.client == "holdfast" and event.name in {"memory.added", "candidate.accepted"} and event.text in there


def _time_of(entry: Entry) -> str:
    return canonical_time(entry.memory.updated or entry.memory.valid_from)


def _order(item: Item) -> tuple[str, str, str]:
    match item:
        case MemoryItem(at=at, entry=entry):
            return at, entry.memory.id, entry.path
        case EventItem(at=at, event=event):
            return at, event.id, ""
