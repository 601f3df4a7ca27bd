"""Places that outlive compaction.

A place in the journal is a byte of a segment as it was first written. A compacted segment begins with a line that says
which bytes were cut out since, so that cursors and indexed places from before still mean what they meant.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import BinaryIO, Self

from holdfast.core.value import Value
from holdfast.journal import line_format, line_scan

# No moment and no place in the order of ids is right for it, and the same cut must give the same bytes again.
_ID = "0" * 26
_TS = "1970-01-01T00:00:00.000Z"


class Cuts(Value):
    """Bytes cut out of a segment, as (place, length) in order; `head` is the size of the line that says so."""

    spans: tuple[tuple[int, int], ...] = ()
    head: int = 0
    _starts: tuple[int, ...] = ()
    _lost: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int]], head: int = 0) -> Self:
        """Cuts at these places."""
        found = tuple(spans)
        lost = tuple(accumulate((length for _, length in found), initial=0))
        starts = tuple(start - before for (start, _), before in zip(found, lost, strict=False))
        return cls(spans=found, head=head, _starts=starts, _lost=lost)

    def place(self, offset: int) -> int:
        """The place of a byte of the file."""
        here = offset - self.head
        return here + self._lost[bisect_right(self._starts, here)]

    def offset(self, place: int) -> int:
        """Where in the file a place is now; for one that was cut out, where its successor is."""
        at = bisect_right(self.spans, place, key=itemgetter(0))
        if at and place < sum(self.spans[at - 1]):
            return self._starts[at - 1] + self.head
        return place - self._lost[at] + self.head

    def line(self) -> bytes:
        """The line that a file with these cuts begins with."""
        record = {"v": 1, "id": _ID, "ts": _TS, "kind": line_scan.CUTS, "spans": self.spans}
        return line_format.frame(json.dumps(record, separators=(",", ":")).encode())


def read_cuts(file: BinaryIO) -> Cuts:
    """The cuts of an open segment; none when it was never compacted."""
    first = next(line_scan.scan_lines(file), None)
    if first is None or first.data is None or first.kind != line_scan.CUTS:
        return Cuts()
    return Cuts.of(((start, length) for start, length in first.data["spans"]), len(first.raw))


def merge_cuts(old: Cuts, removed: Sequence[tuple[int, int]]) -> Cuts:
    """The old cuts and new ones, given as (offset, length) in the file; neighbours become one."""
    spans = sorted([*old.spans, *((old.place(offset), length) for offset, length in removed)])
    joined: list[tuple[int, int]] = []
    for start, length in spans:
        if joined and sum(joined[-1]) == start:
            joined[-1] = (joined[-1][0], joined[-1][1] + length)
        else:
            joined.append((start, length))
    return Cuts.of(joined)
