"""The append-only log."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol

from holdfast.core.event import Compacted, Cursor, Event, JournalRecord, JournalReport, Receipt


class Readable(Protocol):
    """A journal as those see it who only follow it."""

    def read(self, after: Cursor | None = None) -> Iterator[JournalRecord]:
        """Every whole record from a place on, in the order written."""


class AppendedJournal(Protocol):
    """Events, once appended, are there for good: through kill -9, a full disk and many writers at once."""

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events on disk, in order; on return they are there. A key seen before is not written again.

        Raises Unavailable when the disk refuses: then none of these is acknowledged, and all earlier ones still stand.
        """

    def read(self, after: Cursor | None = None) -> Iterator[JournalRecord]:
        """Every whole record from a place on, in the order written, with deleted events left out.

        Tombstones and records of newer versions come too: the caller sees their kind and version.
        """


class Journal(AppendedJournal, Protocol):
    """A journal that is looked after: its events can be deleted, its bytes verified, recovered and compacted."""

    def delete(self, ids: Sequence[str], why: str) -> Receipt:
        """Hide these records from readers, by an appended record. Ids that are not there are hidden too."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> JournalReport:
        """Read every byte and say exactly what is damaged. Changes nothing."""

    def recover(self) -> Sequence[str]:
        """Cut a torn tail into a side file, now; the side files made."""

    def compact(
        self, keep: Collection[str] = (), *, older_than: str = "", larger_than: int = 0, dry_run: bool = False
    ) -> Sequence[Compacted]:
        """Take deleted events off the disk; retire events older than a time, and the oldest beyond a size.

        `keep` names events that retention may not retire. Everything else keeps its bytes, and the proof says so.
        """
