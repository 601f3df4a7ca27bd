"""Records of a journal on their way to another one: in handfuls, each as an event that is known there by its key."""

from collections.abc import Iterable, Iterator

from holdfast.core.event import Cursor, Event, JournalRecord

CHUNK, CHUNK_BYTES = 500, 8 << 20


def split_into_batches(records: Iterable[JournalRecord], begin: Cursor) -> Iterator[list[JournalRecord]]:
    """Records of a journal in files, in handfuls of a bounded number and weight."""
    some: list[JournalRecord] = []
    weight, before = 0, begin
    for record in records:
        some.append(record)
        weight += record.after.offset - before.offset if record.after.segment == before.segment else record.after.offset
        before = record.after
        if len(some) >= CHUNK or weight >= CHUNK_BYTES:
            yield some
            some, weight = [], 0
    if some:
        yield some


def event_of(record: JournalRecord, key: str) -> Event:
    """What a record says, as an event for another journal, known there by this key."""
    data = record.data
    inside = data.get("data")
    return Event(
        client=str(data.get("client", "")), name=str(data.get("name", "")), session=str(data.get("session", "")),
        key=key, ts=record.ts, data=inside if isinstance(inside, dict) else {},
    )  # fmt: skip
