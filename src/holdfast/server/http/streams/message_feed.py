"""Messages in order, the last of them kept, for any number of followers. Any thread adds; one loop follows."""

import asyncio
import contextlib
import json
import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from holdfast.core.value import Value

MOST_KEPT = 5000
MOST_BYTES = 8 * 1024 * 1024
# Under load messages leave in groups; the first one after a silence leaves at once.
PAUSE = 0.05
MOST_GROUP = 128 * 1024
# How far a subscriber whose connection is full may fall behind.
MOST_BEHIND = 4000
MOST_BEHIND_BYTES = 1024 * 1024
_FINAL_TEXT = 0x81


class FeedMessage(Value):
    """One message as it is sent. `end`: how many bytes there were in all, up to its end."""

    number: int
    type: str
    text: bytes
    end: int


class MessageGroup(Value):
    """Messages that leave together, and the frames that carry them: built once for all followers."""

    texts: tuple[bytes, ...]
    frames: bytes
    last: int


class SubscriberTooSlow(Exception):
    """A subscriber that fell too far behind."""


class FeedEnded(Exception):
    """There will be no more."""


class FeedSubscriber:
    """Somebody who reads a feed, and how far they are."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.sending = False
        self.slow = False
        self.more = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def give_up(self) -> None:
        """Stop sending: the connection takes nothing."""
        self.slow = True
        if self.task is not None:
            self.task.cancel()


class Feed:
    """The messages, and who follows them."""

    def __init__(self, most: int = MOST_KEPT, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._lock = threading.Lock()
        self._kept: list[FeedMessage] = []
        self._first = 0
        self._last = 0
        self._end = 0
        self._group: tuple[int, MessageGroup] | None = None
        self._followers: set[FeedSubscriber] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = False
        self._flushed = 0.0
        self.over = False

    # Adding

    def begin(self, number: int) -> None:
        """Go on after a number: what was before it is not here."""
        with self._lock:
            self._kept.clear()
            self._first = self._last = number

    def add(self, number: int, type: str, text: bytes) -> None:  # noqa: A002  # what a message calls it
        """A message; its number is greater than any before."""
        with self._lock:
            self._append(number, type, text)
        self._wake()

    def close(self) -> None:
        """There will be no more; followers are told once they have all there is."""
        self.over = True
        self._wake()

    def _append(self, number: int, kind: str, text: bytes) -> None:
        self._end += len(text)
        self._kept.append(FeedMessage(number=number, type=kind, text=text, end=self._end))
        self._last = number
        if len(self._kept) > 2 * self._most or self._size() > 2 * self._most_bytes:
            self._trim()

    def _size(self) -> int:
        return self._end - self._kept[0].end if self._kept else 0

    def _trim(self) -> None:
        begin = max(0, len(self._kept) - self._most)
        while begin < len(self._kept) - 1 and self._end - self._kept[begin].end > self._most_bytes:
            begin += 1
        if begin:
            self._first = self._kept[begin - 1].number
            del self._kept[:begin]

    # Reading

    @property
    def last(self) -> int:
        """The number of the last message."""
        return self._last

    def reaches(self, place: int) -> bool:
        """Whether everything after a place is here."""
        return self._first <= place <= self._last

    def after(self, place: int) -> list[FeedMessage] | None:
        """What followed a place; None where some of it is gone."""
        with self._lock:
            if not self.reaches(place):
                return None
            return self._kept[self._index(place) :]

    def group(self, place: int) -> MessageGroup | None:
        """What leaves next for somebody at a place; None where there is nothing new. Raises TooSlow."""
        with self._lock:
            if not self.reaches(place):
                raise SubscriberTooSlow
            if place == self._last:
                return None
            if self._group is None or not self._still(place, *self._group):
                self._group = place, self._grouped(self._index(place))
            return self._group[1]

    def _still(self, place: int, begun: int, group: MessageGroup) -> bool:
        return begun == place and (group.last == self._last or len(group.frames) > MOST_GROUP)

    def _grouped(self, begin: int) -> MessageGroup:
        floor = self._kept[begin].end
        texts = []
        for message in self._kept[begin:]:
            texts.append(message.text)
            if message.end - floor > MOST_GROUP:
                break
        return MessageGroup(texts=tuple(texts), frames=b"".join(map(encode_frame, texts)), last=message.number)

    def _index(self, place: int) -> int:
        return bisect_right(self._kept, place, key=lambda message: message.number)

    def _behind(self, subscriber: FeedSubscriber) -> bool:
        with self._lock:
            at = self._index(subscriber.place)
            late = len(self._kept) - at
            return late > MOST_BEHIND or (late > 0 and self._end - self._kept[at].end > MOST_BEHIND_BYTES)

    # Following, on one loop

    @property
    def subscribers(self) -> int:
        """How many follow now."""
        return len(self._followers)

    @contextlib.contextmanager
    def subscribe(self, place: int) -> Iterator[FeedSubscriber]:
        """A subscriber from a place on."""
        self._loop = asyncio.get_running_loop()
        subscriber = FeedSubscriber(place)
        self._followers.add(subscriber)
        try:
            yield subscriber
        finally:
            self._followers.discard(subscriber)

    def _wake(self) -> None:
        loop = self._loop
        if loop is None or self._due or not self._followers:
            return
        self._due = True
        try:
            loop.call_soon_threadsafe(self._soon, loop)
        except RuntimeError:
            # The loop has ended, and whoever followed with it.
            self._due = False

    def _soon(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(max(0.0, self._flushed + PAUSE - loop.time()), self._flush, loop)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = False
        self._flushed = loop.time()
        for subscriber in tuple(self._followers):
            if not subscriber.sending:
                subscriber.more.set()
            elif self._behind(subscriber):
                subscriber.give_up()


def encode_frame(text: bytes) -> bytes:
    """A text as one frame of RFC 6455. A server's frames carry no mask: they are the same for everybody."""
    size = len(text)
    if size < 126:
        return bytes((_FINAL_TEXT, size)) + text
    if size < 1 << 16:
        return bytes((_FINAL_TEXT, 126)) + size.to_bytes(2) + text
    return bytes((_FINAL_TEXT, 127)) + size.to_bytes(8) + text


def encode_message(kind: str, cursor: str, data: Mapping[str, Any], ts: str = "") -> bytes:
    """A message as it is sent."""
    row = {"type": kind, "cursor": cursor, "ts": ts or now(), "data": data}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def now() -> str:
    """The time, as messages carry it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
