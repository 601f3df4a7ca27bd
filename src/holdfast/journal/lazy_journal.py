"""A journal that loads its machinery only when there is something to read or write: a warm search never does."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.core.event import Compacted, Cursor, Event, JournalRecord, JournalReport, Receipt
    from holdfast.journal.file_journal import FileJournal

SEGMENT = ".jsonl"


class LazyJournal:
    """The journal of a folder; to see that nothing was added costs no machinery."""

    def __init__(self, folder: str, segment_bytes: Callable[[], int]) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes

    def append(self, events: "Sequence[Event]") -> "Sequence[Receipt]":
        """Put events on disk."""
        return self._files.append(events)

    def delete(self, ids: Sequence[str], why: str) -> "Receipt":
        """Hide records from readers."""
        return self._files.delete(ids, why)

    def read(self, after: "Cursor | None" = None) -> "Iterator[JournalRecord]":
        """Every whole record from a place on."""
        if after is not None and _is_nothing_after(self._folder, after):
            return iter(())
        return self._files.read(after)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> "JournalReport":
        """Read every byte."""
        return self._files.verify(progress)

    def recover(self) -> Sequence[str]:
        """Cut a torn tail into a side file."""
        return self._files.recover()

    def compact(
        self, keep: Collection[str] = (), *, older_than: str = "", larger_than: int = 0, dry_run: bool = False
    ) -> "Sequence[Compacted]":
        """Take deleted and retired events off the disk."""
        return self._files.compact(keep, older_than=older_than, larger_than=larger_than, dry_run=dry_run)

    @cached_property
    def _files(self) -> "FileJournal":
        from holdfast.journal.file_journal import FileJournal

        return FileJournal(self._folder, segment_bytes=self._segment_bytes())


def _is_nothing_after(folder: str, place: "Cursor") -> bool:
    try:
        names = [name for name in os.listdir(folder) if name.endswith(SEGMENT)]
    except FileNotFoundError:
        return True
    newest = max(names, default="")
    if newest != f"{place.segment:08d}{SEGMENT}":
        return not names
    return os.path.getsize(os.path.join(folder, newest)) == place.offset
