"""Which sealed segment may hold a key: asked by those who write thousands of events at once.

Looking a key up in every sealed segment costs a read of each. A table of small numbers, one for each part of the space
of hashes, says which one segment can have it, or that none can. It may name a segment wrongly, never leave one out.
"""

import posix as os
from array import array

from holdfast.journal import event_keys, journal_folder

_LEAST = 1 << 16
_ROOM = 8
_ANY = 0xFFFF


class Sieve:
    """What the keys files of sealed segments say, in memory."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[int, int] = {}
        self._asked: set[int] = set()
        self._size = _LEAST
        self._table = array("H", bytes(2 * self._size))

    def sorted_out(self, sealed: list[int], digests: list[bytes]) -> dict[int, list[bytes]]:
        """Which of some keys each of these segments may hold."""
        for number in sealed:
            if number not in self._known and number not in self._asked:
                self._learn(number)
        asked = [number for number in sealed if number in self._asked]
        found: dict[int, list[bytes]] = {number: list(digests) for number in asked}
        for digest in digests:
            number = self._table[self._slot(digest)]
            for each in sealed if number == _ANY else (number,) if number else ():
                if each not in self._asked:
                    found.setdefault(each, []).append(digest)
        return found

    def _learn(self, number: int) -> None:
        found = _digests(self._folder, number)
        if found is None or number >= _ANY:
            self._asked.add(number)
            return
        self._known[number] = len(found)
        if sum(self._known.values()) * _ROOM > self._size:
            self._grow()
            return
        self._put(number, found)

    def _grow(self) -> None:
        while sum(self._known.values()) * _ROOM > self._size:
            self._size *= 2
        self._table = array("H", bytes(2 * self._size))
        for number in list(self._known):
            found = _digests(self._folder, number)
            if found is None:
                del self._known[number]
                self._asked.add(number)
            else:
                self._put(number, found)

    def _put(self, number: int, digests: list[bytes]) -> None:
        for digest in digests:
            slot = self._slot(digest)
            self._table[slot] = number if self._table[slot] in (0, number) else _ANY

    def _slot(self, digest: bytes) -> int:
        return int.from_bytes(digest[:8], "big") & (self._size - 1)


def _digests(folder: str, number: int) -> list[bytes] | None:
    """The hashes of a sealed segment's keys; None where its keys file does not say."""
    try:
        segment = os.stat(journal_folder.segment_path(folder, number)).st_size
        fd = journal_folder.open_file(journal_folder.keys_path(folder, number), os.O_RDONLY)
    except OSError:
        return None
    try:
        return event_keys.read_sealed(fd, segment)
    except event_keys.KeysDamaged:
        return None
    finally:
        os.close(fd)
