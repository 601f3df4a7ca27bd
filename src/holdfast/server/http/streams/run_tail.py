"""The events of a run, read from its file as they come: whoever carries it, here or in another process."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.act.run_files import EVENTS, RUNNING, AgentRun
from holdfast.core.value import Value
from holdfast.server.http.streams.message_feed import Feed, encode_message

AT_ONCE = 4 * 1024 * 1024
LONGEST = 1024 * 1024
NOFOLLOW = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
END = "e"


class NumberedEvent(Value):
    """An event of a run, and the line it stands in: the first is 1."""

    line: int
    type: str
    data: Mapping[str, Any]
    ts: str


class Tail:
    """A file of events, read on from where it was read to. A line that is no event is counted, and left out."""

    def __init__(self, folder: str, offset: int = 0) -> None:
        self._path = os.path.join(folder, EVENTS)
        self.offset = 0
        self.line = 0
        if offset:
            self._skip(offset)

    def more(self) -> list[NumberedEvent]:
        """What was added since the last look: whole lines only."""
        data = self._read()
        whole = data[: data.rfind(b"\n") + 1]
        # Of a line longer than we read at once, only the end is seen: no event, and it stops nothing after it.
        self.offset += len(whole) or (len(data) if len(data) == AT_ONCE else 0)
        found = []
        for line in whole.split(b"\n")[:-1]:
            self.line += 1
            if (event := parse_event(line, self.line)) is not None:
                found.append(event)
        return found

    def rest(self) -> Iterator[NumberedEvent]:
        """All that was added since the last look."""
        read = -1
        while self.offset != read:
            read = self.offset
            yield from self.more()

    def _skip(self, offset: int) -> None:
        """Go on after the last whole line before a place: what follows it may be half written."""
        whole = 0
        while self.offset < offset and (data := self._read()[: offset - self.offset]):
            self.line += data.count(b"\n")
            whole = self.offset + data.rfind(b"\n") + 1 if b"\n" in data else whole
            self.offset += len(data)
        self.offset = whole

    def _read(self) -> bytes:
        try:
            fd = os.open(self._path, NOFOLLOW)
        except OSError:
            return b""
        try:
            return os.pread(fd, AT_ONCE, self.offset)
        except OSError:
            return b""
        finally:
            os.close(fd)


class RunFeed(Feed):
    """A run's stream. Cursors are lines of its file; the end of the run after line 17 is `17e`."""

    def __init__(self, tail: Tail, *, over: bool) -> None:
        super().__init__()
        self._tail = tail
        self.begin(place_of(tail.line, over=over))

    def take(self, event: NumberedEvent) -> None:
        """Tell an event."""
        cursor = str(event.line)
        self.add(place_of(event.line), event.type, encode_message(event.type, cursor, event.data, event.ts))

    def end(self, row: Mapping[str, Any]) -> None:
        """Tell that the run is over."""
        place = place_of(self._tail.line, over=True)
        if place > self.last:
            self.add(place, "run_complete", encode_message("run_complete", format_cursor(place), row))


def place_of(line: int, *, over: bool = False) -> int:
    """The number of a line in the stream; the end after it has one of its own."""
    return 2 * line + over


def format_cursor(place: int) -> str:
    """The cursor of a place."""
    return f"{place // 2}{END if place % 2 else ''}"


def is_end(place: int) -> bool:
    """Whether a place is a run's end, not one of its events."""
    return place % 2 == 1


def parse_cursor(cursor: str) -> int | None:
    """The place that a cursor names; None where it is none of ours."""
    line = cursor.removesuffix(END)
    if not (line.isascii() and line.isdigit() and len(line) < 12):
        return None
    return place_of(int(line), over=cursor.endswith(END))


def parse_event(line: bytes, number: int) -> NumberedEvent | None:
    """The event that a line holds, if it holds one."""
    if len(line) > LONGEST:
        return None
    try:
        row = json.loads(line, parse_constant=lambda _: None)
        return NumberedEvent(line=number, type=str(row["type"]), data=dict(row["data"]), ts=str(row.get("ts", "")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def read_events(run: AgentRun) -> list[NumberedEvent]:
    """Everything that happened in a run."""
    return list(Tail(run.folder).rest())


def is_over(status: str) -> bool:
    """Whether nobody carries a run of this status."""
    return status != RUNNING
