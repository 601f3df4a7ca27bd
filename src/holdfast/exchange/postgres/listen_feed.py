"""Hearing what other servers do: notifications wake us, and the feed tells what they were about."""

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from holdfast.exchange.postgres.change_feed import parse_notification
from holdfast.exchange.postgres.database import CHANNEL, PATIENCE, check_url

BACK_OFF = (0.1, 0.5, 1.0, 2.0, 5.0)
BREATH = 1.0


class Listener:
    """A thread that tells when spaces moved. Notifications are lost while it is away, so it says when it came back."""

    def __init__(self, url: str, moved: Callable[[int, int], None], back: Callable[[], None]) -> None:
        self._url = check_url(url)
        self._moved = moved
        self._back = back
        self._stopping = threading.Event()
        self.listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-listen", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, at the next breath."""
        self._stopping.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                failures = self._listen(failures)
            except Exception:
                # Whatever it was: a thread that ended would never hear anything again.
                self.listening.clear()
                self._stopping.wait(BACK_OFF[min(failures, len(BACK_OFF) - 1)])
                failures += 1

    def _listen(self, failures: int) -> int:
        with psycopg.connect(self._url, autocommit=True, connect_timeout=int(PATIENCE)) as connection:
            connection.execute(f"LISTEN {CHANNEL}".encode())
            self.listening.set()
            # Whatever happened before the ears were open is in the feed.
            self._back()
            failures = 0
            while not self._stopping.is_set():
                for notice in connection.notifies(timeout=BREATH):
                    for space, n in parse_notification(notice.payload):
                        with suppress(Exception):
                            self._moved(space, n)
                    if self._stopping.is_set():
                        break
        return failures
