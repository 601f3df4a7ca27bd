"""A workspace's stream: what changes in it, and every event of its runs. Cursors are `<epoch>.<number>`."""

import secrets
import threading
from collections.abc import Mapping
from typing import Any

from holdfast.server.http.streams.message_feed import MOST_BYTES, MOST_KEPT, Feed, encode_message


class Hub(Feed):
    """Messages of this life of the server. What is too old, or of another life, is answered with a snapshot."""

    def __init__(self, most: int = MOST_KEPT, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most, most_bytes)
        self._publishing = threading.Lock()
        self.epoch = secrets.token_hex(4)

    def publish(self, type: str, data: Mapping[str, Any], ts: str = "") -> str:  # noqa: A002  # a message's word
        """Tell everybody, from any thread; the cursor."""
        with self._publishing:
            number = self.last + 1
            cursor = f"{self.epoch}.{number}"
            self.add(number, type, encode_message(type, cursor, data, ts))
        return cursor

    def place(self, cursor: str) -> int | None:
        """The place that a cursor names, if all that followed is here."""
        epoch, _, number = cursor.partition(".")
        if epoch != self.epoch or not (number.isascii() and number.isdigit() and len(number) < 16):
            return None
        return int(number) if self.reaches(int(number)) else None

    def cursor(self, place: int) -> str:
        """The cursor of a place."""
        return f"{self.epoch}.{place}"
