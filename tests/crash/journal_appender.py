"""A process that appends events until it is killed, and says which were acknowledged. One of them also sweeps.

    python journal_appender.py <folder> <words> <name> <append|sweep>

The words file gets `ack <key>` after an append returned, `deleting <key>` before a delete and `deleted <key>` after.
What was not acknowledged before the kill is offered again, as a client would.
"""

import os
import random
import sys

from holdfast.core.event import Event
from holdfast.journal.file_journal import FileJournal

SEGMENT_BYTES = 1 << 20


def size(chance: random.Random) -> int:
    """Mostly small, some of a few hundred kilobytes, a few of megabytes."""
    draw = chance.random()
    if draw < 0.005:
        return chance.randrange(1_000_000, 5_000_000)
    return chance.randrange(200_000, 400_000) if draw < 0.03 else chance.randrange(10, 8_000)


def event(key: str) -> Event:
    """An event that can be told to be whole: its text follows from its key."""
    length = size(random.Random(key))
    return Event(client="test", name="said", key=key, data={"length": length, "text": "ä" * (length // 2)})


def main(folder: str, words: str, name: str, role: str) -> None:
    """Append for ever."""
    journal = FileJournal(folder, segment_bytes=SEGMENT_BYTES)
    chance = random.Random()
    out = os.open(words, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    number = sum(line.startswith(b"ack") for line in os.pread(out, 1 << 26, 0).splitlines())
    while True:
        keys = [f"{name}-{each}" for each in range(number, number + chance.choice([1, 1, 1, 5]))]
        receipts = journal.append([event(key) for key in keys])
        os.write(out, "".join(f"ack {key}\n" for key in keys).encode())
        number += len(keys)
        if role == "sweep":
            os.write(out, f"deleting {keys[0]}\n".encode())
            journal.delete([receipts[0].id], "swept")
            os.write(out, f"deleted {keys[0]}\n".encode())
            journal.compact()


if __name__ == "__main__":
    main(*sys.argv[1:])
